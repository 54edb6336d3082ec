# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The fixture of the tests of the log."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here pulls the plug: what the kernel has is as good as what the disk has."""
    for name in ("fsync", "fdatasync"):
        if hasattr(os, name):
            monkeypatch.setattr(os, name, lambda fd: None)
