"""A program with a PyTorch of a few lines, whose tensors are in a shared lane; obeys lines from stdin."""

import ctypes
import os
import sys

os.environ["SCHEDGPU_LANE"] = "pack"
sys.dont_write_bytecode = True
sys.path[:0] = sys.argv[1:3]  # the folders of the module and of the fake PyTorch

import torch  # noqa: E402

import schedgpu  # noqa: E402

cuda = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
lane = tensor = None
for line in sys.stdin:
    words = line.split()
    number = 0
    if words[0] == "begin":
        result = cuda.cuInit(0) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        result = result or cuda.cuCtxSetCurrent(context)
        torch.cuda.init()
    elif words[0] == "share":
        result = int(not schedgpu.share_lane())
    elif words[0] == "enter":
        lane = schedgpu.lane_memory()
        lane.__enter__()
        result = 0
    elif words[0] == "leave":
        lane.__exit__(None, None, None)
        result = 0
    elif words[0] == "tensor":
        tensor = torch.cuda.Tensor(int(words[1]))
        result = int(tensor.address is None)
    elif words[0] == "fill":
        result = cuda.cuMemsetD8_v2(ctypes.c_uint64(tensor.address), ctypes.c_ubyte(int(words[1])), ctypes.c_size_t(1))
    elif words[0] == "read":
        byte = ctypes.c_ubyte()
        result = cuda.cuMemcpyDtoH_v2(ctypes.byref(byte), ctypes.c_uint64(tensor.address), ctypes.c_size_t(1))
        number = byte.value
    elif words[0] == "drop":
        tensor = None
        result = 0
    print(result, number, flush=True)
