"""Commands that ask for the answer: who is guilty, who made a value, who wrote an element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aoti_tui.answer.script_words import difference_words, finding_words, verdict
from aoti_tui.failure.model import Failure, Source
from aoti_tui.failure.prose.headline import guilty_sources
from aoti_tui.failure.prose.text import whole_answer
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.replay.errors import ReplayError
from aoti_tui.session.heading import heading
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.language.reading import plain
from aoti_tui.session.text import line_words


class Asking:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def handlers(self) -> dict[str, Callable[[str], str]]:
        return {
            "verdict": lambda text: self._judged(self._verdict),
            "expect": self.parts.references.expect,
            "precision": self._precision,
            "explain": lambda text: self._judged(self._explain),
            "failure": self._failure,
            "assert": self._assert,
            "last": lambda text: self._value(text, self.parts.values.who_made),
            "uses": lambda text: self._value(text, self.parts.values.who_uses),
            "wrote": self._wrote,
            "input": self._input,
        }

    # -- the answer ---------------------------------------------------------------------------

    def _judged(self, say: Callable[[], None]) -> str:
        """Have the failure judged by a replay where that can be done, then say it."""
        incident, failure = self.parts.incident, self.parts.state.failure
        front = self.parts.session.front
        if failure is None and incident.only_memory_faults and incident.can_diagnose:
            self.parts.incidents.find_fault()
            front.start("judge", lambda tell: None, lambda done: say())
        elif failure is None or self._settled(failure):
            say()
        else:

            def judge(tell: object) -> Failure | ReplayError:
                try:
                    return incident.judge(failure).failure
                except ReplayError as error:
                    return error

            def judged(found: Failure | ReplayError) -> None:
                if isinstance(found, ReplayError):
                    self.parts.session.say(f"No replay: {found}", bad=True)
                else:
                    self.parts.places.replace_failure(failure, found)
                say()

            front.start("judge", judge, judged)
        return ""

    def _settled(self, failure: Failure) -> bool:
        """Whether a replay has judged it, or none can: while something else is tried, the trial is
        what there is to say."""
        state, incident = self.parts.state, self.parts.incident
        tried = state.trial is not None or bool(incident.edited)
        return tried or failure.fired is not None or not incident.can_diagnose

    def _verdict(self) -> None:
        self.parts.tell("\n".join(heading(self.parts.state).lines), *self._values())

    def _precision(self, text: str) -> str:
        self.parts.references.precision()
        return ""

    def _explain(self) -> None:
        state = self.parts.state
        failure, notes = state.shown, self.parts.incident.notes
        lines = heading(state).lines if failure is None else whole_answer(failure, notes)
        self.parts.tell("\n".join(lines), *self._values(), title="The answer")

    def _values(self) -> list[dict[str, Any]]:
        script = self.parts.scripts.incident
        if script is not None:
            run = script.run
            rows: list[dict[str, Any]] = [
                {
                    "kind": one.kind,
                    "kernel": one.kernel,
                    "file": one.file,
                    "line": one.line,
                    "argument": one.argument or None,
                    "element": one.element,
                    "program": list(one.program) if one.program is not None else None,
                    "lane": list(one.lane),
                    "text": finding_words(one),
                }
                for one in run.findings
            ]
            rows += [
                {"kind": "difference", "file": one.file, "line": one.line}
                | {"argument": one.argument or None, "element": one.element}
                | {"text": difference_words(one)}
                for one in run.differences
            ]
            return [{"verdict": verdict(run), "wrong": rows}]
        failure = self.parts.state.shown
        return [failure_values(failure)] if failure is not None else []

    def _failure(self, text: str) -> str:
        failures = self.parts.incident.failures
        if not text:
            if self.parts.scripts.incident is not None:
                self.parts.scripts.next_wrong()
            else:
                self.parts.places.next_failure()
            return ""
        if not text.isdigit() or not 0 < int(text) <= len(failures):
            return f"There is no failure {text}: the log has {len(failures)}."
        self.parts.places.show_failure(int(text) - 1)
        self.parts.tell("\n".join(heading(self.parts.state).lines), *self._values())
        return ""

    def _assert(self, text: str) -> str:
        if self.parts.scripts.incident is not None:
            self.parts.scripts.go_to_stop()
            return ""
        failure = self.parts.state.failure
        if failure is None:
            return "No failure is open."
        self.parts.places.go_assert()
        line = self.parts.state.place.line
        self.parts.tell(f"{failure.message} ({failure.kernel} k{failure.kernel_line}, :{line}).")
        return ""

    # -- values -------------------------------------------------------------------------------

    def _value(self, name: str, ask: Callable[[], None]) -> str:
        state = self.parts.state
        if state.recording is None:
            return "nothing has been run yet; c runs the kernel."
        if name:
            if not any(s.name == name and s.kind == "assign" for s in state.recording.steps):
                return f"{name} is assigned nowhere in program {state.recording.program}."
            self.parts.values.pick(name)
        ask()
        return ""

    def _wrote(self, text: str) -> str:
        if not text:
            return "wrote asks who wrote an element: wrote out_ptr0[3,7]."
        if self.parts.writers.outputs() is not None:
            self.parts.writers.find(text)
        return ""

    def _input(self, name: str) -> str:
        if self.parts.scripts.incident is not None:
            self.parts.scripts.go_to_call()
            return ""
        if not name:
            self.parts.origins.model_input()
            return ""
        state, places = self.parts.state, self.parts.places
        line = state.place.line
        node = places.trace(line, name)
        if node is None and state.kernel is not None:
            made = self.parts.incident.kernel_program(state.kernel.name).by_name.get(name, ())
            own = state.kernel.wrapper_line(made[-1].line) if made else None
            node = places.trace(own, name) if own is not None else None
        if node is None and state.launch is not None:
            node = places.trace(state.launch.line, name)
        if node is None:
            return f"Nothing is known of {name}: it is no name of the model."
        self.parts.origins.model_input((name, (node,)))
        return ""


def _value_of(failure: Failure, source: Source) -> object:
    """What is known of a source: its number, or for a tensor what it holds, in words."""
    trees = (failure.bound.tree, failure.index.tree)
    nodes = (node for tree in trees for node in walk(tree) if node.source == source)
    return next((node.value for node in nodes if node.value is not None), None)


def failure_values(failure: Failure) -> dict[str, Any]:
    """Who is guilty, the value, why and what to change, for a program that asks."""
    bad = failure.bad
    guilty = [
        {
            "kind": source.kind,
            "position": source.position,
            "name": source.name,
            "dim": source.dim,
            "value": plain(_value_of(failure, source)),
        }
        for source in guilty_sources(failure)
    ]
    return {
        "kernel": failure.kernel,
        "kernel_line": failure.kernel_line,
        "line": failure.wrapper_line,
        "place": line_words(failure.kernel, failure.kernel_line),
        "assert": failure.message,
        "guilty": guilty,
        "elements": [
            {
                "position": bad.position,
                "name": bad.name,
                "index": list(one.index),
                "value": plain(one.value),
            }
            for one in bad.first
        ]
        if bad is not None
        else [],
        "elements_count": bad.count if bad is not None else 0,
        "bound": {"text": failure.bound.text, "value": plain(failure.bound.value)},
        "index": {"text": failure.index.text, "value": plain(failure.index.value)},
        "cause": {
            "code": failure.cause.code,
            "text": failure.cause.text,
            "confirmed": failure.cause.confirmed,
        },
        "rivals": len(failure.rivals),
        "fixes": [
            {"title": fix.title, "text": fix.text, "requires": fix.requires}
            for fix in failure.fixes
        ],
    }
