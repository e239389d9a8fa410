"""The cures of triton's interpreter, and for each a proof that it is still needed.

CURES is the list. Each row names what the stock interpreter gets wrong (seen with triton 3.7.1 and
torch 2.13.0), the upstream file that does it, and what of the worker stands in for it. When a
row's test fails, this triton does it right: what stands in may go once the oldest triton that
the worker supports is as new.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

STOCK = Path(__file__).parent / "stock.py"


@dataclass(frozen=True)
class Cure:
    """`right`: what a GPU gives for the probe of that name in stock.py."""

    probe: str
    right: Any
    fault: str
    upstream: str
    cure: str


INTERPRETER = "triton/runtime/interpreter.py"
HELPERS = "torch/_inductor/runtime/triton_helpers.py"
CURES = (
    Cure(
        "device_assert",
        "an assertion",
        "tl.device_assert is ignored: InterpreterOptions.debug is False, even under TRITON_DEBUG=1",
        INTERPRETER,
        "engine/language/language.py: _device_assert",
    ),
    Cure(
        "libdevice_sqrt",
        2.0,
        "libdevice's functions are stubs that give None",
        "triton/language/extra/libdevice.py",
        "engine/library/libdevice.py",
    ),
    Cure(
        "bfloat16_cast",
        1.0078125,
        "conversions to bfloat16 cut bits off instead of rounding",
        INTERPRETER,
        "engine/numbers/floats.py: round_bfloat16",
    ),
    Cure(
        "bfloat16_constant",
        0.10009765625,
        "bfloat16 has no constants: the builder lacks get_bf16",
        INTERPRETER,
        "engine/operations/builder.py: CONSTANTS",
    ),
    Cure(
        "float8_cast",
        448.0,
        "conversions to 8-bit floats wrap where the hardware saturates",
        INTERPRETER,
        "engine/numbers/floats.py: round_to",
    ),
    Cure(
        "integer_cast",
        2147483647.0,
        "floats beyond an integer type become what numpy makes of them, no saturation",
        INTERPRETER,
        "engine/numbers/casts.py",
    ),
    Cure(
        "wide_scalar",
        10_000_000_000,
        "a Python integer is an int32, whatever type its parameter is declared to have",
        INTERPRETER,
        "service/binding.py: signature types",
    ),
    Cure(
        "generic_reduce",
        8,
        "tl.reduce calls its combine function once per element, not once per level of a tree",
        INTERPRETER,
        "engine/library/reductions.py",
    ),
    Cure(
        "load_outside",
        "a fault",
        "a load outside of its tensor gives what lies there, or ends the process",
        INTERPRETER,
        "engine/memory/",
    ),
    Cure(
        "boolean_and",
        [0, 1, 1, 0],
        "`a and b` of blocks is decided once for all lanes",
        INTERPRETER,
        "source/rewrite.py, engine/language/control.py",
    ),
    Cure(
        "builtin_min",
        [0, 1, 1, 0],
        "min and max of blocks are decided once for all lanes",
        INTERPRETER,
        "engine/language/language.py: builtins",
    ),
    Cure(
        "if_mask",
        3.0,
        "if_mask needs a _semantic that it is not given",
        HELPERS,
        "inductor/helpers.py: if_mask",
    ),
    Cure(
        "next_power_of_2",
        8.0,
        "constexpr_next_power_of_2 needs a _semantic that it is not given",
        HELPERS,
        "inductor/helpers.py: constexpr_next_power_of_2",
    ),
    Cure(
        "grid_barrier",
        "met",
        "x_grid_barrier never ends or fails: programs run one after another",
        HELPERS,
        "engine/programs/barrier.py",
    ),
    Cure(
        "set_driver",
        "set",
        "set_driver_to_gpu, which stands in every wrapper, fails where there is no GPU",
        HELPERS,
        "inductor/namespaces.py: harmless",
    ),
)


@pytest.fixture(scope="module")
def stock() -> dict[str, Any]:
    """What the stock interpreter does, all probes in one process."""
    done = subprocess.run(
        [sys.executable, str(STOCK)], capture_output=True, text=True, timeout=120, check=True
    )
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize("cure", CURES, ids=lambda cure: cure.probe)
def test_the_stock_interpreter_still_needs_it(stock: dict[str, Any], cure: Cure) -> None:
    assert stock["seen"][cure.probe] != cure.right, (
        f"triton {stock['triton']}, torch {stock['torch']}: no longer true that {cure.fault} "
        f"({cure.upstream}); {cure.cure} can go when no older release is supported"
    )


def test_every_probe_belongs_to_a_cure(stock: dict[str, Any]) -> None:
    assert set(stock["seen"]) == {cure.probe for cure in CURES}
