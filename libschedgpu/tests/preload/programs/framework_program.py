"""Small programs of the frameworks: framework_program.py (why-not | run) (torch | jax | tensorflow).

why-not prints why the framework cannot be run on a GPU here, or nothing. run expects a budget of
1 GiB on its device.
"""

import importlib
import os
import sys

BUDGET_BYTES = 1 << 30
NUMBERS = 1024


def expect(truth, what):
    if not truth:
        sys.exit(f"not so: {what}")


def torch_why_not(torch):
    if torch.version.cuda is None:
        return "built without CUDA"
    return None if torch.cuda.is_available() else "no CUDA device"


def torch_run(torch):
    expect(torch.cuda.mem_get_info()[1] == BUDGET_BYTES, "the device's memory is the budget")
    ones = torch.ones(NUMBERS, NUMBERS, device="cuda")
    expect((ones @ ones)[0, 0].item() == NUMBERS, "the product is right")
    try:
        torch.empty(2 * BUDGET_BYTES, dtype=torch.uint8, device="cuda")
        sys.exit("not so: twice the budget is out of memory")
    except torch.cuda.OutOfMemoryError:
        pass
    expect((ones + ones)[0, 0].item() == 2, "it goes on afterwards")


def jax_why_not(jax):
    return None if any(d.platform == "gpu" for d in jax.devices()) else "no CUDA device"


def jax_run(jax):
    ones = jax.numpy.ones((NUMBERS, NUMBERS))
    expect(float((ones @ ones)[0, 0]) == NUMBERS, "the product is right")


def tensorflow_why_not(tensorflow):
    if not tensorflow.test.is_built_with_cuda():
        return "built without CUDA"
    return None if tensorflow.config.list_physical_devices("GPU") else "no CUDA device"


def tensorflow_run(tensorflow):
    with tensorflow.device("/GPU:0"):
        ones = tensorflow.ones((NUMBERS, NUMBERS))
        expect(float((ones @ ones)[0, 0]) == NUMBERS, "the product is right")


def main():
    what, name = sys.argv[1:]
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        module = importlib.import_module(name)
    except ImportError:
        if what == "run":
            raise
        print("not installed")
        return
    if what == "run":
        globals()[name + "_run"](module)
    else:
        print(globals()[name + "_why_not"](module) or "")


if __name__ == "__main__":
    main()
