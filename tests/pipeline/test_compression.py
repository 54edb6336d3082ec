# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The first bytes of a file tell whether Spark will unpack it."""

from __future__ import annotations

import gzip

import pytest

from kreactor.pipeline.compression import is_compressed, refusal

# Without the time, so that the names of the tests are the same in each process.
GZIP = gzip.compress(b"x", mtime=0)


@pytest.mark.parametrize("name, head, told", [
    ("a.log", b"[2026-11-21", None),
    ("a.log", b"", None),
    ("a.log.gz", b"", None),
    ("a.log.gz", GZIP, None),
    ("a.log", GZIP, "compressed with gzip, which its name does not say; name it a.log.gz"),
    # Spark's own comparison heeds the case.
    ("a.log.GZ", GZIP, "which its name does not say"),
    ("a.log.gz", b"[2026-11-21", "its name says that it is compressed with gzip, its bytes do not"),
    ("a.log.gz", b"\xfd7zXZ\x00", "compressed with xz, which Spark does not read; unpack it with xz -d"),
    ("a.lz4", b"\x04\x22\x4d\x18", "compressed with LZ4"),
    # Hadoop's own format has no mark.
    ("a.lz4", b"\x00\x00\x10\x00", None),
    ("a.zip", b"PK\x03\x04", "unpack it with unzip"),
])
def test_what_a_file_is_refused_for(name: str, head: bytes, told: str | None) -> None:
    refused = refusal(name, head)
    assert refused is None if told is None else told in (refused or "")


def test_what_a_follower_leaves_out() -> None:
    assert is_compressed(GZIP)
    assert not is_compressed(b"[2026-11-21") and not is_compressed(b"")
