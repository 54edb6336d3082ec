# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Fixtures of the tests of the network package."""

from __future__ import annotations

import selectors

import pytest

from kreactor.jdk import nio_selector
from kreactor.jdk.bounded_epoll_selector import BoundedEpollSelector

SELECTOR_CLASSES = [
    getattr(selectors, name)
    for name in ("EpollSelector", "KqueueSelector", "DevpollSelector", "PollSelector", "SelectSelector")
    if hasattr(selectors, name)
] + ([BoundedEpollSelector] if BoundedEpollSelector.is_available() else [])


@pytest.fixture(params=SELECTOR_CLASSES, ids=lambda cls: cls.__name__)
def selector_class(request, monkeypatch) -> type[selectors.BaseSelector]:
    """Make every selector opened in the test one of this class, for each class that the host has."""
    cls = request.param
    monkeypatch.setattr(
        nio_selector.Selector, "open", staticmethod(lambda: nio_selector.Selector(cls())))
    return cls
