/*
 * capture.h - stream capture: a call on a capturing stream becomes a node of a graph. Call all
 * functions with the driver locked.
 */
#ifndef EMULATED_GPU_CAPTURE_H
#define EMULATED_GPU_CAPTURE_H

#include "context.h"
#include "fill.h"

CUresult capture_kernel(CUstream stream, uint64_t ns);
CUresult capture_copy(CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult capture_fill(CUstream stream, const struct fill *fill);
CUresult capture_host(CUstream stream, CUhostFn function, void *user_data);
CUresult capture_allocation(CUstream stream, CUdeviceptr *address, size_t bytes, CUmemoryPool pool);
CUresult capture_free(CUstream stream, CUdeviceptr address);
CUresult capture_graph(CUstream stream, CUgraph graph);

/* Records an event, or waits for one, in a capture. */
CUresult capture_record(CUstream stream, struct capture_place *event);
CUresult capture_wait(CUstream stream, const struct capture_place *event);

/* Ends the capture with an error, for a call that cannot be captured. */
CUresult capture_unsupported(CUstream stream);

#endif
