"""Inline PTX that only calculates: straight lines of instructions on registers, for all lanes.

Loads, stores, branches and what asks for a thread are not understood: the caller refuses them.
Instructions are those of NVIDIA's PTX ISA manual.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..numbers.floats import Array
from .ptx_operations import NOTHING, NotUnderstood, calculate, half_names, size_of

Special = Callable[[str], int]
Flag = Callable[[str], None]


@dataclass(frozen=True)
class Instruction:
    """`guard`: a predicate register, with `!` where it must be false; operands as written."""

    text: str
    name: str
    operands: tuple[str, ...]
    guard: str = ""


@dataclass
class Registers:
    """Bits by register name, as unsigned integers of the register's size, one a group of lanes."""

    sizes: dict[str, int] = field(default_factory=dict)
    bits: dict[str, Array] = field(default_factory=dict)


def parsed(text: str) -> tuple[list[Instruction], dict[str, int]]:
    """Instructions, and the declared registers with their sizes in bits."""
    text = re.sub(r"/\*.*?\*/", " ", re.sub(r"//[^\n]*", " ", text), flags=re.DOTALL)
    instructions: list[Instruction] = []
    sizes: dict[str, int] = {}
    for statement in _without_scopes(text).split(";"):
        words = statement.strip()
        if not words:
            continue
        if words.startswith(".reg"):
            _, kind, names = words.split(None, 2)
            sizes.update({name: size_of(kind[1:]) for name in _declared(names)})
            continue
        guard = ""
        if words.startswith("@"):
            guard, words = words[1:].split(None, 1)
        name, _, rest = words.partition(" ")
        operands = tuple(part.strip() for part in re.findall(r"\{[^}]*\}|[^,]+", rest))
        instructions.append(Instruction(statement.strip(), name.strip(), operands, guard))
    return instructions, sizes


def _without_scopes(text: str) -> str:
    """Without the braces around whole statements, which only limit names."""
    kept = re.sub(r"(^|;)(\s*)\{", r"\1\2", text)
    while kept != text:
        text, kept = kept, re.sub(r"(^|;)(\s*)\{", r"\1\2", kept)
    return re.sub(r";(\s*\})+", ";", text)


def _declared(names: str) -> list[str]:
    found = []
    for name in names.split(","):
        several = re.fullmatch(r"\s*([\w%$]+)<(\d+)>\s*", name)
        if several is None:
            found.append(name.strip())
        else:
            found += [f"{several[1]}{number}" for number in range(int(several[2]))]
    return found


class Machine:
    """Runs instructions; `special` gives %smid and the like, `flag` tells what is not exact."""

    def __init__(self, count: int, special: Special, flag: Flag) -> None:
        self.count = count
        self.special = special
        self.flag = flag
        self.registers = Registers()

    def run(self, text: str) -> None:
        """Raises NotUnderstood, with the instruction."""
        instructions, sizes = parsed(text)
        self.registers.sizes.update(sizes)
        for instruction in instructions:
            try:
                self._step(instruction)
            except (NotUnderstood, KeyError, ValueError, IndexError) as error:
                raise NotUnderstood(instruction.text) from error

    def _step(self, instruction: Instruction) -> None:
        base, *mods = instruction.name.split(".")
        if base in NOTHING or instruction.name in NOTHING:
            return
        target, *sources = instruction.operands
        if "{" in instruction.text:
            self._vector_move(base, target, sources, mods)
            return
        if base == "mov" and sources[0].startswith("%") and sources[0] not in self.registers.bits:
            self._set(target, np.full(self.count, self.special(sources[0]), np.uint64), "")
            return
        read = [partial(self._read, source) for source in sources]
        for name, value in zip(
            re.split(r"\s*\|\s*", target), calculate(base, mods, read, self.flag), strict=False
        ):
            self._set(name, value, instruction.guard)

    def _vector_move(self, base: str, target: str, sources: list[str], mods: list[str]) -> None:
        """`mov.b32 {low, high}, a` and `mov.b32 a, {low, high}`."""
        if base != "mov":
            raise NotUnderstood(base)
        width = size_of(mods[-1])
        whole = np.dtype(f"u{width // 8}")
        if target.startswith("{"):
            names = [name.strip() for name in target[1:-1].split(",")]
            part = width // len(names)
            bits = self._read(sources[0], mods[-1]).view(whole)
            for place, name in enumerate(names):
                piece = (bits >> whole.type(part * place)).astype(f"u{part // 8}")
                if name != "_":
                    self._set(name, piece, "")
            return
        names = [name.strip() for name in ",".join(sources).strip("{} ").split(",")]
        part = width // len(names)
        joined = np.zeros(self.count, whole)
        for place, name in enumerate(names):
            piece = self._read(name, f"b{part}").view(f"u{part // 8}").astype(whole)
            joined |= piece << whole.type(part * place)
        self._set(target, joined, "")

    def _set(self, name: str, value: Array, guard: str) -> None:
        registers = self.registers
        size = registers.sizes[name]
        if size == 1:
            bits = value.astype(bool)
        else:
            wide = np.ascontiguousarray(value).view(f"u{value.dtype.itemsize}")
            bits = wide.astype(f"u{size // 8}")
        if guard:
            held = registers.bits[guard.lstrip("!")] != guard.startswith("!")
            bits = np.where(held, bits, registers.bits[name])
        registers.bits[name] = np.broadcast_to(bits, (self.count,))

    def _read(self, source: str, kind: str) -> Array:
        """An operand's bits as unsigned integers of the size of `kind`."""
        size = size_of(kind)
        if source in self.registers.bits:
            bits = self.registers.bits[source]
            return bits if size == 1 else bits.astype(f"u{size // 8}")
        if re.fullmatch(r"0[fF][0-9a-fA-F]{8}", source):
            value = np.array([int(source[2:], 16)], np.uint32)
            if kind == "f64":
                value = value.view(np.float32).astype(np.float64).view(np.uint64)
        elif re.fullmatch(r"0[dD][0-9a-fA-F]{16}", source):
            value = np.array([int(source[2:], 16)], np.uint64)
        elif re.fullmatch(r"-?\d+\.\d*(e[+-]?\d+)?", source):
            real = np.array([float(source)])
            value = real.view(np.uint64) if kind == "f64" else real.astype("f4").view(np.uint32)
        else:
            whole = int(source.rstrip("U"), 0) & ((1 << 64) - 1)
            value = np.array([whole], np.uint64)
            if kind in half_names():
                raise NotUnderstood(source)
        return np.broadcast_to(value.astype(f"u{max(size, 8) // 8}"), (self.count,))
