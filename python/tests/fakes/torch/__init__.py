"""A PyTorch of a few lines, with the hooks and the names that the module uses. FAKE_TORCH chooses what is wrong."""

import os
import sys

from . import cuda, nn, optim
from .grad import inference_mode, is_grad_enabled, no_grad

__version__ = "2.6.0"
FAULT = os.environ.get("FAKE_TORCH", "")

if FAULT == "raises":
    raise RuntimeError("libtorch.so is broken")
if FAULT == "no_step_hooks":
    __version__ = "1.13.1"
    del sys.modules["torch.optim.optimizer"].register_optimizer_step_post_hook
if FAULT == "no_forward_hooks":
    del nn.modules.module.register_module_forward_pre_hook
if FAULT == "no_optim":
    sys.modules["torch.optim.optimizer"] = None
if FAULT == "hook_raises":
    cuda.is_initialized = None
if FAULT == "before_2_1":
    nn.modules.module.has_always_call = False
