# Licensed under the Apache License, Version 2.0; see LICENSE.
"""KafkaProducer and a Kafka 3.8.0 of the test's own: Kafka's tools, tokens that expire, and SIGKILL.

Skipped where KREACTOR_ORACLE_SH names no script that starts a Kafka.
"""

from __future__ import annotations

import base64
import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.common.errors import InvalidProducerEpochException, ProducerFencedException
from kreactor.common.serialization.string_serializer import StringSerializer
from tests.clients.client import CODECS
from tests.clients.test_refreshed_tokens import assert_a_producer_outlives_its_tokens
from tests.core.network.live_kafka import HOST, LiveKafka, live_kafka

LISTENERS = ("PLAINTEXT", "SASL_PLAINTEXT")
WAIT_MS = 120_000
COUNT = 40
# Timeouts of transactions.
SHORT_MS, LONG_MS = 1000, 600_000
# The record behind all others, at which a reader stops.
END = "the end"
PROGRAM = Path(__file__).parents[3] / "tools" / "peers" / "producer_wire.java"
Producer = KafkaProducer[str, str]


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKafka]:
    with live_kafka(tmp_path_factory.mktemp("kafka"), LISTENERS, lambda ports: {
        "listeners": ",".join(f"{name}://{HOST}:{ports[name]}" for name in LISTENERS),
        "listener.security.protocol.map": ",".join(f"{name}:{name}" for name in LISTENERS),
        "num.partitions": "1", "transaction.abort.timed.out.transaction.cleanup.interval.ms": "200",
    }) as kafka:
        yield kafka


@pytest.fixture
def topic() -> str:
    return f"topic-{uuid.uuid4()}"


def address_of(kafka: LiveKafka) -> str:
    return f"{HOST}:{kafka('PLAINTEXT')}"


def new_producer(kafka: LiveKafka, **configs: object) -> Producer:
    """A producer with settings that have ``_`` for ``.`` in their names."""
    return KafkaProducer(
        {"bootstrap.servers": address_of(kafka), "reconnect.backoff.ms": 10, "reconnect.backoff.max.ms": 100,
         "max.block.ms": WAIT_MS} | {name.replace("_", "."): value for name, value in configs.items()},
        StringSerializer(), StringSerializer())


def log_of(kafka: LiveKafka, topic: str) -> Path:
    return kafka.folder / "data" / f"{topic}-0" / f"{0:020}.log"


def console_lines(kafka: LiveKafka, topic: str, count: int, isolation: str = "read_committed") -> list[str]:
    """Return the values that Kafka's console consumer reads; after ``count`` of them there is no other."""
    with new_producer(kafka) as producer:
        producer.send(ProducerRecord(topic, END)).get(WAIT_MS)
    lines = kafka.run("org.apache.kafka.tools.consumer.ConsoleConsumer", "--bootstrap-server",
                      address_of(kafka), "--topic", topic, "--from-beginning", "--max-messages",
                      str(count + 1), "--timeout-ms", str(WAIT_MS), "--isolation-level", isolation)
    *found, last = lines.splitlines()
    assert last == END
    return found


@pytest.mark.parametrize("codec", CODECS)
def test_kafka_s_tool_dumps_what_was_written(kafka: LiveKafka, topic: str, codec: str) -> None:
    # Kafka deletes what is a week old.
    begin_ms = int(time.time() * 1000)
    with new_producer(kafka, compression_type=codec, linger_ms=20, batch_size=200) as producer:
        futures = [producer.send(ProducerRecord(topic, f"value-{number}", key=f"key-{number}",
                                                timestamp=begin_ms + number))
                   for number in range(COUNT)]
        assert [future.get(WAIT_MS).offset() for future in futures] == list(range(COUNT))
    dump = kafka.run("kafka.tools.DumpLogSegments", "--deep-iteration", "--print-data-log", "--files",
                     str(log_of(kafka, topic)))
    assert re.findall(r"\| offset: (\d+) CreateTime: (\d+) .* sequence: (\d+) .* key: (\S+) payload: (\S+)",
                      dump) == [
        (str(number), str(begin_ms + number), str(number), f"key-{number}", f"value-{number}")
        for number in range(COUNT)]
    batches = re.findall(r"^baseOffset: (\d+) lastOffset: (\d+) count: (\d+) baseSequence: (\d+) .* "
                         r"isTransactional: (\w+) .* magic: (\d) compresscodec: (\w+) .* isvalid: (\w+)",
                         dump, re.MULTILINE)
    assert len(batches) > 1
    assert {batch[4:] for batch in batches} == {("false", "2", codec, "true")}
    assert sum(int(batch[2]) for batch in batches) == COUNT
    assert all(batch[0] == batch[3] for batch in batches)


def test_kafka_s_console_consumer_reads_what_is_committed(kafka: LiveKafka, topic: str) -> None:
    with new_producer(kafka, transactional_id=topic, linger_ms=5) as producer:
        producer.init_transactions()
        for number in range(6):
            producer.begin_transaction()
            for part in range(3):
                producer.send(ProducerRecord(topic, f"{number}-{part}"))
            producer.flush()
            (producer.abort_transaction if number % 3 == 1 else producer.commit_transaction)()
    written = [f"{number}-{part}" for number in range(6) for part in range(3)]
    committed = [value for value in written if value[0] not in "14"]
    assert console_lines(kafka, topic, len(written), "read_uncommitted") == written
    assert console_lines(kafka, topic, len(committed) + 1) == [*committed, END]


def test_a_producer_outlives_its_tokens(kafka: LiveKafka) -> None:
    assert_a_producer_outlives_its_tokens(f"{HOST}:{kafka('SASL_PLAINTEXT')}")


def begin_and_kill(kafka: LiveKafka, producer: Producer, topic: str,
                   when_killed: Callable[[], object] = lambda: None) -> None:
    """Have a record of a transaction written, and Kafka killed and started again."""
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(ProducerRecord(topic, "before")).get(WAIT_MS)
    kafka.kill()
    future = producer.send(ProducerRecord(topic, "meanwhile"))
    when_killed()
    assert not future.is_done()
    kafka.start()


def test_a_transaction_goes_on_after_kafka_was_killed(kafka: LiveKafka, topic: str) -> None:
    with new_producer(kafka, transactional_id=topic, transaction_timeout_ms=LONG_MS) as producer:
        begin_and_kill(kafka, producer, topic)
        producer.send(ProducerRecord(topic, "after"))
        producer.commit_transaction()
        producer.begin_transaction()
        producer.send(ProducerRecord(topic, "next"))
        producer.commit_transaction()
    assert console_lines(kafka, topic, 4) == ["before", "meanwhile", "after", "next"]


class JavaProducer:
    """Java's KafkaProducer in a process of its own, which takes the steps of tools/peers/producer_wire."""

    def __init__(self, stdin: IO[str], stdout: IO[str]) -> None:
        self._stdin = stdin
        self._stdout = stdout

    def do(self, *step: str) -> str:
        """Take a step; return "done" or the exception."""
        self._stdin.write("\t".join(step) + "\n")
        self._stdin.flush()
        # The log is on the same stream.
        while (line := self._stdout.readline()).startswith("["):
            pass
        return line.strip()

    def send(self, verb: str, topic: str, value: str) -> None:
        """Send a record; the verb "send" waits for the response, "queue" does not."""
        encoded = base64.b64encode(value.encode()).decode()
        assert self.do(verb, topic, "0", str(int(time.time() * 1000)), "-", encoded) == "done"


@contextmanager
def java_producer(kafka: LiveKafka, **configs: object) -> Iterator[JavaProducer]:
    settings = {"bootstrap.servers": address_of(kafka), "max.block.ms": WAIT_MS} | {
        name.replace("_", "."): value for name, value in configs.items()}
    with kafka.begin(PROGRAM) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            java = JavaProducer(process.stdin, process.stdout)
            assert java.do("open", *(f"{name}={value}" for name, value in settings.items())) == "done"
            yield java
        finally:
            process.kill()


def test_transactions_of_java_and_of_ours_go_on_after_the_same_kill(kafka: LiveKafka, topic: str) -> None:
    of_java = f"{topic}-java"
    with new_producer(kafka, transactional_id=topic, transaction_timeout_ms=LONG_MS) as producer, \
            java_producer(kafka, transactional_id=of_java, transaction_timeout_ms=LONG_MS) as java:
        for step in ("init", "begin"):
            assert java.do(step) == "done"
        java.send("send", of_java, "before")
        begin_and_kill(kafka, producer, topic, lambda: java.send("queue", of_java, "meanwhile"))
        java.send("queue", of_java, "after")
        producer.send(ProducerRecord(topic, "after"))
        for number in range(2):
            producer.commit_transaction()
            assert java.do("commit") == "done"
            if not number:
                producer.begin_transaction()
                assert java.do("begin") == "done"
                producer.send(ProducerRecord(topic, "next"))
                java.send("queue", of_java, "next")
    expected = ["before", "meanwhile", "after", "next"]
    assert console_lines(kafka, topic, 4) == expected
    assert console_lines(kafka, of_java, 4) == expected


def test_twins_in_java_and_in_python_fence_each_other(kafka: LiveKafka, topic: str) -> None:
    with java_producer(kafka, transactional_id=topic) as java:
        for step in ("init", "begin"):
            assert java.do(step) == "done"
        java.send("send", topic, "of the first twin")
        with new_producer(kafka, transactional_id=topic) as producer:
            producer.init_transactions()
            assert "ProducerFencedException" in java.do("commit")
            producer.begin_transaction()
            producer.send(ProducerRecord(topic, "of the second twin")).get(WAIT_MS)
            with java_producer(kafka, transactional_id=topic) as third:
                for step in ("init", "begin"):
                    assert third.do(step) == "done"
                third.send("send", topic, "of the third twin")
                with pytest.raises(ProducerFencedException):
                    producer.commit_transaction()
                assert third.do("commit") == "done"
    assert console_lines(kafka, topic, 1) == ["of the third twin"]


def test_a_producer_whose_transaction_expired_while_kafka_was_down_is_fenced(
        kafka: LiveKafka, topic: str) -> None:
    with new_producer(kafka, transactional_id=topic, transaction_timeout_ms=SHORT_MS) as producer:
        begin_and_kill(kafka, producer, topic)
        # Kafka aborts the transaction once its coordinator has loaded it.
        deadline = time.monotonic() + WAIT_MS / 1000
        while not aborted(kafka, topic):
            assert time.monotonic() < deadline, "the transaction does not expire"
            time.sleep(0.2)
        # The leader refuses the batch, or the coordinator the commit, whichever is asked first.
        with pytest.raises((InvalidProducerEpochException, ProducerFencedException)):
            producer.commit_transaction()
        with pytest.raises(ProducerFencedException):
            producer.abort_transaction()
    # Another one of the same id can go on.
    with new_producer(kafka, transactional_id=topic) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(ProducerRecord(topic, "next"))
        producer.commit_transaction()
    assert console_lines(kafka, topic, 1) == ["next"]


def aborted(kafka: LiveKafka, topic: str) -> bool:
    """Return whether the log has a marker."""
    from kreactor.common.record.file_records import FileRecords

    records = FileRecords.open(log_of(kafka, topic))
    try:
        return any(batch.is_control_batch() for batch in records.batches())
    finally:
        records.close()
