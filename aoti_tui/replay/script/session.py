"""Questions about the launches of a script, asked of the process that made them."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aoti_tui.index.model import Launch, LaunchId
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.client import Progress
from aoti_tui.replay.data.held_tensors import Held, Storage, element_count
from aoti_tui.replay.data.symbols import SET_BY_USER
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import (
    ArgumentValue,
    Program,
    Recording,
    ReplayResult,
    SymbolValue,
    WorkerInfo,
)
from aoti_tui.replay.questions.elements import (
    MOST,
    TensorElements,
    check_range,
    element_in,
    parse_element,
)
from aoti_tui.replay.questions.writers import WrittenElement, decode_written
from aoti_tui.replay.recorded.blocks import Number, decode_block, decode_fault, program_of
from aoti_tui.replay.recorded.recording import decode, decode_flags
from aoti_tui.replay.recorded.results import decode_asserts
from aoti_tui.replay.script.expectations import (
    Departure,
    Precision,
    decode_departure,
    decode_precision,
)
from aoti_tui.replay.script.index import argument_values, how_words
from aoti_tui.replay.script.live import LiveScript
from aoti_tui.replay.script.model import LaunchSeen, Passed
from aoti_tui.replay.script.sources import Sources

_PLACE = re.compile(r"(.+?)(?:\[(\d+)\])?")
_REPLAYED_KINDS = ("assert", "out-of-bounds")
"""Findings that a scan of the launch makes again, with more than an event says of them."""


@dataclass(frozen=True, slots=True)
class MadeBefore:
    """What had put an element there before a launch: a launch, or an operation of torch."""

    launch: LaunchId | None = None
    program: Program | None = None
    lane: tuple[int, ...] = ()
    argument: str = ""
    element: int | None = None
    op: str = ""
    file: str = ""
    line: int = 0


class ScriptSession:
    """Runs launches of a script again, on what they were given: see
    :class:`~aoti_tui.replay.replayer.Replayer`.

    The process answers while it stands: a question that is asked while the script runs waits for
    the next stop, so the script is asked to pause.
    """

    def __init__(self, live: LiveScript, sources: Sources) -> None:
        self.live = live
        self.sources = sources
        self.doing = ""
        self._settings: dict[LaunchId, dict[str, Number]] = {}
        self._told: dict[LaunchId, dict[str, Number]] = {}
        """What the process knows of them."""
        self._turn = threading.RLock()

    def info(self) -> WorkerInfo:
        machine = self.live.run().machine
        return WorkerInfo(
            python=machine.python,
            executable=machine.executable,
            torch=machine.torch,
            triton=machine.triton,
            runs_script=True,
        )

    def warm(self) -> None:
        """The script itself imports what it needs."""

    def cancel(self) -> bool:
        return False

    # -- what if ------------------------------------------------------------------------------

    def settings_for(self, launch: Launch) -> Mapping[str, Number]:
        return self._settings.get(launch.id, {})

    def set_for(self, launch: Launch, name: str, value: Number | None) -> None:
        """``name`` is a scalar, or an element as ``x_ptr[12]``, counted from the data pointer."""
        settings = dict(self._settings.get(launch.id, {}))
        seen = self._seen(launch)
        argument, element = self._settable(seen, name)
        if element is not None:
            check_range(argument.parameter, held_of(argument), element)
        if value is None:
            settings.pop(name, None)
        else:
            settings[name] = value
        self._settings[launch.id] = settings

    def symbols_of(self, launch: Launch | None) -> tuple[SymbolValue, ...]:
        """Its scalars, and whatever elements were set."""
        if launch is None:
            return ()
        settings = self.settings_for(launch)
        found = []
        for passed in self._seen(launch).arguments:
            value = passed.value
            if passed.kind == "scalar" and isinstance(value, int | float):
                tried = settings.get(passed.parameter)
                how = passed.text if tried is None else SET_BY_USER
                shown = value if tried is None else tried
                source = "script" if tried is None else "set"
                found.append(SymbolValue(passed.parameter, shown, source, how))
        elements = {name: value for name, value in settings.items() if "[" in name}
        found += [SymbolValue(name, v, "set", SET_BY_USER) for name, v in elements.items()]
        return tuple(found)

    def _settable(self, seen: LaunchSeen, name: str) -> tuple[Passed, int | None]:
        match = _PLACE.fullmatch(name.strip())
        argument = next(
            (a for a in seen.arguments if match is not None and a.parameter == match[1]), None
        )
        wanted = "tensor" if match is not None and match[2] else "scalar"
        if match is None or argument is None or argument.kind != wanted:
            names = [a.parameter for a in seen.arguments if a.kind == "scalar"]
            tensors = [f"{a.parameter}[0]" for a in seen.arguments if a.kind == "tensor"]
            raise ReplayError(
                "bad-inputs",
                f"{name} cannot be set",
                f"the launch is given {', '.join((*names, *tensors)) or 'nothing'}",
                "Name a scalar, or an element of a tensor counted from its first",
            )
        return argument, int(match[2]) if match[2] else None

    # -- launches -----------------------------------------------------------------------------

    def run(self, launch: Launch, *, progress: Progress | None = None) -> ReplayResult:
        """What the script's own launch was found to do; what its grid does with what is set."""
        seen, settings = self._seen(launch), self.settings_for(launch)
        findings = self.live.run().findings_of(launch.id)
        again = settings or any(one.kind in _REPLAYED_KINDS for one in findings)
        reply: Mapping[str, Any] = {}
        if again:
            reply = self._ask(seen, "scan", f"scanning {launch.kernel}", progress)
        arguments = self._arguments(launch)
        return ReplayResult(
            kernel=launch.kernel,
            launch=launch.id,
            site=launch.site,
            grid=seen.grid,
            blocks=_blocks(seen),
            symbols=self.symbols_of(launch) if settings else (),
            arguments=arguments,
            asserts=decode_asserts(reply, self.program(launch.kernel), arguments),
            faults=tuple(decode_fault(raw) for raw in reply.get("faults", ())),
            mode=str(reply.get("mode", seen.mode)),
            programs_run=int(reply.get("programs", seen.programs)),
            flags=decode_flags(reply.get("flags", ())),
            findings=() if settings else findings,
        )

    def record(
        self,
        launch: Launch,
        program: Program = (0, 0, 0),
        progress: Progress | None = None,
    ) -> Recording:
        seen = self._seen(launch)
        if any(not 0 <= at < size for at, size in zip(program, seen.grid, strict=True)):
            x, y, z = seen.grid
            raise ReplayError(
                "bad-inputs",
                f"There is no program {program[0]},{program[1]},{program[2]}",
                f"the grid is {x}×{y}×{z}",
                "Choose a program inside of it, counted from 0",
            )
        doing = f"recording program {program} of {launch.kernel}"
        reply = self._ask(seen, "record", doing, progress, program=list(program))
        fields = {"blocks": _blocks(seen), "grid": list(seen.grid), **reply}
        return decode(
            fields,
            reply.blobs,
            kernel=launch.kernel,
            launch=launch.id,
            site=launch.site,
            arguments=self._arguments(launch),
            symbols=self.symbols_of(launch) if self.settings_for(launch) else (),
        )

    def expect(self, recording: Recording, text: str) -> Departure:
        """Compare a name of a recorded program with an expression: ``NAME = EXPR``."""
        reply = self._of_recording(recording, "expect", f"comparing {text}", expectations=[text])
        return decode_departure(reply)

    def precision(self, recording: Recording) -> Precision:
        """A recorded program beside itself in float64."""
        reply = self._of_recording(recording, "precision", "running the program in float64")
        return decode_precision(reply, recording)

    def _of_recording(self, recording: Recording, do: str, doing: str, **fields: Any) -> Any:
        seen = self.live.run().launch(recording.launch)
        assert seen is not None  # it was recorded
        return self._ask(seen, do, doing, program=list(recording.program), **fields)

    def program(self, kernel: str) -> KernelProgram:
        """A launched kernel's source, understood."""
        run = self.live.run()
        first = next((one for one in run.launches if one.kernel == kernel), None)
        pointers = (
            tuple(a.parameter for a in first.arguments if a.kind == "tensor") if first else ()
        )
        return self.sources.program_of(run.kernels[kernel], pointers)

    # -- elements -----------------------------------------------------------------------------

    def element_by_hand(self, launch: Launch, text: str) -> tuple[str, int]:
        """Argument and element of ``out_ptr[123]`` or ``out_ptr[3,7]``. Raises ReplayError."""
        argument, index = parse_element(text)
        held = held_of(self._tensor(launch, argument))
        return argument, element_in(argument, held, index)

    def written_element(
        self, launch: Launch, argument: str, element: int
    ) -> tuple[WrittenElement, MadeBefore | None]:
        """Who wrote an element in a launch, and what had put there what was in it before."""
        passed = self._tensor(launch, argument)
        check_range(argument, held_of(passed), element)
        seen = self._seen(launch)
        doing = f"looking who writes {argument}[{element}] in {launch.kernel}"
        reply = self._ask(seen, "who_wrote", doing, argument=argument, element=element)
        before = reply.get("before_by")
        written = decode_written(reply, argument, element, made_up=False)
        return written, self._before(seen, before) if before else None

    def _before(self, seen: LaunchSeen, raw: Mapping[str, Any]) -> MadeBefore:
        number = raw.get("launch")
        if number is None:
            return MadeBefore(
                op=str(raw.get("op") or ""),
                file=str(raw.get("file") or ""),
                line=int(raw.get("line") or 0),
            )
        launches = self.live.run().launches
        known = (o.id for o in launches if (o.process, o.number) == (seen.process, int(number)))
        return MadeBefore(
            launch=next(known, None),
            program=program_of(raw["program"]) if raw.get("program") is not None else None,
            lane=tuple(raw.get("lane") or ()),
            argument=str(raw.get("argument") or ""),
            element=raw.get("element"),
        )

    def read_argument(self, launch: Launch, parameter: str, start: int = 0) -> TensorElements:
        """Elements of an argument as the launch got it, whole rows where they are short enough."""
        passed = self._tensor(launch, parameter)
        row, count = element_count(passed.shape[1:]), MOST
        if 0 < row <= count:
            count -= count % row
            start -= start % row
        start = max(0, min(start, element_count(passed.shape) - count))
        reply = self._ask(
            self._seen(launch),
            "read",
            f"reading {parameter}",
            argument=parameter,
            when="before",
            start=start,
            count=count,
        )
        return TensorElements(
            name=parameter,
            dtype=passed.dtype,
            shape=passed.shape,
            stride=passed.stride,
            source="script",
            how=how_words(passed),
            start=start,
            block=decode_block(reply.get("block", reply), reply.blobs),
            summary=None,
        )

    # -- inside -------------------------------------------------------------------------------

    def _arguments(self, launch: Launch) -> tuple[ArgumentValue, ...]:
        return argument_values(self._seen(launch), dict(self.settings_for(launch)))

    def _seen(self, launch: Launch) -> LaunchSeen:
        found = self.live.run().launch(launch.id)
        assert found is not None  # the index was made of them
        return found

    def _tensor(self, launch: Launch, parameter: str) -> Passed:
        arguments = self._seen(launch).arguments
        found = next((a for a in arguments if a.parameter == parameter), None)
        if found is not None and found.kind == "tensor":
            return found
        names = ", ".join(a.parameter for a in arguments if a.kind == "tensor")
        raise ReplayError(
            "bad-inputs",
            f"{parameter} is no tensor of this launch",
            f"{launch.kernel} is given {names or 'none'}",
            "Name one of them",
        )

    def _ask(
        self,
        seen: LaunchSeen,
        do: str,
        doing: str,
        progress: Progress | None = None,
        **fields: Any,
    ) -> Any:
        with self._turn:
            self.doing = doing
            if self.live.run().phase == "running":
                self.live.pause()
            try:
                settings = self._settings.get(seen.id, {})
                if settings != self._told.get(seen.id, {}):
                    sets = _sets(settings)
                    self.live.request(seen.process, "what_if", launch=seen.number, sets=sets)
                    self._told[seen.id] = settings
                return self.live.request(
                    seen.process, do, doing=doing, progress=progress, launch=seen.number, **fields
                )
            finally:
                self.doing = ""


def held_of(passed: Passed) -> Held:
    """A tensor as the questions about elements know it."""
    storage = Storage("script", how_words(passed), written=True)
    return Held(passed.parameter, passed.dtype, passed.shape, passed.stride, passed.offset, storage)


def _blocks(seen: LaunchSeen) -> dict[str, int]:
    """Whole numbers among the ``constexpr``, which block sizes are."""
    return {
        one.parameter: one.value
        for one in seen.arguments
        if one.kind == "constexpr" and type(one.value) is int
    }


def _sets(settings: Mapping[str, Number]) -> list[dict[str, Any]]:
    sets: list[dict[str, Any]] = []
    for name, value in settings.items():
        match = _PLACE.fullmatch(name)
        assert match is not None
        place = {"element": int(match[2])} if match[2] else {}
        sets.append({"argument": match[1], **place, "value": value})
    return sets
