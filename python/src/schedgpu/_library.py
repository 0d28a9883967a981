"""The functions of libschedgpu, by ctypes, and their errors.

A process is one client of the node's region. In a job that client is the preload library, which has
the library inside: a second copy would be a second client, without the turn of the first. So the
functions are those of the preload library (or of the proxy driver) if one of them is loaded.
"""

import os

FOREVER_NS = -1
JOB_WAIT_NS = -2
NO_WAIT_NS = 0
NS_PER_S = 1_000_000_000

OK = 0
EWOULDBLOCK = -10
ETIMEDOUT = -11
ESYSTEM = -14
EKEPT = -23

SONAME = "libschedgpu.so.0"
PRELOAD = "libschedgpu-preload.so"
DRIVER = "libcuda.so.1"


class Error(Exception):
    """A call of libschedgpu failed, or the library cannot be used.

    ``code`` is the negative number of the error (docs/reference/errors.md), ``name`` its name, such as
    "EBUDGET". Both are None if the library cannot be used.
    """

    def __init__(self, text, code=None, name=None):
        super().__init__(text)
        self.code = code
        self.name = name


class Library:
    """The functions that this module calls. They raise Error, except ``end``, which returns the code."""

    def __init__(self, function):
        """``function(name, result, *arguments, holds_gil)`` gives a C function."""
        from ctypes import POINTER, c_char_p, c_int, c_int64, c_uint64

        self._begin = function("iteration_begin", c_int, c_int, c_int64)
        self._end = function("iteration_end", c_int, c_int)
        # One load: cheaper than to release Python's lock and to take it again.
        self._wanted = function("turn_wanted", c_int, c_int, holds_gil=True)
        self._reserve = function("reserve", c_int, c_int, c_uint64, c_int64)
        self._release = function("release", c_int, c_int, c_uint64)
        self._query = function("query", c_int, c_int, POINTER(info_struct()))
        self._strerror = function("strerror", c_char_p, c_int)
        self._error_name = function("error_name", c_char_p, c_int)
        try:
            self._share = function("lane_share", c_int, c_int)
        except Error:
            self._share = None  # an older library

    def text(self, code):
        return self._strerror(code).decode(errors="replace")

    def error(self, what, code):
        text = self.text(code)
        if code == ESYSTEM:
            import ctypes

            text += ": " + os.strerror(ctypes.get_errno())
        name = self._error_name(code).decode(errors="replace")
        return Error("schedgpu: %s: %s" % (what, text), code, name)

    def _check(self, what, code):
        if code != OK:
            raise self.error(what, code)

    def begin(self, device, timeout_ns):
        """Returns the code, as a time-out and EWOULDBLOCK are no surprise to the caller."""
        return self._begin(device, timeout_ns)

    def end(self, device):
        return self._end(device)

    def wanted(self, device):
        return self._wanted(device) != 0

    def share(self, device):
        return self._share(device)

    def check_allocator(self):
        """The path of the library that allocates from a shared lane; raises Error if none does."""
        path = _allocator_path()
        if path is None or self._share is None:
            raise Error("schedgpu: it needs the preload library or the proxy driver, of this version")
        return path

    def reserve(self, device, size_bytes, timeout_ns):
        self._check("reserve %d bytes" % size_bytes, self._reserve(device, size_bytes, timeout_ns))

    def release(self, device, size_bytes):
        self._check("release %d bytes" % size_bytes, self._release(device, size_bytes))

    def query(self, device):
        from ctypes import byref

        answer = info_struct()()
        self._check("device %d" % device, self._query(device, byref(answer)))
        return {name: getattr(answer, name) for name, _ in answer._fields_}


_info_struct = None


def info_struct():
    """struct schedgpu_info of schedgpu.h."""
    global _info_struct
    if _info_struct is None:
        import ctypes

        names = ("total_bytes", "budget_bytes", "job_used_bytes", "own_used_bytes", "context_bytes")
        fields = [(name, ctypes.c_uint64) for name in names]
        fields += [("mode", ctypes.c_uint32), ("priority", ctypes.c_int32)]
        fields += [("job_id", ctypes.c_uint64), ("job_context_bytes", ctypes.c_uint64)]
        _info_struct = type("Info", (ctypes.Structure,), {"_fields_": fields})
    return _info_struct


def _loaded(path):
    import ctypes

    try:
        return ctypes.CDLL(path, use_errno=True)
    except OSError:
        return None


def _of_preload(library):
    """The lookup of a preload library or proxy; None if `library` is neither, or leaves its work to another one."""
    import ctypes

    lookup = getattr(library, "schedgpu_preload_function", None)
    if lookup is None:
        return None
    lookup.restype = ctypes.c_void_p
    lookup.argtypes = [ctypes.c_char_p]
    if not lookup(b"strerror"):
        return None

    def function(name, result, *arguments, holds_gil=False):
        address = lookup(name.encode())
        if not address:
            raise Error("schedgpu: %s has no %s: it is older than this module" % (PRELOAD, name))
        kind = ctypes.PYFUNCTYPE if holds_gil else ctypes.CFUNCTYPE
        return kind(result, *arguments, **({} if holds_gil else {"use_errno": True}))(address)

    return function


def _of_library(library, path):
    import ctypes

    def function(name, result, *arguments, holds_gil=False):
        found = getattr(ctypes.PyDLL(path) if holds_gil else library, "schedgpu_" + name, None)
        if found is None:
            raise Error("schedgpu: %s has no schedgpu_%s: it is older than this module" % (path, name))
        found.restype = result
        found.argtypes = arguments
        return found

    return function


def _mapped_path(name):
    """The path of the file of this name that is mapped into the process; None if there is none."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = (line.rstrip("\n").split(None, 5)[-1] for line in maps)
            return next((path for path in paths if path.endswith("/" + name)), None)
    except OSError:
        return None


def _is_mapped(name):
    return _mapped_path(name) is not None


def _allocator_path():
    for name in (PRELOAD, DRIVER):
        path = _mapped_path(name)
        if path and hasattr(_loaded(path), "schedgpu_lane_allocate"):
            return path
    return None


def _paths():
    """Where the library may be: where the linker looks, and beside an installed module."""
    yield SONAME
    prefix = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../../.."))
    for folder in ("lib", "lib64"):
        yield os.path.join(prefix, folder, SONAME)


def find():
    """A Library; raises Error."""
    # The driver comes before libschedgpu.so: it may be the proxy, which does nothing beside the latter.
    for name in (None, DRIVER):
        library = _loaded(name)
        function = library and _of_preload(library)
        if function:
            return Library(function)
    if _is_mapped(PRELOAD) and not _is_mapped(SONAME):
        raise Error("schedgpu: %s in this process is older than this module: install both anew" % PRELOAD)
    for path in _paths():
        library = _loaded(path)
        if library:
            return Library(_of_library(library, path))
    raise Error("schedgpu: %s is not found: install libschedgpu, or set LD_LIBRARY_PATH" % SONAME)


_library = None


def library():
    """The one Library of this process; raises Error. Thread-safe."""
    global _library
    if _library is None:
        _library = find()
    return _library


def timeout_ns(timeout_s):
    """Nanoseconds for the C calls: None is the job's own wait, infinity waits without a limit."""
    if timeout_s is None:
        return JOB_WAIT_NS
    if timeout_s == float("inf"):
        return FOREVER_NS
    if not 0 <= timeout_s < 2**63 / NS_PER_S:
        raise ValueError("schedgpu: timeout of %r s: must be 0 or more, or None" % (timeout_s,))
    return int(timeout_s * NS_PER_S)
