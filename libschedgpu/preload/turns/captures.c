/*
 * captures.c - hooks of captures of streams: while one lasts, no turn ends. It ends where it began:
 * with cuStreamEndCapture() of the same stream, with the stream, or with its context. Another
 * stream may have joined it; an attempt to end it there, or in another thread, fails.
 */
#include "turns.h"
#include "../account/charge.h"
#include "../hooks/capture.h"
#include <pthread.h>
#include <stdlib.h>

struct capture {
  CUstream origin; /**< that of a thread has one value for all threads */
  CUcontext context;
  struct capture *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture *captures;

static void put(struct capture *capture) {
  pthread_mutex_lock(&lock);
  capture->next = captures;
  captures = capture;
  pthread_mutex_unlock(&lock);
}

/** The context of a stream, which need not be the current one; NULL if it is not known. */
static CUcontext context_of(CUstream stream) {
  CUcontext context = NULL;
  sgp_cuCtxGetCurrent current = SGP_CALL(cuCtxGetCurrent);
  sgp_cuStreamGetCtx of_stream = SGP_CALL(cuStreamGetCtx);
  if (!sgp_is_default_stream(stream) && of_stream && of_stream(stream, &context) == CUDA_SUCCESS)
    return context;
  return current && current(&context) == CUDA_SUCCESS ? context : NULL;
}

static void remember(CUstream origin) {
  struct capture *fresh = malloc(sizeof *fresh);
  if (!fresh)
    return; /* the turn stays until the process ends */
  *fresh = (struct capture){.origin = origin, .context = context_of(origin)};
  put(fresh);
}

/** A capture that began in the stream; if that is NULL, in a stream of the context. */
static struct capture *take(CUstream origin, CUcontext context) {
  pthread_mutex_lock(&lock);
  struct capture **link = &captures;
  while (*link && (origin ? (*link)->origin != origin : (*link)->context != context))
    link = &(*link)->next;
  struct capture *taken = *link;
  if (taken)
    *link = taken->next;
  pthread_mutex_unlock(&lock);
  return taken;
}

static void ended(struct capture *capture) {
  if (capture)
    sgp_turn_capture_ends();
  free(capture);
}

void sgp_turn_context_ended(CUcontext context) {
  struct capture *capture;
  while ((capture = take(NULL, context)))
    ended(capture);
}

void sgp_captures_after_fork(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  captures = NULL; /* abandoned, not freed */
}

#define SGP_BEGIN_CAPTURE(name, named, call)                                                       \
  do {                                                                                             \
    SGP_REAL(name);                                                                                \
    if (sgp_inside)                                                                                \
      return real call;                                                                            \
    sgp_turn_capture_begins();                                                                     \
    CUresult result = real call;                                                                   \
    if (result == CUDA_SUCCESS)                                                                    \
      remember(named);                                                                             \
    else                                                                                           \
      sgp_turn_capture_ends();                                                                     \
    return result;                                                                                 \
  } while (0)

CUresult sgp_turn_cuStreamBeginCapture(CUstream stream) {
  SGP_BEGIN_CAPTURE(cuStreamBeginCapture, stream, (stream));
}
CUresult sgp_turn_cuStreamBeginCapture_ptsz(CUstream stream) {
  SGP_BEGIN_CAPTURE(cuStreamBeginCapture_ptsz, sgp_own_stream(stream), (stream));
}
CUresult sgp_turn_cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  SGP_BEGIN_CAPTURE(cuStreamBeginCapture_v2, stream, (stream, mode));
}
CUresult sgp_turn_cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
  SGP_BEGIN_CAPTURE(cuStreamBeginCapture_v2_ptsz, sgp_own_stream(stream), (stream, mode));
}
CUresult sgp_turn_cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                              const CUgraphNode *after,
                                              const CUgraphEdgeData *edges, size_t count,
                                              CUstreamCaptureMode mode) {
  SGP_BEGIN_CAPTURE(cuStreamBeginCaptureToGraph, stream,
                    (stream, graph, after, edges, count, mode));
}
CUresult sgp_turn_cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph,
                                                   const CUgraphNode *after,
                                                   const CUgraphEdgeData *edges, size_t count,
                                                   CUstreamCaptureMode mode) {
  SGP_BEGIN_CAPTURE(cuStreamBeginCaptureToGraph_ptsz, sgp_own_stream(stream),
                    (stream, graph, after, edges, count, mode));
}

/** A capture ends whether or not it succeeded, unless the stream is still captured afterwards. */
static CUresult end_capture(CUresult (*real)(CUstream, CUgraph *), CUstream stream, CUstream named,
                            CUgraph *graph) {
  bool captured = !sgp_inside && sgp_is_capturing(named);
  CUresult result = real(stream, graph);
  if (captured && !sgp_is_capturing(named))
    ended(take(named, NULL));
  return result;
}
CUresult sgp_turn_cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  SGP_REAL(cuStreamEndCapture);
  return end_capture(real, stream, stream, graph);
}
CUresult sgp_turn_cuStreamEndCapture_ptsz(CUstream stream, CUgraph *graph) {
  SGP_REAL(cuStreamEndCapture_ptsz);
  return end_capture(real, stream, sgp_own_stream(stream), graph);
}

static CUresult destroy(CUresult (*real)(CUstream), CUstream stream) {
  struct capture *capture = sgp_is_default_stream(stream) ? NULL : take(stream, NULL);
  CUresult result = real(stream);
  if (result == CUDA_SUCCESS)
    ended(capture);
  else if (capture)
    put(capture);
  return result;
}
CUresult sgp_turn_cuStreamDestroy(CUstream stream) {
  SGP_REAL(cuStreamDestroy);
  return destroy(real, stream);
}
CUresult sgp_turn_cuStreamDestroy_v2(CUstream stream) {
  SGP_REAL(cuStreamDestroy_v2);
  return destroy(real, stream);
}
