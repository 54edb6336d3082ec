# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker that all tests of this folder share, and the clients, one after the other."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tests.clients.broker_process import BrokerProcess
from tests.clients.client import PARTITIONS, Client
from tests.clients.clients import CLIENTS, FIRST


@pytest.fixture(scope="package")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker that all share; at its end it must have had nothing to complain of."""
    with BrokerProcess(tmp_path_factory.mktemp("broker")) as process:
        yield process
        process.stop()
    assert process.complaints() == ""


@pytest.fixture
def topic(broker: BrokerProcess) -> Iterator[str]:
    """A topic of the test's own, which goes with it."""
    name = f"topic-{uuid.uuid4()}"
    admin = FIRST(broker.address)
    admin.create_topic(name, len(PARTITIONS))
    yield name
    admin.delete_topic(name)
    assert name not in admin.metadata().topics


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest, broker: BrokerProcess) -> Client:
    """A client of the shared broker."""
    client: Client = request.param(broker.address)
    return client
