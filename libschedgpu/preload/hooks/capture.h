/*
 * capture.h - streams, and whether they are captured.
 */
#ifndef SGP_CAPTURE_H
#define SGP_CAPTURE_H

#include "../resolve/resolve.h"

/** NULL and the two handles that stand for default streams. */
static inline bool sgp_is_default_stream(CUstream stream) {
  return (uintptr_t)stream <= SGP_STREAM_PER_THREAD;
}

/** What a stream is for callers whose default stream is their thread's own. */
static inline CUstream sgp_own_stream(CUstream stream) {
  return stream ? stream : (CUstream)(uintptr_t)SGP_STREAM_PER_THREAD;
}

/** The legacy stream never is: asking about it may be an error in itself. */
static inline bool sgp_is_capturing(CUstream stream) {
  sgp_cuStreamIsCapturing ask;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if ((uintptr_t)stream <= SGP_STREAM_LEGACY || !(ask = SGP_CALL(cuStreamIsCapturing)))
    return false;
  return ask(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/** A call of ours must not break a capture that goes on elsewhere: to be undone with the result. */
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
