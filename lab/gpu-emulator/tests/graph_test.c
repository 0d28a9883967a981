/* Graphs: structure, launches, memory, stream capture. */
#include "driver_support.h"

static cuuint64_t graph_memory(CUgraphMem_attribute attribute) {
  cuuint64_t value;
  OK(cuDeviceGetGraphMemAttribute(0, attribute, &value));
  return value;
}

static CUgraph new_graph(void) {
  CUgraph graph;
  OK(cuGraphCreate(&graph, 0));
  return graph;
}

static CUgraphExec instantiate(CUgraph graph) {
  CUgraphExec exec;
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  return exec;
}

static CUgraphNode add_allocation(CUgraph graph, size_t bytes, CUdeviceptr *address) {
  CUgraphNode node;
  CUDA_MEM_ALLOC_NODE_PARAMS params = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                     .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
                                       .bytesize = bytes};
  OK(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
  *address = params.dptr;
  return node;
}

static CUgraphNode add_kernel(CUgraph graph, uint64_t ns, CUgraphNode after) {
  CUgraphNode node;
  void *params[] = {&ns};
  CUDA_KERNEL_NODE_PARAMS kernel = {.func = busy_kernel(),
                                    .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
  OK(cuGraphAddKernelNode_v2(&node, graph, &after, after != NULL, &kernel));
  return node;
}

static CUgraphNode add_free(CUgraph graph, CUdeviceptr address, CUgraphNode after) {
  CUgraphNode node;
  OK(cuGraphAddMemFreeNode(&node, graph, &after, 1, address));
  return node;
}

static float launch_and_time(CUgraphExec exec) {
  CUevent before, after;
  float milliseconds;
  OK(cuEventCreate(&before, 0));
  OK(cuEventCreate(&after, 0));
  OK(cuEventRecord(before, NULL));
  OK(cuGraphLaunch(exec, NULL));
  OK(cuEventRecord(after, NULL));
  OK(cuEventSynchronize(after));
  OK(cuEventElapsedTime(&milliseconds, before, after));
  return milliseconds;
}

static void kernels_of_a_graph_run_after_each_other(void) {
  use_device(0);
  CUgraph graph = new_graph();
  add_kernel(graph, 20 * MS, add_kernel(graph, 30 * MS, NULL));
  CUgraphExec exec = instantiate(graph);
  REQUIRE(launch_and_time(exec) >= 50);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

static void launch_returns_before_the_kernels_end(void) {
  use_device(0);
  CUgraph graph = new_graph();
  add_kernel(graph, 60000ull * MS, NULL);
  OK(cuGraphLaunch(instantiate(graph), NULL));
  REQUIRE_EQUAL(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
}

static void add_one(void *number) {
  ++*(int *)number;
}

static void all_kinds_of_nodes_run(void) {
  use_device(0);
  CUgraph graph = new_graph(), child = new_graph(), clone;
  CUgraphNode fill, host, empty;
  int called = 0, value;
  CUdeviceptr block = allocate(16);
  CUDA_MEMSET_NODE_PARAMS zero = {
      .dst = block, .value = 7, .elementSize = 4, .width = 4, .height = 1};
  CUDA_HOST_NODE_PARAMS call = {add_one, &called};
  OK(cuGraphAddHostNode(&host, child, NULL, 0, &call));
  OK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &zero, NULL));
  OK(cuGraphAddEmptyNode(&empty, graph, &fill, 1));
  OK(cuGraphAddChildGraphNode(&host, graph, &empty, 1, child));
  OK(cuGraphClone(&clone, graph));
  OK(cuGraphDestroy(graph));
  OK(cuGraphLaunch(instantiate(clone), NULL));
  OK(cuMemcpyDtoH_v2(&value, block + 12, 4));
  REQUIRE_EQUAL(value, 7);
  REQUIRE_EQUAL(called, 1);
}

static void dependencies_go_forward_only(void) {
  use_device(0);
  CUgraph graph = new_graph();
  CUgraphNode a, b, nodes[3];
  CUgraphNodeType type;
  size_t count = 3;
  OK(cuGraphAddEmptyNode(&a, graph, NULL, 0));
  OK(cuGraphAddEmptyNode(&b, graph, NULL, 0));
  OK(cuGraphAddDependencies(graph, &a, &b, 1));
  REQUIRE_EQUAL(cuGraphAddDependencies(graph, &b, &a, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphGetNodes(graph, nodes, &count));
  REQUIRE(count == 2 && nodes[0] == a && nodes[1] == b && !nodes[2]);
  OK(cuGraphNodeGetType(b, &type));
  REQUIRE_EQUAL(type, CU_GRAPH_NODE_TYPE_EMPTY);
}

static void memory_of_a_graph_is_kept_until_it_is_trimmed(void) {
  use_device(0);
  CUgraph graph = new_graph();
  CUdeviceptr address;
  add_free(graph, address, add_allocation(graph, 99 * MIB, &address));
  CUgraphExec exec = instantiate(graph);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuGraphLaunch(exec, NULL));
  OK(cuStreamSynchronize(NULL));
  REQUIRE_EQUAL(free_bytes(), 860 * MIB); /* pages of 2 MiB */
  REQUIRE_EQUAL(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 100 * MIB);
  REQUIRE_EQUAL(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
  REQUIRE_EQUAL(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 99 * MIB);
  OK(cuGraphLaunch(exec, NULL));
  OK(cuGraphExecDestroy(exec));
  REQUIRE_EQUAL(free_bytes(), 860 * MIB);
  OK(cuDeviceGraphMemTrim(0));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void memory_left_by_a_launch_is_freed_outside(void) {
  use_device(0);
  CUgraph graph = new_graph();
  CUdeviceptr address;
  add_allocation(graph, 100 * MIB, &address);
  CUgraphExec exec = instantiate(graph);
  REQUIRE_EQUAL(cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE); /* not allocated yet */
  OK(cuGraphLaunch(exec, NULL));
  REQUIRE_EQUAL(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
  OK(cuDeviceGraphMemTrim(0)); /* in use */
  REQUIRE_EQUAL(free_bytes(), 860 * MIB);
  OK(cuMemFreeAsync(address, NULL));
  OK(cuGraphLaunch(exec, NULL));
  OK(cuMemFree_v2(address));
  OK(cuDeviceGraphMemTrim(0));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void graphs_of_one_stream_share_memory(void) {
  use_device(0);
  CUstream other;
  CUgraph graph[2];
  CUgraphExec exec[2];
  CUdeviceptr address;
  OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < 2; i++) {
    graph[i] = new_graph();
    add_free(graph[i], address,
             add_kernel(graph[i], 60000ull * MS, add_allocation(graph[i], 100 * MIB, &address)));
    exec[i] = instantiate(graph[i]);
  }
  OK(cuGraphLaunch(exec[0], NULL));
  OK(cuGraphLaunch(exec[1], NULL));
  REQUIRE_EQUAL(free_bytes(), 860 * MIB);
  OK(cuGraphUpload(exec[0], other));
  REQUIRE_EQUAL(free_bytes(), 760 * MIB);
}

static void launch_without_memory_fails(void) {
  use_device(0);
  CUgraph graph = new_graph();
  CUdeviceptr address;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH,
                              .graph = {new_graph(), CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE}};
  CUgraphNode node;
  add_allocation(params.graph.graph, 962 * MIB, &address);
  OK(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params));
  CUgraphExec exec = instantiate(graph);
  REQUIRE_EQUAL(cuGraphUpload(exec, NULL), CUDA_ERROR_OUT_OF_MEMORY);
  REQUIRE_EQUAL(cuGraphLaunch(exec, NULL), CUDA_ERROR_OUT_OF_MEMORY);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static CUstream begin_capture(void) {
  CUstream stream;
  CUstreamCaptureStatus status;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuStreamIsCapturing(stream, &status));
  REQUIRE_EQUAL(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  return stream;
}

static void captured_calls_run_at_the_launch(void) {
  use_device(0);
  CUstream stream = begin_capture();
  CUdeviceptr block, kept = allocate(4);
  CUgraph graph;
  int value = 0, called = 0;
  OK(cuMemAllocAsync(&block, 100 * MIB, stream));
  OK(cuMemsetD32Async(block, 5, 1, stream));
  launch_busy(busy_kernel(), 10 * MS, stream);
  OK(cuMemcpyDtoDAsync_v2(kept, block, 4, stream));
  OK(cuLaunchHostFunc(stream, add_one, &called));
  OK(cuMemFreeAsync(block, stream));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 512);
  REQUIRE_EQUAL(called, 0);
  OK(cuStreamEndCapture(stream, &graph));
  CUgraphExec exec = instantiate(graph);
  REQUIRE(launch_and_time(exec) >= 10);
  OK(cuMemcpyDtoH_v2(&value, kept, 4));
  REQUIRE_EQUAL(value, 5);
  REQUIRE_EQUAL(called, 1);
  REQUIRE_EQUAL(free_bytes(), 860 * MIB - 512);
}

static void other_streams_join_by_events(void) {
  use_device(0);
  CUstream stream = begin_capture(), second;
  CUevent fork, join;
  CUgraph graph;
  size_t count;
  OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&fork, 0));
  OK(cuEventCreate(&join, 0));
  launch_busy(busy_kernel(), MS, stream);
  OK(cuEventRecord(fork, stream));
  OK(cuStreamWaitEvent(second, fork, 0));
  launch_busy(busy_kernel(), MS, second);
  OK(cuEventRecord(join, second));
  OK(cuStreamWaitEvent(stream, join, 0));
  launch_busy(busy_kernel(), MS, stream);
  OK(cuStreamEndCapture(stream, &graph));
  OK(cuGraphGetNodes(graph, NULL, &count));
  REQUIRE_EQUAL(count, 3);
  REQUIRE(launch_and_time(instantiate(graph)) >= 3);
  OK(cuStreamSynchronize(second)); /* it does not capture any more */
}

static void synchronization_ends_a_capture_in_an_error(void) {
  use_device(0);
  CUstream stream = begin_capture();
  CUgraph graph;
  REQUIRE_EQUAL(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  REQUIRE_EQUAL(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  REQUIRE_EQUAL(cuStreamBeginCapture_v2(NULL, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  REQUIRE_EQUAL(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
}

static CUstream new_stream(void) {
  CUstream stream;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

static size_t count_of(CUgraph graph) {
  size_t count;
  OK(cuGraphGetNodes(graph, NULL, &count));
  return count;
}

/* The captured function waits for the kernel that was in the graph before. */
static void a_capture_goes_on_with_a_given_graph(void) {
  use_device(0);
  CUgraph graph = new_graph(), captured;
  CUgraphNode kernel = add_kernel(graph, 50 * MS, NULL);
  const CUgraphNode *after;
  CUstream stream = new_stream();
  CUstreamCaptureStatus status;
  int called = 0;
  size_t count;
  add_kernel(graph, MS, NULL);
  OK(cuStreamBeginCaptureToGraph(stream, graph, &kernel, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuStreamGetCaptureInfo_v2(stream, &status, NULL, &captured, &after, &count));
  REQUIRE_EQUAL(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  REQUIRE(captured == graph && count == 1 && after[0] == kernel);
  OK(cuLaunchHostFunc(stream, add_one, &called));
  captured = NULL;
  OK(cuStreamEndCapture(stream, &captured));
  REQUIRE(captured == graph);
  REQUIRE_EQUAL(count_of(graph), 3);
  OK(cuGraphLaunch(instantiate(graph), NULL));
  OK(cuStreamQuery(NULL));
  REQUIRE_EQUAL(called, 1);
}

static void a_given_graph_may_be_empty(void) {
  use_device(0);
  CUgraph graph = new_graph(), captured;
  OK(cuStreamBeginCaptureToGraph_ptsz(NULL, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
  launch_busy(busy_kernel(), MS, CU_STREAM_PER_THREAD);
  OK(cuStreamEndCapture_ptsz(NULL, &captured));
  REQUIRE(captured == graph);
  REQUIRE_EQUAL(count_of(graph), 1);
}

static void a_capture_needs_a_graph_and_its_own_nodes(void) {
  use_device(0);
  CUgraph graph = new_graph();
  CUgraphNode none = NULL, other = add_kernel(new_graph(), MS, NULL);
  CUstream stream = new_stream();
  CUstreamCaptureStatus status;
#define BEGIN(stream, graph, after, count)                                                         \
  cuStreamBeginCaptureToGraph(stream, graph, after, NULL, count, CU_STREAM_CAPTURE_MODE_GLOBAL)
  REQUIRE_EQUAL(BEGIN(stream, NULL, NULL, 0), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(BEGIN(stream, graph, NULL, 1), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(BEGIN(stream, graph, &none, 1), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(BEGIN(stream, graph, &other, 1), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(BEGIN(NULL, graph, NULL, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  REQUIRE_EQUAL(cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, 3),
                CUDA_ERROR_INVALID_VALUE);
  OK(cuStreamIsCapturing(stream, &status));
  REQUIRE_EQUAL(status, CU_STREAM_CAPTURE_STATUS_NONE);
  OK(BEGIN(stream, graph, NULL, 0));
  REQUIRE_EQUAL(BEGIN(stream, graph, NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

static void a_given_graph_outlives_a_failed_capture(void) {
  use_device(0);
  CUgraph graph = new_graph(), captured;
  CUstream stream = new_stream();
  add_kernel(graph, MS, NULL);
  OK(BEGIN(stream, graph, NULL, 0));
  REQUIRE_EQUAL(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  REQUIRE_EQUAL(cuStreamEndCapture(stream, &captured), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  REQUIRE(!captured);
  REQUIRE_EQUAL(count_of(graph), 1);
  OK(cuGraphLaunch(instantiate(graph), NULL));
  OK(cuGraphDestroy(graph));
}

static void the_first_begin_of_a_capture_has_no_mode(void) {
  use_device(0);
  CUgraph graph;
  CUstream stream = new_stream();
  OK(cuStreamBeginCapture(stream));
  launch_busy(busy_kernel(), MS, stream);
  OK(cuStreamEndCapture(stream, &graph));
  OK(cuStreamBeginCapture_ptsz(NULL));
  OK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
  REQUIRE_EQUAL(count_of(graph), 0);
}

#define TEST(name)                                                                                 \
  static void test_##name(void **unused) {                                                         \
    (void)unused;                                                                                  \
    assert_in_child(name);                                                                         \
  }
#define ALL(X)                                                                                     \
  X(kernels_of_a_graph_run_after_each_other)                                                       \
  X(launch_returns_before_the_kernels_end)                                                         \
  X(all_kinds_of_nodes_run)                                                                        \
  X(dependencies_go_forward_only)                                                                  \
  X(memory_of_a_graph_is_kept_until_it_is_trimmed)                                                 \
  X(memory_left_by_a_launch_is_freed_outside)                                                      \
  X(graphs_of_one_stream_share_memory)                                                             \
  X(launch_without_memory_fails)                                                                   \
  X(captured_calls_run_at_the_launch)                                                              \
  X(other_streams_join_by_events)                                                                  \
  X(synchronization_ends_a_capture_in_an_error)                                                    \
  X(a_capture_goes_on_with_a_given_graph)                                                          \
  X(a_given_graph_may_be_empty)                                                                    \
  X(a_capture_needs_a_graph_and_its_own_nodes)                                                     \
  X(a_given_graph_outlives_a_failed_capture)                                                       \
  X(the_first_begin_of_a_capture_has_no_mode)
ALL(TEST)

#define ENTER(name) cmocka_unit_test_setup_teardown(test_##name, setup_state, teardown_state),
int main(void) {
  const struct CMUnitTest tests[] = {ALL(ENTER)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
