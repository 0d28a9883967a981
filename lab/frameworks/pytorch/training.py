"""The training of train.py and job.py: a few linear layers and Adam. Its size decides what it takes: activations."""

import torch
from torch import nn

WIDTH, LAYERS = 2048, 4
FLOATS_PER_ROW = 12  # of each layer's width, that a backward pass keeps


class Training:
    """A training whose peak is about `mib` MiB beside the context of CUDA, its weights and its optimizer."""

    def __init__(self, mib):
        with torch.device("cuda"):
            self.model = nn.Sequential(*[layer for _ in range(LAYERS) for layer in (nn.Linear(WIDTH, WIDTH), nn.ReLU())])
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.rows = max(1, (mib << 20) // (WIDTH * 4 * FLOATS_PER_ROW))

    def step(self):
        """One step, to the end of its kernels."""
        loss = self.model(torch.randn(self.rows, WIDTH, device="cuda")).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        torch.cuda.synchronize()
