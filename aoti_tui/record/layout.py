"""The ring's file: what stands where. ``aoti_record.h`` writes the same, and the program that
builds the bundle reads it, also after the process was killed.

=================  ==================================================================
0                  header: :data:`HEADER`
:data:`STAMPS`     one :data:`STAMP` a slot: the call whose data it is, written by the GPU itself
                   before and after the copies, in the order of the stream
``entries_at``     one :data:`ENTRY` a call, by its number modulo their count
``notes_at``       what the entries point to, as JSON: a ring of bytes
``slots_at``       the data, ``slots`` × ``slot_bytes``
=================  ==================================================================

The entries are written when the call is made, the data when the GPU gets to it, which can be
hundreds of calls later: that is why both are numbered, and why there are more entries than slots.
All numbers are little-endian.
"""

from __future__ import annotations

import struct

MAGIC = b"AOTIRING"
VERSION = 1
HEADER = struct.Struct("<8sIIQIIQQQQQQI")
"""magic, version, slots, slot_bytes, entries, 0, entries_at, notes_at, notes_bytes, slots_at,
calls begun, number of the call that raised (0: none), :data:`RUNNING` …"""
BEGUN_AT = struct.calcsize("<8sIIQIIQQQQ")
FAILED_AT = BEGUN_AT + 8
STATE_AT = FAILED_AT + 8
STAMPS = 4096
STAMP = struct.Struct("<QQ")
STAMP_STRIDE = 64
"""Bytes from a slot's stamp to the next: a cache line, as the GPU writes them."""
ENTRY = struct.Struct("<QQIIiIQQd")
"""number, place of its note, the note's length, site, slot (-1: no data), :data:`BEGUN` …, stream,
thread, time (seconds since 1970)"""
ENTRY_STRIDE = 64
NOTE = struct.Struct("<Q")
"""The number of the call, in front of its note: a note that was overwritten has another."""
ALIGNMENT = 256

RUNNING, ENDED, RAISED, FROZEN = range(4)
"""State of the process: it runs (or was killed), ended well, ended by an exception, or recording
stopped since the device's context is gone."""
BEGUN, RETURNED, FAILED = range(3)
"""State of a call; that it returned says nothing of what the GPU did then."""


def places(
    slots: int, slot_bytes: int, entries: int, notes_bytes: int
) -> tuple[int, int, int, int]:
    """Where entries, notes and slots begin, and the size of the file."""
    entries_at = _up(STAMPS + slots * STAMP_STRIDE)
    notes_at = _up(entries_at + entries * ENTRY_STRIDE)
    slots_at = _up(notes_at + notes_bytes)
    return entries_at, notes_at, slots_at, slots_at + slots * slot_bytes


def _up(place: int) -> int:
    return (place + 4095) // 4096 * 4096
