/*
 * runtime_abi.h - the calls of the CUDA runtime that the programs make, declared here so that a
 * build needs no CUDA toolkit. Names and types are those of the public ABI (CUDA 12.8 and later).
 */
#ifndef DEMO_RUNTIME_ABI_H
#define DEMO_RUNTIME_ABI_H

#include <stddef.h>

enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

typedef int cudaError_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUstream_st *cudaStream_t;
struct dim3 {
  unsigned x, y, z;
};

cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image, int *jit_options,
                                void **jit_values, unsigned jit_count, int *options, void **values,
                                unsigned count);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name);
cudaError_t cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block,
                             void **parameters, size_t shared_bytes, cudaStream_t stream);

#endif
