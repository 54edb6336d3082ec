# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of ``tests/core/network/test_drain.py`` with the fast classes."""

import pytest

from tests.core.network.conftest import servers
from tests.core.network.test_drain import *  # noqa: F401, F403

__all__ = ["servers"]

pytestmark = pytest.mark.usefixtures("fast_server")
