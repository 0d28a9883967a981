/*
 * copies.h - the table of copies that may stay inside a device. Those compute, and wait for the
 * turn as launches do (launches.h); what goes to the host or comes from there does not.
 */
#ifndef SGP_COPIES_H
#define SGP_COPIES_H

#include "../../abi/driver_abi.h"

/* Most names have a second one, with _ptsz or _ptds behind it, for callers whose default stream is
 * their thread's own. One row stands for both: SGP_BOTH(X, name, what the second one has behind it,
 * base name, since, since of the second, and as in launches.h from the parameters on). */
#define SGP_BOTH(X, name, own, base, since, own_since, parameters, arguments, where)               \
  X(name, base, since, SGP_LEGACY, parameters, arguments, where)                                   \
  X(name##own, base, own_since, SGP_PER_THREAD, parameters, arguments, sgp_own_stream(where))
/** As SGP_BOTH, of SGP_COPIES. */
#define SGP_BOTH_COPIES(X, name, own, base, since, own_since, parameters, arguments, where,        \
                        computes)                                                                  \
  X(name, base, since, SGP_LEGACY, parameters, arguments, where, computes)                         \
  X(name##own, base, own_since, SGP_PER_THREAD, parameters, arguments, sgp_own_stream(where),      \
    computes)
/** As SGP_BOTH, where no stream is named. */
#define SGP_BOTH_AROUND(X, name, own, base, since, own_since, parameters, arguments)               \
  X(name, base, since, SGP_LEGACY, parameters, arguments)                                          \
  X(name##own, base, own_since, SGP_PER_THREAD, parameters, arguments)

// clang-format off
/* Copies that have both sides on a device by their name. X: as in launches.h. */
#define SGP_DEVICE_COPIES(X)                                                                       \
  SGP_BOTH(X, cuMemcpyDtoD_v2, _ptds, "cuMemcpyDtoD", 3020, 7000,                                  \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes), NULL)                     \
  SGP_BOTH(X, cuMemcpyDtoDAsync_v2, _ptsz, "cuMemcpyDtoDAsync", 3020, 7000,                        \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream),  \
     stream)                                                                                       \
  SGP_BOTH(X, cuMemcpyPeer, _ptds, "cuMemcpyPeer", 4000, 7000,                                     \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t        \
     bytes), (to, to_context, from, from_context, bytes), NULL)                                    \
  SGP_BOTH(X, cuMemcpyPeerAsync, _ptsz, "cuMemcpyPeerAsync", 4000, 7000,                           \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, \
     CUstream stream), (to, to_context, from, from_context, bytes, stream), stream)                \
  SGP_BOTH(X, cuMemcpyAtoD_v2, _ptds, "cuMemcpyAtoD", 3020, 7000,                                  \
    (CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes),                              \
    (to, from, from_offset, bytes), NULL)                                                          \
  SGP_BOTH(X, cuMemcpyDtoA_v2, _ptds, "cuMemcpyDtoA", 3020, 7000,                                  \
    (CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes), (to, to_offset, from, bytes),  \
     NULL)                                                                                         \
  SGP_BOTH(X, cuMemcpyAtoA_v2, _ptds, "cuMemcpyAtoA", 3020, 7000,                                  \
    (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),                \
    (to, to_offset, from, from_offset, bytes), NULL)
/* Copies of which the arguments say whether they stay inside the device. X: as above, then whether
 * they do. */
#define SGP_COPIES(X)                                                                              \
  SGP_BOTH_COPIES(X, cuMemcpy, _ptds, "cuMemcpy", 4000, 7000,                                      \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes), NULL,                     \
     sgp_copies_inside(to, from))                                                                  \
  SGP_BOTH_COPIES(X, cuMemcpyAsync, _ptsz, "cuMemcpyAsync", 4000, 7000,                            \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream),  \
     stream, sgp_copies_inside(to, from))                                                          \
  SGP_BOTH_COPIES(X, cuMemcpy2D_v2, _ptds, "cuMemcpy2D", 3020, 7000,                               \
    (const CUDA_MEMCPY2D *copy), (copy), NULL, sgp_2d_copies_inside(copy))                         \
  SGP_BOTH_COPIES(X, cuMemcpy2DUnaligned_v2, _ptds, "cuMemcpy2DUnaligned", 3020, 7000,             \
    (const CUDA_MEMCPY2D *copy), (copy), NULL, sgp_2d_copies_inside(copy))                         \
  SGP_BOTH_COPIES(X, cuMemcpy2DAsync_v2, _ptsz, "cuMemcpy2DAsync", 3020, 7000,                     \
    (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, stream), stream,                          \
     sgp_2d_copies_inside(copy))                                                                   \
  SGP_BOTH_COPIES(X, cuMemcpy3D_v2, _ptds, "cuMemcpy3D", 3020, 7000,                               \
    (const CUDA_MEMCPY3D *copy), (copy), NULL, sgp_3d_copies_inside(copy))                         \
  SGP_BOTH_COPIES(X, cuMemcpy3DAsync_v2, _ptsz, "cuMemcpy3DAsync", 3020, 7000,                     \
    (const CUDA_MEMCPY3D *copy, CUstream stream), (copy, stream), stream,                          \
     sgp_3d_copies_inside(copy))                                                                   \
  SGP_BOTH_COPIES(X, cuMemcpy3DPeer, _ptds, "cuMemcpy3DPeer", 4000, 7000,                          \
    (const CUDA_MEMCPY3D_PEER *copy), (copy), NULL, sgp_3d_peer_copies_inside(copy))               \
  SGP_BOTH_COPIES(X, cuMemcpy3DPeerAsync, _ptsz, "cuMemcpy3DPeerAsync", 4000, 7000,                \
    (const CUDA_MEMCPY3D_PEER *copy, CUstream stream), (copy, stream), stream,                     \
     sgp_3d_peer_copies_inside(copy))                                                              \
  SGP_BOTH_COPIES(X, cuMemcpyBatchAsync, _ptsz, "cuMemcpyBatchAsync", 12080, 12080,                \
    (CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count, CUmemcpyAttributes           \
     *attributes, size_t *firsts, size_t attribute_count, size_t *failed, CUstream stream),        \
    (to, from, bytes, count, attributes, firsts, attribute_count, failed, stream), stream,         \
     sgp_batch_copies_inside(to, from, count))                                                     \
  SGP_BOTH_COPIES(X, cuMemcpyBatchAsync_v2, _ptsz, "cuMemcpyBatchAsync", 13000, 13000,             \
    (CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count, CUmemcpyAttributes           \
     *attributes, size_t *firsts, size_t attribute_count, CUstream stream),                        \
    (to, from, bytes, count, attributes, firsts, attribute_count, stream), stream,                 \
     sgp_batch_copies_inside(to, from, count))                                                     \
  SGP_BOTH_COPIES(X, cuMemcpy3DBatchAsync, _ptsz, "cuMemcpy3DBatchAsync", 12080, 12080,            \
    (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed, unsigned long long flags,       \
     CUstream stream), (count, copies, failed, flags, stream), stream,                             \
     sgp_3d_batch_copies_inside(copies, count))                                                    \
  SGP_BOTH_COPIES(X, cuMemcpy3DBatchAsync_v2, _ptsz, "cuMemcpy3DBatchAsync", 13000, 13000,         \
    (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, unsigned long long flags, CUstream stream),     \
    (count, copies, flags, stream), stream, sgp_3d_batch_copies_inside(copies, count))             \
  SGP_BOTH_COPIES(X, cuMemcpyWithAttributesAsync, _ptsz, "cuMemcpyWithAttributesAsync",            \
   13020, 13020,                                                                                   \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUmemcpyAttributes *attributes, CUstream      \
     stream), (to, from, bytes, attributes, stream), stream, sgp_copies_inside(to, from))          \
  SGP_BOTH_COPIES(X, cuMemcpy3DWithAttributesAsync, _ptsz, "cuMemcpy3DWithAttributesAsync",        \
   13020, 13020,                                                                                   \
    (CUDA_MEMCPY3D_BATCH_OP *copy, unsigned long long flags, CUstream stream),                     \
    (copy, flags, stream), stream, sgp_3d_batch_copies_inside(copy, 1))
// clang-format on

#endif
