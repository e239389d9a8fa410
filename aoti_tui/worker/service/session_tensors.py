"""The tensors a session has made, loaded or computed, by name, and the requests on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.numbers.dtypes import BY_NAME, Number
from ..engine.numbers.floats import Array
from ..engine.numbers.stored import decode
from ..protocol import encode
from ..protocol.frames import Blobs
from ..protocol.problems import bad_request
from .compare import compare_values
from .files import flatten, load_file
from .room import elements, need


def dtype_named(name: str) -> Any:
    """torch's dtype of a short name."""
    import torch

    found = getattr(torch, str(name).replace("torch.", ""), None)
    if not isinstance(found, torch.dtype):
        raise bad_request(f"this torch has no type {name}")
    return found


def short_name(dtype: Any) -> str:
    return str(dtype).replace("torch.", "")


def span(shape: list[int], stride: list[int]) -> int:
    """Elements from the first to the last that shape and stride reach."""
    if any(size == 0 for size in shape):
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride))


@dataclass(frozen=True)
class Placement:
    """A tensor to be made: its name and how its elements lie; no stride means contiguous."""

    name: str
    shape: list[int]
    stride: list[int] | None
    dtype: str


class SessionTensors:
    """Names to torch tensors; views and aliases share storage.

    `poisoned`: types of the buffers that began as never written, by their address.
    """

    def __init__(self) -> None:
        self.named: dict[str, Any] = {}
        self.poisoned: dict[int, Number] = {}

    def get(self, name: str) -> Any:
        found = self.named.get(name)
        if found is None:
            raise bad_request(f"there is no tensor {name}")
        return found

    # making

    def load(self, path: str, prefix: str, texts: bool = False) -> list[dict[str, Any]]:
        """The values of a file; `texts` are among them where they are asked for."""
        values = []
        for position, (key, value) in enumerate(flatten(load_file(path))):
            if texts and isinstance(value, str):
                values.append({"key": key, "name": "", "kind": "text", "value": value})
                continue
            fact = {"key": key, "name": f"{prefix}{position}", **_fact(value)}
            if getattr(value, "is_meta", False):
                fact["made_up"] = True
                value = _made_up(value, position)
            if fact["kind"] == "tensor":
                self.named[fact["name"]] = value.detach()
            values.append(fact)
        return values

    def load_one(self, path: str, name: str) -> dict[str, Any]:
        import torch

        value = load_file(path)
        leaves = [leaf for _, leaf in flatten(value) if isinstance(leaf, torch.Tensor)]
        if len(leaves) != 1:
            raise bad_request(f"{path} holds {len(leaves)} tensors; one is expected")
        self.named[name] = leaves[0].detach()
        return _fact(leaves[0])

    def load_memory(self, place: Placement, path: str, pieces: list[list[int]]) -> dict[str, Any]:
        """A tensor whose bytes lie in a file, in `pieces` of an offset and a size each."""
        import torch

        self.allocate(place)
        tensor = self.named[place.name]
        data = bytearray(tensor.untyped_storage().nbytes())
        at = 0
        try:
            with open(path, "rb") as file:
                for offset, size in pieces:
                    file.seek(offset)
                    at += file.readinto(memoryview(data)[at : at + size])
        except OSError as error:
            raise bad_request(f"{path} cannot be read: {error.strerror or error}") from error
        if at != len(data):
            raise bad_request(f"{path} has {at} of the {len(data)} bytes of {place.name}")
        result = torch.empty(0, dtype=tensor.dtype)
        storage = torch.from_numpy(np.frombuffer(data, np.uint8)).untyped_storage()
        result.set_(storage, 0, tensor.shape, tensor.stride())
        self.named[place.name] = result
        return _fact(result)

    def allocate(self, place: Placement) -> Any:
        """A tensor over exactly the storage that shape and stride span."""
        import torch

        name, shape = place.name, place.shape
        if any(size < 0 for size in shape):
            raise bad_request(f"{name}: shape {shape} has a negative size")
        steps = _contiguous(shape) if place.stride is None else place.stride
        if len(steps) != len(shape) or any(step < 0 for step in steps):
            raise bad_request(f"{name}: stride {place.stride} does not fit shape {shape}")
        count, kind = span(shape, steps), dtype_named(place.dtype)
        need(name, max(count, elements(shape)), kind.itemsize)
        try:
            flat = torch.empty(count, dtype=kind)
        except (RuntimeError, MemoryError) as error:
            first = str(error).splitlines()[0]
            raise bad_request(
                f"{name}: no memory for {count} elements of {place.dtype}: {first}"
            ) from error
        self.poisoned.pop(flat.untyped_storage().data_ptr(), None)
        self.named[name] = torch.as_strided(flat, shape, steps)
        return flat

    def empty(self, place: Placement, poison: bool) -> None:
        import torch

        flat = self.allocate(place)
        if not flat.numel():
            return
        number = BY_NAME.get(short_name(flat.dtype))
        if not poison or number is None:
            flat.zero_()
            return
        raw = flat.view(torch.uint8).numpy().view(f"u{number.size}")
        raw[:] = number.poison
        self.poisoned[flat.untyped_storage().data_ptr()] = number

    def made_up(self, place: Placement, seed: int, low: int | None, high: int | None) -> None:
        """Reproducible data: standard normal floats, integers in low..high-1."""
        import torch

        flat = self.allocate(place)
        generator = np.random.default_rng(seed)
        kind = flat.dtype
        if kind.is_floating_point:
            data = torch.from_numpy(generator.standard_normal(flat.numel(), dtype=np.float32))
        elif kind == torch.bool:
            data = torch.from_numpy(generator.integers(0, 2, flat.numel()).astype(np.bool_))
        else:
            least = 0 if low is None else low
            most = max((16 if high is None else high), least + 1)
            data = torch.from_numpy(generator.integers(least, most, flat.numel()))
        flat.copy_(data.to(kind))

    def view(
        self,
        name: str,
        base: str,
        shape: list[int] | None,
        stride: list[int] | None,
        offset: int | None,
        dtype: str | None,
    ) -> None:
        """`offset` counts elements of the view's type from the storage's start."""
        import torch

        source = self.get(base)
        kind = source.dtype if dtype is None else dtype_named(dtype)
        sizes = list(source.shape) if shape is None else shape
        if stride is None:
            steps = list(source.stride()) if shape is None else _contiguous(sizes)
        else:
            steps = stride
        start = source.storage_offset() if offset is None else offset
        result = torch.empty(0, dtype=kind)
        room = source.untyped_storage().nbytes() // result.element_size()
        if start < 0 or start + span(sizes, steps) > room:
            raise bad_request(
                f"{name}: shape {sizes}, stride {steps} at offset {start} reaches beyond the "
                f"{room} elements of {base}"
            )
        result.set_(source.untyped_storage(), start, sizes, steps)
        self.named[name] = result

    def alias(self, name: str, base: str) -> None:
        self.named[name] = self.get(base)

    def keep(self, name: str, like: str, data: Array) -> None:
        """A tensor placed as `like` is, over a copy of these bytes of its storage."""
        import torch

        source = self.get(like)
        result = torch.empty(0, dtype=source.dtype)
        storage = torch.from_numpy(data.copy()).untyped_storage()
        result.set_(storage, source.storage_offset(), source.shape, source.stride())
        self.named[name] = result

    def drop(self, names: list[str]) -> None:
        for name in names:
            self.named.pop(name, None)

    # asking

    def describe(self, name: str) -> dict[str, Any]:
        tensor = self.get(name)
        fact = _fact(tensor)
        number = BY_NAME.get(fact["dtype"])
        summary = encode.summary(values_of(tensor)) if number is not None else None
        keys = ("dtype", "shape", "stride", "offset")
        return {**{key: fact[key] for key in keys}, "summary": summary}

    def read(
        self,
        name: str,
        start: int | None,
        count: int | None,
        elements: list[int] | None,
        blobs: Blobs,
    ) -> dict[str, Any]:
        tensor = self.get(name)
        dtype = _named(tensor).name
        if elements is not None:
            flat = storage_values(tensor)
            at = np.asarray(elements, dtype=np.int64)
            if len(at) and (at.min() < 0 or at.max() >= len(flat)):
                raise bad_request(f"{name} has storage elements 0..{len(flat) - 1}")
            return encode.block(flat[at], dtype, blobs)
        values = values_of(tensor).reshape(-1)
        first = start or 0
        last = len(values) if count is None else first + count
        return encode.block(values[first:last], dtype, blobs)

    def item(self, name: str) -> Any:
        tensor = self.get(name)
        if tensor.numel() != 1:
            raise bad_request(f"{name} has {tensor.numel()} elements; a single one is expected")
        return tensor.item()

    def write(self, name: str, element: int, value: Any) -> None:
        tensor = self.get(name)
        if not 0 <= element < tensor.numel():
            raise bad_request(f"{name} has elements 0..{tensor.numel() - 1}, not {element}")
        index = np.unravel_index(element, tuple(tensor.shape)) if tensor.dim() else ()
        tensor[tuple(int(i) for i in index)] = value

    def compare(
        self,
        name: str,
        other: str,
        rtol: float | None,
        atol: float | None,
        widen: bool = False,
        skip_unwritten: bool = False,
    ) -> dict[str, Any]:
        """Max|error| over max|reference| against rtol; integers and bools must be equal.

        With `widen` floats of different sizes are compared too; with `skip_unwritten` elements
        of `name` that are still poison count as equal.
        """
        mine, theirs = self.get(name), self.get(other)
        if tuple(mine.shape) != tuple(theirs.shape):
            raise bad_request(
                f"{name} has shape {list(mine.shape)}, {other} has {list(theirs.shape)}"
            )
        floats = mine.dtype.is_floating_point and theirs.dtype.is_floating_point
        if mine.dtype != theirs.dtype and not (widen and floats):
            raise bad_request(f"{name} is {mine.dtype}, {other} is {theirs.dtype}")
        values, reference = values_of(mine), values_of(theirs)
        if skip_unwritten:
            values = np.where(_unwritten(mine), reference, values)
        return compare_values(values, reference, rtol, atol)


def _named(tensor: Any) -> Number:
    name = short_name(tensor.dtype)
    number = BY_NAME.get(name)
    if number is None:
        raise bad_request(f"tensors of {name} are not shown")
    return number


def _unwritten(tensor: Any) -> Array:
    """Elements that still have the bits of poison; none where one byte holds an element."""
    import torch

    number = _named(tensor)
    if number.size == 1:
        return np.zeros(tuple(tensor.shape), dtype=bool)
    integers = {2: torch.int16, 4: torch.int32, 8: torch.int64}[number.size]
    bits = tensor.view(integers).numpy().view(f"u{number.size}")
    result: Array = bits == number.poison
    return result


def storage_values(tensor: Any) -> Array:
    """Every element of a tensor's storage, as values."""
    import torch

    number = _named(tensor)
    untyped = tensor.untyped_storage()
    if not untyped.nbytes():
        return np.empty(0, dtype=number.values)
    raw = torch.empty(0, dtype=torch.uint8).set_(untyped).numpy()
    whole = len(raw) // number.size * number.size
    return decode(raw[:whole].view(number.stored), number)


def values_of(tensor: Any) -> Array:
    """A tensor's values in its own shape (small floats as float32)."""
    number = _named(tensor)
    flat = storage_values(tensor)
    if not tensor.numel():
        return np.empty(tuple(tensor.shape), dtype=number.values)
    size = flat.itemsize
    return np.lib.stride_tricks.as_strided(
        flat[tensor.storage_offset() :],
        tuple(tensor.shape),
        tuple(step * size for step in tensor.stride()),
        writeable=False,
    )


def _contiguous(shape: list[int]) -> list[int]:
    steps = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * max(shape[axis + 1], 1)
    return steps


def _fact(value: Any) -> dict[str, Any]:
    import torch

    fact: dict[str, Any] = {
        "kind": "none",
        "value": None,
        "dtype": None,
        "shape": None,
        "stride": None,
        "offset": None,
    }
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided:
            raise bad_request(f"a tensor of layout {value.layout}; dense tensors are expected")
        fact.update(
            kind="tensor",
            dtype=short_name(value.dtype),
            shape=list(value.shape),
            stride=list(value.stride()),
            offset=value.storage_offset(),
        )
    elif isinstance(value, bool):
        fact.update(kind="bool", value=value)
    elif isinstance(value, int):
        fact.update(kind="int", value=value)
    elif isinstance(value, float):
        fact.update(kind="float", value=value)
    elif value is not None:
        raise bad_request(f"a value of type {type(value).__name__}; tensors and numbers are read")
    return fact


def _made_up(tensor: Any, seed: int) -> Any:
    """Numbers for a tensor of which the file has the sizes alone (one on the meta device)."""
    import torch

    made = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    if not made.dtype.is_floating_point:
        return made.zero_()
    numbers = torch.randn(made.shape, generator=torch.Generator().manual_seed(seed))
    return made.copy_(numbers)
