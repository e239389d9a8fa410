"""Three packages of AOTInductor; in the middle of 200 calls one gets a bad index, and nothing waits
for the device until the end. ``python aoti_models.py gather|experts|bags FOLDER``"""

import os
import sys

import torch

BAD, CALLS = 100, 200


class Gather(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(500, 64))

    def forward(self, ids, scale):
        return self.table[ids] * scale


class Experts(torch.nn.Module):
    def forward(self, x, route, bias):
        return torch.relu(x[route] + bias) @ bias.t()


class Bags(torch.nn.Module):
    def forward(self, values, offsets, weights):
        place = torch.bucketize(values, offsets) - 1
        return (weights[place] * values.float()).sum() + weights.sum()


def arguments(name, call, bad):
    generator = torch.Generator().manual_seed(call)

    def ints(low, high, *size):
        return torch.randint(low, high, size, generator=generator)

    rows = 30 + call % 5
    if name == "gather":
        ids = ints(0, 500, rows, 4)
        if bad:
            ids[7, 2] = 777
        return ids, torch.rand(rows, 4, 1, generator=generator)
    if name == "experts":
        route = ints(0, 40, rows)
        if bad:
            route[11] = -41
        return torch.rand(40, 16, generator=generator), route, torch.rand(rows, 16)
    offsets = torch.arange(0, 100, 10)
    values = ints(1, 100, rows)
    weights = torch.rand(12, generator=generator)
    if bad:
        weights = weights[:5]
    return values, offsets, weights


MODELS = {"gather": Gather, "experts": Experts, "bags": Bags}


def main(name, folder):
    package = os.path.join(folder, f"{name}.pt2")
    if not os.path.exists(package):
        example = [a.cuda() for a in arguments(name, 0, False)]
        rows = torch.export.Dim("rows", min=2, max=4096)
        shapes = {
            "gather": ({0: rows}, {0: rows}),
            "experts": (None, {0: rows}, {0: rows}),
            "bags": ({0: rows}, None, {0: torch.export.Dim("weights", min=2, max=4096)}),
        }[name]
        exported = torch.export.export(MODELS[name]().cuda(), tuple(example), dynamic_shapes=shapes)
        torch._inductor.aoti_compile_and_package(exported, package_path=package)
    if "compile" in sys.argv:
        return
    model = torch._inductor.aoti_load_package(package)
    given = [[a.cuda() for a in arguments(name, call, call == BAD)] for call in range(CALLS)]
    torch.cuda.synchronize()
    for inputs in given:
        model(*inputs)
    torch.cuda.synchronize()


main(sys.argv[1], sys.argv[2])
