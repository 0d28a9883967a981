/* context.h - contexts and their streams. */
#ifndef EMULATED_GPU_CONTEXT_H
#define EMULATED_GPU_CONTEXT_H

#include "driver.h"
#include "work.h"

enum { CONTEXT_LIMITS = 3 }; /* the first ones of CUlimit */

/* The position of a stream, or of an event, in a capture: the next node depends on these nodes. */
struct capture_place {
  struct capture *capture; /* NULL: not capturing */
  CUgraphNode *nodes;
  size_t count;
};

struct CUstream_st {
  CUcontext context;
  unsigned flags;
  int priority;
  unsigned long long id;
  struct work_set pending; /* the kernels that the next kernel of this stream must follow */
  int per_thread;          /* the default stream of `thread` */
  pthread_t thread;
  struct capture_place at;
  struct CUstream_st *next; /* of the same context */
};

/* Contexts are never freed: a destroyed one may still be current in a thread. */
struct CUctx_st {
  unsigned device; /* physical index */
  CUdevice ordinal;
  unsigned flags;
  unsigned references; /* 0: destroyed, or an inactive primary context */
  int primary;
  unsigned id;
  CUcontext owner; /* of a green context: its primary context */
  size_t limit[CONTEXT_LIMITS];
  struct CUstream_st legacy; /* the default stream that waits for the others */
};

/* Sets up the primary contexts; called once by cuInit. */
void contexts_start(void);

/* Sets the initial limits of a context; and frees what later limits take beyond them. Call the
 * second one with the driver locked. */
void context_limits_start(CUcontext context);
void context_limits_end(CUcontext context);

/* Call with the driver locked. The stream of a handle; NULL only if there is no host memory. */
CUstream stream_resolve(CUstream handle, CUcontext context);

/* Call with the driver locked. The tasks that the next operation in the stream must wait for. */
uint64_t stream_predecessors(CUstream stream);

/* Call with the driver locked. Waits for everything in the stream. */
void stream_wait(CUstream stream);

/* Call with the driver locked. Frees the streams of a context. */
void streams_destroy_all(CUcontext context);

#endif
