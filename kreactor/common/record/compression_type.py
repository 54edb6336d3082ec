# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.CompressionType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The codecs of batches, with their ids in the attributes and their names in settings."""

from __future__ import annotations

from enum import Enum

from kreactor.jdk.exceptions import IllegalArgumentException


class CompressionType(Enum):
    """A codec with its id, its name and its initial compression ratio.

    :origin: common.record.CompressionType
    """

    NONE = (0, "none", 1.0)
    GZIP = (1, "gzip", 1.0)
    SNAPPY = (2, "snappy", 1.0)
    LZ4 = (3, "lz4", 1.0)
    ZSTD = (4, "zstd", 1.0)

    _id: int
    _name: str
    _rate: float

    def __init__(self, id_: int, name: str, rate: float) -> None:
        """:origin: common.record.CompressionType#CompressionType(byte, String, float)"""
        self._id = id_
        self._name = name
        self._rate = rate

    @staticmethod
    def for_id(id_: int) -> CompressionType:
        """Return the codec of an id. Raises IllegalArgumentException.

        :origin: common.record.CompressionType#forId(int)
        """
        if 0 <= id_ < len(_BY_ID):
            return _BY_ID[id_]
        raise IllegalArgumentException(f"Unknown compression type id: {id_}")

    @staticmethod
    def for_name(name: str) -> CompressionType:
        """Return the codec named ``name``. Raises IllegalArgumentException.

        :origin: common.record.CompressionType#forName(String)
        """
        for compression_type in _BY_ID:
            if compression_type._name == name:
                return compression_type
        raise IllegalArgumentException(f"Unknown compression name: {name}")

    def __str__(self) -> str:
        """:origin: common.record.CompressionType#toString()"""
        return self._name


_BY_ID = tuple(CompressionType)
