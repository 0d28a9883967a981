/*
 * copies.h - the table of copies that may stay inside a device. Those compute, and wait for the
 * turn as launches do (launches.h); what goes to the host or comes from there does not.
 */
#ifndef SGP_COPIES_H
#define SGP_COPIES_H

#include "../hooks/driver_abi.h"

// clang-format off
/* Copies that have both sides on a device by their name. X: as in launches.h. */
#define SGP_DEVICE_COPIES(X)                                                                       \
  X(cuMemcpyDtoD_v2, "cuMemcpyDtoD", 3020, SGP_LEGACY,                                             \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes),                                              \
    (to, from, bytes), NULL)                                                                       \
  X(cuMemcpyDtoD_v2_ptds, "cuMemcpyDtoD", 7000, SGP_PER_THREAD,                                    \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes),                                              \
    (to, from, bytes), sgp_own_stream(NULL))                                                       \
  X(cuMemcpyDtoDAsync_v2, "cuMemcpyDtoDAsync", 3020, SGP_LEGACY,                                   \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),                             \
    (to, from, bytes, stream), stream)                                                             \
  X(cuMemcpyDtoDAsync_v2_ptsz, "cuMemcpyDtoDAsync", 7000, SGP_PER_THREAD,                          \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),                             \
    (to, from, bytes, stream), sgp_own_stream(stream))                                             \
  X(cuMemcpyPeer, "cuMemcpyPeer", 4000, SGP_LEGACY,                                                \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,               \
     size_t bytes),                                                                                \
    (to, to_context, from, from_context, bytes), NULL)                                             \
  X(cuMemcpyPeer_ptds, "cuMemcpyPeer", 7000, SGP_PER_THREAD,                                       \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,               \
     size_t bytes),                                                                                \
    (to, to_context, from, from_context, bytes), sgp_own_stream(NULL))                             \
  X(cuMemcpyPeerAsync, "cuMemcpyPeerAsync", 4000, SGP_LEGACY,                                      \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, \
     CUstream stream),                                                                             \
    (to, to_context, from, from_context, bytes, stream), stream)                                   \
  X(cuMemcpyPeerAsync_ptsz, "cuMemcpyPeerAsync", 7000, SGP_PER_THREAD,                             \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, \
     CUstream stream),                                                                             \
    (to, to_context, from, from_context, bytes, stream), sgp_own_stream(stream))                   \
  X(cuMemcpyAtoD_v2, "cuMemcpyAtoD", 3020, SGP_LEGACY,                                             \
    (CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes),                              \
    (to, from, from_offset, bytes), NULL)                                                          \
  X(cuMemcpyAtoD_v2_ptds, "cuMemcpyAtoD", 7000, SGP_PER_THREAD,                                    \
    (CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes),                              \
    (to, from, from_offset, bytes), sgp_own_stream(NULL))                                          \
  X(cuMemcpyDtoA_v2, "cuMemcpyDtoA", 3020, SGP_LEGACY,                                             \
    (CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes),                                \
    (to, to_offset, from, bytes), NULL)                                                            \
  X(cuMemcpyDtoA_v2_ptds, "cuMemcpyDtoA", 7000, SGP_PER_THREAD,                                    \
    (CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes),                                \
    (to, to_offset, from, bytes), sgp_own_stream(NULL))                                            \
  X(cuMemcpyAtoA_v2, "cuMemcpyAtoA", 3020, SGP_LEGACY,                                             \
    (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),                \
    (to, to_offset, from, from_offset, bytes), NULL)                                               \
  X(cuMemcpyAtoA_v2_ptds, "cuMemcpyAtoA", 7000, SGP_PER_THREAD,                                    \
    (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),                \
    (to, to_offset, from, from_offset, bytes), sgp_own_stream(NULL))
/* Copies of which the arguments say whether they stay inside the device. X: as above, then whether
 * they do. */
#define SGP_COPIES(X)                                                                              \
  X(cuMemcpy, "cuMemcpy", 4000, SGP_LEGACY,                                                        \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes),                                              \
    (to, from, bytes), NULL, sgp_copies_inside(to, from))                                          \
  X(cuMemcpy_ptds, "cuMemcpy", 7000, SGP_PER_THREAD,                                               \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes),                                              \
    (to, from, bytes), sgp_own_stream(NULL), sgp_copies_inside(to, from))                          \
  X(cuMemcpyAsync, "cuMemcpyAsync", 4000, SGP_LEGACY,                                              \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),                             \
    (to, from, bytes, stream), stream, sgp_copies_inside(to, from))                                \
  X(cuMemcpyAsync_ptsz, "cuMemcpyAsync", 7000, SGP_PER_THREAD,                                     \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),                             \
    (to, from, bytes, stream), sgp_own_stream(stream), sgp_copies_inside(to, from))                \
  X(cuMemcpy2D_v2, "cuMemcpy2D", 3020, SGP_LEGACY,                                                 \
    (const CUDA_MEMCPY2D *copy),                                                                   \
    (copy), NULL, sgp_2d_copies_inside(copy))                                                      \
  X(cuMemcpy2D_v2_ptds, "cuMemcpy2D", 7000, SGP_PER_THREAD,                                        \
    (const CUDA_MEMCPY2D *copy),                                                                   \
    (copy), sgp_own_stream(NULL), sgp_2d_copies_inside(copy))                                      \
  X(cuMemcpy2DUnaligned_v2, "cuMemcpy2DUnaligned", 3020, SGP_LEGACY,                               \
    (const CUDA_MEMCPY2D *copy),                                                                   \
    (copy), NULL, sgp_2d_copies_inside(copy))                                                      \
  X(cuMemcpy2DUnaligned_v2_ptds, "cuMemcpy2DUnaligned", 7000, SGP_PER_THREAD,                      \
    (const CUDA_MEMCPY2D *copy),                                                                   \
    (copy), sgp_own_stream(NULL), sgp_2d_copies_inside(copy))                                      \
  X(cuMemcpy2DAsync_v2, "cuMemcpy2DAsync", 3020, SGP_LEGACY,                                       \
    (const CUDA_MEMCPY2D *copy, CUstream stream),                                                  \
    (copy, stream), stream, sgp_2d_copies_inside(copy))                                            \
  X(cuMemcpy2DAsync_v2_ptsz, "cuMemcpy2DAsync", 7000, SGP_PER_THREAD,                              \
    (const CUDA_MEMCPY2D *copy, CUstream stream),                                                  \
    (copy, stream), sgp_own_stream(stream), sgp_2d_copies_inside(copy))                            \
  X(cuMemcpy3D_v2, "cuMemcpy3D", 3020, SGP_LEGACY,                                                 \
    (const CUDA_MEMCPY3D *copy),                                                                   \
    (copy), NULL, sgp_3d_copies_inside(copy))                                                      \
  X(cuMemcpy3D_v2_ptds, "cuMemcpy3D", 7000, SGP_PER_THREAD,                                        \
    (const CUDA_MEMCPY3D *copy),                                                                   \
    (copy), sgp_own_stream(NULL), sgp_3d_copies_inside(copy))                                      \
  X(cuMemcpy3DAsync_v2, "cuMemcpy3DAsync", 3020, SGP_LEGACY,                                       \
    (const CUDA_MEMCPY3D *copy, CUstream stream),                                                  \
    (copy, stream), stream, sgp_3d_copies_inside(copy))                                            \
  X(cuMemcpy3DAsync_v2_ptsz, "cuMemcpy3DAsync", 7000, SGP_PER_THREAD,                              \
    (const CUDA_MEMCPY3D *copy, CUstream stream),                                                  \
    (copy, stream), sgp_own_stream(stream), sgp_3d_copies_inside(copy))                            \
  X(cuMemcpy3DPeer, "cuMemcpy3DPeer", 4000, SGP_LEGACY,                                            \
    (const CUDA_MEMCPY3D_PEER *copy),                                                              \
    (copy), NULL, sgp_3d_peer_copies_inside(copy))                                                 \
  X(cuMemcpy3DPeer_ptds, "cuMemcpy3DPeer", 7000, SGP_PER_THREAD,                                   \
    (const CUDA_MEMCPY3D_PEER *copy),                                                              \
    (copy), sgp_own_stream(NULL), sgp_3d_peer_copies_inside(copy))                                 \
  X(cuMemcpy3DPeerAsync, "cuMemcpy3DPeerAsync", 4000, SGP_LEGACY,                                  \
    (const CUDA_MEMCPY3D_PEER *copy, CUstream stream),                                             \
    (copy, stream), stream, sgp_3d_peer_copies_inside(copy))                                       \
  X(cuMemcpy3DPeerAsync_ptsz, "cuMemcpy3DPeerAsync", 7000, SGP_PER_THREAD,                         \
    (const CUDA_MEMCPY3D_PEER *copy, CUstream stream),                                             \
    (copy, stream), sgp_own_stream(stream), sgp_3d_peer_copies_inside(copy))                       \
  X(cuMemcpyBatchAsync, "cuMemcpyBatchAsync", 12080, SGP_LEGACY,                                   \
    (CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,                              \
     CUmemcpyAttributes *attributes, size_t *firsts, size_t attribute_count, size_t *failed,       \
     CUstream stream),                                                                             \
    (to, from, bytes, count, attributes, firsts, attribute_count, failed, stream), stream,         \
     sgp_batch_copies_inside(to, from, count))                                                     \
  X(cuMemcpyBatchAsync_ptsz, "cuMemcpyBatchAsync", 12080, SGP_PER_THREAD,                          \
    (CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,                              \
     CUmemcpyAttributes *attributes, size_t *firsts, size_t attribute_count, size_t *failed,       \
     CUstream stream),                                                                             \
    (to, from, bytes, count, attributes, firsts, attribute_count, failed, stream), sgp_own_stream(stream),\
     sgp_batch_copies_inside(to, from, count))                                                     \
  X(cuMemcpyBatchAsync_v2, "cuMemcpyBatchAsync", 13000, SGP_LEGACY,                                \
    (CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,                              \
     CUmemcpyAttributes *attributes, size_t *firsts, size_t attribute_count, CUstream stream),     \
    (to, from, bytes, count, attributes, firsts, attribute_count, stream), stream,                 \
     sgp_batch_copies_inside(to, from, count))                                                     \
  X(cuMemcpyBatchAsync_v2_ptsz, "cuMemcpyBatchAsync", 13000, SGP_PER_THREAD,                       \
    (CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,                              \
     CUmemcpyAttributes *attributes, size_t *firsts, size_t attribute_count, CUstream stream),     \
    (to, from, bytes, count, attributes, firsts, attribute_count, stream), sgp_own_stream(stream), \
     sgp_batch_copies_inside(to, from, count))                                                     \
  X(cuMemcpy3DBatchAsync, "cuMemcpy3DBatchAsync", 12080, SGP_LEGACY,                               \
    (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed, unsigned long long flags,       \
     CUstream stream),                                                                             \
    (count, copies, failed, flags, stream), stream, sgp_3d_batch_copies_inside(copies, count))     \
  X(cuMemcpy3DBatchAsync_ptsz, "cuMemcpy3DBatchAsync", 12080, SGP_PER_THREAD,                      \
    (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed, unsigned long long flags,       \
     CUstream stream),                                                                             \
    (count, copies, failed, flags, stream), sgp_own_stream(stream),                                \
     sgp_3d_batch_copies_inside(copies, count))                                                    \
  X(cuMemcpy3DBatchAsync_v2, "cuMemcpy3DBatchAsync", 13000, SGP_LEGACY,                            \
    (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, unsigned long long flags, CUstream stream),     \
    (count, copies, flags, stream), stream, sgp_3d_batch_copies_inside(copies, count))             \
  X(cuMemcpy3DBatchAsync_v2_ptsz, "cuMemcpy3DBatchAsync", 13000, SGP_PER_THREAD,                   \
    (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, unsigned long long flags, CUstream stream),     \
    (count, copies, flags, stream), sgp_own_stream(stream),                                        \
     sgp_3d_batch_copies_inside(copies, count))                                                    \
  X(cuMemcpyWithAttributesAsync, "cuMemcpyWithAttributesAsync", 13020, SGP_LEGACY,                 \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUmemcpyAttributes *attributes,               \
     CUstream stream),                                                                             \
    (to, from, bytes, attributes, stream), stream, sgp_copies_inside(to, from))                    \
  X(cuMemcpyWithAttributesAsync_ptsz, "cuMemcpyWithAttributesAsync", 13020, SGP_PER_THREAD,        \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUmemcpyAttributes *attributes,               \
     CUstream stream),                                                                             \
    (to, from, bytes, attributes, stream), sgp_own_stream(stream), sgp_copies_inside(to, from))    \
  X(cuMemcpy3DWithAttributesAsync, "cuMemcpy3DWithAttributesAsync", 13020, SGP_LEGACY,             \
    (CUDA_MEMCPY3D_BATCH_OP *copy, unsigned long long flags, CUstream stream),                     \
    (copy, flags, stream), stream, sgp_3d_batch_copies_inside(copy, 1))                            \
  X(cuMemcpy3DWithAttributesAsync_ptsz, "cuMemcpy3DWithAttributesAsync", 13020, SGP_PER_THREAD,    \
    (CUDA_MEMCPY3D_BATCH_OP *copy, unsigned long long flags, CUstream stream),                     \
    (copy, flags, stream), sgp_own_stream(stream), sgp_3d_batch_copies_inside(copy, 1))
// clang-format on

#endif
