"""A program on CuPy."""

import cupy

import commands


def begin():
    cupy.zeros(1).sum()


def matmul():
    ones = cupy.ones((1024, 1024))
    return float((ones @ ones).sum())


if __name__ == "__main__":
    commands.main(
        {"begin": begin, "matmul": matmul},
        lambda problem: isinstance(problem, cupy.cuda.memory.OutOfMemoryError),
    )
