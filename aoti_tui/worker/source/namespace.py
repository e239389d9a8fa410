"""A module as a kernel sees it: names and nothing behind them."""

from __future__ import annotations

from typing import Any


class Namespace:
    """Has the members it was given, and no way from them to anything else."""

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self.__name__ = name
        self.__dict__.update(members)
