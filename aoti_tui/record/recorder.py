"""One process's recorder: what a call is given goes into the ring before it runs."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

from . import layout
from .copying import DeviceCopies, HostCopies, byte_span, low_part, said
from .options import SMALL, Options
from .process import process_facts
from .ring import Ring

_MOST_IN_NOTE = 1 << 18
"""Bytes of a host's tensor among a device's that go into the call's note: the host is ahead."""
_MOST_PLANS = 4096


class Plan:
    """What is copied for arguments of these shapes: made once, used for every call like it."""

    __slots__ = ("copies", "device", "host", "size", "text")

    def __init__(self) -> None:
        self.text = b""
        """The note's beginning: what is known of every call with these arguments."""
        self.copies: list[tuple[int, int, int]] = []
        """argument, offset in the slot, bytes"""
        self.host: list[tuple[int, int, int]] = []
        """the same for the host's memory: into the slot, or -1 into the note"""
        self.device: int | None = None
        self.size = 0


class Recorder:
    """Records into a folder of its own below ``folder``. Raises OSError without room for a ring.

    Nothing that goes wrong here reaches the program: :meth:`begin` gives 0 then, and says so once.
    """

    def __init__(self, folder: Path, options: Options, name: str = "") -> None:
        self.options = options
        self.folder = folder / (name or f"process-{os.getpid()}")
        self.place = str(self.folder)
        """By which what is called knows that its site's number is one of this recorder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.ring = Ring(self.folder / "ring", options.calls, options.ring)
        self._host = HostCopies(self.ring)
        self._devices: dict[int, DeviceCopies | None] = {}
        self._plans: dict[Any, Plan] = {}
        self._sites: dict[Any, int] = {}
        self._lock = threading.Lock()
        self._slot = -1
        self._busy: list[int] = [0] * options.calls
        """By slot: the number of the call whose copies the device may not have made yet."""
        self._streams: list[int] = [0] * options.calls
        self._kept_failure = False
        self.stopped = False
        self.launches: Any = None
        """Those of kernels that were asked for, a KeptLaunches; None without."""
        self._write("process.json", process_facts())

    # -- sites --------------------------------------------------------------------------------

    def site(self, key: Any, facts: dict[str, Any], text: str = "", suffix: str = "") -> int:
        """The number of what is called (a package, a graph, a kernel); its text is kept."""
        found = self._sites.get(key)
        if found is not None:
            return found
        with self._lock:
            number = len(self._sites) + 1
            if text:
                facts = {**facts, "text": f"site-{number}{suffix}"}
                Path(self.folder, facts["text"]).write_text(text, encoding="utf-8")
            self._write(f"site-{number}.json", facts)
            self._sites[key] = number
        return number

    def _write(self, name: str, facts: dict[str, Any]) -> None:
        partial = self.folder / f".{name}"
        partial.write_text(json.dumps(facts, default=str), encoding="utf-8")
        partial.replace(self.folder / name)

    # -- calls --------------------------------------------------------------------------------

    def begin(self, site: int, arguments: Any, more: dict[str, Any] | None = None) -> int:
        """Record what a call is given; its number, or 0 when it was not recorded."""
        if self.stopped:
            return 0
        try:
            with self._lock:
                return self._begin(site, arguments, more)
        except Exception as error:
            self._stop(f"recording stopped, the program runs on: {type(error).__name__}: {error}")
            return 0

    def end(self, number: int) -> None:
        """A call returned."""
        if number:
            self.ring.end(number, layout.RETURNED)

    def failed(self, number: int, error: BaseException) -> None:
        """A call raised: what is known of it is put aside, as the program may go on."""
        if not number:
            return
        try:
            with self._lock:
                self.ring.end(number, layout.FAILED)
                words = f"{type(error).__name__}: {error}"[:4000]
                if self._is_device_error(error):
                    self.ring.set_state(layout.FROZEN)
                    self.stopped = True
                if not self._kept_failure:
                    self._kept_failure = True
                    self._write("failed.json", {"call": number, "error": words})
                    self._settle()
                    shutil.copyfile(self.ring.path, self.folder / "ring.failed")
        except Exception as problem:
            said(f"the failed call is not put aside: {problem}")

    def ended(self) -> None:
        """The process ends without an exception, which does not say that its devices are well: a
        test runner reports an error and goes on. Asked without waiting for them."""
        try:
            for index, device in self._devices.items():
                if device is not None:
                    sys.modules["torch"].cuda.current_stream(index).query()
        except Exception:
            self.closed(layout.FROZEN)
            self.stopped = True
        self.closed(layout.ENDED)

    def closed(self, state: int) -> None:
        """The process ends."""
        if not self.stopped:
            self.ring.set_state(state)

    def _begin(self, site: int, arguments: Any, more: dict[str, Any] | None) -> int:
        torch = sys.modules["torch"]
        tensor_type, parameter_type = torch.Tensor, torch.nn.Parameter
        whole = self.options.constants
        key: list[Any] = []
        numbers: list[Any] = []
        for one in arguments:
            if type(one) is parameter_type and not whole:
                # Hundreds of them are passed to each call, and none of them is copied.
                key.append((id(one), one.shape))
            elif isinstance(one, tensor_type):
                key.append((one.shape, one.stride(), one.dtype, one.device, type(one)))
            else:
                key.append(None)
                numbers.append(
                    one if type(one) in (int, float, bool, str, type(None)) else str(one)
                )
        made = tuple(key)
        plan = self._plans.get(made)
        if plan is None:
            plan = self._planned(arguments, tensor_type)
            if len(self._plans) < _MOST_PLANS:
                self._plans[made] = plan
        device = self._device(plan.device, torch) if plan.device is not None else None
        if device is not None and torch._C._cuda_isCurrentStreamCapturing():
            return 0  # a copy would become part of the graph, and run again with each replay
        if device is not None:
            generator = torch.cuda.default_generators[plan.device]
            told = {"n": numbers, "rng": [generator.initial_seed(), generator.get_offset()]}
        else:
            told = {"n": numbers, "rng": [torch.initial_seed(), None]}
        if more:
            told |= more
        packed = plan.text + _pack(told).encode()[1:]
        tail = b"".join(
            _bytes_at(arguments[at].data_ptr(), size) for at, where, size in plan.host if where < 0
        )
        if plan.host:
            packed += b"\0" + tail
        stream = device.stream() if device is not None else 0
        slot = self._free_slot(stream, device) if plan.size else -1
        number = self.ring.begin(packed, site, slot, stream, threading.get_ident())
        if slot >= 0:
            self._copy(plan, arguments, number, slot, stream, device)
        return number

    def _copy(
        self, plan: Plan, arguments: Any, number: int, slot: int, stream: int, device: Any
    ) -> None:
        at = self.ring.slot_at(slot)
        if device is None:
            self.ring.stamp(slot, low_part(number), ended=False)
        else:
            device.stamp(self.ring.stamp_at(slot), number, stream)
            self._busy[slot], self._streams[slot] = number, stream
            for argument, offset, size in plan.copies:
                device.copy(at + offset, arguments[argument].data_ptr(), size, stream)
        for argument, offset, size in plan.host:
            if offset >= 0:
                self._host.copy(at + offset, arguments[argument].data_ptr(), size)
        if device is None:
            self.ring.stamp(slot, low_part(number), ended=True)
        else:
            device.stamp(self.ring.stamp_at(slot) + 8, number, stream)

    def _free_slot(self, stream: int, device: DeviceCopies | None) -> int:
        """The next slot; one that another stream may still be writing is left alone. -1: none."""
        for _ in range(self.ring.slots):
            self._slot = slot = (self._slot + 1) % self.ring.slots
            number = self._busy[slot]
            if not number or (device is not None and self._streams[slot] == stream):
                return slot
            if self.ring.stamp_of(slot)[1] == low_part(number):
                self._busy[slot] = 0
                return slot
        return -1

    def _planned(self, arguments: Any, tensor_type: Any) -> Plan:
        plan = Plan()
        tensors = [one for one in arguments if isinstance(one, tensor_type)]
        devices = [one.device.index for one in tensors if one.device.type == "cuda"]
        plan.device = devices[0] if devices else None
        notes: list[Any] = []
        for position, one in enumerate(arguments):
            if not isinstance(one, tensor_type):
                notes.append(None)
                continue
            why, size = self._wanted(one, plan.device)
            where = -1
            on_host = one.device.type == "cpu"
            if not why and size and on_host and plan.device is not None:
                why = "" if size <= _MOST_IN_NOTE else "on the host, and too large for its note"
                if not why:
                    plan.host.append((position, -1, size))
                    where = -2
            elif not why and size:
                if plan.size + size > self.ring.slot_bytes:
                    why = f"{size:,} bytes do not fit into the ring (--ring)"
                else:
                    where = plan.size
                    (plan.host if on_host else plan.copies).append((position, where, size))
                    plan.size += (
                        (size + layout.ALIGNMENT - 1) // layout.ALIGNMENT * layout.ALIGNMENT
                    )
            elif not why:
                where = -3  # it has no elements: nothing is missing
            notes.append(
                [
                    str(one.dtype).rpartition(".")[2],
                    list(one.shape),
                    list(one.stride()),
                    str(one.device),
                    where,
                    size,
                    why,
                ]
            )
        plan.text = f'{{"a":{_pack(notes)},'.encode()
        return plan

    def _wanted(self, one: Any, device: int | None) -> tuple[str, int]:
        """Why a tensor's data is not recorded, ``""`` if it is; and its bytes."""
        if one.layout is not sys.modules["torch"].strided or type(one).__name__ == "FakeTensor":
            return f"a {one.layout} tensor", 0
        if one.device.type not in ("cpu", "cuda"):
            return f"on {one.device.type}", 0
        if one.device.type == "cuda" and one.device.index != device:
            return "on another device", 0
        size = byte_span(one)
        is_float = one.dtype.is_floating_point or one.dtype.is_complex
        if not size:
            return "", 0
        if type(one).__name__ == "Parameter" and not self.options.constants:
            return "a parameter (--constants)", size
        if is_float and self.options.data == "none":
            return "floats (--data)", size
        if is_float and self.options.data == "small" and size > SMALL:
            return "floats of more than 1 MiB (--data all)", size
        return "", size

    def _device(self, index: int, torch: Any) -> DeviceCopies | None:
        if index not in self._devices:
            if torch._C._cuda_isCurrentStreamCapturing():
                return None
            self._devices[index] = made = DeviceCopies(self.ring, torch, index)
            if not made.registered and len(self._devices) == 1:
                said("the ring could not be pinned: copies are slower")
        return self._devices[index]

    # -- failures -----------------------------------------------------------------------------

    def _is_device_error(self, error: BaseException) -> bool:
        words = str(error)
        return "CUDA" in words or "device-side" in words or type(error).__name__ in _DEVICE_ERRORS

    def _settle(self) -> None:
        """Let the copies of the failed call arrive, where the device still lives."""
        if not self.stopped and any(self._devices.values()):
            torch = sys.modules["torch"]
            try:
                torch.cuda.synchronize()
            except Exception:
                self.stopped = True
                self.ring.set_state(layout.FROZEN)

    def _stop(self, words: str) -> None:
        if not self.stopped:
            self.stopped = True
            self.ring.set_state(layout.FROZEN)
            said(words)


_pack = json.JSONEncoder(separators=(",", ":")).encode
_PLAIN = (int, float, bool, str, type(None))
_DEVICE_ERRORS = ("AcceleratorError",)


def _bytes_at(address: int, size: int) -> bytes:
    return ctypes.string_at(address, size)
