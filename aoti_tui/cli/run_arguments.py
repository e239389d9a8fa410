"""The arguments of ``aoti-tui run``: ours come first, all that follows the script is its own."""

from __future__ import annotations

import argparse
from pathlib import Path


def run_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aoti-tui run",
        usage="aoti-tui run [--check] [--json FILE] [options] SCRIPT ARGS… | -m MODULE ARGS…",
        description="Run a script of your own: its Triton kernels run on the CPU, and what they do "
        "wrong is found. Exit code: the script's own, or 4 when that is 0 and something was found.",
        allow_abbrev=False,
    )
    parser.add_argument("--check", action="store_true", help="no interface: run, and tell")
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="with --check: write what was found (- for stdout)",
    )
    parser.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="'NAME = EXPR'",
        help="with --check: what a name of a kernel should be, as an expression of torch over the "
        "kernel's arguments (KERNEL: NAME = EXPR for one kernel alone); may be given many times",
    )
    parser.add_argument("--stdin", type=Path, metavar="FILE", help="the script's standard input")
    parser.add_argument(
        "--config", type=int, metavar="N", help="which configuration autotune takes"
    )
    parser.add_argument(
        "--device", choices=["cuda", "cpu"], default="cuda", help="cpu: stand in for no GPU"
    )
    parser.add_argument(
        "--python", metavar="PATH", help="the Python that has torch and triton (default: this one)"
    )
    return parser


def run_arguments(argv: list[str]) -> argparse.Namespace:
    """The arguments of ``run``; ``script`` is the program and all that follows it, untouched."""
    parser = run_parser()
    valued = {
        option
        for action in parser._actions
        if action.nargs != 0
        for option in action.option_strings
    }
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "-m":
        at += 2 if argv[at] in valued else 1
    arguments = parser.parse_args(argv[:at])
    arguments.script = argv[at:]
    if len(arguments.script) < (2 if arguments.script[:1] == ["-m"] else 1):
        parser.error("name the script to run, or -m and a module")
    return arguments
