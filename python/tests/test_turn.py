"""When the turn is asked for, kept and handed over; with a fake of the library and of the clock."""

import contextlib
import io
import os
import threading
import unittest

import support
from schedgpu import Error, _library, _message, _turn, _watcher


class Case(unittest.TestCase):
    def setUp(self):
        self.library = support.FakeLibrary()
        self.now_s = 100.0
        self.cost_s = 0.0
        self.turn = _turn.Turn(0, self.library, self.free_cache, clock=lambda: self.now_s)
        _message._told.clear()

    def free_cache(self):
        self.library.free_cache()
        self.now_s += self.cost_s

    def iterate(self):
        self.turn.leave(self.turn.enter(-1))


class Holds(Case):
    def test_the_turn_is_kept_while_nobody_wants_it(self):
        for _ in range(3):
            self.iterate()
        self.assertEqual(["begin"], self.library.take())

    def test_a_wanted_turn_is_handed_over_with_an_empty_cache(self):
        self.library.others_wait = True
        self.iterate()
        self.assertEqual(["begin", "free", "end"], self.library.take())
        self.iterate()
        self.assertEqual(["begin"], self.library.take())

    def test_the_turn_is_not_handed_over_inside_an_outer_iteration(self):
        self.library.others_wait = True
        outer = self.turn.enter(-1)
        self.iterate()
        self.assertEqual(["begin"], self.library.take())
        self.turn.leave(outer)
        self.assertEqual(["free", "end"], self.library.take())

    def test_another_thread_holds_the_turn_too(self):
        self.library.others_wait = True
        own = self.turn.enter(-1)
        other = []
        for step in (lambda: other.append(self.turn.enter(-1)), lambda: self.turn.leave(own)):
            thread = threading.Thread(target=step)
            thread.start()
            thread.join()
        self.assertEqual(["begin"], self.library.take())
        self.turn.leave(other[0])
        self.assertEqual(["free", "end"], self.library.take())

    def test_an_error_of_begin_leaves_no_hold(self):
        self.library.begin_code = _library.ETIMEDOUT
        with self.assertRaises(Error) as caught:
            self.turn.enter(-1)
        self.assertEqual(_library.ETIMEDOUT, caught.exception.code)
        self.library.begin_code = 0
        self.library.others_wait = True
        self.iterate()
        self.assertEqual(["begin", "begin", "free", "end"], self.library.take())

    def test_a_finalizer_may_run_an_iteration_inside_of_one(self):
        def begin(device, timeout_ns):
            self.library.begin = lambda *_: 0
            self.iterate()
            return 0

        self.library.begin = begin
        self.library.others_wait = True
        self.iterate()
        self.assertEqual(["free", "end"], self.library.take())


class HandOver(Case):
    def test_a_kept_turn_is_told_once(self):
        self.library.end_code = _library.EKEPT
        self.library.others_wait = True
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            for _ in range(2):
                self.now_s += 1000
                self.iterate()
        self.assertEqual("schedgpu: text of -23\n", said.getvalue())
        self.assertEqual(["begin", "free", "end"] * 2, self.library.take())

    def test_tries_in_vain_cost_a_twentieth_of_the_time(self):
        self.library.others_wait = self.library.keeps = True
        self.cost_s = 0.1
        self.iterate()
        self.assertEqual(["begin", "free", "end"], self.library.take())
        self.now_s += 1.8  # 19 times 0.1 s is 1.9 s
        self.iterate()
        self.assertEqual(["begin"], self.library.take())
        self.now_s += 0.11
        self.iterate()
        self.assertEqual(["free", "end"], self.library.take())

    def test_a_hand_over_that_succeeds_allows_the_next_one_at_once(self):
        self.cost_s = 0.1
        for _ in range(2):
            self.library.others_wait = True
            self.iterate()
            self.assertEqual(["begin", "free", "end"], self.library.take())

    def test_another_error_of_end_is_raised(self):
        self.library.end_code = -4
        self.library.others_wait = True
        with self.assertRaisesRegex(Error, "the end of the turn on device 0: text of -4"):
            self.iterate()


class Training(Case):
    def test_it_ends_with_the_step_in_any_thread(self):
        self.library.others_wait = True
        self.turn.begin_training(-1)
        self.turn.begin_training(-1)
        self.assertEqual(["begin"], self.library.take())
        thread = threading.Thread(target=self.turn.end_training)
        thread.start()
        thread.join()
        self.assertEqual(["free", "end"], self.library.take())
        self.turn.end_training()
        self.assertEqual([], self.library.take())

    def test_a_marked_iteration_takes_its_place(self):
        self.library.others_wait = True
        self.turn.begin_training(-1)
        era = self.turn.enter_marked(-1)
        self.turn.begin_training(-1)
        self.assertFalse(self.turn.training)
        self.assertEqual(["begin"], self.library.take())
        self.turn.leave_marked(era)
        self.assertEqual(["free", "end"], self.library.take())


class Fork(Case):
    def test_a_child_has_no_part_in_the_iteration_of_its_parent(self):
        self.library.others_wait = True
        era = self.turn.enter_marked(-1)
        self.turn.begin_training(-1)
        self.library.take()
        child = os.fork()
        if child == 0:
            self.turn.leave_marked(era)
            quiet = self.library.take() == []
            self.turn.watch()
            self.iterate()
            os._exit(0 if quiet and self.library.take() == ["begin", "free", "end"] else 1)
        self.assertEqual(0, os.waitpid(child, 0)[1])
        self.turn.leave_marked(era)
        self.assertEqual(["free", "end"], self.library.take())

    def test_a_child_of_a_process_whose_thread_waits_can_begin(self):
        waits, goes_on = threading.Event(), threading.Event()

        def begin(device, timeout_ns):
            waits.set()
            goes_on.wait()
            return 0

        self.library.begin = begin
        thread = threading.Thread(target=self.iterate)
        thread.start()
        waits.wait()
        child = os.fork()
        if child == 0:
            self.library.begin = lambda *_: 0
            self.iterate()
            os._exit(0)
        self.assertEqual(0, os.waitpid(child, 0)[1])
        goes_on.set()
        thread.join()


class Watching(Case):
    def setUp(self):
        super().setUp()
        self.keeps_memory = True
        self.watcher = _watcher.Watcher(self.turn, lambda: self.keeps_memory)

    def test_an_unused_turn_is_handed_over(self):
        self.iterate()
        self.library.take()
        self.watcher.look()
        self.assertEqual([], self.library.take())
        self.library.others_wait = True
        self.watcher.look()
        self.assertEqual(["free", "end"], self.library.take())

    def test_not_while_an_iteration_runs(self):
        self.iterate()
        era = self.turn.enter(-1)
        self.library.take()
        self.library.others_wait = True
        self.watcher.look()
        self.assertEqual([], self.library.take())
        self.turn.leave(era)

    def test_not_before_the_first_iteration_has_ended(self):
        self.library.others_wait = True
        self.watcher.look()
        self.assertEqual([], self.library.take())

    def test_it_never_waits_for_a_thread(self):
        self.iterate()
        self.library.others_wait = True
        self.library.take()
        locked, goes_on = threading.Event(), threading.Event()

        def hold_the_lock():
            with self.turn._lock:
                locked.set()
                goes_on.wait()

        thread = threading.Thread(target=hold_the_lock)
        thread.start()
        locked.wait()
        self.watcher.look()
        goes_on.set()
        thread.join()
        self.assertEqual([], self.library.take())

    def test_the_pause_doubles_until_the_next_iteration(self):
        self.iterate()
        pauses = []
        for _ in range(6):
            self.watcher.look()
            pauses.append(self.watcher.pause_s)
        self.assertEqual([0.02, 0.04, 0.08, 0.16, 0.16, 0.16], pauses)
        with_hold = self.turn.enter(-1)
        self.watcher.look()
        self.assertEqual(_watcher.FASTEST_S, self.watcher.pause_s)
        self.turn.leave(with_hold)

    def test_a_process_without_memory_gives_its_turn_up(self):
        self.iterate()
        self.library.take()
        for _ in range(5):
            self.watcher.look()
        self.assertEqual([], self.library.take())
        self.keeps_memory = False
        self.watcher.look()
        self.watcher.look()
        self.assertEqual(["end"], self.library.take())

    def test_a_failure_ends_it_with_one_line(self):
        self.iterate()
        self.library.others_wait = True
        self.library.end_code = -4
        self.watcher.pause_s = 0
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.watcher.run()
        self.assertRegex(said.getvalue(), r"^schedgpu: iterations are not marked .*watcher.*text of -4.*\n$")


if __name__ == "__main__":
    unittest.main()
