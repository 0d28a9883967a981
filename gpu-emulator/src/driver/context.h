/* Contexts and the streams in them. */
#ifndef EMULATED_GPU_CONTEXT_H
#define EMULATED_GPU_CONTEXT_H

#include "driver.h"
#include "work.h"

enum { CONTEXT_LIMITS = 3 }; /* the first ones of CUlimit */

/* Where a stream, or an event, is in a capture: what comes next depends on these nodes. */
struct capture_place {
  struct capture *capture; /* null: not capturing */
  CUgraphNode *nodes;
  size_t count;
};

struct CUstream_st {
  CUcontext context;
  unsigned flags;
  int priority;
  unsigned long long id;
  struct work_set pending; /* the kernels that what comes next in this stream must follow */
  int per_thread;          /* the default stream of `thread` */
  pthread_t thread;
  struct capture_place at;
  struct CUstream_st *next; /* of the same context */
};

/* Contexts are never freed: a thread may still have a destroyed one current. */
struct CUctx_st {
  unsigned device; /* physical */
  CUdevice ordinal;
  unsigned flags;
  unsigned references; /* 0: destroyed, or a primary context that is not active */
  int primary;
  unsigned id;
  CUcontext owner; /* of a green context: the primary one that it is a part of */
  size_t limit[CONTEXT_LIMITS];
  struct CUstream_st legacy; /* the default stream that waits for the others */
};

/* Sets up the primary contexts; called once by cuInit. */
void contexts_start(void);

/* Limits as a context has them to begin with; and what they take beyond that, given back. The
 * latter with the driver locked. */
void context_limits_start(CUcontext context);
void context_limits_end(CUcontext context);

/* Driver locked. The stream a handle stands for; never null but for lack of host memory. */
CUstream stream_resolve(CUstream handle, CUcontext context);

/* Driver locked. The tasks that an operation put into the stream now must wait for. */
uint64_t stream_predecessors(CUstream stream);

/* Driver locked. Waits for all that was put into the stream. */
void stream_wait(CUstream stream);

/* Driver locked. Frees the streams of a context. */
void streams_destroy_all(CUcontext context);

#endif
