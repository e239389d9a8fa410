"""``aoti-tui record``: a command with its compiled calls recorded, for when it fails."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.recording.watching import environment, finish, keep_errors
from aoti_tui.cli.arguments import record_arguments
from aoti_tui.cli.exit_codes import ANSWERED
from aoti_tui.record.options import BUNDLE, FOLDER, Options
from aoti_tui.record.places import recording_folder

_HOME = Path(__file__).resolve().parents[2]


def record(argv: list[str]) -> int:
    """Runs the command; its exit code is given back. Raises ArtifactError for one that cannot be
    started."""
    arguments = record_arguments(argv)
    options = Options(
        calls=arguments.calls,
        data=arguments.data,
        ring=arguments.ring << 20,
        constants=arguments.constants,
        on_exit=arguments.on_exit or bool(arguments.launches),
        launches=",".join(arguments.launches),
    )
    if arguments.environment:
        print("\n".join(_exports(options, arguments.output)))
        return ANSWERED
    if arguments.list:
        print("\n".join(_list(options)))
        return ANSWERED
    try:
        folder = recording_folder(options.memory())
    except OSError as error:
        raise ArtifactError(
            "there is no room for a recording", str(error), "Record less: --ring MIB."
        ) from error
    settings = {**os.environ, **options.as_environment(), **environment(_HOME)}
    settings[FOLDER] = str(folder)
    try:
        program = subprocess.Popen(arguments.command, stderr=subprocess.PIPE, env=settings)
    except OSError as error:
        folder.rmdir()
        raise ArtifactError(
            f"{arguments.command[0]} cannot be started", error.strerror or str(error), "Check it."
        ) from error
    code, seen = _wait(program, folder)
    ended = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    finish(
        folder,
        (arguments.output or Path("call.aoti")).absolute(),
        failed=code != 0 or seen,
        ended=ended,
        on_exit=options.on_exit,
    )
    return code if code >= 0 else 128 - code


def _wait(program: subprocess.Popen[bytes], folder: Path) -> tuple[int, bool]:
    """The program's exit code, and whether a device's error was among what it printed. Signals go
    to the program, whose end is waited for."""
    seen: list[bool] = []
    assert program.stderr is not None
    source = program.stderr

    def tee() -> None:
        seen.append(keep_errors(source, sys.stderr.buffer, folder))  # type: ignore[arg-type]

    thread = threading.Thread(target=tee, daemon=True)
    thread.start()
    before = {
        one: signal.signal(one, lambda number, _: program.send_signal(number))
        for one in (signal.SIGTERM, signal.SIGHUP)
    }
    # The terminal sends Ctrl-C to both.
    before[signal.SIGINT] = signal.signal(signal.SIGINT, lambda number, _: None)
    try:
        code = program.wait()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    # What it started may go on and hold the pipe.
    thread.join(timeout=5)
    return code, bool(seen and seen[0])


def _exports(options: Options, bundle: Path | None) -> list[str]:
    """What a shell has to set so that ``AOTI_TUI_RECORD=call.aoti`` is enough; with a bundle, that
    as well."""
    usual = Options().as_environment()
    told = {name: one for name, one in options.as_environment().items() if one != usual[name]}
    named = {BUNDLE: str(bundle.absolute())} if bundle is not None else {}
    settings = {**environment(_HOME), **named, **told}
    return [f"export {name}={shlex.quote(value)}" for name, value in settings.items()]


def _list(options: Options) -> list[str]:
    floats = {
        "none": "not recorded",
        "small": "up to 1 MiB each (--data none|small|all)",
        "all": "whole",
    }
    launches = "by their arguments before alone (--launches KERNEL)"
    if options.launches:
        launches = f"the last {options.calls} of {options.launches} before and after, floats whole"
    return [
        f"calls          the last {options.calls} (--calls)",
        "of each        AOTInductor packages, graphs of torch.compile, launches of Triton kernels",
        "arguments      dtype, shape, stride, device of each; numbers",
        "ints, bools    whole",
        f"floats         {floats[options.data]}",
        f"parameters     {'as floats' if options.constants else 'sizes alone (--constants)'}",
        "random state   seed and offset",
        "code           the wrapper, the graph's output_code.py, the kernel's source",
        "log            standard error of the program",
        f"launches       {launches}",
        f"memory         {options.memory() >> 20} MiB a process (--ring)",
        "variables      TORCH*, TRITON_*, AOTI_*, PYTORCH_*, NCCL_*, CUBLAS_*, CUDA_*, RANK …;",
        "               none that names a token, key, secret, password, credential or cache server",
        "not recorded   command line, other variables, files, weights",
    ]
