"""Calls the client API inside the preload library, as the Python module does; obeys lines from stdin."""

import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
address = ctypes.c_uint64()
if len(sys.argv) > 1:
    ctypes.CDLL(sys.argv[1])  # does the accounting itself
lookup = ctypes.CDLL(None).schedgpu_preload_function
lookup.restype = ctypes.c_void_p
for line in sys.stdin:
    words = line.split()
    if words[0] == "begin":
        result = cuda.cuInit(0) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        result = result or cuda.cuCtxSetCurrent(context)
    elif words[0] == "alloc":
        result = cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(int(words[1])))
    elif words[0] == "has":
        result = int(lookup(words[1].encode()) is not None)
    else:
        function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_uint64, ctypes.c_int64)
        result = function(lookup(words[0].encode()))(0, int(words[1]), 0)
    print(result, flush=True)
