/* pointer.c - queries about an address. */
#include "memory.h"

static int on_device(const struct block *block) {
  return block && (block->kind == BLOCK_DEVICE || block->kind == BLOCK_MANAGED);
}

static unsigned memory_type(const struct block *block) {
  return !block ? 0 : on_device(block) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

/* Call with the driver locked. For an unknown address the values are zero, and the device is -2. */
static CUresult get(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  const struct block *block = block_find((void *)address);
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *(CUcontext *)value = block ? block->context : NULL;
    break;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(unsigned *)value = memory_type(block);
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *(CUdeviceptr *)value = block ? address : 0;
    break;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    *(void **)value = block && block->kind != BLOCK_DEVICE ? (void *)address : NULL;
    break;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    *(unsigned long long *)value = block ? block->id : 0;
    break;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    *(unsigned *)value = block && block->kind == BLOCK_MANAGED;
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *(int *)value = block ? block->context->ordinal : -2;
    break;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *(CUdeviceptr *)value = block ? (CUdeviceptr)block->address : 0;
    break;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    *(size_t *)value = block ? block->bytes : 0;
    break;
  case CU_POINTER_ATTRIBUTE_MAPPED:
    *(char *)value = block != NULL;
    break;
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return block ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  NEED_DRIVER();
  NEED(value);
  driver_lock();
  CUresult result = get(value, attribute, address);
  driver_unlock();
  return result;
}

/* Unlike the single form, this one does not fail for an address that CUDA does not know. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                                CUdeviceptr address) {
  NEED_DRIVER();
  NEED(attributes && values);
  driver_lock();
  for (unsigned i = 0; i < count; i++)
    get(values[i], attributes[i], address);
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  NEED_DRIVER();
  NEED(value);
  return CUDA_SUCCESS;
}
