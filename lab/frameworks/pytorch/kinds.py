"""kinds.py KIND...: things that programs do with PyTorch, small; of each it says "KIND: done" and how much memory it took."""

import sys

import torch
from torch import nn


def convolution():
    """A convolution by cuDNN, with batch normalization."""
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
    ).cuda()  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    labels = torch.zeros(32, dtype=torch.long, device="cuda")
    for _ in range(3):
        loss = nn.functional.cross_entropy(model(torch.randn(32, 3, 64, 64, device="cuda")), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def transformer():
    """An encoder in bfloat16: attention, cuBLASLt."""
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True), 4).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(torch.randn(16, 128, 512, device="cuda")).float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def graph():
    """A CUDA graph with its private pool, replayed."""
    x = torch.ones(64 << 20, device="cuda")
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            y = x * 2 + 1
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        y = x * 2 + 1
        z = y.sum()
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    del y, z


class Samples(torch.utils.data.Dataset):
    """Samples that a worker process makes."""

    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((256,), float(index))


def workers(how):
    """A DataLoader with two worker processes, while the parent has a context of CUDA."""
    model = nn.Linear(256, 10).cuda()
    loader = torch.utils.data.DataLoader(
        Samples(), batch_size=8, num_workers=2, pin_memory=True, multiprocessing_context=how
    )
    batches = 0
    for batch in loader:
        model(batch.to("cuda", non_blocking=True)).sum().backward()
        batches += 1
    assert batches == 8, batches


def forked():
    """CUDA in a forked child: PyTorch refuses it by itself."""
    torch.ones(1, device="cuda")
    context = torch.multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    child = context.Process(target=in_a_child, args=(answers,))
    child.start()
    child.join()
    assert "Cannot re-initialize CUDA in forked subprocess" in answers.get()


def in_a_child(answers):
    """What a forked child is told."""
    try:
        torch.ones(1, device="cuda")
        answers.put("works")
    except RuntimeError as error:
        answers.put(str(error))


KINDS = {
    "convolution": convolution,
    "transformer": transformer,
    "graph": graph,
    "workers-fork": lambda: workers("fork"),
    "workers-spawn": lambda: workers("spawn"),
    "fork": forked,
}

if __name__ == "__main__":
    for kind in sys.argv[1:]:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        KINDS[kind]()
        print(f"{kind}: done; its cache had at most {torch.cuda.max_memory_reserved() >> 20} MiB", flush=True)
