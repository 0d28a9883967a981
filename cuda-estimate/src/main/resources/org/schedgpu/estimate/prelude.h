/*
 * prelude.h - names that a CUDA source may use without an #include: types, and constants of the
 * platform.
 */
#define __CUDACC__ 1
#define __NVCC__ 1
#define __linux__ 1
#define __x86_64__ 1
#define NDEBUG 1
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __forceinline__
#define __noinline__
#define __restrict__
#define __restrict
#define __launch_bounds__(...)
#define __align__(n)
#define __builtin_align__(n)
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000
#define NULL 0
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define RAND_MAX 2147483647

typedef unsigned long size_t;
typedef long ssize_t;
typedef long ptrdiff_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned long uintptr_t;
typedef long intptr_t;
typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef int cudaError_t;

#define SCHEDGPU_VECTORS(name, type)                                                               \
  struct name##1 {                                                                                 \
    type x;                                                                                        \
  };                                                                                               \
  struct name##2 {                                                                                 \
    type x, y;                                                                                     \
  };                                                                                               \
  struct name##3 {                                                                                 \
    type x, y, z;                                                                                  \
  };                                                                                               \
  struct name##4 {                                                                                 \
    type x, y, z, w;                                                                               \
  };
SCHEDGPU_VECTORS(char, signed char)
SCHEDGPU_VECTORS(uchar, unsigned char)
SCHEDGPU_VECTORS(short, short)
SCHEDGPU_VECTORS(ushort, unsigned short)
SCHEDGPU_VECTORS(int, int)
SCHEDGPU_VECTORS(uint, unsigned int)
SCHEDGPU_VECTORS(long, long)
SCHEDGPU_VECTORS(ulong, unsigned long)
SCHEDGPU_VECTORS(longlong, long long)
SCHEDGPU_VECTORS(ulonglong, unsigned long long)
SCHEDGPU_VECTORS(float, float)
SCHEDGPU_VECTORS(double, double)

struct dim3 {
  unsigned int x, y, z;
};
struct __half {
  unsigned short bits;
};
typedef __half half;
struct __half2 {
  __half x, y;
};
typedef __half2 half2;
struct __nv_bfloat16 {
  unsigned short bits;
};
typedef __nv_bfloat16 nv_bfloat16;
typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
};

/* Without these, NAME(x) could declare a variable x. */
int cudaFree(...);
int cudaFreeArray(...);
int cuMemFree(...);
int cuMemFree_v2(...);
int cuMemRelease(...);
int cuArrayDestroy(...);

namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
} // namespace std
namespace thrust {
template <typename T> class device_vector {
public:
  device_vector();
  device_vector(size_t n);
  template <typename V> device_vector(size_t n, V value);
};
} // namespace thrust
