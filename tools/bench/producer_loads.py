# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The loads of tools/bench/producer, and their producers, each in a separate process."""

from __future__ import annotations

import asyncio
import os
import random
import string
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from tools.bench.results import Figures
from tools.servers import Failed

TOPIC = "bench"
BATCH_BYTES, LINGER_MS, MEMORY_BYTES = 16_384, 5, 32 << 20
# The number of records between two reads of the clock, and in a transaction.
RECORDS_A_PIECE = 100
DIFFERENT_RECORDS = 1000
# The wait of the measuring thread between two acknowledgements.
PAUSE_S = 0.01
SEND, SEND_ALL = "send", "send_all"
KAFKA_PYTHON, AIOKAFKA, CONFLUENT = "kafka-python", "aiokafka", "confluent-kafka"

Record = tuple[bytes | None, bytes]


@dataclass(frozen=True)
class Load:
    """The records that every producer writes.

    With ``pings``, the acknowledgements of single records are timed besides.
    """

    title: str
    size: int = 100
    key_size: int = 0
    acks: str = "1"
    codec: str = "none"
    idempotent: bool = False
    transactional: bool = False
    threads: int = 1
    pings: bool = False
    idle: bool = False

    def is_plain(self) -> bool:
        """Return whether the load is one thread that writes only values."""
        return self.threads == 1 and not (self.key_size or self.transactional or self.pings or self.idle)

    def settings(self, address: str) -> dict[str, str]:
        """Return the settings of a KafkaProducer, Java's as well."""
        settings = {
            "bootstrap.servers": address, "acks": self.acks, "batch.size": str(BATCH_BYTES),
            "linger.ms": str(LINGER_MS), "buffer.memory": str(MEMORY_BYTES), "compression.type": self.codec,
            "enable.idempotence": str(self.idempotent).lower()}
        if self.transactional:
            settings["transactional.id"] = f"bench-{os.getpid()}"
        return settings

    def records(self) -> list[Record]:
        """Return distinct records, the same for every producer."""
        chosen = random.Random(self.title)

        def text(size: int) -> bytes:
            return "".join(chosen.choices(string.ascii_letters + string.digits, k=size)).encode()

        return [(text(self.key_size) if self.key_size else None, text(self.size))
                for _ in range(DIFFERENT_RECORDS)]

    def pieces(self) -> list[list[Record]]:
        """Return the records in pieces."""
        records = self.records()
        return [records[begin:begin + RECORDS_A_PIECE] for begin in range(0, len(records), RECORDS_A_PIECE)]


_PLAIN = {"100": Load("values of 100 B"), "1000": Load("values of 1 KB", size=1000)}
LOADS: Mapping[str, Load] = {
    **_PLAIN,
    **{f"{name}-key": replace(load, title=f"{load.title}, keys of 16 B", key_size=16)
       for name, load in _PLAIN.items()},
    "100-threads": Load("values of 100 B, 4 threads", threads=4),
    "100-all": Load("values of 100 B, acks=all, idempotent", acks="all", idempotent=True),
    "100-0": Load("values of 100 B, acks=0", acks="0"),
    **{f"100-{codec}": Load(f"values of 100 B, {codec}", codec=codec)
       for codec in ("gzip", "snappy", "lz4", "zstd")},
    "transactions": Load(f"values of 100 B, transactions of {RECORDS_A_PIECE}", acks="all", idempotent=True,
                         transactional=True),
    "pings": Load("values of 100 B, one at a time beside a thread that sends flat out", pings=True),
    "idle": Load("nothing, once a record is written", idle=True),
}


class Clock:
    """Times the warm-up and the measurement of a producer, and counts its records.

    The warm-up begins with the first call, because a start takes time. Called by any thread.
    """

    def __init__(self, warm_up: float, length: float) -> None:
        self.warm_up = warm_up
        self.length = length
        self._lock = threading.Lock()
        self._begins = 0.0
        self._sent = 0
        self._cpu = 0.0
        self._begun = 0.0

    def goes_on(self, sent: int) -> bool:
        """Count the records sent since the last call; return whether to send more."""
        now = time.monotonic()
        with self._lock:
            if not self._begins:
                self._begins = now + self.warm_up
            self._sent += sent
            if not self._begun and now >= self._begins:
                self._begun, self._cpu, self._sent = now, time.process_time(), 0
            # At least one piece is measured, however long the previous one took.
            return not self._begun or now < self._begun + self.length

    def result(self) -> Figures:
        """Return the records per second, and the CPU microseconds per record, after the flush."""
        took = time.monotonic() - self._begun
        return {"records_per_s": self._sent / took,
                "cpu_us": 1e6 * (time.process_time() - self._cpu) / max(self._sent, 1)}


class Pings:
    """Measures the acknowledgement times of single records."""

    def __init__(self, clock: Clock) -> None:
        now = time.monotonic()
        self._begins = now + clock.warm_up
        self._ends = self._begins + clock.length
        self._took: list[float] = []

    def goes_on(self) -> bool:
        """Return whether to send another record; at least one is measured."""
        return not self._took or time.monotonic() < self._ends

    def took(self, since: float) -> None:
        if since >= self._begins:
            self._took.append(time.monotonic() - since)

    def result(self) -> Figures:
        """Return milliseconds."""
        took = sorted(self._took)
        return {"p99_ms": 1000 * took[len(took) * 99 // 100], "median_ms": 1000 * took[len(took) // 2]}


def check(failures: Sequence[object]) -> None:
    """Raise Failed if a record was not acknowledged."""
    if failures:
        raise Failed(f"{len(failures)} records failed: {failures[0]}")


class Producer(ABC):
    """A producer whose methods any thread may call."""

    def __init__(self) -> None:
        self.failures: list[object] = []

    def prepared(self, piece: list[Record]) -> Any:
        """Return a piece in the form for ``send``."""
        return piece

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction."""

    @abstractmethod
    def commit(self) -> None:
        """Commit the transaction."""

    @abstractmethod
    def send(self, piece: Any) -> None:
        """Queue the records of a piece."""

    @abstractmethod
    def ping(self, value: bytes) -> None:
        """Send a record, and wait for its acknowledgement."""

    @abstractmethod
    def flush(self) -> None:
        """Wait until all records are acknowledged."""

    @abstractmethod
    def close(self) -> None:
        """Close, and raise Failed if a record was not acknowledged."""


class KreactorSend(Producer):
    def __init__(self, address: str, load: Load) -> None:
        from kreactor.clients.producer.kafka_producer import KafkaProducer
        from kreactor.clients.producer.producer_record import ProducerRecord
        from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer

        super().__init__()
        self._record = ProducerRecord
        self._producer = KafkaProducer[bytes, bytes](
            load.settings(address), ByteArraySerializer(), ByteArraySerializer())
        if load.transactional:
            self._producer.init_transactions()

    def begin(self) -> None:
        self._producer.begin_transaction()

    def commit(self) -> None:
        self._producer.commit_transaction()

    def send(self, piece: list[Record]) -> None:
        send, record, note = self._producer.send, self._record, self._note
        for key, value in piece:
            send(record(TOPIC, value, key=key), note)

    def _note(self, _: object, exception: Exception | None) -> None:
        if exception is not None:
            self.failures.append(exception)

    def ping(self, value: bytes) -> None:
        self._producer.send(self._record(TOPIC, value)).get()

    def flush(self) -> None:
        self._producer.flush()

    def close(self) -> None:
        self._producer.close()
        check(self.failures)


class KreactorSendAll(KreactorSend):
    def __init__(self, address: str, load: Load) -> None:
        super().__init__(address, load)
        self._futures: deque[Any] = deque()

    def prepared(self, piece: list[Record]) -> list[Any]:
        return [value if key is None else (key, value) for key, value in piece]

    def send(self, piece: list[Any]) -> None:
        self._futures.append(self._producer.send_all(TOPIC, piece))
        # Completed futures only take memory.
        while len(self._futures) > 1000:
            self._futures.popleft().get()

    def ping(self, value: bytes) -> None:
        self._producer.send_all(TOPIC, [value]).get()

    def close(self) -> None:
        for future in self._futures:
            future.get()
        super().close()


class KafkaPython(Producer):
    def __init__(self, address: str, load: Load) -> None:
        from kafka import KafkaProducer

        super().__init__()
        self._producer = KafkaProducer(
            bootstrap_servers=address, acks=load.acks if load.acks == "all" else int(load.acks),
            batch_size=BATCH_BYTES, linger_ms=LINGER_MS,
            compression_type=None if load.codec == "none" else load.codec, enable_idempotence=load.idempotent,
            transactional_id=f"bench-{os.getpid()}" if load.transactional else None)
        if load.transactional:
            self._producer.init_transactions()

    def begin(self) -> None:
        self._producer.begin_transaction()

    def commit(self) -> None:
        self._producer.commit_transaction()

    def send(self, piece: list[Record]) -> None:
        send, note = self._producer.send, self.failures.append
        for key, value in piece:
            send(TOPIC, value, key).add_errback(note)

    def ping(self, value: bytes) -> None:
        self._producer.send(TOPIC, value).get()

    def flush(self) -> None:
        self._producer.flush()

    def close(self) -> None:
        self._producer.close()
        check(self.failures)


class Confluent(Producer):
    def __init__(self, address: str, load: Load) -> None:
        from confluent_kafka import Producer as OfLibrdkafka

        super().__init__()
        settings: dict[str, Any] = {
            "bootstrap.servers": address, "acks": load.acks, "batch.size": BATCH_BYTES,
            "linger.ms": LINGER_MS, "queue.buffering.max.kbytes": MEMORY_BYTES >> 10,
            "compression.type": load.codec, "enable.idempotence": load.idempotent}
        if load.transactional:
            settings["transactional.id"] = f"bench-{os.getpid()}"
        self._producer = OfLibrdkafka(settings)
        if load.transactional:
            self._producer.init_transactions()

    def begin(self) -> None:
        self._producer.begin_transaction()

    def commit(self) -> None:
        self._producer.commit_transaction()

    def send(self, piece: list[Record]) -> None:
        produce, poll, note = self._producer.produce, self._producer.poll, self._note
        for key, value in piece:
            while True:
                try:
                    produce(TOPIC, value, key, on_delivery=note)
                    break
                except BufferError:
                    poll(0.01)
        poll(0)

    def _note(self, error: object, _: object) -> None:
        if error is not None:
            self.failures.append(error)

    def ping(self, value: bytes) -> None:
        is_done = threading.Event()
        while True:
            try:
                self._producer.produce(TOPIC, value, on_delivery=lambda *_: is_done.set())
                break
            except BufferError:
                self._producer.poll(0.01)
        while not is_done.is_set():
            self._producer.poll(0.1)

    def flush(self) -> None:
        self._producer.flush()

    def close(self) -> None:
        check(self.failures)


def run_threads(producer: Producer, load: Load, clock: Clock) -> Figures:
    """Let each of the load's threads send at full speed."""
    pieces = [producer.prepared(piece) for piece in load.pieces()]

    def flood(number: int) -> None:
        sent = 0
        while clock.goes_on(sent):
            piece = pieces[number % len(pieces)]
            if load.transactional:
                producer.begin()
            producer.send(piece)
            if load.transactional:
                producer.commit()
            number += 1
            sent = len(piece)

    with ThreadPoolExecutor(load.threads) as pool:
        for done in [pool.submit(flood, number) for number in range(load.threads)]:
            done.result()
    producer.flush()
    return clock.result()


def run_pings(producer: Producer, load: Load, clock: Clock) -> Figures:
    """Measure acknowledgements beside a thread that sends at full speed."""
    pieces = [producer.prepared(piece) for piece in load.pieces()]
    is_over = threading.Event()

    def flood() -> None:
        number = 0
        while not is_over.is_set():
            producer.send(pieces[number % len(pieces)])
            number += 1

    with ThreadPoolExecutor(1) as pool:
        flooding = pool.submit(flood)
        try:
            pings = Pings(clock)
            while pings.goes_on():
                time.sleep(PAUSE_S)
                since = time.monotonic()
                producer.ping(b"ping")
                pings.took(since)
        finally:
            is_over.set()
        flooding.result()
    producer.flush()
    return pings.result()


def run_idle(producer: Producer, load: Load, clock: Clock) -> Figures:
    """Measure a producer that has written one record and is idle."""
    producer.ping(b"ping")
    time.sleep(clock.warm_up)
    since, cpu = time.monotonic(), time.process_time()
    time.sleep(clock.length)
    return {"cpu_percent": 100 * (time.process_time() - cpu) / (time.monotonic() - since)}


def run_producer(make: Callable[[str, Load], Producer], address: str, load: Load, clock: Clock) -> Figures:
    producer = make(address, load)
    run = run_pings if load.pings else run_idle if load.idle else run_threads
    figures = run(producer, load, clock)
    producer.close()
    return figures


def run_aiokafka(address: str, load: Load, clock: Clock) -> Figures:
    """Run a load on one event loop, with tasks as its threads."""
    from aiokafka import AIOKafkaProducer

    async def run() -> Figures:
        producer = AIOKafkaProducer(
            bootstrap_servers=address, acks=load.acks if load.acks == "all" else int(load.acks),
            max_batch_size=BATCH_BYTES, linger_ms=LINGER_MS, enable_idempotence=load.idempotent,
            compression_type=None if load.codec == "none" else load.codec,
            transactional_id=f"bench-{os.getpid()}" if load.transactional else None)
        await producer.start()
        pieces = load.pieces()
        waiting: list[Any] = []

        async def send(piece: list[Record]) -> None:
            for key, value in piece:
                waiting.append(await producer.send(TOPIC, value, key))
            if len(waiting) > 100_000:
                sent = waiting[:]
                waiting.clear()
                await asyncio.gather(*sent)

        async def flood(number: int) -> None:
            sent = 0
            while clock.goes_on(sent):
                if load.transactional:
                    await producer.begin_transaction()
                await send(pieces[number % len(pieces)])
                if load.transactional:
                    await producer.commit_transaction()
                number += 1
                sent = RECORDS_A_PIECE

        async def flood_for_ever() -> None:
            while True:
                for piece in pieces:
                    await send(piece)

        if load.idle:
            await producer.send_and_wait(TOPIC, b"ping")
            await asyncio.sleep(clock.warm_up)
            since, cpu = time.monotonic(), time.process_time()
            await asyncio.sleep(clock.length)
            figures: Figures = {
                "cpu_percent": 100 * (time.process_time() - cpu) / (time.monotonic() - since)}
        elif load.pings:
            flooding = asyncio.create_task(flood_for_ever())
            pings = Pings(clock)
            while pings.goes_on():
                await asyncio.sleep(PAUSE_S)
                begun = time.monotonic()
                await producer.send_and_wait(TOPIC, b"ping")
                pings.took(begun)
            flooding.cancel()
            figures = pings.result()
        else:
            await asyncio.gather(*(flood(number) for number in range(load.threads)))
            await producer.flush()
            figures = clock.result()
        await asyncio.gather(*waiting)
        await producer.stop()
        return figures

    return asyncio.run(run())


def _runner(make: Callable[[str, Load], Producer]) -> Callable[[str, Load, Clock], Figures]:
    return lambda address, load, clock: run_producer(make, address, load, clock)


# The function that runs each producer, by its name.
CLIENTS: Mapping[str, Callable[[str, Load, Clock], Figures]] = {
    SEND: _runner(KreactorSend), SEND_ALL: _runner(KreactorSendAll), KAFKA_PYTHON: _runner(KafkaPython),
    AIOKAFKA: run_aiokafka, CONFLUENT: _runner(Confluent)}
