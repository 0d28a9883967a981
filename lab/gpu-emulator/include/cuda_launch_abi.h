/*
 * cuda_launch_abi.h - launches that cuLaunchKernel() has replaced, and values written in a
 * stream: the part of the driver's ABI that the emulator implements. Included by cuda_abi.h.
 */
#ifndef CUDA_LAUNCH_ABI_H
#define CUDA_LAUNCH_ABI_H

#pragma GCC visibility push(default)

CUresult cuLaunch(CUfunction function);
CUresult cuLaunchGrid(CUfunction function, int width, int height);
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream);
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *list, unsigned count,
                                              unsigned flags);
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr to, unsigned value, unsigned flags);
CUresult cuStreamWriteValue32_ptsz(CUstream stream, CUdeviceptr to, unsigned value, unsigned flags);
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr to, unsigned value, unsigned flags);
CUresult cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr to, unsigned value,
                                      unsigned flags);

#pragma GCC visibility pop

#endif
