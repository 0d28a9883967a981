"""train.py NAME MIB STEPS [UNTIL]: a training whose peak is about MIB MiB of device memory beside the context of CUDA. It says what
it took at its end. UNTIL: after each step it keeps its memory until that file exists."""

import os
import sys
import time

import torch

from training import Training

PAUSE_S = 0.1

name, mib, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
until = sys.argv[4] if len(sys.argv) > 4 else None

training = Training(mib)
for step in range(steps):
    training.step()
    print(f"{name}: step {step + 1}", flush=True)
    time.sleep(PAUSE_S)
    while until and not os.path.exists(until):
        time.sleep(PAUSE_S)

free, total = torch.cuda.mem_get_info()
counts = torch.cuda.memory_stats()
print(
    f"{name}: {steps} steps; its cache had at most {counts['reserved_bytes.all.peak'] >> 20} MiB;"
    f" {(total - free) >> 20} of {total >> 20} MiB are in use;"
    f" {counts['num_alloc_retries']} retries, {counts['num_ooms']} out of memory",
    flush=True,
)
