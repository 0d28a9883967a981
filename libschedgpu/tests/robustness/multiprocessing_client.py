"""A Python program as many are: it uses the library and forks workers that use it, too."""
import ctypes
import multiprocessing
import os
import sys

LIBRARY = ctypes.CDLL(sys.argv[1])
SAY, HEAR = int(sys.argv[2]), int(sys.argv[3])
GIB = 1 << 30


def reserve(size):
    return LIBRARY.schedgpu_reserve(0, ctypes.c_uint64(size), ctypes.c_int64(0)) == 0


def work():
    detached = LIBRARY.schedgpu_is_attached() == 0
    os.write(SAY, b"w" if detached and reserve(GIB) else b"x")
    os.read(HEAR, 1)


if __name__ == "__main__":
    os.write(SAY, b"h" if reserve(6 * GIB) else b"x")
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    worker.join()
