"""``make package``: builds wheel and sdist, and tries each away from the checkout.

Both are installed into fresh environments without torch; there `explain` must answer, and the
interface must open on the bundled failure in a real terminal (tmux).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
CONSTRAINTS = ROOT / "tests" / "constraints.txt"
ANSWER = "0 <= tmp10 < ks0"
WAIT = 60.0


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        away = Path(folder)
        # A copy, so that the build leaves nothing in the checkout but dist/.
        sources = away / "sources"
        names = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        ).stdout.split(b"\0")
        for name in (os.fsdecode(one) for one in names if one):
            if (ROOT / name).is_file():
                (sources / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, sources / name)
        tools = environment(away / "tools", "build")
        subprocess.run(
            [tools, "-m", "build", "--outdir", DIST, sources],
            cwd=away,
            check=True,
            stdout=sys.stderr,
        )
        for made in (sorted(DIST.glob("*.whl"))[-1], sorted(DIST.glob("*.tar.gz"))[-1]):
            python = environment(away / made.suffix[1:], str(made))
            try_out(python.with_name("aoti-tui"), away)
            print(f"{made.name}: {made.stat().st_size / 1e6:.1f} MB, explains and opens")


def environment(folder: Path, *packages: str) -> Path:
    """The Python of a fresh environment with ``packages``."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "--disable-pip-version-check", "-q"]
    subprocess.run([*install, "-c", CONSTRAINTS, *packages], check=True)
    return python


def try_out(program: Path, away: Path) -> None:
    """What a person does first, outside of the checkout."""
    found = subprocess.run(
        [program.with_name("python"), "-c", "import aoti_tui; print(aoti_tui.__file__)"],
        cwd=away,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    demo = Path(found.strip()).parent / "demo"
    assert not demo.is_relative_to(ROOT), found
    command = [program, "explain", demo / "jagged_reduce.wrapper.cpp", "--log"]
    done = subprocess.run(
        [*command, demo / "error.empty_weights.log"], cwd=away, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert ANSWER in done.stdout, done.stdout
    tmux = ["tmux", "-L", f"package-{os.getpid()}"]
    start = [
        *tmux,
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-x",
        "160",
        "-y",
        "45",
        "-c",
        str(away),
    ]
    subprocess.run([*start, f"{program} --demo"], check=True)
    try:
        shown = ""
        end = time.monotonic() + WAIT
        while ANSWER not in shown and time.monotonic() < end:
            time.sleep(0.2)
            shown = subprocess.run(
                [*tmux, "capture-pane", "-p"], capture_output=True, text=True
            ).stdout
        assert ANSWER in shown, shown
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


if __name__ == "__main__":
    main()
