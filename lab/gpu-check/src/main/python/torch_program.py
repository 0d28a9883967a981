"""A program on PyTorch: a small transformer that is trained on made-up data."""

import torch
from torch import nn

import commands

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WORDS, WIDTH, HEADS, LAYERS, LENGTH = 4096, 1024, 16, 8, 512
MIB = 1 << 20


class Model(nn.Module):
    """Predicts the next word from those before it."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, text):
        places = torch.arange(text.shape[1], device=text.device)
        mask = nn.Transformer.generate_square_subsequent_mask(text.shape[1], device=text.device)
        seen = self.layers(self.words(text) + self.places(places), mask=mask, is_causal=True)
        return self.head(seen)


class Training:
    """Model, optimizer and data; made at the first step."""

    def __init__(self):
        torch.manual_seed(1)
        torch.backends.cuda.matmul.allow_tf32 = True
        with torch.device(DEVICE):
            self.model = Model()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)

    def step(self, batch, length=LENGTH):
        text = torch.randint(WORDS, (batch, length + 1), device=DEVICE)
        self.optimizer.zero_grad(set_to_none=True)
        said = self.model(text[:, :-1])
        loss = nn.functional.cross_entropy(said.flatten(0, 1), text[:, 1:].flatten())
        loss.backward()
        self.optimizer.step()
        return loss.item()  # waits for the device


training = None
kept = []


def begin():
    """A context and nothing more."""
    torch.zeros(1, device=DEVICE)


def matmul():
    """Makes the handles of cuBLAS."""
    ones = torch.ones(1024, 1024, device=DEVICE)
    return (ones @ ones).sum().item()


def convolve():
    """Makes the handles of cuDNN."""
    ones = torch.ones(8, 16, 64, 64, device=DEVICE)
    return nn.functional.conv2d(ones, torch.ones(16, 16, 3, 3, device=DEVICE)).sum().item()


def train(batch, steps):
    """So many steps with that batch; their ns."""
    global training
    training = training or Training()
    return commands.timed(lambda: [training.step(batch) for _ in range(steps)])


def tiny():
    """A step that a CPU can do; for trying this program out."""
    global training
    training = training or Training()
    training.step(1, length=8)


def peak():
    """The most that the allocator had reserved, bytes."""
    return torch.cuda.max_memory_reserved() if DEVICE == "cuda" else 0


def forget():
    """Gives everything back and begins the peak again."""
    global training
    training = None
    kept.clear()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def keep(mib):
    kept.append(torch.empty(mib * MIB, dtype=torch.uint8, device=DEVICE))


def fill(mib):
    """Takes blocks of mib until there is no more memory; their number."""
    blocks = []
    try:
        while True:
            blocks.append(torch.empty(mib * MIB, dtype=torch.uint8, device=DEVICE))
    except torch.cuda.OutOfMemoryError:
        return len(blocks)


def flush(first, second):
    """A block of first MiB that is freed into the cache, then one of second; how often PyTorch asked again."""
    before = torch.cuda.memory_stats().get("num_alloc_retries", 0)
    block = torch.empty(first * MIB, dtype=torch.uint8, device=DEVICE)
    del block
    block = torch.empty(second * MIB, dtype=torch.uint8, device=DEVICE)
    return torch.cuda.memory_stats().get("num_alloc_retries", 0) - before


def pairs(size, count):
    """ns of so many allocations and frees (PYTORCH_NO_CUDA_MEMORY_CACHING=1: of the driver's)."""

    def work():
        for _ in range(count):
            torch.empty(size, dtype=torch.uint8, device=DEVICE)

    return commands.timed(work)


def total():
    """What the program is told that its device has, bytes."""
    return torch.cuda.mem_get_info()[1]


if __name__ == "__main__":
    commands.main(
        {
            "begin": begin,
            "matmul": matmul,
            "convolve": convolve,
            "train": train,
            "tiny": tiny,
            "peak": peak,
            "forget": forget,
            "keep": keep,
            "fill": fill,
            "flush": flush,
            "pairs": pairs,
            "total": total,
        },
        lambda problem: isinstance(problem, torch.cuda.OutOfMemoryError),
    )
