# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Part of coverage_by_branch: a plugin of pytest that measures its own process, a worker or not.

``-p`` imports it before anything of kreactor. setup.cfg has the settings, ``COVERAGE_FILE`` names the data:
each process writes a file of its own, whose name begins so.
"""

from __future__ import annotations

import coverage
import pytest

_measured = coverage.Coverage(data_suffix=True)
_measured.start()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Write the data after the last fixture. pytest-xdist may interrupt a worker behind this hook."""
    _measured.stop()
    _measured.save()
