"""The stock interpreter on one kernel, as a program of its own: prints the seconds of each round.

``python -m tests.bench.stock NUMBER ROUNDS``; the source has to be a file for ``triton.jit``.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.kernels import KERNELS


def main() -> None:
    os.environ["TRITON_INTERPRET"] = "1"
    import torch

    kernel = KERNELS[int(sys.argv[1])]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stock_kernel.py"
        path.write_text(kernel.source)
        spec = importlib.util.spec_from_file_location("stock_kernel", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        tensors = {}
        for name, (count, dtype) in kernel.tensors.items():
            kind = getattr(torch, dtype)
            tensors[name] = (
                torch.randint(0, 1024, (count,), dtype=kind)
                if dtype == "int64"
                else torch.rand(count, dtype=kind)
            )
        module.kernel[(1, 1, 1)](**tensors, **kernel.numbers, **kernel.blocks)
        for _ in range(int(sys.argv[2])):
            start = time.perf_counter()
            module.kernel[kernel.grid](**tensors, **kernel.numbers, **kernel.blocks)
            print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
