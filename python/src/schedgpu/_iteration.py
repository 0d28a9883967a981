"""Iterations that a program marks itself."""

from . import _library, _process


class iteration:  # named as a function, for `with schedgpu.iteration():`
    """One iteration: a context manager that waits for the turn of its lane, and lets it go at the end.

    `timeout` in seconds: None is the job's own wait, 0 does not wait, ``math.inf`` has no limit. Raises Error, with
    ``name`` ETIMEDOUT or EWOULDBLOCK if the turn did not come in time; then the body is not run.

    At the end, if another process waits, PyTorch's device is synchronized and its cache freed. Another
    library's memory must be freed, and its kernels have ended, before the end. May be nested and used by several
    threads: the turn is held from the first begin to the last end.
    """

    def __init__(self, device=0, timeout=None):
        self._device = device
        self._timeout_ns = _library.timeout_ns(timeout)
        self._entered = []

    def __enter__(self):
        turn = _process.turn(self._device) if _process.in_lane_job() else None
        self._entered.append((turn, turn and turn.enter_marked(self._timeout_ns)))
        return self

    def __exit__(self, *_):
        turn, era = self._entered.pop()
        if turn is not None:
            turn.leave_marked(era)
            _process.watch(self._device)


def iterations(iterable, device=0, timeout=None):
    """Yields each item inside an iteration of its own; the next item is fetched between two iterations."""
    for item in iterable:
        with iteration(device, timeout):
            yield item
