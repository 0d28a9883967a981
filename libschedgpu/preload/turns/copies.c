/*
 * copies.c - the hooks of copies of which the arguments say whether they stay inside the device.
 * Only the arguments are read that the driver reads, too.
 */
#include "gate.h"

static bool is_on_device(CUdeviceptr address) {
  unsigned type = 0; /* the driver does not know ordinary memory of the host */
  sgp_cuPointerGetAttribute ask = SGP_CALL(cuPointerGetAttribute);
  return ask && ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_DEVICE;
}

static bool sgp_copies_inside(CUdeviceptr to, CUdeviceptr from) {
  return is_on_device(to) && is_on_device(from);
}

static bool is_side_on_device(CUmemorytype type, CUdeviceptr address) {
  return type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_ARRAY ||
         (type == CU_MEMORYTYPE_UNIFIED && is_on_device(address));
}

/* Rectangles and boxes name the members of both sides alike. */
#define ARE_SIDES_ON_DEVICE(copy)                                                                  \
  ((copy) && is_side_on_device((copy)->dstMemoryType, (copy)->dstDevice) &&                        \
   is_side_on_device((copy)->srcMemoryType, (copy)->srcDevice))

static bool sgp_2d_copies_inside(const CUDA_MEMCPY2D *copy) {
  return ARE_SIDES_ON_DEVICE(copy);
}

static bool sgp_3d_copies_inside(const CUDA_MEMCPY3D *copy) {
  return ARE_SIDES_ON_DEVICE(copy);
}

static bool sgp_3d_peer_copies_inside(const CUDA_MEMCPY3D_PEER *copy) {
  return ARE_SIDES_ON_DEVICE(copy);
}

/* --- a batch is one launch: it waits if one of its copies does --- */

static bool sgp_batch_copies_inside(const CUdeviceptr *to, const CUdeviceptr *from, size_t count) {
  for (size_t i = 0; to && from && i < count; i++)
    if (sgp_copies_inside(to[i], from[i]))
      return true;
  return false;
}

static bool is_operand_on_device(const CUmemcpy3DOperand *operand) {
  return operand->type == CU_MEMCPY_OPERAND_TYPE_ARRAY ||
         (operand->type == CU_MEMCPY_OPERAND_TYPE_POINTER && is_on_device(operand->op.ptr.ptr));
}

static bool sgp_3d_batch_copies_inside(const CUDA_MEMCPY3D_BATCH_OP *copies, size_t count) {
  for (size_t i = 0; copies && i < count; i++)
    if (is_operand_on_device(&copies[i].dst) && is_operand_on_device(&copies[i].src))
      return true;
  return false;
}

#define SGP_COPY(name, base, since, kind, parameters, arguments, where, computes)                  \
  SGP_PASS_GATE(static, launch_##name, name, parameters, arguments, where)                         \
  CUresult sgp_turn_##name parameters {                                                            \
    sgp_type_##name real = (sgp_type_##name)sgp_real(SGP_##name);                                  \
    if (real && !sgp_inside && !(computes))                                                        \
      return real CALL(arguments);                                                                 \
    return launch_##name CALL(arguments);                                                          \
  }
SGP_COPIES(SGP_COPY)
