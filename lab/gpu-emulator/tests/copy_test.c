/* Copies and fills of the emulated driver beyond those of bytes: boxes, arrays and batches. */
#include "driver_support.h"

enum { BYTES = 64 };

static CUdeviceptr filled(const char *text) {
  CUdeviceptr address = allocate(BYTES);
  OK(cuMemcpyHtoD_v2(address, text, strlen(text)));
  return address;
}

static void require_text(CUdeviceptr address, const char *text) {
  char found[BYTES] = {0};
  OK(cuMemcpyDtoH_v2(found, address, strlen(text)));
  REQUIRE(!strcmp(found, text));
}

static CUarray array_of(size_t width, size_t height, size_t depth) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Width = width,
                                        .Height = height,
                                        .Depth = depth,
                                        .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                        .NumChannels = 2};
  CUarray array;
  OK(cuArray3DCreate_v2(&array, &descriptor));
  return array;
}

static CUstream new_stream(void) {
  CUstream stream;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

/* Two slices of two rows of two bytes, out of a box of 4 x 3 x 2. */
static CUDA_MEMCPY3D corner(CUdeviceptr from, CUdeviceptr to) {
  return (CUDA_MEMCPY3D){.srcXInBytes = 1,
                         .srcY = 1,
                         .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = from,
                         .srcPitch = 4,
                         .srcHeight = 3,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = to,
                         .WidthInBytes = 2,
                         .Height = 2,
                         .Depth = 2};
}

static void a_box_is_copied_row_by_row(void) {
  use_device(0);
  CUdeviceptr from = filled("abcdefghijklmnopqrstuvwx"), to = allocate(BYTES);
  CUDA_MEMCPY3D copy = corner(from, to);
  OK(cuMemcpy3D_v2(&copy));
  require_text(to, "fgjkrsvw");
  copy.srcZ = 1;
  copy.Depth = 1;
  OK(cuMemcpy3DAsync_v2(&copy, NULL));
  require_text(to, "rsvwrsvw");
}

static void a_box_that_leaves_its_memory_is_refused(void) {
  use_device(0);
  CUDA_MEMCPY3D copy = corner(allocate(24), allocate(8));
  OK(cuMemcpy3D_v2(&copy));
  copy.srcZ = 1; /* its last row begins at byte 37 of 24 */
  REQUIRE_EQUAL(cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  copy = corner(allocate(24), allocate(7));
  REQUIRE_EQUAL(cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  copy = corner(allocate(24), allocate(8));
  copy.srcHeight = 1;
  REQUIRE_EQUAL(cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.srcHeight = 3;
  copy.srcLOD = 1;
  REQUIRE_EQUAL(cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemcpy3D_v2(NULL), CUDA_ERROR_INVALID_VALUE);
}

static void boxes_are_copied_to_arrays_and_back(void) {
  use_device(0);
  CUdeviceptr from = filled("abcdefghijklmnop"), to = allocate(BYTES);
  CUarray array = array_of(2, 2, 2);
  CUDA_MEMCPY3D up = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                      .srcDevice = from,
                      .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                      .dstArray = array,
                      .WidthInBytes = 4,
                      .Height = 2,
                      .Depth = 2};
  OK(cuMemcpy3D_v2(&up));
  CUDA_MEMCPY3D down = {.srcXInBytes = 2,
                        .srcZ = 1,
                        .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = array,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = to,
                        .WidthInBytes = 2,
                        .Height = 2,
                        .Depth = 1};
  OK(cuMemcpy3D_v2(&down));
  require_text(to, "klop");
  down.Depth = 2;
  REQUIRE_EQUAL(cuMemcpy3D_v2(&down), CUDA_ERROR_INVALID_VALUE);
}

static void memory_is_copied_between_contexts(void) {
  CUcontext primary = use_device(0), other;
  CUdeviceptr from = filled("abcd"), to;
  OK(cuCtxCreate_v2(&other, 0, 1));
  to = allocate(BYTES);
  OK(cuMemcpyPeer(to, other, from, primary, 4));
  require_text(to, "abcd");
  OK(cuMemcpyPeerAsync(to, other, from + 1, primary, 3, new_stream()));
  require_text(to, "bcdd");
  REQUIRE_EQUAL(cuMemcpyPeer(to, NULL, from, primary, 4), CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMCPY3D_PEER copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                             .srcDevice = from,
                             .srcContext = primary,
                             .srcPitch = 2,
                             .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                             .dstDevice = to,
                             .dstContext = other,
                             .WidthInBytes = 1,
                             .Height = 2,
                             .Depth = 1};
  OK(cuMemcpy3DPeer(&copy));
  require_text(to, "acdd");
  copy.srcXInBytes = 1;
  OK(cuMemcpy3DPeerAsync(&copy, new_stream()));
  require_text(to, "bddd");
}

static void bytes_are_copied_to_arrays_and_back(void) {
  use_device(0);
  CUdeviceptr from = filled("abcdefgh"), to = allocate(BYTES);
  CUarray one = array_of(4, 0, 0), other = array_of(4, 0, 0);
  OK(cuMemcpyDtoA_v2(one, 0, from, 8));
  OK(cuMemcpyAtoA_v2(other, 2, one, 4, 4));
  OK(cuMemcpyAtoD_v2(to, other, 2, 4));
  require_text(to, "efgh");
  REQUIRE_EQUAL(cuMemcpyAtoD_v2(to, other, 2, 8), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemcpyDtoA_v2(NULL, 0, from, 8), CUDA_ERROR_INVALID_VALUE);
}

static CUmemcpyAttributes in_stream_order = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};

static void a_batch_copies_all_or_nothing(void) {
  use_device(0);
  CUdeviceptr from = filled("abcdefgh"), to = filled("--------");
  CUdeviceptr targets[] = {to, to + 4}, sources[] = {from + 4, from};
  size_t bytes[] = {4, 4}, first = 0, failed = 7;
  CUmemcpyAttributes *order = &in_stream_order;
  CUstream stream = new_stream();
  bytes[1] = BYTES + 1;
  REQUIRE_EQUAL(cuMemcpyBatchAsync(targets, sources, bytes, 2, order, &first, 1, &failed, stream),
                CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(failed, 1);
  require_text(to, "--------");
  bytes[1] = 3;
  OK(cuMemcpyBatchAsync(targets, sources, bytes, 2, order, &first, 1, &failed, stream));
  REQUIRE_EQUAL(failed, SIZE_MAX);
  require_text(to, "efghabc-");
  OK(cuMemcpyBatchAsync_v2(targets, sources, bytes, 1, order, &first, 1, stream));
  REQUIRE_EQUAL(cuMemcpyBatchAsync_v2(targets, sources, bytes, 2, order, &first, 1, NULL),
                CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(
      cuMemcpyBatchAsync_v2(targets, sources, bytes, 2, order, &first, 1, CU_STREAM_LEGACY),
      CUDA_ERROR_INVALID_VALUE);
  OK(cuMemcpyBatchAsync_v2_ptsz(targets, sources, bytes, 2, order, &first, 1, NULL));
}

static void every_copy_of_a_batch_has_attributes(void) {
  use_device(0);
  CUdeviceptr from = filled("ab"), to = allocate(BYTES);
  CUdeviceptr targets[] = {to, to + 1}, sources[] = {from, from + 1};
  size_t bytes[] = {1, 1};
  CUmemcpyAttributes orders[] = {in_stream_order, {.srcAccessOrder = 0}};
  CUstream stream = new_stream();
  size_t one_after_the_other[] = {0, 1}, late = 1, twice[] = {0, 0};
#define BATCH(firsts, count)                                                                       \
  cuMemcpyBatchAsync_v2(targets, sources, bytes, 2, orders, firsts, count, stream)
  REQUIRE_EQUAL(BATCH(one_after_the_other, 2), CUDA_ERROR_INVALID_VALUE);
  orders[1] = in_stream_order;
  OK(BATCH(one_after_the_other, 2));
  require_text(to, "ab");
  REQUIRE_EQUAL(BATCH(&late, 1), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(BATCH(twice, 2), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(BATCH(one_after_the_other, 3), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemcpyWithAttributesAsync(to, from + 1, 1, orders, stream));
  require_text(to, "bb");
  REQUIRE_EQUAL(cuMemcpyWithAttributesAsync(to, from, 1, NULL, stream), CUDA_ERROR_INVALID_VALUE);
}

static CUmemcpy3DOperand pointer(CUdeviceptr address, size_t row_length) {
  CUmemcpy3DOperand operand = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER};
  operand.op.ptr.ptr = address;
  operand.op.ptr.rowLength = row_length;
  return operand;
}

static CUmemcpy3DOperand part_of(CUarray array, size_t x, size_t y) {
  CUmemcpy3DOperand operand = {.type = CU_MEMCPY_OPERAND_TYPE_ARRAY};
  operand.op.array.array = array;
  operand.op.array.offset = (CUoffset3D){x, y, 0};
  return operand;
}

static CUDA_MEMCPY3D_BATCH_OP box(CUmemcpy3DOperand from, CUmemcpy3DOperand to, size_t width,
                                  size_t height) {
  return (CUDA_MEMCPY3D_BATCH_OP){.src = from,
                                  .dst = to,
                                  .extent = {width, height, 1},
                                  .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
}

/* Elements of the array have two bytes, those of memory alone one. */
static void boxes_of_a_batch_are_in_elements(void) {
  use_device(0);
  CUdeviceptr from = filled("abcdefghijkl"), to = allocate(BYTES);
  CUarray array = array_of(3, 2, 0);
  CUstream stream = new_stream();
  size_t failed = 7;
  CUDA_MEMCPY3D_BATCH_OP copies[] = {
      box(pointer(from, 0), part_of(array, 0, 0), 3, 2),
      box(part_of(array, 1, 0), pointer(to, 0), 2, 2),
      box(pointer(from, 6), pointer(to + 8, 2), 2, 2),
  };
  OK(cuMemcpy3DBatchAsync(3, copies, &failed, 0, stream));
  REQUIRE_EQUAL(failed, SIZE_MAX);
  require_text(to, "cdefijklabgh");
  copies[1].extent.depth = 0;
  REQUIRE_EQUAL(cuMemcpy3DBatchAsync(3, copies, &failed, 0, stream), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(failed, 1);
  OK(cuMemcpy3DBatchAsync_v2(1, copies, 0, stream));
  REQUIRE_EQUAL(cuMemcpy3DBatchAsync_v2(1, copies, 0, NULL), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemcpy3DBatchAsync_v2_ptsz(1, copies, 0, NULL));
  copies[2].src = pointer(from + 1, 6);
  OK(cuMemcpy3DWithAttributesAsync(&copies[2], 0, stream));
  require_text(to, "cdefijklbchi");
}

static void boxes_and_batches_are_not_captured(void) {
  use_device(0);
  CUdeviceptr from = filled("ab"), to = allocate(BYTES);
  CUstream stream = new_stream();
  CUDA_MEMCPY3D copy = corner(from, to);
  OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuMemcpyPeerAsync(to, use_device(0), from, use_device(0), 2, stream));
  REQUIRE_EQUAL(cuMemcpyWithAttributesAsync(to, from, 2, &in_stream_order, stream),
                CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  REQUIRE_EQUAL(cuMemcpy3DAsync_v2(&copy, stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

static void rectangles_are_filled_row_by_row(void) {
  use_device(0);
  CUdeviceptr to = filled("----------------");
  CUstream stream = new_stream();
  OK(cuMemsetD2D8_v2(to, 4, 'a', 2, 3));
  require_text(to, "aa--aa--aa------");
  OK(cuMemsetD2D16_v2(to + 2, 6, 'b' << 8 | 'B', 2, 2));
  require_text(to, "aaBbBb--BbBb----");
  OK(cuMemsetD2D32_v2(to, 12, 'd' << 24 | 'c' << 16 | 'D' << 8 | 'C', 1, 2));
  require_text(to, "CDcdBb--BbBbCDcd");
  OK(cuMemsetD2D8Async(to, 8, 'e', 1, 2, stream));
  OK(cuMemsetD2D16Async(to + 2, 8, 'f' << 8 | 'f', 1, 2, stream));
  OK(cuMemsetD2D32Async(to + 4, 8, 'g' << 24 | 'g' << 16 | 'g' << 8 | 'g', 1, 2, stream));
  require_text(to, "eDffggggebffgggg");
  OK(cuMemsetD2D8_v2(to, 1, 'h', 3, 1)); /* a single row has no pitch */
  require_text(to, "hhhfgggg");
}

static void fills_with_a_stream_per_thread_are_the_same(void) {
  use_device(0);
  CUdeviceptr to = filled("----------------");
  OK(cuMemsetD2D8_v2_ptds(to, 8, 'a', 1, 2));
  OK(cuMemsetD2D16_v2_ptds(to + 2, 8, 'b' << 8 | 'b', 1, 2));
  OK(cuMemsetD2D32_v2_ptds(to + 4, 8, 'c' << 24 | 'c' << 16 | 'c' << 8 | 'c', 1, 2));
  require_text(to, "a-bbcccca-bbcccc");
  OK(cuMemsetD2D8Async_ptsz(to, 8, 'd', 1, 2, NULL));
  OK(cuMemsetD2D16Async_ptsz(to + 2, 8, 'e' << 8 | 'e', 1, 2, NULL));
  OK(cuMemsetD2D32Async_ptsz(to + 4, 8, 'f' << 24 | 'f' << 16 | 'f' << 8 | 'f', 1, 2, NULL));
  require_text(to, "d-eeffffd-eeffff");
}

static void a_fill_of_a_rectangle_waits_for_its_stream(void) {
  use_device(0);
  CUdeviceptr to = allocate(BYTES);
  CUstream stream = new_stream();
  launch_busy(busy_kernel(), 50 * MS, stream);
  OK(cuMemsetD2D32Async(to, 8, 1, 1, 2, stream));
  OK(cuStreamQuery(stream));
}

static void a_fill_of_no_rectangle_is_refused(void) {
  use_device(0);
  CUdeviceptr to = filled("abcd");
#define REFUSED(call) REQUIRE_EQUAL(call, CUDA_ERROR_INVALID_VALUE)
  OK(cuMemsetD2D8_v2(to, 32, 'a', 32, BYTES / 32));
  REFUSED(cuMemsetD2D8_v2(to, 32, 'b', 32, BYTES / 32 + 1)); /* leaves the memory */
  REFUSED(cuMemsetD2D8_v2(to + 1, 32, 'b', 32, BYTES / 32));
  REFUSED(cuMemsetD2D8_v2(to, 8, 'b', 9, 2)); /* rows overlap */
  REFUSED(cuMemsetD2D16_v2(to, 8, 'b', 5, 2));
  REFUSED(cuMemsetD2D32Async(to, 8, 'b', 3, 2, NULL));
  REFUSED(cuMemsetD2D16_v2(to + 1, 8, 'b', 1, 2)); /* not aligned */
  REFUSED(cuMemsetD2D32_v2(to + 2, 8, 'b', 1, 2));
  REFUSED(cuMemsetD2D16_v2(to, 9, 'b', 1, 2));
  REFUSED(cuMemsetD2D32_v2(to, 10, 'b', 1, 2));
  REFUSED(cuMemsetD2D32_v2(to, 8, 'b', SIZE_MAX / 4 + 2, 1)); /* too large for a size */
  REFUSED(cuMemsetD2D8_v2(to, SIZE_MAX / 2, 'b', 1, 4));
  REFUSED(cuMemsetD2D8_v2(to, 8, 'b', SIZE_MAX, 1));
  REFUSED(cuMemsetD2D8_v2(0, 8, 'b', 1, 2));
  OK(cuMemsetD2D8_v2(to, 8, 'b', 0, 2));
  OK(cuMemsetD2D8_v2(to, 8, 'b', 2, 0));
  require_text(to, "aaaa");
}

static void launch_graph(CUgraph graph) {
  CUgraphExec exec;
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphLaunch(exec, NULL));
}

static void fills_of_rectangles_become_nodes(void) {
  use_device(0);
  CUdeviceptr to = filled("--------");
  CUstream stream = new_stream();
  CUgraph graph;
  OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuMemsetD2D16Async(to, 4, 'a' << 8 | 'a', 1, 2, stream));
  REFUSED(cuMemsetD2D16Async(to + 1, 4, 'b' << 8 | 'b', 1, 2, stream));
  OK(cuStreamEndCapture(stream, &graph));
  require_text(to, "--------");
  launch_graph(graph);
  require_text(to, "aa--aa--");
  CUgraphNode node;
  CUDA_MEMSET_NODE_PARAMS params = {
      .dst = to + 3, .pitch = 4, .value = 'c', .elementSize = 1, .width = 1, .height = 2};
  OK(cuGraphAddMemsetNode(&node, graph, NULL, 0, &params, NULL));
  params.pitch = 0;
  REFUSED(cuGraphAddMemsetNode(&node, graph, NULL, 0, &params, NULL));
  launch_graph(graph);
  require_text(to, "aa-caa-c");
}

#define TEST(name)                                                                                 \
  static void test_##name(void **unused) {                                                         \
    (void)unused;                                                                                  \
    assert_in_child(name);                                                                         \
  }
#define ALL(X)                                                                                     \
  X(a_box_is_copied_row_by_row)                                                                    \
  X(a_box_that_leaves_its_memory_is_refused)                                                       \
  X(boxes_are_copied_to_arrays_and_back)                                                           \
  X(memory_is_copied_between_contexts)                                                             \
  X(bytes_are_copied_to_arrays_and_back)                                                           \
  X(a_batch_copies_all_or_nothing)                                                                 \
  X(every_copy_of_a_batch_has_attributes)                                                          \
  X(boxes_of_a_batch_are_in_elements)                                                              \
  X(boxes_and_batches_are_not_captured)                                                            \
  X(rectangles_are_filled_row_by_row)                                                              \
  X(fills_with_a_stream_per_thread_are_the_same)                                                   \
  X(a_fill_of_a_rectangle_waits_for_its_stream)                                                    \
  X(a_fill_of_no_rectangle_is_refused)                                                             \
  X(fills_of_rectangles_become_nodes)
ALL(TEST)

#define ENTER(name) cmocka_unit_test_setup_teardown(test_##name, setup_state, teardown_state),
int main(void) {
  const struct CMUnitTest tests[] = {ALL(ENTER)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
