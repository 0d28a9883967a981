"""The thread that hands over a turn that nobody in the process uses, while memory is still cached.

Boundaries do it themselves. The thread is for the time between iterations: the next batch comes from a slow disk, or
a notebook waits for its user.
"""

import threading

from ._message import tell_off

FASTEST_S = 0.01
SLOWEST_S = 0.16  # the pause doubles while no iteration runs
END_S = 2.0


class Watcher(threading.Thread):
    """``keeps_memory()`` tells whether the process has any memory of the device."""

    def __init__(self, turn, keeps_memory):
        super().__init__(name="schedgpu-watcher", daemon=True)
        self._turn = turn
        self._keeps_memory = keeps_memory
        self._ended = threading.Event()
        self.pause_s = FASTEST_S

    def run(self):
        try:
            while not self._ended.wait(self.pause_s):
                self.look()
        except Exception as error:
            tell_off("the watcher of its turn failed: %r" % (error,))

    def look(self):
        """One look; sets the pause until the next one."""
        if self._turn.watch():
            self.pause_s = FASTEST_S
            return
        self.pause_s = min(2 * self.pause_s, SLOWEST_S)
        if self.pause_s == SLOWEST_S and not self._keeps_memory():
            self._turn.give_up()

    def stop(self):
        self._ended.set()
        if self.is_alive() and threading.current_thread() is not self:
            self.join(END_S)
