"""Speaking the worker's protocol to a real worker process."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

MAIN = Path(__file__).resolve().parents[2] / "aoti_tui" / "worker" / "__main__.py"
PACKED = {"f4": "<f4", "f8": "<f8", "i8": "<i8", "u8": "<u8", "b1": "?"}
HEADER = """
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
triton_helpers.set_driver_to_gpu()

"""


class Reply(dict[str, Any]):
    """A result or error event, with its blobs."""

    blobs: list[bytes]

    def block(self, packed: dict[str, Any]) -> np.ndarray:
        data = np.frombuffer(self.blobs[packed["blob"]], PACKED[packed["packed"]])
        return data.reshape(packed["shape"])


class Talk:
    """One worker process."""

    def __init__(self, command: list[str] | None = None) -> None:
        self.process = subprocess.Popen(
            command or [sys.executable, str(MAIN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.number = 0
        self.progress: list[tuple[int, int]] = []

    def send(self, do: str, **fields: Any) -> int:
        self.number += 1
        line = json.dumps({"id": self.number, "do": do, **fields}).encode() + b"\n"
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()
        return self.number

    def event(self) -> Reply:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the worker ended with {self.process.wait()}"
        reply = Reply(json.loads(line))
        reply.blobs = [self.process.stdout.read(n) for n in reply.get("blobs", ())]
        return reply

    def answer(self) -> Reply:
        self.progress = []
        while True:
            reply = self.event()
            assert reply["id"] == self.number
            if reply["event"] != "progress":
                return reply
            self.progress.append((reply["done"], reply["total"]))

    def ask(self, do: str, **fields: Any) -> Reply:
        """A request's result; an error event fails the test."""
        self.send(do, **fields)
        reply = self.answer()
        assert reply["event"] == "result", dict(reply)
        return reply

    def fail(self, do: str, **fields: Any) -> Reply:
        """A request's error."""
        self.send(do, **fields)
        reply = self.answer()
        assert reply["event"] == "error", dict(reply)
        return reply

    def put(self, name: str, values: Any, dtype: str, shape: list[int] | None = None) -> None:
        """Make a tensor of the given values, by way of the protocol alone."""
        flat = np.asarray(values).reshape(-1)
        shape = list(np.asarray(values).shape) if shape is None else shape
        self.ask("zeros", name=name, shape=shape, stride=None, dtype=dtype)
        for element, value in enumerate(flat.tolist()):
            self.ask("write", name=name, element=element, value=value)

    def values(self, name: str) -> np.ndarray:
        reply = self.ask("read", name=name, start=0, count=None)
        return reply.block(reply)

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        return code


def source(text: str) -> str:
    """A whole kernel source as Inductor writes it; line 1 is blank."""
    return HEADER + textwrap.dedent(text)


def line_of(text: str, part: str) -> int:
    """The 1-based line of a source that holds `part`."""
    lines = [n for n, line in enumerate(text.split("\n"), 1) if part in line]
    assert len(lines) == 1, lines
    return lines[0]


def compiled(talk: Talk, text: str, function: str, signature: dict[str, str], **more: Any) -> str:
    """Compile a kernel under its own name; gives the whole source."""
    whole = source(text)
    talk.ask(
        "kernel",
        key=function,
        source=whole,
        function=function,
        signature=signature,
        constants=more,
    )
    return whole


def element_by_element(
    talk: Talk,
    expression: str,
    inputs: list[tuple[Any, str]],
    result: str,
    statements: str = "",
) -> np.ndarray:
    """`expression` over x0, x1… (blocks loaded from the inputs), stored as `result`."""
    size = len(inputs[0][0])
    block = 1 << max(size - 1, 0).bit_length()
    signatures = {
        "float32": "*fp32",
        "float64": "*fp64",
        "float16": "*fp16",
        "bfloat16": "*bf16",
        "float8_e4m3fn": "*fp8e4nv",
        "float8_e5m2": "*fp8e5",
        "bool": "*i1",
        **{f"int{n}": f"*i{n}" for n in (8, 16, 32, 64)},
        **{f"uint{n}": f"*u{n}" for n in (8, 16, 32, 64)},
    }
    names = [f"in_ptr{n}" for n in range(len(inputs))]
    loads = "\n".join(
        f"    x{n} = tl.load({name} + index, mask, other={0.0 if 'float' in dtype else 0})"
        for n, (name, (_, dtype)) in enumerate(zip(names, inputs, strict=True))
    )
    text = (
        f"@triton.jit\ndef probe({', '.join(names)}, out_ptr0, XBLOCK : tl.constexpr):\n"
        f"    index = tl.arange(0, XBLOCK)\n    mask = index < {size}\n{loads}\n"
        + textwrap.indent(textwrap.dedent(statements), "    ")
        + f"\n    tl.store(out_ptr0 + index, {expression}, mask)\n"
    )
    signature = {name: signatures[dtype] for name, (_, dtype) in zip(names, inputs, strict=True)}
    compiled(talk, text, "probe", {**signature, "out_ptr0": signatures[result]})
    args: dict[str, Any] = {}
    for name, (values, dtype) in zip(names, inputs, strict=True):
        talk.put(name, values, dtype)
        args[name] = {"tensor": name}
    talk.ask("empty", name="out_ptr0", shape=[size], stride=None, dtype=result, poison=True)
    args["out_ptr0"] = {"tensor": "out_ptr0"}
    talk.ask(
        "scan",
        kernel="probe",
        args=args,
        blocks={"XBLOCK": block},
        grid=[1, 1, 1],
        mode="full",
        write=True,
    )
    return talk.values("out_ptr0")
