"""Three models under torch.compile, as aoti_models.py: a graph of CUDA graphs, one with a backward
that fails, a plain one. ``python compiled_models.py lookup|training|replayed``"""

import sys

import torch

BAD, CALLS = 100, 200


@torch.compile(dynamic=True)
def lookup(table, ids):
    return (table[ids] * 2).sum(-1)


@torch.compile(mode="reduce-overhead")
def replayed(table, ids):
    return table[ids].cos()


class Pick(torch.autograd.Function):
    """A gather whose index is only used going back."""

    @staticmethod
    def forward(ctx, x, ids):
        ctx.save_for_backward(ids, x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        ids, x = ctx.saved_tensors
        return grad[ids] + x, None


@torch.compile(dynamic=True)
def training(x, ids):
    return Pick.apply(x.sin(), ids).sum(1)


def main(name):
    torch.manual_seed(0)
    rows = 64
    table = torch.randn(rows, 32, device="cuda", requires_grad=name == "training")
    given = []
    for call in range(CALLS):
        ids = torch.randint(0, rows, (rows if name == "training" else 48,))
        if call == BAD:
            ids[9] = 64
        given.append(ids.cuda())
    torch.cuda.synchronize()
    for ids in given:
        if name == "lookup":
            lookup(table, ids)
        elif name == "replayed":
            torch.compiler.cudagraph_mark_step_begin()
            replayed(table, ids)
        else:
            training(table, ids).sum().backward()
            table.grad = None
    torch.cuda.synchronize()


main(sys.argv[1])
