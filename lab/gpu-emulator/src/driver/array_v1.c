/* array_v1.c - descriptors of arrays from before CUDA 3.2, with 32 bits. */
#include "array.h"

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR_v1 *descriptor) {
  NEED_DRIVER();
  NEED(descriptor);
  CUDA_ARRAY_DESCRIPTOR wide = {descriptor->Width, descriptor->Height, descriptor->Format,
                                descriptor->NumChannels};
  return cuArrayCreate_v2(array, &wide);
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor) {
  NEED_DRIVER();
  NEED(descriptor);
  CUDA_ARRAY3D_DESCRIPTOR wide = {descriptor->Width,  descriptor->Height,      descriptor->Depth,
                                  descriptor->Format, descriptor->NumChannels, descriptor->Flags};
  return cuArray3DCreate_v2(array, &wide);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1 *descriptor, CUarray array) {
  CUDA_ARRAY_DESCRIPTOR wide;
  NEED(descriptor);
  TRY(cuArrayGetDescriptor_v2(&wide, array));
  *descriptor = (CUDA_ARRAY_DESCRIPTOR_v1){(unsigned)wide.Width, (unsigned)wide.Height, wide.Format,
                                           wide.NumChannels};
  return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR wide;
  NEED(descriptor);
  TRY(cuArray3DGetDescriptor_v2(&wide, array));
  *descriptor = (CUDA_ARRAY3D_DESCRIPTOR_v1){(unsigned)wide.Width, (unsigned)wide.Height,
                                             (unsigned)wide.Depth, wide.Format,
                                             wide.NumChannels,     wide.Flags};
  return CUDA_SUCCESS;
}
