"""Where iterations of a PyTorch program begin and end; in this process, on a fake torch and a fake library."""

import contextlib
import io
import os
import sys
import threading
import types
import unittest

import support
from schedgpu import _library, _message, _process, _torch, _turn, iteration


class Case(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, str(support.FAKES))
        self.addCleanup(sys.path.remove, str(support.FAKES))
        self.addCleanup(self.forget)
        import torch

        self.torch = torch
        self.library = support.FakeLibrary()
        self.turn = _turn.Turn(0, self.library, _process.free_cache)
        _process.turns[0] = self.turn
        _process._watched.add(0)  # no thread: looks are tested in test_turn
        _message._told.clear()
        torch.cuda.init()
        self.attach()

    def attach(self):
        _torch.attach(self.torch)

    def forget(self):
        for name in [name for name in sys.modules if name.split(".")[0] == "torch"]:
            del sys.modules[name]
        _torch._attached = None
        _process.turns.clear()
        _process._watched.clear()
        os.environ.pop(_process.LANE, None)

    def module(self, forward):
        module = self.torch.nn.Module()
        module.forward = forward
        return module

    def calls(self):
        """Of the library and of the device since the last time."""
        device, self.torch.cuda.calls[:] = list(self.torch.cuda.calls), []
        return self.library.take() + device


class Training(Case):
    def setUp(self):
        super().setUp()
        self.optimizer = self.torch.optim.Optimizer()
        self.inner = self.module(lambda: None)
        self.model = self.module(lambda: self.inner())

    def test_an_iteration_is_from_the_forward_pass_to_the_step(self):
        self.library.others_wait = True
        self.model()
        self.assertEqual(["begin"], self.calls())
        self.optimizer.step()
        self.assertEqual(["end", "synchronize", "empty_cache"], self.calls())

    def test_a_gradient_of_several_batches_is_one_iteration(self):
        self.library.others_wait = True
        for _ in range(3):
            self.model()
        self.assertEqual(["begin"], self.calls())

    def test_a_step_without_a_module_is_an_iteration(self):
        self.library.others_wait = True
        self.optimizer.step()
        self.assertEqual(["begin", "end", "synchronize", "empty_cache"], self.calls())

    def test_a_closure_runs_inside_its_step(self):
        self.library.others_wait = True
        self.optimizer.step(self.model)
        self.assertEqual(["begin", "end", "synchronize", "empty_cache"], self.calls())

    def test_a_forward_pass_without_gradients_inside_ends_nothing(self):
        self.library.others_wait = True

        def forward():
            with self.torch.no_grad():
                self.inner()

        self.module(forward)()
        self.assertEqual(["begin"], self.calls())
        self.optimizer.step()
        self.assertEqual(["end", "synchronize", "empty_cache"], self.calls())

    def test_a_forward_pass_in_the_backward_pass_of_another_thread_belongs_to_the_iteration(self):
        self.model()
        thread = threading.Thread(target=self.model)
        thread.start()
        thread.join()
        self.library.others_wait = True
        self.optimizer.step()
        self.assertEqual(["begin", "end", "synchronize", "empty_cache"], self.calls())

    def test_steps_inside_the_backward_pass_end_nothing(self):
        _torch._attached._in_backward = lambda: 3
        self.library.others_wait = True
        self.model()
        self.optimizer.step()
        self.assertEqual(["begin"], self.calls())

    def test_a_marked_iteration_has_no_other_boundaries_inside(self):
        os.environ[_process.LANE] = "fair"
        self.library.others_wait = True
        with iteration():
            for _ in range(2):
                self.model()
                self.optimizer.step()
            with self.torch.no_grad():
                self.model()
            self.assertEqual(["begin"], self.calls())
        self.assertEqual(["end", "synchronize", "empty_cache"], self.calls())

    def test_without_cuda_nothing_is_marked(self):
        self.torch.cuda._initialized = False
        self.model()
        self.optimizer.step()
        self.assertEqual([], self.calls())

    def test_a_time_out_is_told_once_and_the_next_iteration_asks_again(self):
        self.library.begin_code = _library.ETIMEDOUT
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            for _ in range(2):
                self.model()
                self.optimizer.step()
        self.assertEqual(
            "schedgpu: the turn on device 0: text of -11; the iteration goes on without it\n", said.getvalue()
        )
        self.library.begin_code = 0
        self.library.take()
        self.model()
        self.assertEqual(["begin"], self.calls())

    def test_after_an_error_the_hooks_are_removed(self):
        self.library.begin_code = -4
        with contextlib.redirect_stderr(io.StringIO()):
            self.model()
        modules, optimizers = self.torch.nn.modules.module, sys.modules["torch.optim.optimizer"]
        self.assertEqual([{}] * 4, [modules._before, modules._after, optimizers._before, optimizers._after])
        self.model()
        self.assertEqual(["begin"], self.calls())

    def test_hooks_are_registered_once(self):
        _torch.attach(self.torch)
        self.assertEqual(1, len(self.torch.nn.modules.module._before))


class Notebook(Case):
    def attach(self):
        self.cell_ends = []
        events = types.SimpleNamespace(register=lambda name, callback: self.cell_ends.append((name, callback)))
        shell = types.SimpleNamespace(events=events)
        sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
        self.addCleanup(sys.modules.pop, "IPython")
        super().attach()

    def test_an_iteration_that_fails_ends_with_its_cell(self):
        ((name, cell_ends),) = self.cell_ends
        self.assertEqual("post_run_cell", name)
        self.library.others_wait = True
        with self.assertRaises(ZeroDivisionError):
            self.module(lambda: 1 / 0)()
        self.assertEqual(["begin"], self.calls())
        cell_ends(None)
        cell_ends(None)
        self.assertEqual(["end", "synchronize", "empty_cache"], self.calls())


class Inference(Case):
    def setUp(self):
        super().setUp()
        self.library.others_wait = True
        self.depth = []
        self.inner = self.module(lambda: self.depth.append(self.library.take()))
        self.model = self.module(lambda: self.inner())

    def test_it_is_one_forward_pass_of_the_outermost_module(self):
        with self.torch.inference_mode():
            self.model()
        self.assertEqual([["begin"]], self.depth)
        self.assertEqual(["end", "synchronize", "empty_cache"], self.calls())

    def test_an_exception_ends_it(self):
        for always_call in (True, False):
            self.library.others_wait = True
            if not always_call:
                self.forget()
                self.setUp()
                self.forget_always_call()
            failing = self.module(lambda: 1 / 0)
            with self.torch.no_grad():
                with self.assertRaises(ZeroDivisionError):
                    failing()
                if not always_call:
                    failing.forward = lambda: None
                    failing()  # PyTorch 2.0 calls no hook after an exception: the next pass ends it
            self.assertEqual(["begin", "end", "synchronize", "empty_cache"], self.calls())

    def forget_always_call(self):
        module = self.torch.nn.modules.module
        module.has_always_call = False
        module._before.clear(), module._after.clear()
        module._always.clear()
        _torch._attached = None
        _torch.attach(self.torch)

    def test_a_first_pass_with_gradients_makes_it_no_training_forever(self):
        self.model()
        with self.torch.no_grad():
            for _ in range(_turn.PASSES_WITHOUT_STEP - 1):
                self.model()
            self.assertEqual([], self.calls())
            self.model()
            self.assertEqual(["end", "synchronize", "empty_cache"], self.calls())

    def test_two_threads_have_an_iteration_each(self):
        inside, goes_on = threading.Event(), threading.Event()

        def forward():
            inside.set()
            goes_on.wait()

        def infer(model):
            with self.torch.no_grad():
                model()

        def forward_while_the_other_ends():
            goes_on.set()
            other.join()
            self.depth.append(self.calls())

        other = threading.Thread(target=infer, args=(self.module(forward),))
        other.start()
        inside.wait()
        infer(self.module(forward_while_the_other_ends))
        self.assertEqual([["begin"]], self.depth)
        self.assertEqual(["end", "synchronize", "empty_cache"], self.calls())

    def test_a_child_that_is_forked_inside_begins_anew(self):
        status = []

        def forward():
            child = os.fork()
            if child == 0:
                self.torch.cuda.init()
                self.library.take()
                self.inner()
                os._exit(0 if self.calls() == ["end", "synchronize", "empty_cache"] else 1)
            status.append(os.waitpid(child, 0)[1])

        with self.torch.no_grad():
            self.module(forward)()
        self.assertEqual([0], status)


class Graphs(Case):
    def test_nothing_is_handed_over_while_a_graph_is_recorded(self):
        self.library.others_wait = True
        graph, model = self.torch.cuda.CUDAGraph(), self.module(lambda: None)
        graph.capture_begin()
        with self.torch.no_grad():
            model()
        self.turn.watch()
        self.assertEqual(["begin", "capture_begin"], self.calls())
        graph.capture_end()
        self.assertEqual(["end", "capture_end", "synchronize", "empty_cache"], self.calls())

    def test_a_failed_record_holds_nothing(self):
        self.library.others_wait = True
        with self.assertRaises(RuntimeError):
            self.torch.cuda.CUDAGraph().capture_begin(fails=True)
        self.assertEqual(["begin", "end", "capture_begin", "synchronize", "empty_cache"], self.calls())

    def test_a_replay_is_an_iteration(self):
        self.library.others_wait = True
        self.torch.cuda.CUDAGraph().replay()
        self.assertEqual(["begin", "end", "replay", "synchronize", "empty_cache"], self.calls())


if __name__ == "__main__":
    unittest.main()
