# Licensed under the Apache License, Version 2.0; see LICENSE.
"""KafkaProducers with all their threads before a broker that refuses, drops, delays and cuts connections.

Each schedule ends with the same checks. Every acknowledged record is in the log, at the offset that was told;
none is there twice; the records of a thread are in order in each partition; each record is done exactly once;
the pool has all its memory; the sender's thread has ended.
"""

from __future__ import annotations

import os
import signal
import threading
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer import RecordFuture
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker, Close, Delay, Drop, Error
from kreactor.testing.faults import Fault
from tests.schedules import schedules
from tests.stepping import PATIENCE_S, Background, wait_until

PARTITIONS = 2
BATCH_SIZE = 256
# The number of the thread that sends the first records.
WARM_UP = 99
NUMBERS = count()
WAIT_MS = int(PATIENCE_S * 1000)

# From 3.12 on Python warns of each fork of a process with threads.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

# A request that is answered at no time ends with its connection, after request.timeout.ms.
RETRIABLE = ["NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS", "REQUEST_TIMED_OUT", "KAFKA_STORAGE_ERROR",
             "UNKNOWN_TOPIC_OR_PARTITION"]
FAULTS = st.lists(st.tuples(
    st.one_of(st.builds(Error, st.sampled_from(RETRIABLE)), st.builds(Close, st.booleans()),
              st.builds(Drop, st.booleans()), st.builds(Delay, st.sampled_from([1, 30]))),
    st.integers(0, 8)), max_size=4)


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker() as broker:
        yield broker


class Sent(NamedTuple):
    """A record, by the thread that sent it; a list of what its callback got; the future."""

    thread: int
    partition: int
    value: bytes
    results: list[tuple[RecordMetadata | None, Exception | None]]
    future: RecordFuture


class Run:
    """A producer, a topic of its own, and what is sent."""

    def __init__(self, broker: Broker, faults: list[tuple[Fault, int]], settings: dict[str, object],
                 serializer: Serializer[bytes] | None = None) -> None:
        self.broker = broker
        self.address = broker.bootstrap_servers
        self.topic = f"topic-{next(NUMBERS)}"
        broker.create_topic(self.topic, PARTITIONS)
        self.producer: KafkaProducer[bytes, bytes] = KafkaProducer({
            "bootstrap.servers": broker.bootstrap_servers, "batch.size": BATCH_SIZE,
            "retry.backoff.ms": 1, "retry.backoff.max.ms": 10, "reconnect.backoff.ms": 1,
            "reconnect.backoff.max.ms": 10, "request.timeout.ms": 250, "max.block.ms": WAIT_MS,
        } | settings, ByteArraySerializer(), serializer or ByteArraySerializer())
        self._lock = threading.Lock()
        self.sent: list[Sent] = []
        # A broker that knows nothing of a producer takes its batches from any sequence on. If it refuses the
        # first one and takes the second, no later attempt of the first succeeds.
        for partition in range(PARTITIONS):
            for number in count(WARM_UP + partition, PARTITIONS):
                self.send(WARM_UP, number, 0)
                sent = self.sent[-1]
                wait_until(sent.future.is_done)
                # On a busy machine a record may expire.
                if sent.results[0][1] is None:
                    break
        for fault, after in faults:
            broker.faults.add(fault, api="Produce", after=after, first=1)

    def send(self, thread: int, number: int, size: int,
             on_done: Callable[[], object] = lambda: None) -> None:
        """Send a record. Raises what ``send`` raises."""
        results: list[tuple[RecordMetadata | None, Exception | None]] = []

        def callback(metadata: RecordMetadata | None, exception: Exception | None) -> None:
            results.append((metadata, exception))
            on_done()

        partition = (thread + number) % PARTITIONS
        value = b"%d %d %s" % (thread, number, bytes(size))
        future = self.producer.send(ProducerRecord(self.topic, value, partition=partition), callback)
        with self._lock:
            self.sent.append(Sent(thread, partition, value, results, future))

    def acknowledged(self) -> int:
        """Return how many records are acknowledged."""
        with self._lock:
            return sum(1 for sent in self.sent if sent.results and sent.results[0][1] is None)

    def check(self) -> None:
        """Hold the closed producer and the log against what was sent."""
        assert not self.producer._io_thread.is_alive()
        pool = self.producer._accumulator._free
        assert (pool.available_memory(), pool.queued()) == (pool.total_memory(), 0)
        self.broker.faults.clear()
        # Those of dropped requests, too.
        self.broker.disconnect()
        log: dict[int, list[bytes]] = defaultdict(list)
        for record in self.broker.records(self.topic):
            assert record.offset == len(log[record.partition]) and record.value is not None
            log[record.partition].append(record.value)
        for partition, values in log.items():
            assert len(set(values)) == len(values), "a record is there twice"
            for thread in {sent.thread for sent in self.sent}:
                numbers = [int(value.split()[1]) for value in values if int(value.split()[0]) == thread]
                assert numbers == sorted(numbers), f"partition {partition} is out of order"
        for sent in self.sent:
            [(metadata, exception)] = sent.results
            assert sent.future.is_done() and metadata is not None
            if exception is None:
                assert sent.future.get(0).offset() == metadata.offset()
                assert log[sent.partition][metadata.offset()] == sent.value, "an acknowledged record is lost"
            else:
                with pytest.raises(type(exception)):
                    sent.future.get(0)
        self.broker.delete_topic(self.topic)


def on_threads(number: int, work: Callable[[int], None]) -> list[Background]:
    return [Background(lambda thread=thread: work(thread)) for thread in range(number)]  # type: ignore[misc]


SETTINGS = st.fixed_dictionaries({
    "linger.ms": st.sampled_from([0, 5]), "delivery.timeout.ms": st.sampled_from([260, WAIT_MS]),
    "max.in.flight.requests.per.connection": st.sampled_from([1, 5]),
    "compression.type": st.sampled_from(["none", "gzip"]),
})


# -- close(0) --------------------------------------------------------------------------------------


@schedules(15)
@given(FAULTS, SETTINGS, st.integers(1, 40), st.sampled_from(["a thread", "a callback"]), st.booleans())
def test_a_close_at_once_with_work_in_flight(
        broker: Broker, faults: list[tuple[Fault, int]], settings: dict[str, object], after: int, by: str,
        counts_sent: bool) -> None:
    run = Run(broker, faults, settings)
    is_closing = threading.Event()

    def close() -> None:
        is_closing.set()
        run.producer.close(0)

    def on_done() -> None:
        if by == "a callback" and not is_closing.is_set() and len(run.sent) >= after:
            close()

    def work(thread: int) -> None:
        try:
            for number in range(40):
                run.send(thread, number, 50, on_done)
        except (IllegalStateException, KafkaException):
            assert is_closing.is_set()

    threads = on_threads(3, work)
    if by == "a thread":
        wait_until(lambda: all(thread.is_done() for thread in threads)
                   or (len(run.sent) if counts_sent else run.acknowledged()) >= after)
        close()
    for thread in threads:
        thread.result()
    run.producer.close()
    with pytest.raises(IllegalStateException):
        run.send(0, 0, 0)
    run.check()


# -- a full pool -----------------------------------------------------------------------------------


@schedules(10)
@given(FAULTS, st.integers(1, 4), st.lists(st.integers(1, 2 * BATCH_SIZE), min_size=50, max_size=50),
       st.sampled_from([1, 60, WAIT_MS]), st.booleans(), st.booleans())
def test_fifty_threads_wait_for_memory(
        broker: Broker, faults: list[tuple[Fault, int]], batches: int, sizes: list[int], max_block_ms: int,
        is_interrupted: bool, is_closed: bool) -> None:
    run = Run(broker, faults, {"buffer.memory": 3 * batches * BATCH_SIZE, "max.block.ms": WAIT_MS})
    # The topic is known: from here on threads wait for memory only.
    run.producer.partitions_for(run.topic)
    run.producer._max_block_time_ms = max_block_ms
    broker.pause()
    is_closing = threading.Event()

    def work(thread: int) -> None:
        try:
            for number in range(2):
                run.send(thread, number, sizes[thread])
        except (IllegalStateException, KafkaException):
            assert is_closing.is_set()

    threads = on_threads(50, work)
    pool = run.producer._accumulator._free
    wait_until(lambda: pool.queued() > 20 or all(thread.is_done() for thread in threads))
    if is_interrupted:
        send_until_interrupted(run, 50)
    if is_closed:
        is_closing.set()
        run.producer.close(0)
        broker.resume()
    else:
        broker.resume()
    for each in threads:
        each.result()
    run.producer.close()
    run.check()


def send_until_interrupted(run: Run, thread: int) -> None:
    """Send large records on this thread until Ctrl-C ends a wait for memory."""
    is_armed = True

    def interrupt(number: int, frame: object) -> None:
        nonlocal is_armed
        if is_armed:
            is_armed = False
            raise KeyboardInterrupt

    def kill() -> None:
        tick = threading.Event()
        while is_armed:
            tick.wait(0.005)
            os.kill(os.getpid(), signal.SIGINT)

    handler = signal.signal(signal.SIGINT, interrupt)
    killer = Background(kill)
    try:
        for number in NUMBERS:
            run.send(thread, number, BATCH_SIZE)
    except KeyboardInterrupt:
        pass
    finally:
        is_armed = False
        killer.result()
        signal.signal(signal.SIGINT, handler)


# -- fork ------------------------------------------------------------------------------------------


class Forking(ByteArraySerializer):
    """Calls what it is told to, once, in the middle of a ``send``."""

    def __init__(self) -> None:
        self.call: Callable[[], object] | None = None

    def serialize(self, topic: str, data: bytes | None) -> bytes | None:
        call, self.call = self.call, None
        if call is not None:
            call()
        return data


CALLS = ["send", "flush", "get", "partitions", "close"]


@schedules(10)
@given(FAULTS, SETTINGS, st.lists(st.tuples(
    st.sampled_from(["between", "serializer", "callback"]), st.integers(0, 12), st.permutations(CALLS),
    st.booleans()), min_size=1, max_size=3))
def test_a_fork_in_the_middle_of_a_send(
        broker: Broker, faults: list[tuple[Fault, int]], settings: dict[str, object],
        forks: list[tuple[str, int, list[str], bool]]) -> None:
    serializer = Forking()
    run = Run(broker, faults, settings, serializer)
    children: list[int] = []

    def work(thread: int) -> None:
        for number in range(60):
            run.send(thread, number, 50)

    threads = on_threads(2, work)
    number = 0
    for where, sends, calls, makes_another in forks:
        for number in range(number, number + sends):
            run.send(2, number, 50)
        number += 1

        def fork(calls: list[str] = calls, makes_another: bool = makes_another) -> None:
            child = os.fork()
            if child == 0:
                in_child(run, calls, makes_another)
            children.append(child)

        if where == "between":
            fork()
        elif where == "serializer":
            serializer.call = fork
            run.send(2, number, 50)
            number += 1
        else:
            done = threading.Event()

            def on_done(fork: Callable[[], None] = fork, done: threading.Event = done) -> None:
                fork()
                done.set()

            run.send(2, number, 50, on_done)
            number += 1
            assert done.wait(PATIENCE_S)
    for thread in threads:
        thread.result()
    wait_until(lambda: len(children) == len(forks))
    for child in children:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    run.producer.close()
    run.check()


def in_child(run: Run, calls: list[str], makes_another: bool) -> None:
    """Use the parent's producer in a child, and one of its own; end the process, with status 0 if it is well.

    A call that does not come back is ended by SIGALRM.
    """
    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        pending = [sent.future for sent in run.sent]
        for call in calls:
            if call == "get":
                for future in pending:
                    try:
                        future.get()
                    except KafkaException:
                        pass
            elif call == "close":
                run.producer.close()
            else:
                with pytest.raises(IllegalStateException, match="forked"):
                    if call == "send":
                        run.producer.send(ProducerRecord(run.topic, b"of a child"))
                    elif call == "flush":
                        run.producer.flush()
                    else:
                        run.producer.partitions_for(run.topic)
        if makes_another:
            another: KafkaProducer[bytes, bytes] = KafkaProducer(
                {"bootstrap.servers": run.address}, ByteArraySerializer(), ByteArraySerializer())
            another.send(ProducerRecord("of-children", b"value")).get()
            another.close()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
