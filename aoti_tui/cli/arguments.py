"""The command line: one parser for the interface and one for each headless command."""

from __future__ import annotations

import argparse
from pathlib import Path

from aoti_tui import __version__
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.given import BEYOND_SYMBOLS, LAUNCH_SECONDS

COMMANDS = (
    "explain",
    "index",
    "replay",
    "check",
    "run",
    "debug",
    "core",
    "record",
    "bundle",
    "help",
    "completion",
)

_EPILOG = """\
commands:
  aoti-tui explain WRAPPER --log LOG [--inputs FILE] [--json]   what failed, and why
  aoti-tui explain LOG                                          the same, from the log alone
  aoti-tui index WRAPPER [--json]                               what the wrapper holds
  aoti-tui replay WRAPPER --inputs FILE [--log LOG] [--json]    run the kernel on the CPU
  aoti-tui check WRAPPER --tensors DIR [--json]                 compare with tensors of the GPU
  aoti-tui run [--check] SCRIPT ARGS… | -m MODULE ARGS…         a script of your own, on the CPU
  aoti-tui debug WRAPPER … -ex COMMAND | --serve                commands as in gdb, text or JSON
  aoti-tui core FILE [--info] [--json] [--extract OUT.aoti]     what a GPU core dump holds
  aoti-tui record [-o OUT.aoti] COMMAND ARGS…                   keep the calls of a failing program
  aoti-tui bundle FILE -o OUT.aoti [--redact] [--minimal]       a bundle to be given away
  aoti-tui help [TOPIC]                                         the manual
  aoti-tui completion bash | zsh | fish                         for the shell

each has its own --help. A wrapper is a *.wrapper.cpp, an output_code.py of torch.compile, a .pt2
package, a folder (torch_compile_debug, a cache), or a log that holds the code or leads to it.
"""


def interface_parser() -> argparse.ArgumentParser:
    """``aoti-tui [WRAPPER] [--log FILE] …``: opens the interface."""
    parser = argparse.ArgumentParser(
        prog="aoti-tui",
        description="Find out why a compiled PyTorch kernel (AOTInductor, torch.compile) failed.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"aoti-tui {__version__}")
    _add_wrapper(parser)
    parser.add_argument("--demo", action="store_true", help="open the bundled real failure")
    _add_log(parser)
    _add_given(parser)
    return parser


def explain_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoti-tui explain",
        description="Explain every failed assert of a log: kernel, launch, where bound and index "
        "come from, guards, cause and fix. With --inputs the cause is established by a replay.",
    )
    _add_wrapper(parser)
    _add_log(parser)
    _add_given(parser)
    parser.add_argument(
        "--json", action="store_true", help="one JSON object (`aoti-tui help json`)"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE.md", help="write a report for a ticket"
    )
    parser.add_argument(
        "--no-replay", action="store_true", help="judge by the inputs' sizes alone, run nothing"
    )
    return parser


def index_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoti-tui index",
        description="List what the wrapper holds: kernels, launches, inputs, symbols, constants, "
        "guards, buffers, and the gaps (what was not understood).",
    )
    _add_wrapper(parser)
    parser.add_argument("--kernels", type=Path, metavar="PATH", help="where kernel sources are")
    parser.add_argument("--model", metavar="NAME", help="which model of a package or folder")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object (`aoti-tui help json`)"
    )
    return parser


def replay_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoti-tui replay",
        description="Run a kernel of the wrapper in Triton's interpreter on the CPU, with the "
        "given inputs, and report which asserts fire, in which programs and lanes.",
    )
    _add_wrapper(parser)
    _add_log(parser)
    _add_given(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--kernel", metavar="NAME", help="the kernel, when no log names it")
    which.add_argument(
        "--all", action="store_true", help="every launch in order, with memory checks"
    )
    parser.add_argument("--launch", type=int, metavar="LINE", help="which launch of the kernel")
    parser.add_argument(
        "--program", type=program_triple, metavar="X,Y,Z", help="run this program only"
    )
    parser.add_argument("--sweep", metavar="SYMBOL", help="try 0, 1, 2, the least and the most")
    parser.add_argument("--script", type=Path, metavar="FILE.py", help="write a script that fails")
    wrong = parser.add_mutually_exclusive_group()
    wrong.add_argument(
        "--element",
        metavar="ARG[INDEX]",
        help="who wrote this element: out_ptr0[123] (in memory) or out_ptr0[3,7] (by dimensions)",
    )
    wrong.add_argument(
        "--reference",
        metavar="FILE.pt",
        help="who wrote the element that differs most from this tensor; the word captured stands "
        "for what the GPU wrote (--tensors)",
    )
    parser.add_argument("--argument", metavar="ARG", help="which output the reference is for")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object (`aoti-tui help json`)"
    )
    return parser


def replay_arguments(argv: list[str]) -> argparse.Namespace:
    """The arguments of ``replay``; exits with a message when some exclude each other."""
    parser = replay_parser()
    arguments = parser.parse_args(argv)
    if arguments.all and (arguments.element or arguments.reference):
        parser.error("--element and --reference ask about one launch: not allowed with --all")
    if arguments.argument and not arguments.reference:
        parser.error("--argument says what --reference is for: give both")
    return arguments


def check_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoti-tui check",
        description="Replay every launch whose tensors were captured on the GPU and compare.",
    )
    _add_wrapper(parser)
    _add_given(parser)
    parser.add_argument(
        "--json", action="store_true", help="one JSON object (`aoti-tui help json`)"
    )
    return parser


def debug_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoti-tui debug",
        usage="aoti-tui debug [options] WRAPPER [--log LOG] [--inputs FILE] -ex COMMAND … | "
        "--script FILE ARGS…",
        description="Debug without a screen: the commands of the interface's : line, one after "
        "the other. `aoti-tui help commands` lists them. Without any, they are read from standard "
        "input. Exit code: 0, or 2 when a command could not be done.",
        allow_abbrev=False,
    )
    _add_wrapper(parser)
    parser.add_argument("--demo", action="store_true", help="open the bundled real failure")
    _add_log(parser)
    _add_given(parser)
    parser.add_argument(
        "-ex",
        "--eval-command",
        dest="steps",
        action=_Command,
        metavar="COMMAND",
        help="do a command; can be repeated",
    )
    parser.add_argument(
        "-x",
        "--command",
        dest="steps",
        action=_Command,
        metavar="FILE",
        help="do the commands of a file, a line each; can be repeated",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a command")
    parser.add_argument(
        "--good",
        type=Path,
        metavar="FILE",
        help="inputs of a call that runs: first of all, say where the two part",
    )
    parser.add_argument(
        "-nx",
        "--no-init",
        action="store_true",
        help="without the commands of the init file in the configuration folder",
    )
    parser.add_argument(
        "--serve",
        action="store_true",
        help='answer JSON lines of standard input ({"command": "c"}) with one each',
    )
    parser.add_argument(
        "--script",
        nargs=argparse.REMAINDER,
        metavar="FILE",
        help="debug a script of your own; all that follows is its own",
    )
    return parser


class _Command(argparse.Action):
    """Keeps commands and files of commands in the order in which they are given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        of_file = option_string in ("-x", "--command")
        steps = [*(getattr(namespace, self.dest) or ()), ("source" if of_file else "", values)]
        setattr(namespace, self.dest, steps)


def _add_wrapper(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "wrapper",
        nargs="?",
        type=Path,
        metavar="WRAPPER",
        help="wrapper, .pt2 package, folder, or a log that holds the code or leads to it",
    )


def help_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="aoti-tui help", description="Show a page of the manual.")
    parser.add_argument("topic", nargs="?", help="which page; without it, the list of them")
    return parser


def completion_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoti-tui completion",
        description="Print what a shell needs to complete commands, options and files: "
        'eval "$(aoti-tui completion bash)" in ~/.bashrc, the same with zsh in ~/.zshrc; '
        "aoti-tui completion fish > ~/.config/fish/completions/aoti-tui.fish.",
    )
    parser.add_argument("shell", choices=["bash", "zsh", "fish"])
    return parser


def core_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoti-tui core",
        description="Say what a GPU core dump holds: the device, the kernels that were running "
        "with their grids and parameters, the threads that failed and where, and the memory.",
    )
    parser.add_argument("core", type=Path, help="the dump; .gz, .xz and .zst are unpacked")
    parser.add_argument(
        "--extract",
        type=Path,
        metavar="OUT.aoti",
        help="keep what a replay of the failing launch needs, to attach it to a ticket",
    )
    parser.add_argument(
        "--wrapper", type=Path, metavar="FILE", help="the wrapper, which goes into the extract"
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="replace floats of the extract by noise of the same mean and spread (needs --wrapper)",
    )
    parser.add_argument("--info", action="store_true", help="what the dump holds (the default)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def record_arguments(argv: list[str]) -> argparse.Namespace:
    """The arguments of ``record``: its own, then the command. Exits with a message where there is
    no command."""
    parser = argparse.ArgumentParser(
        prog="aoti-tui record",
        usage="aoti-tui record [options] COMMAND ARGS…",
        description="Run a command, and when it fails write a bundle with what its last compiled "
        "calls were given: AOTInductor packages, torch.compile graphs, Triton launches.",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the bundle (default: call.aoti)"
    )
    parser.add_argument("--calls", type=int, default=8, help="how many are kept (default: 8)")
    parser.add_argument(
        "--data",
        choices=("none", "small", "all"),
        default="small",
        help="which floats are kept: small is up to 1 MiB each (the default)",
    )
    parser.add_argument("--ring", type=int, default=64, metavar="MIB", help="memory for the data")
    parser.add_argument("--constants", action="store_true", help="keep parameters' values too")
    parser.add_argument("--on-exit", action="store_true", help="write the bundle in any case")
    parser.add_argument(
        "--launches",
        action="append",
        default=[],
        metavar="KERNEL",
        help="keep the last launches of a kernel (* for any part of its name) with their arguments "
        "before and after, for `aoti-tui check`; the bundle is written in any case",
    )
    parser.add_argument("--list", action="store_true", help="say what would be recorded")
    parser.add_argument(
        "--environment",
        action="store_true",
        help="print what to export so that AOTI_TUI_RECORD=call.aoti is enough, and run nothing",
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command and its arguments")
    arguments = parser.parse_args(argv)
    if arguments.command[:1] == ["--"]:
        del arguments.command[0]
    if not (arguments.command or arguments.list or arguments.environment):
        parser.error("give the command to run: aoti-tui record python serve.py")
    if not 1 <= arguments.calls <= 256 or arguments.ring < 1:
        parser.error("--calls takes 1 to 256, --ring at least 1")
    return arguments


def bundle_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoti-tui bundle",
        description="Make a bundle fit to be given away, or one of a recording that was left.",
    )
    parser.add_argument("bundle", type=Path, help="the bundle, or the folder of a recording")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--redact",
        action="store_true",
        help="replace floats by noise of the same mean and spread; sizes, integers and bools stay",
    )
    parser.add_argument("--minimal", action="store_true", help="keep the failing call alone")
    return parser


def _add_log(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--log", metavar="FILE", help="log of the failed run; - for standard input")


def _add_given(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--inputs", type=Path, metavar="FILE", help="the model's arguments, from torch.save"
    )
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        type=setting,
        metavar="s7=0",
        help="set a symbol (what if); can be repeated",
    )
    parser.add_argument("--constants", type=Path, metavar="FILE", help="weights, by their names")
    parser.add_argument("--tensors", type=Path, metavar="DIR", help="tensors captured on the GPU")
    parser.add_argument("--core", type=Path, metavar="FILE", help="GPU core dump of the failed run")
    parser.add_argument("--kernels", type=Path, metavar="PATH", help="where kernel sources are")
    parser.add_argument("--model", metavar="NAME", help="which model of a package or folder")
    parser.add_argument(
        "--python", metavar="PATH", help="the Python that has torch and triton (default: this one)"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=LAUNCH_SECONDS,
        metavar="SECONDS",
        help="how long one launch may take in the replay (default: %(default)g; 0 for any time)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="for data that is made up where nothing is known"
    )


def setting(text: str) -> tuple[str, float]:
    """``("s7", 0)`` of ``s7=0``."""
    name, sign, value = text.partition("=")
    try:
        if not sign or not name.strip().isidentifier():
            raise ValueError
        number = float(value)
        if not abs(number) < BEYOND_SYMBOLS:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} sets no symbol; write it as s7=0, with a number of 64 bits"
        ) from None
    return name.strip(), int(number) if number.is_integer() else number


def seconds(text: str) -> float:
    """A time from 0 on; it may be infinite, which is 0 here."""
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write seconds, such as 300")
    return number if number != float("inf") else 0.0


def program_triple(text: str) -> tuple[int, int, int]:
    """``(2, 0, 0)`` of ``2,0,0``; missing axes are 0."""
    parts = text.strip("()[] ").split(",")
    if not 1 <= len(parts) <= 3 or not all(p.strip().isdigit() for p in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is no program; write it as 2,0,0")
    x, y, z = (int(parts[i]) if i < len(parts) else 0 for i in range(3))
    return x, y, z


def folder_of_tensors(path: Path | None) -> Path | None:
    """The captured tensors' folder; an :class:`ArtifactError` when it is none."""
    if path is not None and not path.is_dir():
        raise ArtifactError(
            f"{path} is not a folder",
            "captured tensors are a folder of .pt files",
            "Give the folder that AOTI's debug printer wrote (tmp/aoti_torch/); `aoti-tui check` "
            "also takes a file of recorded launches.",
        )
    return path
