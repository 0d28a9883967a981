/*
 * driver_abi.h - the part of the CUDA driver's public ABI that the hooks need, in our own
 * declarations: no toolkit is needed to build. The test `abi_check` compares them with NVIDIA's
 * cuda.h where there is one.
 */
#ifndef SGP_DRIVER_ABI_H
#define SGP_DRIVER_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_NOT_PERMITTED = 800
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef uint64_t cuuint64_t;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCreateParams_st CUctxCreateParams;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef enum { CU_LIMIT_PRINTF_FIFO_SIZE = 1, CU_LIMIT_MALLOC_HEAP_SIZE = 2 } CUlimit;
typedef enum { CU_GET_PROC_ADDRESS_SUCCESS = 0 } CUdriverProcAddressQueryResult;
typedef struct {
  char bytes[16];
} CUuuid;

typedef enum { CU_MEM_LOCATION_TYPE_DEVICE = 1 } CUmemLocationType;

/** Only ever read, through the caller's pointer: what follows `location` does not matter to us. */
typedef struct {
  int type;
  int requestedHandleTypes;
  struct {
    CUmemLocationType type;
    int id;
  } location;
} CUmemAllocationProp;

#endif
