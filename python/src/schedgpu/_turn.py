"""The turn of this process on one device, and who inside the process needs it.

An iteration that runs is a hold. The turn is taken with the first hold. It is not given back with the last one,
but as soon as another process waits for it and nobody holds it: PyTorch's cache has to be emptied
before, which costs the next iteration its allocations again. Until then the turn stays busy, so that nobody
takes the cache for memory that the job keeps between iterations.
"""

import os
import threading
import time
import weakref

from . import _library, _wait
from ._message import tell_once

# A hand-over that the policy refuses was in vain. The next try comes so much later that tries cost at most 1/20.
PAUSE_RATIO = 19
MIN_PAUSE_S = 0.05

# After so many forward passes without gradients, and no step, a forward pass with gradients was no training.
PASSES_WITHOUT_STEP = 64

_all = weakref.WeakSet()


class Turn:
    """
        Thread-safe. ``free_cache()`` waits for the device and frees memory that is only cached. False: what is
        left must stay with the turn.
        """

    def __init__(self, device, library, free_cache, clock=time.monotonic):
        self._device = device
        self._library = library
        self._free_cache = free_cache
        self._clock = clock
        self.era = 0  # counts forks: a child has no part in the holds of its parent
        self._forget()
        _all.add(self)

    def _forget(self):
        # Reentrant: a signal handler or a finalizer may run an iteration inside of these methods.
        self._lock = threading.RLock()
        self._holds = 0
        self._marked = 0
        self.training = False  # an iteration runs that begin_training() began
        self._passes = 0
        self._taken = False
        self._ended_one = False
        self._next_try_s = 0.0

    def after_fork(self):
        """In the child, which is a process without the turn."""
        self.era += 1
        self._forget()

    def enter(self, timeout_ns):
        """One more hold; waits for the turn with the first one. Returns the era, for leave(). Raises Error."""
        with self._lock:
            if self._holds == 0 and not self._taken:
                code = _wait.begin(self._library, self._device, timeout_ns, self._give_back)
                if code != _library.OK:
                    raise self._library.error("the turn on device %d" % self._device, code)
                self._taken = True
            self._holds += 1
            return self.era

    def _give_back(self):
        """Ends a turn that came after its wait had been interrupted, unless the process has taken it since."""
        with self._lock:
            if not self._taken:
                self._library.end(self._device)

    def leave(self, era):
        """One hold less; after the last one the turn goes to who waits for it."""
        if era != self.era:
            return
        with self._lock:
            self._holds -= 1
            if self._holds == 0:
                self._ended_one = True
                self._hand_over_if_wanted()

    def enter_marked(self, timeout_ns):
        """enter() of an iteration that the program marks. It takes the place of one that began by itself."""
        with self._lock:
            era = self.enter(timeout_ns)
            self._marked += 1
            self.end_training()
            return era

    def leave_marked(self, era):
        if era != self.era:
            return
        with self._lock:
            self._marked -= 1
            self.leave(era)

    def begin_training(self, timeout_ns):
        """An iteration that ends with the next step of an optimizer, in whatever thread; not inside a marked one."""
        with self._lock:
            if not self.training and self._marked == 0:
                self.enter(timeout_ns)
                self.training = True
                self._passes = 0

    def pass_ended(self):
        """A forward pass without gradients, while an iteration of training may run that no step will end."""
        with self._lock:
            self._passes += 1
            if self._passes >= PASSES_WITHOUT_STEP:
                self.end_training()

    def end_training(self):
        with self._lock:
            if self.training:
                self.training = False
                self.leave(self.era)

    def watch(self):
        """
        Hands an unused turn over if it is wanted. For the watcher: never waits for a thread. Until the first iteration
        has ended nothing happens, because loading the model is part of it. True if an iteration ran.
        """
        if self._holds > 0 or not self._ended_one:
            return True
        if not self._lock.acquire(blocking=False):
            return True
        try:
            if self._holds == 0:
                self._hand_over_if_wanted()
            return self._holds > 0
        finally:
            self._lock.release()

    def give_up(self):
        """Ends the turn of a process that keeps no memory, so that its job may give back its budget."""
        with self._lock:
            if self._holds == 0 and self._ended_one and self._taken:
                self._end()

    def _hand_over_if_wanted(self):
        begin_s = self._clock()
        if not self._library.wanted(self._device) or begin_s < self._next_try_s:
            return
        kept = self._free_cache() is False or self._end()
        end_s = self._clock()
        if kept or self._library.wanted(self._device):
            self._next_try_s = end_s + max(MIN_PAUSE_S, PAUSE_RATIO * (end_s - begin_s))

    def _end(self):
        """True if the job uses too much memory to let another one in."""
        code = self._library.end(self._device)
        self._taken = False
        if code == _library.EKEPT:
            tell_once("kept", self._library.text(code))
        elif code != _library.OK:
            raise self._library.error("the end of the turn on device %d" % self._device, code)
        return code == _library.EKEPT


def _after_fork():
    for turn in list(_all):
        turn.after_fork()


os.register_at_fork(after_in_child=_after_fork)
