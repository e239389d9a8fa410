"""The Python that usually makes an ATen op, so that a reader of the model finds the line."""

from __future__ import annotations

from aoti_tui.failure.model import OpPattern

_PATTERNS = {
    "index": "tensor[index]",
    "index_put": "tensor[index] = values",
    "index_put_": "tensor[index] = values",
    "_unsafe_index": "tensor[index]",
    "_unsafe_index_put": "tensor[index] = values",
    "index_copy": "tensor.index_copy(dim, index, source)",
    "index_add": "tensor.index_add(dim, index, source)",
    "index_fill": "tensor.index_fill(dim, index, value)",
    "index_select": "torch.index_select(tensor, dim, index)",
    "index_reduce": "tensor.index_reduce(dim, index, source, reduce)",
    "gather": "torch.gather(tensor, dim, index)",
    "scatter": "tensor.scatter(dim, index, src)",
    "scatter_add": "tensor.scatter_add(dim, index, src)",
    "scatter_reduce": "tensor.scatter_reduce(dim, index, src, reduce)",
    "embedding": "nn.Embedding(num, dim)(ids)  or  F.embedding(ids, weight)",
    "embedding_bag": "nn.EmbeddingBag(num, dim)(ids)",
    "_embedding_bag": "nn.EmbeddingBag(num, dim)(ids)",
    "take": "torch.take(tensor, index)",
    "take_along_dim": "torch.take_along_dim(tensor, indices, dim)",
    "put": "tensor.put(index, source)",
    "select": "tensor[i]  or  tensor.select(dim, i)",
    "slice": "tensor[a:b]",
    "select_scatter": "tensor.select_scatter(src, dim, i)",
    "slice_scatter": "tensor.slice_scatter(src, dim, a, b)",
    "masked_fill": "tensor.masked_fill(mask, value)",
    "masked_scatter": "tensor.masked_scatter(mask, source)",
    "where": "torch.where(condition, a, b)",
    "bucketize": "torch.bucketize(values, boundaries)",
    "searchsorted": "torch.searchsorted(sorted, values)",
    "cumsum": "torch.cumsum(tensor, dim)",
    "cumprod": "torch.cumprod(tensor, dim)",
    "nonzero": "tensor.nonzero()  or  torch.where(mask)",
    "one_hot": "F.one_hot(tensor, num_classes)",
    "nll_loss_forward": "F.nll_loss(input, target)  or  F.cross_entropy(input, target)",
    "nll_loss": "F.nll_loss(input, target)  or  F.cross_entropy(input, target)",
    "grid_sampler_2d": "F.grid_sample(input, grid)",
    "upsample_nearest2d": "F.interpolate(input, mode='nearest')",
    "sort": "torch.sort(tensor, dim)",
    "topk": "torch.topk(tensor, k)",
    "argmax": "torch.argmax(tensor, dim)",
    "argmin": "torch.argmin(tensor, dim)",
    "arange": "torch.arange(n)",
    "clamp": "tensor.clamp(min, max)",
    "remainder": "a % b",
    "floor_divide": "a // b",
    "sub": "a - b",
    "add": "a + b",
    "mul": "a * b",
    "div": "a / b",
    "ge": "a >= b",
    "gt": "a > b",
    "le": "a <= b",
    "lt": "a < b",
    "eq": "a == b",
    "ne": "a != b",
    "sum": "tensor.sum(dim)",
    "mean": "tensor.mean(dim)",
    "cat": "torch.cat([a, b], dim)",
    "view": "tensor.view(shape)",
    "t": "tensor.t()",
    "transpose": "tensor.transpose(a, b)",
    "zeros": "torch.zeros(shape)",
    "zeros_like": "torch.zeros_like(tensor)",
    "scalar_tensor": "a Python number in torch.where or arithmetic",
    "_to_copy": "tensor.to(dtype)  or  .long(), .float()",
    "native_layer_norm": "nn.LayerNorm",
    "_softmax": "torch.softmax(tensor, dim)",
    "repeat_interleave": "torch.repeat_interleave(tensor, repeats)",
    "roll": "torch.roll(tensor, shifts)",
    "mm": "a @ b",
    "addmm": "nn.Linear  or  torch.addmm(bias, a, b)",
}
# Ops that index a tensor with data, the first to look at when an index is out of bounds.
_INDEXING = (
    "index",
    "gather",
    "scatter",
    "embedding",
    "take",
    "put",
    "nll_loss",
    "grid_sampler",
    "upsample",
)


def op_patterns(aten: tuple[str, ...]) -> tuple[OpPattern, ...]:
    """Each op with its Python pattern, those that index with data first.

    ``aten`` as written in the wrapper: ``aten.index``, ``aten.index_put.default``.
    """
    rows = [
        OpPattern(op, _PATTERNS[name])
        for op in dict.fromkeys(aten)
        if (name := _name(op)) in _PATTERNS
    ]
    return tuple(sorted(rows, key=lambda row: not is_indexing(row.aten)))


def is_indexing(aten: str) -> bool:
    return any(part in _name(aten) for part in _INDEXING)


def _name(op: str) -> str:
    parts = op.split(".")
    return parts[1] if len(parts) > 1 else parts[0]
