/*
 * launches.h - the table of what computes on a device, with that of copies.h. In a job with a share
 * its hooks wait for the turn; in any other process these names are not hooked, and not exported by
 * us (exports.c).
 *
 * X(exported name, base name, since, stream, parameters, arguments, the stream that it uses)
 * SGP_BOTH (copies.h) is two rows: of the name, and of the name for a stream per thread.
 */
#ifndef SGP_LAUNCHES_H
#define SGP_LAUNCHES_H

#include "copies.h"
#include "../../abi/driver_abi.h"

// clang-format off
#define SGP_LAUNCHES(X)                                                                            \
  SGP_BOTH(X, cuLaunchKernel, _ptsz, "cuLaunchKernel", 4000, 7000,                                 \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,     \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **params,    \
     void **extra),                                                                                \
    (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, params,    \
     extra), stream)                                                                               \
  SGP_BOTH(X, cuLaunchKernelEx, _ptsz, "cuLaunchKernelEx", 11060, 11060,                           \
    (const CUlaunchConfig *config, CUfunction function, void **params, void **extra),              \
    (config, function, params, extra), config ? config->hStream : NULL)                            \
  SGP_BOTH(X, cuLaunchCooperativeKernel, _ptsz, "cuLaunchCooperativeKernel", 9000, 9000,           \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,     \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **params),   \
    (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, params),   \
     stream)                                                                                       \
  X(cuLaunchCooperativeKernelMultiDevice, "cuLaunchCooperativeKernelMultiDevice",                  \
   9000, SGP_LEGACY,                                                                               \
    (CUDA_LAUNCH_PARAMS *list, unsigned count, unsigned flags), (list, count, flags), NULL)        \
  X(cuLaunch, "cuLaunch", 2000, SGP_LEGACY, (CUfunction function), (function), NULL)               \
  X(cuLaunchGrid, "cuLaunchGrid", 2000, SGP_LEGACY,                                                \
    (CUfunction function, int width, int height), (function, width, height), NULL)                 \
  X(cuLaunchGridAsync, "cuLaunchGridAsync", 2000, SGP_LEGACY,                                      \
    (CUfunction function, int width, int height, CUstream stream),                                 \
    (function, width, height, stream), stream)                                                     \
  SGP_BOTH(X, cuMemsetD8_v2, _ptds, "cuMemsetD8", 3020, 7000,                                      \
    (CUdeviceptr to, unsigned char value, size_t count), (to, value, count), NULL)                 \
  SGP_BOTH(X, cuMemsetD8Async, _ptsz, "cuMemsetD8Async", 3020, 7000,                               \
    (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),                          \
    (to, value, count, stream), stream)                                                            \
  SGP_BOTH(X, cuMemsetD2D8_v2, _ptds, "cuMemsetD2D8", 3020, 7000,                                  \
    (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height),              \
    (to, pitch, value, width, height), NULL)                                                       \
  SGP_BOTH(X, cuMemsetD2D8Async, _ptsz, "cuMemsetD2D8Async", 3020, 7000,                           \
    (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream      \
     stream), (to, pitch, value, width, height, stream), stream)                                   \
  SGP_BOTH(X, cuMemsetD16_v2, _ptds, "cuMemsetD16", 3020, 7000,                                    \
    (CUdeviceptr to, unsigned short value, size_t count), (to, value, count), NULL)                \
  SGP_BOTH(X, cuMemsetD16Async, _ptsz, "cuMemsetD16Async", 3020, 7000,                             \
    (CUdeviceptr to, unsigned short value, size_t count, CUstream stream),                         \
    (to, value, count, stream), stream)                                                            \
  SGP_BOTH(X, cuMemsetD2D16_v2, _ptds, "cuMemsetD2D16", 3020, 7000,                                \
    (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height),             \
    (to, pitch, value, width, height), NULL)                                                       \
  SGP_BOTH(X, cuMemsetD2D16Async, _ptsz, "cuMemsetD2D16Async", 3020, 7000,                         \
    (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream     \
     stream), (to, pitch, value, width, height, stream), stream)                                   \
  SGP_BOTH(X, cuMemsetD32_v2, _ptds, "cuMemsetD32", 3020, 7000,                                    \
    (CUdeviceptr to, unsigned value, size_t count), (to, value, count), NULL)                      \
  SGP_BOTH(X, cuMemsetD32Async, _ptsz, "cuMemsetD32Async", 3020, 7000,                             \
    (CUdeviceptr to, unsigned value, size_t count, CUstream stream), (to, value, count, stream),   \
     stream)                                                                                       \
  SGP_BOTH(X, cuMemsetD2D32_v2, _ptds, "cuMemsetD2D32", 3020, 7000,                                \
    (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height),                   \
    (to, pitch, value, width, height), NULL)                                                       \
  SGP_BOTH(X, cuMemsetD2D32Async, _ptsz, "cuMemsetD2D32Async", 3020, 7000,                         \
    (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream),  \
    (to, pitch, value, width, height, stream), stream)
/* What a turn must know of beside that; no stream is named. */
#define SGP_AROUND_LAUNCHES(X)                                                                     \
  SGP_BOTH_AROUND(X, cuLaunchHostFunc, _ptsz, "cuLaunchHostFunc", 10000, 10000,                    \
    (CUstream stream, CUhostFn function, void *data), (stream, function, data))                    \
  SGP_BOTH_AROUND(X, cuLaunchHostFunc_v2, _ptsz, "cuLaunchHostFunc", 13030, 13030,                 \
    (CUstream stream, CUhostFn function, void *data, unsigned mode),                               \
    (stream, function, data, mode))                                                                \
  X(cuGraphAddHostNode, "cuGraphAddHostNode", 10000, SGP_LEGACY,                                   \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const               \
     CUDA_HOST_NODE_PARAMS *params), (node, graph, after, count, params))                          \
  X(cuGraphAddNode, "cuGraphAddNode", 12020, SGP_LEGACY,                                           \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, CUgraphNodeParams   \
     *params), (node, graph, after, count, params))                                                \
  X(cuGraphAddNode_v2, "cuGraphAddNode", 12030, SGP_LEGACY,                                        \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *edges,     \
     size_t count, CUgraphNodeParams *params), (node, graph, after, edges, count, params))         \
  SGP_BOTH_AROUND(X, cuStreamAddCallback, _ptsz, "cuStreamAddCallback", 5000, 7000,                \
    (CUstream stream, CUstreamCallback function, void *data, unsigned flags),                      \
    (stream, function, data, flags))                                                               \
  SGP_BOTH_AROUND(X, cuStreamWaitValue32, _ptsz, "cuStreamWaitValue32", 8000, 8000,                \
    (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  SGP_BOTH_AROUND(X, cuStreamWaitValue32_v2, _ptsz, "cuStreamWaitValue32", 11070, 11070,           \
    (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  SGP_BOTH_AROUND(X, cuStreamWaitValue64, _ptsz, "cuStreamWaitValue64", 9000, 9000,                \
    (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  SGP_BOTH_AROUND(X, cuStreamWaitValue64_v2, _ptsz, "cuStreamWaitValue64", 11070, 11070,           \
    (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  SGP_BOTH_AROUND(X, cuStreamBatchMemOp, _ptsz, "cuStreamBatchMemOp", 8000, 8000,                  \
    (CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations, unsigned flags),       \
    (stream, count, operations, flags))                                                            \
  SGP_BOTH_AROUND(X, cuStreamBatchMemOp_v2, _ptsz, "cuStreamBatchMemOp", 11070, 11070,             \
    (CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations, unsigned flags),       \
    (stream, count, operations, flags))                                                            \
  SGP_BOTH_AROUND(X, cuWaitExternalSemaphoresAsync, _ptsz, "cuWaitExternalSemaphoresAsync",        \
   10000, 10000,                                                                                   \
    (const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,     \
     unsigned count, CUstream stream), (semaphores, params, count, stream))                        \
  X(cuGraphAddBatchMemOpNode, "cuGraphAddBatchMemOpNode", 11070, SGP_LEGACY,                       \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const               \
     CUDA_BATCH_MEM_OP_NODE_PARAMS *params), (node, graph, after, count, params))                  \
  X(cuGraphAddExternalSemaphoresWaitNode, "cuGraphAddExternalSemaphoresWaitNode",                  \
   11020, SGP_LEGACY,                                                                              \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count, const               \
     CUDA_EXT_SEM_WAIT_NODE_PARAMS *params), (node, graph, after, count, params))                  \
  SGP_BOTH_AROUND(X, cuStreamBeginCapture, _ptsz, "cuStreamBeginCapture", 10000, 10000,            \
    (CUstream stream), (stream))                                                                   \
  SGP_BOTH_AROUND(X, cuStreamBeginCapture_v2, _ptsz, "cuStreamBeginCapture", 10010, 10010,         \
    (CUstream stream, CUstreamCaptureMode mode), (stream, mode))                                   \
  SGP_BOTH_AROUND(X, cuStreamBeginCaptureToGraph, _ptsz, "cuStreamBeginCaptureToGraph",            \
   12030, 12030,                                                                                   \
    (CUstream stream, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *edges,       \
     size_t count, CUstreamCaptureMode mode), (stream, graph, after, edges, count, mode))          \
  SGP_BOTH_AROUND(X, cuStreamEndCapture, _ptsz, "cuStreamEndCapture", 10000, 10000,                \
    (CUstream stream, CUgraph *graph), (stream, graph))                                            \
  X(cuStreamDestroy, "cuStreamDestroy", 2000, SGP_LEGACY, (CUstream stream), (stream))             \
  X(cuStreamDestroy_v2, "cuStreamDestroy", 4000, SGP_LEGACY, (CUstream stream), (stream))
// clang-format on

/** All hooks of a job with a share. */
#define SGP_TURN_HOOKS(X) SGP_LAUNCHES(X) SGP_DEVICE_COPIES(X) SGP_COPIES(X) SGP_AROUND_LAUNCHES(X)

/** The hook of a name, and its type. */
#define SGP_DECLARE(name, base, since, stream, parameters, ...)                                    \
  typedef CUresult(*sgp_type_##name) parameters;                                                   \
  CUresult sgp_turn_##name parameters;
SGP_TURN_HOOKS(SGP_DECLARE)
#undef SGP_DECLARE

#endif
