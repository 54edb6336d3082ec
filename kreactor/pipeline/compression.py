# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Opens a log by its first bytes: plain, or compressed with gzip, bzip2, xz, Zstandard or LZ4.

A file's name says nothing here. A rolled log is often compressed under another name, and a plain log may end
with ``.gz``.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, BinaryIO, cast

from kreactor.jdk.extras import needs
from kreactor.pipeline.failures import PipelineFailure

# The most bytes that ``format_of`` needs.
HEAD_BYTES = 16
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Format:
    """A compression: its name, the end of the name by which Spark unpacks it, and a command that unpacks it.

    ``open`` is None if kreactor does not read it.
    """

    name: str
    suffix: str | None
    command: str
    open: Callable[[BinaryIO], IO[bytes]] | None = None


def _open_gzip(raw: BinaryIO) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))


def _open_with_arrow(codec: str) -> Callable[[BinaryIO], IO[bytes]]:
    def opened(raw: BinaryIO) -> IO[bytes]:
        try:
            import pyarrow as pa
        except ImportError:
            raise PipelineFailure(needs(f"a log that is compressed with {codec}", "spark")) from None
        return cast("IO[bytes]", pa.CompressedInputStream(pa.PythonFile(raw, "r"), codec))

    return opened


_LZ4 = Format("LZ4", None, "lz4 -d", _open_with_arrow("lz4"))
_FORMATS = (
    (b"\x1f\x8b", Format("gzip", ".gz", "gzip -d", _open_gzip)),
    (b"BZh", Format("bzip2", ".bz2", "bzip2 -d", bz2.BZ2File)),
    (b"\x28\xb5\x2f\xfd", Format("Zstandard", ".zst", "zstd -d", _open_with_arrow("zstd"))),
    (b"\xfd7zXZ\x00", Format("xz", None, "xz -d", lzma.LZMAFile)),
    (b"\x04\x22\x4d\x18", _LZ4),
    (b"\x02\x21\x4c\x18", Format("LZ4 in its legacy format", None, "lz4 -d")),
    (b"\xff\x06\x00\x00sNaPpY", Format("Snappy", None, "snzip -d")),
    (b"LZIP", Format("lzip", None, "lzip -d")),
    (b"\x89LZO\x00", Format("lzop", None, "lzop -d")),
    (b"\x1f\x9d", Format("compress", None, "gzip -d")),
    (b"PK\x03\x04", Format("zip", None, "unzip")),
    (b"7z\xbc\xaf\x27\x1c", Format("7-Zip", None, "7z x")),
)
# The ends of names by which Spark unpacks a file, whatever its bytes are.
SPARKS_SUFFIXES = (".gz", ".bz2", ".zst", ".deflate", ".snappy", ".lz4", ".passthrough")

# The exceptions of the libraries for an archive that is cut short or damaged. pyarrow's errors are OSErrors.
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, ValueError)


def format_of(head: bytes) -> Format | None:
    """Return the compression of a file that begins with ``head``, or None for any other file.

    ``head`` is the file's first bytes: HEAD_BYTES, or the whole file if that is shorter.
    """
    return next((kind for magic, kind in _FORMATS if head.startswith(magic)), None)


class Unpacked(io.RawIOBase):
    """The content of a log, for reading from begin to end.

    ``format`` is the compression, None for a plain log. ``read`` raises PipelineFailure for an archive that
    is cut short or damaged, and OSError where the log itself cannot be read. The owner closes it, which
    closes ``raw``.
    """

    def __init__(self, name: str, raw: BinaryIO) -> None:
        self._name = name
        self._raw = raw
        head = raw.read(HEAD_BYTES)
        raw.seek(0)
        self.format = format_of(head)
        self._stream: IO[bytes] = raw
        if self.format is not None:
            if self.format.open is None:
                raise PipelineFailure(f"{name}: compressed with {self.format.name}, which kreactor does not "
                                      f"read; unpack it with {self.format.command}")
            self._stream = self.format.open(raw)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, at most ``size``; none at the end."""
        try:
            return self._stream.read(size)
        except _DAMAGED as e:
            raise self._damaged() from e
        except OSError as e:
            # An error of the operating system has a number, one of a library has none.
            if self.format is None or e.errno is not None:
                raise
            raise self._damaged() from e

    def skip(self, size: int) -> None:
        """Skip the next bytes, at most ``size``. Raises what ``read`` raises."""
        while size > 0 and (data := self.read(min(_CHUNK, size))):
            size -= len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a position of a plain log. Raises UnsupportedOperation for any other."""
        if self.format is not None:
            raise io.UnsupportedOperation("seek in an archive")
        return self._raw.seek(offset, whence)

    def _damaged(self) -> PipelineFailure:
        assert self.format is not None
        return PipelineFailure(f"{self._name}: the {self.format.name} archive ends early or is damaged; "
                               "bring it whole, or unpack what there is of it")

    def close(self) -> None:
        if not self.closed:
            if self._stream is not self._raw:
                self._stream.close()
            self._raw.close()
        super().close()


def open_log(path: str) -> Unpacked:
    """Open the content of a local file. Raises PipelineFailure for a compression that kreactor does not read,
    and OSError.
    """
    raw = open(path, "rb")
    try:
        return Unpacked(path, raw)
    except BaseException:
        raw.close()
        raise
