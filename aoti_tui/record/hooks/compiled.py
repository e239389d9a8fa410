"""Graphs of torch.compile: forward, backward and inference, whatever runs them.

Hooked is ``CompiledFxGraph.__call__`` of torch/_inductor/output_code.py, which gets the graph's
arguments before CUDA graphs copy them. Seen in torch 2.6 to 2.13.
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any

_running = threading.local()


def graph_running() -> int:
    """The number of the graph that this thread runs; 0 outside of one."""
    return int(getattr(_running, "site", 0))


def hook_graphs(module: ModuleType) -> None:
    """Hook the calls of compiled graphs."""
    from .. import current_recorder

    graph_type: Any = module.CompiledFxGraph
    call = graph_type.__call__

    def recorded(self: Any, inputs: Any) -> Any:
        kept = current_recorder()
        if kept is None or kept.stopped:
            return call(self, inputs)
        before = graph_running()
        _running.site = site = _site(kept, self)
        number = kept.begin(site, inputs)
        try:
            given = call(self, inputs)
        except BaseException as error:
            kept.failed(number, error)
            raise
        finally:
            _running.site = before
        kept.end(number)
        return given

    graph_type.__call__ = recorded


def _site(kept: Any, graph: Any) -> int:
    known = graph.__dict__.get("_aoti_tui_site")
    if known is not None and known[0] == kept.place:
        return int(known[1])
    text = getattr(graph, "source_code", "") or ""
    key = getattr(graph, "cache_key", "") or ""
    facts = {"kind": "compile", "name": _aot_id(text) or key, "cache_key": key}
    number = kept.site(("compile", key, hash(text)), facts, text, ".py")
    graph.__dict__["_aoti_tui_site"] = (kept.place, number)
    return int(number)


def _aot_id(text: str) -> str:
    """``0_inference`` of ``# AOT ID: ['0_inference']``, which is in front of most graphs."""
    _, mark, rest = text[:20_000].partition("# AOT ID: ['")
    return rest.split("'", 1)[0] if mark else ""
