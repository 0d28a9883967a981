"""refused.py FLUSH: with 0, tensors of 256 MiB until the device is full, and what PyTorch says then. With 1, a tensor of three
quarters of the device, which is freed but stays in PyTorch's cache, and then one of seven eighths: it fits if the cache is
flushed."""

import sys

import torch

MIB = 1 << 20
_, total = torch.cuda.mem_get_info()


def tensor(size):
    """Memory of that many bytes."""
    return torch.empty(size, dtype=torch.uint8, device="cuda")


if sys.argv[1] == "1":
    first = tensor(total // 4 * 3)
    del first
    second = tensor(total // 8 * 7)
    counts = torch.cuda.memory_stats()
    print(f"fits; {counts['num_alloc_retries']} retries, {counts['num_ooms']} out of memory")
else:
    tensors = []
    try:
        while True:
            tensors.append(tensor(256 * MIB))
    except torch.cuda.OutOfMemoryError as error:
        free, total = torch.cuda.mem_get_info()
        print(f"stopped at {len(tensors) * 256} of {total // MIB} MiB, {free // MIB} MiB are free: {str(error).strip().partition(".")[0]}")
