# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A batch that expires while its request is written, as a node reads it over a real socket."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator

import pytest

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.clients.producer.internals.producer_metadata import ProducerMetadata
from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
from kreactor.clients.producer.internals.sender import Sender
from kreactor.clients.producer.internals.sender_metrics_registry import SenderMetricsRegistry
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import TimeoutException
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from tests.clients.test_network_client_faults import LONG_MS, WAIT_S, Rig
from tests.common.requests.request_test_utils import RequestTestUtils

# More than the buffers of a loopback connection take.
VALUE_SIZE = 24 << 20
BATCH_SIZE = VALUE_SIZE + 1024
DELIVERY_TIMEOUT_MS = 300


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.close()


def test_a_node_reads_the_records_of_a_batch_that_expired_and_no_others(rig: Rig) -> None:
    rig.connect()
    connection = rig.peer.connection
    assert connection is not None
    metadata = ProducerMetadata(0, 0, LONG_MS, LONG_MS, LogContext(), ClusterResourceListeners(), Time.SYSTEM)
    for topic in ("a", "b"):
        metadata.add(topic, rig.now())
    metadata.update_with_current_request_version(
        RequestTestUtils.metadata_update_with(1, {"a": 1, "b": 1}), False, rig.now())
    # Room for one batch and a half: the second can only have the buffer of the first.
    pool = BufferPool(BATCH_SIZE + BATCH_SIZE // 2, BATCH_SIZE, rig.metrics, Time.SYSTEM, "g")
    accum = RecordAccumulator(
        LogContext(), BATCH_SIZE, Compression.NONE, 0, 100, 1000, DELIVERY_TIMEOUT_MS, rig.metrics, "g",
        Time.SYSTEM, ApiVersions(), None, pool)
    sender = Sender(
        LogContext(), rig.client, metadata, accum, False, 2 * BATCH_SIZE, 1, 2**31 - 1,
        SenderMetricsRegistry(rig.metrics), Time.SYSTEM, LONG_MS, 100, None, ApiVersions())

    def append(topic: str, max_block_ms: int) -> RecordAccumulator.RecordAppendResult:
        return accum.append(topic, 0, 0, None, topic.encode() * VALUE_SIZE, None, None, max_block_ms, False,
                            rig.now(), metadata.fetch())

    def step() -> None:
        """Let the sender do its next step, and wait for nothing."""
        assert time.monotonic() < deadline
        rig.client.wakeup()
        sender.run_once()

    future = append("a", 0).future
    assert future is not None
    deadline = time.monotonic() + WAIT_S
    # The node reads nothing, so that most of the request is still in the buffer when its time is up.
    while not future.is_done():
        step()
    with pytest.raises(TimeoutException, match="Expiring 1 record"):
        future.get()
    assert select.select([connection], [], [], 0)[0]
    assert rig.client.in_flight_request_count() == 1
    assert pool.available_memory() == BATCH_SIZE // 2
    with pytest.raises(TimeoutException, match="Failed to allocate"):
        append("b", 0)

    read = bytearray()
    connection.setblocking(False)
    while len(read) < 4 or len(read) < 4 + int.from_bytes(read[:4], "big"):
        step()
        while select.select([connection], [], [], 0)[0]:
            read += connection.recv(1 << 20)
    assert read.count(b"a" * VALUE_SIZE) == 1

    # The connection goes, the request is over, and its buffer can be had.
    rig.peer.leave()
    while pool.available_memory() < pool.total_memory():
        assert time.monotonic() < deadline
        rig.client.poll(10, rig.now())
    assert append("b", 0).new_batch_created
    accum.abort_incomplete_batches()
    assert pool.available_memory() == pool.total_memory()
