"""A program on JAX, which takes three quarters of the device at its start where it is let."""

import jax
import jax.numpy as numpy

import commands


def begin():
    numpy.zeros(1).block_until_ready()


def matmul():
    ones = numpy.ones((1024, 1024))
    return float((ones @ ones).sum())


def work(count):
    """So many products of large matrices; their ns."""

    def multiply():
        matrix = numpy.ones((8192, 8192)) / 8192
        for _ in range(count):
            matrix = matrix @ matrix
        matrix.block_until_ready()

    return commands.timed(multiply)


def limit():
    """The most that its allocator will take, bytes."""
    return (jax.devices()[0].memory_stats() or {}).get("bytes_limit", 0)


if __name__ == "__main__":
    commands.main(
        {"begin": begin, "matmul": matmul, "work": work, "limit": limit},
        lambda problem: "RESOURCE_EXHAUSTED" in str(problem) or "out of memory" in str(problem).lower(),
    )
