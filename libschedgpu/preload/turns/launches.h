/*
 * launches.h - the table of what computes on a device, with that of copies.h. In a job with a share
 * its hooks wait for the turn; in any other process these names are not hooked, and not exported by
 * us (exports.c).
 *
 * X(exported name, base name, since, stream, parameters, arguments, the stream that it uses)
 */
#ifndef SGP_LAUNCHES_H
#define SGP_LAUNCHES_H

#include "copies.h"
#include "../hooks/driver_abi.h"

// clang-format off
#define SGP_LAUNCHES(X)                                                                            \
  X(cuLaunchKernel, "cuLaunchKernel", 4000, SGP_LEGACY,                                            \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned              \
     block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,          \
     void **params, void **extra),                                                                 \
    (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,            \
     params, extra), stream)                                                                       \
  X(cuLaunchKernel_ptsz, "cuLaunchKernel", 7000, SGP_PER_THREAD,                                   \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned              \
     block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,          \
     void **params, void **extra),                                                                 \
    (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,            \
     params, extra), sgp_own_stream(stream))                                                       \
  X(cuLaunchKernelEx, "cuLaunchKernelEx", 11060, SGP_LEGACY,                                       \
    (const CUlaunchConfig *config, CUfunction function, void **params, void **extra),              \
    (config, function, params, extra), config ? config->hStream : NULL)                            \
  X(cuLaunchKernelEx_ptsz, "cuLaunchKernelEx", 11060, SGP_PER_THREAD,                              \
    (const CUlaunchConfig *config, CUfunction function, void **params, void **extra),              \
    (config, function, params, extra), sgp_own_stream(config ? config->hStream : NULL))            \
  X(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", 9000, SGP_LEGACY,                      \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned              \
     block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,          \
     void **params),                                                                               \
    (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,            \
     params), stream)                                                                              \
  X(cuLaunchCooperativeKernel_ptsz, "cuLaunchCooperativeKernel", 9000, SGP_PER_THREAD,             \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned              \
     block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,          \
     void **params),                                                                               \
    (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,            \
     params), sgp_own_stream(stream))                                                              \
  X(cuLaunchCooperativeKernelMultiDevice, "cuLaunchCooperativeKernelMultiDevice", 9000,            \
   SGP_LEGACY,                                                                                     \
    (CUDA_LAUNCH_PARAMS *list, unsigned count, unsigned flags),                                    \
    (list, count, flags), NULL)                                                                    \
  X(cuLaunch, "cuLaunch", 2000, SGP_LEGACY,                                                        \
    (CUfunction function),                                                                         \
    (function), NULL)                                                                              \
  X(cuLaunchGrid, "cuLaunchGrid", 2000, SGP_LEGACY,                                                \
    (CUfunction function, int width, int height),                                                  \
    (function, width, height), NULL)                                                               \
  X(cuLaunchGridAsync, "cuLaunchGridAsync", 2000, SGP_LEGACY,                                      \
    (CUfunction function, int width, int height, CUstream stream),                                 \
    (function, width, height, stream), stream)                                                     \
  X(cuMemsetD8_v2, "cuMemsetD8", 3020, SGP_LEGACY,                                                 \
    (CUdeviceptr to, unsigned char value, size_t count),                                           \
    (to, value, count), NULL)                                                                      \
  X(cuMemsetD8_v2_ptds, "cuMemsetD8", 7000, SGP_PER_THREAD,                                        \
    (CUdeviceptr to, unsigned char value, size_t count),                                           \
    (to, value, count), sgp_own_stream(NULL))                                                      \
  X(cuMemsetD8Async, "cuMemsetD8Async", 3020, SGP_LEGACY,                                          \
    (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),                          \
    (to, value, count, stream), stream)                                                            \
  X(cuMemsetD8Async_ptsz, "cuMemsetD8Async", 7000, SGP_PER_THREAD,                                 \
    (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),                          \
    (to, value, count, stream), sgp_own_stream(stream))                                            \
  X(cuMemsetD2D8_v2, "cuMemsetD2D8", 3020, SGP_LEGACY,                                             \
    (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height),              \
    (to, pitch, value, width, height), NULL)                                                       \
  X(cuMemsetD2D8_v2_ptds, "cuMemsetD2D8", 7000, SGP_PER_THREAD,                                    \
    (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height),              \
    (to, pitch, value, width, height), sgp_own_stream(NULL))                                       \
  X(cuMemsetD2D8Async, "cuMemsetD2D8Async", 3020, SGP_LEGACY,                                      \
    (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,               \
     CUstream stream),                                                                             \
    (to, pitch, value, width, height, stream), stream)                                             \
  X(cuMemsetD2D8Async_ptsz, "cuMemsetD2D8Async", 7000, SGP_PER_THREAD,                             \
    (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,               \
     CUstream stream),                                                                             \
    (to, pitch, value, width, height, stream), sgp_own_stream(stream))                             \
  X(cuMemsetD16_v2, "cuMemsetD16", 3020, SGP_LEGACY,                                               \
    (CUdeviceptr to, unsigned short value, size_t count),                                          \
    (to, value, count), NULL)                                                                      \
  X(cuMemsetD16_v2_ptds, "cuMemsetD16", 7000, SGP_PER_THREAD,                                      \
    (CUdeviceptr to, unsigned short value, size_t count),                                          \
    (to, value, count), sgp_own_stream(NULL))                                                      \
  X(cuMemsetD16Async, "cuMemsetD16Async", 3020, SGP_LEGACY,                                        \
    (CUdeviceptr to, unsigned short value, size_t count, CUstream stream),                         \
    (to, value, count, stream), stream)                                                            \
  X(cuMemsetD16Async_ptsz, "cuMemsetD16Async", 7000, SGP_PER_THREAD,                               \
    (CUdeviceptr to, unsigned short value, size_t count, CUstream stream),                         \
    (to, value, count, stream), sgp_own_stream(stream))                                            \
  X(cuMemsetD2D16_v2, "cuMemsetD2D16", 3020, SGP_LEGACY,                                           \
    (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height),             \
    (to, pitch, value, width, height), NULL)                                                       \
  X(cuMemsetD2D16_v2_ptds, "cuMemsetD2D16", 7000, SGP_PER_THREAD,                                  \
    (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height),             \
    (to, pitch, value, width, height), sgp_own_stream(NULL))                                       \
  X(cuMemsetD2D16Async, "cuMemsetD2D16Async", 3020, SGP_LEGACY,                                    \
    (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,              \
     CUstream stream),                                                                             \
    (to, pitch, value, width, height, stream), stream)                                             \
  X(cuMemsetD2D16Async_ptsz, "cuMemsetD2D16Async", 7000, SGP_PER_THREAD,                           \
    (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,              \
     CUstream stream),                                                                             \
    (to, pitch, value, width, height, stream), sgp_own_stream(stream))                             \
  X(cuMemsetD32_v2, "cuMemsetD32", 3020, SGP_LEGACY,                                               \
    (CUdeviceptr to, unsigned value, size_t count),                                                \
    (to, value, count), NULL)                                                                      \
  X(cuMemsetD32_v2_ptds, "cuMemsetD32", 7000, SGP_PER_THREAD,                                      \
    (CUdeviceptr to, unsigned value, size_t count),                                                \
    (to, value, count), sgp_own_stream(NULL))                                                      \
  X(cuMemsetD32Async, "cuMemsetD32Async", 3020, SGP_LEGACY,                                        \
    (CUdeviceptr to, unsigned value, size_t count, CUstream stream),                               \
    (to, value, count, stream), stream)                                                            \
  X(cuMemsetD32Async_ptsz, "cuMemsetD32Async", 7000, SGP_PER_THREAD,                               \
    (CUdeviceptr to, unsigned value, size_t count, CUstream stream),                               \
    (to, value, count, stream), sgp_own_stream(stream))                                            \
  X(cuMemsetD2D32_v2, "cuMemsetD2D32", 3020, SGP_LEGACY,                                           \
    (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height),                   \
    (to, pitch, value, width, height), NULL)                                                       \
  X(cuMemsetD2D32_v2_ptds, "cuMemsetD2D32", 7000, SGP_PER_THREAD,                                  \
    (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height),                   \
    (to, pitch, value, width, height), sgp_own_stream(NULL))                                       \
  X(cuMemsetD2D32Async, "cuMemsetD2D32Async", 3020, SGP_LEGACY,                                    \
    (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream           \
     stream),                                                                                      \
    (to, pitch, value, width, height, stream), stream)                                             \
  X(cuMemsetD2D32Async_ptsz, "cuMemsetD2D32Async", 7000, SGP_PER_THREAD,                           \
    (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream           \
     stream),                                                                                      \
    (to, pitch, value, width, height, stream), sgp_own_stream(stream))
/* What a turn must know of beside that; no stream is named. */
#define SGP_AROUND_LAUNCHES(X)                                                                     \
  X(cuLaunchHostFunc, "cuLaunchHostFunc", 10000, SGP_LEGACY,                                       \
    (CUstream stream, CUhostFn function, void *data), (stream, function, data))                    \
  X(cuLaunchHostFunc_ptsz, "cuLaunchHostFunc", 10000, SGP_PER_THREAD,                              \
    (CUstream stream, CUhostFn function, void *data), (stream, function, data))                    \
  X(cuLaunchHostFunc_v2, "cuLaunchHostFunc", 13030, SGP_LEGACY,                                    \
    (CUstream stream, CUhostFn function, void *data, unsigned mode),                               \
    (stream, function, data, mode))                                                                \
  X(cuLaunchHostFunc_v2_ptsz, "cuLaunchHostFunc", 13030, SGP_PER_THREAD,                           \
    (CUstream stream, CUhostFn function, void *data, unsigned mode),                               \
    (stream, function, data, mode))                                                                \
  X(cuGraphAddHostNode, "cuGraphAddHostNode", 10000, SGP_LEGACY,                                   \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,                     \
     const CUDA_HOST_NODE_PARAMS *params), (node, graph, after, count, params))                    \
  X(cuGraphAddNode, "cuGraphAddNode", 12020, SGP_LEGACY,                                           \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,                     \
     CUgraphNodeParams *params), (node, graph, after, count, params))                              \
  X(cuGraphAddNode_v2, "cuGraphAddNode", 12030, SGP_LEGACY,                                        \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *edges,     \
     size_t count, CUgraphNodeParams *params), (node, graph, after, edges, count, params))         \
  X(cuStreamAddCallback, "cuStreamAddCallback", 5000, SGP_LEGACY,                                  \
    (CUstream stream, CUstreamCallback function, void *data, unsigned flags),                      \
    (stream, function, data, flags))                                                               \
  X(cuStreamAddCallback_ptsz, "cuStreamAddCallback", 7000, SGP_PER_THREAD,                         \
    (CUstream stream, CUstreamCallback function, void *data, unsigned flags),                      \
    (stream, function, data, flags))                                                               \
  X(cuStreamWaitValue32, "cuStreamWaitValue32", 8000, SGP_LEGACY,                                  \
    (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  X(cuStreamWaitValue32_ptsz, "cuStreamWaitValue32", 8000, SGP_PER_THREAD,                         \
    (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  X(cuStreamWaitValue32_v2, "cuStreamWaitValue32", 11070, SGP_LEGACY,                              \
    (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  X(cuStreamWaitValue32_v2_ptsz, "cuStreamWaitValue32", 11070, SGP_PER_THREAD,                     \
    (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  X(cuStreamWaitValue64, "cuStreamWaitValue64", 9000, SGP_LEGACY,                                  \
    (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  X(cuStreamWaitValue64_ptsz, "cuStreamWaitValue64", 9000, SGP_PER_THREAD,                         \
    (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  X(cuStreamWaitValue64_v2, "cuStreamWaitValue64", 11070, SGP_LEGACY,                              \
    (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  X(cuStreamWaitValue64_v2_ptsz, "cuStreamWaitValue64", 11070, SGP_PER_THREAD,                     \
    (CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags),                      \
    (stream, address, value, flags))                                                               \
  X(cuStreamBatchMemOp, "cuStreamBatchMemOp", 8000, SGP_LEGACY,                                    \
    (CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations,                        \
     unsigned flags), (stream, count, operations, flags))                                          \
  X(cuStreamBatchMemOp_ptsz, "cuStreamBatchMemOp", 8000, SGP_PER_THREAD,                           \
    (CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations,                        \
     unsigned flags), (stream, count, operations, flags))                                          \
  X(cuStreamBatchMemOp_v2, "cuStreamBatchMemOp", 11070, SGP_LEGACY,                                \
    (CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations,                        \
     unsigned flags), (stream, count, operations, flags))                                          \
  X(cuStreamBatchMemOp_v2_ptsz, "cuStreamBatchMemOp", 11070, SGP_PER_THREAD,                       \
    (CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations,                        \
     unsigned flags), (stream, count, operations, flags))                                          \
  X(cuWaitExternalSemaphoresAsync, "cuWaitExternalSemaphoresAsync", 10000, SGP_LEGACY,             \
    (const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,     \
     unsigned count, CUstream stream), (semaphores, params, count, stream))                        \
  X(cuWaitExternalSemaphoresAsync_ptsz, "cuWaitExternalSemaphoresAsync", 10000, SGP_PER_THREAD,    \
    (const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,     \
     unsigned count, CUstream stream), (semaphores, params, count, stream))                        \
  X(cuGraphAddBatchMemOpNode, "cuGraphAddBatchMemOpNode", 11070, SGP_LEGACY,                       \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,                     \
     const CUDA_BATCH_MEM_OP_NODE_PARAMS *params), (node, graph, after, count, params))            \
  X(cuGraphAddExternalSemaphoresWaitNode, "cuGraphAddExternalSemaphoresWaitNode", 11020,           \
   SGP_LEGACY,                                                                                     \
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,                     \
     const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params), (node, graph, after, count, params))            \
  X(cuStreamBeginCapture, "cuStreamBeginCapture", 10000, SGP_LEGACY, (CUstream stream), (stream))  \
  X(cuStreamBeginCapture_ptsz, "cuStreamBeginCapture", 10000, SGP_PER_THREAD, (CUstream stream),   \
    (stream))                                                                                      \
  X(cuStreamBeginCapture_v2, "cuStreamBeginCapture", 10010, SGP_LEGACY,                            \
    (CUstream stream, CUstreamCaptureMode mode), (stream, mode))                                   \
  X(cuStreamBeginCapture_v2_ptsz, "cuStreamBeginCapture", 10010, SGP_PER_THREAD,                   \
    (CUstream stream, CUstreamCaptureMode mode), (stream, mode))                                   \
  X(cuStreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph", 12030, SGP_LEGACY,                 \
    (CUstream stream, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *edges,       \
     size_t count, CUstreamCaptureMode mode), (stream, graph, after, edges, count, mode))          \
  X(cuStreamBeginCaptureToGraph_ptsz, "cuStreamBeginCaptureToGraph", 12030, SGP_PER_THREAD,        \
    (CUstream stream, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *edges,       \
     size_t count, CUstreamCaptureMode mode), (stream, graph, after, edges, count, mode))          \
  X(cuStreamEndCapture, "cuStreamEndCapture", 10000, SGP_LEGACY,                                   \
    (CUstream stream, CUgraph *graph), (stream, graph))                                            \
  X(cuStreamEndCapture_ptsz, "cuStreamEndCapture", 10000, SGP_PER_THREAD,                          \
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
