"""Python runs this file when it starts, if its folder is in PYTHONPATH, which is so in lane jobs.

Starts schedgpu_start, and then runs the sitecustomize that would have been run without this folder. Any Python reads
this file, 2.7 too.
"""

import os
import sys

try:
    import schedgpu_start  # noqa: F401
except Exception as error:
    sys.stderr.write("schedgpu: iterations are not marked: %r\n" % (error,))


def _paths_behind():
    """The folders behind this one: one in front may have run its own, which is running this one now."""
    here = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
    places = [place for place, path in enumerate(sys.path) if os.path.realpath(path or ".") == here]
    return sys.path[places[-1] + 1 :] if places else []


def _run_the_next():
    if sys.version_info[0] < 3:
        import imp

        try:
            found = imp.find_module(__name__, _paths_behind())
        except ImportError:
            return
        imp.load_module(__name__, *found)
        return
    from importlib import machinery, util

    spec = machinery.PathFinder.find_spec(__name__, _paths_behind())
    if spec is not None and spec.loader is not None:
        module = util.module_from_spec(spec)
        sys.modules[__name__] = module
        spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    _run_the_next()
