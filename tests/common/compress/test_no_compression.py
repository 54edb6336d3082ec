# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's NoCompressionTest."""

from __future__ import annotations

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.jdk.exceptions import UnsupportedOperationException
from tests.common.compress.codecs import compressed, decompressed

DATA = b"data" * 256


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_compression_decompression(magic) -> None:
    assert compressed(Compression.NONE, DATA, magic) == DATA
    assert decompressed(Compression.NONE, DATA, magic) == DATA
    with pytest.raises(UnsupportedOperationException, match="not defined for this compression type=none"):
        Compression.NONE.decompression_output_size()
