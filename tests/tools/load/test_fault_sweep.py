# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A sample of the faults that tools/load/fault_sweep injects, and that it finds what is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from kreactor.common.topic_partition import TopicPartition
from kreactor.testing import Broker
from tests.tools.processes import children, wait_until_ended
from tests.tools.scripts import TOOLS, load

fault_sweep = load("load/fault_sweep")


SETTINGS = {"group.min.session.timeout.ms": "1000", "group.initial.rebalance.delay.ms": "0",
            "offsets.topic.num.partitions": "2", "transaction.state.log.num.partitions": "2"}


def test_a_sample():
    result = fault_sweep.sweep(seed=3, injections=1, per_broker=1, told=lambda _: None,
                               calls=("accept", "recv_into"))
    assert result.problems == []
    assert sum(result.fired.values()) == sum(result.served.values()) == 1
    assert result.acknowledged > 0


def test_a_broker_has_ports_that_no_other_can_have(tmp_path, monkeypatch):
    """A sweep beside this one must not be asked for what this one was acknowledged: the system chooses."""
    commands = []
    popen = subprocess.Popen

    def say_ports(command, **kwargs):
        commands.append(command)
        lines = [f"Listening on {name}://127.0.0.1:{port}" for name, port in (("PLAINTEXT", 11), ("SSL", 12))]
        return popen([sys.executable, "-c", f"print({chr(10).join(lines)!r}, flush=True); input()"], **kwargs)

    monkeypatch.setattr(subprocess, "Popen", say_ports)
    process = fault_sweep.Process(tmp_path, tmp_path / "no key store")
    try:
        process.wait_for_ports()
        assert process.ports == [11, 12]
    finally:
        process.kill()
    assert "listeners=PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0" in commands[0]


class Told:
    """A process that is told to fail a call, and says that it has."""

    def __init__(self, port):
        self.ports = [port]
        self.process = self
        self.said = fault_sweep.queue.Queue()

    def arm(self, call, error, occurrence):
        self.said.put(f"FAULT {call} {error} here")

    def poll(self):
        return None

    def wait_for_ports(self):
        pass


@pytest.fixture
def broker():
    with Broker(properties=SETTINGS) as made:
        fault_sweep.Sweep(0, 1, None, ())._wait_until_ready(Told(made.port))
        yield made


def verify(broker, *workers):
    for worker in workers:
        worker.client.close()
    client = fault_sweep.Client(broker.port)
    try:
        fault_sweep.Sweep(0, 1, None, ()).verify(client, workers)
    finally:
        client.close()


@pytest.mark.parametrize("kind, number", [
    (fault_sweep.Plain, 1), (fault_sweep.Idempotent, 1), (fault_sweep.Transactional, 2)])
def test_what_is_lost_is_found(broker, kind, number):
    worker = kind(fault_sweep.Client(broker.port))
    worker.step()
    worker.step()
    verify(broker, worker)
    worker.acknowledged[number] = b"another"
    with pytest.raises(fault_sweep.Failed, match="lost of 2 acknowledged records"):
        verify(broker, worker)


def test_a_record_that_is_there_twice_is_found(broker):
    worker = fault_sweep.Idempotent(fault_sweep.Client(broker.port))
    worker.step()
    worker.producer_id, worker.number = -1, 0
    worker.step()
    with pytest.raises(fault_sweep.Failed, match="there twice"):
        verify(broker, worker)


@pytest.fixture
def transactional(broker):
    """Five transactions, of which the fourth is aborted."""
    worker = fault_sweep.Transactional(fault_sweep.Client(broker.port))
    for _ in range(5):
        worker.step()
    assert (worker.committed, worker.unknown) == ({1, 2, 3, 5}, set())
    verify(broker, worker)
    # It is fenced by this.
    worker.producer = None
    yield worker
    worker.client.close()


def test_a_record_of_an_aborted_transaction_is_found(broker, transactional):
    transactional.committed.remove(2)
    with pytest.raises(fault_sweep.Failed, match="aborted transactions are seen: .b'Transactional 2 "):
        verify(broker, transactional)


def test_a_commit_that_was_not_answered_may_count_or_not(broker, transactional):
    for number in (1, 5):
        transactional.committed.remove(number)
        transactional.unknown.add(number)
    verify(broker, transactional)
    transactional.unknown.add(6)
    verify(broker, transactional)


def test_another_offset_than_that_of_a_transaction_is_found(broker, transactional):
    transactional.committed.add(6)
    with pytest.raises(fault_sweep.Failed, match="committed offset 6, and 5 is there"):
        verify(broker, transactional)


def test_a_transaction_that_is_open_is_ended(broker, transactional):
    """The next producer ends it, as one that starts after a kill does."""
    transactional.end = lambda *_: None
    transactional.step()
    transactional.committed.remove(6)
    del transactional.acknowledged[max(transactional.acknowledged)]
    verify(broker, transactional)


def partition_of(broker):
    return broker.server().replica_manager().get_partition_or_exception(
        TopicPartition(fault_sweep.TOPIC, 2))


def test_a_transaction_that_nobody_ends_is_found(broker, transactional):
    partition = partition_of(broker)
    log = partition.log()
    log._producer_state.config().transaction_verification_enabled = False
    records = fault_sweep.MemoryRecords.with_transactional_records(
        fault_sweep.Compression.NONE, 77, 0, 0, fault_sweep.record_of(b"Transactional 7 "))
    log.append_as_leader(records, log.latest_epoch())
    with pytest.raises(fault_sweep.Failed, match="open that nobody ends: 10 is the last stable offset, 11 "):
        verify(broker, transactional)


def test_the_end_of_a_transaction_is_asked_for_again(broker, transactional, monkeypatch):
    """After the answer was lost, it is answered as it was."""
    call = transactional.client.call
    answers = []

    def lose_the_first(request):
        answer = call(request)
        if isinstance(request, fault_sweep.EndTxnRequest):
            answers.append(answer)
            if len(answers) == 1:
                raise OSError("lost")
        return answer

    monkeypatch.setattr(transactional.client, "call", lose_the_first)
    transactional.step()
    assert len(answers) == 2
    assert 6 in transactional.committed
    verify(broker, transactional)


def test_members_join_commit_leave_and_vanish(broker):
    workers = [kind(fault_sweep.Client(broker.port))
               for kind in (fault_sweep.Member, fault_sweep.SecondMember)]
    ending = threading.Event()
    threads = [threading.Thread(target=worker.run, args=(ending,)) for worker in workers]
    for thread in threads:
        thread.start()
    # Beyond the tenth, which leaves, and the twentieth, which vanishes.
    deadline = time.monotonic() + 120
    while any(worker.done < 25 for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    ending.set()
    for thread in threads:
        thread.join()
    assert all(worker.done >= 25 for worker in workers), [worker.last_error for worker in workers]
    verify(broker, *workers)
    for worker in workers:
        worker.committed = worker.number = worker.number + 1
        with pytest.raises(fault_sweep.Failed, match=f"offset {worker.number} was committed"):
            verify(broker, worker)


def test_topics_that_are_lost_or_left_are_found(broker):
    worker = fault_sweep.Creator(fault_sweep.Client(broker.port))
    for _ in range(12):
        worker.step()
    assert len(worker.created) == 10
    assert worker.deleted == {"made-1"}
    verify(broker, worker)
    worker.deleted.add("made-4")
    with pytest.raises(fault_sweep.Failed, match="deleted topics are there: .'made-4'"):
        verify(broker, worker)
    worker.created.append("made-1")
    with pytest.raises(fault_sweep.Failed, match="topics are lost: .'made-1'"):
        verify(broker, worker)


def test_a_broker_that_has_ended_is_found(tmp_path):
    process = fault_sweep.Process(tmp_path, tmp_path / "no key store")
    try:
        with pytest.raises(fault_sweep.Failed, match="does not listen"):
            process.wait_for_ports()
        with pytest.raises(fault_sweep.Failed, match="has ended"):
            process.arm("open", "EIO", 1)
    finally:
        process.kill()


def test_logs_that_are_offline_are_found(broker):
    assert fault_sweep.offline_logs(broker.port) == []
    partition = partition_of(broker)
    partition.log().go_offline("a test says so")
    assert fault_sweep.offline_logs(broker.port) == ["faults-2"]


@pytest.mark.parametrize("call, goes_on", [("fsync", False), ("memory", None)])
def test_a_transaction_that_waits_for_an_offline_log(broker, monkeypatch, call, goes_on):
    """It is answered CONCURRENT_TRANSACTIONS, as in Kafka: nothing there says that a log is offline."""
    monkeypatch.setattr(fault_sweep, "PATIENCE_S", 0.1)
    worker = fault_sweep.Transactional(fault_sweep.Client(broker.port))
    worker.last_error = fault_sweep.Refused(fault_sweep.Errors.CONCURRENT_TRANSACTIONS)
    partition = partition_of(broker)
    partition.log().go_offline("a test says so")
    sweep = fault_sweep.Sweep(0, 1, None, (call,))
    if goes_on is None:
        with pytest.raises(fault_sweep.Failed, match="stopped, or a log"):
            sweep._inject(Told(broker.port), [worker])
    else:
        assert sweep._inject(Told(broker.port), [worker]) is goes_on
    assert [fault.split()[0] for fault in sweep.faults] == [call]


def test_of_two_steps_the_second_has_begun_after_the_fault(monkeypatch):
    monkeypatch.setattr(fault_sweep, "ANSWER_S", 0.1)
    worker = fault_sweep.Worker(fault_sweep.Client(0))
    worker.done = 6
    with pytest.raises(fault_sweep.Failed, match="does not get on"):
        fault_sweep.Sweep(0, 1, None, ())._wait_for_all(Told(0), [worker], [5])
    worker.done = 7
    assert fault_sweep.Sweep(0, 1, None, ())._wait_for_all(Told(0), [worker], [5])


@pytest.mark.parametrize("number, status", [
    (signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)])
def test_its_broker_ends_with_it(tmp_path, number, status):
    with subprocess.Popen([sys.executable, TOOLS / "load" / "fault_sweep", "--calls", "accept"],
                          env={**os.environ, "TMPDIR": str(tmp_path)},
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        watchdog = threading.Timer(120, process.kill)
        watchdog.start()
        try:
            while not (brokers := children(process.pid)):
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(number)
            assert process.wait() == status
        finally:
            watchdog.cancel()
            watchdog.join()
            process.kill()
    wait_until_ended(brokers)
