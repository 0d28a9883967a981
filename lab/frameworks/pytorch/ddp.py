"""ddp.py: one training by two processes, on a device each, whose gradients go through gloo. NCCL's stand-in is no help: it does
nothing, so a process would never hear of the other."""

import tempfile

import torch
from torch import distributed, multiprocessing, nn

WIDTH, ROWS, STEPS, RANKS = 1024, 4096, 3, 2


def rank(number, meeting):
    """One process of the training."""
    torch.cuda.set_device(number)
    distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=number, world_size=RANKS)
    model = nn.parallel.DistributedDataParallel(nn.Linear(WIDTH, WIDTH).cuda(), device_ids=[number])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        model(torch.ones(ROWS, WIDTH, device="cuda")).sum().backward()
        optimizer.step()
    torch.cuda.synchronize()
    total = torch.tensor([float(number + 1)])
    distributed.all_reduce(total)  # on the CPU, where mathematics is real
    used = torch.cuda.max_memory_reserved() >> 20
    print(f"rank {number} on device {torch.cuda.current_device()}: done, {total.item():.0f}; its cache had {used} MiB", flush=True)
    distributed.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(rank, args=(f"{folder}/meeting",), nprocs=RANKS)
