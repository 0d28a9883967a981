"""Messages on stderr: one line per reason and process."""

import os
import sys

_told = set()


def tell_once(reason, text):
    """Prints `text` unless something was said for `reason` before. A closed stderr has no effect."""
    if reason in _told:
        return
    _told.add(reason)
    try:
        sys.stderr.write("schedgpu: " + " ".join(text.split()) + "\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        pass


def tell_off(text):
    """Says, once, that this process marks no iterations, and why."""
    tell_once("off", "iterations are not marked in process %d, which is one long iteration: %s" % (os.getpid(), text))
