/*
 * A program that launches work in every way, and knows nothing of schedGPU.
 */
#include "commands.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                               \
  X(Init, cuInit, "cuInit", 2000)                                                                  \
  X(Retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000)                            \
  X(Create, cuCtxCreate_v2, "cuCtxCreate", 3020)                                                   \
  X(SetCurrent, cuCtxSetCurrent, "cuCtxSetCurrent", 4000)                                          \
  X(Alloc, cuMemAlloc_v2, "cuMemAlloc", 3020)                                                      \
  X(LoadModule, cuModuleLoadData, "cuModuleLoadData", 2000)                                        \
  X(GetFunction, cuModuleGetFunction, "cuModuleGetFunction", 2000)                                 \
  X(CreateStream, cuStreamCreate, "cuStreamCreate", 2000)                                          \
  X(Synchronize, cuCtxSynchronize, "cuCtxSynchronize", 2000)                                       \
  X(Kernel, cuLaunchKernel, "cuLaunchKernel", 4000)                                                \
  X(KernelEx, cuLaunchKernelEx, "cuLaunchKernelEx", 11060)                                         \
  X(Cooperative, cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", 9000)                     \
  X(CooperativeOnAll, cuLaunchCooperativeKernelMultiDevice,                                        \
    "cuLaunchCooperativeKernelMultiDevice", 9000)                                                  \
  X(OldLaunch, cuLaunch, "cuLaunch", 2000)                                                         \
  X(Grid, cuLaunchGrid, "cuLaunchGrid", 2000)                                                      \
  X(GridAsync, cuLaunchGridAsync, "cuLaunchGridAsync", 2000)                                       \
  X(Set8, cuMemsetD8_v2, "cuMemsetD8", 3020)                                                       \
  X(Set16, cuMemsetD16_v2, "cuMemsetD16", 3020)                                                    \
  X(Set32, cuMemsetD32_v2, "cuMemsetD32", 3020)                                                    \
  X(Set8Async, cuMemsetD8Async, "cuMemsetD8Async", 3020)                                           \
  X(Set16Async, cuMemsetD16Async, "cuMemsetD16Async", 3020)                                        \
  X(Set32Async, cuMemsetD32Async, "cuMemsetD32Async", 3020)                                        \
  X(Set2D8, cuMemsetD2D8_v2, "cuMemsetD2D8", 3020)                                                 \
  X(Set2D16, cuMemsetD2D16_v2, "cuMemsetD2D16", 3020)                                              \
  X(Set2D32, cuMemsetD2D32_v2, "cuMemsetD2D32", 3020)                                              \
  X(Set2D8Async, cuMemsetD2D8Async, "cuMemsetD2D8Async", 3020)                                     \
  X(Set2D16Async, cuMemsetD2D16Async, "cuMemsetD2D16Async", 3020)                                  \
  X(Set2D32Async, cuMemsetD2D32Async, "cuMemsetD2D32Async", 3020)                                  \
  X(Copy, cuMemcpyDtoD_v2, "cuMemcpyDtoD", 3020)                                                   \
  X(CopyAsync, cuMemcpyDtoDAsync_v2, "cuMemcpyDtoDAsync", 3020)                                    \
  X(CopyAny, cuMemcpy, "cuMemcpy", 4000)                                                           \
  X(CopyAnyAsync, cuMemcpyAsync, "cuMemcpyAsync", 4000)                                            \
  X(Copy2D, cuMemcpy2D_v2, "cuMemcpy2D", 3020)                                                     \
  X(Copy2DUnaligned, cuMemcpy2DUnaligned_v2, "cuMemcpy2DUnaligned", 3020)                          \
  X(Copy2DAsync, cuMemcpy2DAsync_v2, "cuMemcpy2DAsync", 3020)                                      \
  X(CopyPeer, cuMemcpyPeer, "cuMemcpyPeer", 4000)                                                  \
  X(CopyPeerAsync, cuMemcpyPeerAsync, "cuMemcpyPeerAsync", 4000)                                   \
  X(CopyFromArray, cuMemcpyAtoD_v2, "cuMemcpyAtoD", 3020)                                          \
  X(CopyToArray, cuMemcpyDtoA_v2, "cuMemcpyDtoA", 3020)                                            \
  X(CopyArray, cuMemcpyAtoA_v2, "cuMemcpyAtoA", 3020)                                              \
  X(Copy3D, cuMemcpy3D_v2, "cuMemcpy3D", 3020)                                                     \
  X(Copy3DAsync, cuMemcpy3DAsync_v2, "cuMemcpy3DAsync", 3020)                                      \
  X(Copy3DPeer, cuMemcpy3DPeer, "cuMemcpy3DPeer", 4000)                                            \
  X(Copy3DPeerAsync, cuMemcpy3DPeerAsync, "cuMemcpy3DPeerAsync", 4000)                             \
  X(OldBatch, cuMemcpyBatchAsync, "cuMemcpyBatchAsync", 12080)                                     \
  X(Batch, cuMemcpyBatchAsync_v2, "cuMemcpyBatchAsync", 13000)                                     \
  X(OldBoxes, cuMemcpy3DBatchAsync, "cuMemcpy3DBatchAsync", 12080)                                 \
  X(Boxes, cuMemcpy3DBatchAsync_v2, "cuMemcpy3DBatchAsync", 13000)                                 \
  X(CopyWith, cuMemcpyWithAttributesAsync, "cuMemcpyWithAttributesAsync", 13020)                   \
  X(BoxWith, cuMemcpy3DWithAttributesAsync, "cuMemcpy3DWithAttributesAsync", 13020)                \
  X(CreateArray, cuArrayCreate_v2, "cuArrayCreate", 3020)                                          \
  X(HostFunction, cuLaunchHostFunc, "cuLaunchHostFunc", 10000)                                     \
  X(HostFunctionInMode, cuLaunchHostFunc_v2, "cuLaunchHostFunc", 13030)                            \
  X(CreateGraph, cuGraphCreate, "cuGraphCreate", 10000)                                            \
  X(AddHostNode, cuGraphAddHostNode, "cuGraphAddHostNode", 10000)                                  \
  X(AddNode, cuGraphAddNode, "cuGraphAddNode", 12020)                                              \
  X(AddNodeWithEdges, cuGraphAddNode_v2, "cuGraphAddNode", 12030)                                  \
  X(Callback, cuStreamAddCallback, "cuStreamAddCallback", 5000)                                    \
  X(BeginCapture, cuStreamBeginCapture_v2, "cuStreamBeginCapture", 10010)                          \
  X(FirstBeginCapture, cuStreamBeginCapture, "cuStreamBeginCapture", 10000)                        \
  X(BeginCaptureToGraph, cuStreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph", 12030)        \
  X(EndCapture, cuStreamEndCapture, "cuStreamEndCapture", 10000)                                   \
  X(DestroyStream, cuStreamDestroy_v2, "cuStreamDestroy", 4000)                                    \
  X(ResetPrimary, cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000)                    \
  X(CreateEvent, cuEventCreate, "cuEventCreate", 2000)                                             \
  X(Record, cuEventRecord, "cuEventRecord", 2000)                                                  \
  X(WaitEvent, cuStreamWaitEvent, "cuStreamWaitEvent", 3020)                                       \
  X(Instantiate, cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", 11040)                \
  X(Launch, cuGraphLaunch, "cuGraphLaunch", 10000)

static struct { FUNCTIONS(MEMBER) } cu;

/* Linked with the driver, it looks nothing up. */
static void find_all(void) {
#ifdef LINKED
#define BOUND(member, name, base, version) cu.member = name;
  FUNCTIONS(BOUND)
#else
  FUNCTIONS(FIND)
#endif
}

static CUcontext context;
static CUfunction busy;
static CUstream stream[4]; /* with a stream per thread, the last one is that */
static CUdeviceptr block;
static CUarray array;
static CUgraphExec exec;
static atomic_bool stopping;
static _Atomic unsigned long long launched;

static int begin(void) {
  CUmodule module;
  CUDA_ARRAY_DESCRIPTOR row = {16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  int result = (int)cu.Init(0);
  result = result ? result : (int)cu.Retain(&context, 0);
  result = result ? result : (int)cu.SetCurrent(context);
  result = result ? result : (int)cu.Alloc(&block, 1 << 20);
  result = result ? result : (int)cu.CreateArray(&array, &row);
  result = result ? result : (int)cu.LoadModule(&module, "image");
  for (int i = 1; i < 4 && !result; i++)
    result = (int)cu.CreateStream(&stream[i], 1);
  if (strcmp(how, "per-thread") == 0)
    stream[3] = NULL;
  return result ? result : (int)cu.GetFunction(&busy, module, "busy_ns");
}

/* A second context, which stays the current one. */
static int second(void) {
  CUcontext other;
  return (int)cu.Create(&other, 0, 0);
}

static int kernel(uint64_t ns, int in) {
  void *params[] = {&ns};
  return (int)cu.Kernel(busy, 1, 1, 1, 1, 1, 1, 0, stream[in], params, NULL);
}

static int kernel_ex(uint64_t ns, int in) {
  void *params[] = {&ns};
  CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, stream[in], NULL, 0};
  return (int)cu.KernelEx(&config, busy, params, NULL);
}

static int cooperative(uint64_t ns, int in) {
  void *params[] = {&ns};
  return (int)cu.Cooperative(busy, 1, 1, 1, 1, 1, 1, 0, stream[in], params);
}

static int cooperative_on_all(uint64_t ns, int in) {
  void *params[] = {&ns};
  CUDA_LAUNCH_PARAMS launch = {busy, 1, 1, 1, 1, 1, 1, 0, stream[in], params};
  return (int)cu.CooperativeOnAll(&launch, 1, 0);
}

/* The ways to begin a capture of stream 3; the last one fails. */
enum beginning { AS_NEW_GRAPH, AS_FIRST_VERSION, TO_GRAPH, TO_NO_GRAPH };

static int begin_capture(enum beginning way) {
  CUgraph graph = NULL;
  int result = 0;
  if (way == AS_NEW_GRAPH)
    return (int)cu.BeginCapture(stream[3], CU_STREAM_CAPTURE_MODE_GLOBAL);
  if (way == AS_FIRST_VERSION)
    return (int)cu.FirstBeginCapture(stream[3]);
  if (way == TO_GRAPH)
    result = (int)cu.CreateGraph(&graph, 0);
  return result ? result
                : (int)cu.BeginCaptureToGraph(stream[3], graph, NULL, NULL, 0,
                                              CU_STREAM_CAPTURE_MODE_GLOBAL);
}

/* Captures a kernel in stream 3, and makes it a graph that can be launched. */
static int end_capture(void) {
  CUgraph graph;
  int result = (int)cu.EndCapture(stream[3], &graph);
  return result ? result : (int)cu.Instantiate(&exec, graph, 0);
}

/* Stream 2 joins the capture of stream 3, in which it cannot end. */
static int end_capture_of_joined(void) {
  CUgraph graph;
  CUevent event;
  int result = (int)cu.CreateEvent(&event, 0);
  result = result ? result : (int)cu.Record(event, stream[3]);
  result = result ? result : (int)cu.WaitEvent(stream[2], event, 0);
  return result ? result : (int)cu.EndCapture(stream[2], &graph);
}

/* --- copies of rectangles: from the block to itself, or to the host --- */
static char on_host[16];

static const CUDA_MEMCPY2D *rectangle(CUmemorytype type, CUmemorytype to_type) {
  static CUDA_MEMCPY2D copy;
  copy = (CUDA_MEMCPY2D){
      .srcMemoryType = type,
      .srcDevice = block + 4096,
      .srcPitch = 8,
      .dstMemoryType = to_type,
      .dstHost = on_host,
      .dstDevice = to_type == CU_MEMORYTYPE_UNIFIED ? (CUdeviceptr)(uintptr_t)on_host : block,
      .dstPitch = 8,
      .WidthInBytes = 8,
      .Height = 2};
  return &copy;
}

static const CUDA_MEMCPY2D *out(CUmemorytype to_type) {
  return rectangle(CU_MEMORYTYPE_DEVICE, to_type);
}

static const CUDA_MEMCPY2D *inside(void) {
  return rectangle(CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_DEVICE);
}

/* --- copies of boxes: from an array or the block to the block, or to the host --- */
static CUDA_MEMCPY3D box(CUmemorytype type, CUmemorytype to_type) {
  return (CUDA_MEMCPY3D){
      .srcMemoryType = type,
      .srcDevice = block + 4096,
      .srcArray = array,
      .dstMemoryType = to_type,
      .dstHost = on_host,
      .dstDevice = to_type == CU_MEMORYTYPE_UNIFIED ? (CUdeviceptr)(uintptr_t)on_host : block,
      .WidthInBytes = 8,
      .Height = 1,
      .Depth = 1};
}

static int copy_box(CUmemorytype type, CUmemorytype to_type) {
  CUDA_MEMCPY3D copy = box(type, to_type);
  return (int)cu.Copy3D(&copy);
}

static int copy_box_async(CUmemorytype type, CUmemorytype to_type) {
  CUDA_MEMCPY3D copy = box(type, to_type);
  return (int)cu.Copy3DAsync(&copy, stream[1]);
}

static CUDA_MEMCPY3D_PEER box_between(CUmemorytype to_type) {
  CUDA_MEMCPY3D of = box(CU_MEMORYTYPE_DEVICE, to_type);
  return (CUDA_MEMCPY3D_PEER){.srcMemoryType = of.srcMemoryType,
                              .srcDevice = of.srcDevice,
                              .srcContext = context,
                              .dstMemoryType = of.dstMemoryType,
                              .dstHost = of.dstHost,
                              .dstDevice = of.dstDevice,
                              .dstContext = context,
                              .WidthInBytes = 8,
                              .Height = 1,
                              .Depth = 1};
}

static int copy_box_between(CUmemorytype to_type) {
  CUDA_MEMCPY3D_PEER copy = box_between(to_type);
  return (int)cu.Copy3DPeer(&copy);
}

static int copy_box_between_async(CUmemorytype to_type) {
  CUDA_MEMCPY3D_PEER copy = box_between(to_type);
  return (int)cu.Copy3DPeerAsync(&copy, stream[1]);
}

/* --- batches of two copies: the first one leaves the device, the second one may stay inside --- */
static CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};

static int batch(bool old, bool stays) {
  static CUdeviceptr to[2], from[2];
  size_t bytes[] = {8, 8}, first = 0, failed;
  to[0] = (CUdeviceptr)(uintptr_t)on_host;
  from[0] = block + 4096;
  to[1] = block;
  from[1] = stays ? block + 4096 : (CUdeviceptr)(uintptr_t)on_host;
  return (int)(old ? cu.OldBatch(to, from, bytes, 2, &attributes, &first, 1, &failed, stream[1])
                   : cu.Batch(to, from, bytes, 2, &attributes, &first, 1, stream[1]));
}

static CUmemcpy3DOperand at(CUdeviceptr address) {
  CUmemcpy3DOperand operand = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER};
  operand.op.ptr.ptr = address;
  return operand;
}

static CUmemcpy3DOperand in_array(void) {
  CUmemcpy3DOperand operand = {.type = CU_MEMCPY_OPERAND_TYPE_ARRAY};
  operand.op.array.array = array;
  return operand;
}

static CUDA_MEMCPY3D_BATCH_OP element(CUdeviceptr to) {
  return (CUDA_MEMCPY3D_BATCH_OP){.src = in_array(),
                                  .dst = at(to),
                                  .extent = {1, 1, 1},
                                  .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
}

static int boxes(bool old, bool stay) {
  CUdeviceptr host = (CUdeviceptr)(uintptr_t)on_host;
  CUDA_MEMCPY3D_BATCH_OP copies[] = {element(host), element(stay ? block : host)};
  return (int)(old ? cu.OldBoxes(2, copies, NULL, 0, stream[1])
                   : cu.Boxes(2, copies, 0, stream[1]));
}

static int copy_with(CUdeviceptr to) {
  return (int)cu.CopyWith(to, block + 4096, 8, &attributes, stream[1]);
}

static int box_with(CUdeviceptr to) {
  CUDA_MEMCPY3D_BATCH_OP copy = element(to);
  return (int)cu.BoxWith(&copy, 0, stream[1]);
}

/* --- launches from the host's functions, which no driver allows --- */
static int from_host = -1;

static void launch_in_function(void *ns) {
  from_host = kernel(*(uint64_t *)ns, 2);
}

static void launch_in_callback(CUstream in, CUresult status, void *ns) {
  (void)in, (void)status;
  launch_in_function(ns);
}

static int in_function(uint64_t ns) {
  int result = (int)cu.HostFunction(stream[1], launch_in_function, &ns);
  return result ? result : from_host;
}

static int in_function_in_mode(uint64_t ns) {
  int result = (int)cu.HostFunctionInMode(stream[1], launch_in_function, &ns, 0);
  return result ? result : from_host;
}

/* A graph with a function of the host that launches. */
enum way { AS_HOST_NODE, AS_ANY_NODE, AS_NODE_WITH_EDGES };

static int make_function_graph(enum way way) {
  static uint64_t ns = 1;
  CUgraph graph;
  CUgraphNode node;
  CUDA_HOST_NODE_PARAMS function = {launch_in_function, &ns};
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = function};
  int result = (int)cu.CreateGraph(&graph, 0);
  if (result)
    return result;
  switch (way) {
  case AS_HOST_NODE:
    result = (int)cu.AddHostNode(&node, graph, NULL, 0, &function);
    break;
  case AS_ANY_NODE:
    result = (int)cu.AddNode(&node, graph, NULL, 0, &params);
    break;
  case AS_NODE_WITH_EDGES:
    result = (int)cu.AddNodeWithEdges(&node, graph, NULL, NULL, 0, &params);
    break;
  }
  return result ? result : (int)cu.Instantiate(&exec, graph, 0);
}

static int in_callback(uint64_t ns) {
  int result = (int)cu.Callback(stream[1], launch_in_callback, &ns, 0);
  return result ? result : from_host;
}

/* --- a function of the host that does not end before it is told to --- */
static pthread_t with_function;

static void wait_in_function(void *unused) {
  (void)unused;
  while (!stopping)
    usleep(1000);
}

static void *add_function(void *unused) {
  (void)unused;
  cu.SetCurrent(context);
  cu.HostFunction(stream[2], wait_in_function, NULL);
  return NULL;
}

static int end_function(void) {
  stopping = true;
  return pthread_join(with_function, NULL);
}

/* --- streams that wait for a word, or for a semaphore; functions of libendless.so --- */
static int wait_for_word(void) {
  CUresult (*wait)(CUstream, CUdeviceptr, unsigned, unsigned) =
      (CUresult(*)(CUstream, CUdeviceptr, unsigned, unsigned))dlsym(RTLD_DEFAULT,
                                                                    "cuStreamWaitValue32_v2");
  return wait ? (int)wait(stream[2], block, 1, 0) : -1;
}

/* A batch of two operations: the second one waits, or writes as the first one does. */
static int batch_of_words(bool waits) {
  uint64_t operations[2][6] = {{2}, {waits ? 4 : 5}};
  CUresult (*run)(CUstream, unsigned, void *, unsigned) =
      (CUresult(*)(CUstream, unsigned, void *, unsigned))dlsym(RTLD_DEFAULT,
                                                               "cuStreamBatchMemOp_v2");
  return run ? (int)run(stream[2], 2, operations, 0) : -1;
}

static int wait_for_semaphore(void) {
  CUresult (*wait)(const void *, const void *, unsigned, CUstream) =
      (CUresult(*)(const void *, const void *, unsigned, CUstream))dlsym(
          RTLD_DEFAULT, "cuWaitExternalSemaphoresAsync");
  return wait ? (int)wait(NULL, NULL, 1, stream[2]) : -1;
}

/* --- a thread that launches all the time, and never synchronizes --- */
static void *storm(void *ns) {
  int in = 1;
  if (cu.SetCurrent(context))
    return (void *)1;
  while (!stopping) {
    if (kernel(*(uint64_t *)ns, in))
      return (void *)1;
    launched++;
  }
  return NULL;
}

static pthread_t storming;

static int begin_storm(uint64_t ns) {
  static uint64_t each;
  each = ns;
  return pthread_create(&storming, NULL, storm, &each);
}

static int end_storm(void) {
  void *failed;
  stopping = true;
  pthread_join(storming, &failed);
  also = launched;
  return failed != NULL;
}

/* --- two threads that launch at the same time --- */
static void *launch_once(void *unused) {
  (void)unused;
  return (void *)(uintptr_t)(cu.SetCurrent(context) || kernel(1, 1));
}

static int launch_by_two(void) {
  pthread_t thread[2];
  uintptr_t failed = 0;
  for (int i = 0; i < 2; i++)
    if (pthread_create(&thread[i], NULL, launch_once, NULL))
      return 1;
  for (int i = 0; i < 2; i++) {
    void *result;
    pthread_join(thread[i], &result);
    failed |= (uintptr_t)result;
  }
  return (int)failed;
}

/* The result of a launch in a forked child: CUDA does not survive a fork. */
static int fork_and_launch(void) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0)
    _exit(kernel(1, 1));
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* --- what names stand for: 0 = the driver's own function --- */
static char name[64];

static int is_hooked_by_handle(void) {
  return dlsym(library, name) != find_hidden(name);
}

static int is_hooked_globally(void) {
  void *global = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  return !global || dlsym(RTLD_DEFAULT, name) != find_hidden(name);
}

static int is_hooked_by_base(int version, int per_thread) {
  __typeof__(&cuGetProcAddress_v2) get =
      (__typeof__(&cuGetProcAddress_v2))dlsym(library, "cuGetProcAddress_v2");
  __typeof__(&cuGetProcAddress_v2) own =
      (__typeof__(&cuGetProcAddress_v2))find_hidden("cuGetProcAddress_v2");
  cuuint64_t flags = per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM : 0;
  CUdriverProcAddressQueryResult status;
  void *ours = NULL, *theirs = NULL;
  get(name, &ours, version, flags, &status);
  own(name, &theirs, version, flags, &status);
  also = theirs != NULL;
  return ours != theirs;
}

/* Reads the name from a line of its own. */
static int take_name(void) {
  char line[sizeof name];
  if (!fgets(line, sizeof line, stdin))
    return 1;
  line[strcspn(line, "\n")] = '\0';
  strcpy(name, line);
  also = find_hidden(name) != NULL;
  return 0;
}

/* The file, in a line of its own, before which libendless.so does not synchronize. */
static int synchronize_by(void) {
  static char line[256];
  if (!fgets(line, sizeof line, stdin))
    return 1;
  line[strcspn(line, "\n")] = '\0';
  return setenv("SYNCHRONIZED", line, 1);
}

/* Fills of one row have no pitch; with the two sizes exchanged the driver would refuse it. */
// clang-format off
#define COMMANDS(X)                                                                                \
  X("begin", begin())                                                                              \
  X("second", second())                                                                            \
  X("kernel", kernel((uint64_t)a, (int)b))                                                         \
  X("kernel-by-two", launch_by_two())                                                              \
  X("kernel-ex", kernel_ex((uint64_t)a, (int)b))                                                   \
  X("cooperative", cooperative((uint64_t)a, (int)b))                                               \
  X("cooperative-on-all", cooperative_on_all((uint64_t)a, (int)b))                                 \
  X("launch", cu.OldLaunch(busy))                                                                  \
  X("grid", cu.Grid(busy, 1, 1))                                                                   \
  X("grid-async", cu.GridAsync(busy, 1, 1, stream[1]))                                             \
  X("set-8", cu.Set8(block, 1, 16))                                                                \
  X("set-16", cu.Set16(block, 1, 16))                                                              \
  X("set-32", cu.Set32(block, 1, 16))                                                              \
  X("set-8-async", cu.Set8Async(block, 1, 16, stream[1]))                                          \
  X("set-16-async", cu.Set16Async(block, 1, 16, stream[1]))                                        \
  X("set-32-async", cu.Set32Async(block, 1, 16, stream[1]))                                        \
  X("set-2d-8", cu.Set2D8(block, 0, 1, 2, 1))                                                      \
  X("set-2d-16", cu.Set2D16(block, 0, 1, 2, 1))                                                    \
  X("set-2d-32", cu.Set2D32(block, 0, 1, 2, 1))                                                    \
  X("set-2d-8-async", cu.Set2D8Async(block, 0, 1, 2, 1, stream[1]))                                \
  X("set-2d-16-async", cu.Set2D16Async(block, 0, 1, 2, 1, stream[1]))                              \
  X("set-2d-32-async", cu.Set2D32Async(block, 0, 1, 2, 1, stream[1]))                              \
  X("copy", cu.Copy(block, block + 4096, 16))                                                      \
  X("copy-async", cu.CopyAsync(block, block + 4096, 16, stream[1]))                                \
  X("copy-any", cu.CopyAny(block, block + 4096, 16))                                               \
  X("copy-any-async", cu.CopyAnyAsync(block, block + 4096, 16, stream[1]))                         \
  X("copy-2d", cu.Copy2D(inside()))                                                                \
  X("copy-2d-unaligned", cu.Copy2DUnaligned(inside()))                                             \
  X("copy-2d-async", cu.Copy2DAsync(inside(), stream[1]))                                          \
  X("copy-peer", cu.CopyPeer(block, context, block + 4096, context, 16))                           \
  X("copy-peer-async", cu.CopyPeerAsync(block, context, block + 4096, context, 16, stream[1]))     \
  X("copy-from-array", cu.CopyFromArray(block, array, 0, 16))                                      \
  X("copy-to-array", cu.CopyToArray(array, 0, block, 16))                                          \
  X("copy-array", cu.CopyArray(array, 0, array, 8, 8))                                             \
  X("copy-3d", copy_box(CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_DEVICE))                              \
  X("copy-3d-async", copy_box_async(CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE))                    \
  X("copy-3d-peer", copy_box_between(CU_MEMORYTYPE_DEVICE))                                        \
  X("copy-3d-peer-async", copy_box_between_async(CU_MEMORYTYPE_DEVICE))                            \
  X("old-batch", batch(true, true))                                                                \
  X("batch", batch(false, true))                                                                   \
  X("old-boxes", boxes(true, true))                                                                \
  X("boxes", boxes(false, true))                                                                   \
  X("copy-with", copy_with(block))                                                                 \
  X("box-with", box_with(block))                                                                   \
  X("copy-out", cu.CopyAny((CUdeviceptr)(uintptr_t)on_host, block, 16))                            \
  X("copy-in", cu.CopyAnyAsync(block, (CUdeviceptr)(uintptr_t)on_host, 16, stream[1]))             \
  X("copy-2d-out", cu.Copy2D(out(CU_MEMORYTYPE_HOST)))                                             \
  X("copy-2d-out-unified", cu.Copy2DAsync(out(CU_MEMORYTYPE_UNIFIED), stream[1]))                  \
  X("copy-3d-out", copy_box(CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_HOST))                              \
  X("copy-3d-out-unified", copy_box_async(CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED))            \
  X("copy-3d-peer-out", copy_box_between(CU_MEMORYTYPE_HOST))                                      \
  X("old-batch-out", batch(true, false))                                                           \
  X("batch-out", batch(false, false))                                                              \
  X("old-boxes-out", boxes(true, false))                                                           \
  X("boxes-out", boxes(false, false))                                                              \
  X("copy-with-out", copy_with((CUdeviceptr)(uintptr_t)on_host))                                   \
  X("box-with-out", box_with((CUdeviceptr)(uintptr_t)on_host))                                     \
  X("synchronize", cu.Synchronize())                                                               \
  X("begin-capture", begin_capture((enum beginning)a))                                             \
  X("end-capture", end_capture())                                                                  \
  X("end-capture-of-joined", end_capture_of_joined())                                              \
  X("destroy-stream", cu.DestroyStream(stream[a]))                                                 \
  X("reset", cu.ResetPrimary(0))                                                                   \
  X("graph", cu.Launch(exec, stream[a]))                                                           \
  X("in-function", in_function((uint64_t)a))                                                       \
  X("in-function-in-mode", in_function_in_mode((uint64_t)a))                                       \
  X("function-graph", make_function_graph((enum way)a))                                                      \
  X("in-callback", in_callback((uint64_t)a))                                                       \
  X("add-function", pthread_create(&with_function, NULL, add_function, NULL))                      \
  X("end-function", end_function())                                                                \
  X("wait-for-word", wait_for_word())                                                              \
  X("batch-of-words", batch_of_words(a != 0))                                                      \
  X("wait-for-semaphore", wait_for_semaphore())                                                    \
  X("synchronized-by", synchronize_by())                                                           \
  X("storm", begin_storm((uint64_t)a))                                                             \
  X("end-storm", end_storm())                                                                      \
  X("fork", fork_and_launch())                                                                     \
  X("name", take_name())                                                                           \
  X("hooked-by-handle", is_hooked_by_handle())                                                     \
  X("hooked-globally", is_hooked_globally())                                                       \
  X("hooked-by-base", is_hooked_by_base((int)a, (int)b))
// clang-format on

static int obey(const char *first, const long long *n) {
  long long a = n[0], b = n[1];
  COMMANDS(COMMAND)
  return -2; /* no such command */
}
