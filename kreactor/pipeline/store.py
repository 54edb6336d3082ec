# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The file systems of a table: local folders, which need no Spark, and any other of Hadoop's."""

from __future__ import annotations

import errno
import os
import re
import shutil
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.session import is_remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_S3A = "org.apache.hadoop.fs.s3a.S3AFileSystem"
# How often a file is created if its folder goes at the same time.
_ATTEMPTS = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder: its name, bytes, and time of change in seconds since 1970, by the store's clock."""

    name: str
    is_folder: bool
    size: int
    changed_s: float


class Store(Protocol):
    """A file system. Any thread may call it. Methods raise FileNotFoundError where a file is missing."""

    is_local: bool

    def list(self, folder: str) -> list[Entry]:
        """Return the entries of a folder; none if it does not exist."""

    def read(self, path: str, offset: int = 0, size: int | None = None) -> bytes:
        """Return the bytes of a file from ``offset`` on, at most ``size``."""

    def write(self, path: str, data: bytes) -> None:
        """Write a file with its folders. A reader sees the whole file or the file before it."""

    def create(self, path: str, data: bytes) -> bool:
        """Write a file with its folders, unless it exists. Of several callers, one gets True."""

    def rename(self, path: str, to: str) -> bool:
        """Rename a file or folder, and make the folders above. Return whether it was there, and ``to``
        not."""

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with its content, if it exists."""


def _create(path: str) -> BinaryIO:
    """Create a file with its folders, which another process may remove meanwhile if they are empty."""
    for _ in range(_ATTEMPTS):
        with suppress(FileNotFoundError):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            return open(path, "xb")
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


class LocalStore:
    """Local folders. A path may begin with ``file:``."""

    is_local = True

    def list(self, folder: str) -> list[Entry]:
        found = []
        with suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                # An entry may go while it is looked at.
                with suppress(FileNotFoundError):
                    status = entry.stat()
                    found.append(Entry(entry.name, entry.is_dir(), status.st_size, status.st_mtime))
        return found

    def read(self, path: str, offset: int = 0, size: int | None = None) -> bytes:
        with open(path, "rb") as stream:
            stream.seek(offset)
            return stream.read(-1 if size is None else size)

    def write(self, path: str, data: bytes) -> None:
        os.replace(self._write_beside(path, data), path)

    def create(self, path: str, data: bytes) -> bool:
        written = self._write_beside(path, data)
        try:
            os.link(written, path)
        except FileExistsError:
            return False
        except OSError:
            # The file system has no links.
            try:
                with open(path, "xb") as stream:
                    stream.write(data)
            except FileExistsError:
                return False
        finally:
            os.unlink(written)
        return True

    @staticmethod
    def _write_beside(path: str, data: bytes) -> str:
        folder, name = os.path.split(path)
        written = f"{folder}/.{name}.{uuid.uuid4().hex[:8]}"
        try:
            with _create(written) as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        except BaseException:
            Path(written).unlink(missing_ok=True)
            raise
        return written

    def rename(self, path: str, to: str) -> bool:
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if os.path.lexists(to):
            return False
        try:
            os.rename(path, to)
        except FileNotFoundError:
            return False
        except OSError:
            # Another process was faster.
            if os.path.lexists(to):
                return False
            raise
        return True

    def delete(self, path: str) -> None:
        if os.path.isdir(path) and not os.path.islink(path):
            # Another process may delete the same.
            while os.path.isdir(path):
                with suppress(FileNotFoundError):
                    shutil.rmtree(path)
        else:
            Path(path).unlink(missing_ok=True)


class HadoopStore:
    """Any file system that Spark reads and writes."""

    is_local = False

    def __init__(self, spark: SparkSession, where: str) -> None:
        self._fs = file_system(spark, where)
        self._jvm: Any = spark.sparkContext._jvm

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def list(self, folder: str) -> list[Entry]:
        at = self._path(folder)
        if not self._fs.exists(at):
            return []
        return [Entry(status.getPath().getName(), status.isDirectory(), status.getLen(),
                      status.getModificationTime() / 1000) for status in self._fs.listStatus(at)]

    def read(self, path: str, offset: int = 0, size: int | None = None) -> bytes:
        at = self._path(path)
        if not self._fs.exists(at):
            raise FileNotFoundError(f"{path}: there is no such file")
        stream = self._fs.open(at)
        try:
            stream.seek(offset)
            return bytes(stream.readAllBytes() if size is None else stream.readNBytes(size))
        finally:
            stream.close()

    def write(self, path: str, data: bytes) -> None:
        folder, _, name = path.rpartition("/")
        written = self._path(f"{folder}/.{name}.{uuid.uuid4().hex[:8]}")
        self._put(self._fs.create(written, True), data)
        self._fs.delete(self._path(path), False)
        if not self._fs.rename(written, self._path(path)):
            raise OSError(f"{path} cannot be written")

    def create(self, path: str, data: bytes) -> bool:
        # Object stores check this option when the file is closed. Others check while they create it.
        made = self._fs.createFile(self._path(path)).overwrite(False).recursive().opt(
            "fs.option.create.conditional.overwrite", True)
        try:
            self._put(made.build(), data)
        except Exception:
            if not self._fs.exists(self._path(path)):
                raise
        # No two callers write the same bytes.
        return self.read(path) == data

    @staticmethod
    def _put(stream: Any, data: bytes) -> None:
        try:
            stream.write(bytearray(data))
        finally:
            stream.close()

    def rename(self, path: str, to: str) -> bool:
        source, target = self._path(path), self._path(to)
        # Hadoop would move a folder into an existing one.
        if self._fs.exists(target) or not self._fs.exists(source):
            return False
        self._fs.mkdirs(target.getParent())
        return bool(self._fs.rename(source, target))

    def delete(self, path: str) -> None:
        self._fs.delete(self._path(path), True)


def literal(path: str) -> str:
    """Return a path for Spark's readers, which take some characters of a name for a pattern."""
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", path)


def store_of(spark: SparkSession | None, where: str) -> tuple[Store, str]:
    """Return the store of a folder, and the folder's path in it."""
    if where.startswith("file:"):
        from urllib.parse import unquote, urlsplit

        return LocalStore(), unquote(urlsplit(where).path)
    if "://" not in where:
        if spark is not None and is_remote():
            # The server has another working folder.
            return LocalStore(), os.path.abspath(where)
        if spark is None or _is_local_by_default(spark):
            return LocalStore(), where
        return HadoopStore(spark, where), where
    if spark is None:
        raise ValueError(f"{where}: needs Spark")
    return HadoopStore(spark, where), where


def file_system(spark: SparkSession, path: str) -> Any:
    """Return Hadoop's file system of a path. Raises PipelineFailure if this process has none for it."""
    if is_remote():
        raise PipelineFailure(f"{path}: with Spark Connect, kreactor reads and writes only folders that are "
                              "mounted both here and on the server; use --master, or mount it")
    jvm: Any = spark.sparkContext._jvm
    try:
        return jvm.org.apache.hadoop.fs.Path(path).getFileSystem(
            spark.sparkContext._jsc.hadoopConfiguration())
    except Exception as e:
        if f"{_S3A} not found" not in str(e):
            raise
        package = f"org.apache.hadoop:hadoop-aws:{jvm.org.apache.hadoop.util.VersionInfo.getVersion()}"
        raise PipelineFailure(f"{path}: needs the Java package {package}, 700 MB with those that it needs: "
                              f"--conf spark.jars.packages={package} downloads it") from e


def check_shared(spark: SparkSession, path: str) -> None:
    """Raise PipelineFailure if Spark runs on a server of Spark Connect that does not see a local file or
    folder."""
    from pyspark.errors import AnalysisException

    if not is_remote():
        return
    try:
        # The server looks for the path, and reads nothing.
        spark.read.text(literal(os.path.abspath(path))).schema  # noqa: B018
    except AnalysisException:
        raise PipelineFailure(f"{path}: the server of Spark Connect does not see it; choose a folder that "
                              "this machine and the server share under one path") from None


def _is_local_by_default(spark: SparkSession) -> bool:
    """Return whether a path without a scheme is local."""
    default: str = spark.sparkContext._jsc.hadoopConfiguration().get("fs.defaultFS", "file:///")
    return default.startswith("file:")
