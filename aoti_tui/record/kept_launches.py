"""Launches of kernels that were asked for by name (``--launches``): their arguments before and
after, in a ring of their own, so that what the device computed can be compared with a replay.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from .options import Options
from .recorder import Recorder

FOLDER = "launches"
SEEN = "launches.json"
"""In the process's folder: every kernel that was launched, and whether it was asked for."""


class KeptLaunches:
    """The launches of one process, in its folder. Nothing here raises into the program."""

    def __init__(self, folder: Path, options: Options) -> None:
        self._folder = folder
        # Two entries a launch. All of its data is needed: a replay of half of it compares nothing.
        self._options = replace(options, calls=2 * options.calls, data="all", constants=True)
        self._patterns = [one for one in options.launches.split(",") if one]
        self._seen: dict[str, bool] = {}
        self._recorder: Recorder | None = None
        self._failed = False

    def wanted(self, name: str, *others: str) -> bool:
        """Whether a kernel of this name, or of one of its other names, was asked for."""
        known = self._seen.get(name)
        if known is not None:
            return known
        found = any(fnmatchcase(one, p) for one in (name, *others) for p in self._patterns)
        self._seen[name] = found
        try:
            text = json.dumps({"asked": self._patterns, "seen": self._seen})
            (self._folder / SEEN).write_text(text, encoding="utf-8")
        except OSError:
            pass  # it only says why nothing was kept
        return found

    def site(self, key: Any, facts: dict[str, Any], text: str, suffix: str) -> int:
        """The number of a kernel, whose text is kept; 0 without a ring."""
        kept = self._made()
        return kept.site(key, facts, text, suffix) if kept is not None else 0

    def before(self, site: int, values: Sequence[Any], more: dict[str, Any]) -> int:
        """Keep what a launch is given; its number, 0 where it is not kept."""
        kept = self._made()
        if kept is None:
            return 0
        places = [_address(one) for one in values]
        return kept.begin(site, values, {**more, "places": places})

    def after(self, number: int, values: Sequence[Any], more: dict[str, Any]) -> None:
        """Keep what the launch ``number`` left in its arguments."""
        if number and self._recorder is not None:
            self._recorder.begin(0, values, {**more, "after": number})

    def _made(self) -> Recorder | None:
        if self._recorder is None and not self._failed:
            try:
                self._recorder = Recorder(self._folder, self._options, FOLDER)
            except Exception as error:
                self._failed = True
                from .copying import said

                said(f"no launches are kept, the program runs on: {error}")
        return self._recorder


def _address(value: Any) -> int | None:
    try:
        return int(value.data_ptr())
    except Exception:
        return None
