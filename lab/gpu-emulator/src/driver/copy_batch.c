/* copy_batch.c - batches of copies, and single copies with the attributes of a batch. A batch is
 * checked as a whole before anything is copied. */
#include "array.h"
#include "copy.h"

/* The index of the copy that failed, for the versions that return it: none. */
#define NO_COPY SIZE_MAX

static int is_order(CUmemcpySrcAccessOrder order) {
  return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

/* Every copy has attributes: those of the last one that begins before it. */
static CUresult check_attributes(const CUmemcpyAttributes *attributes, const size_t *firsts,
                                 size_t attribute_count, size_t count) {
  NEED(attributes && firsts && attribute_count && attribute_count <= count && !firsts[0]);
  for (size_t i = 0; i < attribute_count; i++) {
    NEED(firsts[i] < count && (i == 0 || firsts[i] > firsts[i - 1]));
    NEED(is_order(attributes[i].srcAccessOrder));
  }
  return CUDA_SUCCESS;
}

/* Batches cannot be ordered by the default stream of the context. */
static CUresult check_stream(CUstream stream) {
  NEED(stream && stream != CU_STREAM_LEGACY);
  CAPTURE(stream, capture_unsupported(stream_));
  return CUDA_SUCCESS;
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *firsts, size_t attribute_count,
                            size_t *failed, CUstream stream) {
  size_t at = NO_COPY;
  failed = failed ? failed : &at;
  *failed = NO_COPY;
  NEED(to && from && bytes && count);
  TRY(check_attributes(attributes, firsts, attribute_count, count));
  TRY(check_stream(stream));
  for (size_t i = 0; i < count; i++) {
    *failed = i;
    NEED(to[i] && from[i] && bytes[i]);
    TRY(copy_prepare(to[i], from[i], bytes[i], stream));
  }
  *failed = NO_COPY;
  for (size_t i = 0; i < count; i++)
    TRY(cuMemcpyAsync(to[i], from[i], bytes[i], stream));
  return CUDA_SUCCESS;
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *firsts,
                               size_t attribute_count, CUstream stream) {
  return cuMemcpyBatchAsync(to, from, bytes, count, attributes, firsts, attribute_count, NULL,
                            stream);
}

CUresult cuMemcpyWithAttributesAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                     CUmemcpyAttributes *attributes, CUstream stream) {
  size_t first = 0;
  return cuMemcpyBatchAsync_v2(&to, &from, &bytes, 1, attributes, &first, 1, stream);
}

/* --- boxes: extents and offsets are in elements --- */

/* Bytes of an element: that of the arrays; 1 if there are none. 0: two different arrays. */
static size_t element_bytes(const CUDA_MEMCPY3D_BATCH_OP *copy) {
  const CUmemcpy3DOperand *sides[] = {&copy->src, &copy->dst};
  size_t bytes = 0;
  for (int i = 0; i < 2; i++) {
    if (sides[i]->type != CU_MEMCPY_OPERAND_TYPE_ARRAY)
      continue;
    size_t own = array_element_bytes(&sides[i]->op.array.array->descriptor);
    if (bytes && bytes != own)
      return 0;
    bytes = own;
  }
  return bytes ? bytes : 1;
}

static struct box_side side_of(const CUmemcpy3DOperand *operand, size_t element) {
  if (operand->type == CU_MEMCPY_OPERAND_TYPE_ARRAY)
    return (struct box_side){.type = CU_MEMORYTYPE_ARRAY,
                             .array = operand->op.array.array,
                             .x_bytes = operand->op.array.offset.x * element,
                             .y = operand->op.array.offset.y,
                             .z = operand->op.array.offset.z};
  return (struct box_side){.type = CU_MEMORYTYPE_UNIFIED,
                           .device = operand->op.ptr.ptr,
                           .pitch = operand->op.ptr.rowLength * element,
                           .height = operand->op.ptr.layerHeight};
}

static int is_operand(const CUmemcpy3DOperand *operand) {
  return operand->type == CU_MEMCPY_OPERAND_TYPE_POINTER
             ? operand->op.ptr.ptr != 0
             : operand->type == CU_MEMCPY_OPERAND_TYPE_ARRAY && operand->op.array.array != NULL;
}

static CUresult check_box(const CUDA_MEMCPY3D_BATCH_OP *copy) {
  NEED(is_operand(&copy->src) && is_operand(&copy->dst) && is_order(copy->srcAccessOrder));
  NEED(copy->extent.width && copy->extent.height && copy->extent.depth && element_bytes(copy));
  return CUDA_SUCCESS;
}

static CUresult copy_one(const CUDA_MEMCPY3D_BATCH_OP *copy, CUstream stream) {
  size_t element = element_bytes(copy);
  struct box_side to = side_of(&copy->dst, element), from = side_of(&copy->src, element);
  struct box_extent extent = {copy->extent.width * element, copy->extent.height,
                              copy->extent.depth};
  return copy_box(&to, &from, &extent, stream);
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed,
                              unsigned long long flags, CUstream stream) {
  size_t at = NO_COPY;
  failed = failed ? failed : &at;
  *failed = NO_COPY;
  NEED(count && copies && !flags);
  TRY(check_stream(stream));
  for (size_t i = 0; i < count; i++) {
    *failed = i;
    TRY(check_box(&copies[i]));
  }
  for (size_t i = 0; i < count; i++) {
    *failed = i;
    TRY(copy_one(&copies[i], stream));
  }
  *failed = NO_COPY;
  return CUDA_SUCCESS;
}

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies,
                                 unsigned long long flags, CUstream stream) {
  return cuMemcpy3DBatchAsync(count, copies, NULL, flags, stream);
}

CUresult cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *copy, unsigned long long flags,
                                       CUstream stream) {
  return cuMemcpy3DBatchAsync_v2(1, copy, flags, stream);
}
