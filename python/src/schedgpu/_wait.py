"""Waits for a turn so that Ctrl-C and other signals still reach the program.

Python runs the handlers of signals in the main thread, and not while that is inside a C call. So if the turn is
not free, another thread waits in the C call, and the main thread waits for that thread. Both use bare locks: a
handler that raises inside of threading.Event could leave the event's own lock taken.
"""

import _thread
import threading

from . import _library


class _Asker:
    def __init__(self, library, device, timeout_ns, give_back):
        self._library = library
        self._device = device
        self._timeout_ns = timeout_ns
        self._give_back = give_back
        self._lock = _thread.allocate_lock()
        self._abandoned = False
        self.code = None
        self.answered = _thread.allocate_lock()
        self.answered.acquire()

    def ask(self):
        code = self._library.begin(self._device, self._timeout_ns)
        with self._lock:
            self.code = code
            came_late = self._abandoned and code == _library.OK
        self.answered.release()
        if came_late:
            self._give_back()

    def abandon(self):
        """The caller does not need the turn any more: it is given back when it comes."""
        with self._lock:
            self._abandoned = True
            has_come = self.code == _library.OK
        if has_come:
            self._give_back()


def begin(library, device, timeout_ns, give_back):
    """
    Library.begin(). A signal handler that raises ends the wait; the exception goes on. If the turn comes
    nevertheless, `give_back()` is called, in any thread: by then the process may have begun another iteration.
    """
    if timeout_ns == _library.NO_WAIT_NS or threading.current_thread() is not threading.main_thread():
        return library.begin(device, timeout_ns)
    code = library.begin(device, _library.NO_WAIT_NS)
    if code != _library.EWOULDBLOCK:
        return code
    asker = _Asker(library, device, timeout_ns, give_back)
    try:
        _thread.start_new_thread(asker.ask, ())
        asker.answered.acquire()
        return asker.code
    except BaseException:
        asker.abandon()
        raise
