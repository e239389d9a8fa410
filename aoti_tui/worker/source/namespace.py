"""A module as a kernel sees it: names and nothing behind them."""

from __future__ import annotations

from typing import Any


class Namespace:
    """Has the members it was given, and no way from them to anything else.

    Every kernel of a process sees the same ones, so nothing can be put into one or taken away.
    """

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self.__dict__.update(members, __name__=name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} cannot be set: a namespace does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} cannot be deleted: a namespace does not change")
