"""The frame of the Python programs, which know nothing of schedGPU: they do what they read from stdin
and answer each line with a result and one number, as commands.h does for the programs in C.

Results: 0 done, 2 out of device memory, 1 failed (the reason is on stderr), -2 no such command.
"""

import sys
import time
import traceback

DONE, FAILED, OUT_OF_MEMORY, NO_SUCH_COMMAND = 0, 1, 2, -2


def timed(work):
    """Nanoseconds that work() takes."""
    begin = time.monotonic_ns()
    work()
    return time.monotonic_ns() - begin


def obey(commands, line, is_out_of_memory):
    """Does one line; returns (result, number)."""
    word, *numbers = line.split()
    if word not in commands:
        return NO_SUCH_COMMAND, 0
    try:
        return DONE, int(commands[word](*map(int, numbers)) or 0)
    except Exception as problem:  # a check must hear of every one
        if is_out_of_memory(problem):
            return OUT_OF_MEMORY, 0
        traceback.print_exc()
        return FAILED, 0


def main(commands, is_out_of_memory):
    """Obeys stdin until it ends. `commands` maps words to functions of whole numbers."""
    for line in sys.stdin:
        if line.strip():
            print(*obey(commands, line, is_out_of_memory), flush=True)
