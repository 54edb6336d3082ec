# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Names of compression types."""

from __future__ import annotations

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.compress.gzip_compression import GzipCompression
from kreactor.common.compress.lz4_compression import Lz4Compression
from kreactor.common.compress.zstd_compression import ZstdCompression
from kreactor.common.record.compression_type import CompressionType
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.record.broker_compression_type import BrokerCompressionType


def test_target_compression_type() -> None:
    target = BrokerCompressionType.target_compression
    for log_compression, producer in (
            (Compression.gzip().level(GzipCompression.MAX_LEVEL).build(), CompressionType.ZSTD),
            (Compression.snappy().build(), CompressionType.LZ4),
            (Compression.lz4().level(Lz4Compression.MAX_LEVEL).build(), CompressionType.ZSTD),
            (Compression.zstd().level(ZstdCompression.MAX_LEVEL).build(), CompressionType.GZIP)):
        assert target(log_compression, producer) is log_compression
    for default, producer in ((Compression.gzip().build(), CompressionType.GZIP),
                              (Compression.snappy().build(), CompressionType.SNAPPY),
                              (Compression.lz4().build(), CompressionType.LZ4),
                              (Compression.zstd().build(), CompressionType.ZSTD)):
        assert target(None, producer) == default


def test_names() -> None:
    assert BrokerCompressionType.names() == ["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]
    for name in BrokerCompressionType.names():
        assert BrokerCompressionType.for_name(name.upper()).value == name
    with pytest.raises(IllegalArgumentException, match="Unknown broker compression type name: foo"):
        BrokerCompressionType.for_name("Foo")
