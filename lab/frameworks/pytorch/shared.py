"""shared.py NAME STEPS: inference whose tensors are in the memory of a shared lane. Says what it had at its end."""

import sys
import time

import schedgpu
import torch
from torch import nn

WIDTH, LAYERS, ROWS, PAUSE_S = 2048, 4, 32768, 0.05

name, steps = sys.argv[1], int(sys.argv[2])
shared = schedgpu.share_lane()
print(f"{name}: its lane is {'shared' if shared else 'not shared'}", flush=True)
with torch.device("cuda"), torch.no_grad():
    model = nn.Sequential(*[nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS)])
for step in range(steps):
    with schedgpu.lane_memory(), torch.no_grad():
        answer = model(torch.ones(ROWS, WIDTH, device="cuda"))[:1].cpu()
    print(f"{name}: step {step + 1}", flush=True)
    time.sleep(PAUSE_S)
counts = torch.cuda.memory_stats()
print(f"{name}: {steps} steps; {counts['num_alloc_retries']} retries, {counts['num_ooms']} out of memory", flush=True)
