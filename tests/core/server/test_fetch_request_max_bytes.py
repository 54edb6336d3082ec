# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.FetchRequestMaxBytesTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker answers a fetch with no more than it is allowed to, but with one batch."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import ask, create_topic, fetch_data, produce, values_of
from tests.core.server.brokers import new_broker

TOPIC = "testTopic"


def multi_byte_array(length: int) -> bytes:
    return bytes(index % 5 for index in range(length))


MESSAGES = [multi_byte_array(length) for length in (1, 500, 1040, 500, 50)]


def expect_next_records(broker: BrokerServer, expected: list[bytes], fetch_offset: int) -> None:
    answer = ask(broker, ApiKeys.FETCH, 4, fetch_data(fetch_offset, TOPIC, partition_max_bytes=2**31 - 1))
    assert values_of(answer) == expected


def test_consume_multiple_records(tmp_path: Path) -> None:
    with new_broker(tmp_path, {"fetch.max.bytes": "1024"}) as broker:
        create_topic(broker, TOPIC, min_insync_replicas="1")
        # Each in a batch of its own.
        for message in MESSAGES:
            assert produce(broker, message, topic=TOPIC) is Errors.NONE
        expect_next_records(broker, MESSAGES[:2], 0)
        expect_next_records(broker, MESSAGES[2:3], 2)
        expect_next_records(broker, MESSAGES[3:], 3)
