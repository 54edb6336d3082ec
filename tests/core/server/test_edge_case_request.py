# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.EdgeCaseRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests that are malformed close the connection."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.embedded.broker_server import BrokerServer
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.core.server.broker_requests import create_topic
from tests.core.server.brokers import connect, new_broker
from tests.core.server.wire import body_bytes

TOPIC = "topic"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerServer]:
    with new_broker(tmp_path_factory.mktemp("edge_case"), {"auto.create.topics.enable": "false"}) as broker:
        create_topic(broker, TOPIC)
        yield broker


def request_header_bytes(api_key: int, api_version: int, client_id: bytes = b"",
                         correlation_id: int = -1) -> bytes:
    is_flexible = api_key >= 0 and ApiKeys.for_id(api_key).request_header_version(api_version) >= 2
    return struct.pack(f">hhih{len(client_id)}s", api_key, api_version, correlation_id, len(client_id),
                       client_id) + (b"\0" if is_flexible else b"")


def verify_disconnect(broker: BrokerServer, request: bytes) -> None:
    """Kafka's own test sends another request than the one that it is given; this one sends both."""
    for sent in (request, request_header_bytes(-1, 0)):
        with connect(broker) as wire:
            wire.socket.sendall(struct.pack(">i", len(sent)) + sent)
            assert wire.socket.recv(1) == b"", "the broker should disconnect"


def test_produce_request_with_null_client_id(broker: BrokerServer) -> None:
    correlation_id, version = -1, ApiKeys.PRODUCE.latest_version()
    records = MemoryRecords.with_records(Compression.NONE, SimpleRecord(-1, None, b"message"))
    request = request_header_bytes(ApiKeys.PRODUCE.id, version, b"", correlation_id) + body_bytes(
        ProduceRequestData(acks=1, timeout_ms=10_000, topic_data=[ProduceRequestData.TopicProduceData(
            name=TOPIC, partition_data=[ProduceRequestData.PartitionProduceData(
                index=0, records=records.buffer().to_bytes())])]), version)
    with connect(broker) as wire:
        wire.socket.sendall(struct.pack(">i", len(request)) + request)
        buffer = ByteBuffer.wrap(wire.receive_bytes())
    header = ResponseHeaderData.read(buffer, ApiKeys.PRODUCE.response_header_version(version))
    answer = ProduceResponseData.read(buffer, version)
    assert buffer.remaining() == 0, "the response should parse completely"
    assert header.correlation_id == correlation_id
    response, = answer.responses
    partition, = response.partition_responses
    assert partition.error_code == Errors.NONE.code


def test_header_only_request(broker: BrokerServer) -> None:
    verify_disconnect(broker, request_header_bytes(ApiKeys.PRODUCE.id, 1))


def test_invalid_api_key_request(broker: BrokerServer) -> None:
    verify_disconnect(broker, request_header_bytes(-1, 0))


def test_invalid_api_version_request(broker: BrokerServer) -> None:
    verify_disconnect(broker, request_header_bytes(ApiKeys.PRODUCE.id, -1))


def test_malformed_header_request(broker: BrokerServer) -> None:
    """The request has an API and a version, and nothing more."""
    verify_disconnect(broker, struct.pack(">hh", ApiKeys.PRODUCE.id, 1))
