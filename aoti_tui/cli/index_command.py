"""``aoti-tui index``: what a wrapper holds, as counts and lists or as JSON."""

from __future__ import annotations

import json
import sys

from aoti_tui.answer.indexing import indexed
from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.cli.arguments import index_parser
from aoti_tui.cli.exit_codes import ANSWERED
from aoti_tui.cli.json_output import VERSION, index_json
from aoti_tui.cli.opening import given_of
from aoti_tui.index.model import Symbol, WrapperIndex
from aoti_tui.replay.questions.truncated import can_truncate, first_miss


def index(argv: list[str]) -> int:
    """Runs the command. Raises ArtifactError for unusable input."""
    arguments = index_parser().parse_args(argv)
    if arguments.wrapper is None:
        raise ArtifactError(
            "no wrapper was given", "there is nothing to list", "Give a wrapper, a folder or a log."
        )
    incident = open_incident(arguments.wrapper, given=given_of(arguments), browse=True)
    graphs = incident.graphs.sources
    found = [
        incident.index if graph is incident.source else indexed(graph, arguments.kernels)
        for graph in graphs
    ]
    if arguments.json:
        said = index_json(found[0])
        if len(found) > 1:
            said = {"version": VERSION, "graphs": [index_json(one) for one in found]}
        json.dump(said, sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        print("\n\n".join("\n".join(_lines(one)) for one in found))
    return ANSWERED


def _lines(found: WrapperIndex) -> list[str]:
    graph = f", graph {found.graph}" if found.graph else ""
    torch = found.torch_version or "version unknown"
    lines = [f"{found.path}: {found.device}, torch {torch}{graph}"]
    lines += _section("kernels", [(k.line, k.name) for k in found.kernels.values()])
    lines += _section("launches", [(la.line, la.kernel) for la in found.launches])
    lines += _section("inputs", [(i.line, f"{i.position}  {i.name}") for i in found.inputs])
    lines += _section(
        "symbols",
        [(s.line, f"{s.name} = {s.expression.written}{_flag(found, s)}") for s in found.symbols],
    )
    lines += _section(
        "constants", [(c.line, f"{c.fqn or c.name}  {list(c.shape)}") for c in found.constants]
    )
    lines += _section(
        "guards",
        [
            (g.line, f"{g.name}{f'[{g.dim}]' if g.dim is not None else ''} {g.check} {g.value}")
            for g in found.guards
        ],
    )
    lines += _section("buffers", [(b.line, f"{b.name}  {b.kind}") for b in found.buffers])
    lines += _section(
        "gaps", [(g.line, f"{g.text.strip()[:80]}  ({g.reason})") for g in found.gaps]
    )
    return lines


def _flag(index: WrapperIndex, symbol: Symbol) -> str:
    """What is to be feared of a symbol's definition."""
    if not can_truncate(symbol):
        return ""
    missed = first_miss(index, symbol)
    when = f", for {missed[0]} it is {missed[1]} instead of {missed[2]}" if missed else ""
    return f"  (a quotient in floats, cut to a whole number: can come out too small{when})"


def _section(title: str, rows: list[tuple[int, str]]) -> list[str]:
    return ["", f"{title} ({len(rows)})", *(f"  :{line:<6} {text}" for line, text in rows)]
