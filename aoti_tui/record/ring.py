"""The ring that a process writes: a file of fixed size in shared memory, which outlives it."""

from __future__ import annotations

import errno
import mmap
import os
import struct
import time
from pathlib import Path

from . import layout

ENTRIES = 2048
"""Calls that the host can be ahead of the device: a stream takes about a thousand launches."""
NOTES = 8 << 20
_LEAST = 1 << 20
_U64 = struct.Struct("<Q")
_U32 = struct.Struct("<I")


class Ring:
    """One process's ring at ``path``. Raises OSError where there is no room for it; it takes half
    of what there is then, and a quarter, before it gives up."""

    def __init__(self, path: Path, slots: int, total: int) -> None:
        self.slots = slots
        while True:
            self.slot_bytes = max(total // slots // 4096 * 4096, 4096)
            try:
                self._make(path)
                break
            except OSError as error:
                path.unlink(missing_ok=True)
                if error.errno not in (errno.ENOSPC, errno.EDQUOT) or total // 2 < _LEAST:
                    raise
                total //= 2
        self.path = path
        self._next_note = self.notes_at
        self.begun = 0

    def _make(self, path: Path) -> None:
        self.entries_at, self.notes_at, self.slots_at, size = layout.places(
            self.slots, self.slot_bytes, ENTRIES, NOTES
        )
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            # A page that cannot be had later would end the program: all of them are taken now.
            os.posix_fallocate(file, 0, size)
            self.memory = mmap.mmap(file, size)
        finally:
            os.close(file)
        self.size = size
        layout.HEADER.pack_into(
            self.memory, 0, layout.MAGIC, layout.VERSION, self.slots, self.slot_bytes, ENTRIES, 0,
            self.entries_at, self.notes_at, NOTES, self.slots_at, 0, 0, layout.RUNNING,
        )  # fmt: skip

    def slot_at(self, slot: int) -> int:
        return self.slots_at + slot * self.slot_bytes

    def stamp_at(self, slot: int) -> int:
        return layout.STAMPS + slot * layout.STAMP_STRIDE

    def stamp_of(self, slot: int) -> tuple[int, int]:
        """The calls whose copies into a slot were begun and ended last."""
        begun, ended = layout.STAMP.unpack_from(self.memory, self.stamp_at(slot))
        return begun, ended

    def stamp(self, slot: int, number: int, *, ended: bool) -> None:
        """Stamp a slot at once, for data that the host copied."""
        _U64.pack_into(self.memory, self.stamp_at(slot) + (8 if ended else 0), number)

    def begin(self, note: bytes, site: int, slot: int, stream: int, thread: int) -> int:
        """A new call; its number, from 1 on."""
        number = self.begun + 1
        length = len(note) + layout.NOTE.size
        place = self._next_note
        if place + length > self.notes_at + NOTES:
            place = self.notes_at
        if length <= NOTES:
            layout.NOTE.pack_into(self.memory, place, number)
            self.memory[place + layout.NOTE.size : place + length] = note
            self._next_note = place + (length + 7) // 8 * 8
        else:
            length = layout.NOTE.size
        layout.ENTRY.pack_into(
            self.memory, self._entry_at(number), number, place, length - layout.NOTE.size, site,
            slot, layout.BEGUN, stream, thread, time.time(),
        )  # fmt: skip
        self.begun = number
        _U64.pack_into(self.memory, layout.BEGUN_AT, number)
        return number

    def end(self, number: int, state: int) -> None:
        """How a call ended."""
        at = self._entry_at(number)
        if _U64.unpack_from(self.memory, at)[0] == number:
            _U32.pack_into(self.memory, at + _STATE_IN_ENTRY, state)
        if state == layout.FAILED:
            _U64.pack_into(self.memory, layout.FAILED_AT, number)

    def set_state(self, state: int) -> None:
        _U32.pack_into(self.memory, layout.STATE_AT, state)

    def _entry_at(self, number: int) -> int:
        return self.entries_at + number % ENTRIES * layout.ENTRY_STRIDE


_STATE_IN_ENTRY = struct.calcsize("<QQIIi")
