"""A program on PyTorch whose iterations take turns in a lane, by the module of schedGPU."""

import torch

import commands
import schedgpu

MIB = 1 << 20


def begin():
    """A context, and cuBLAS's workspace, which is not for the lane."""
    ones = torch.ones(8, 8, device="cuda")
    return (ones @ ones).sum().item()


def share():
    """One memory for the iterations of all programs of the lane that do the same."""
    if not schedgpu.share_lane():
        raise RuntimeError("share_lane() says no")
    return begin()


def iterate(count, mib):
    """So many iterations, each with a block of mib that it writes; their ns."""

    def work():
        for _ in range(count):
            with schedgpu.lane_memory():
                block = torch.ones(mib * MIB // 4, device="cuda")
                sum_of_some = block[:1024].sum().item()
                del block
                assert sum_of_some == 1024

    return commands.timed(work)


if __name__ == "__main__":
    commands.main(
        {"begin": begin, "share": share, "iterate": iterate},
        lambda problem: isinstance(problem, torch.cuda.OutOfMemoryError),
    )
