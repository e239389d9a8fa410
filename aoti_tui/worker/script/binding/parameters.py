"""Which value a launch gives each parameter, by the rules of triton's own binder."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

# Beside a target's own options (triton/backends/nvidia/compiler.py, CUDAOptions, and amd's).
_OPTIONS = frozenset(
    [
        *("num_warps", "num_stages", "num_ctas", "warp_size", "maxnreg", "cluster_dims", "arch"),
        *("ptx_version", "ptx_options", "ir_override", "extern_libs", "debug", "backend_name"),
        *("enable_fp_fusion", "enable_reflect_ftz", "allow_flush_denorm", "sanitize_overflow"),
        *("launch_cooperative_grid", "launch_cluster", "launch_pdl", "instrumentation_mode"),
        *("supported_fp8_dtypes", "deprecated_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes"),
        *("default_dot_input_precision", "allowed_dot_input_precisions"),
        *("max_num_imprecise_acc_default", "optimize_epilogue", "minRegAutoWS", "maxRegAutoWS"),
        *("num_buffers_warp_spec", "num_consumer_groups", "reg_dec_producer", "reg_inc_consumer"),
        *("waves_per_eu", "matrix_instr_nonkdim", "kpack", "schedule_hint"),
    ]
)


@dataclass(frozen=True)
class Given:
    """`values` by parameter in the order of the definition; `options` are the compiler's."""

    values: dict[str, Any]
    options: dict[str, Any]


def given(jit: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
    """Positional, keyword and default values of a launch, and the options beside them.

    Raises TypeError for a missing or doubled argument and KeyError for an unknown one, as
    triton's binder does (triton/runtime/jit.py, create_function_from_signature, _pack_args).
    """
    signature: inspect.Signature = jit.signature
    names = signature.parameters
    options = {name: value for name, value in kwargs.items() if name not in names}
    own = {name: value for name, value in kwargs.items() if name in names}
    try:
        bound = signature.bind(*args, **own)
    except TypeError as error:
        raise TypeError(f"{jit.fn.__name__}() {error}") from None
    for name in options:
        if name not in _OPTIONS:
            raise KeyError(f"Keyword argument {name} was specified but unrecognised")
    bound.apply_defaults()
    return Given(dict(bound.arguments), options)


def grid_of(grid: Any, values: dict[str, Any]) -> tuple[int, int, int]:
    """The grid as three numbers; a function of the arguments is called."""
    if callable(grid):
        grid = grid(values)
    sizes = tuple(grid)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"a grid has one to three dimensions, not {len(sizes)}")
    x, y, z = (*(int(n) for n in sizes), *(1,) * (3 - len(sizes)))
    return x, y, z
