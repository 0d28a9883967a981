"""What a lane job's Python does by itself, for a script that is not changed. Programs of their own, on a fake torch."""

import os
import pathlib
import tempfile
import unittest

import support
from test_library import Case

IMPORT_ONLY = "import torch\nprint(torch.__version__)"
TRAIN = """
import torch
torch.cuda.init()
torch.cuda._reserved = 1
model, optimizer = torch.nn.Module(), torch.optim.Optimizer()
model.forward = lambda: None
def step():
    model()
    optimizer.step()
"""


class Off(Case):
    """Anything unexpected is one line, and the script goes on."""

    def off(self, reason, fault=None, code=TRAIN + "step()\nstep()\nprint('trained')", out="trained\n", **settings):
        process = support.run(code, FAKE_TORCH=fault, **settings)
        self.assertRegex(process.stderr, r"\Aschedgpu: iterations are not marked in process \d+, .*%s.*\n\Z" % reason)
        self.assertEqual((out, 0), (process.stdout, process.returncode))

    def test_a_torch_without_hooks_of_optimizers(self):
        self.off("PyTorch 1.13.1 has no register_optimizer_step_post_hook: 2.0 or newer is needed", "no_step_hooks")

    def test_a_torch_without_hooks_of_modules(self):
        self.off("PyTorch 2.6.0 has no register_module_forward_pre_hook", "no_forward_hooks")

    def test_a_torch_without_optimizers(self):
        self.off("ModuleNotFoundError", "no_optim", IMPORT_ONLY, "2.6.0\n")

    def test_a_missing_library(self):
        self.off("libschedgpu.so.0 is not found", LD_LIBRARY_PATH="/nonexistent")

    def test_an_error_of_the_library(self):
        code = 'stub_set("begin", -6)' + TRAIN + "step()\nstep()\nprint(*log())"
        self.off("the turn on device 0: text of -6", code=code, out="begin(0,0)\n")

    def test_a_hook_that_fails(self):
        self.off("TypeError", "hook_raises")

    def test_a_file_of_the_user_that_has_our_name(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "schedgpu.py").write_text("mine = 1\n")
            path = os.pathsep.join((folder, str(support.MODULE), str(support.FAKES)))
            self.off("_torch", code=TRAIN + "import schedgpu\nprint(schedgpu.mine)", out="1\n", PYTHONPATH=path)

    def test_a_closed_stderr(self):
        code = "os.close(2)\nsys.stderr = None" + TRAIN + "step()\nprint('trained')"
        process = support.run(code, FAKE_TORCH="no_step_hooks")
        self.assertEqual(("trained\n", 0), (process.stdout, process.returncode))


class Import(Case):
    def test_torch_is_not_imported_and_nothing_else_either(self):
        code = "print([m for m in ('torch', 'schedgpu', 'threading', 'importlib.util') if m in sys.modules])"
        bare = support.run("pass")
        self.assertEqual(("", ""), (bare.stdout, bare.stderr))
        process = support.run("import schedgpu_start\n" + code)
        self.assertNotIn("torch", process.stdout)
        self.assertNotIn("'schedgpu'", process.stdout)

    def test_the_error_of_a_broken_torch_is_the_scripts(self):
        code = """
for _ in range(2):
    try:
        import torch
    except RuntimeError as error:
        print(error, "torch" in sys.modules)
os.environ["FAKE_TORCH"] = ""
import torch
torch.cuda.init()
torch.optim.Optimizer().step()
print(*log())
"""
        self.says("libtorch.so is broken False\n" * 2 + "begin(0,0)\n", code, FAKE_TORCH="raises")

    def test_a_missing_torch_is_no_other_error(self):
        hide = "sys.path[:] = [path for path in sys.path if 'packages' not in path]\n"
        self.fails("^ModuleNotFoundError: No module named 'torch'$", hide + "import torch", PYTHONPATH=support.MODULE)

    def test_the_loader_of_torch_is_what_it_was(self):
        code = """
import torch
print(vars(torch.__loader__).keys() - {"name", "path"})
print([finder for finder in sys.meta_path if type(finder).__module__ == "schedgpu_start"])
"""
        self.says("set()\n[]\n", code)

    def test_a_submodule_may_come_first(self):
        self.says("begin(0,0)\n", "import torch.nn\n" + TRAIN + "step()\nprint(*log())")

    def test_a_torch_whose_hooks_do_not_run_after_exceptions(self):
        self.says("begin(0,0)\n", TRAIN + "step()\nprint(*log())", FAKE_TORCH="before_2_1")

    def test_another_hook_on_imports_works_too(self):
        code = """
import importlib.abc, importlib.util
class Other(importlib.abc.MetaPathFinder):
    inside = False
    def find_spec(self, name, path, target=None):
        if name != "torch" or self.inside: return None
        self.inside = True
        try: spec = importlib.util.find_spec(name)
        finally: self.inside = False
        real = spec.loader
        class Loader(importlib.abc.Loader):
            def create_module(self, spec): return None
            def exec_module(self, module):
                real.exec_module(module)
                print("other")
        spec.loader = Loader()
        return spec
sys.meta_path.insert(0, Other())
""" + TRAIN + "step()\nprint(*log())"
        self.says("other\nbegin(0,0)\n", code)

    def test_outside_of_a_lane_job_nothing_happens(self):
        self.says("\n", TRAIN + "step()\nprint(*log())", SCHEDGPU_LANE=None)

    def test_a_python_that_ignores_the_environment_is_one_long_iteration(self):
        code = """
import subprocess
subprocess.run([sys.executable, "-E", "-c", 'import sys; print("schedgpu_start" in sys.modules)'])
"""
        self.says("False\n", code)


class Chain(Case):
    """The sitecustomize of the site or of the user still runs."""

    def chain(self, expected, files, order, code="", err=r"\A\Z"):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                pathlib.Path(folder, name).mkdir(parents=True)
                pathlib.Path(folder, name, "sitecustomize.py").write_text(text)
            places = [str(support.MODULE) if name == "ours" else os.path.join(folder, name) for name in order]
            process = support.run("print('schedgpu_start' in sys.modules)\n" + code, PYTHONPATH=os.pathsep.join(places))
            self.assertEqual(expected, process.stdout)
            self.assertRegex(process.stderr, err)

    def test_one_behind_ours_runs_as_itself(self):
        self.chain(
            "sitecustomize\nTrue\n7\n", {"a": "value = 7\nprint(__name__)"}, ["ours", "a"],
            "import sitecustomize\nprint(sitecustomize.value)",
        )

    def test_of_several_the_first_runs(self):
        self.chain("a\nTrue\n", {"a": "print('a')", "b": "print('b')"}, ["ours", "a", "b"])

    def test_one_in_front_that_chains_is_not_run_twice(self):
        front = """
print("front")
import sys
from importlib import machinery, util
spec = machinery.PathFinder.find_spec("sitecustomize", sys.path[1:])
module = util.module_from_spec(spec)
spec.loader.exec_module(module)
"""
        self.chain("front\nTrue\n", {"a": front}, ["a", "ours"])

    def test_its_error_is_reported_as_without_ours(self):
        told = r"^Error in sitecustomize; set PYTHONVERBOSE for traceback:\nZeroDivisionError"
        self.chain("True\n", {"a": "1 / 0"}, ["ours", "a"], "", told)

    def test_without_another_one_nothing_is_said(self):
        self.chain("True\n", {}, ["ours"])


class Workers(Case):
    def test_workers_of_multiprocessing_do_not_take_part(self):
        worker = """
import ctypes
import torch

def work(_):
    with torch.no_grad():
        model = torch.nn.Module()
        model.forward = lambda: None
        model()
    torch.optim.Optimizer().step()
    library = ctypes.CDLL("libschedgpu.so.0")
    library.stub_log.restype = ctypes.c_char_p
    return library.stub_log().decode(), torch.nn.modules.module._before != {}
"""
        code = """
if __name__ == "__main__":
    step()
    print(*log())
    import multiprocessing, worker
    with multiprocessing.get_context(%r).Pool(1) as pool:
        print(pool.map(worker.work, [0]))
    print(*log())
"""
        for method in ("fork", "spawn"):
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "worker.py").write_text(worker)
                path = os.pathsep.join((str(support.MODULE), str(support.FAKES), folder))
                self.says("begin(0,0)\n[('', True)]\n\n", TRAIN + code % method, PYTHONPATH=path)

    def test_a_forked_worker_computes_on_the_processor_and_asks_for_no_turn(self):
        code = TRAIN + """
with torch.no_grad():
    model()
log()
child = os.fork()
if child == 0:
    with torch.no_grad():
        model()
    step()
    print(log(), [t.name for t in threading.enumerate()], flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
        # Python 3.12 warns of each fork in a program with threads; with CUDA it has threads anyway.
        self.says("[] ['MainThread']\n", code, PYTHONWARNINGS="ignore::DeprecationWarning")


if __name__ == "__main__":
    unittest.main()
