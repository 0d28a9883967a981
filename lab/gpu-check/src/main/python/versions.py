"""Prints, for each framework named, its version and that of its CUDA, or why it cannot be used:
name <tab> version <tab> reason (empty if it can).
"""

import importlib
import sys


def torch_says(torch):
    return "" if torch.cuda.is_available() else "it sees no GPU"


def jax_says(jax):
    platforms = {device.platform for device in jax.devices()}
    return "" if platforms & {"gpu", "cuda"} else "it sees no GPU"


def cupy_says(cupy):
    return "" if cupy.cuda.runtime.getDeviceCount() else "it sees no GPU"


for name in sys.argv[1:]:
    version, reason = "", ""
    try:
        module = importlib.import_module(name)
        version = module.__version__
        reason = globals()[name + "_says"](module)
    except ImportError:
        reason = "not installed"
    except Exception as problem:
        reason = str(problem).splitlines()[0]
    print(name, version, reason, sep="\t", flush=True)
