"""What is kept of a process: its command, versions, and the settings that change what is compiled
or where; never a variable that could hold a secret."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

_VARIABLES = (
    "RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_PORT", "CUDA_VISIBLE_DEVICES",
    "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_ORDER", "OMP_NUM_THREADS", "LD_PRELOAD",
    "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK",
)  # fmt: skip
_BEGINNINGS = ("TORCHINDUCTOR_", "TORCH_COMPILE", "TORCH_LOGS", "TRITON_", "AOTI_", "AOT_INDUCTOR_",
               "PYTORCH_", "TORCHDYNAMO_", "NCCL_", "CUBLAS_")  # fmt: skip
_SECRET = ("TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "REDIS", "REMOTE")


def environment_kept() -> dict[str, str]:
    """The variables that matter to a compiled kernel."""
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if (name in _VARIABLES or name.startswith(_BEGINNINGS))
        and not name.startswith("AOTI_TUI_")
        and not any(word in name.upper() for word in _SECRET)
    }


def rank_of() -> str | None:
    """The rank of this process among those of its job, as torchrun, mpirun or srun tell it; None
    for one that is no part of a job."""
    for name in ("RANK", "OMPI_COMM_WORLD_RANK"):
        if os.environ.get(name):
            return os.environ[name]
    if os.environ.get("SLURM_STEP_NUM_TASKS", "1") != "1":
        return os.environ.get("SLURM_PROCID")
    return None


def process_facts() -> dict[str, Any]:
    """Facts of this process, as JSON."""
    versions = {"python": platform.python_version()}
    for name in ("torch", "triton", "numpy"):
        module = sys.modules.get(name)
        version = getattr(module, "__version__", None)
        if version is not None:
            versions[name] = str(version)
    torch = sys.modules.get("torch")
    cuda = getattr(getattr(torch, "version", None), "cuda", None)
    if cuda:
        versions["cuda"] = str(cuda)
    return {
        "pid": os.getpid(),
        "rank": rank_of(),
        "program": os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else "",
        "versions": versions,
        "platform": platform.platform(),
        "environment": environment_kept(),
    }
