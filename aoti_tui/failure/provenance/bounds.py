"""Provenance of an assert's bound: size parameters, and literals that are some tensor's size."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from aoti_tui.failure.model import ProvenanceNode, Source
from aoti_tui.failure.provenance.tracing import Tracer
from aoti_tui.index.expression import Expr, number
from aoti_tui.index.model import Kernel, Launch
from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.parse import names_read
from aoti_tui.kernel.slice import slice_name


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store whose address uses the checked index.

    ``coefficient`` is what the index is multiplied with in the address (the stride of its
    dimension, in elements), as text; None when it is not a plain product.
    """

    pointer: str
    line: int
    coefficient: str | None


def indexed_accesses(program: KernelProgram, found: KernelAssert) -> tuple[Access, ...]:
    """Every access that uses the checked index, nearest after the assert first."""
    names = {_plain(n) for n in (found.index, raw_index(program, found)) if n}
    accesses: list[Access] = []
    for assignment in program.assignments:
        for load in assignment.loads:
            if load.offset is not None and names & _all_names(program, load.offset):
                accesses.append(_access(load.pointers, load.line, load.offset, names))
    for store in program.stores:
        if store.offset is not None and names & _all_names(program, store.offset):
            accesses.append(_access(store.pointers, store.line, store.offset, names))
    accesses = [a for a in accesses if a.pointer]
    return tuple(sorted(accesses, key=lambda a: (a.line < found.line, abs(a.line - found.line))))


def _plain(index: str) -> str:
    """An index as ``ast.unparse`` writes it, to compare with the parts of an address."""
    try:
        return ast.unparse(ast.parse(index, mode="eval").body)
    except SyntaxError:
        return index


def _is_index(node: ast.expr, names: set[str]) -> bool:
    return ast.unparse(node) in names


def _all_names(program: KernelProgram, node: ast.expr) -> set[str]:
    """Names of an address, with plain index temporaries of it resolved one step, and the calls
    that stand in it (an index that is wrapped in place)."""
    names = set(names_read(node))
    calls = {ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Call)}
    for name in list(names):
        definition = program.definition(name)
        if definition is not None and not definition.loads:
            names.update(definition.reads)
    return names | calls


def _access(pointers: tuple[str, ...], line: int, offset: ast.expr, names: set[str]) -> Access:
    return Access(pointers[0] if pointers else "", line, _coefficient(offset, names))


def _coefficient(node: ast.expr, names: set[str]) -> str | None:
    if _is_index(node, names):
        return "1"
    if isinstance(node, ast.Call) and node.args:
        return _coefficient(node.args[0], names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return _coefficient(node.left, names) or _coefficient(node.right, names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for factor, other in ((node.left, node.right), (node.right, node.left)):
            if _is_index(factor, names):
                return ast.unparse(other)
    return None


def bound_tree(
    tracer: Tracer,
    kernel: Kernel,
    program: KernelProgram,
    found: KernelAssert,
    launch: Launch | None,
) -> ProvenanceNode:
    """The chain of the bound: its size parameters, or the tensor whose size a literal is."""
    text = found.upper or found.lower or ""
    children: list[ProvenanceNode] = []
    if found.upper_node is not None:
        for name in dict.fromkeys(names_read(found.upper_node)):
            tree = slice_name(program, name, found.order if found.order >= 0 else None)
            children.append(tracer.kernel_value(launch, kernel.name, tree))
        if not children:
            children.append(literal_node(tracer, kernel, program, found, launch))
    else:
        children.append(
            ProvenanceNode("literal", text or "0", "the assert has no upper bound, only 0")
        )
    return ProvenanceNode(
        "bound",
        text,
        f"bound {text}",
        kernel.wrapper_line(found.line),
        kernel=kernel.name,
        kernel_line=found.line,
        value=str(tracer.known.names[text]) if text in tracer.known.names else None,
        children=tuple(children),
    )


def literal_node(
    tracer: Tracer,
    kernel: Kernel,
    program: KernelProgram,
    found: KernelAssert,
    launch: Launch | None,
) -> ProvenanceNode:
    """What a literal bound is the size of: the dimension of the tensor that the index walks."""
    text = found.upper or ""
    looked: list[str] = []
    for access in indexed_accesses(program, found):
        argument = next(
            (a for a in (launch.arguments if launch else ()) if a.parameter == access.pointer), None
        )
        if launch is None or argument is None or argument.tensor is None:
            continue
        looked.append(f"{access.pointer} = {argument.text}")
        node = _dimension_node(tracer, argument.tensor.base, text, access, launch)
        if node is not None:
            return ProvenanceNode(
                "argument",
                access.pointer,
                f"{access.pointer} = {argument.text}, indexed on kernel line {access.line}",
                launch.line,
                kernel=kernel.name,
                kernel_line=access.line,
                children=(node,),
            )
    fallback = _constants_with(tracer, text)
    if fallback:
        return ProvenanceNode(
            "literal",
            text,
            f"{text} is a size fixed when compiled; constants with such a dimension:",
            children=fallback,
        )
    where = f"looked at {', '.join(looked)}" if looked else "no access that uses the index found"
    return ProvenanceNode(
        "literal",
        text,
        f"{text} is a size fixed when compiled; which tensor's is not known ({where})",
        source=Source("literal", name=text),
    )


def _dimension_node(
    tracer: Tracer, name: str, size: str, access: Access, launch: Launch
) -> ProvenanceNode | None:
    """The dimension of a tensor that has this literal size, by the stride of the access."""
    index = tracer.index
    for storage, _ in tracer.memory.storages(name, launch.line, launch.function):
        constant = index.constant_named(storage)
        if constant is not None:
            dim = _pick_dim(
                tuple(map(number, constant.shape)),
                tuple(map(number, constant.stride)),
                size,
                access.coefficient,
            )
            if dim is None:
                continue
            label = constant.fqn or constant.name
            return ProvenanceNode(
                "constant",
                constant.name,
                f"{size} is dimension {dim} of constant {label} {list(constant.shape)}",
                constant.line,
                source=Source(
                    "constant_dim", dim=dim, name=constant.name, fqn=label, line=constant.line
                ),
            )
        given = index.input_named(storage)
        if given is not None:
            equal = [
                g.dim
                for g in index.guards_of(given.position)
                if g.check == "equals" and g.value == size and g.dim is not None
            ]
            if equal:
                return tracer.input_dim_node(given.position, equal[0], given.line)
            continue
    sizes = tracer.memory.sizes_of(
        next(a.tensor for a in launch.arguments if a.tensor and a.tensor.base == name),
        launch.line,
        launch.function,
    )
    if sizes is not None:
        dim = _pick_dim(sizes[0], sizes[1], size, access.coefficient)
        if dim is not None:
            definitions = tracer.memory.definitions(name, launch.line, launch.function)
            line = definitions[0].line if definitions else None
            return ProvenanceNode(
                "buffer",
                name,
                f"{size} is dimension {dim} of buffer {name}, fixed when compiled",
                line,
                source=Source("buffer_dim", dim=dim, name=name, line=line),
            )
    return None


def _pick_dim(
    sizes: tuple[Expr, ...], strides: tuple[Expr, ...], size: str, coefficient: str | None
) -> int | None:
    plain, steps = [str(s) for s in sizes], [str(s) for s in strides]
    matching = [dim for dim, s in enumerate(plain) if s == size]
    for dim in matching:
        if coefficient is not None and dim < len(steps) and steps[dim] == coefficient:
            return dim
    return matching[0] if matching else None


def _constants_with(tracer: Tracer, size: str) -> tuple[ProvenanceNode, ...]:
    nodes: list[ProvenanceNode] = []
    for constant in tracer.index.constants:
        for dim, extent in enumerate(constant.shape):
            if str(extent) == size and len(nodes) < 8:
                label = constant.fqn or constant.name
                nodes.append(
                    ProvenanceNode(
                        "constant",
                        constant.name,
                        f"dimension {dim} of constant {label} {list(constant.shape)}, perhaps",
                        constant.line,
                    )
                )
    return tuple(nodes)


def index_tree(
    tracer: Tracer,
    kernel: Kernel,
    program: KernelProgram,
    found: KernelAssert,
    launch: Launch | None,
) -> ProvenanceNode:
    """The chain of the raw index, through the kernel, its launch and what wrote its buffers."""
    raw = raw_index(program, found)
    if raw is None:
        return ProvenanceNode("unknown", "", "the assert checks no index that could be followed")
    before = found.order if found.order >= 0 else None
    if raw.isidentifier():
        tree = slice_name(program, raw, before)
        node = tracer.kernel_value(launch, kernel.name, tree)
    else:
        node = ProvenanceNode(
            "expression",
            raw,
            raw,
            kernel.wrapper_line(found.line),
            kernel=kernel.name,
            kernel_line=found.line,
            children=tuple(
                tracer.kernel_value(launch, kernel.name, slice_name(program, n, before))
                for n in dict.fromkeys(names_read(ast.parse(raw, mode="eval").body))
            ),
        )
    said = f"index {found.index}"
    if raw != found.index:
        said += f", before the negative wrap {raw}"
    return ProvenanceNode(
        "index",
        found.index or raw,
        said,
        kernel.wrapper_line(found.line),
        kernel=kernel.name,
        kernel_line=found.line,
        value=str(tracer.known.names[raw]) if raw in tracer.known.names else None,
        children=(node,),
    )
