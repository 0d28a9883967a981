/* stream.c - streams: the work of a stream runs in order. */
#include "capture.h"
#include "pool.h"

#include <stdlib.h>

static unsigned long long last_id;

/* Call with the driver locked. NULL if there is no host memory. */
static CUstream make(CUcontext context, unsigned flags, int priority) {
  CUstream stream = calloc(1, sizeof *stream);
  if (!stream)
    return NULL;
  stream->context = context;
  stream->flags = flags;
  stream->priority = priority;
  stream->id = ++last_id;
  work_set_add(&stream->pending);
  stream->next = context->legacy.next; /* the list of a context starts at its legacy stream */
  context->legacy.next = stream;
  return stream;
}

static CUstream own_stream(CUcontext context) {
  for (CUstream s = context->legacy.next; s; s = s->next)
    if (s->per_thread && pthread_equal(s->thread, pthread_self()))
      return s;
  CUstream stream = make(context, 0, 0);
  if (stream) {
    stream->per_thread = 1;
    stream->thread = pthread_self();
  }
  return stream;
}

CUstream stream_resolve(CUstream handle, CUcontext context) {
  if (!handle || handle == CU_STREAM_LEGACY)
    return &context->legacy;
  return handle == CU_STREAM_PER_THREAD ? own_stream(context) : handle;
}

uint64_t stream_predecessors(CUstream stream) {
  uint64_t tasks = stream->pending.tasks;
  CUstream legacy = &stream->context->legacy;
  if (stream == legacy)
    for (CUstream s = legacy->next; s; s = s->next)
      tasks |= s->flags & CU_STREAM_NON_BLOCKING ? 0 : s->pending.tasks;
  else if (!(stream->flags & CU_STREAM_NON_BLOCKING))
    tasks |= legacy->pending.tasks;
  return tasks;
}

void stream_wait(CUstream stream) {
  work_update();
  work_wait(stream_predecessors(stream));
}

static void destroy(CUstream stream) {
  work_set_remove(&stream->pending);
  free(stream->at.nodes);
  free(stream);
}

void streams_destroy_all(CUcontext context) {
  while (context->legacy.next) {
    CUstream stream = context->legacy.next;
    context->legacy.next = stream->next;
    destroy(stream);
  }
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  NEED_CONTEXT(context);
  NEED(stream && flags <= CU_STREAM_NON_BLOCKING);
  driver_lock();
  *stream = make(context, flags, priority);
  driver_unlock();
  return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

/* Its kernels still run, but no call can refer to the stream any more. */
CUresult cuStreamDestroy_v2(CUstream stream) {
  NEED_DRIVER();
  if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
    return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  for (CUstream *at = &stream->context->legacy.next; *at; at = &(*at)->next)
    if (*at == stream) {
      *at = stream->next;
      destroy(stream);
      result = CUDA_SUCCESS;
      break;
    }
  driver_unlock();
  return result;
}

CUresult cuStreamSynchronize(CUstream handle) {
  NEED_CONTEXT(context);
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  if (stream && stream->at.capture) {
    result = capture_unsupported(stream);
  } else if (stream) {
    stream_wait(stream);
    pools_synchronized();
    result = CUDA_SUCCESS;
  }
  driver_unlock();
  return result;
}

CUresult cuStreamQuery(CUstream handle) {
  NEED_CONTEXT(context);
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  work_update();
  int busy = stream && stream_predecessors(stream);
  driver_unlock();
  return busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

#define GETTER(function, type, value_of_stream)                                                    \
  CUresult function(CUstream handle, type *value) {                                                \
    NEED_CONTEXT(context);                                                                         \
    NEED(value);                                                                                   \
    driver_lock();                                                                                 \
    CUstream stream = stream_resolve(handle, context);                                             \
    if (stream)                                                                                    \
      *value = value_of_stream;                                                                    \
    driver_unlock();                                                                               \
    return stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;                                       \
  }
GETTER(cuStreamGetFlags, unsigned, stream->flags)
GETTER(cuStreamGetPriority, int, stream->priority)
GETTER(cuStreamGetId, unsigned long long, stream->id)
GETTER(cuStreamGetCtx, CUcontext, stream->context)
GETTER(cuStreamGetDevice, CUdevice, stream->context->ordinal)

/* A host function runs in the calling thread, after the earlier work of the stream. Returns true if
 * the function is to be called. */
static CUresult reach(CUstream handle, CUhostFn function, void *user_data, int *call) {
  NEED_CONTEXT(context);
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  *call = stream && !stream->at.capture;
  if (*call) {
    stream_wait(stream);
    result = CUDA_SUCCESS;
  } else if (stream) {
    result = function ? capture_host(stream, function, user_data) : capture_unsupported(stream);
  }
  driver_unlock();
  return result;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user_data) {
  int call;
  NEED(function);
  TRY(reach(stream, function, user_data, &call));
  if (call)
    function(user_data);
  return CUDA_SUCCESS;
}

/* The mode says how the driver's thread waits for its turn; here that is the calling thread. */
CUresult cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void *user_data, unsigned mode) {
  NEED(mode <= 1);
  return cuLaunchHostFunc(stream, function, user_data);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user_data,
                             unsigned flags) {
  int call;
  NEED(callback && !flags);
  TRY(reach(stream, NULL, NULL, &call));
  callback(stream, CUDA_SUCCESS, user_data);
  return CUDA_SUCCESS;
}

/* Memory has no barriers here, so the flag that leaves one out changes nothing. */
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr to, unsigned value, unsigned flags) {
  NEED(flags <= 1);
  return cuMemsetD32Async(to, value, 1, stream);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr to, unsigned value, unsigned flags) {
  return cuStreamWriteValue32(stream, to, value, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  static __thread CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_GLOBAL;
  NEED_DRIVER();
  NEED(mode);
  CUstreamCaptureMode former = own;
  own = *mode;
  *mode = former;
  return CUDA_SUCCESS;
}
