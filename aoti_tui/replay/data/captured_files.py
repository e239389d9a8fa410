"""Tensors that AOTI's intermediate value printer saved on the GPU, by kernel and argument.

The names are written by torch/_inductor/codegen/debug_utils.py and
torch/csrc/inductor/aoti_torch/shim_common.cpp (``aoti_torch_save_tensor_handle``). In torch 2.11
to 2.13 a slash was forgotten: ``tmp/aoti_torchbefore_launch_…`` instead of
``tmp/aoti_torch/before_launch_…``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aoti_tui.index.model import LaunchId, WrapperIndex
from aoti_tui.replay.errors import ReplayError

_NAME = re.compile(
    r"(?:aoti_torch[_-]?)?(before|after)_launch_(.+?)(?:_(?:cuda|cpu|xpu|hip|privateuseone)"
    r"(?:[:_-]\d+)?)?\.pt"
)


@dataclass(frozen=True, slots=True)
class CapturedMemory:
    """A tensor as it lies in a file of the GPU's memory.

    ``pieces`` are an offset in the file and a size in bytes each; ``guessed_size``: the file does
    not say where the tensor ends.
    """

    path: str
    pieces: tuple[tuple[int, int], ...]
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    guessed_size: bool = False


Captured = str | CapturedMemory
"""Where a tensor's contents are: a file that torch.save wrote, or memory."""


@dataclass(frozen=True, slots=True)
class CapturedTensors:
    """``files[(when, kernel, argument)]``: ``when`` is ``before`` or ``after``."""

    folder: str
    files: dict[tuple[str, str, str], Captured] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    """Files of other kernels, or that are no captured tensors at all."""
    launch: LaunchId | None = None
    """The launch at which all of it was; None when each kernel's last launch wrote its own."""
    symbols: Mapping[str, tuple[int | float, str]] = field(default_factory=dict)
    """Values of symbols that were captured, and what told them."""
    source: str = "captured"
    """What values of it are called: ``captured``, or ``gpu`` for those of a core dump."""

    def before(self, kernel: str, argument: str) -> Captured | None:
        return self.files.get(("before", kernel, argument))

    def after(self, kernel: str, argument: str) -> Captured | None:
        return self.files.get(("after", kernel, argument))

    def of_name(self, argument: str) -> Captured | None:
        """Any saved copy of a tensor that no kernel writes (a constant or an input)."""
        for (_, _, name), path in self.files.items():
            if name == argument:
                return path
        return None


def read_folder(folder: Path, index: WrapperIndex) -> CapturedTensors:
    """The captured tensors in ``folder`` (or its ``aoti_torch`` and ``tmp`` folders).

    Raises ReplayError when there is no such folder or none of its files belongs to this wrapper.
    """
    if not folder.is_dir():
        raise ReplayError(
            "bad-inputs",
            f"No folder of captured tensors at {folder}",
            "it is not a folder" if folder.exists() else "it does not exist",
            "Name the folder into which AOTI_TORCH's debug printer saved its *_launch_*.pt files",
        )
    kernels = sorted(index.kernels, key=len, reverse=True)
    files: dict[tuple[str, str, str], Captured] = {}
    unknown: list[str] = []
    for path in _candidates(folder):
        key = _key(path.name, kernels)
        if key is None:
            unknown.append(path.name)
        else:
            files.setdefault(key, str(path))
    if not files:
        raise ReplayError(
            "bad-inputs",
            f"{folder} holds no captured tensors of this wrapper",
            _none_because(unknown),
            "Name the folder with files like before_launch_<kernel>_<argument>_cuda:0.pt, saved "
            "by this model when compiled with aot_inductor.debug_intermediate_value_printer",
        )
    return CapturedTensors(str(folder), files, tuple(unknown))


def _candidates(folder: Path) -> Iterable[Path]:
    found = list(folder.glob("*.pt"))
    for inner in ("aoti_torch", "tmp/aoti_torch", "tmp"):
        found.extend((folder / inner).glob("*.pt"))
    return sorted(found)


def _key(name: str, kernels: Iterable[str]) -> tuple[str, str, str] | None:
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    when, rest = match[1], match[2]
    for kernel in kernels:
        if rest.startswith(f"{kernel}_"):
            return (when, kernel, rest[len(kernel) + 1 :])
    return None


def _none_because(unknown: list[str]) -> str:
    launches = [name for name in unknown if "_launch_" in name]
    if launches:
        return f"its {len(launches)} files are of other kernels, such as {launches[0]}"
    if unknown:
        return f"none of its {len(unknown)} .pt files is named *_launch_*"
    return "it has no .pt files"
