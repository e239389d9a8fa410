from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.workers import shared_worker


@pytest.fixture(scope="session", autouse=True)
def _worker_ends() -> Iterator[None]:
    yield
    if shared_worker.cache_info().currsize:
        shared_worker().close()
