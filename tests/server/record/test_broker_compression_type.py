# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Names of compression types."""

from __future__ import annotations

import pytest

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.record.broker_compression_type import BrokerCompressionType

NOT_APPLICABLE = {"testTargetCompressionType": "targetCompression is not ported"}


def test_names() -> None:
    assert BrokerCompressionType.names() == ["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]
    for name in BrokerCompressionType.names():
        assert BrokerCompressionType.for_name(name.upper()).value == name
    with pytest.raises(IllegalArgumentException, match="Unknown broker compression type name: foo"):
        BrokerCompressionType.for_name("Foo")
