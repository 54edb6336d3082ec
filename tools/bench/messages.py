# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The requests of tools/bench/broker, made with kreactor's classes, and checks of their responses."""

from __future__ import annotations

import random
import socket
import struct
import time

from kreactor.common.compress.compression import Compression
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.create_topics_request import CreateTopicsRequest
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.request_header import RequestHeader
from kreactor.jdk.nio_buffer import ByteBuffer

from tools.servers import Failed, Server, ask, read_frame

TOPIC = CLIENT_ID = "bench"
# Versions that Kafka 3.8.0 also supports, and that name topics by name instead of id.
CREATE_TOPICS, METADATA, PRODUCE, FETCH = 5, 9, 9, 12
# The records end the request; in later versions other fields follow.
OPAQUE = 7
RECORD_SIZE = 1000
READY_S = 10.0


def framed(request: AbstractRequest, client_id: str = CLIENT_ID) -> bytes:
    """Return a request in its wire format."""
    content = request.serialize_with_header(header(request, client_id)).to_bytes()
    return struct.pack(">i", len(content)) + content


def header(request: AbstractRequest, client_id: str = CLIENT_ID) -> RequestHeader:
    """Return the header that ``framed`` gives a request."""
    return RequestHeader.of(request.api_key(), request.version(), client_id, 7)


def call(server: Server, request: AbstractRequest) -> AbstractResponse:
    """Send a request and return its response."""
    with socket.create_connection((server.host, server.port)) as connection:
        connection.sendall(framed(request))
        return AbstractResponse.parse_response(ByteBuffer.wrap(read_frame(connection)), header(request))


def call_without_error(server: Server, request: AbstractRequest) -> AbstractResponse:
    """Repeat a request until its response has no error, because new topics take time to be known."""
    deadline = time.monotonic() + READY_S
    while True:
        response = call(server, request)
        errors = [error.name for error in response.error_counts() if error is not Errors.NONE]
        if not errors:
            return response
        if time.monotonic() > deadline:
            raise Failed(f"{server.name} answers {request.api_key().name} with {', '.join(errors)}")
        time.sleep(0.1)


def make_topic(server: Server) -> None:
    """Create the topic with one partition, and wait until it exists."""
    call_without_error(server, CreateTopicsRequest(CreateTopicsRequestData(timeout_ms=5000, topics=[
        CreateTopicsRequestData.CreatableTopic(name=TOPIC, num_partitions=1, replication_factor=1)]),
        CREATE_TOPICS))
    call_without_error(server, MetadataRequest(MetadataRequestData(
        topics=[MetadataRequestData.MetadataRequestTopic(name=TOPIC)]), METADATA))


def produce(batch_size: int) -> ProduceRequest:
    """Return a request that appends one batch of about ``batch_size``, in records of 1,000 bytes."""
    made = random.Random(0)
    records = [SimpleRecord(value=made.randbytes(RECORD_SIZE)) for _ in range(batch_size // RECORD_SIZE)]
    return _produce(PRODUCE, MemoryRecords.with_records(Compression.NONE, *records).buffer())


def opaque(size: int) -> ProduceRequest:
    """Return a request with ``size`` bytes that are not records."""
    return _produce(OPAQUE, ByteBuffer.wrap(random.Random(size).randbytes(size)))


def _produce(version: int, records: ByteBuffer) -> ProduceRequest:
    return ProduceRequest(ProduceRequestData(acks=1, timeout_ms=5000, topic_data=[
        ProduceRequestData.TopicProduceData(name=TOPIC, partition_data=[
            ProduceRequestData.PartitionProduceData(index=0, records=records)])]), version)


def fetch(max_bytes: int) -> FetchRequest:
    """Return a request for ``size`` bytes from the first offset on."""
    return FetchRequest(FetchRequestData(max_wait_ms=500, min_bytes=1, max_bytes=max_bytes, topics=[
        FetchRequestData.FetchTopic(topic=TOPIC, partitions=[FetchRequestData.FetchPartition(
            partition=0, fetch_offset=0, partition_max_bytes=max_bytes)])]), FETCH)


def fill(server: Server, size: int) -> None:
    """Append at least ``size`` bytes to the topic."""
    batch = framed(produce(60_000))
    call_without_error(server, produce(60_000))
    with socket.create_connection((server.host, server.port)) as connection:
        for _ in range(size // len(batch) + 1):
            ask(connection, batch)


def check_echo(server: Server, size: int) -> None:
    """Check that a server echoes each message, also if two are under way."""
    requests = [framed(opaque(size)), framed(opaque(size))[:-size] + bytes(size)]
    connections = [socket.create_connection((server.host, server.port)) for _ in requests]
    try:
        for connection, request in zip(connections, requests, strict=True):
            connection.sendall(request)
        for connection, request in zip(connections, requests, strict=True):
            if read_frame(connection) != struct.pack(">i", 7) + request[-size:]:
                raise Failed(f"{server.name} does not give back what it is sent")
    finally:
        for connection in connections:
            connection.close()
