# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A log is opened by its first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import pytest
import zstandard

from kreactor.pipeline.compression import Unpacked, format_of, open_log
from kreactor.pipeline.failures import PipelineFailure

FORMATS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "bzip2": bz2.compress, "Zstandard": zstandard.compress, "xz": lzma.compress,
    "LZ4": lz4.frame.compress}
# Hardly compressible, and larger than the buffers.
CONTENT = bytes(number * number >> 7 & 0xff for number in range(300_000))


def read(stream: Unpacked) -> bytes:
    content = b""
    while data := stream.read(100_000):
        content += data
    return content


@pytest.mark.parametrize("name", FORMATS)
def test_an_archive_is_read_whole_or_refused(tmp_path: Path, name: str) -> None:
    packed, log = FORMATS[name](CONTENT), tmp_path / "request.log"
    log.write_bytes(packed)
    with open_log(str(log)) as stream:
        assert stream.format is not None and stream.format.name == name
        assert read(stream) == CONTENT
    # Rotation may append an archive to an archive.
    with Unpacked("log", io.BytesIO(packed + FORMATS[name](b"more"))) as stream:
        assert read(stream) == CONTENT + b"more"
    for cut in (len(packed) - 1, len(packed) // 2, 20):
        with Unpacked("log", io.BytesIO(packed[:cut])) as stream, pytest.raises(
                PipelineFailure, match=f"^log: the {name} archive ends early or is damaged; bring"):
            read(stream)


@pytest.mark.parametrize("content", [b"", b"\n", b"[2026-11-21", CONTENT])
def test_any_other_file_is_read_as_it_is(content: bytes) -> None:
    with Unpacked("log.gz", io.BytesIO(content)) as stream:
        assert stream.format is None and read(stream) == content


@pytest.mark.parametrize("head, told", [
    (b"PK\x03\x04", "log: compressed with zip, which kreactor does not read; unpack it with unzip"),
    (b"\xff\x06\x00\x00sNaPpY", "log: compressed with Snappy, which kreactor does not read; unpack it with "),
])
def test_other_compressions_are_named(tmp_path: Path, head: bytes, told: str) -> None:
    with pytest.raises(PipelineFailure) as e:
        Unpacked("log", io.BytesIO(head + b"x"))
    assert str(e.value).startswith(told)
    (tmp_path / "log").write_bytes(head)
    with pytest.raises(PipelineFailure):
        open_log(str(tmp_path / "log"))


def test_what_a_follower_leaves_out() -> None:
    assert format_of(gzip.compress(b"x", mtime=0)) is not None
    assert format_of(b"[2026-11-21") is None and format_of(b"") is None
