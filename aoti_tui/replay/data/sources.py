"""Tensors that exist before the model runs: inputs, constants, captured ones, made-up ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.given import Given
from aoti_tui.index.model import Constant, WrapperIndex
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.data.captured_files import Captured, CapturedMemory, CapturedTensors
from aoti_tui.replay.data.held_tensors import (
    Held,
    Storage,
    contiguous,
    element_count,
    is_integer,
    span,
)
from aoti_tui.replay.data.inputs import ExpectedInput, check_given, decode_given, expected_inputs
from aoti_tui.replay.data.madeup import UNKNOWN_BOUND, seed_for
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import GivenInput

INPUT = "input:"
CONSTANT = "constant:"
MADE_UP = "made-up:"


class Sources:
    """Loads the user's files into the worker when they are needed, and makes up the rest."""

    def __init__(
        self,
        index: WrapperIndex,
        client: WorkerClient,
        space: str,
        files: Given,
        captured: CapturedTensors | None,
    ) -> None:
        self.index = index
        self.client = client
        self._space = space
        self.inputs_path = files.inputs
        self._binding = files.binding
        self.constants_path = files.constants
        self.captured = captured
        self.seed = files.seed
        self.expected = expected_inputs(index)
        self.bound_of: Callable[[str], int | None] = lambda _: None
        """Upper bound (exclusive) of a made-up integer tensor by name, where one is known."""
        self._given: tuple[int, list[GivenInput], list[Mapping[str, Any]]] | None = None
        self._constants: tuple[int, dict[str, Mapping[str, Any]]] | None = None
        self.problems: tuple[str, ...] = ()
        self.spoiled = False
        """Whether a replay wrote into a given input, so that the file must be read again."""

    # -- inputs -------------------------------------------------------------------------------

    def given(self) -> list[GivenInput]:
        """The inputs file, checked against the wrapper; empty without a file."""
        if self.inputs_path is None:
            return []
        if self._given is None or self._given[0] != self.client.generation or self.spoiled:
            self._read_inputs()
        assert self._given is not None
        return self._given[1]

    def _read_inputs(self) -> None:
        assert self.inputs_path is not None
        self.spoiled = False
        reply = _load(self.client, self.inputs_path, f"{self._space}{INPUT}", "inputs")
        given = list(decode_given(self.index, reply["values"], self._binding).inputs)
        self.problems = check_given(self.index, given, str(self.inputs_path))
        self._given = (self.client.generation, given, reply["values"])

    def input_held(self, position: int) -> Held | None:
        """The given tensor for the input at ``position`` as it is in the file; None when none is
        given."""
        given = self.given()
        if position >= len(given):
            return None
        one = given[position]
        assert self._given is not None
        if one.kind == "absent":
            return None
        raw = self._given[2][one.place] if one.place is not None else {}
        source, said = "input", f"input {_place_of(one)} of the given inputs"
        if raw.get("made_up"):
            source, said = "made-up", f"made up: the data of {said} is not recorded"
        storage = Storage(source, said, position, written=True)
        if one.kind == "tensor":
            offset = int(raw.get("offset", 0))
            storage.elements = offset + span(one.shape, one.stride)
            return Held(str(raw["name"]), one.dtype, one.shape, one.stride, offset, storage)
        return self._number(position, one, storage)

    def _number(self, position: int, one: GivenInput, storage: Storage) -> Held:
        """A Python number where the wrapper takes a 0-d tensor."""
        expected = self.expected[position].dtype if position < len(self.expected) else None
        dtype = expected or {"int": "int64", "float": "float64", "bool": "bool"}[one.kind]
        handle = f"{self._space}{INPUT}{position}:number"
        self.client.request("zeros", name=handle, shape=[], stride=[], dtype=dtype)
        self.client.request("write", name=handle, element=0, value=one.value)
        return Held(handle, dtype, (), (), 0, storage)

    def expected_input(self, position: int) -> ExpectedInput:
        return self.expected[position]

    # -- constants ----------------------------------------------------------------------------

    def constant(self, constant: Constant) -> Held:
        """The constant's data: given file, a captured copy, or made up (labelled)."""
        found = self._constant_given(constant) or self._constant_captured(constant)
        return found if found is not None else self._constant_made_up(constant)

    def _constant_given(self, constant: Constant) -> Held | None:
        if self.constants_path is None:
            return None
        if self._constants is None or self._constants[0] != self.client.generation:
            reply = _load(self.client, self.constants_path, f"{self._space}{CONSTANT}", "constants")
            by_key = {str(v["key"]): v for v in reply["values"] if v["kind"] == "tensor"}
            known = {c.fqn for c in self.index.constants} | {c.name for c in self.index.constants}
            if self.index.constants and not known & by_key.keys():
                raise ReplayError(
                    "bad-inputs",
                    f"{self.constants_path} holds none of this model's constants",
                    f"the wrapper knows {_some(sorted(known - {''}))}, the file {_some(by_key)}",
                    "Save the model's state: torch.save(model.state_dict(), FILE)",
                )
            self._constants = (self.client.generation, by_key)
        raw = self._constants[1].get(constant.fqn) or self._constants[1].get(constant.name)
        if raw is None:
            return None
        shape = tuple(raw["shape"])
        if shape != constant.shape or raw["dtype"] != constant.dtype:
            raise ReplayError(
                "bad-inputs",
                f"{constant.fqn or constant.name} of {self.constants_path} does not fit",
                f"the file has {raw['dtype']} {list(shape)}, the model was compiled with "
                f"{constant.dtype} {list(constant.shape)}",
                "Save the constants of the model that was compiled",
            )
        storage = Storage("constant", f"constants file, {raw['key']}", written=True)
        return Held(
            str(raw["name"]),
            constant.dtype,
            shape,
            tuple(raw["stride"]),
            int(raw.get("offset", 0)),
            storage,
        )

    def _constant_captured(self, constant: Constant) -> Held | None:
        path = self.captured.of_name(constant.name) if self.captured is not None else None
        if path is None:
            return None
        return self.load_captured(path, f"{self._space}captured:{constant.name}")

    def _constant_made_up(self, constant: Constant) -> Held:
        how = "made up"
        if is_integer(constant.dtype):
            how = "made up: an integer constant is often a table of indices, so asserts that use "
            how += "it say nothing (give --constants)"
        return self.made_up(
            constant.name, constant.dtype, constant.shape, constant.stride or None, how
        )

    # -- single tensors -----------------------------------------------------------------------

    def load_captured(self, captured: Captured, handle: str) -> Held:
        """A captured tensor, brought into the worker. Raises ReplayError."""
        if isinstance(captured, CapturedMemory):
            return self._load_memory(captured, handle)
        name = Path(captured).name
        reply = self.client.request(
            "load_one", doing=f"reading {name}", path=os.path.abspath(captured), name=handle
        )
        described = reply if "shape" in reply else self.client.request("describe", name=handle)
        return Held(
            handle,
            described["dtype"],
            tuple(described["shape"]),
            tuple(described["stride"]),
            int(described.get("offset", 0)),
            Storage("captured", f"captured on the GPU, {name}", written=True),
        )

    def _load_memory(self, captured: CapturedMemory, handle: str) -> Held:
        self.client.request(
            "load_memory",
            doing="reading the core dump",
            name=handle,
            path=os.path.abspath(captured.path),
            pieces=[list(piece) for piece in captured.pieces],
            dtype=captured.dtype,
            shape=list(captured.shape),
            stride=list(captured.stride),
        )
        how = "from the GPU's memory, in the core dump"
        storage = Storage("gpu", how, written=True, guessed_size=captured.guessed_size)
        return Held(handle, captured.dtype, captured.shape, captured.stride, 0, storage)

    def made_up(
        self,
        name: str,
        dtype: str,
        shape: Sequence[int],
        stride: Sequence[int] | None = None,
        how: str = "made up",
        *,
        prefix: str = "",
    ) -> Held:
        """Invented data, the same in every run for one seed: floats normal, integers in range."""
        handle = f"{prefix or self._space + MADE_UP}{name}"
        strides = tuple(stride) if stride is not None else contiguous(shape)
        bound = self.bound_of(name) if is_integer(dtype) else None
        self.client.request(
            "made_up",
            name=handle,
            shape=list(shape),
            stride=list(strides),
            dtype=dtype,
            seed=seed_for(self.seed, name),
            low=0,
            high=max(1, bound if bound is not None else UNKNOWN_BOUND),
        )
        return Held(handle, dtype, tuple(shape), strides, 0, Storage("made-up", how, written=True))

    def resized(
        self, held: Held, shape: Sequence[int], stride: Sequence[int], position: int, name: str
    ) -> Held:
        """The given data cut or repeated to another shape (a what-if)."""
        handle = f"{self._space}{INPUT}{position}:{'x'.join(map(str, shape)) or 'scalar'}"
        grown = element_count(shape) > element_count(held.shape)
        empty = element_count(held.shape) == 0 and element_count(shape) > 0
        if empty:
            return self.made_up(name, held.dtype, shape, stride, "made up: the given one is empty")
        self.client.request(
            "fit",
            name=handle,
            base=held.handle,
            shape=list(shape),
            stride=list(stride),
        )
        how = f"input {position} {'repeated' if grown else 'cut'} to {list(shape)}"
        source = "made-up" if grown else "input"
        return Held(
            handle,
            held.dtype,
            tuple(shape),
            tuple(stride),
            0,
            Storage(source, how, position, written=True),
        )


def _place_of(one: GivenInput) -> int:
    return one.position if one.place is None else one.place


def _load(client: WorkerClient, path: Path, prefix: str, what: str) -> Any:
    if not path.is_file():
        raise ReplayError(
            "bad-inputs",
            f"The {what} file {path} cannot be read",
            "it is a folder" if path.is_dir() else "there is no such file",
            f"Name the file that torch.save wrote the model's {what} to",
        )
    try:
        return client.request(
            "load", doing=f"reading {path.name}", path=str(path.resolve()), prefix=prefix
        )
    except ReplayError as error:
        if error.kind in ("bad-request", "python", "unsupported"):
            raise ReplayError(
                "bad-inputs",
                f"The {what} file {path} cannot be read",
                error.why,
                "It must be written by torch.save and hold only tensors and numbers "
                "(a tuple, list or dict of them)",
            ) from error
        raise


def _some(names: Any) -> str:
    listed = list(names)
    return ", ".join(listed[:4]) + (f" and {len(listed) - 4} more" if len(listed) > 4 else "")
