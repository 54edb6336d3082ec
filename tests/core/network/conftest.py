# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Fixtures of the tests of the socket server."""

from __future__ import annotations

from typing import Iterator

import pytest

from tests.core.network.servers import Servers, clear_yammer_metrics


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    """Make servers and clients; afterwards nothing of them may be left."""
    clear_yammer_metrics()
    made = Servers(monkeypatch)
    try:
        yield made
    finally:
        made.close()
        clear_yammer_metrics()
