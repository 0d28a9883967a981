/*
 * A program that uses memory pools, graphs and stream capture, and knows nothing of schedGPU.
 */
#include "commands.h"
#include "nvml_abi.h"
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                               \
  X(Init, cuInit, "cuInit", 2000)                                                                  \
  X(Retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000)                            \
  X(Reset, cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000)                           \
  X(Create, cuCtxCreate_v2, "cuCtxCreate", 3020)                                                   \
  X(Destroy, cuCtxDestroy_v2, "cuCtxDestroy", 4000)                                                \
  X(SetCurrent, cuCtxSetCurrent, "cuCtxSetCurrent", 4000)                                          \
  X(Alloc, cuMemAlloc_v2, "cuMemAlloc", 3020)                                                      \
  X(Free, cuMemFree_v2, "cuMemFree", 3020)                                                         \
  X(AllocAsync, cuMemAllocAsync, "cuMemAllocAsync", 11020)                                         \
  X(AllocFromPool, cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", 11020)                      \
  X(FreeAsync, cuMemFreeAsync, "cuMemFreeAsync", 11020)                                            \
  X(DefaultPool, cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool", 11020)                    \
  X(SetPool, cuDeviceSetMemPool, "cuDeviceSetMemPool", 11020)                                      \
  X(CreatePool, cuMemPoolCreate, "cuMemPoolCreate", 11020)                                         \
  X(DestroyPool, cuMemPoolDestroy, "cuMemPoolDestroy", 11020)                                      \
  X(Trim, cuMemPoolTrimTo, "cuMemPoolTrimTo", 11020)                                               \
  X(SetAttribute, cuMemPoolSetAttribute, "cuMemPoolSetAttribute", 11020)                           \
  X(Pool13, cuMemGetMemPool, "cuMemGetMemPool", 13000)                                             \
  X(SetPool13, cuMemSetMemPool, "cuMemSetMemPool", 13000)                                          \
  X(CreateStream, cuStreamCreate, "cuStreamCreate", 2000)                                          \
  X(Synchronize, cuStreamSynchronize, "cuStreamSynchronize", 2000)                                 \
  X(CtxSynchronize, cuCtxSynchronize, "cuCtxSynchronize", 2000)                                    \
  X(CtxSynchronize13, cuCtxSynchronize_v2, "cuCtxSynchronize", 13000)                              \
  X(CreateEvent, cuEventCreate, "cuEventCreate", 2000)                                             \
  X(EventSynchronize, cuEventSynchronize, "cuEventSynchronize", 2000)                              \
  X(BeginCapture, cuStreamBeginCapture_v2, "cuStreamBeginCapture", 10010)                          \
  X(EndCapture, cuStreamEndCapture, "cuStreamEndCapture", 10000)                                   \
  X(CreateGraph, cuGraphCreate, "cuGraphCreate", 10000)                                            \
  X(AddAlloc, cuGraphAddMemAllocNode, "cuGraphAddMemAllocNode", 11040)                             \
  X(LoadModule, cuModuleLoadData, "cuModuleLoadData", 2000)                                        \
  X(GetFunction, cuModuleGetFunction, "cuModuleGetFunction", 2000)                                 \
  X(AddKernel, cuGraphAddKernelNode_v2, "cuGraphAddKernelNode", 12000)                             \
  X(AddFree, cuGraphAddMemFreeNode, "cuGraphAddMemFreeNode", 11040)                                \
  X(AddNode, cuGraphAddNode_v2, "cuGraphAddNode", 12030)                                           \
  X(Instantiate1, cuGraphInstantiate, "cuGraphInstantiate", 10000)                                 \
  X(Instantiate2, cuGraphInstantiate_v2, "cuGraphInstantiate", 11000)                              \
  X(WithFlags, cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", 11040)                  \
  X(WithParams, cuGraphInstantiateWithParams, "cuGraphInstantiateWithParams", 12000)               \
  X(Upload, cuGraphUpload, "cuGraphUpload", 11010)                                                 \
  X(Launch, cuGraphLaunch, "cuGraphLaunch", 10000)                                                 \
  X(DestroyExec, cuGraphExecDestroy, "cuGraphExecDestroy", 10000)                                  \
  X(GraphTrim, cuDeviceGraphMemTrim, "cuDeviceGraphMemTrim", 11040)

static struct { FUNCTIONS(MEMBER) } cu;

static void find_all(void) {
  FUNCTIONS(FIND)
}

enum { SLOTS = 128 };
static CUdeviceptr slot[SLOTS];
static CUstream stream[SLOTS]; /* 0: the default stream */
static CUmemoryPool pool[SLOTS];
static CUgraph graph[SLOTS];
static CUgraphNode last_node[SLOTS]; /* of each graph */
static CUgraphExec exec[SLOTS];
static CUcontext context, second;

/* Bytes that all processes together hold of a device, as the emulator counts them. */
static int used(unsigned device) {
  static nvmlReturn_t (*bytes_used)(nvmlDevice_t, uint64_t *);
  static nvmlReturn_t (*handle_of)(unsigned, nvmlDevice_t *);
  nvmlDevice_t handle;
  uint64_t bytes = 0;
  if (!bytes_used) {
    void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    nvmlReturn_t (*init)(void) = (nvmlReturn_t(*)(void))dlsym(nvml, "nvmlInit_v2");
    handle_of =
        (nvmlReturn_t(*)(unsigned, nvmlDevice_t *))dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
    bytes_used = (nvmlReturn_t(*)(nvmlDevice_t, uint64_t *))dlsym(nvml, "emulatedGpuMemoryUsed");
    init();
  }
  int result = handle_of(device, &handle);
  result = result ? result : (int)bytes_used(handle, &bytes);
  also = bytes;
  return result;
}

static int begin(int device) {
  int result = (int)cu.Init(0);
  result = result ? result : (int)cu.Retain(&context, device);
  return result ? result : (int)cu.SetCurrent(context);
}

/* --- pools --- */
static int create_pool(int n, int location, int device, int type) {
  CUmemPoolProps properties = {.allocType = (CUmemAllocationType)type,
                               .location = {(CUmemLocationType)location, device}};
  return (int)cu.CreatePool(&pool[n], &properties);
}

static int set_threshold(int n, cuuint64_t bytes) {
  return (int)cu.SetAttribute(pool[n], CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes);
}

static int get_pool_13(int n, int device) {
  CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return (int)cu.Pool13(&pool[n], &location, CU_MEM_ALLOCATION_TYPE_PINNED);
}

static int set_pool_13(int n, int device) {
  CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return (int)cu.SetPool13(&location, CU_MEM_ALLOCATION_TYPE_PINNED, pool[n]);
}

static int event_synchronize(void) {
  CUevent event;
  int result = (int)cu.CreateEvent(&event, 0);
  return result ? result : (int)cu.EventSynchronize(event);
}

struct work {
  int number, rounds;
  size_t bytes;
  int failures;
};

static void *churn(void *argument) {
  struct work *w = argument;
  CUstream own;
  w->failures += cu.SetCurrent(context) != 0 || cu.CreateStream(&own, 1) != 0;
  for (int i = 0; i < w->rounds; i++) {
    CUdeviceptr a = 0, b = 0;
    w->failures += cu.AllocAsync(&a, w->bytes, own) != 0;
    w->failures += cu.AllocFromPool(&b, w->bytes, pool[0], own) != 0;
    w->failures += cu.FreeAsync(a, own) != 0;
    w->failures += cu.Free(b) != 0;
    w->failures += i % 4 == 0 && cu.Synchronize(own) != 0;
  }
  w->failures += cu.AllocAsync(&slot[w->number], w->bytes, own) != 0;
  return NULL;
}

/* Each thread allocates and frees for `rounds`, and keeps one block in the slot of its number. */
static int churn_all(int threads, int rounds, size_t bytes) {
  static pthread_t thread[SLOTS];
  static struct work work[SLOTS];
  int failures = 0;
  for (int i = 0; i < threads; i++) {
    work[i] = (struct work){i, rounds, bytes, 0};
    pthread_create(&thread[i], NULL, churn, &work[i]);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(thread[i], NULL);
    failures += work[i].failures;
  }
  return failures;
}

/* The result of an allocation in a forked child: CUDA does not survive a fork. */
static int fork_and_allocate(void) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0)
    _exit((int)cu.AllocAsync(&slot[0], 4096, NULL));
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* --- graphs: nodes in a row --- */
static int add_alloc(int n, int block, size_t bytes, int device) {
  CUDA_MEM_ALLOC_NODE_PARAMS params = {
      .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                    .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}},
      .bytesize = bytes};
  CUgraphNode before = last_node[n];
  int result = (int)cu.AddAlloc(&last_node[n], graph[n], &before, before != NULL, &params);
  slot[block] = params.dptr;
  return result;
}

static int add_free(int n, int block) {
  CUgraphNode before = last_node[n];
  return (int)cu.AddFree(&last_node[n], graph[n], &before, 1, slot[block]);
}

/* A kernel that runs for `ns`. */
static int add_kernel(int n, uint64_t ns) {
  void *params[] = {&ns};
  CUDA_KERNEL_NODE_PARAMS kernel = {.gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
  CUmodule module;
  CUgraphNode before = last_node[n];
  int result = (int)cu.LoadModule(&module, "image");
  result = result ? result : (int)cu.GetFunction(&kernel.func, module, "busy_ns");
  return result ? result : (int)cu.AddKernel(&last_node[n], graph[n], &before, 1, &kernel);
}

static int add_child(int n, int child) {
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH,
                              .graph = {graph[child], CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE}};
  return (int)cu.AddNode(&last_node[n], graph[n], NULL, NULL, 0, &params);
}

static int instantiate(int n, int of, int variant) {
  CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = variant == 4 ? CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
                                                                : 0};
  switch (variant) {
  case 1:
    return (int)cu.Instantiate1(&exec[n], graph[of], NULL, NULL, 0);
  case 2:
    return (int)cu.Instantiate2(&exec[n], graph[of], NULL, NULL, 0);
  case 3:
    return (int)cu.WithFlags(&exec[n], graph[of], 0);
  default:
    return (int)cu.WithParams(&exec[n], graph[of], &params);
  }
}

static int end_capture(int n, int s) {
  return (int)cu.EndCapture(stream[s], &graph[n]);
}

/* X(first word of a line, what it does; a to d are its numbers) */
// clang-format off
#define COMMANDS(X)                                                                                \
  X("begin", begin((int)a))                                                                        \
  X("create", cu.Create(&second, 0, (int)a))                                                       \
  X("destroy", cu.Destroy(second))                                                                 \
  X("use-primary", cu.SetCurrent(context))                                                         \
  X("reset", cu.Reset((int)a))                                                                     \
  X("used", used((unsigned)a))                                                                     \
  X("alloc", cu.Alloc(&slot[a], (size_t)b))                                                        \
  X("free", cu.Free(slot[a]))                                                                      \
  X("stream", cu.CreateStream(&stream[a], 1))                                                      \
  X("async", cu.AllocAsync(&slot[a], (size_t)b, stream[c]))                                        \
  X("from-pool", cu.AllocFromPool(&slot[a], (size_t)b, pool[c], stream[d]))                        \
  X("free-async", cu.FreeAsync(slot[a], stream[b]))                                                \
  X("free-address", cu.FreeAsync((CUdeviceptr)a, NULL))                                            \
  X("sync", cu.Synchronize(stream[a]))                                                             \
  X("sync-context", cu.CtxSynchronize())                                                           \
  X("sync-context-13", cu.CtxSynchronize13(context))                                               \
  X("sync-event", event_synchronize())                                                             \
  X("create-pool", create_pool((int)a, (int)b, (int)c, d ? (int)d : 1))                            \
  X("destroy-pool", cu.DestroyPool(pool[a]))                                                       \
  X("default-pool", cu.DefaultPool(&pool[a], (int)b))                                              \
  X("set-pool", cu.SetPool((int)b, pool[a]))                                                       \
  X("get-pool-13", get_pool_13((int)a, (int)b))                                                    \
  X("set-pool-13", set_pool_13((int)a, (int)b))                                                    \
  X("trim", cu.Trim(pool[a], (size_t)b))                                                           \
  X("threshold", set_threshold((int)a, (cuuint64_t)b))                                             \
  X("threads", churn_all((int)a, (int)b, (size_t)c))                                               \
  X("fork", fork_and_allocate())                                                                   \
  X("graph", (last_node[a] = NULL, cu.CreateGraph(&graph[a], 0)))                                                       \
  X("add-alloc", add_alloc((int)a, (int)b, (size_t)c, (int)d))                                     \
  X("add-free", add_free((int)a, (int)b))                                                          \
  X("add-kernel", add_kernel((int)a, (uint64_t)b))                                                 \
  X("add-child", add_child((int)a, (int)b))                                                        \
  X("instantiate", instantiate((int)a, (int)b, (int)c))                                            \
  X("upload", cu.Upload(exec[a], stream[b]))                                                       \
  X("launch", cu.Launch(exec[a], stream[b]))                                                       \
  X("destroy-exec", cu.DestroyExec(exec[a]))                                                       \
  X("trim-graphs", cu.GraphTrim((int)a))                                                           \
  X("begin-capture", cu.BeginCapture(stream[a], CU_STREAM_CAPTURE_MODE_GLOBAL))                    \
  X("end-capture", end_capture((int)a, (int)b))
// clang-format on

static int obey(const char *first, const long long *n) {
  long long a = n[0], b = n[1], c = n[2], d = n[3];
  COMMANDS(COMMAND)
  return -2; /* no such command */
}
