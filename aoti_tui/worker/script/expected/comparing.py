"""The script's checks as they fail: each is told as a difference, with the lane it leads to."""

from __future__ import annotations

import functools
import importlib
import linecache
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

import numpy as np
import torch

from ...protocol.encode import number_json
from ..frames_of_ours import is_ours
from .keeper import Keeper, Wrote
from .origins import Origins
from .worst import Worst, worst

Send = Callable[[dict[str, Any]], None]
Quiet = Callable[[], AbstractContextManager[Any]]
LIBRARIES = tuple(
    f"{importlib.import_module(name).__path__[0]}{os.sep}" for name in ("torch", "numpy", "triton")
)
# Our own frames between a check and the line that calls it.
_HERE = os.path.dirname(os.path.abspath(__file__))
_HOOKS = (_HERE + os.sep, os.path.join(os.path.dirname(_HERE), "watching.py"))
# A check that is meant to fail: `assert not torch.allclose(…)`.
_DENIED = re.compile(r"\bnot\s+[\w.\[\]]*\.?(allclose|array_equal|equal|array_equiv)\b")
_ALLCLOSE = {torch.allclose, torch.Tensor.allclose}
FAILING = _ALLCLOSE | {torch.equal, torch.Tensor.equal}
"""The functions of torch that are checks."""


class Comparing:
    """Tells of comparisons that fail (`send` gets the `difference` event).

    `quiet` gives a context in which torch and the engine are ours.
    """

    def __init__(self, origins: Origins, keeper: Keeper, send: Send, quiet: Quiet) -> None:
        self.origins = origins
        self.keeper = keeper
        self.send = send
        self.quiet = quiet

    def failed(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """One of FAILING gave False."""
        frame = _caller()
        if frame is None or _DENIED.search(line_of(frame)):
            return
        given = dict(zip(("input", "other", "rtol", "atol", "equal_nan"), args)) | kwargs
        tolerances = (0.0, 0.0, False)
        if func in _ALLCLOSE:
            tolerances = (
                float(given.get("rtol", 1e-5)),
                float(given.get("atol", 1e-8)),
                bool(given.get("equal_nan", False)),
            )
        name = "torch.allclose" if func in _ALLCLOSE else "torch.equal"
        self.differ(name, given.get("input"), given.get("other"), tolerances, frame)

    def install(self) -> None:
        """Wrap the checks that are no functions of torch's own dispatch."""
        testing: Any = importlib.import_module("torch.testing")
        comparison: Any = importlib.import_module("torch.testing._comparison")
        wrapped = self._raising("torch.testing.assert_close", testing.assert_close, _close)
        testing.assert_close = comparison.assert_close = wrapped
        for name, reads in (
            ("assert_allclose", _allclose),
            ("assert_array_equal", _equal),
            ("assert_equal", _equal),
            ("assert_array_almost_equal", _almost),
            ("assert_almost_equal", _almost),
        ):
            own = getattr(np.testing, name)
            setattr(np.testing, name, self._raising(f"np.testing.{name}", own, reads))
        np.allclose = self._false("np.allclose", np.allclose, _allclose)
        np.array_equal = self._false("np.array_equal", np.array_equal, _equal)

    def _raising(self, name: str, own: Callable[..., Any], reads: Reads) -> Callable[..., Any]:
        @functools.wraps(own)
        def check(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            try:
                return own(*args, **kwargs)
            except AssertionError:
                frame = _caller()
                if frame is not None:
                    self._all(name, reads(args, kwargs), frame)
                raise

        return check

    def _false(self, name: str, own: Callable[..., Any], reads: Reads) -> Any:
        @functools.wraps(own)
        def check(*args: Any, **kwargs: Any) -> Any:
            result = own(*args, **kwargs)
            frame = _caller() if not result else None
            if frame is not None and not _DENIED.search(line_of(frame)):
                self._all(name, reads(args, kwargs), frame)
            return result

        return check

    def _all(self, name: str, compared: Compared, frame: FrameType) -> None:
        actual, expected, tolerances = compared
        for left, right in _pairs(actual, expected):
            self.differ(name, left, right, tolerances or _tolerances(left, right), frame)

    def differ(
        self,
        what: str,
        actual: Any,
        expected: Any,
        tolerances: tuple[float, float, bool],
        frame: FrameType,
    ) -> None:
        """Tell of two values that a check found apart, unless they cannot be told apart here."""
        with self.quiet():
            left, right = _array(actual), _array(expected)
            if left is None or right is None:
                return
            try:
                found = worst(left, right, *tolerances)
            except ValueError:
                return
            if found is None:
                return
            event = self._event(what, actual, expected, found, frame)
        self.send(event)

    def _event(
        self, what: str, actual: Any, expected: Any, found: Worst, frame: FrameType
    ) -> dict[str, Any]:
        """The second value is what was calculated, where only that one leads to a launch."""
        for swapped, value in ((False, actual), (True, expected)):
            if tuple(getattr(value, "shape", ())) != found.shape:
                continue
            spot = self.origins.spot(value, found.index)
            if spot is None or spot.launch is None:
                continue
            wrote = self.keeper.wrote(spot.launch, spot.address, spot.byte)
            event = _difference(what, found, swapped, frame)
            if wrote is not None:
                return _by_lane(event, wrote)
            return _by_nobody(event, spot.launch, self.keeper.kernel_of(spot.launch))
        return _by_nobody(_difference(what, found, False, frame), None, "")


Compared = tuple[Any, Any, "tuple[float, float, bool] | None"]
Reads = Callable[["tuple[Any, ...]", "dict[str, Any]"], Compared]


def _given(names: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    return dict(zip(names.split(), args)) | kwargs


def _close(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compared:
    given = _given("actual expected", args, kwargs)
    tolerances = None
    if given.get("rtol") is not None and given.get("atol") is not None:
        tolerances = (float(given["rtol"]), float(given["atol"]), bool(given.get("equal_nan")))
    return given["actual"], given["expected"], tolerances


def _allclose(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compared:
    names = {"actual": "a", "desired": "b"}
    given = _given("a b rtol atol equal_nan", args, {names.get(n, n): v for n, v in kwargs.items()})
    rtol, atol = float(given.get("rtol", 1e-7)), float(given.get("atol", 0.0))
    return given["a"], given["b"], (rtol, atol, bool(given.get("equal_nan", True)))


def _equal(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compared:
    both = [*args, *(v for n, v in kwargs.items() if n in ("actual", "desired", "x", "y"))]
    return both[0], both[1], (0.0, 0.0, True)


def _almost(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compared:
    both = [*args, *(v for n, v in kwargs.items() if n in ("actual", "desired", "x", "y"))]
    digits = kwargs.get("decimal", args[2] if len(args) > 2 else 6)
    return both[0], both[1], (0.0, 1.5 * 10.0**-digits, True)


def _tolerances(actual: Any, expected: Any) -> tuple[float, float, bool]:
    comparison: Any = importlib.import_module("torch.testing._comparison")
    try:
        rtol, atol = comparison.default_tolerances(actual, expected)
    except (TypeError, AttributeError):
        rtol, atol = 0.0, 0.0
    return float(rtol), float(atol), False


def _pairs(actual: Any, expected: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        for key in actual.keys() & expected.keys():
            yield from _pairs(actual[key], expected[key])
    elif isinstance(actual, Sequence) and isinstance(expected, Sequence):
        for left, right in zip(actual, expected):
            yield from _pairs(left, right)
    else:
        yield actual, expected


def _array(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        try:
            plain = value.detach().cpu()
            if plain.dtype.is_floating_point and plain.element_size() < 4:
                plain = plain.float()
            return plain.resolve_conj().resolve_neg().numpy()
        except (RuntimeError, TypeError):
            return None
    if isinstance(value, (np.ndarray, np.generic, bool, int, float)):
        array = np.asarray(value)
        return array if array.dtype.kind in "biufc" else None
    return None


def _caller() -> FrameType | None:
    """The line that called a check; None where it is not the script's but ours or a library's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HOOKS):
        frame = frame.f_back
    if frame is None:
        return None
    file = frame.f_code.co_filename
    return None if file.startswith(LIBRARIES) or is_ours(file) else frame


def line_of(frame: FrameType) -> str:
    """The text of the line at which a frame stands."""
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno)


def _difference(what: str, found: Worst, swapped: bool, frame: FrameType) -> dict[str, Any]:
    """The `difference` event, but for who wrote the element."""
    actual, expected = found.actual, found.expected
    if swapped:
        actual, expected = expected, actual
    index = list(found.index)
    share = f"{found.apart} of {found.of} elements differ"
    return {
        "what": what,
        "actual": number_json(actual),
        "expected": number_json(expected),
        "element": index,
        "count": found.apart,
        "check_file": frame.f_code.co_filename,
        "check_line": frame.f_lineno,
        "text": f"{what}: element {index} is {actual!r}, expected {expected!r} ({share})",
    }


def _by_lane(event: dict[str, Any], wrote: Wrote) -> dict[str, Any]:
    """The place is that of the store."""
    program, lane = list(wrote.program), list(wrote.lane)
    who = f"{wrote.kernel} wrote it in line {wrote.line}, program {program}, lane {lane}"
    return {
        **event,
        "launch": wrote.launch,
        "kernel": wrote.kernel,
        "argument": wrote.argument,
        "argument_element": wrote.element,
        "program": program,
        "lane": lane,
        "file": wrote.file,
        "line": wrote.line,
        "text": f"{event['text']}; {who}",
    }


def _by_nobody(event: dict[str, Any], launch: int | None, kernel: str) -> dict[str, Any]:
    """The place is that of the check: no lane wrote the element."""
    who = f"{kernel} wrote to that tensor, but no program to this element"
    return {
        **event,
        "launch": launch,
        "kernel": kernel or None,
        "program": None,
        "lane": None,
        "file": event["check_file"],
        "line": event["check_line"],
        "text": f"{event['text']}; {who if launch is not None else 'no kernel wrote it last'}",
    }
