"""A script's run as what was opened: its launches, and a verdict in one sentence."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from aoti_tui.answer.graphs import Graphs
from aoti_tui.answer.incident import Incident, Verdict, Workshop
from aoti_tui.answer.upstream import MadeBy, Upstream
from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.log_file import LogText
from aoti_tui.artifacts.strides import index_of as index_in
from aoti_tui.artifacts.wrapper_file import WrapperText
from aoti_tui.failure.model import Failure, ProvenanceNode
from aoti_tui.failure.provenance.known import Known
from aoti_tui.index.model import Launch, LaunchId
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import ArgumentValue, ReplayResult
from aoti_tui.replay.questions.elements import TensorElements
from aoti_tui.replay.questions.writers import WrittenElement
from aoti_tui.replay.replayer import Replayer
from aoti_tui.replay.script.command import ScriptCommand
from aoti_tui.replay.script.index import argument_values, index_of
from aoti_tui.replay.script.live import LiveScript
from aoti_tui.replay.script.model import Passed, ScriptRun
from aoti_tui.replay.script.session import ScriptSession
from aoti_tui.replay.script.sources import Sources, functions_of

Progress = Callable[[str, float], None]


@dataclass(frozen=True, kw_only=True)
class ScriptIncident(Incident):
    """A script that runs. It never changes: what happens next gives a new one."""

    run: ScriptRun
    script: ScriptSession

    def kernel_program(self, name: str) -> KernelProgram:
        return self.script.program(name)

    def program_at(self, source: str, line: int) -> KernelProgram | None:
        own = next(
            (
                kernel.name
                for kernel in self.run.kernels.values()
                if kernel.function.file == source
                and kernel.function.line <= line <= kernel.function.end_line
            ),
            None,
        )
        return self.script.program(own) if own else self.script.sources.program_at(source, line)

    def text_of(self, source: str, line: int) -> str:
        lines = self.lines_of(source) or ()
        return lines[line - 1] if 1 <= line <= len(lines) else ""

    def lines_of(self, file: str) -> tuple[str, ...] | None:
        return self.script.sources.lines(file)

    def explain_assert(self, kernel: str, kernel_line: int) -> Failure | None:
        return None

    def trace(self, line: int, name: str) -> ProvenanceNode | None:
        return None

    def replayer(self) -> Replayer:
        return self.script

    def given_to(self, launch: Launch) -> tuple[ArgumentValue, ...]:
        seen = self.run.launch(launch.id)
        settings = self.script.settings_for(launch)
        return argument_values(seen, dict(settings)) if seen is not None else ()

    def writer_of(self, launch: Launch, text: str) -> WrittenElement:
        argument, element = self.script.element_by_hand(launch, text)
        return self.script.written_element(launch, argument, element)[0]

    def elements_of(self, launch: Launch, parameter: str, start: int) -> TensorElements:
        return self.script.read_argument(launch, parameter, start)

    def upstream(self, launch: Launch, argument: str, element: int) -> Upstream:
        """What had put an element there before ``launch`` read it: a launch before, or an
        operation of torch. Raises ReplayError."""
        passed = self._passed(launch.id, argument)
        base = (passed.user_name or passed.text or argument) if passed is not None else argument
        place = index_in(passed.shape, passed.stride, element) if passed is not None else None
        found = Upstream(argument, base, element, place)
        _, before = self.script.written_element(launch, argument, element)
        if before is None:
            return found
        maker = self.index.launch(before.launch) if before.launch is not None else None
        if maker is None:
            return replace(found, made_by=MadeBy(before.op, before.file, before.line))
        through = before.argument or self._same_tensor(maker, passed)
        at = before.element if before.element is not None else element
        written, _ = self.script.written_element(maker, through, at)
        return replace(found, launch=maker, written=written)

    def _passed(self, launch: LaunchId, parameter: str) -> Passed | None:
        seen = self.run.launch(launch)
        arguments = seen.arguments if seen is not None else ()
        return next((a for a in arguments if a.parameter == parameter), None)

    def _same_tensor(self, launch: Launch, passed: Passed | None) -> str:
        """The parameter that a launch before got the same tensor for."""
        seen = self.run.launch(launch.id)
        tensors = [a for a in seen.arguments if a.kind == "tensor"] if seen is not None else []
        name = passed.user_name if passed is not None else ""
        same = [a.parameter for a in tensors if name and a.user_name == name]
        return same[0] if same else tensors[-1].parameter if tensors else ""

    def grown(self, run: ScriptRun) -> ScriptIncident:
        """The script went on."""
        for function in functions_of(run.kernels):
            self.script.sources.know(function)
        index = index_of(run, self.index.path, self.script.sources, self.index)
        return replace(self, run=run, index=index)

    @property
    def bad_lines(self) -> tuple[tuple[str, int], ...]:
        return tuple((one.file, one.line) for one in self.run.findings)

    @property
    def data_words(self) -> str:
        return "what the script passes"

    @property
    def stands(self) -> bool:
        return self.run.stop is not None

    def close(self) -> None:
        self.script.live.close()

    # -- what a wrapper alone has -------------------------------------------------------------

    def find_fault(self, progress: Progress | None = None) -> Failure | None:
        raise _not_here("The first bad access is looked for all the time", "this is a script's run")

    def with_log(self, text: LogText, name: str) -> Incident:
        raise _not_here("A log is read beside a wrapper", "a script tells itself what goes wrong")

    def with_inputs(self, path: Path, edited: str = "") -> Incident:
        raise _not_here("Inputs are read for a wrapper", "a script makes its own data")

    def judge(
        self,
        failure: Failure,
        progress: Progress | None = None,
        *,
        scanned: ReplayResult | None = None,
        only: frozenset[LaunchId] | None = None,
    ) -> Verdict:
        return Verdict(failure, None)


def open_script(command: ScriptCommand, title: str, stdin: Path | None) -> ScriptIncident:
    """Start a script. Raises ReplayError when there is no Python to run it."""
    live = LiveScript(command, title, stdin)
    live.start()
    sources = Sources()
    run = live.run()
    script = file_of(command)
    index = index_of(run, script, sources, None)
    given = Given(python=command.python)
    return ScriptIncident(
        source=WrapperText(Path(script or title), ""),
        index=index,
        given=given,
        log=None,
        log_name="",
        failures=(),
        known=Known(),
        inputs=(),
        notes=(),
        workshop=Workshop(index, given),
        graphs=Graphs((), {}),
        run=run,
        script=ScriptSession(live, sources),
    )


def file_of(command: ScriptCommand) -> str:
    """The file that is named, ``""`` for a module."""
    first = next(iter(command.arguments), "")
    return os.path.abspath(first) if first and not first.startswith("-") else ""


def _not_here(what: str, why: str) -> ReplayError:
    return ReplayError("bad-inputs", what, why, "F goes to the next thing that is wrong")
