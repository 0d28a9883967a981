"""What tests share: the module under test, a fake library, and programs that run beside it."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MODULE = pathlib.Path(os.environ.get("SCHEDGPU_PYTHON_MODULE", HERE.parent / "src"))
STUBS = HERE.parent / "target/native/tests"
STUB_FOLDER = STUBS / "stub"  # has a libschedgpu.so.0
PRELOAD_STUB = STUBS / "stub-preload/libschedgpu-preload.so"
FAKES = HERE / "fakes"
LIMIT_S = 300  # ends a program that hangs

sys.path.insert(0, str(MODULE))


class FakeLibrary:
    """The functions of Library, in Python. `calls` has what was called."""

    def __init__(self):
        self.calls = []
        self.begin_code = self.end_code = self.share_code = 0
        self.others_wait = False
        self.keeps = False

    def begin(self, device, timeout_ns):
        self.calls.append("begin")
        return self.begin_code

    def end(self, device):
        self.calls.append("end")
        if self.end_code == 0 and not self.keeps:
            self.others_wait = False
        return self.end_code

    def wanted(self, device):
        return self.others_wait

    def share(self, device):
        self.calls.append("share")
        return self.share_code

    def check_allocator(self):
        return None

    def text(self, code):
        return "text of %d" % code

    def error(self, what, code):
        from schedgpu import Error

        return Error("%s: %s" % (what, self.text(code)), code, "ESTUB")

    def free_cache(self):
        self.calls.append("free")

    def take(self):
        """The calls since the last time."""
        calls, self.calls = self.calls, []
        return calls


class FakeCublas:
    """torch._C, as far as PyTorch's own workspace for cuBLAS goes: a tensor of where the first product runs."""

    def __init__(self, tensor):
        self._tensor = tensor
        self._workspace = None

    def product(self):
        if self._workspace is None:
            self._workspace = self._tensor(32 << 20)

    def _cuda_clearCublasWorkspaces(self):
        self._workspace = None


STUB_CODE = """
import ctypes, os, sys, threading, time
def stub():
    if os.environ.get("LD_PRELOAD"):
        return ctypes.CDLL(None)
    return ctypes.CDLL("libschedgpu.so.0")
def stub_set(name, value):
    stub().stub_set(name.encode(), value)
def stub_get(name):
    return stub().stub_get(name.encode())
def log():
    function = stub().stub_log
    function.restype = ctypes.c_char_p
    return function().decode().split()
def until(condition):
    while not condition():
        time.sleep(0.001)
"""


def run(code, **settings):
    """
    Runs `code` in a Python of its own, in a lane job with the stub as libschedgpu.so.0. Settings: environment;
    None removes. Returns the process, with stdout and stderr as text.
    """
    environment = dict(os.environ, SCHEDGPU_LANE="fair", LD_LIBRARY_PATH=str(STUB_FOLDER))
    environment["PYTHONPATH"] = os.pathsep.join((str(MODULE), str(FAKES)))
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment.pop("LD_PRELOAD", None)
    for name, value in settings.items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = str(value)
    return subprocess.run(
        [sys.executable, "-c", STUB_CODE + code], env=environment, capture_output=True, text=True, timeout=LIMIT_S
    )
