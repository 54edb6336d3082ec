# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker whose answers to a KafkaProducer are replaced by other bytes.

A record then fails, or is sent again and acknowledged. The sender's thread lives on, each future is done, and
all memory comes back. The producer works again once the answers are right, and the connections are new: some
garbage is an answer, as of a broker that supports no request.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterator
from itertools import count

import pytest

import kreactor.testing.instrumented_server as instrumented_server
from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.send import Send
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.testing import Broker, Truncate
from tests.stepping import PATIENCE_S, wait_until

WAIT_MS = int(PATIENCE_S * 1000)
TIMEOUT_MS = 300
# The bytes of size and correlation id.
HEAD = 8
# Bytes behind the head that stay in these answers: the header's tags, and the throttle time. A client obeys a
# broker that throttles it for 24 days.
THROTTLE = {"Metadata": 5, "InitProducerId": 5}
# So many sends may fail.
ATTEMPTS = 60
NUMBERS = count()


def sized(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


def scrambled(content: bytes) -> bytes:
    """Return other bytes; behind the first one, nothing can be read as a throttle time of days."""
    return (b"\xff" + random.Random(content).randbytes(len(content)))[:len(content)]


# Changes of a whole response.
FRAMES: dict[str, Callable[[bytes], bytes]] = {
    "a negative size": lambda answer: b"\xff\xff\xff\xff" + answer[4:],
    "a size of 0": lambda answer: bytes(4),
    "a size that is never reached": lambda answer: b"\x00\x10\x00\x00" + answer[4:],
    "another protocol": lambda answer: b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "another correlation id": lambda answer: answer[:4] + bytes(byte ^ 0x55 for byte in answer[4:HEAD])
    + answer[HEAD:],
    "no body": lambda answer: sized(answer[4:HEAD]),
    "half a body": lambda answer: sized(answer[4:HEAD + (len(answer) - HEAD) // 2]),
    "a body that goes on": lambda answer: sized(answer[4:] + b"\xff" * 9),
}
# Changes of a response's body.
BODIES: dict[str, Callable[[bytes], bytes]] = {
    "zeros": lambda body: bytes(len(body)),
    "ones": lambda body: b"\xff" * len(body),
    "large counts": lambda body: b"\x7f" * len(body),
    "any bytes": scrambled,
}


def forged(api: str, forgery: str, answer: bytes) -> bytes:
    if forgery in FRAMES:
        return FRAMES[forgery](answer)
    head = HEAD + THROTTLE.get(api, 0)
    return answer[:head] + BODIES[forgery](answer[head:])


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"topic": 1}) as broker:
        yield broker


def new_producer(broker: Broker, **configs: object) -> KafkaProducer[bytes, bytes]:
    """A producer with settings that have ``_`` for ``.`` in their names."""
    return KafkaProducer({
        "bootstrap.servers": broker.bootstrap_servers, "request.timeout.ms": TIMEOUT_MS,
        "delivery.timeout.ms": 1000, "max.block.ms": 1000, "retry.backoff.ms": 1, "retry.backoff.max.ms": 10,
        "reconnect.backoff.ms": 1, "reconnect.backoff.max.ms": 10, "metadata.max.age.ms": 100,
    } | {name.replace("_", "."): value for name, value in configs.items()},
        ByteArraySerializer(), ByteArraySerializer())


def assert_all_is_given_back(producer: KafkaProducer[bytes, bytes]) -> None:
    pool = producer._accumulator._free
    assert (pool.available_memory(), pool.queued()) == (pool.total_memory(), 0)
    assert not producer._accumulator._requests and not producer._accumulator.has_incomplete()
    assert not producer._io_thread.is_alive()


def send_until_acknowledged(broker: Broker, producer: KafkaProducer[bytes, bytes]) -> bytes:
    """Send record after record; return the first that is acknowledged."""
    for _ in range(ATTEMPTS):
        value = b"%d" % next(NUMBERS)
        try:
            producer.send(ProducerRecord("topic", value)).get(WAIT_MS)
        except KafkaException as e:
            assert str(e)
            broker.disconnect()
        else:
            return value
    pytest.fail("no record is acknowledged")


@pytest.mark.parametrize("forgery", [*FRAMES, *BODIES])
@pytest.mark.parametrize("api", ["ApiVersions", "Metadata", "InitProducerId", "Produce"])
def test_other_bytes_than_an_answer(broker: Broker, monkeypatch: pytest.MonkeyPatch, api: str, forgery: str,
                                    caplog: pytest.LogCaptureFixture) -> None:
    class Forged(instrumented_server.PiecewiseSend):
        def __init__(self, send: Send, piece: int | None, end: int | None) -> None:
            super().__init__(send, None, None)
            self._data = memoryview(forged(api, forgery, bytes(self._data)))
            self._size = self._piece = len(self._data)

    monkeypatch.setattr(instrumented_server, "PiecewiseSend", Forged)
    caplog.set_level(logging.ERROR)
    rule = broker.faults.add(Truncate(0), api=api, first=2)
    # Without versions an idempotent producer fails for good.
    is_idempotent = api != "ApiVersions"
    with new_producer(broker, enable_idempotence=is_idempotent) as producer:
        first = send_until_acknowledged(broker, producer)
        # Versions are asked for on each connection.
        broker.disconnect()
        acknowledged = [first, send_until_acknowledged(broker, producer)]
    assert rule.hits
    assert_all_is_given_back(producer)
    values = [record.value for record in broker.records("topic")]
    assert set(acknowledged) <= set(values)
    assert not is_idempotent or [values.count(value) for value in acknowledged] == [1, 1]
    assert not [record for record in caplog.records if "I/O thread" in record.getMessage()]


def test_nothing_but_garbage_ends_with_an_error(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A producer closes, with its futures done, at a peer that never makes sense."""
    class Forged(instrumented_server.PiecewiseSend):
        def __init__(self, send: Send, piece: int | None, end: int | None) -> None:
            super().__init__(send, None, None)
            self._data = memoryview(bytes(self._data[:HEAD]) + scrambled(bytes(self._data[HEAD:])))

    with new_producer(broker, linger_ms=1000, delivery_timeout_ms=3000) as producer:
        # A batch without a producer id never expires, as in Kafka: close would wait as long as garbage comes.
        send_until_acknowledged(broker, producer)
        futures = [producer.send(ProducerRecord("topic", b"value")) for _ in range(10)]
        monkeypatch.setattr(instrumented_server, "PiecewiseSend", Forged)
        rule = broker.faults.add(Truncate(0))
        closing = threading.Thread(target=producer.close)
        closing.start()
        wait_until(lambda: rule.hits > 3 or not closing.is_alive())
        closing.join()
    assert all(future.is_done() for future in futures)
    assert_all_is_given_back(producer)
