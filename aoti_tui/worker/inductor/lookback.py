"""Inductor's split scans: each program continues from the prefix the one before has published."""

from __future__ import annotations

from typing import Any

from ..engine.errors import Unsupported
from ..engine.findings.kernel_frames import kernel_place
from ..engine.language.language import Language
from ..engine.values.handle import plain


class Lookback:
    """The helpers of a decoupled look-back scan (torch/_inductor/runtime/triton_helpers.py)."""

    _language: Language

    def pack_value_flag(self, value: Any, flag: Any, unsigned: Any, packed: Any) -> Any:
        unsigned, packed = plain(unsigned), plain(packed)
        bits = value.to(unsigned, bitcast=True).to(packed)
        return flag.to(packed) | (bits << unsigned.primitive_bitwidth)

    def unpack_value(self, pack: Any, dtype: Any, unsigned: Any) -> Any:
        dtype, unsigned = plain(dtype), plain(unsigned)
        bits = (pack >> unsigned.primitive_bitwidth).to(unsigned)
        return bits.to(dtype, bitcast=True)

    def unpack_flag(self, pack: Any, dtype: Any) -> Any:
        return pack.to(plain(dtype))

    def exclusive_scan_decoupled_lookback(
        self,
        scratch_base: Any,
        block_value: Any,
        index: Any,
        combine_fn: Any,
        DTYPE_VALUE_AS_UINT: Any,
        DTYPE_PACK: Any,
    ) -> Any:
        """Programs run in order, so the one before has always published its prefix."""
        tl = self._language.tl
        unsigned, packed = plain(DTYPE_VALUE_AS_UINT), plain(DTYPE_PACK)
        dtype = block_value.dtype
        position = int(index)
        exclusive = tl.zeros([], dtype)
        inclusive = block_value
        if position > 0:
            pack = tl.load(scratch_base + (position - 1))
            self._published(int(self.unpack_flag(pack, unsigned)))
            exclusive = self.unpack_value(pack, dtype, unsigned)
            inclusive = combine_fn(exclusive, block_value)
        flag = tl.full([], 2, unsigned)
        tl.store(scratch_base + position, self.pack_value_flag(inclusive, flag, unsigned, packed))
        return exclusive

    def exclusive_scan_decoupled_lookback_64(
        self, scratch_base: Any, block_value: Any, index: Any, combine_fn: Any
    ) -> Any:
        """The same for values of 64 bits: flag, block sum and prefix are three words."""
        tl = self._language.tl
        position = int(index)
        exclusive = tl.zeros([], block_value.dtype)
        inclusive = block_value
        if position > 0:
            before = scratch_base + 3 * (position - 1)
            self._published(int(tl.load(before)))
            exclusive = tl.load(before + 2).to(block_value.dtype, bitcast=True)
            inclusive = combine_fn(exclusive, block_value)
        tl.store(scratch_base + 3 * position + 2, inclusive.to(tl.uint64, bitcast=True))
        tl.store(scratch_base + 3 * position, tl.full([], 2, tl.uint64))
        return exclusive

    def _published(self, flag: int) -> None:
        if flag != 2:
            raise Unsupported(
                "the scan's scratch memory holds no prefix of the program before: "
                "it must be zeroed and all earlier programs run first",
                kernel_place(),
            )
