"""The hooks on a real PyTorch, on the CPU: its CUDA calls are replaced, everything else is PyTorch's own."""

import importlib.util
import re
import unittest

import support
from test_library import Case

REAL = """
import warnings
import torch, torch.utils.data, torch.utils.checkpoint
from torch import nn
device = []
torch.cuda.is_initialized = lambda: True
torch.cuda.synchronize = lambda: device.append("synchronize")
torch.cuda.empty_cache = lambda: device.append("empty_cache")
torch.cuda.memory_reserved = lambda: 1

def calls():
    told, device[:] = log() + device, []
    return [call.partition("(")[0] for call in told]

def want():
    stub_set("wanted", 1)

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters())
batch = torch.ones(3, 4)

def train(model=model):
    optimizer.zero_grad()
    loss = model(batch).sum()
    loss.backward()
    optimizer.step()
"""


@unittest.skipUnless(importlib.util.find_spec("torch"), "python3-torch (2.0 or newer) is not installed")
class RealTorch(Case):
    def real(self, expected, code):
        process = support.run(REAL + code, PYTHONPATH=support.MODULE)
        # PyTorch itself may complain about a machine, in other lines.
        ours = [line for line in process.stderr.splitlines() if re.match("schedgpu|Traceback|[A-Za-z.]*Error:", line)]
        self.assertEqual((expected, []), (process.stdout, ours))

    def test_training(self):
        self.real(
            "['begin']\n['synchronize'] once\n",
            """
train()
print(calls())
want()
train()
print([c for c in calls() if c == "synchronize"], "once")
""",
        )

    def test_training_hands_over_after_the_step(self):
        self.real(
            "['begin', 'end', 'synchronize', 'empty_cache']\n['begin']\n",
            "want()\ntrain()\nprint(calls())\ntrain()\nprint(calls())",
        )

    def test_inference(self):
        self.real(
            "['begin', 'end', 'synchronize', 'empty_cache']\n" * 2,
            """
for mode in (torch.no_grad, torch.inference_mode):
    want()
    with mode():
        model(batch)
    print(calls())
""",
        )

    def test_an_exception_in_the_forward_pass_ends_it(self):
        self.real(
            "RuntimeError ['begin', 'end', 'synchronize', 'empty_cache']\n",
            """
want()
try:
    with torch.no_grad():
        model(torch.ones(3, 5))
except RuntimeError as error:
    print(type(error).__name__, calls())
""",
        )

    def test_two_kinds_of_checkpoints_recompute_inside_the_iteration(self):
        self.real(
            "['begin', 'end', 'synchronize', 'empty_cache']\n" * 2,
            """
class Saving(nn.Module):
    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(model, x, use_reentrant=reentrant)
for reentrant in (False, True):
    want()
    Saving()(batch.clone().requires_grad_()).sum().backward()
    optimizer.step()
    print(calls())
""",
        )

    def test_lbfgs_runs_its_closure_inside_the_step(self):
        self.real(
            "['begin', 'end', 'synchronize', 'empty_cache']\n",
            """
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
def closure():
    optimizer.zero_grad()
    loss = model(batch).square().sum()
    loss.backward()
    return loss
want()
optimizer.step(closure)
print(calls())
""",
        )

    def test_optimizers_that_step_in_the_backward_pass_end_nothing(self):
        self.real(
            "['begin']\n",
            """
each = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}
for p in each:
    p.register_post_accumulate_grad_hook(lambda p: each[p].step())
want()
model(batch).sum().backward()
print(calls())
""",
        )

    def test_compiled_code_has_no_hooks_and_no_graph_breaks(self):
        self.real(
            "['begin', 'end', 'synchronize', 'empty_cache']\n['begin', 'end', 'synchronize', 'empty_cache']\n[]\n",
            """
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    want()
    train(compiled)
    print(calls())
    want()
    with torch.no_grad():
        compiled(batch)
    print(calls())
print([str(w.message) for w in told if "hook" in str(w.message)])
""",
        )

    def test_a_traced_and_a_scripted_module(self):
        self.real(
            "['end', 'synchronize', 'empty_cache']\n" * 2,
            """
with torch.no_grad():
    modules = (torch.jit.trace(model, batch), torch.jit.script(model))
    calls()
    for made in modules:
        want()
        made(batch)
        print([call for call in calls() if call != "begin"])
""",
        )

    def test_workers_of_a_dataloader_do_not_take_part(self):
        self.real(
            "4\n['begin', 'end', 'synchronize', 'empty_cache']\n",
            """
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        torch.cuda.is_initialized = lambda: False  # as PyTorch says in a worker
        with torch.no_grad():
            model(batch)
        told = calls()
        assert told == [], told
        return batch
want()
train()
count = 0
for item in torch.utils.data.DataLoader(Data(), batch_size=1, num_workers=2, worker_init_fn=lambda _: calls()):
    count += 1
print(count)
print(calls())
""",
        )

    def test_a_cpu_program_marks_nothing(self):
        self.real("[]\n", "torch.cuda.is_initialized = lambda: False\nwant()\ntrain()\nprint(calls())")

    def test_copies_and_pickles_of_models_are_as_without(self):
        self.real(
            "True\n",
            """
import copy, io
twin = copy.deepcopy(model)
file = io.BytesIO()
torch.save(model.state_dict(), file)
print(all(torch.equal(a, b) for a, b in zip(twin.parameters(), model.parameters())))
""",
        )


if __name__ == "__main__":
    unittest.main()
