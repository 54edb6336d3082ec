# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The requests that a broker keeps: a number of them, and a number of bytes."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from kreactor.testing import received
from kreactor.testing.received import ReceivedRequest, RequestLog


def request(size: int) -> ReceivedRequest:
    return Mock(spec=ReceivedRequest, size=size)


@pytest.mark.parametrize("max_requests, size, kept", [
    (1_000_000, 1 << 20, 64), (1_000_000, 1 << 26, 1), (1_000_000, (1 << 26) + 1, 0), (3, 1 << 20, 3)])
def test_the_newest_requests_of_64_mib_are_kept(max_requests: int, size: int, kept: int) -> None:
    log = RequestLog(max_requests)
    added = [request(size) for _ in range(70)]
    for each in added:
        log.add(each)
    assert log.find(None, None) == added[len(added) - kept:]


def test_requests_that_were_removed_count_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(received, "_MAX_BYTES", 10)
    log = RequestLog(100)
    log.add(request(10))
    log.clear()
    assert not log.find(None, None)
    last = request(10)
    log.add(last)
    assert log.find(None, None) == [last]
