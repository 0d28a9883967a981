from . import optimizer
from .optimizer import Optimizer

del optimizer  # so does PyTorch
