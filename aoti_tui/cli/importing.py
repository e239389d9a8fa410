"""Importing much at once, without the search for garbage that would come with it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def importing() -> Iterator[None]:
    """Look for no garbage while modules are imported, nor among them afterwards.

    They stay as long as the program runs, and what they are made of is most of what there is at
    its start: looking through it again and again costs a seventh of the time to import it.
    """
    collects, modules = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > modules:
            gc.freeze()
        if collects:
            gc.enable()
