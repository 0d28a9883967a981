"""A device that remembers what was done."""

import contextlib
import ctypes
import os
import types

calls = []
_initialized = False
_reserved = 0


def _after_fork():
    global _initialized
    _initialized = False


os.register_at_fork(after_in_child=_after_fork)


def init():
    global _initialized
    _initialized = True


def is_initialized():
    return _initialized


def synchronize():
    calls.append("synchronize")


def empty_cache():
    calls.append("empty_cache")


def memory_reserved():
    return _reserved


class CUDAGraph:
    def capture_begin(self, fails=False):
        calls.append("capture_begin")
        if fails:
            raise RuntimeError("a capture is running")

    def capture_end(self):
        calls.append("capture_end")

    def replay(self):
        calls.append("replay")


class CUDAPluggableAllocator:
    """Calls the functions of a library, as the real one; without a path it has a device of its own.

    As with the real one, a pool needs Python's object for it to its end: without it the real program dies.
    """

    def __init__(self, path, allocate, free):
        calls.append("allocator")
        self._inner = _Allocator(path, allocate, free)

    def allocator(self):
        return self._inner

    def __del__(self):
        self._inner.gone = True


class _Allocator:
    def __init__(self, path, allocate, free):
        self.gone = False
        self._functions = None
        if path:
            library = ctypes.CDLL(path)
            getattr(library, allocate).restype = ctypes.c_void_p
            self._functions = getattr(library, allocate), getattr(library, free)

    def take(self, size, device):
        if self._functions is None:
            return 1
        return self._functions[0](ctypes.c_ssize_t(size), device, None)


memory = types.SimpleNamespace(CUDAPluggableAllocator=CUDAPluggableAllocator)


class MemPool:
    """Keeps the blocks of dead tensors for the next ones of their size."""

    def __init__(self, allocator):
        self._allocator = allocator
        self._segments = []

    def __del__(self):
        calls.append("pool freed without its allocator" if self._allocator.gone else "pool freed")

    def snapshot(self):
        return [dict(segment) for segment in self._segments]

    def take(self, size, device):
        for segment in self._segments:
            if segment["total_size"] == size and segment["allocated_size"] == 0:
                segment["allocated_size"] = size
                return segment
        address = self._allocator.take(size, device)
        if not address:
            raise MemoryError("CUDA out of memory")
        segment = {"address": address, "total_size": size, "allocated_size": size}
        self._segments.append(segment)
        return segment


_used = []


@contextlib.contextmanager
def use_mem_pool(pool, device=None):
    _used.append((pool, device))
    try:
        yield
    finally:
        _used.pop()


class Tensor:
    """Memory of the pool that is in use, or of none."""

    def __init__(self, size):
        pool, device = _used[-1] if _used else (None, None)
        self._segment = pool.take(size, device) if pool else {}

    @property
    def address(self):
        return self._segment.get("address")

    def __del__(self):
        getattr(self, "_segment", {})["allocated_size"] = 0
