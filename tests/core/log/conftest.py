# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Fixtures of the log's tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.log.managed_log import ManagedLog
from tests.core.log.support import Logs
from tests.storage.internals.log.support import LogHarness, log_config


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here pulls the plug: what the kernel has is as good as what the disk has."""
    for name in ("fsync", "fdatasync"):
        if hasattr(os, name):
            monkeypatch.setattr(os, name, lambda fd: None)


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Logs]:
    made = Logs(tmp_path)
    yield made
    made.dispose()


@pytest.fixture
def with_config(tmp_path: Path) -> Iterator[Callable[..., LogHarness]]:
    """A function that makes a harness of the log in the test's folder, with these settings."""
    made = []

    def make(**settings: object) -> LogHarness:
        made.append(LogHarness(str(tmp_path), log_config(**settings)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for harness in made:
        harness.dispose()


@pytest.fixture
def managed_log(tmp_path: Path) -> Iterator[Callable[..., ManagedLog]]:
    """A function that makes a log that LogManager manages, with these settings."""
    made = []

    def make(**settings: object) -> ManagedLog:
        made.append(ManagedLog(tmp_path, log_config(**settings)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for managed in made:
        managed.dispose()
