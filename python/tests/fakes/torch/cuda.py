"""A device that remembers what was done."""

import os

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
