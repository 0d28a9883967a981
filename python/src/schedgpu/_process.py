"""The turns of this process, one for each device, and what PyTorch caches."""

import atexit
import os
import sys
import threading

from . import _library
from ._message import tell_once
from ._turn import Turn
from ._watcher import Watcher

LANE = "SCHEDGPU_LANE"

_lock = threading.Lock()
turns = {}
_watched = set()


def in_lane_job():
    """True in a job that was started with --schedgpu-lane."""
    return bool(os.environ.get(LANE))


def cuda_in_use():
    """torch.cuda if the program has used it in this process, else None. Never initializes it."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    return cuda if cuda is not None and cuda.is_initialized() else None


def free_cache():
    """Waits until the device has done all work, and frees what PyTorch only caches."""
    cuda = cuda_in_use()
    if cuda is not None:
        cuda.synchronize()
        cuda.empty_cache()


def _leave_lane(device):
    """
    Makes the device ready for another process; False if it cannot be. In a shared lane nothing is freed: what
    PyTorch caches is the job's own, or has no content that anybody needs.
    """
    lane = sys.modules.get("schedgpu._lane")
    if lane is None or not lane.is_shared(device):
        free_cache()
        return True
    cuda = cuda_in_use()
    if cuda is not None:
        cuda.synchronize()
    kept = lane.bytes_left(device)
    if kept:
        tell_once("survived", "%d bytes of tensors are in the lane after an iteration: the turn is kept" % kept)
    return not kept


def keeps_memory():
    """True unless it is known that PyTorch keeps no memory of the device."""
    cuda = cuda_in_use()
    return cuda is None or cuda.memory_reserved() > 0


def turn(device=0):
    """The one Turn of this process on `device`. Raises Error if the library cannot be used."""
    found = turns.get(device)
    if found is None:
        library = _library.library()
        with _lock:
            found = turns.setdefault(device, Turn(device, library, lambda: _leave_lane(device)))
    return found


def watch(device):
    """Starts the watcher of the device, once in a process."""
    if device in _watched:
        return
    with _lock:
        if device in _watched:
            return
        _watched.add(device)
    watcher = Watcher(turn(device), keeps_memory)
    # The driver must not be called while the interpreter goes away.
    atexit.register(watcher.stop)
    try:
        watcher.start()
    except RuntimeError as error:  # no more threads, or Python ends
        tell_once("watcher", "an unused turn is kept until the next iteration ends: %s" % error)


def _after_fork():
    global _lock
    _lock = threading.Lock()
    _watched.clear()


os.register_at_fork(after_in_child=_after_fork)
