from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.worker.talking import Talk


@pytest.fixture(scope="session")
def process() -> Iterator[Talk]:
    """One worker for all tests: importing torch is most of what starting one costs."""
    talk = Talk()
    talk.ask("warm")
    yield talk
    assert talk.close() == 0


@pytest.fixture
def worker(process: Talk) -> Talk:
    """The worker with nothing in it."""
    process.ask("reset")
    return process
