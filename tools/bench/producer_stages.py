# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The stages of KafkaProducer.send that tools/bench/profile times, all in one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time_ns
from typing import Any

from tools.servers import compiled, started

TOPIC = "profile"
PARTITIONS = 3
VALUE_BYTES, KEY_BYTES = 100, 16
# The number of different keys.
KEYS = 1000
RECORDS_A_TURN = 1000
# The clock must not count the sink's time.
clock_ns = thread_time_ns


def stages() -> list[tuple[str, Any, str]]:
    """Return the timed functions in the order of a record: row, class, function."""
    from kreactor.clients.network_client import NetworkClient
    from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
    from kreactor.clients.producer.internals.producer_batch import ProducerBatch
    from kreactor.clients.producer.internals.producer_interceptors import ProducerInterceptors
    from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
    from kreactor.clients.producer.internals.sender import Sender
    from kreactor.clients.producer.kafka_producer import KafkaProducer
    from kreactor.clients.producer.producer_record import ProducerRecord
    from kreactor.common.network.kafka_channel import KafkaChannel
    from kreactor.common.record.abstract_records import AbstractRecords
    from kreactor.common.record.memory_records_builder import MemoryRecordsBuilder
    from kreactor.common.serialization.serializer import Serializer
    from kreactor.jdk.nio_selector import Selector as NioSelector

    return [
        ("the record itself", ProducerRecord, "__init__"),
        ("send: interceptors", ProducerInterceptors, "on_send"),
        ("send: what calls back", KafkaProducer.AppendCallbacks, "__init__"),
        ("send: its own steps", KafkaProducer, "_do_send"),
        ("metadata", KafkaProducer, "_wait_on_metadata"),
        ("serialize key and value", Serializer, "serialize_headers"),
        ("partition: hash of the key", KafkaProducer, "_partition"),
        ("estimate the size, twice", AbstractRecords, "estimate_size_in_bytes_upper_bound"),
        ("accumulator: partition, deque, lock", RecordAccumulator, "append"),
        ("accumulator: last batch", RecordAccumulator, "_try_append"),
        ("accumulator: new batch", RecordAccumulator, "_append_new_batch"),
        ("batch: future, callback", ProducerBatch, "try_append"),
        ("encode, write", MemoryRecordsBuilder, "try_append"),
        ("wake the sender", Sender, "wakeup"),
        ("sender: its round", Sender, "run_once"),
        ("sender: ready", RecordAccumulator, "ready"),
        ("sender: drain", RecordAccumulator, "drain"),
        ("sender: header, checksum", ProducerBatch, "close"),
        ("sender: requests", Sender, "_send_produce_requests"),
        ("client: poll", NetworkClient, "poll"),
        ("select", NioSelector, "_select"),
        ("write", KafkaChannel, "write"),
        ("read", KafkaChannel, "read"),
        ("complete: a batch", ProducerBatch, "_complete_future_and_fire_callbacks"),
        ("complete: metadata of a record", FutureRecordMetadata, "value"),
        ("complete: call back", KafkaProducer.AppendCallbacks, "__call__"),
    ]


class Turns:
    """Runs the single thread, which sends records and then does the work of the sender's thread."""

    def __init__(self, producer: Any, with_keys: bool) -> None:
        self._producer = producer
        self._sender = producer._sender
        self._accumulator = producer._accumulator
        value = bytes(VALUE_BYTES)
        self._records = [(b"%0*d" % (KEY_BYTES, number % KEYS) if with_keys else None, value)
                         for number in range(RECORDS_A_TURN)]
        metadata = producer._metadata
        metadata.add(TOPIC, producer._time.milliseconds())
        while not metadata.fetch().partition_count_for_topic(TOPIC):
            self._sender.run_once()

    def turns(self, number: int) -> list[float]:
        """Send all records a number of times; return the time in us per record."""
        from kreactor.clients.producer.producer_record import ProducerRecord

        send, records, accumulator = self._producer.send, self._records, self._accumulator
        times = []
        for _ in range(number):
            start = clock_ns()
            for key, value in records:
                send(ProducerRecord(TOPIC, value, key=key), _note)
            accumulator.begin_flush()
            while accumulator.has_incomplete():
                self._sender.run_once()
            accumulator.await_flush_completion()
            times.append((clock_ns() - start) / 1000 / len(records))
        return times


def _note(_: object, exception: Exception | None) -> None:
    if exception is not None:
        raise exception


@contextmanager
def one_threaded_producer(with_keys: bool) -> Iterator[Turns]:
    """Start a producer without a running sender's thread. Raises Failed without a C compiler."""
    from kreactor.clients.producer.kafka_producer import KafkaProducer
    from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
    from kreactor.common.utils.kafka_thread import KafkaThread

    replaced: Callable[..., None] = KafkaThread.start
    with compiled("bench_sink") as program, started("the sink", [str(program), str(PARTITIONS)]) as server:
        setattr(KafkaThread, "start", lambda self: None)
        try:
            producer = KafkaProducer[bytes, bytes](
                {"bootstrap.servers": f"{server.host}:{server.port}", "acks": "1",
                 "enable.idempotence": "false"}, ByteArraySerializer(), ByteArraySerializer())
        finally:
            setattr(KafkaThread, "start", replaced)
        try:
            yield Turns(producer, with_keys)
        finally:
            # The sender's thread would run its last rounds and close its sockets.
            producer._sender.force_close()
            producer._sender.run()
            producer.close()
