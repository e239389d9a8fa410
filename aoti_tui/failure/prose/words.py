"""Small wordings that several texts share: counts, elements, ranges."""

from __future__ import annotations

from aoti_tui.failure.model import (
    BadElement,
    BadElements,
    IndexedTensor,
    Program,
    Source,
    UserTerm,
)


def plural(count: int, one: str, many: str = "") -> str:
    """``1 lane``, ``2 lanes``."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def program_words(at: Program) -> str:
    """``2`` for a 1-D grid, else ``(2, 1, 0)``."""
    return str(at[0]) if at[1:] == (0, 0) else f"({at[0]}, {at[1]}, {at[2]})"


def integer(value: int | float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:g}"


def valid_words(lowest: int | None, highest: int) -> str:
    """``valid -9..8``; ``valid up to 8`` where no lower bound is checked."""
    if highest < (lowest or 0):
        return "no value is valid"
    return f"valid up to {highest}" if lowest is None else f"valid {lowest}..{highest}"


def named_element(name: str, one: BadElement, rank: int) -> str:
    """``arg1_1[6, 23] = 9``."""
    at = f"[{', '.join(map(str, one.index))}]" if rank else ""
    return f"{name}{at} = {one.value}"


def elements_words(bad: BadElements, most: int = 4) -> str:
    """``arg3_1[5] = 9, arg3_1[6] = 10 and 3 more``."""
    name = tensor_words(bad.name, bad.user)
    shown = [named_element(name, one, len(bad.shape)) for one in bad.first[:most]]
    more = bad.count - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def count_words(bad: BadElements) -> str:
    """``1 bad element of 168``."""
    size = 1
    for extent in bad.shape:
        size *= extent
    if bad.read is None:
        said = f"{plural(bad.count, 'element')} of {size} read by the failing lanes"
        return said if bad.complete else f"{said} that were looked at"
    if bad.read == size:
        return f"{plural(bad.count, 'bad element')} of {size}"
    return f"{plural(bad.count, 'bad element')} of the {bad.read} read here ({size} in all)"


def element_line(bad: BadElements) -> str:
    """``arg1_1[6, 23] = 9 (element 167): valid 0..4; 1 bad element of 168``."""
    said = elements_words(bad)
    if bad.count == 1 and len(bad.shape) > 1:
        said += f" (element {bad.first[0].element})"
    return f"{said}: {valid_words(bad.lowest, bad.highest)}; {count_words(bad)}"


def indexed_words(indexed: IndexedTensor) -> str:
    """``arg2_1 (in_ptr1), which has 9 rows``."""
    said = f"{tensor_words(indexed.name, indexed.user)} ({indexed.parameter})"
    if indexed.dim is None:
        return said
    if indexed.dim == 0:
        return f"{said}, which has {plural(indexed.size or 0, 'row')}"
    return f"{said}, whose dimension {indexed.dim} has size {indexed.size}"


def tensor_words(name: str, user: UserTerm | None) -> str:
    """What a tensor is called: by the user's own word for it, where that is known."""
    if user is None or user.kind == "unknown":
        return name
    if user.kind == "input":
        return f"`{user.name}`" if user.name else f"input {user.input}"
    return user.name or name


def input_words(source: Source) -> str:
    """``input 2 (arg4_1)``; of torch.compile ``input 1 (`idx`) of the compiled function (arg4_1)``,
    or the argument of ``call`` where it is not known whose that is."""
    user = source.user
    if user is None:
        return f"input {source.position} ({source.name})"
    if user.kind == "input":
        name = f" (`{user.name}`)" if user.name else ""
        sure = "" if user.sure else "perhaps "
        if user.input is None:
            return f"input{name} of the compiled function ({source.name})"
        return f"{sure}input {user.input}{name} of the compiled function ({source.name})"
    if user.kind == "argument":
        return f"argument `{user.name}`"
    if user.kind == "unknown":
        return f"`call` argument {source.position} ({source.name})"
    return f"{user.kind} `{user.name}` ({source.name})"


def source_words(source: Source) -> str:
    """A source in words (``dimension 0 of input 2 (arg4_1)``)."""
    if source.kind == "input":
        return f"data of {input_words(source)}"
    if source.kind == "input_dim":
        return f"the size of dimension {source.dim} of {input_words(source)}"
    if source.kind == "input_value":
        return f"the value of {input_words(source)}"
    if source.kind == "constant":
        return f"constant {source.fqn or source.name}"
    if source.kind == "constant_dim":
        return f"dimension {source.dim} of constant {source.fqn or source.name}"
    if source.kind == "buffer_dim":
        return f"dimension {source.dim} of buffer {source.name}"
    if source.kind == "random":
        return f"random numbers ({source.name})"
    if source.kind == "tensor":
        return f"tensor {source.name} (:{source.line})"
    if source.kind == "literal":
        return f"{source.name}, a size fixed when compiled"
    return f"not known ({source.name})"
