"""``make screenshots``: pictures of the running program on real failures.

Each picture is a failure (the bundled one, or one of ``tests/data``), a size, a theme and the keys
that lead to it; the program runs for real, with its worker.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from aoti_tui.artifacts.given import Given
from aoti_tui.replay.script.command import ScriptCommand
from aoti_tui.session.request import OpenRequest, RunRequest
from tests.cases import DATA
from tests.tui.driving import Driver, demo_request, opened

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"


@dataclass(frozen=True)
class Picture:
    """``keys`` are pressed in order; ``see:…`` waits for a text, ``type:…`` types one, ``idle``
    waits for the end of what runs."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    theme: str = ""
    failure: str = ""
    """``model/case`` of ``tests/data``, with a ``wrapper.cpp`` or an ``output_code.py``; the
    bundled failure for ``""``."""
    core: Path | None = None
    """A core dump in place of log and inputs."""
    script: str = ""
    """A script of ``tests/data`` that is run instead."""

    @property
    def request(self) -> OpenRequest | RunRequest:
        if self.script:
            command = (sys.executable, (str(DATA / "scripts" / self.script),))
            return RunRequest(ScriptCommand(*command))
        if self.core is not None:
            return OpenRequest(demo_request().wrapper, given=Given(core=self.core), warm_up=False)
        if not self.failure:
            return demo_request()
        model, _, case = self.failure.rpartition("/")
        folder = DATA / model
        compiled = folder / "output_code.py"
        users = folder / f"users_inputs.{case}.pt"
        return OpenRequest(
            compiled if compiled.exists() else folder / "wrapper.cpp",
            log=folder / f"error.{case}.log",
            given=Given(inputs=users if users.exists() else folder / f"inputs.{case}.pt"),
            warm_up=False,
        )


RUN = ("c", "see:The assert at kernel line 46 fails", "idle")
EMBEDDING = ("c", "see:The assert at kernel line 42 fails", "idle")
SCATTER = ("c", "see:The assert at kernel line", "idle")
HALF = ("c", "see:The assert at kernel line 38 fails", "idle")
STANDS = ("see:The script stands here", "idle")
PICTURES = (
    Picture("main", (160, 45)),
    Picture("chain", (120, 36), ("3", "i", "see:Input 2 is arg4_1", "3")),
    Picture("stepping", (160, 45), ("up", "b", "c", "see:Stopped at", "idle")),
    Picture("assert", (160, 45), RUN),
    Picture(
        "lanes", (120, 40), (*EMBEDDING, "n", "n", "4", "tab"), failure="embedding_ln/id_too_large"
    ),
    Picture(
        "map", (100, 30), (*SCATTER, "4", "tab", "m"), failure="scatter_add_atomic/idx_past_rows"
    ),
    Picture(
        "elements",
        (120, 36),
        (*EMBEDDING, "2", "home", "down", "down", "v", "see:Elements of in_ptr0"),
        failure="embedding_ln/id_too_large",
    ),
    Picture(
        "upstream",
        (160, 45),
        (*RUN, "1", "slash", "type:tmp0 =", "enter", "w", "w", "see:written once"),
    ),
    Picture("search", (100, 30), (*HALF, "slash", "type:< 0"), failure="gather_half/below_minus_n"),
    Picture("timeline", (100, 30), (*RUN, "N", "N", "4")),
    Picture("what-if", (120, 36), ("=", "see:What if a symbol", "see:arg4_1.size(0)")),
    Picture("call-site", (100, 30), (*RUN, "2")),
    Picture("navigator", (100, 30), ("5", "ctrl+f", "type:cumsum")),
    Picture("small", (80, 24)),
    Picture("small-run", (80, 24), RUN),
    Picture("light", (160, 45), RUN, theme="textual-light"),
    Picture("core-dump", (120, 36), RUN, core=DATA / "cores" / "jagged_reduce.cudacore.xz"),
    Picture("compile", (120, 36), SCATTER, failure="output_code/gnn/bad_src"),
    Picture("run", (120, 40), (*STANDS, "w"), script="scale.py"),
    Picture("run-call", (100, 30), (*STANDS, "2"), script="scale.py"),
    Picture("precision", (120, 36), (*STANDS, "E", "see:loses precision"), script="variance.py"),
    Picture("report", (100, 40), ("R", "see:Failed kernel asserts")),
    Picture("help", (100, 40), ("question_mark",)),
)


async def follow(user: Driver, keys: tuple[str, ...]) -> None:
    for key in keys:
        kind, _, text = key.partition(":")
        if kind == "see":
            await user.see(text)
        elif kind == "type":
            await user.type(text)
        elif kind == "idle":
            await user.until(lambda: not user.busy(), "the end")
        else:
            await user.press(key)


async def render(picture: Picture, folder: Path) -> None:
    async with opened(picture.request, size=picture.size) as user:
        if picture.theme:
            user.app.theme = picture.theme
        await follow(user, picture.keys)
        await user.pilot.pause()
        svg = user.app.export_screenshot(title="aoti-tui")
        (folder / f"{picture.name}.svg").write_text(svg, encoding="utf-8")


def main(wanted: list[str]) -> int:
    """Render all pictures, or those named."""
    FOLDER.mkdir(exist_ok=True)
    for picture in PICTURES:
        if wanted and picture.name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as home:
            # The defaults, not the choices of whoever renders them; no breakpoint of the last one.
            os.environ |= {"XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home}
            os.chdir(home)
            asyncio.run(render(picture, FOLDER))
        print(f"screenshots/{picture.name}.svg")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
