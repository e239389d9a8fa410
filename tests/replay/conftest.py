"""Sessions with the real worker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from aoti_tui.artifacts.given import Given
from aoti_tui.index.model import WrapperIndex
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.session import ReplaySession
from tests.workers import shared_worker

from .models import DEMO, Opened, demo_index


@pytest.fixture(scope="session")
def worker() -> WorkerClient:
    return shared_worker()


@pytest.fixture
def opened(worker: WorkerClient) -> Iterator[Opened]:
    """Opens sessions and closes them after the test."""
    sessions: list[ReplaySession] = []

    def open_session(index: WrapperIndex, **options: Any) -> ReplaySession:
        session = ReplaySession(index, Given(**options), client=worker)
        sessions.append(session)
        return session

    yield open_session
    for session in sessions:
        session.close()


@pytest.fixture(scope="module")
def demo(worker: WorkerClient) -> Iterator[ReplaySession]:
    """The demo with its failing inputs, the same session for a whole module."""
    inputs = DEMO / "inputs.empty_weights.pt"
    with ReplaySession(demo_index(), Given(inputs=inputs), client=worker) as session:
        yield session
