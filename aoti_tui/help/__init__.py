"""The manual, a page a topic: Markdown files of this folder."""

from __future__ import annotations

from importlib import resources

_END = ".md"


def topics() -> dict[str, str]:
    """What each page is about, by the name of the topic: the page's first line."""
    folder = resources.files(__name__)
    pages = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(_END))
    return {name[: -len(_END)]: page(name[: -len(_END)]).split("\n")[0][2:] for name in pages}


def page(topic: str) -> str:
    """The Markdown of a topic. Raises KeyError for one that there is not."""
    try:
        return resources.files(__name__).joinpath(f"{topic}{_END}").read_text(encoding="utf-8")
    except (FileNotFoundError, OSError, ValueError):
        raise KeyError(topic) from None
