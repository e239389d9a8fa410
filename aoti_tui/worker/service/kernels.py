"""`kernel` requests: a source is checked first, then compiled by the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..engine.programs.functions import Module
from ..engine.programs.kernel import Kernel, kernel_of
from ..inductor.namespaces import WAITING, Namespaces, namespaces
from ..protocol.problems import where
from ..source.check import checked
from ..source.namespace import Namespace
from ..source.refused import Refused

# torch 2.5 calls a kernel so whatever its name is.
ANY_NAME = "triton_"
_LATER = object()


@dataclass(frozen=True)
class SentKernel:
    """A kernel with what its launches are told of it: `signature` has Triton's type by
    parameter, `constants` the values that are fixed at compile time."""

    kernel: Kernel
    signature: dict[str, str]
    constants: dict[str, Any]

    @property
    def constexprs(self) -> frozenset[str]:
        named = {name for name, kind in self.signature.items() if kind == "constexpr"}
        return self.kernel.constexprs | named


class _Imports:
    """The modules that a request brings, before those that Inductor's kernels know."""

    def __init__(self, spaces: Namespaces) -> None:
        self.spaces = spaces
        self.modules: dict[str, Namespace] = {}

    def module(self, path: str) -> Any | None:
        return self.modules.get(path) or self.spaces.module(path)

    def member(self, path: str, name: str) -> Any | None:
        own = self.modules.get(path)
        return self.spaces.member(path, name) if own is None else vars(own).get(name)

    def harmless(self, call: str) -> bool:
        return self.spaces.harmless(call)


def sent_kernel(request: dict[str, Any]) -> SentKernel:
    """The kernel of a request. Raises Refused for a source that is none."""
    spaces = namespaces()
    imports = _Imports(spaces)
    others: list[Module] = []
    _check_all(request, imports)
    for sent in request.get("modules") or []:
        module = Module(checked(sent["file"], sent["source"], imports), spaces.language)
        imports.modules[sent["name"]] = Namespace(sent["name"], module.exports())
        others.append(module)
    wanted = request["function"]
    source = checked(request.get("file") or wanted, request["source"], imports)
    definition = source.function(wanted, ANY_NAME)
    if definition is None:
        have = ", ".join(f.name for f in source.functions) or "none"
        raise Refused(f"it has no function {wanted} (it has: {have})", None)
    kernel = kernel_of(Module(source, spaces.language), definition, others, WAITING)
    return SentKernel(
        kernel,
        {str(k): str(v) for k, v in (request.get("signature") or {}).items()},
        dict(request.get("constants") or {}),
    )


def _check_all(request: dict[str, Any], imports: _Imports) -> None:
    """Raise Refused unless every file of the request may run, before the first of them does."""
    sent = request.get("modules") or []
    if not sent:
        return
    for module in sent:
        source = checked(module["file"], module["source"], imports)
        # Only that these names are there counts here; what they stand for is made afterwards.
        names = dict.fromkeys([*source.constants, *(f.name for f in source.functions)], _LATER)
        imports.modules[module["name"]] = Namespace(module["name"], names)
    checked(request.get("file") or request["function"], request["source"], imports)
    imports.modules.clear()


def kernel_reply(sent: SentKernel) -> dict[str, Any]:
    """The protocol's `kernel` result."""
    return {"flags": [{**where(place), "text": text} for place, text in sent.kernel.facts.flags]}
