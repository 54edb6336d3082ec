# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A sample of the faults that tools/fault_sweep injects, and that it finds what is lost."""

from __future__ import annotations

import pytest

from kreactor.testing import Broker
from tests.tools.scripts import load

fault_sweep = load("fault_sweep")


def test_a_sample():
    result = fault_sweep.sweep(seed=3, injections=4, per_broker=4, told=lambda _: None,
                               calls=("accept", "recv_into"))
    assert result.problems == []
    assert sum(result.fired.values()) >= 4
    assert result.acknowledged > 0


@pytest.fixture
def broker():
    with Broker() as made:
        made.create_topic(fault_sweep.TOPIC, partitions=fault_sweep.PARTITIONS)
        yield made


def verify(broker, *workers):
    for worker in workers:
        worker.client.close()
    client = fault_sweep.Client(broker.port)
    try:
        fault_sweep.Sweep(0, 1, None, ()).verify(client, workers)
    finally:
        client.close()


@pytest.mark.parametrize("kind", [fault_sweep.Plain, fault_sweep.Idempotent])
def test_what_is_lost_is_found(broker, kind):
    worker = kind(fault_sweep.Client(broker.port))
    worker.step()
    worker.step()
    verify(broker, worker)
    worker.acknowledged[1] = b"another"
    with pytest.raises(fault_sweep.Failed, match="lost of 2 acknowledged records"):
        verify(broker, worker)


def test_a_record_that_is_there_twice_is_found(broker):
    worker = fault_sweep.Idempotent(fault_sweep.Client(broker.port))
    worker.step()
    worker.producer_id, worker.number = -1, 0
    worker.step()
    with pytest.raises(fault_sweep.Failed, match="there twice"):
        verify(broker, worker)
