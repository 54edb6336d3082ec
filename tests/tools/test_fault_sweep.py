# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A sample of the faults that tools/fault_sweep injects, and that it finds what is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kreactor.testing import Broker
from tests.tools.scripts import TOOLS, load

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


def test_logs_that_are_offline_are_found(broker):
    assert fault_sweep.offline_logs(broker.port) == []
    partition, _ = broker.server().replica_manager()._by_name[fault_sweep.TOPIC, 2]
    partition.log()._go_offline("a test says so")
    assert fault_sweep.offline_logs(broker.port) == ["faults-2"]


class Told:
    """A process that is told to fail a call, and says that it has."""

    def __init__(self, port):
        self.port = port
        self.process = self
        self.said = fault_sweep.queue.Queue()

    def arm(self, call, error, occurrence):
        self.said.put(f"FAULT {call} {error} here")

    def poll(self):
        return None


@pytest.mark.parametrize("call, goes_on", [("fsync", False), ("memory", None)])
def test_a_transaction_that_waits_for_an_offline_log(broker, monkeypatch, call, goes_on):
    """It is answered CONCURRENT_TRANSACTIONS, as in Kafka: nothing there says that a log is offline."""
    monkeypatch.setattr(fault_sweep, "PATIENCE_S", 0.1)
    worker = fault_sweep.Transactional(fault_sweep.Client(broker.port))
    worker.last_error = fault_sweep.Refused(fault_sweep.Errors.CONCURRENT_TRANSACTIONS)
    partition, _ = broker.server().replica_manager()._by_name[fault_sweep.TOPIC, 2]
    partition.log()._go_offline("a test says so")
    sweep = fault_sweep.Sweep(0, 1, None, (call,))
    if goes_on is None:
        with pytest.raises(fault_sweep.Failed, match="stopped, or a log"):
            sweep._inject(Told(broker.port), [worker])
    else:
        assert sweep._inject(Told(broker.port), [worker]) is goes_on
    assert sweep.what.startswith(call)


def test_of_two_steps_the_second_has_begun_after_the_fault(monkeypatch):
    monkeypatch.setattr(fault_sweep, "ANSWER_S", 0.1)
    worker = fault_sweep.Worker(fault_sweep.Client(0))
    worker.done = 6
    with pytest.raises(fault_sweep.Failed, match="does not get on"):
        fault_sweep.Sweep(0, 1, None, ())._wait_for_all(Told(0), [worker], [5])
    worker.done = 7
    assert fault_sweep.Sweep(0, 1, None, ())._wait_for_all(Told(0), [worker], [5])


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += (task / "children").read_text().split()
    return found


def test_its_broker_ends_with_it():
    with subprocess.Popen([sys.executable, TOOLS / "fault_sweep", "--calls", "accept"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        watchdog = threading.Timer(120, process.kill)
        watchdog.start()
        try:
            while not (brokers := children(process.pid)):
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            assert process.wait() == 128 + signal.SIGTERM
        finally:
            watchdog.cancel()
            watchdog.join()
            process.kill()
    assert not [pid for pid in brokers if Path("/proc", pid).exists()]
