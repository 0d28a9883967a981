/* capture.h - streams, and whether a graph captures them. */
#ifndef SGP_CAPTURE_H
#define SGP_CAPTURE_H

#include "../resolve/resolve.h"

/** True for NULL and the two handles that stand for default streams. */
static inline bool sgp_is_default_stream(CUstream stream) {
  return (uintptr_t)stream <= SGP_STREAM_PER_THREAD;
}

/** The meaning of a stream for callers whose default stream is per thread. */
static inline CUstream sgp_own_stream(CUstream stream) {
  return stream ? stream : (CUstream)(uintptr_t)SGP_STREAM_PER_THREAD;
}

/**
 * True if the stream is captured. The legacy stream never is, and a query of it may itself be an
 * error.
 */
static inline bool sgp_is_capturing(CUstream stream) {
  sgp_cuStreamIsCapturing ask;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if ((uintptr_t)stream <= SGP_STREAM_LEGACY || !(ask = SGP_CALL(cuStreamIsCapturing)))
    return false;
  return ask(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/**
 * Changes the capture mode of this thread, so that a call of ours does not break a capture
 * elsewhere. Undo it with the result.
 */
static inline CUstreamCaptureMode sgp_allow_in_capture(void) {
  sgp_cuThreadExchangeStreamCaptureMode exchange = SGP_CALL(cuThreadExchangeStreamCaptureMode);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (exchange)
    exchange(&mode);
  return mode;
}
static inline void sgp_restore_in_capture(CUstreamCaptureMode mode) {
  sgp_cuThreadExchangeStreamCaptureMode exchange = SGP_CALL(cuThreadExchangeStreamCaptureMode);
  if (exchange)
    exchange(&mode);
}

#endif
