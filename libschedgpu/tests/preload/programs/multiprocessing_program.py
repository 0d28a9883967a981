"""Allocates, and has a process of multiprocessing allocate, too; obeys lines from stdin."""

import ctypes
import multiprocessing
import sys


def allocate(size):
    cuda = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    address = ctypes.c_uint64()
    result = cuda.cuInit(0) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    result = result or cuda.cuCtxSetCurrent(context)
    return result or cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size))


def work(pipe, size):
    pipe.send(allocate(size))
    pipe.recv()


if __name__ == "__main__":
    ours = child = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "alloc":
            result = allocate(int(words[2]))
        elif words[0] == "start":
            context = multiprocessing.get_context(words[1])
            ours, theirs = context.Pipe()
            child = context.Process(target=work, args=(theirs, int(words[2])))
            child.start()
            result = ours.recv()
        else:
            ours.send("end")
            child.join()
            result = child.exitcode
        print(result, flush=True)
