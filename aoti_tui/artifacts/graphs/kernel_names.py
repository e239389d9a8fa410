"""The names that Inductor gives to files of code: a hash of the text, so that text finds its file.

``PyCodeCache.write`` (torch/_inductor/codecache.py): ``"c"`` and 51 characters of the base32 of
the SHA-256 of the stripped text, in a folder named by its characters 2 and 3.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import re
from collections.abc import Iterator

_NAMED = re.compile(r"c[a-z2-7]{51}\.py")
_OPENING = re.compile(
    r"""async_compile\.triton\(\s*(?:['"]\w+['"]\s*,\s*)?r?(?P<fence>'''|\"\"\")"""
)
_JIT = "@triton.jit"
_GRAPH = re.compile(r"^# AOT ID: \[.*?\]", re.M)
_COMMENT = re.compile(r"^\s*#[^\n]*\n", re.M)
_KERNELS_END = "\nasync_compile.wait(globals())"


def code_file_name(text: str) -> str:
    """The name of the file that Inductor writes ``text`` to: ``cdymig….py``."""
    digest = hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).digest()
    return f"c{base64.b32encode(digest)[:51].decode('ascii').lower()}.py"


def is_code_file_name(name: str) -> bool:
    """Whether a file's name is one that Inductor computes from a text."""
    return _NAMED.fullmatch(name) is not None


def base_name(path: str) -> str:
    """The last part of a path of any system."""
    return path.replace("\\", "/").rpartition("/")[2]


def kernel_texts(wrapper: str) -> Iterator[str]:
    """The texts of the Triton kernels of a wrapper, each as the file that Inductor writes."""
    position = 0
    while True:
        match = _OPENING.search(wrapper, position)
        if match is None:
            return
        end = wrapper.find(match["fence"], match.end())
        if end < 0:
            return
        yield _meant(wrapper[match.end() : end])
        position = end + 3


def kernel_files_of(wrapper: str) -> dict[str, str]:
    """The kernels of a wrapper by the names of their files."""
    return {code_file_name(text): text for text in kernel_texts(wrapper)}


def function_text(kernel: str) -> str:
    """The part of a kernel's text that Triton compiles: kernels of different graphs that share it
    share the compiled one, and a log then names the file of the first."""
    return kernel[max(kernel.find(_JIT), 0) :].strip()


def code_alone(wrapper: str) -> str:
    """What a graph computes: its id, the functions of its kernels and its ``call``.

    The same graph compiled to another cache, or with other options for its kernels, has the same.
    """
    waits = wrapper.find(_KERNELS_END)
    graph = _GRAPH.search(wrapper)
    if waits < 0 or graph is None:
        return wrapper.strip()
    functions = (function_text(text) for text in kernel_texts(wrapper[:waits]))
    return "\n".join((graph[0], *functions, _COMMENT.sub("", wrapper[waits:]).strip()))


def _meant(written: str) -> str:
    """A text with its escapes read, as Python does before the file is written."""
    if "\\" not in written:
        return written
    try:
        return str(ast.literal_eval(f"'''{written}'''"))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return written
