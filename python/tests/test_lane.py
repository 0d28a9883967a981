"""Tensors in the memory of a shared lane; in this process, on a fake torch and a fake library."""

import contextlib
import io
import os
import sys
import unittest

import support
from schedgpu import Error, _lane, _library, _message, _process, _turn, lane_memory, share_lane


class Case(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, str(support.FAKES))
        self.addCleanup(sys.path.remove, str(support.FAKES))
        self.addCleanup(self.forget)
        os.environ[_process.LANE] = "fair"
        import torch

        self.torch = torch
        self.library = support.FakeLibrary()
        _library._library = self.library
        _process.turns[0] = _turn.Turn(0, self.library, lambda: _process._leave_lane(0))
        _process._watched.add(0)
        _message._told.clear()
        torch.cuda.init()
        self.said = io.StringIO()
        stderr = contextlib.redirect_stderr(self.said)
        stderr.__enter__()
        self.addCleanup(stderr.__exit__, None, None, None)

    def forget(self):
        for name in [name for name in sys.modules if name.split(".")[0] == "torch"]:
            del sys.modules[name]
        _library._library = None
        _process.turns.clear()
        _process._watched.clear()
        _lane._after_fork()
        os.environ.pop(_process.LANE, None)
        os.environ.pop("FAKE_TORCH", None)

    def calls(self):
        device, self.torch.cuda.calls[:] = list(self.torch.cuda.calls), []
        return self.library.take() + device


class Shared(Case):
    def setUp(self):
        super().setUp()
        self.assertTrue(share_lane())
        self.assertEqual(["share"], self.calls())

    def test_its_tensors_are_in_the_lane(self):
        with lane_memory():
            tensor = self.torch.cuda.Tensor(100)
            self.assertEqual(1, tensor.address)
            self.assertEqual(100, _lane.bytes_in_use(0))
            del tensor
        self.assertIsNone(self.torch.cuda.Tensor(100).address)
        self.assertEqual(["begin", "allocator"], self.calls())

    def test_a_switch_frees_nothing(self):
        self.library.others_wait = True
        with lane_memory():
            self.torch.cuda.Tensor(100)
        self.assertEqual(["begin", "end", "allocator", "synchronize"], self.calls())
        self.assertEqual("", self.said.getvalue())

    def test_a_tensor_that_survives_keeps_the_turn(self):
        self.library.others_wait = True
        for _ in range(2):
            with lane_memory():
                tensor = self.torch.cuda.Tensor(100)
            self.assertNotIn("end", self.calls())
        self.assertEqual(
            "schedgpu: 100 bytes of tensors are in the lane after an iteration: the turn is kept\n",
            self.said.getvalue(),
        )
        del tensor
        _process.turns[0]._next_try_s = 0
        with lane_memory():
            pass
        self.assertIn("end", self.calls())

    def test_the_workspace_of_cublas_does_not_keep_the_turn(self):
        self.library.others_wait = True
        self.torch._C = cublas = support.FakeCublas(self.torch.cuda.Tensor)
        for _ in range(2):
            with lane_memory():
                cublas.product()
            self.assertIn("end", self.calls())
            self.library.others_wait, _process.turns[0]._next_try_s = True, 0
        self.assertEqual("", self.said.getvalue())

    def test_a_tensor_beside_the_workspace_keeps_the_turn(self):
        self.library.others_wait = True
        self.torch._C = cublas = support.FakeCublas(self.torch.cuda.Tensor)
        with lane_memory():
            cublas.product()
            tensor = self.torch.cuda.Tensor(100)
        self.assertNotIn("end", self.calls())
        self.assertIn("schedgpu: 100 bytes of tensors", self.said.getvalue())
        del tensor

    def test_the_pool_is_made_once(self):
        for _ in range(2):
            with lane_memory():
                pass
        self.assertEqual(["begin", "allocator"], self.calls())

    def test_it_is_shared_once(self):
        self.assertTrue(share_lane())
        self.assertEqual([], self.calls())

    def test_an_exception_leaves_the_pool_and_the_turn(self):
        self.library.others_wait = True
        with self.assertRaises(ZeroDivisionError):
            with lane_memory():
                raise ZeroDivisionError
        self.assertIn("end", self.calls())
        self.assertEqual([], self.torch.cuda._used)

    def test_a_pool_that_cannot_be_made_leaves_the_turn(self):
        self.library.others_wait = True
        self.torch.cuda.MemPool = None
        with self.assertRaises(TypeError):
            with lane_memory():
                pass
        self.assertIn("end", self.calls())

    def test_without_the_turn_there_is_no_memory(self):
        self.library.begin_code = _library.ETIMEDOUT
        with self.assertRaises(Error):
            with lane_memory():
                self.fail()
        self.assertEqual([], self.torch.cuda._used)

    def test_pools_go_before_their_allocators(self):
        with lane_memory():
            self.torch.cuda.Tensor(100)
        self.calls()
        _lane._free_pools()
        self.assertEqual(["pool freed"], self.calls())

    def test_a_forked_child_shares_nothing(self):
        child = os.fork()
        if child == 0:
            os._exit(1 if _lane.is_shared(0) else 0)
        self.assertEqual(0, os.waitpid(child, 0)[1])


class NotShared(Case):
    def is_returned(self, line):
        self.assertFalse(share_lane())
        self.assertFalse(share_lane())
        self.calls()
        self.library.others_wait = True
        with lane_memory():
            self.assertIsNone(self.torch.cuda.Tensor(100).address)
        self.assertEqual(["begin", "end", "synchronize", "empty_cache"], self.calls())
        before = "schedgpu: the lane is not shared, memory is returned at the end of turns: "
        self.assertEqual(before + line + "\n", self.said.getvalue())

    def test_a_refusal_of_the_library(self):
        self.library.share_code = -1
        self.is_returned("the lane of device 0: text of -1")

    def test_a_pytorch_without_pools(self):
        del self.torch.cuda.MemPool
        self.is_returned("PyTorch 2.6.0 has no torch.cuda.MemPool: 2.6 is needed")

    def test_a_pytorch_without_their_snapshot(self):
        snapshot = self.torch.cuda.MemPool.snapshot
        self.addCleanup(setattr, self.torch.cuda.MemPool, "snapshot", snapshot)
        del self.torch.cuda.MemPool.snapshot
        self.is_returned("PyTorch 2.6.0 has no torch.cuda.MemPool.snapshot: 2.6 is needed")

    def test_a_program_that_did_not_import_pytorch(self):
        torch = sys.modules.pop("torch")
        self.assertFalse(share_lane())
        sys.modules["torch"] = torch
        self.assertIn("import torch before", self.said.getvalue())

    def test_a_library_that_does_not_allocate(self):
        def fails():
            raise Error("schedgpu: it needs the preload library or the proxy driver, of this version")

        self.library.check_allocator = fails
        self.is_returned("it needs the preload library or the proxy driver, of this version")

    def test_outside_of_a_lane_job(self):
        del os.environ[_process.LANE]
        self.assertFalse(share_lane())
        with lane_memory():
            pass
        self.assertEqual(([], ""), (self.calls(), self.said.getvalue()))


if __name__ == "__main__":
    unittest.main()
