"""tl.inline_asm_elementwise: blocks into PTX registers and back."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..errors import Unsupported
from ..findings.kernel_frames import kernel_place
from ..numbers.dtypes import BY_TRITON, Number
from ..numbers.floats import Array
from ..numbers.stored import decode, encode
from ..operations.builder import Builder
from ..values.handle import Handle, as_tuple, plain
from ..values.scalars import Values
from .ptx import Machine
from .ptx_operations import NotUnderstood

REGISTER = 4


class Assembly:
    """Runs inline PTX that only calculates; anything else is Unsupported at its line."""

    def __init__(self, values: Values, builder: Builder) -> None:
        self.values = values
        self.builder = builder

    def inline_asm_elementwise(
        self, asm: Any, constraints: Any, args: Any, dtype: Any, is_pure: Any, pack: Any, **_: Any
    ) -> Any:
        """As triton packs it (ElementwiseInlineAsmOpConversion in ElementwiseOpToLLVM.cpp):
        `pack` neighbours at a time; those of less than 32 bits share 32-bit registers."""
        dtype = plain(dtype)
        several = isinstance(dtype, (tuple, list)) or hasattr(dtype, "values")
        wanted = [plain(kind) for kind in as_tuple(dtype)] if several else [dtype]
        blocks, shape = self._blocks(as_tuple(args))
        width = int(plain(pack))
        numbers = [BY_TRITON[kind.name] for kind in wanted]
        lanes = int(np.prod(shape, dtype=np.int64))
        programs = blocks[0][0].shape[0] if blocks else len(self.builder.run.programs)
        groups = max(programs * lanes // width, 1)
        machine = Machine(groups, self._special, self.builder.run.findings.flag)
        names = self._outputs(machine, numbers, width)
        place = sum(len(group) for group in names)
        for data, number in blocks:
            for register in _registers(data.reshape(groups, width), number):
                machine.registers.sizes[f"${place}"] = register.dtype.itemsize * 8
                machine.registers.bits[f"${place}"] = register
                place += 1
        try:
            machine.run(str(plain(asm)))
        except NotUnderstood as error:
            raise Unsupported(
                f"inline PTX runs on a CPU only where it calculates with values: {error}",
                kernel_place(),
            ) from None
        results = [
            self.values.tensor(
                Handle(
                    _elements([machine.registers.bits[n] for n in group], number, width).reshape(
                        programs, *shape
                    ),
                    kind,
                    shape,
                )
            )
            for group, number, kind in zip(names, numbers, wanted)
        ]
        return tuple(results) if several else results[0]

    def _blocks(self, args: tuple[Any, ...]) -> tuple[list[tuple[Array, Number]], tuple[int, ...]]:
        tensors = [self.values.settle(arg) for arg in args]
        shape: tuple[int, ...] = np.broadcast_shapes(*[t.handle.shape for t in tensors])
        found = []
        programs = max([t.handle.lanes.shape[0] for t in tensors], default=1)
        for tensor in tensors:
            handle = tensor.handle
            if handle.dtype.is_ptr():
                raise Unsupported("inline PTX on pointers cannot run on a CPU", kernel_place())
            data = handle.full()
            ones = (1,) * (len(shape) - len(handle.shape))
            data = data.reshape(data.shape[0], *ones, *data.shape[1:])
            whole = np.broadcast_to(data, (programs, *shape))
            found.append((whole, BY_TRITON[handle.dtype.name]))
        return found, shape

    def _outputs(self, machine: Machine, numbers: list[Number], width: int) -> list[list[str]]:
        """The names of each result's registers; they hold zero until they are set."""
        names: list[list[str]] = []
        place = 0
        for number in numbers:
            size = max(number.size, REGISTER)
            count = max(width * number.size // size, 1)
            group = [f"${place + i}" for i in range(count)]
            for name in group:
                machine.registers.sizes[name] = size * 8
                machine.registers.bits[name] = np.zeros(machine.count, f"u{size}")
            names.append(group)
            place += count
        return names

    def _special(self, name: str) -> int:
        if name in ("%globaltimer", "%clock64"):
            return time.perf_counter_ns()
        if name in ("%globaltimer_lo", "%clock"):
            return time.perf_counter_ns() & 0xFFFFFFFF
        if name == "%smid":
            self.builder.run.findings.flag("%smid is 0 here: which processor runs a program varies")
            return 0
        raise NotUnderstood(name)


def _registers(groups: Array, number: Number) -> list[Array]:
    """Elements (groups, pack) as the registers that hold them."""
    stored = np.ascontiguousarray(encode(groups, number))
    if number.size >= REGISTER:
        kind = f"u{number.size}"
        return [np.ascontiguousarray(stored[:, i]).view(kind) for i in range(stored.shape[1])]
    per = REGISTER // number.size
    missing = -stored.shape[1] % per
    padded = np.pad(stored, ((0, 0), (0, missing)))
    whole = np.ascontiguousarray(padded).view(np.uint32)
    return [whole[:, i] for i in range(whole.shape[1])]


def _elements(registers: list[Array], number: Number, width: int) -> Array:
    """The elements (groups, pack) that registers hold."""
    whole = np.ascontiguousarray(np.stack(registers, axis=1))
    bits = whole.view(number.stored)[:, :width]
    return decode(np.ascontiguousarray(bits), number)
