# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The files that an ingest is given: local files, globs and folders, remote ones, and standard input."""

from __future__ import annotations

import glob
import io
import os
import socket
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast
from urllib.parse import unquote, urlsplit

from kreactor.pipeline.compression import SPARKS_SUFFIXES, Format, Unpacked
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.identity import HEAD
from kreactor.pipeline.store import file_system

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STDIN = "-"
_CHUNK = 4 << 20


class LogFile(Protocol):
    """A file to ingest.

    ``name`` is shown to users, and is the value of the column ``file``. ``size`` is in bytes. ``seen`` is the
    name of the file for ``State.seen``, and ``stamp`` a text by which it is unchanged; both are empty if
    there is none. ``is_local`` is whether the file is reached without Hadoop.
    """

    is_local: bool
    name: str
    size: int
    seen: str
    stamp: str

    def open(self) -> Unpacked:
        """Open the content. Raises PipelineFailure, and OSError."""

    def is_readable_by_spark(self, format_: Format | None) -> bool:
        """Return whether Spark reads the same content under this name. ``format_`` is that of the content."""

    def is_unchanged(self, head: bytes) -> bool:
        """Return whether the file still has the content that was scanned; ``head`` is its first bytes."""


def _is_readable_by_spark(name: str, format_: Format | None) -> bool:
    if name.startswith((".", "_")):
        return False
    if format_ is None:
        return not name.endswith(SPARKS_SUFFIXES)
    return format_.suffix is not None and name.endswith(format_.suffix)


def seen_name(path: str) -> str:
    """Return the name of a local file for ``State.seen``."""
    return f"{socket.gethostname()}:{path}"


def stamp_of(status: os.stat_result) -> str:
    """Return a text by which a local file is unchanged."""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


class LocalFile:
    """A file of this machine."""

    is_local = True

    def __init__(self, name: str) -> None:
        status = os.stat(name)
        if not stat.S_ISREG(status.st_mode):
            raise PipelineFailure(f"{name}: not a regular file; pipe its content in, with - as the file")
        self.name = name
        self.size = status.st_size
        self.modified = status.st_mtime
        self.seen = seen_name(name)
        self.stamp = stamp_of(status)

    def open(self) -> Unpacked:
        return _unpacked(self.name, open(self.name, "rb"))

    def is_readable_by_spark(self, format_: Format | None) -> bool:
        return _is_readable_by_spark(os.path.basename(self.name), format_)

    def is_unchanged(self, head: bytes) -> bool:
        try:
            if stamp_of(os.stat(self.name)) == self.stamp:
                return True
            # It may have grown.
            with self.open() as source:
                return source.format is None and source.read(len(head)) == head
        except (OSError, PipelineFailure):
            return False


def _unpacked(name: str, raw: BinaryIO) -> Unpacked:
    try:
        return Unpacked(name, raw)
    except BaseException:
        raw.close()
        raise


class StandardInput:
    """All that standard input gives, in a file without a name."""

    is_local = True
    name = STDIN
    seen = stamp = ""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, os.SEEK_END)

    def open(self) -> Unpacked:
        self._file.seek(0)
        return _unpacked("standard input", open(os.dup(self._file.fileno()), "rb"))

    def is_readable_by_spark(self, format_: Format | None) -> bool:
        return False

    def is_unchanged(self, head: bytes) -> bool:
        return True


class _RemoteStream(io.RawIOBase):
    """A stream of Hadoop's."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = bytes(self._stream.readNBytes(len(buffer)))
        buffer[:len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if whence != os.SEEK_SET:
            raise io.UnsupportedOperation("seek from another place than the begin")
        self._stream.seek(offset)
        return offset

    def tell(self) -> int:
        return int(self._stream.getPos())

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


class RemoteFile:
    """A file that Hadoop reads."""

    is_local = False

    def __init__(self, fs: Any, status: Any) -> None:
        self._fs = fs
        self._path = status.getPath()
        self.name = self.seen = str(self._path.toString())
        self.size = status.getLen()
        self.stamp = self._stamp(status)

    @staticmethod
    def _stamp(status: Any) -> str:
        return f"{status.getLen()} {status.getModificationTime()}"

    def open(self) -> Unpacked:
        raw = io.BufferedReader(_RemoteStream(self._fs.open(self._path)), _CHUNK)
        return _unpacked(self.name, cast(BinaryIO, raw))

    def is_readable_by_spark(self, format_: Format | None) -> bool:
        return _is_readable_by_spark(str(self._path.getName()), format_)

    def is_unchanged(self, head: bytes) -> bool:
        return self._stamp(self._fs.getFileStatus(self._path)) == self.stamp


@dataclass(frozen=True, slots=True)
class Found:
    """The files of an ingest, and a sentence for each source without one."""

    files: Sequence[LogFile]
    refused: Sequence[str]


class Sources:
    """The sources of an ingest. Owner: one thread, which closes it by ``with``."""

    def __init__(self, spark: SparkSession, sources: Sequence[str]) -> None:
        self._spark = spark
        self._sources = sources
        self._stack = ExitStack()
        self._stdin: StandardInput | None = None

    def __enter__(self) -> Sources:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def find(self) -> Found:
        """Return the files as they are now, each once, the largest first."""
        files: dict[str, LogFile] = {}
        refused: list[str] = []
        for source in dict.fromkeys(self._sources):
            before = len(refused)
            found = list(self._files(source, refused))
            if not found and len(refused) == before:
                refused.append(f"{source}: no files in it")
            files |= {file.name: file for file in found}
        return Found(sorted(files.values(), key=lambda file: (-file.size, file.name)), refused)

    def _files(self, source: str, refused: list[str]) -> Iterator[LogFile]:
        if source == STDIN:
            yield self._standard_input()
            return
        if source.startswith("file:"):
            source = unquote(urlsplit(source).path)
        if "://" in source:
            yield from self._remote(source, refused)
            return
        # A name with the characters of a glob is first of all a name.
        names = [source] if os.path.lexists(source) else sorted(glob.glob(source, recursive=True))
        if not names:
            refused.append(f"{source}: there is no such file")
        for name in names:
            if os.path.isdir(name):
                for path in walk(name, lambda error: refused.append(told(error.filename, error))):
                    if os.path.isfile(path):
                        yield from _local(path, refused)
            else:
                yield from _local(name, refused)

    def _standard_input(self) -> LogFile:
        if self._stdin is None:
            file = self._stack.enter_context(tempfile.TemporaryFile(prefix="kreactor-"))
            while data := sys.stdin.buffer.read(_CHUNK):
                file.write(data)
            file.flush()
            self._stdin = StandardInput(cast(BinaryIO, file))
        return self._stdin

    def _remote(self, source: str, refused: list[str]) -> Iterator[LogFile]:
        fs = file_system(self._spark, source)
        jvm: Any = self._spark.sparkContext._jvm
        path = jvm.org.apache.hadoop.fs.Path(source)
        if fs.exists(path):
            matches = [fs.getFileStatus(path)]
        else:
            matches = list(fs.globStatus(path) or ())
        if not matches:
            refused.append(f"{source}: there is no such file")
        for match in matches:
            if not match.isDirectory():
                yield RemoteFile(fs, match)
                continue
            below = fs.listFiles(match.getPath(), True)
            while below.hasNext():
                status = below.next()
                relative = status.getPath().toString().removeprefix(match.getPath().toString())
                if not any(map(_is_hidden, relative.split("/"))):
                    yield RemoteFile(fs, status)


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_"))


def walk(folder: str, tell: Callable[[OSError], None]) -> Iterator[str]:
    """Yield the paths of the files below a folder, without names that begin with ``.`` or ``_``.

    ``tell`` gets the error of each folder that cannot be read.
    """
    for parent, folders, names in os.walk(folder, onerror=tell):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        yield from (os.path.join(parent, name) for name in sorted(names) if not _is_hidden(name))


def _local(path: str, refused: list[str]) -> Iterator[LogFile]:
    try:
        yield LocalFile(str(Path(path).absolute()))
    except OSError as e:
        refused.append(told(path, e))
    except PipelineFailure as e:
        refused.append(str(e))


def told(name: str, error: OSError) -> str:
    """Return the sentence for a file that cannot be read or written."""
    text = error.strerror or str(error)
    return f"{name}: {text[:1].lower()}{text[1:]}"


def head_of(file: LogFile) -> bytes:
    """Return the first bytes of a file's content, to compare them later. Raises PipelineFailure and
    OSError."""
    with file.open() as source:
        return source.read(HEAD)
