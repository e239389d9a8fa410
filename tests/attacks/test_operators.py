"""Operators that a wrapper names: only pure computations on tensors are run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from aoti_tui.worker.service.operators import RUN, is_run, takes_tensors_and_numbers
from tests.worker.talking import Talk

CALLED = """
addmm amax bmm clamp_min convolution cumsum div embedding eq exp expand full gather index index_put
index_put_ log masked_select mean mm mul ne neg nonzero permute randint reshape scalar_tensor select
squeeze sub sum tanh topk unsqueeze view where sort cat constant_pad_nd max_pool2d_with_indices
native_dropout native_layer_norm scatter_add searchsorted bucketize baddbmm _int_mm _scaled_mm
convolution_backward _softmax _log_softmax index_select repeat_interleave unique_consecutive
_embedding_bag _foreach_add _foreach_mul zero_ copy_ fill_ rand randn randperm bernoulli_ kthvalue
cummax _cdist_forward _unsafe_index_put avg_pool2d upsample_nearest2d grid_sampler_2d
scatter_reduce_ linalg_vector_norm _fft_r2c histc bincount _local_scalar_dense
"""
"""What generated wrappers of five torch releases call outside of their kernels."""


@pytest.mark.parametrize("name", CALLED.split())
def test_what_wrappers_call_is_run(name: str) -> None:
    assert is_run(name)
    overloads = getattr(torch.ops.aten, name).overloads()
    schemas = [getattr(getattr(torch.ops.aten, name), one)._schema for one in overloads]
    assert any(takes_tensors_and_numbers(schema) for schema in schemas)


def test_every_listed_name_is_an_operator() -> None:
    missing = [name for name in RUN if not hasattr(torch.ops.aten, name)]
    # A few came or went with a release; a list of misspelt names would protect nobody.
    assert len(missing) < 5, missing


OTHERS = """
from_file set_ set_data resize_ resize_as_ cuda pin_memory as_tensor sparse_coo_tensor
mkldnn_convolution _cudnn_init_dropout_state backward quantize_per_tensor _pin_memory data
requires_grad_
"""


@pytest.mark.parametrize("name", OTHERS.split())
def test_others_are_not(name: str) -> None:
    assert not is_run(name)


@pytest.mark.parametrize("op", ["aoti_torch_cuda_from_file", "aoti_torch_from_file", "from_file"])
def test_a_file_is_neither_made_nor_changed(worker: Talk, tmp_path: Path, op: str) -> None:
    kept, new = tmp_path / "kept", tmp_path / "new"
    kept.write_bytes(b"mine")
    for path in (kept, new):
        args: list[dict[str, Any]] = [{"string": str(path)}, {"bool": True}, {"int": 64}]
        aten = None if op.startswith("aoti") else "aten.from_file.default"
        reply = worker.fail("extern", op=op, aten=aten, args=args, outputs=["out"])
        assert reply["kind"] == "unsupported"
        assert "no op from_file is among those that are run" in reply["message"]
    assert kept.read_bytes() == b"mine"
    assert not new.exists()


def test_a_size_beyond_memory_is_refused_before_anything_is_allocated(worker: Talk) -> None:
    sizes = {"ints": [1 << 20, 1 << 20, 64]}
    reply = worker.fail(
        "extern", op="aoti_torch_cuda_full", args=[sizes, {"int": 1}], outputs=["out"]
    )
    assert "no memory" in reply["message"]
    worker.ask("zeros", name="x", shape=[4], stride=None, dtype="float32")
    reply = worker.fail(
        "extern",
        op="aoti_torch_cuda_repeat",
        args=[{"tensor": "x"}, {"ints": [1 << 44]}],
        outputs=["out"],
    )
    assert "no memory" in reply["message"]


@pytest.mark.parametrize("shape", [[1 << 70], [1 << 40, 1 << 40], [1 << 45], [-1]])
def test_a_buffer_beyond_memory_is_refused(worker: Talk, shape: list[int]) -> None:
    reply = worker.fail("zeros", name="x", shape=shape, stride=None, dtype="float32")
    assert reply["kind"] == "bad-request"


def test_memory_that_an_operator_leaves_unwritten_is_said_to_be_so(worker: Talk) -> None:
    reply = worker.ask("extern", op="aoti_torch_cuda_empty", args=[{"ints": [4]}], outputs=["out"])
    assert "nothing has written" in reply["flags"][0]
