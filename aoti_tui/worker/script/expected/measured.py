"""Comparisons that a script writes out: `(out - ref).abs().max() < 1e-3`, `(a == b).all()`.

The difference of two tensors of which a kernel wrote one is followed through whatever makes
another tensor of it, until Python asks for a number or a truth. Where an `assert` decides on it at
once it is known to have failed; else only the exception that follows in the same function tells.
"""

from __future__ import annotations

import os
import sys
import weakref
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import torch

from ..frames_of_ours import is_ours
from .comparing import LIBRARIES, Comparing, line_of

_PAIRS = {"sub", "__sub__", "rsub", "__rsub__", "eq", "__eq__", "ne", "__ne__", "isclose"}
_ENDS = {"item", "__bool__", "__float__", "tolist", "__format__"}
# Larger tensors would be kept alive for the sake of a comparison that may never fail.
_MOST_BYTES = 1 << 24
_MOST = 256
# Methods of tensors that are written in Python stand between the script and torch.
_METHODS = os.path.join("torch", "_tensor.py")


@dataclass(frozen=True)
class Compared:
    """Two tensors of one shape, at least one of which a kernel wrote."""

    actual: Any
    expected: Any


class Measured:
    """Follows the differences that the script calculates."""

    def __init__(self, comparing: Comparing) -> None:
        self.comparing = comparing
        self._follows: dict[int, tuple[weakref.ref[Any], Compared]] = {}
        self._last: tuple[Compared, FrameType, CodeType] | None = None
        self._told: Compared | None = None

    def called(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        """A function of torch gave a result."""
        name = getattr(func, "__name__", "")
        if name in _PAIRS:
            compared = self._compared(args)
            if compared is not None:
                self._follow(result, compared)
                return
        if not self._follows:
            return
        for one in args:
            held = self._follows.get(id(one))
            if held is None or held[0]() is not one:
                continue
            if isinstance(result, torch.Tensor):
                self._follow(result, held[1])
            elif name in _ENDS:
                self._asked(held[1], result)
            return

    def _compared(self, args: tuple[Any, ...]) -> Compared | None:
        if len(args) < 2 or not all(isinstance(one, torch.Tensor) for one in args[:2]):
            return None
        if _user_frame() is None:
            return None
        left, right = args[:2]
        with torch._C.DisableTorchFunction():
            if left.shape != right.shape or left.numel() < 2:
                return None
            if left.nbytes + right.nbytes > _MOST_BYTES:
                return None
            if not (self.comparing.origins.known(left) or self.comparing.origins.known(right)):
                return None
        return Compared(left, right)

    def _follow(self, result: Any, compared: Compared) -> None:
        if not isinstance(result, torch.Tensor):
            return
        key = id(result)
        self._follows[key] = (weakref.ref(result), compared)
        while len(self._follows) > _MOST:
            del self._follows[next(iter(self._follows))]

    def _asked(self, compared: Compared, result: Any) -> None:
        """Python has asked for a value: the line that did so may be an assert."""
        frame = _user_frame()
        if frame is None:
            return
        line = line_of(frame).strip()
        if isinstance(result, bool) and line.startswith("assert "):
            if result == line.startswith("assert not "):
                self._tell("assert", compared, frame)
            return
        self._last = (compared, frame, frame.f_code)

    def raised(self, error: BaseException) -> None:
        """An exception ended a program or a test: was it about what was measured last?"""
        last, self._last = self._last, None
        if last is None or not isinstance(error, (AssertionError, SystemExit)):
            return
        if isinstance(error, SystemExit) and not error.code:
            return
        compared, frame, code = last
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code is code:
                self._tell(type(error).__name__, compared, frame)
                return
            traceback = traceback.tb_next

    def _tell(self, what: str, compared: Compared, frame: FrameType) -> None:
        if compared is self._told:
            return
        self._told = compared
        exactly = (0.0, 0.0, True)
        self.comparing.differ(what, compared.actual, compared.expected, exactly, frame)


def _user_frame() -> FrameType | None:
    """The script's line that calls torch; None where torch or numpy do so themselves."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not is_ours(file) and not file.endswith(_METHODS):
            return None if file.startswith(LIBRARIES) else frame
        frame = frame.f_back
    return None


def hear_of_tests(module: str, measured: Measured) -> None:
    """Let the exceptions with which tests fail be known, which their runner catches."""
    if module == "pytest":
        import _pytest.runner as runner

        own = runner.CallInfo.from_call.__func__  # type: ignore[attr-defined]

        def from_call(cls: Any, *args: Any, **kwargs: Any) -> Any:
            call = own(cls, *args, **kwargs)
            if call.excinfo is not None:
                measured.raised(call.excinfo.value)
            return call

        runner.CallInfo.from_call = classmethod(from_call)  # type: ignore[assignment]
    elif module == "unittest":
        import unittest

        add_failure = unittest.TestResult.addFailure

        def failed(self: Any, test: Any, error: Any) -> None:
            measured.raised(error[1])
            add_failure(self, test, error)

        unittest.TestResult.addFailure = failed  # type: ignore[assignment,method-assign]
