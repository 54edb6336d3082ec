# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The test of Kafka's BrokerCompressionTest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.record.compression_type import CompressionType
from kreactor.server.record.broker_compression_type import BrokerCompressionType
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.storage.internals.log.log_config import LogConfig
from tests.storage.internals.log.support import LogHarness, records


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[LogHarness]:
    made = LogHarness(str(tmp_path), is_open=False)
    yield made
    made.dispose()


@pytest.mark.parametrize("broker_compression_type", BrokerCompressionType)
@pytest.mark.parametrize("message_compression_type", CompressionType)
def test_broker_side_compression(harness: LogHarness, message_compression_type: CompressionType,
                                 broker_compression_type: BrokerCompressionType) -> None:
    harness.config = LogConfig({TopicConfig.COMPRESSION_TYPE_CONFIG: broker_compression_type.value})
    log = harness.open(clean=True)
    log.append_as_leader(
        records(b"hello", b"there", codec=Compression.of(message_compression_type).build()), 0)
    batch = next(iter(log.read(0, 4096, FetchIsolation.LOG_END, True).records.batches()))
    if broker_compression_type is BrokerCompressionType.PRODUCER:
        assert batch.compression_type() is message_compression_type
    else:
        compression = log.config().compression
        assert compression is not None
        assert batch.compression_type() is compression.type()
        assert compression.type() is {
            BrokerCompressionType.UNCOMPRESSED: CompressionType.NONE,
            BrokerCompressionType.ZSTD: CompressionType.ZSTD,
            BrokerCompressionType.LZ4: CompressionType.LZ4,
            BrokerCompressionType.SNAPPY: CompressionType.SNAPPY,
            BrokerCompressionType.GZIP: CompressionType.GZIP,
        }[broker_compression_type]
