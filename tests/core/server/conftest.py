# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.core.server.conversation import connector
from tests.core.server.wire import Wire


@pytest.fixture(scope="session")
def oracle() -> Callable[[], Wire]:
    """Return what connects to a live Kafka."""
    address = os.environ.get("KREACTOR_ORACLE")
    if address is None:
        pytest.skip("needs a Kafka 3.8.0, named by KREACTOR_ORACLE=host:port")
    return connector(address)
