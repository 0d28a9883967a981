"""Finds the iterations of a PyTorch program, by hooks of PyTorch 2.0 and newer.

Training: an iteration begins with the first forward pass that records gradients, or with a step of an optimizer, and
ends with that step. Inference: it is one forward pass of the outermost module, without gradients. Hooks
of compiled code do nothing, and a process takes part as soon as it has used CUDA itself: the workers of a DataLoader
do not.
"""

import functools
import importlib
import os
import sys
import threading

from . import _library, _process
from ._message import tell_off, tell_once

_MODULE_HOOKS = ("register_module_forward_pre_hook", "register_module_forward_hook")
_STEP_HOOKS = ("register_optimizer_step_pre_hook", "register_optimizer_step_post_hook")

_attached = None


def attach(torch):
    """Registers the hooks, once. Raises Error if this PyTorch has none."""
    global _attached
    if _attached is None:
        _attached = _Hooks(torch)
        _attached.register()


def _needed(torch, module, names):
    missing = [name for name in names if not callable(getattr(module, name, None))]
    if missing:
        version = getattr(torch, "__version__", "of an unknown version")
        raise _library.Error("PyTorch %s has no %s: 2.0 or newer is needed" % (version, ", ".join(missing)))
    return [getattr(module, name) for name in names]


class _Thread(threading.local):
    root = None  # id of the outermost module whose forward pass is an iteration
    era = None


class _Hooks:
    def __init__(self, torch):
        self._torch = torch
        self._thread = _Thread()
        self._handles = []
        self._graphs = []
        self._off = False
        self._compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None) or (lambda: False)
        self._in_backward = getattr(getattr(torch, "_C", None), "_current_graph_task_id", None) or (lambda: -1)

    def register(self):
        # torch.optim deletes the names of its modules.
        modules, optimizers = map(importlib.import_module, ("torch.nn.modules.module", "torch.optim.optimizer"))
        before_forward, after_forward = _needed(self._torch, modules, _MODULE_HOOKS)
        before_step, after_step = _needed(self._torch, optimizers, _STEP_HOOKS)
        self._handles.append(before_step(self._hook(self._before_step)))
        self._handles.append(after_step(self._hook(self._after_step)))
        self._handles.append(before_forward(self._hook(self._before_forward, self._is_inside)))
        hook = self._hook(self._after_forward, self._is_not_the_root)
        try:
            # 2.1 and newer: also after an exception.
            self._handles.append(after_forward(hook, always_call=True))
        except TypeError:
            self._handles.append(after_forward(hook))
        self._wrap_graphs()
        self._end_with_each_cell()

    def _hook(self, method, nothing_to_do=lambda subject: False):
        """A hook that never fails, and of which compiled code contains nothing. Each module's call runs two of them."""
        compiling = self._compiling

        def hook(subject, *_):
            if compiling() or nothing_to_do(subject):
                return
            self._guard(method, subject)

        return hook

    def _guard(self, method, *arguments):
        if self._off:
            return
        try:
            method(*arguments)
        except _library.Error as error:
            if error.code == _library.ETIMEDOUT:
                # The program goes on as between iterations: what it allocates asks for the turn again.
                tell_once("late", "%s; the iteration goes on without it" % error)
            else:
                self._turn_off(error)
        except Exception as error:
            self._turn_off(repr(error))

    def _turn_off(self, why):
        self._off = True
        tell_off(str(why).replace("schedgpu: ", "", 1))
        for handle in self._handles:
            handle.remove()

    def _turn(self):
        """The turn if this process takes part, else None."""
        return _process.turn() if _process.cuda_in_use() else None

    def _is_inside(self, _):
        """True in a forward pass that belongs to an iteration which has begun."""
        if self._torch.is_grad_enabled():
            turn = _process.turns.get(0)
            return turn is not None and turn.training
        return self._thread.root is not None

    def _is_not_the_root(self, module):
        return self._thread.root != id(module)

    def _before_forward(self, module):
        turn = self._turn()
        if turn is None:
            return
        if self._torch.is_grad_enabled():
            if self._thread.root is None:
                turn.begin_training(_library.JOB_WAIT_NS)
        else:
            self._thread.era = turn.enter(_library.JOB_WAIT_NS)
            self._thread.root = id(module)

    def _after_forward(self, module):
        self._thread.root = None
        turn = _process.turn()
        if turn.training:
            turn.pass_ended()
        turn.leave(self._thread.era)
        _process.watch(0)

    def _before_step(self, _):
        # An optimizer that steps inside the backward pass marks no end of an iteration.
        turn = self._turn()
        if turn is not None and not turn.training and self._in_backward() == -1:
            turn.begin_training(_library.JOB_WAIT_NS)

    def _after_step(self, _):
        turn = self._turn()
        if turn is not None and turn.training and self._in_backward() == -1:
            turn.end_training()
            _process.watch(0)

    def _wrap_graphs(self):
        """While a CUDA graph is recorded no thread may wait for the device, and its replay calls no hook."""
        graph = getattr(self._torch.cuda, "CUDAGraph", None)
        names = ("capture_begin", "capture_end", "replay")
        capture_begin, capture_end, replay = (getattr(graph, name, None) for name in names)
        if not (capture_begin and capture_end and replay):
            return
        begins, ends = self._graph_begins, self._graph_ends
        graph.capture_begin = self._around(capture_begin, before=begins, failed=ends)
        graph.capture_end = self._around(capture_end, failed=ends, after=ends)
        graph.replay = self._around(replay, before=begins, failed=ends, after=ends)

    def _around(self, function, before=None, failed=None, after=None):
        @functools.wraps(function)
        def wrapped(*arguments, **named):
            if before:
                self._guard(before)
            try:
                result = function(*arguments, **named)
            except BaseException:
                self._guard(failed)
                raise
            if after:
                self._guard(after)
            return result

        return wrapped

    def _end_with_each_cell(self):
        """In a notebook an iteration that failed or was interrupted must not last until the user comes back."""
        get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
        shell = get_ipython() if get_ipython else None
        if shell is not None:
            shell.events.register("post_run_cell", lambda *_: self._guard(self._cell_ends))

    def _cell_ends(self):
        turn = _process.turns.get(0)
        if turn is not None and turn.training:
            turn.end_training()
            _process.watch(0)

    def _graph_begins(self):
        turn = self._turn()
        self._graphs.append((turn, turn and turn.enter(_library.JOB_WAIT_NS)))

    def _graph_ends(self):
        turn, era = self._graphs.pop() if self._graphs else (None, None)
        if turn is not None:
            turn.leave(era)

    def after_fork(self):
        """In the child no forward pass of the parent goes on."""
        self._thread = _Thread()
        self._graphs.clear()


def _after_fork():
    if _attached is not None:
        _attached.after_fork()


os.register_at_fork(after_in_child=_after_fork)
