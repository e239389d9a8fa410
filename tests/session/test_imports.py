"""The session serves every front end, so it must do without any of them."""

import subprocess
import sys


def test_every_module_of_the_session_does_without_textual_and_what_runs_kernels() -> None:
    code = (
        "import importlib, pkgutil, sys, aoti_tui.session as session\n"
        "for module in pkgutil.walk_packages(session.__path__, 'aoti_tui.session.'):\n"
        "    importlib.import_module(module.name)\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "'aoti_tui'" in done.stdout
    assert not {"'textual'", "'rich'", "'torch'", "'triton'", "'numpy'"} & set(
        done.stdout.strip("[]\n").split(", ")
    )
