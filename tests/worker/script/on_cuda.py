"""A program that speaks of a GPU in many ways; prints one JSON object of what it was answered.

Run by test_cuda.py in a process of its own, since the stand-ins change torch for good.
"""

from __future__ import annotations

import copy
import io
import json
import threading
from typing import Any

import torch
import torch.utils.checkpoint

from aoti_tui.worker.script.cuda.install import install

flags: list[str] = []
stand_ins = install(flags.append, config=1)
found: dict[str, Any] = {}


def refused(function: Any) -> str:
    try:
        function()
    except (RuntimeError, TypeError, AssertionError) as error:
        return str(error).splitlines()[0]
    return ""


def where_tensors_are() -> None:
    here, there = torch.arange(6.0), torch.arange(6.0, device="cuda")
    found["made"] = [there.is_cuda, str(there.device), there.get_device(), here.is_cuda]
    found["views"] = [v.is_cuda for v in (there[1:], there.view(2, 3).T, there.detach())]
    found["results"] = [v.is_cuda for v in (there * 2, torch.cat([there, there]), there[here > 2])]
    found["moved"] = [here.cuda().is_cuda, there.cpu().is_cuda, here.to(there).is_cuda]
    found["stays"] = there.to("cuda").data_ptr() == there.data_ptr()
    before = there.cpu()
    there.add_(1)
    found["copies"] = before.tolist()
    found["as types"] = [there.type(), here.type("torch.cuda.HalfTensor").is_cuda]
    found["isinstance"] = [isinstance(v, torch.cuda.FloatTensor) for v in (there, here)]
    found["repr"] = repr(there[:2].half())
    found["copied in"] = torch.zeros(6).copy_(there).is_cuda
    with torch.device("cuda"):
        found["context"] = torch.ones(3).is_cuda
    torch.set_default_device("cuda")
    found["default"] = torch.ones(3).is_cuda
    torch.set_default_device(None)
    found["deep copy"] = copy.deepcopy(there).is_cuda
    found["mixed"] = refused(lambda: here + there)
    found["scalar mixes"] = (there + torch.tensor(1.0)).is_cuda
    found["numpy"] = refused(there.numpy)
    found["second gpu"] = refused(lambda: torch.zeros(1, device="cuda:1"))
    found["compared"] = refused(lambda: torch.testing.assert_close(there, there.cpu()))
    with stand_ins.engine_calls():
        found["under the answers"] = [there.is_cuda, there.numpy().shape[0]]


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        a, b = ctx.saved_tensors
        found.setdefault("backward", []).append(
            [gradient.is_cuda, torch.empty_like(gradient).is_cuda, a.is_cuda]
        )
        return gradient * b, gradient * a


def autograd() -> None:
    x = torch.ones(4, device="cuda")
    w = torch.nn.Parameter(torch.ones(4, device="cuda"))
    Product.apply(x * w, w).exp().sum().backward()
    found["grad"] = w.grad is not None and w.grad.is_cuda
    found["autograd.grad"] = torch.autograd.grad((x * w).exp().sum(), w)[0].is_cuda
    torch.utils.checkpoint.checkpoint(
        lambda v: Product.apply(v, w), x.requires_grad_(), use_reentrant=False
    ).sum().backward()
    hooked: list[bool] = []
    z = x * w
    z.register_hook(lambda gradient: hooked.append(gradient.is_cuda))
    z.exp().sum().backward()
    found["hook"] = hooked


def modules() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(2, 4, device="cuda")).sum().backward()
    optimizer.step()
    found["parameters"] = [p.is_cuda for p in model.parameters()]
    kept = io.BytesIO()
    torch.save(model.state_dict(), kept)
    for name, options in {"loaded": {}, "loaded to cpu": {"map_location": "cpu"}}.items():
        kept.seek(0)
        found[name] = [v.is_cuda for v in torch.load(kept, **options).values()]
    kept = io.BytesIO()
    torch.save(torch.ones(2), kept)
    kept.seek(0)
    found["loaded to cuda"] = torch.load(kept, map_location="cuda").is_cuda
    with torch.autocast("cuda"):
        found["autocast"] = str((torch.ones(2, 2, device="cuda") @ torch.ones(2, 2).cuda()).dtype)


def random_numbers() -> None:
    torch.manual_seed(0)
    alone = torch.randn(3)
    torch.manual_seed(0)
    first = torch.randn(3, device="cuda")
    found["a stream of its own"] = torch.equal(alone, torch.randn(3))
    torch.manual_seed(0)
    found["seeded"] = torch.equal(first, torch.randn(3, device="cuda"))
    generator = torch.Generator(device="cuda").manual_seed(1)
    found["generator"] = [
        str(generator.device),
        torch.randn(2, device="cuda", generator=generator).is_cuda,
        isinstance(generator, torch.Generator),
    ]


def threads() -> None:
    seen: list[bool] = []
    thread = threading.Thread(target=lambda: seen.append(torch.zeros(1, device="cuda").is_cuda))
    thread.start()
    thread.join()
    found["thread"] = seen


def graphs() -> None:
    x = torch.ones(2, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.mul_(3)
    graph.replay()
    found["graph"] = x.tolist()
    found["graph again"] = refused(graph.replay)


def tuning() -> None:
    import triton
    import triton.testing

    def kernel(x: Any, BLOCK: Any) -> None: ...

    ran: list[int] = []
    configurations = [triton.Config({"BLOCK": n}) for n in (16, 32, 64)]
    tuned = triton.runtime.autotuner.Autotuner(
        triton.jit(kernel), ["x"], configurations, ["x"], None, None
    )
    tuned.fn.run = lambda *args, **meta: ran.append(meta["BLOCK"])
    tuned.run(3, grid=(1,), warmup=False)
    found["tuned"] = ran
    found["device"] = str(triton.runtime.driver.active.get_active_torch_device())
    calls: list[int] = []
    triton.testing.do_bench(lambda: calls.append(1))
    found["benched"] = len(calls)


with stand_ins.script_calls():
    where_tensors_are()
    autograd()
    modules()
    random_numbers()
    threads()
    graphs()
    tuning()
found["flags"] = flags
print(json.dumps(found))
