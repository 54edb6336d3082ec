# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The table of ingest, as files. An ingest is in the table completely or not at all.

::

    DIR/requests/ingest=<id>/date=<UTC>/hour=<UTC>/*.parquet     a row for each request: lines.COLUMNS
    DIR/quarantine/ingest=<id>/date=.../hour=.../*.parquet       a row for each other line: QUARANTINE_COLUMNS
    DIR/requests/ingest=<id>/_ingest.json                        its sources and its counts
    DIR/_staging/<host>-<process>-<id>/                          files of an ingest under way
    DIR/_follow/<name>/                                          the progress of a follower

Files are written below ``_staging``, which no reader of Parquet looks into. When all are there and counted,
the folder of the quarantine is renamed to its place, and then that of the requests: the second rename is the
commit. A quarantine without requests belongs to an ingest that ended in between, and is not read. An id is
used once: a follower that repeats a batch finds its id and skips it.

All access uses Hadoop's file systems, so DIR is any path that Spark can write. Where a rename is not atomic,
as in object stores, the commit is not atomic, either.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.lines import COLUMNS, QUARANTINE_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_RECORD = "_ingest.json"
_STAGED = re.compile(r"(?P<host>.+)-(?P<process>\d+)-[^-]+")


class Table:
    """A table in the folder ``where``. Owner: one thread."""

    def __init__(self, spark: SparkSession, where: str) -> None:
        self._spark = spark
        self._where = where.rstrip("/") or where
        # Spark's gateway to the JVM.
        self._jvm: Any = spark.sparkContext._jvm
        self._fs = self._path(self._where).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def __str__(self) -> str:
        return self._where

    def _list(self, path: str) -> list[Any]:
        """Return the entries of a folder; empty if it does not exist."""
        at = self._path(path)
        return list(self._fs.listStatus(at)) if self._fs.exists(at) else []

    def exists(self) -> bool:
        """Return whether the table has a commit."""
        return bool(self.ids())

    def ids(self) -> list[str]:
        """Return the ids of all commits."""
        names = (status.getPath().getName() for status in self._list(f"{self._where}/requests"))
        return sorted(name.removeprefix("ingest=") for name in names if name.startswith("ingest="))

    def check_writable(self) -> None:
        """Raise PipelineFailure if the folder has other content than a table."""
        at = self._path(self._where)
        if not self._fs.exists(at):
            return
        if not self._fs.getFileStatus(at).isDirectory():
            raise PipelineFailure(f"{self}: a file; --to needs a folder")
        names = {status.getPath().getName() for status in self._list(self._where)}
        foreign = names - {"requests", "quarantine", "_staging", "_follow"}
        if foreign:
            raise PipelineFailure(f"{self}: has {min(foreign)} in it, which is no part of such a table; "
                                  "choose a folder that is new, empty or a table of requests")

    def records(self) -> dict[str, dict[str, Any]]:
        """Return the record of each ingest, by its id."""
        found = {}
        for id_ in self.ids():
            at = self._path(f"{self._where}/requests/ingest={id_}/{_RECORD}")
            stream = self._fs.open(at)
            try:
                text = self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
            finally:
                stream.close()
            found[id_] = json.loads(text)
        return found

    @contextmanager
    def staging(self, id_: str) -> Iterator[str]:
        """Yield a folder to write into, which is always removed afterwards."""
        self._remove_abandoned()
        staged = f"{self._where}/_staging/{socket.gethostname()}-{os.getpid()}-{id_}"
        try:
            yield staged
        finally:
            self._fs.delete(self._path(staged), True)
            # The parent is removed with its last entry; before that, delete raises or returns false.
            if not self._list(f"{self._where}/_staging"):
                self._fs.delete(self._path(f"{self._where}/_staging"), False)

    def _remove_abandoned(self) -> None:
        """Remove the files that ended processes of this machine have left behind."""
        committed = {*self.ids()}
        for status in self._list(f"{self._where}/_staging"):
            match = _STAGED.fullmatch(status.getPath().getName())
            if match and match["host"] == socket.gethostname() and not _is_alive(int(match["process"])):
                self._fs.delete(status.getPath(), True)
        for status in self._list(f"{self._where}/quarantine"):
            if status.getPath().getName().removeprefix("ingest=") not in committed:
                self._fs.delete(status.getPath(), True)

    def commit(self, staged: str, id_: str, record: Mapping[str, Any]) -> None:
        """Move the staged folders ``kind=requests`` and ``kind=quarantine`` into the table."""
        requests = self._path(f"{staged}/kind=requests")
        self._fs.mkdirs(requests)
        stream = self._fs.create(self._path(f"{staged}/kind=requests/{_RECORD}"), True)
        try:
            stream.write(bytearray(json.dumps(record).encode()))
        finally:
            stream.close()
        quarantine = self._path(f"{staged}/kind=quarantine")
        if self._fs.exists(quarantine):
            self._move(quarantine, "quarantine", id_)
        self._move(requests, "requests", id_)

    def _move(self, staged: Any, kind: str, id_: str) -> None:
        to = self._path(f"{self._where}/{kind}/ingest={id_}")
        self._fs.mkdirs(to.getParent())
        # Hadoop would move the folder into an existing one.
        if self._fs.exists(to) or not self._fs.rename(staged, to):
            raise PipelineFailure(f"{self}: ingest {id_} cannot be committed: {to} is in the way")

    def requests(self) -> DataFrame:
        """Return the requests. Raises PipelineFailure if there is no table."""
        return self._read("requests", COLUMNS)

    def quarantine(self) -> DataFrame:
        """Return the lines that are not requests."""
        return self._read("quarantine", QUARANTINE_COLUMNS)

    def _read(self, kind: str, columns: Mapping[str, tuple[str, str]]) -> DataFrame:
        ids = self.ids()
        if not ids:
            raise PipelineFailure(f"{self}: no table of requests; kreactor pipeline ingest makes one")
        schema = ", ".join(f"`{name}` {type_name}" for name, (type_name, _) in columns.items())
        there = [path for path in (f"{self._where}/{kind}/ingest={id_}" for id_ in ids)
                 if self._fs.exists(self._path(path))]
        if not there:
            return self._spark.createDataFrame([], schema)
        # The columns of partitions come from the files' paths.
        return self._spark.read.schema(f"{schema}, ingest STRING, date STRING, hour INT").option(
            "basePath", f"{self._where}/{kind}").parquet(*there).select(*columns, "ingest", "date", "hour")

    def follow_folder(self, name: str) -> str:
        """Return the folder in which the follower with this name stores its progress."""
        return f"{self._where}/_follow/{name}"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
