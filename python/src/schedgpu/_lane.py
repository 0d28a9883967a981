"""The memory of a shared lane, as a pool of PyTorch: a switch to another process frees and allocates nothing.

The members of the lane map one physical memory. So no tensor may be in the pool when the turn goes on: the
next process writes there. Needs torch.cuda.MemPool with snapshot() (PyTorch 2.6), and the preload library.
"""

import atexit
import os
import sys

from . import _library, _process
from ._iteration import iteration
from ._message import tell_once

_NEEDED = ("MemPool", "use_mem_pool")

# By device: True once the job shares its lane; the pool is made with its first use.
_shared = {}
_pools = {}
# Python's objects for the pools' allocators: a pool that is freed after its own kills the program.
_allocators = {}


def share(device=0):
    """share_lane() of the package."""
    if not _process.in_lane_job():
        return False
    if _shared.get(device):
        return True
    try:
        _check(_torch())
        library = _library.library()
        library.check_allocator()
        code = library.share(device)
        if code != _library.OK:
            raise library.error("the lane of device %d" % device, code)
    except Exception as error:
        text = str(error) if isinstance(error, _library.Error) else repr(error)
        text = text.replace("schedgpu: ", "", 1)
        tell_once("share", "the lane is not shared, memory is returned at the end of turns: %s" % text)
        return False
    _shared[device] = True
    return True


def _torch():
    torch = sys.modules.get("torch")
    if torch is None:
        raise _library.Error("import torch before")
    return torch


def _check(torch):
    cuda = torch.cuda
    missing = [name for name in _NEEDED if not callable(getattr(cuda, name, None))]
    if not missing and not callable(getattr(cuda.MemPool, "snapshot", None)):
        missing = ["MemPool.snapshot"]
    if not missing and not callable(getattr(getattr(cuda, "memory", None), "CUDAPluggableAllocator", None)):
        missing = ["memory.CUDAPluggableAllocator"]
    if missing:
        version = getattr(torch, "__version__", "of an unknown version")
        raise _library.Error("PyTorch %s has no torch.cuda.%s: 2.6 is needed" % (version, ", ".join(missing)))


def _pool(device):
    if device not in _pools:
        cuda = _torch().cuda
        path = _library.library().check_allocator()
        allocator = cuda.memory.CUDAPluggableAllocator(path, "schedgpu_lane_allocate", "schedgpu_lane_free")
        _allocators[device] = allocator
        _pools[device] = cuda.MemPool(allocator.allocator())
    return _pools[device]


def is_shared(device):
    return bool(_shared.get(device))


def bytes_in_use(device):
    """Of tensors that are in the lane."""
    if device not in _pools:
        return 0
    return sum(segment["allocated_size"] for segment in _pools[device].snapshot())


def bytes_left(device):
    """
    Of tensors that are in the lane after an iteration, when the device has done all work. PyTorch keeps the
    workspaces of cuBLAS for ever: one that a product of an iteration allocated is in the lane. They are freed,
    and come again.
    """
    if not bytes_in_use(device):
        return 0
    free_workspaces = getattr(getattr(_torch(), "_C", None), "_cuda_clearCublasWorkspaces", None)
    if callable(free_workspaces):
        free_workspaces()
    return bytes_in_use(device)


class lane_memory:  # named as a function, for `with schedgpu.lane_memory():`
    """An iteration, as ``schedgpu.iteration()``, whose tensors on the device are in the memory of the lane.

    They must be gone at its end: else the process keeps the turn, and says so once. If share_lane() was not called,
    or did not work, it is an iteration and nothing else. Raises Error as iteration().
    """

    def __init__(self, device=0, timeout=None):
        self._device = device
        self._iteration = iteration(device, timeout)
        self._contexts = []

    def __enter__(self):
        self._iteration.__enter__()
        try:
            context = self._use() if is_shared(self._device) else None
        except BaseException:
            self._iteration.__exit__()
            raise
        self._contexts.append(context)
        return self

    def _use(self):
        context = _torch().cuda.use_mem_pool(_pool(self._device), self._device)
        context.__enter__()
        return context

    def __exit__(self, *exception):
        context = self._contexts.pop()
        try:
            if context is not None:
                context.__exit__(*exception)
        finally:
            self._iteration.__exit__()


def _free_pools():
    _pools.clear()
    _allocators.clear()


def _after_fork():
    _shared.clear()
    _free_pools()


atexit.register(_free_pools)  # while PyTorch is whole
os.register_at_fork(after_in_child=_after_fork)
