# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.record.BrokerCompressionType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A topic's compression, which may be the producer's."""

from __future__ import annotations

from enum import Enum

from kreactor.common.compress.compression import Compression
from kreactor.common.record.compression_type import CompressionType
from kreactor.jdk.exceptions import IllegalArgumentException


class BrokerCompressionType(Enum):
    """A compression type; the value is its name in settings.

    :origin: server.record.BrokerCompressionType
    """

    UNCOMPRESSED = "uncompressed"
    ZSTD = "zstd"
    LZ4 = "lz4"
    SNAPPY = "snappy"
    GZIP = "gzip"
    PRODUCER = "producer"

    @staticmethod
    def target_compression(
        log_compression: Compression | None, producer_compression_type: CompressionType,
    ) -> Compression:
        """Return the compression of stored batches: the topic's own type, or the producer's.

        :origin: server.record.BrokerCompressionType#targetCompression(
            Optional<Compression>, CompressionType)
        """
        if log_compression is not None:
            return log_compression
        return Compression.of(producer_compression_type).build()

    @staticmethod
    def names() -> list[str]:
        """Return all names.

        :origin: server.record.BrokerCompressionType#names()
        """
        return [compression_type.value for compression_type in BrokerCompressionType]

    @staticmethod
    def for_name(n: str) -> BrokerCompressionType:
        """Return the type of this name, in any case. Raises IllegalArgumentException.

        :origin: server.record.BrokerCompressionType#forName(String)
        """
        name = n.lower()
        try:
            return BrokerCompressionType(name)
        except ValueError:
            raise IllegalArgumentException(f"Unknown broker compression type name: {name}") from None
