"""Allocates through ctypes, as Python programs without a binding do; obeys lines from stdin."""

import ctypes
import sys

cuda = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libcuda.so.1")
context = ctypes.c_void_p()
address = ctypes.c_uint64()
for line in sys.stdin:
    words = line.split()
    if words[0] == "begin":
        result = cuda.cuInit(0) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        result = result or cuda.cuCtxSetCurrent(context)
    elif words[0] == "alloc":
        result = cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(int(words[2])))
    else:
        result = cuda.cuMemFree_v2(address)
    print(result, flush=True)
