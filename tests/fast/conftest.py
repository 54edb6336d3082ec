# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Fixtures that put the fast classes where the tests of the port make others."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.common.network.selector import Selector
from kreactor.core.network import request_channel
from kreactor.fast.request_queue import OneAtATimeQueue
from kreactor.fast.selector import FastSelector
from tests.common.network import network_test_utils
from tests.core.network import testable_server


class FastTestableSelector(testable_server.TestableSelector, FastSelector):
    """A testable selector that is fast."""

    __test__ = False


@pytest.fixture
def selector_class(monkeypatch: pytest.MonkeyPatch) -> type[Selector]:
    """Make the selectors of a test fast, as those of ``tests/common/network`` are of each class."""
    monkeypatch.setattr(network_test_utils, "Selector", FastSelector)
    return FastSelector


@pytest.fixture
def fast_server(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make the servers of a test fast."""
    monkeypatch.setattr(testable_server, "TestableSelector", FastTestableSelector)
    monkeypatch.setattr(request_channel, "ArrayBlockingQueue", OneAtATimeQueue)
