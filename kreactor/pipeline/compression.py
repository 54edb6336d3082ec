# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Tells by a file's first bytes whether Spark will unpack it.

Spark chooses how to unpack a file by the end of its name, and reads any other file as text. A compressed file
under another name would become lines that are not UTF-8; and of a file that ``lz4`` has made, Spark reads
nothing, because Hadoop has a format of its own under the same name.
"""

from __future__ import annotations

# The most bytes that ``refusal`` needs.
HEAD_BYTES = 16

# The first bytes, the name, the end of the name by which Spark unpacks it, and the command that unpacks it.
_FORMATS = (
    (b"\x1f\x8b", "gzip", ".gz", "gzip -d"),
    (b"BZh", "bzip2", ".bz2", "bzip2 -d"),
    (b"\x28\xb5\x2f\xfd", "Zstandard", ".zst", "zstd -d"),
    (b"\xfd7zXZ\x00", "xz", None, "xz -d"),
    (b"\x04\x22\x4d\x18", "LZ4", None, "lz4 -d"),
    (b"\x02\x21\x4c\x18", "LZ4", None, "lz4 -d"),
    (b"\xff\x06\x00\x00sNaPpY", "Snappy", None, "snzip -d"),
    (b"LZIP", "lzip", None, "lzip -d"),
    (b"\x89LZO\x00", "lzop", None, "lzop -d"),
    (b"\x1f\x9d", "compress", None, "gzip -d"),
    (b"PK\x03\x04", "zip", None, "unzip"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", None, "7z x"),
)


def is_compressed(head: bytes) -> bool:
    """Return whether a file that begins with ``head`` is compressed."""
    return any(head.startswith(magic) for magic, *_ in _FORMATS)


def refusal(name: str, head: bytes) -> str | None:
    """Return why Spark will not read the lines of a file, and what to do; None if it will.

    ``head`` is the file's first bytes: HEAD_BYTES, or the whole file if that is shorter.
    """
    for magic, kind, suffix, command in _FORMATS:
        if head.startswith(magic):
            if suffix is None:
                return f"{name}: compressed with {kind}, which Spark does not read; unpack it with {command}"
            if not name.endswith(suffix):
                return f"{name}: compressed with {kind}, which its name does not say; name it {name}{suffix}"
            return None
    for _, kind, suffix, _ in _FORMATS:
        if head and suffix is not None and name.endswith(suffix):
            return f"{name}: its name says that it is compressed with {kind}, its bytes do not; rename it"
    return None
