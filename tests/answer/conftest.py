from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aoti_tui.answer.incident import Incident
from aoti_tui.replay.client import WorkerClient
from tests.answer.wrappers import opened

Made = Callable[..., Incident]
"""Opens a wrapper's text with a log and inputs, with the real worker."""


@pytest.fixture(scope="session")
def worker() -> Iterator[WorkerClient]:
    """One worker for all tests here: importing torch takes seconds."""
    client = WorkerClient()
    yield client
    client.close()


@pytest.fixture
def made(worker: WorkerClient, tmp_path: Path) -> Made:
    return lambda *parts: opened(worker, tmp_path, *parts)
