"""Waits for a turn so that Ctrl-C and other signals still reach the program.

Python runs the handlers of signals in the main thread, and not while that is inside a C call. So if the turn is
not free, another thread waits in the C call, and the main thread waits for that thread.
"""

import threading

from . import _library


class _Asker(threading.Thread):
    def __init__(self, library, device, timeout_ns):
        super().__init__(name="schedgpu-turn", daemon=True)
        self._library = library
        self._device = device
        self._timeout_ns = timeout_ns
        self._lock = threading.Lock()
        self._abandoned = False
        self.code = None
        self.done = threading.Event()

    def run(self):
        code = self._library.begin(self._device, self._timeout_ns)
        with self._lock:
            self.code = code
            self.done.set()
            if self._abandoned and code == _library.OK:
                self._library.end(self._device)

    def abandon(self):
        """Nobody needs the turn any more: it is given back when it comes."""
        with self._lock:
            self._abandoned = True
            if self.code == _library.OK:
                self._library.end(self._device)


def begin(library, device, timeout_ns):
    """Library.begin(). A signal handler that raises ends the wait; the exception goes on."""
    if timeout_ns == _library.NO_WAIT_NS or threading.current_thread() is not threading.main_thread():
        return library.begin(device, timeout_ns)
    code = library.begin(device, _library.NO_WAIT_NS)
    if code != _library.EWOULDBLOCK:
        return code
    asker = _Asker(library, device, timeout_ns)
    asker.start()
    try:
        asker.done.wait()
    except BaseException:
        asker.abandon()
        raise
    return asker.code
