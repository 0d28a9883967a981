/*
 * Arrays of all shapes, and the calls of before CUDA 3.2.
 */
#include "commands.h"

#define FUNCTIONS(X)                                                                               \
  X(Init, cuInit, "cuInit", 2000)                                                                  \
  X(Retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000)                            \
  X(Release, cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", 11000)                     \
  X(Reset, cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000)                           \
  X(SetCurrent, cuCtxSetCurrent, "cuCtxSetCurrent", 4000)                                          \
  X(CreateContext, cuCtxCreate_v2, "cuCtxCreate", 3020)                                            \
  X(DestroyContext, cuCtxDestroy_v2, "cuCtxDestroy", 4000)                                         \
  X(Create, cuArrayCreate_v2, "cuArrayCreate", 3020)                                               \
  X(Create3D, cuArray3DCreate_v2, "cuArray3DCreate", 3020)                                         \
  X(CreateMipmap, cuMipmappedArrayCreate, "cuMipmappedArrayCreate", 5000)                          \
  X(GetLevel, cuMipmappedArrayGetLevel, "cuMipmappedArrayGetLevel", 5000)                          \
  X(Destroy, cuArrayDestroy, "cuArrayDestroy", 2000)                                               \
  X(DestroyMipmap, cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy", 5000)                       \
  X(OldCreate, cuArrayCreate, "cuArrayCreate", 3010)                                               \
  X(OldCreate3D, cuArray3DCreate, "cuArray3DCreate", 2000)                                         \
  X(OldAlloc, cuMemAlloc, "cuMemAlloc", 3010)                                                      \
  X(OldPitch, cuMemAllocPitch, "cuMemAllocPitch", 2000)                                            \
  X(OldFree, cuMemFree, "cuMemFree", 3000)                                                         \
  X(Alloc, cuMemAlloc_v2, "cuMemAlloc", 3020)                                                      \
  X(Free, cuMemFree_v2, "cuMemFree", 12000)

static struct { FUNCTIONS(MEMBER) } cu;

static void find_all(void) {
  FUNCTIONS(FIND)
}

enum { SLOTS = 256 };
static CUarray array[SLOTS];
static CUmipmappedArray mipmap[SLOTS];
static CUdeviceptr_v1 old[SLOTS];
static CUcontext primary, created;

static CUresult begin(int device) {
  CUresult result = cu.Init(0);
  if (result == CUDA_SUCCESS)
    result = cu.Retain(&primary, device);
  return result ? result : cu.SetCurrent(primary);
}

/* Numbers of a line: slot width height depth format channels flags levels. */
static CUDA_ARRAY3D_DESCRIPTOR described(const long long *n) {
  return (CUDA_ARRAY3D_DESCRIPTOR){(size_t)n[1],         (size_t)n[2],   (size_t)n[3],
                                   (CUarray_format)n[4], (unsigned)n[5], (unsigned)n[6]};
}

static CUresult create(const long long *n) {
  CUDA_ARRAY3D_DESCRIPTOR d = described(n);
  return cu.Create3D(&array[n[0]], &d);
}

static CUresult create_flat(const long long *n) {
  CUDA_ARRAY_DESCRIPTOR d = {(size_t)n[1], (size_t)n[2], (CUarray_format)n[4], (unsigned)n[5]};
  return cu.Create(&array[n[0]], &d);
}

static CUresult create_mipmap(const long long *n) {
  CUDA_ARRAY3D_DESCRIPTOR d = described(n);
  return cu.CreateMipmap(&mipmap[n[0]], &d, (unsigned)n[7]);
}

static CUresult create_old(const long long *n) {
  CUDA_ARRAY3D_DESCRIPTOR_v1 d = {(unsigned)n[1],       (unsigned)n[2], (unsigned)n[3],
                                  (CUarray_format)n[4], (unsigned)n[5], (unsigned)n[6]};
  return cu.OldCreate3D(&array[n[0]], &d);
}

static CUresult create_old_flat(const long long *n) {
  CUDA_ARRAY_DESCRIPTOR_v1 d = {(unsigned)n[1], (unsigned)n[2], (CUarray_format)n[4],
                                (unsigned)n[5]};
  return cu.OldCreate(&array[n[0]], &d);
}

static CUresult destroy_level(long long n) {
  CUarray level;
  CUresult result = cu.GetLevel(&level, mipmap[n], 0);
  return result ? result : cu.Destroy(level);
}

static CUresult old_pitch(const long long *n) {
  unsigned pitch = 0;
  CUresult result = cu.OldPitch(&old[n[0]], &pitch, (unsigned)n[1], (unsigned)n[2], 4);
  also = pitch;
  return result;
}

static void *destroy_first(void *unused) {
  (void)unused;
  return (void *)(intptr_t)cu.Destroy(array[0]);
}

static void *churn(void *unused) {
  int failures = cu.SetCurrent(primary) != 0;
  (void)unused;
  for (int i = 0; i < 20; i++) {
    CUDA_ARRAY_DESCRIPTOR flat = {100 + (size_t)i, 100, CU_AD_FORMAT_FLOAT, 2};
    CUDA_ARRAY3D_DESCRIPTOR deep = {64, 64, 64, CU_AD_FORMAT_HALF, 4, 0};
    CUarray a = NULL;
    CUmipmappedArray m = NULL;
    CUdeviceptr_v1 block = 0;
    failures += cu.Create(&a, &flat) != 0;
    failures += cu.CreateMipmap(&m, &deep, 3) != 0;
    failures += cu.OldAlloc(&block, 4096) != 0;
    failures += cu.Destroy(a) != 0;
    failures += cu.DestroyMipmap(m) != 0;
    failures += cu.OldFree(block) != 0;
  }
  return (void *)(intptr_t)failures;
}

// clang-format off
#define COMMANDS(X)                                                                                \
  X("begin", begin((int)n[0]))                                                                     \
  X("end", cu.Release((int)n[0]))                                                                  \
  X("reset", cu.Reset((int)n[0]))                                                                  \
  X("context", cu.CreateContext(&created, 0, 0))                                                   \
  X("end-context", cu.DestroyContext(created))                                                     \
  X("used", (also = used_on_device(), 0))                                                          \
  X("array", create(n))                                                                            \
  X("flat", create_flat(n))                                                                        \
  X("mipmap", create_mipmap(n))                                                                    \
  X("old-array", create_old(n))                                                                    \
  X("old-flat", create_old_flat(n))                                                                \
  X("no-descriptor", cu.Create(&array[n[0]], NULL))                                                \
  X("destroy", cu.Destroy(array[n[0]]))                                                            \
  X("destroy-mipmap", cu.DestroyMipmap(mipmap[n[0]]))                                              \
  X("destroy-level", destroy_level(n[0]))                                                          \
  X("destroy-in-thread", begin_threads(1, destroy_first))                                          \
  X("old-alloc", cu.OldAlloc(&old[n[0]], (unsigned)n[1]))                                          \
  X("old-pitch", old_pitch(n))                                                                     \
  X("old-free", cu.OldFree(old[n[0]]))                                                             \
  X("free", cu.Free(old[n[0]]))                                                                    \
  X("threads", begin_threads((int)n[0], churn))
// clang-format on

static int obey(const char *first, const long long *n) {
  COMMANDS(COMMAND)
  return -2;
}
