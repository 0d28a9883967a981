"""Asks NVML through ctypes, as pynvml does; obeys lines from stdin."""

import ctypes
import sys


class Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


nvml = ctypes.CDLL("libnvidia-ml.so.1")
nvml.nvmlInit_v2()
for line in sys.stdin:
    device = ctypes.c_void_p()
    memory = Memory()
    index = ctypes.c_uint(int(line.split()[1]))
    result = nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device))
    result = result or nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory))
    print(result, memory.free, memory.total, memory.used, flush=True)
