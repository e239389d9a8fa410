"""The JSON of ``explain`` and ``index``: a contract, described in `aoti-tui help json`.

``VERSION`` grows when a field changes its meaning or goes away; new fields do not change it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aoti_tui.answer.incident import Incident
from aoti_tui.cli.core_json import exceptions_json
from aoti_tui.failure.model import (
    BadAccess,
    BadElements,
    Candidate,
    Cause,
    Failure,
    GraphCandidate,
    GuardFinding,
    IndexedTensor,
    MemoryFault,
    ProvenanceNode,
    Rival,
    Source,
    UserTerm,
    ValueProvenance,
)
from aoti_tui.failure.prose.chain import step_words
from aoti_tui.failure.prose.guards import guard_words
from aoti_tui.failure.prose.words import element_line
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import RUNTIME_CHECKS, Kernel, Scope, WrapperIndex
from aoti_tui.replay.data.captured_files import CapturedMemory
from aoti_tui.replay.questions.truncated import (
    TruncatedSymbol,
    can_truncate,
    truncation_warning,
)

VERSION = 1


def explain_json(incident: Incident, failures: tuple[Failure, ...]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "wrapper": str(incident.source.path),
        "graph": incident.index.graph or None,
        "graphs": [
            {"wrapper": str(g.path), "graph": g.graph or None} for g in incident.graphs.sources
        ],
        "failures": [
            {
                "wrapper": str(incident.source.path),
                "graph": incident.index.graph or None,
                **failure_json(failure),
                **_core(incident, failure),
            }
            for failure in failures
        ],
        "gaps": _gaps(incident.index),
        "notes": list(incident.notes),
        "warnings": [warning_json(one) for one in incident.truncated],
        "look_alikes": [
            {"kind": a.kind, "log_line": a.log_line, "text": a.text, "explanation": a.explanation}
            for a in (incident.log.look_alikes if incident.log is not None else ())
        ],
        "memory_faults": [
            {**_fault(f), "traced": _traced(incident)}
            for f in (incident.log.faults if incident.log is not None else ())
        ],
    }


def _core(incident: Incident, failure: Failure) -> dict[str, Any]:
    """What the core dump says of the launch that failed; nothing without one."""
    core = incident.workshop.core
    if core is None or core.found is None or core.found.kernel.name != failure.kernel:
        return {}
    found, captured = core.found, core.captured
    files = captured.files if captured is not None else {}
    parameters = []
    for one in found.passed or ():
        entry: dict[str, Any] = {"name": one.name, "value": one.value}
        argument = found.launch.argument(one.name)
        base = argument.tensor.base if argument is not None and argument.tensor else ""
        held = files.get(("before", found.kernel.name, base))
        if isinstance(held, CapturedMemory):
            size = sum(size for _, size in held.pieces)
            entry["tensor"] = {"dtype": held.dtype, "shape": list(held.shape), "bytes": size}
        parameters.append(entry)
    return {
        "core": {
            "kernel": found.ran.name,
            "grid": list(found.ran.grid),
            "block": list(found.ran.block),
            "exceptions": exceptions_json(core.core.dump.failed_of(found.ran)),
            "parameters": parameters,
        }
    }


def warning_json(truncated: TruncatedSymbol) -> dict[str, Any]:
    """A size that came out wrong, whether anything fails for it or not."""
    return {
        "code": "symbol-truncated",
        "name": truncated.name,
        "line": truncated.line,
        "expression": truncated.expression,
        "value": truncated.got,
        "exact": truncated.exact,
        "text": truncation_warning(truncated),
    }


def _fault(fault: MemoryFault) -> dict[str, Any]:
    """A bad address that the log reports; what it does not say is null."""
    return {
        "kind": fault.kind,
        "platform": fault.platform,
        "log_line": fault.log_line,
        "address": fault.address,
        "access": fault.access or None,
        "kernel": fault.kernel or None,
        "path": fault.path or None,
        "line": fault.line,
        "program": list(fault.program) if fault.program is not None else None,
        "text": fault.text,
    }


def _traced(incident: Incident) -> list[dict[str, Any]]:
    """The launches that a traceback of the log names, which is all that places such a fault."""
    graph = incident.index.graph or None
    return [
        {"kernel": launch.kernel, "launch_line": launch.line, "graph": graph}
        for launch in incident.traced
    ]


def failure_json(failure: Failure) -> dict[str, Any]:
    return {
        "message": failure.message,
        "kernel": failure.kernel,
        "kernel_line": failure.kernel_line,
        "wrapper_line": failure.wrapper_line,
        "source_file": failure.elsewhere.file if failure.elsewhere is not None else None,
        "source_line": failure.elsewhere.line if failure.elsewhere is not None else None,
        "launch_lines": [la.line for la in failure.launches],
        "candidates": [
            *(c.kernel for c in failure.candidates),
            *(c.kernel for c in failure.other_graphs),
        ],
        "candidate_details": [
            *(_candidate(c) for c in failure.candidates),
            *(_other_graph(c) for c in failure.other_graphs),
        ],
        "programs": [list(p) for p in failure.programs],
        "lanes_reported": failure.threads,
        "bound": _value(failure.bound),
        "index": _value(failure.index),
        "guards": [_guard(g) for g in failure.guards],
        "source_nodes": list(failure.source_nodes),
        "aten": list(failure.aten),
        "ops": [{"aten": op.aten, "pattern": op.pattern} for op in failure.ops],
        "model_frames": [
            {"file": f.file, "line": f.line, "function": f.function, "code": f.code}
            for f in failure.model_frames
        ],
        "debug_handle": failure.debug_handle,
        "cause": _cause(failure.cause),
        "possible_causes": [_cause(c) for c in failure.possible_causes],
        "fixes": [
            {"title": f.title, "text": f.text, "requires": f.requires} for f in failure.fixes
        ],
        "siblings": [{"kernel_line": line, "message": text} for line, text in failure.siblings],
        "notes": list(failure.notes),
        "launch_line": failure.launch.line if failure.launch is not None else None,
        "rivals": [rival_json(r) for r in failure.rivals],
        "contradictions": list(failure.contradictions),
        "bad_elements": _bad(failure.bad),
        "indexed": _indexed(failure.indexed),
        "traced": failure.traced or None,
        "access": _access(failure.access),
    }


def rival_json(rival: Rival) -> dict[str, Any]:
    """Another launch that fits the log, and what would decide."""
    return {
        "kernel": rival.kernel,
        "kernel_line": rival.kernel_line,
        "launch_line": rival.launch.line,
        "decided_by": rival.decided_by,
    }


def _access(access: BadAccess | None) -> dict[str, Any] | None:
    """The access that left its tensor, where no assert stands before it."""
    if access is None:
        return None
    return {
        "access": access.access,
        "argument": access.parameter,
        "tensor": access.tensor,
        "element": access.element,
        "size": access.size,
        "program": list(access.program),
        "lane": list(access.lane),
        "lanes": access.lanes,
        "kernel_line": access.kernel_line,
    }


def _bad(bad: BadElements | None) -> dict[str, Any] | None:
    """The elements of an input (or constant) that hold an index out of range."""
    if bad is None:
        return None
    return {
        "name": bad.name,
        "position": bad.position,
        "shape": list(bad.shape),
        "elements": [
            {"index": list(one.index), "element": one.element, "value": one.value}
            for one in bad.first
        ],
        "count": bad.count,
        "read": bad.read,
        "valid": [bad.lowest, bad.highest],
        "found_by": bad.found_by,
        "complete": bad.complete,
        "text": element_line(bad),
    }


def _indexed(indexed: IndexedTensor | None) -> dict[str, Any] | None:
    if indexed is None:
        return None
    return {
        "parameter": indexed.parameter,
        "name": indexed.name,
        "position": indexed.position,
        "dim": indexed.dim,
        "size": indexed.size,
    }


def _value(value: ValueProvenance) -> dict[str, Any]:
    found: dict[str, Any] = {
        "text": value.text,
        "sources": [source_json(s) for s in value.sources],
        "chain": _chain(value.tree),
    }
    if value.raw is not None:
        found["raw"] = value.raw
    if value.value is not None:
        found["value"] = value.value
    if value.may_also_name:
        found["may_also_name"] = [source_json(s) for s in value.may_also_name]
    return found


def source_json(source: Source) -> dict[str, Any]:
    """``{"kind", "position", "dim", "name"}``, or ``"fqn"`` for constants."""
    found: dict[str, Any] = {"kind": source.kind}
    if source.kind in ("constant", "constant_dim"):
        found["fqn"] = source.fqn or source.name
        if source.dim is not None:
            found["dim"] = source.dim
        return found
    if source.position is not None:
        found["position"] = source.position
    if source.dim is not None:
        found["dim"] = source.dim
    if source.name is not None:
        found["name"] = source.name
    if source.user is not None:
        found["user"] = _user(source.user, source.dim)
    return found


def _user(user: UserTerm, dim: int | None) -> dict[str, Any] | None:
    """``{"input": 1, "dim": 0}``, ``{"parameter": "emb.weight", "dim": 0}``; null where it is not
    known what an argument of the graph is to the user."""
    if user.kind == "unknown" or not user.told:
        return None
    if user.kind == "input" and user.input is None:
        found: dict[str, Any] = {"name": user.name}
    else:
        found = {user.kind: user.input if user.kind == "input" else user.name}
    if dim is not None:
        found["dim"] = dim
    return found


def _chain(node: ProvenanceNode) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": node.kind, "text": step_words(node)}
    if node.line is not None:
        found["line"] = node.line
    elif node.elsewhere is not None:
        found["file"], found["line"] = node.elsewhere.file, node.elsewhere.line
    if node.value is not None:
        found["value"] = str(node.value)
    if node.children:
        found["children"] = [_chain(child) for child in node.children]
    return found


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "kernel": candidate.kernel,
        "kernel_line": candidate.kernel_line,
        "wrapper_line": candidate.wrapper_line,
        "launch_lines": [la.line for la in candidate.launches],
        "reason": candidate.reason,
    }


def _other_graph(candidate: GraphCandidate) -> dict[str, Any]:
    """A candidate of another graph of torch.compile than the failure's own."""
    return {
        "kernel": candidate.kernel,
        "kernel_line": candidate.kernel_line,
        "wrapper_line": candidate.wrapper_line,
        "launch_lines": list(candidate.launch_lines),
        "reason": candidate.reason,
        "graph": candidate.graph or None,
        "wrapper": candidate.wrapper,
    }


def _guard(guard: GuardFinding) -> dict[str, Any]:
    """``enforced`` says whether the guard runs as things stand; ``only_with`` names the variable
    that turns it on."""
    return {
        "position": guard.position,
        "dim": guard.dim,
        "name": guard.name,
        "min": guard.min,
        "max": guard.max,
        "equals": guard.equals,
        "stride": guard.stride,
        "present": guard.enforced != "absent",
        "enforced": guard.enforced == "always",
        "only_with": RUNTIME_CHECKS if guard.enforced == RUNTIME_CHECKS else None,
        "would_catch": guard.would_catch,
        "line": guard.line,
        "text": guard_words(guard),
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "code": cause.code,
        "text": cause.text,
        "confirmed": cause.confirmed,
        "evidence": list(cause.evidence),
        "confirm_with": cause.confirm_with,
    }


def index_json(index: WrapperIndex) -> dict[str, Any]:
    """Every fact of a wrapper, each with its ``line`` and, where it has one, its ``name``."""
    return {
        "version": VERSION,
        "wrapper": index.path,
        "graph": index.graph or None,
        "device": index.device,
        "torch": index.torch_version,
        "kernels": [_kernel(k) for k in index.kernels.values()],
        "launches": [
            {
                "name": la.kernel,
                "kernel": la.kernel,
                "line": la.line,
                "end_line": la.site.end_line,
                "function": la.function.name,
                "arguments": [{"parameter": a.parameter, "text": a.text} for a in la.arguments],
                "scopes": _scopes(la.scopes),
                "source_nodes": list(la.source_nodes),
                "aten": list(la.aten),
                "debug_handle": la.debug_handle,
                "model_frames": [
                    {"file": f.file, "line": f.line, "function": f.function, "code": f.code}
                    for f in la.model_frames
                ],
            }
            for la in index.launches
        ],
        "inputs": [
            {"name": i.name, "position": i.position, "line": i.line, "is_scalar": i.is_scalar}
            for i in index.inputs
        ],
        "symbols": [
            {
                "name": s.name,
                "line": s.line,
                "kind": s.kind,
                "expression": s.expression.written,
                "function": s.function.name,
                "position": s.position,
                "dim": s.dim,
                "tensor": s.tensor,
                "can_truncate": can_truncate(s),
                "scopes": _scopes(s.scopes),
            }
            for s in index.symbols
        ],
        "constants": [
            {
                "name": c.name,
                "line": c.line,
                "index": c.index,
                "dtype": c.dtype,
                "shape": list(c.shape),
                "stride": list(c.stride),
                "fqn": c.fqn,
                "folded": c.folded,
            }
            for c in index.constants
        ],
        "guards": [
            {
                "name": g.name,
                "position": g.position,
                "check": g.check,
                "dim": g.dim,
                "value": g.value,
                "line": g.line,
                "enforced": g.enforced,
            }
            for g in index.guards
        ],
        "checks": [
            {
                "condition": c.condition.written,
                "message": c.message,
                "line": c.line,
                "enforced": c.enforced,
            }
            for c in index.checks
        ],
        "buffers": [
            {
                "name": b.name,
                "line": b.line,
                "kind": b.kind,
                "function": b.function.name,
                "of": b.of,
                "sizes": _written(b.sizes),
                "strides": _written(b.strides),
                "dtype": b.dtype,
                "offset": b.offset.written,
                "scopes": _scopes(b.scopes),
            }
            for b in index.buffers
        ],
        "externs": [
            {
                "name": e.op,
                "line": e.line,
                "function": e.function.name,
                "reads": [v.base for v in e.reads],
                "writes": [v.base for v in e.writes],
                "text": e.text,
            }
            for e in index.externs
        ],
        "outputs": [
            {"name": o.name, "position": o.position, "line": o.line} for o in index.outputs
        ],
        "gaps": _gaps(index),
    }


def _kernel(kernel: Kernel) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "line": kernel.line,
        "function": kernel.function,
        "source_line": kernel.source_line,
        "source_path": kernel.source_path,
        "source_lines": len(kernel.lines),
        "heuristic": kernel.heuristic,
        "parameters": [{"name": p.name, "type": p.type} for p in kernel.parameters],
        "blocks": dict(kernel.blocks),
        "grid": _written(kernel.grid),
        "size_hints": dict(kernel.size_hints),
        "num_warps": kernel.num_warps,
        "shared_memory": kernel.shared_memory,
    }


def _written(expressions: Iterable[Expr] | None) -> list[str] | None:
    return None if expressions is None else [e.written for e in expressions]


def _scopes(scopes: tuple[Scope, ...]) -> list[dict[str, Any]]:
    return [{"kind": s.kind, "line": s.line, "subgraph": s.subgraph} for s in scopes]


def _gaps(index: WrapperIndex) -> list[dict[str, Any]]:
    return [{"line": g.line, "text": g.text, "reason": g.reason} for g in index.gaps]
