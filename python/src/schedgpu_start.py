"""Run when Python starts, in every program: in a lane job, waits until the program imports torch.

Any Python reads this file, old ones too: those before 3.8 find nothing to do. Nothing here may fail, or import
torch or anything that is slow.
"""

import os
import sys


def start():
    """Acts once in a process, and only in a lane job (SCHEDGPU_LANE)."""
    if not os.environ.get("SCHEDGPU_LANE") or sys.version_info < (3, 8):
        return
    if not any(type(finder).__name__ == "_TorchFinder" for finder in sys.meta_path):
        sys.meta_path.insert(0, _TorchFinder())


def _off(error):
    try:
        text = "schedgpu: iterations are not marked in process %d, which is one long iteration: %s"
        sys.stderr.write(text % (os.getpid(), " ".join(str(error).split())) + "\n")
    except Exception:
        pass


class _TorchFinder(object):
    """Finds nothing itself. When another finder has found torch, its loader is made to tell us at the end."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        for finder in list(sys.meta_path):
            find_spec = None if finder is self else getattr(finder, "find_spec", None)
            spec = find_spec(name, path, target) if find_spec else None
            if spec is not None:
                self._follow(spec.loader)
                return spec
        return None

    def _follow(self, loader):
        def exec_module(module):
            # The loader is its old self again before anybody can look at it.
            del loader.exec_module
            loader.exec_module(module)  # if it fails, the next import is followed again
            self._imported(module)

        try:
            loader.exec_module  # noqa: B018 (an import hook without it could not be followed)
            loader.exec_module = exec_module
        except AttributeError:
            self._leave()
            _off("torch is imported by %r, which cannot be followed" % (loader,))

    def _imported(self, module):
        self._leave()
        try:
            from schedgpu import _torch

            _torch.attach(module)
        except Exception as error:
            _off(error if type(error).__name__ == "Error" else repr(error))

    def _leave(self):
        if self in sys.meta_path:
            sys.meta_path.remove(self)


start()
