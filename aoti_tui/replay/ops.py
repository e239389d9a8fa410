"""Extern calls in a replay: through torch on the CPU, or stood in for by made-up results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aoti_tui.index.model import ExternCall
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.externs import CannotConvert, extern_arguments
from aoti_tui.replay.symbols import Number
from aoti_tui.replay.tensors import Held, Storage, replayed_from


@dataclass(frozen=True, slots=True)
class OpResult:
    """``made`` are tensors that the call itself makes, by wrapper name."""

    made: dict[str, Held]
    source: str


class NotReplayed(Exception):
    """The op cannot be replayed; ``str()`` says why."""


def replay_op(
    extern: ExternCall,
    client: WorkerClient,
    prefix: str,
    hold: Callable[[Any], Held],
    number: Callable[[str], Number],
) -> OpResult:
    """Run an extern call in the worker. Raises :class:`NotReplayed`, or ReplayError when the
    worker died or the user cancelled."""
    sources = [hold(view).storage.source for view in extern.reads]
    try:
        args, outputs = extern_arguments(extern, lambda v: hold(v).handle, number, _no_array)
    except (CannotConvert, ReplayError) as error:
        raise NotReplayed(str(error)) from error
    try:
        reply = client.request(
            "extern",
            doing=f"replaying {extern.op} (:{extern.line})",
            op=extern.op,
            aten=list(extern.aten),
            args=args,
            outputs=[f"{prefix}{name}" for name in outputs],
        )
    except ReplayError as error:
        if error.kind in ("cancelled", "died", "unavailable"):
            raise
        raise NotReplayed(error.why) from error
    source = replayed_from(sources)
    how = made_how(source, f"{extern.op} (:{extern.line})")
    made = {
        name: Held(
            str(one["name"]),
            str(one["dtype"]),
            tuple(one["shape"]),
            tuple(one["stride"]),
            int(one.get("offset", 0)),
            Storage(source, how, written=True),
        )
        for name, one in zip(outputs, reply["outputs"], strict=False)
    }
    return OpResult(made, source)


def made_how(source: str, by: str) -> str:
    """How a tensor was made, saying so when it was made out of invented data."""
    return f"computed from made-up data by {by}" if source == "made-up" else by


def _no_array(_: str) -> None:
    """The index has put the elements of named int arrays in place of their names."""
