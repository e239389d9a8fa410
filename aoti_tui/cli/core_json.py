"""A GPU core dump as JSON."""

from __future__ import annotations

from typing import Any

from aoti_tui.artifacts.core_dump.model import CoreDump, Device, FailedThreads, KernelLaunch
from aoti_tui.failure.prose.words import plural


def info_json(dump: CoreDump) -> dict[str, Any]:
    """The contract of ``core FILE --info --json``."""
    return {
        "device": device_words(dump.devices[0]) if dump.devices else None,
        "driver": dump.driver or None,
        "kernels": [
            {**launch_json(launch), "exceptions": exceptions_json(dump.failed_of(launch))}
            for launch in dump.launches
        ],
        "memory": {
            "ranges": [{"address": one.address, "bytes": one.size} for one in dump.memory],
            "bytes": dump.memory_bytes,
        },
        "damage": list(dump.damage),
    }


def launch_json(launch: KernelLaunch) -> dict[str, Any]:
    return {
        "name": launch.name,
        "grid": list(launch.grid),
        "block": list(launch.block),
        "parameters": [
            {"name": f"param_{one.position}", "bytes": one.size, "value": one.unsigned}
            for one in launch.parameters
        ],
    }


def exceptions_json(failed: tuple[FailedThreads, ...]) -> list[dict[str, Any]]:
    return [
        {
            "block": list(one.block),
            "threads": [list(thread) for thread in one.threads],
            "kind": one.kind,
            **({"file": one.at.file, "line": one.at.line} if one.at is not None else {}),
        }
        for one in failed
    ]


def device_words(device: Device) -> str:
    name = device.name or "a GPU"
    return f"{name}, {device.architecture}, {plural(device.multiprocessors, 'multiprocessor')}"
