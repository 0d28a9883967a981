/* per_thread.c - the variants for callers with one default stream per thread. */
#include "driver.h"

static CUstream own(CUstream stream) {
  return stream ? stream : CU_STREAM_PER_THREAD;
}

CUresult cuMemAllocAsync_ptsz(CUdeviceptr *address, size_t bytes, CUstream stream) {
  return cuMemAllocAsync(address, bytes, own(stream));
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                      CUstream stream) {
  return cuMemAllocFromPoolAsync(address, bytes, pool, own(stream));
}

CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
  return cuMemFreeAsync(address, own(stream));
}

CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return cuMemcpyAsync(to, from, bytes, own(stream));
}

CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from, size_t bytes) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void *from, size_t bytes,
                                   CUstream stream) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, own(stream));
}

CUresult cuMemcpyDtoHAsync_v2_ptsz(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, own(stream));
}

CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                   CUstream stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, own(stream));
}

CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2DAsync_v2(copy, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2DAsync_v2(copy, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return cuMemcpy2DAsync_v2(copy, own(stream));
}

CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *copy) {
  return cuMemcpy3DAsync_v2(copy, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return cuMemcpy3DAsync_v2(copy, own(stream));
}

CUresult cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER *copy) {
  return cuMemcpy3DPeerAsync(copy, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
  return cuMemcpy3DPeerAsync(copy, own(stream));
}

CUresult cuMemcpyPeer_ptds(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes) {
  return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                CUcontext from_context, size_t bytes, CUstream stream) {
  return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, own(stream));
}

CUresult cuMemcpyBatchAsync_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                 CUmemcpyAttributes *attributes, size_t *firsts,
                                 size_t attribute_count, size_t *failed, CUstream stream) {
  return cuMemcpyBatchAsync(to, from, bytes, count, attributes, firsts, attribute_count, failed,
                            own(stream));
}

CUresult cuMemcpyBatchAsync_v2_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                    CUmemcpyAttributes *attributes, size_t *firsts,
                                    size_t attribute_count, CUstream stream) {
  return cuMemcpyBatchAsync_v2(to, from, bytes, count, attributes, firsts, attribute_count,
                               own(stream));
}

CUresult cuMemcpy3DBatchAsync_ptsz(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed,
                                   unsigned long long flags, CUstream stream) {
  return cuMemcpy3DBatchAsync(count, copies, failed, flags, own(stream));
}

CUresult cuMemcpy3DBatchAsync_v2_ptsz(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies,
                                      unsigned long long flags, CUstream stream) {
  return cuMemcpy3DBatchAsync_v2(count, copies, flags, own(stream));
}

CUresult cuMemcpyWithAttributesAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                          CUmemcpyAttributes *attributes, CUstream stream) {
  return cuMemcpyWithAttributesAsync(to, from, bytes, attributes, own(stream));
}

CUresult cuMemcpy3DWithAttributesAsync_ptsz(CUDA_MEMCPY3D_BATCH_OP *copy, unsigned long long flags,
                                            CUstream stream) {
  return cuMemcpy3DWithAttributesAsync(copy, flags, own(stream));
}

CUresult cuMemsetD8_v2_ptds(CUdeviceptr to, unsigned char value, size_t count) {
  return cuMemsetD8Async(to, value, count, CU_STREAM_PER_THREAD);
}

CUresult cuMemsetD16_v2_ptds(CUdeviceptr to, unsigned short value, size_t count) {
  return cuMemsetD16Async(to, value, count, CU_STREAM_PER_THREAD);
}

CUresult cuMemsetD32_v2_ptds(CUdeviceptr to, unsigned value, size_t count) {
  return cuMemsetD32Async(to, value, count, CU_STREAM_PER_THREAD);
}

CUresult cuMemsetD8Async_ptsz(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return cuMemsetD8Async(to, value, count, own(stream));
}

CUresult cuMemsetD16Async_ptsz(CUdeviceptr to, unsigned short value, size_t count,
                               CUstream stream) {
  return cuMemsetD16Async(to, value, count, own(stream));
}

CUresult cuMemsetD32Async_ptsz(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return cuMemsetD32Async(to, value, count, own(stream));
}

CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                              size_t height) {
  return cuMemsetD2D8Async(to, pitch, value, width, height, CU_STREAM_PER_THREAD);
}

CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                               size_t height) {
  return cuMemsetD2D16Async(to, pitch, value, width, height, CU_STREAM_PER_THREAD);
}

CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                               size_t height) {
  return cuMemsetD2D32Async(to, pitch, value, width, height, CU_STREAM_PER_THREAD);
}

CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                                size_t height, CUstream stream) {
  return cuMemsetD2D8Async(to, pitch, value, width, height, own(stream));
}

CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                 size_t height, CUstream stream) {
  return cuMemsetD2D16Async(to, pitch, value, width, height, own(stream));
}

CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                                 size_t height, CUstream stream) {
  return cuMemsetD2D32Async(to, pitch, value, width, height, own(stream));
}

CUresult cuStreamSynchronize_ptsz(CUstream stream) {
  return cuStreamSynchronize(own(stream));
}

CUresult cuStreamQuery_ptsz(CUstream stream) {
  return cuStreamQuery(own(stream));
}

CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags) {
  return cuStreamWaitEvent(own(stream), event, flags);
}

CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void *user_data,
                                  unsigned flags) {
  return cuStreamAddCallback(own(stream), callback, user_data, flags);
}

CUresult cuStreamWriteValue32_ptsz(CUstream stream, CUdeviceptr to, unsigned value,
                                   unsigned flags) {
  return cuStreamWriteValue32(own(stream), to, value, flags);
}

CUresult cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr to, unsigned value,
                                      unsigned flags) {
  return cuStreamWriteValue32_v2(own(stream), to, value, flags);
}

CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void *user_data) {
  return cuLaunchHostFunc(own(stream), function, user_data);
}

CUresult cuLaunchHostFunc_v2_ptsz(CUstream stream, CUhostFn function, void *user_data,
                                  unsigned mode) {
  return cuLaunchHostFunc_v2(own(stream), function, user_data, mode);
}

CUresult cuEventRecord_ptsz(CUevent event, CUstream stream) {
  return cuEventRecord(event, own(stream));
}

CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags) {
  return cuEventRecordWithFlags(event, own(stream), flags);
}

CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z,
                             unsigned shared_bytes, CUstream stream, void **params, void **extra) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                        own(stream), params, extra);
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **params,
                               void **extra) {
  NEED(config);
  CUlaunchConfig with_stream = *config;
  with_stream.hStream = own(config->hStream);
  return cuLaunchKernelEx(&with_stream, function, params, extra);
}

CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y,
                                        unsigned block_z, unsigned shared_bytes, CUstream stream,
                                        void **params) {
  return cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                   shared_bytes, own(stream), params);
}

CUresult cuStreamBeginCapture_ptsz(CUstream stream) {
  return cuStreamBeginCapture(own(stream));
}

CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                          const CUgraphEdgeData *edges, size_t count,
                                          CUstreamCaptureMode mode) {
  return cuStreamBeginCaptureToGraph(own(stream), graph, after, edges, count, mode);
}

CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
  return cuStreamBeginCapture_v2(own(stream), mode);
}

CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *graph) {
  return cuStreamEndCapture(own(stream), graph);
}

CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus *status) {
  return cuStreamIsCapturing(own(stream), status);
}

CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream stream, CUstreamCaptureStatus *status,
                                        cuuint64_t *id, CUgraph *graph, const CUgraphNode **nodes,
                                        size_t *count) {
  return cuStreamGetCaptureInfo_v2(own(stream), status, id, graph, nodes, count);
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *exec, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  NEED(params);
  params->hUploadStream = own(params->hUploadStream);
  return cuGraphInstantiateWithParams(exec, graph, params);
}

CUresult cuGraphUpload_ptsz(CUgraphExec exec, CUstream stream) {
  return cuGraphUpload(exec, own(stream));
}

CUresult cuGraphLaunch_ptsz(CUgraphExec exec, CUstream stream) {
  return cuGraphLaunch(exec, own(stream));
}
