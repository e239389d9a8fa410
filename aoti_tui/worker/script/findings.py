"""What a launch was found to do wrong, as JSON (`finding` events, `run --check --json`)."""

from __future__ import annotations

from typing import Any

from ..protocol.encode import number_json
from .checks.finding import Finding


def finding_json(found: Finding, kernel: str, launch: int) -> dict[str, Any]:
    """One finding of a launch of a kernel."""
    return {
        "kind": found.kind,
        "file": found.place.file,
        "line": found.place.line,
        "argument": found.argument,
        "element": found.element,
        "program": None if found.program is None else list(found.program),
        "lane": None if found.lane is None else list(found.lane),
        "count": found.count,
        "text": found.text,
        "values": {name: number_json(value) for name, value in found.values.items()},
        "kernel": kernel,
        "launch": launch,
    }
