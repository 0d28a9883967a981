"""Which library a process uses, and what its calls and errors become. Each test is a program of its own."""

import os
import pathlib
import tempfile
import unittest

import support
from schedgpu import _library


class Case(unittest.TestCase):
    def says(self, expected, code, **settings):
        process = support.run(code, **settings)
        self.assertEqual((expected, ""), (process.stdout, process.stderr))
        self.assertEqual(0, process.returncode)

    def fails(self, pattern, code, **settings):
        process = support.run(code, **settings)
        self.assertRegex(process.stderr.splitlines()[-1], pattern)
        self.assertEqual(1, process.returncode)


class Choice(Case):
    ITERATE = """
import schedgpu
with schedgpu.iteration(): pass
print(*log())
"""

    def test_libschedgpu_without_a_preload_library(self):
        self.says("begin(0,0)\n", self.ITERATE.replace("iteration()", "iteration(timeout=0)"))

    def test_the_preload_library_comes_first(self):
        self.says(
            "begin(0,0)\nFalse\n",
            self.ITERATE.replace("iteration()", "iteration(timeout=0)")
            + 'print("libschedgpu.so.0" in open("/proc/self/maps").read())',
            LD_PRELOAD=support.PRELOAD_STUB,
        )

    def test_a_passive_preload_library_is_not_used(self):
        code = """
stub_set("passive", 1)
own = ctypes.CDLL("libschedgpu.so.0")
import schedgpu
schedgpu.reserve(1)
own.stub_log.restype = ctypes.c_char_p
print(own.stub_log().decode(), log())
"""
        self.says("reserve(0,1,-2)  []\n", code, LD_PRELOAD=support.PRELOAD_STUB)

    def test_a_proxy_driver_comes_before_libschedgpu(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(support.PRELOAD_STUB, os.path.join(folder, _library.DRIVER))
            self.says(
                "False\n",
                'import schedgpu\nschedgpu.reserve(1)\nprint("libschedgpu.so.0" in open("/proc/self/maps").read())',
                LD_LIBRARY_PATH="%s:%s" % (folder, support.STUB_FOLDER),
            )

    def test_an_older_preload_library_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder, _library.PRELOAD)
            old.write_bytes((support.STUB_FOLDER / _library.SONAME).read_bytes())
            self.fails(
                "libschedgpu-preload.so in this process is older than this module",
                "import schedgpu\nschedgpu.info()",
                LD_PRELOAD=old,
            )

    def test_a_missing_library_is_told_with_what_to_do(self):
        self.fails(
            "^schedgpu._library.Error: schedgpu: libschedgpu.so.0 is not found: install libschedgpu, or set LD_L",
            "import schedgpu\nschedgpu.info()",
            LD_LIBRARY_PATH="/nonexistent",
        )

    def test_an_installed_module_finds_the_library_of_its_prefix(self):
        before = _library.__file__
        _library.__file__ = "/opt/prefix/share/schedgpu/python/schedgpu/_library.py"
        try:
            self.assertEqual(
                ["libschedgpu.so.0", "/opt/prefix/lib/libschedgpu.so.0", "/opt/prefix/lib64/libschedgpu.so.0"],
                list(_library._paths()),
            )
        finally:
            _library.__file__ = before

    def test_a_library_without_lanes_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(support.PRELOAD_STUB, os.path.join(folder, _library.SONAME))  # exports none of the API
            self.fails(
                "libschedgpu.so.0 has no schedgpu_iteration_begin: it is older than this module",
                "import schedgpu\nschedgpu.info()",
                LD_LIBRARY_PATH=folder,
            )


class Calls(Case):
    def test_reserve_release_and_info(self):
        code = """
import schedgpu, math
schedgpu.reserve(2**40, device=1, timeout=1.5)
schedgpu.reserve(1, timeout=math.inf)
schedgpu.release(7, 2)
info = schedgpu.info(3)
print(*log())
print(info["total_bytes"], info["mode"], info["priority"], info["job_id"], info["job_context_bytes"])
"""
        self.says(
            "reserve(1,1099511627776,1500000000) reserve(0,1,-1) release(2,7)\n1003 1 -1 42 1099511627776\n", code
        )

    def test_an_error_has_text_number_and_name(self):
        code = """
import schedgpu
stub_set("reserve", -9)
try:
    schedgpu.reserve(5)
except schedgpu.Error as error:
    print(error, error.code, error.name)
"""
        self.says("schedgpu: reserve 5 bytes: text of -9 -9 EBUDGET\n", code)

    def test_an_error_of_the_system_says_which(self):
        self.fails(
            "^schedgpu._library.Error: schedgpu: the turn on device 0: text of -14: No space left on device",
            'import schedgpu\nstub_set("begin", -14)\nwith schedgpu.iteration(): print("never")',
        )

    def test_bad_arguments_are_named(self):
        for call, value in (
            ("reserve(-1)", "size of -1 bytes: must be 0 to"),
            ("release(2**64)", "size of 18446744073709551616 bytes"),
            ("reserve(1, timeout=-2)", "timeout of -2 s: must be 0 or more, or None"),
            ("iteration(timeout=float('nan'))", "timeout of nan s"),
            ("iteration(timeout=1e10)", "timeout of 10000000000.0 s"),
        ):
            self.fails("^ValueError: schedgpu: " + value, "import schedgpu\nschedgpu." + call)


if __name__ == "__main__":
    unittest.main()
