"""The user's choices, kept between runs: theme, keys and layout; and breakpoints and
watches, per wrapper.

Choices live in ``config.json`` of the user's config folder, which the user may edit; what the
program remembers by itself (breakpoints, watches, whether the first hint was seen) in
``state.json`` of the state folder. What cannot be read is reported; choices are left alone then, as
the user may have written them, and a damaged state is set aside. Several instances may run: each
writes only what was changed in it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from aoti_tui.session.kept.json_file import Damaged, merged, read_object, set_aside, update

APP = "aoti-tui"
HISTORY = 200
"""Commands that are kept."""


@dataclass(slots=True)
class Config:
    """Choices and memory. ``problems`` are sentences to show the user once."""

    theme: str = ""
    keymap: dict[str, str] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    """Dividers between panes that were moved, as the layout takes them."""
    hidden: list[str] = field(default_factory=list)
    hint_seen: bool = False
    breakpoints: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    watches: dict[str, list[str]] = field(default_factory=dict)
    history: list[str] = field(default_factory=list)
    """Commands that were typed, oldest first."""
    problems: list[str] = field(default_factory=list)
    broken: set[Path] = field(default_factory=set)
    """Files that could not be read: never written over."""
    kept: bool = True
    """Whether anything is written: a session without a screen leaves no traces."""
    base: dict[Path, dict[str, Any]] = field(default_factory=dict)
    """What was read from each file or written to it last: what differs was changed here."""


def config_file() -> Path:
    return Path(platformdirs.user_config_dir(APP, appauthor=False)) / "config.json"


def init_file() -> Path:
    """Commands that are done whenever something was opened, a line each."""
    return Path(platformdirs.user_config_dir(APP, appauthor=False)) / "init"


def state_file() -> Path:
    return Path(platformdirs.user_state_dir(APP, appauthor=False)) / "state.json"


def load(actions: frozenset[str]) -> Config:
    """Read both files. ``actions`` are the ids that a keymap may name."""
    config = Config()
    choices = _read(config_file(), config)
    memory = _read(state_file(), config)
    config.theme = _text(choices, "theme", config.problems)
    keys = choices.get("keys", {})
    if isinstance(keys, dict):
        for name, value in keys.items():
            if name not in actions:
                config.problems.append(
                    f"{config_file()}: there is no action {name!r}; its key is ignored. "
                    "Help (?) lists the actions."
                )
            elif isinstance(value, str) and value:
                config.keymap[name] = value
            else:
                config.problems.append(
                    f'{config_file()}: the key of {name!r} must be text such as "n,f10"; ignored.'
                )
    else:
        config.problems.append(f'{config_file()}: "keys" must be an object; ignored.')
    layout = choices.get("layout", {})
    if isinstance(layout, dict):
        moved = layout.get("moved")
        if isinstance(moved, dict):
            config.moved = {str(n): by for n, by in moved.items() if type(by) is int}
        if isinstance(layout.get("hidden"), list):
            config.hidden = [str(pane) for pane in layout["hidden"]]
    config.hint_seen = memory.get("hint_seen") is True
    typed = memory.get("history", [])
    if isinstance(typed, list):
        config.history = [str(text) for text in typed][-HISTORY:]
    stored = memory.get("breakpoints", {})
    if isinstance(stored, dict):
        config.breakpoints = {
            str(path): [item for item in items if isinstance(item, dict)]
            for path, items in stored.items()
            if isinstance(items, list)
        }
    watched = memory.get("watches", {})
    if isinstance(watched, dict):
        config.watches = {
            str(path): [str(text) for text in texts]
            for path, texts in watched.items()
            if isinstance(texts, list)
        }
    config.base = {
        config_file(): copy.deepcopy(_choices(config)),
        state_file(): copy.deepcopy(_memory(config)),
    }
    return config


def save_choices(config: Config) -> str:
    """Write theme, keys and layout; gives a sentence when that failed, else ``""``."""
    return _write(config, config_file(), _choices(config), _choices(Config()))


def save_memory(config: Config) -> str:
    """Write breakpoints, watches and what was seen; as :func:`save_choices`."""
    return _write(config, state_file(), _memory(config), _memory(Config()))


def _choices(config: Config) -> dict[str, Any]:
    return {
        "theme": config.theme,
        "keys": config.keymap,
        "layout": {"moved": config.moved, "hidden": config.hidden},
    }


def _memory(config: Config) -> dict[str, Any]:
    return {
        "hint_seen": config.hint_seen,
        "breakpoints": config.breakpoints,
        "watches": config.watches,
    }


def _read(path: Path, config: Config) -> Mapping[str, Any]:
    try:
        return read_object(path)
    except (Damaged, OSError) as error:
        if isinstance(error, Damaged) and path == state_file():
            config.problems.append(_set_aside(path, error))
            return {}
        config.broken.add(path)
        config.problems.append(f"{path} cannot be read ({error}); the defaults are used.")
        return {}


def _set_aside(path: Path, damage: Damaged) -> str:
    """Put a damaged state out of the way; a sentence about it."""
    try:
        aside = set_aside(path)
    except OSError as error:
        return f"{path} is damaged ({damage}) and cannot be set aside ({error})."
    return (
        f"{path} is damaged ({damage}): it is now {aside.name} beside it, and breakpoints and "
        "watches start anew."
    )


def _text(values: Mapping[str, Any], name: str, problems: list[str]) -> str:
    value = values.get(name, "")
    if isinstance(value, str):
        return value
    problems.append(f"{config_file()}: {name!r} must be text; ignored.")
    return ""


def _write(config: Config, path: Path, mine: dict[str, Any], defaults: Mapping[str, Any]) -> str:
    if not config.kept:
        return ""
    if path in config.broken:
        return f"{path} is left alone, since it could not be read; this choice is not kept."
    base = config.base.get(path, defaults)
    note = ""
    try:
        try:
            update(path, lambda theirs: merged(theirs, base, mine))
        except Damaged as error:
            if path != state_file():
                return f"{path} is left alone ({error}); this choice is not kept."
            note = _set_aside(path, error)
            update(path, lambda theirs: merged(theirs, {}, mine))
    except (Damaged, OSError) as error:
        return f"{path} cannot be written ({error}); this choice lasts until you leave."
    config.base[path] = copy.deepcopy(mine)
    return note
