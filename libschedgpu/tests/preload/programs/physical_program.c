/*
 * Virtual memory management, as allocators of frameworks use it, sparse arrays, and memory that
 * goes to another process.
 */
#include "commands.h"
#include "descriptors.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRAIN ((size_t)2 << 20)

#define FUNCTIONS(X)                                                                               \
  X(Init, cuInit, "cuInit", 2000)                                                                  \
  X(Retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000)                            \
  X(Reset, cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000)                           \
  X(SetCurrent, cuCtxSetCurrent, "cuCtxSetCurrent", 4000)                                          \
  X(CreateContext, cuCtxCreate_v2, "cuCtxCreate", 3020)                                            \
  X(DestroyContext, cuCtxDestroy_v2, "cuCtxDestroy", 4000)                                         \
  X(Create, cuMemCreate, "cuMemCreate", 10020)                                                     \
  X(Release, cuMemRelease, "cuMemRelease", 10020)                                                  \
  X(RetainHandle, cuMemRetainAllocationHandle, "cuMemRetainAllocationHandle", 11000)               \
  X(Reserve, cuMemAddressReserve, "cuMemAddressReserve", 10020)                                    \
  X(Map, cuMemMap, "cuMemMap", 10020)                                                              \
  X(Unmap, cuMemUnmap, "cuMemUnmap", 10020)                                                        \
  X(SetAccess, cuMemSetAccess, "cuMemSetAccess", 10020)                                            \
  X(Export, cuMemExportToShareableHandle, "cuMemExportToShareableHandle", 10020)                   \
  X(Import, cuMemImportFromShareableHandle, "cuMemImportFromShareableHandle", 10020)               \
  X(Fill, cuMemsetD8_v2, "cuMemsetD8", 3020)                                                       \
  X(ToHost, cuMemcpyDtoH_v2, "cuMemcpyDtoH", 3020)                                                 \
  X(CreateArray, cuArray3DCreate_v2, "cuArray3DCreate", 3020)                                      \
  X(CreateMipmap, cuMipmappedArrayCreate, "cuMipmappedArrayCreate", 5000)                          \
  X(DestroyArray, cuArrayDestroy, "cuArrayDestroy", 2000)                                          \
  X(DestroyMipmap, cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy", 5000)                       \
  X(MapArrays, cuMemMapArrayAsync, "cuMemMapArrayAsync", 11010)

static struct { FUNCTIONS(MEMBER) } cu;

static void find_all(void) {
  FUNCTIONS(FIND)
}

enum { SLOTS = 4096 };
static CUmemGenericAllocationHandle handle[SLOTS];
static CUdeviceptr range[8];
static CUarray array[8];
static CUmipmappedArray mipmap[8];
static CUcontext primary, created;

static CUresult begin(int device) {
  CUresult result = cu.Init(0);
  if (result == CUDA_SUCCESS)
    result = cu.Retain(&primary, device);
  return result ? result : cu.SetCurrent(primary);
}

static const CUmemAllocationProp on_device_0 = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

static CUresult create(long long n, size_t bytes) {
  return cu.Create(&handle[n], bytes, &on_device_0, 0);
}

static CUresult hidden(long long n, long long grains) {
  __typeof__(&cuMemCreate) call = (__typeof__(call))find_hidden("cuMemCreate");
  return call(&handle[n], (size_t)grains * GRAIN, &on_device_0, 0);
}

/* --- memory of several processes --- */
enum { DESCRIPTORS = 8 };
static int descriptor[DESCRIPTORS];

static CUresult create_shareable(long long n, long long grains) {
  CUmemAllocationProp properties = on_device_0;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return cu.Create(&handle[n], (size_t)grains * GRAIN, &properties, 0);
}

static CUresult export_handle(long long n, long long d) {
  return cu.Export(&descriptor[d], handle[n], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
}

static CUresult import_descriptor(long long d, long long n) {
  return cu.Import(&handle[n], (void *)(intptr_t)descriptor[d],
                   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}

static CUresult permit(long long r, long long first, long long grains) {
  CUmemAccessDesc access = {on_device_0.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  return cu.SetAccess(range[r] + (size_t)first * GRAIN, (size_t)grains * GRAIN, &access, 1);
}

/* Answers the first and the last byte of a grain. */
static CUresult read_grain(long long r, long long n) {
  unsigned char first = 0, last = 0;
  CUdeviceptr at = range[r] + (size_t)n * GRAIN;
  CUresult result = cu.ToHost(&first, at, 1);
  result = result ? result : cu.ToHost(&last, at + GRAIN - 1, 1);
  also = first * 256u + last;
  return result;
}

static CUresult map_all(long long count) {
  CUresult result = CUDA_SUCCESS;
  for (long long i = 0; i < count && !result; i++)
    result = create(i, GRAIN);
  for (long long i = 0; i < count && !result; i++)
    result = cu.Map(range[0] + (size_t)i * GRAIN, GRAIN, 0, handle[i], 0);
  for (long long i = 0; i < count && !result; i++)
    result = cu.Release(handle[i]);
  return result;
}

static void *release_first(void *unused) {
  (void)unused;
  return (void *)(intptr_t)cu.Release(handle[0]);
}

static void *unmap_first(void *unused) {
  (void)unused;
  return (void *)(intptr_t)cu.Unmap(range[0], GRAIN);
}

/* A thread of an allocator: grows, shares, shrinks. */
static void *churn(void *unused) {
  CUdeviceptr at;
  int failures = cu.SetCurrent(primary) != 0;
  failures += cu.Reserve(&at, 2 * GRAIN, 0, 0, 0) != 0;
  for (int i = 0; i < 50; i++) {
    CUmemGenericAllocationHandle own = 0, again = 0;
    failures += cu.Create(&own, GRAIN, &on_device_0, 0) != 0;
    failures += cu.Map(at, GRAIN, 0, own, 0) != 0;
    failures += cu.Map(at + GRAIN, GRAIN, 0, own, 0) != 0;
    failures += cu.Release(own) != 0;
    failures += cu.RetainHandle(&again, (void *)at) != 0;
    failures += cu.Unmap(at, 2 * GRAIN) != 0;
    failures += cu.Release(again) != 0;
  }
  (void)unused;
  return (void *)(intptr_t)failures;
}

static CUresult create_array(long long n, unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 4096,
                               .Height = 4096,
                               .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                               .NumChannels = 4,
                               .Flags = flags};
  return n < 4 ? cu.CreateArray(&array[n], &d) : cu.CreateMipmap(&mipmap[n], &d, 5);
}

static CUarrayMapInfo tile(long long n, unsigned x, CUmemGenericAllocationHandle memory) {
  CUarrayMapInfo info;
  /* members that the driver does not read have undefined content */
  memset(&info, 0x5a, sizeof info);
  info.resourceType = n < 4 ? CU_RESOURCE_TYPE_ARRAY : CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  if (n < 4)
    info.resource.array = array[n];
  else
    info.resource.mipmap = mipmap[n];
  info.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL;
  memset(&info.subresource.sparseLevel, 0, sizeof info.subresource.sparseLevel);
  info.subresource.sparseLevel.offsetX = x;
  info.subresource.sparseLevel.extentWidth = 128;
  info.memOperationType = memory ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP;
  info.memHandle.memHandle = memory;
  info.offset = info.flags = 0;
  info.deviceBitMask = 1;
  return info;
}

static CUarrayMapInfo tail(long long n, CUmemGenericAllocationHandle memory) {
  CUarrayMapInfo info = tile(n, 0, memory);
  memset(&info.subresource, memory ? 0x5a : 0xa5, sizeof info.subresource);
  info.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
  info.subresource.miptail.layer = 0;
  info.subresource.miptail.offset = 0;
  info.subresource.miptail.size = GRAIN;
  return info;
}

static CUresult map_one(CUarrayMapInfo info) {
  return cu.MapArrays(&info, 1, NULL);
}

static CUresult map_two(long long n, long long a, long long b) {
  CUarrayMapInfo list[] = {tile(n, 0, handle[a]), tile(n, 128, handle[b])};
  return cu.MapArrays(list, 2, NULL);
}

/* --- forks while other threads are inside --- */
static atomic_bool storm_over;
static atomic_uint storm_thread;

static void *storm(void *unused) {
  CUdeviceptr at;
  unsigned own_x = 128 * atomic_fetch_add(&storm_thread, 1);
  int failures = cu.SetCurrent(primary) != 0;
  failures += cu.Reserve(&at, GRAIN, 0, 0, 0) != 0;
  while (!atomic_load(&storm_over)) {
    failures += cu.Map(at, GRAIN, 0, handle[0], 0) != 0;
    failures += map_one(tile(0, own_x, handle[0])) != 0;
    failures += map_one(tile(0, own_x, 0)) != 0;
    failures += cu.Unmap(at, GRAIN) != 0;
  }
  (void)unused;
  return (void *)(intptr_t)failures;
}

static void *fork_often(void *count) {
  int failures = 0;
  for (int i = 0; i < *(int *)count; i++) {
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
      alarm(300); /* only a child that hangs is ended by this */
      cu.Release(handle[0]);
      cu.Unmap(range[0], GRAIN);
      map_one(tile(0, 0, 0));
      _exit(0);
    }
    waitpid(pid, &status, 0);
    failures += status != 0;
  }
  atomic_store(&storm_over, true);
  return (void *)(intptr_t)failures;
}

static int fork_in_storm(int count) {
  pthread_t forker;
  void *failures;
  atomic_store(&storm_over, false);
  pthread_create(&forker, NULL, fork_often, &count);
  int others = begin_threads(4, storm);
  pthread_join(forker, &failures);
  return others + (int)(intptr_t)failures;
}

// clang-format off
#define COMMANDS(X)                                                                                \
  X("begin", begin((int)n[0]))                                                                     \
  X("reset", cu.Reset((int)n[0]))                                                                  \
  X("context", cu.CreateContext(&created, 0, 0))                                                   \
  X("end-context", cu.DestroyContext(created))                                                     \
  X("use-primary", cu.SetCurrent(primary))                                                         \
  X("used", (also = used_on_device(), 0))                                                          \
  X("create", create(n[0], (size_t)n[1] * GRAIN))                                                \
  X("create-odd", create(0, (size_t)n[0]))                                                        \
  X("hidden", hidden(n[0], n[1]))                                                                  \
  X("release", cu.Release(handle[n[0]]))                                                           \
  X("release-value", cu.Release((CUmemGenericAllocationHandle)n[0]))                               \
  X("release-in-thread", begin_threads(1, release_first))                                          \
  X("reserve", cu.Reserve(&range[n[0]], (size_t)n[1] * GRAIN, 0, 0, 0))                            \
  X("map", cu.Map(range[n[0]] + (size_t)n[1] * GRAIN, (size_t)n[2] * GRAIN, (size_t)n[4] * GRAIN,  \
                  handle[n[3]], 0))                                                                \
  X("unmap", cu.Unmap(range[n[0]] + (size_t)n[1] * GRAIN, (size_t)n[2] * GRAIN))                   \
  X("unmap-in-thread", begin_threads(1, unmap_first))                                              \
  X("retain", cu.RetainHandle(&handle[n[2]], (char *)range[n[0]] + (size_t)n[1] * GRAIN + 7))      \
  X("create-shareable", create_shareable(n[0], n[1]))                                              \
  X("export", export_handle(n[0], n[1]))                                                           \
  X("import", import_descriptor(n[0], n[1]))                                                       \
  X("import-number", (descriptor[0] = (int)n[0], import_descriptor(0, n[1])))                      \
  X("listen", listen_for_descriptors())                                                            \
  X("send", send_descriptor(descriptor[n[0]]))                                                     \
  X("receive", receive_descriptor(&descriptor[n[0]]))                                              \
  X("close", close(descriptor[n[0]]))                                                              \
  X("access", permit(n[0], n[1], n[2]))                                                            \
  X("fill", cu.Fill(range[n[0]] + (size_t)n[1] * GRAIN, (unsigned char)n[2], GRAIN))               \
  X("read", read_grain(n[0], n[1]))                                                                \
  X("map-all", map_all(n[0]))                                                                      \
  X("threads", begin_threads((int)n[0], churn))                                                    \
  X("fork-in-storm", fork_in_storm((int)n[0]))                                                     \
  X("array", create_array(n[0], (unsigned)n[1]))                                                   \
  X("end-array", cu.DestroyArray(array[n[0]]))                                                     \
  X("end-mipmap", cu.DestroyMipmap(mipmap[n[0]]))                                                  \
  X("tile", map_one(tile(n[0], (unsigned)n[1], handle[n[2]])))                                     \
  X("untile", map_one(tile(n[0], (unsigned)n[1], 0)))                                              \
  X("tail", map_one(tail(n[0], handle[n[1]])))                                                     \
  X("untail", map_one(tail(n[0], 0)))                                                              \
  X("tiles", map_two(n[0], n[1], n[2]))
// clang-format on

static int obey(const char *first, const long long *n) {
  COMMANDS(COMMAND)
  return -2;
}
