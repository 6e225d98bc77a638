"""The fixtures. ``@pytest.mark.bowsprit(nodes=3, parts="server")`` says what the cluster of a test is to be."""

from __future__ import annotations

from typing import Iterator

import pytest

from .cluster import Cluster, start


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "bowsprit(nodes=1, parts=None, flags=()): what the cluster of this test is to be")


@pytest.fixture
def bowsprit(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster of this test alone."""
    marker = request.node.get_closest_marker("bowsprit")
    with start(**({} if marker is None else marker.kwargs)) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def bowsprit_session() -> Iterator[Cluster]:
    """One cluster for all tests of the run (of each worker, with pytest-xdist)."""
    with start() as cluster:
        yield cluster
