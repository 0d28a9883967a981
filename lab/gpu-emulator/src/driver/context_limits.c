/*
 * context_limits.c - limits of a context. Of these, the heap and the printf buffer of kernels take
 * device memory. Their initial size is part of the context's cost; more is charged when it is set.
 */
#include "context.h"
#include "memory.h"

static const size_t at_first[CONTEXT_LIMITS] = {[CU_LIMIT_STACK_SIZE] = 1024,
                                                [CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
                                                [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20};

static uint64_t charged_for(CUlimit limit, size_t value) {
  if (limit == CU_LIMIT_STACK_SIZE || value <= at_first[limit])
    return 0;
  return value - at_first[limit];
}

void context_limits_start(CUcontext context) {
  for (unsigned limit = 0; limit < CONTEXT_LIMITS; limit++)
    context->limit[limit] = at_first[limit];
}

void context_limits_end(CUcontext context) {
  for (unsigned limit = 0; limit < CONTEXT_LIMITS; limit++)
    memory_uncharge(context->device, charged_for((CUlimit)limit, context->limit[limit]));
  context_limits_start(context);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  NEED_CONTEXT(context);
  NEED(value);
  *value = (unsigned)limit < CONTEXT_LIMITS ? context->limit[limit] : 0;
  return CUDA_SUCCESS;
}

/* Call with the driver locked. */
static CUresult set(CUcontext context, CUlimit limit, size_t value) {
  uint64_t before = charged_for(limit, context->limit[limit]), after = charged_for(limit, value);
  if (after > before)
    TRY(memory_charge(context->device, after - before));
  else
    memory_uncharge(context->device, before - after);
  context->limit[limit] = value;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  NEED_CONTEXT(context);
  if ((unsigned)limit >= CONTEXT_LIMITS)
    return CUDA_SUCCESS;
  value = memory_granules(value);
  driver_lock();
  CUresult result = set(context, limit, value);
  driver_unlock();
  return result;
}
