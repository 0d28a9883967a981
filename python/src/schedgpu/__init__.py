"""schedGPU for Python programs: iterations of lane jobs, and memory that is reserved by hand.

A lane job (``--schedgpu-lane``) shares its GPU with others in turns, one iteration at a time. Programs that use
PyTorch need nothing of this: their iterations are found. A program with a loop of its own marks them::

    for batch in schedgpu.iterations(batches):
        ...                     # or, anywhere: with schedgpu.iteration(): ...

Outside of a lane job both do nothing, so the program runs anywhere. Functions are thread-safe. Devices are numbered
as in schedgpu.h: 0 is the first device of the job. Sizes are bytes, times are seconds.
"""

from ._iteration import iteration, iterations
from ._lane import lane_memory
from ._lane import share as _share
from ._library import Error, library as _get_library, timeout_ns as _timeout_ns

__all__ = ["Error", "info", "iteration", "iterations", "lane_memory", "release", "reserve", "share_lane"]
__version__ = "0.1.0"


def reserve(size_bytes, device=0, timeout=None):
    """Reserves `size_bytes` (0 to 2**64 - 1) for memory that the preload library does not see.

    Waits up to `timeout` seconds if it does not fit: None is the job's own wait, 0 does not wait,
    ``math.inf`` has no limit. Raises Error with ``name`` EBUDGET, ETOOBIG, EWOULDBLOCK, ETIMEDOUT, EDEADLOCK or
    another of schedgpu_reserve(), of which it is a wrapper, and ValueError.
    """
    _get_library().reserve(device, _size(size_bytes), _timeout_ns(timeout))


def release(size_bytes, device=0):
    """Releases `size_bytes` that were reserved. Raises Error, as schedgpu_release(), and ValueError."""
    _get_library().release(device, _size(size_bytes))


def share_lane(device=0):
    """Lets the jobs of this user that do the same share one memory for their iterations: see lane_memory().

    Call it after ``import torch``, before the job uses the device. From then on the job gets no more than its
    persistent memory beside the lane. False, with one line on stderr, if that is not possible: memory is then
    returned at the end of turns. False and no line outside of a lane job.
    """
    return _share(device)


def info(device=0):
    """A dict with the fields of struct schedgpu_info: the job's budget and use. Raises Error, as schedgpu_query()."""
    return _get_library().query(device)


def _size(size_bytes):
    if not 0 <= size_bytes < 1 << 64:
        raise ValueError("schedgpu: size of %r bytes: must be 0 to 2**64 - 1" % (size_bytes,))
    return int(size_bytes)
