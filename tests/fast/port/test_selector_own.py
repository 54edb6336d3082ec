# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of ``tests/common/network/test_selector_own.py`` with the fast classes."""

import pytest

from tests.common.network.test_selector_own import *  # noqa: F401, F403

pytestmark = pytest.mark.usefixtures("selector_class")
