"""job.py NAME MIB: a training as a job of lab/demo. MIB decides what it takes (activations); the demo's table has how much. At its
end it says when it asked for the device and how long it held its memory; ends with 2 if the device was full."""

import json
import sys
import time

start_ns = time.monotonic_ns()

import torch  # noqa: E402  importing it is a part of the job's time

from training import Training  # noqa: E402

STEPS, PAUSE_S = 40, 0.2

name, mib = sys.argv[1], int(sys.argv[2])


def train():
    """All steps."""
    training = Training(mib)
    for _ in range(STEPS):
        training.step()
        time.sleep(PAUSE_S)


def report(outcome, asking, holding):
    """The line that the demo reads; no kernel of PyTorch tells how long it lasts."""
    end_ns = time.monotonic_ns()
    times = {"fromNs": start_ns, "toNs": end_ns, "busyNs": 0, "kernelNs": 0, "asking": asking, "holding": holding}
    print(json.dumps({"program": name, "scale": 1, "outcome": outcome} | times), flush=True)


asked_ns = time.monotonic_ns()
held_ns = None
try:
    torch.empty(1, device="cuda")  # a job with a budget waits here until it has all of it
    held_ns = time.monotonic_ns()
    train()
except torch.cuda.OutOfMemoryError as error:
    end_ns = time.monotonic_ns()
    report("out of memory", [[asked_ns, held_ns or end_ns]], [[held_ns, end_ns]] if held_ns else [])
    print(f"{name}: {str(error).partition(chr(10))[0]}", file=sys.stderr)
    sys.exit(2)
report("completed", [[asked_ns, held_ns]], [[held_ns, time.monotonic_ns()]])
free, total = torch.cuda.mem_get_info()
print(f"{name}: its cache had at most {torch.cuda.max_memory_reserved() >> 20} MiB; {(total - free) >> 20} MiB in use")
