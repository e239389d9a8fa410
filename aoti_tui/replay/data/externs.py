"""Extern calls in a replay: through torch on the CPU, or stood in for by made-up results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aoti_tui.index.expression import Expr
from aoti_tui.index.model import ExternCall
from aoti_tui.replay.client import Reply, WorkerClient
from aoti_tui.replay.data.extern_arguments import CannotConvert, extern_arguments
from aoti_tui.replay.data.held_tensors import Held, Storage, replayed_from
from aoti_tui.replay.data.symbols import Number
from aoti_tui.replay.errors import ReplayError

_SHIM = "aoti_torch_cuda_"
"""The worker knows ops by their names in the C shim, whatever the wrapper calls."""


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
    number: Callable[[Expr], Number],
) -> OpResult:
    """Run an extern call in the worker. Raises :class:`NotReplayed`, or ReplayError when the
    worker died or the user cancelled."""
    sources = [hold(view).storage.source for view in extern.reads]
    try:
        args, outputs = extern_arguments(extern, lambda v: hold(v).handle, number)
    except (CannotConvert, ReplayError) as error:
        if isinstance(error, ReplayError) and error.ends_run:
            raise
        raise NotReplayed(str(error)) from error
    reply = _called(extern, client, args, [f"{prefix}{n}" if n else None for n in outputs])
    if reply.get("flags"):
        # Random numbers: the GPU drew others.
        sources.append("made-up")
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
        for name, one in zip([n for n in outputs if n], reply["outputs"], strict=False)
    }
    return OpResult(made, source)


def _called(
    extern: ExternCall,
    client: WorkerClient,
    args: list[dict[str, Any]],
    outputs: list[str | None],
) -> Reply:
    """The worker's answer. An op without a name is known only by the ATen ops that its node came
    from: the op itself is the last of them, and no other is tried in its place."""
    if extern.custom:
        raise NotReplayed(f"it runs {extern.custom}, an operator that is not PyTorch's own")
    if not extern.named and not extern.aten:
        raise NotReplayed("which operator it runs is not written in the wrapper")
    try:
        return client.request(
            "extern",
            doing=f"replaying {extern.op} (:{extern.line})",
            op=f"{_SHIM if extern.named else ''}{extern.op}",
            aten=None if extern.named else extern.aten[-1],
            args=args,
            outputs=outputs,
        )
    except ReplayError as error:
        if error.ends_run:
            raise
        raise NotReplayed(error.why) from error


def made_how(source: str, by: str) -> str:
    """How a tensor was made, saying so when it was made out of invented data."""
    return f"computed from made-up data by {by}" if source == "made-up" else by
