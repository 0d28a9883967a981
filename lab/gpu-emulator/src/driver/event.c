/* event.c - events: whether everything before them in the stream has finished. */
#include "capture.h"
#include "pool.h"

#include <stdlib.h>

struct CUevent_st {
  unsigned flags;
  int recorded;
  struct capture_place at; /* its place, if it was recorded in a capture */
  struct work_set awaited; /* its finished_ns starts with the time of recording */
};

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  NEED_CONTEXT(context);
  NEED(event);
  (void)context;
  CUevent made = calloc(1, sizeof *made);
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made->flags = flags;
  driver_lock();
  work_set_add(&made->awaited);
  driver_unlock();
  *event = made;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  NEED_DRIVER();
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  work_set_remove(&event->awaited);
  driver_unlock();
  free(event->at.nodes);
  free(event);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream handle) {
  NEED_CONTEXT(context);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  CUresult result = stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  if (stream && stream->at.capture) {
    result = capture_record(stream, &event->at);
  } else if (stream) {
    event->at.capture = NULL;
    work_update();
    event->awaited.tasks = stream_predecessors(stream);
    event->awaited.finished_ns = state_now_ns();
    event->recorded = 1;
  }
  driver_unlock();
  return result;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return cuEventRecord(event, stream);
}

CUresult cuEventSynchronize(CUevent event) {
  NEED_DRIVER();
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  work_wait(event->awaited.tasks);
  pools_synchronized();
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  NEED_DRIVER();
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  work_update();
  int busy = event->awaited.tasks != 0;
  driver_unlock();
  return busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static int timed(CUevent event) {
  return event && event->recorded && !(event->flags & CU_EVENT_DISABLE_TIMING);
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  NEED_DRIVER();
  NEED(milliseconds);
  if (!timed(start) || !timed(end))
    return CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  work_update();
  int busy = start->awaited.tasks || end->awaited.tasks;
  double ns = (double)end->awaited.finished_ns - (double)start->awaited.finished_ns;
  driver_unlock();
  if (busy)
    return CUDA_ERROR_NOT_READY;
  *milliseconds = (float)(ns / 1e6);
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags) {
  NEED_CONTEXT(context);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  work_update();
  CUresult result = stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  if (stream && event->at.capture)
    result = capture_wait(stream, &event->at);
  else if (stream)
    stream->pending.tasks |= event->awaited.tasks;
  driver_unlock();
  return result;
}
