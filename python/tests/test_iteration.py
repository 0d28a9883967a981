"""schedgpu.iteration() and iterations(), in programs of their own on the stub."""

import re
import unittest

import support
from test_library import Case


class Iteration(Case):
    def test_it_is_begun_once_and_ended_when_others_wait(self):
        code = """
import schedgpu
for _ in range(2):
    with schedgpu.iteration(timeout=0): pass
stub_set("wanted", 1)
with schedgpu.iteration(timeout=0): print(*log())
print(*log())
"""
        self.says("begin(0,0)\nend(0)\n", code)

    def test_outside_of_a_lane_job_no_library_is_needed(self):
        code = """
import schedgpu
with schedgpu.iteration(): pass
print(list(schedgpu.iterations("ab")), "ctypes.util" in sys.modules)
"""
        self.says("['a', 'b'] False\n", code, SCHEDGPU_LANE=None, LD_LIBRARY_PATH="/nonexistent")

    def test_an_exception_ends_it_and_goes_on(self):
        code = """
import schedgpu
stub_set("wanted", 1)
try:
    with schedgpu.iteration(timeout=0): 1 / 0
except ZeroDivisionError:
    print(*log())
"""
        self.says("begin(0,0) end(0)\n", code)

    def test_a_turn_that_does_not_come_in_time_is_an_error_and_the_body_is_not_run(self):
        code = """
import schedgpu
stub_set("begin", -11)
try:
    with schedgpu.iteration(timeout=2.5): print("never")
except schedgpu.Error as error:
    print(error, error.name)
"""
        self.says("schedgpu: the turn on device 0: text of -11 ETIMEDOUT\n", code)

    def test_the_default_is_the_wait_of_the_job(self):
        code = """
import schedgpu
stub_set("taken", 1)
def give():
    until(lambda: stub_get("waiting"))
    stub_set("taken", 0)
threading.Thread(target=give).start()
with schedgpu.iteration(): print(*log())
"""
        self.says("begin(0,0) begin(0,-2)\n", code)

    def test_threads_share_the_turn(self):
        code = """
import schedgpu
stub_set("wanted", 1)
barrier = threading.Barrier(4)
def work():
    with schedgpu.iteration(timeout=0):
        barrier.wait()
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(*log())
"""
        self.says("begin(0,0) end(0)\n", code)

    def test_a_child_that_is_forked_inside_of_it_ends_nothing(self):
        code = """
import schedgpu
stub_set("wanted", 1)
with schedgpu.iteration(timeout=0):
    child = os.fork()
if child == 0:
    print("child", *log(), flush=True)
    with schedgpu.iteration(timeout=0): pass
    print("child", *log(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("parent", *log())
"""
        process = support.run(code)
        lines = process.stdout.splitlines()
        self.assertEqual("", process.stderr)
        self.assertEqual(
            ["child begin(0,0)", "child begin(0,0) end(0)", "parent begin(0,0) end(0)"], sorted(lines[:2]) + lines[2:]
        )

    def test_ctrl_c_ends_the_wait_and_the_turn_is_given_back_when_it_comes(self):
        code = """
import schedgpu, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in the background
stub_set("taken", 1)
main = threading.main_thread().ident
def interrupt():
    until(lambda: stub_get("waiting"))
    signal.pthread_kill(main, signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    with schedgpu.iteration(): print("never")
except KeyboardInterrupt:
    print(*log())
stub_set("taken", 0)
told = []
until(lambda: told.extend(log()) or told)
print(*told)
"""
        self.says("begin(0,0) begin(0,-2)\nend(0)\n", code)

    def test_a_turn_that_comes_after_ctrl_c_stays_with_the_iteration_that_runs_by_then(self):
        code = """
import schedgpu, signal, _thread
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in the background
stub_set("taken", 1)
main = threading.main_thread().ident
def interrupt():
    until(lambda: stub_get("waiting") == 1)
    signal.pthread_kill(main, signal.SIGINT)
    until(lambda: stub_get("waiting") == 2)
    stub_set("taken", 0)
threading.Thread(target=interrupt).start()
try:
    with schedgpu.iteration(): print("never")
except KeyboardInterrupt:
    pass
with schedgpu.iteration():
    until(lambda: _thread._count() == 0)
    print(*log())
"""
        self.says("begin(0,0) begin(0,-2) begin(0,0) begin(0,-2)\n", code)

    def test_the_watcher_hands_over_between_iterations(self):
        code = """
import schedgpu
with schedgpu.iteration(timeout=0): pass
log()
stub_set("wanted", 1)
until(lambda: not stub_get("wanted"))
print(*log())
"""
        self.says("end(0)\n", code)

    def test_without_a_thread_for_the_watcher_the_program_goes_on(self):
        code = """
import schedgpu
def start(thread): raise RuntimeError("no thread")
threading.Thread.start = start
for _ in range(2):
    with schedgpu.iteration(timeout=0): pass
print("end")
"""
        process = support.run(code)
        told = "schedgpu: an unused turn is kept until the next iteration ends: no thread\n"
        self.assertEqual(("end\n", told, 0), (process.stdout, process.stderr, process.returncode))

    def test_a_kept_turn_is_one_line(self):
        code = """
import schedgpu
stub_set("wanted", 1)
stub_set("end", -23)
for _ in range(2):
    with schedgpu.iteration(timeout=0): pass
"""
        process = support.run(code)
        self.assertEqual(("", "schedgpu: text of -23\n", 0), (process.stdout, process.stderr, process.returncode))

    def test_the_program_ends_while_another_thread_waits(self):
        code = """
import schedgpu
stub_set("taken", 1)
def wait():
    with schedgpu.iteration(): pass
threading.Thread(target=wait, daemon=True).start()
until(lambda: stub_get("waiting"))
print("end")
"""
        self.says("end\n", code)


class Iterations(Case):
    def test_items_are_fetched_between_iterations(self):
        code = """
import schedgpu
def items():
    for item in "ab":
        yield item
        print("fetch", *log())
for item in schedgpu.iterations(items(), timeout=0):
    stub_set("wanted", 1)
    print(item, *log())
"""
        self.says("a begin(0,0)\nfetch end(0)\nb begin(0,0)\nfetch end(0)\n", code)

    def test_a_loop_that_is_left_early_ends_its_iteration(self):
        code = """
import schedgpu
stub_set("wanted", 1)
for item in schedgpu.iterations("ab", timeout=0): break
print(*log())
stub_set("wanted", 1)
kept = schedgpu.iterations("ab", timeout=0)
next(kept)
kept.close()
print(*log())
"""
        self.says("begin(0,0) end(0)\nbegin(0,0) end(0)\n", code)

    def test_an_exception_in_the_loop_ends_its_iteration(self):
        code = """
import schedgpu
stub_set("wanted", 1)
try:
    for item in schedgpu.iterations("ab", timeout=0): raise KeyError(item)
except KeyError as error:
    print(error, *log())
"""
        self.says("'a' begin(0,0) end(0)\n", code)


class Page(Case):
    def test_the_example_runs(self):
        page = (support.HERE.parent.parent / "docs/reference/python.md").read_text(encoding="utf-8")
        (example,) = re.findall(r"(?ms)^```python\n(.*?)^```", page)
        self.says("begin(0,0)\n", "batches = []\n" + example + "print(*log())")


if __name__ == "__main__":
    unittest.main()
