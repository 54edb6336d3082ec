# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The broker's data folder: its node and cluster, its lock, and the mark of a clean shutdown.

Two locks on ``.lock`` keep a second broker out. ``flock`` also separates brokers of the same process.
``fcntl`` is the lock that Kafka takes. It is weaker: it ends when this process closes any descriptor of the
file. The kernel releases both when the process ends.

DEVIATION D388: the file stays after a stop. Kafka removes it. A broker that opened the file before the
removal then locks a deleted file. The next broker makes a new file, and both use the folder.

Owner: the thread that starts and stops the node.
"""

from __future__ import annotations

import errno
import os
from typing import NamedTuple

from kreactor.common.errors import InconsistentClusterIdException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.utils.log_context import LogContext
from kreactor.common.uuid import Uuid
from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.files import flush_directory, write_atomically
from kreactor.jdk.floor import Floor
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.properties import load_properties

LOCK_FILE = ".lock"
META_PROPERTIES_FILE = "meta.properties"
CLEAN_SHUTDOWN_FILE = ".kafka_cleanshutdown"

_META_VERSION = "1"

log = LogContext().logger(f"{__name__}.DataFolder")


class DataFolderLockedException(KafkaException):
    """Another broker uses the folder."""


class MetaProperties(NamedTuple):
    """The owner of a folder: the content of ``meta.properties``."""

    cluster_id: str
    node_id: int
    directory_id: Uuid


class DataFolder:
    """A folder that this process has locked, from ``open`` to ``release``."""

    __slots__ = ("_path", "_lock_fd", "__weakref__")

    def __init__(self, path: str, lock_fd: int) -> None:
        """Own the descriptor of the locked file. Callers use ``open`` instead."""
        self._path = path
        self._lock_fd = lock_fd
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Close the file in a forked child. The lock stays with the parent: an unlock here would end it."""
        fd, self._lock_fd = self._lock_fd, -1
        if fd >= 0:
            Floor.os.close(fd)

    @staticmethod
    def open(path: str) -> DataFolder:
        """Make the folder if it does not exist, and lock it.

        Raises DataFolderLockedException if another broker uses the folder, or KafkaException if the folder
        cannot be used.
        """
        path = os.path.abspath(path)
        try:
            if not Floor.os.path.isdir(path):
                Floor.os.makedirs(path)
                flush_directory(os.path.dirname(path))
            lock_path = os.path.join(path, LOCK_FILE)
            fd = Floor.os.open(lock_path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
        except OSError as e:
            raise KafkaException(f"The data folder {path} cannot be used: {e.strerror or e}", e) from e
        except ValueError as e:  # the path is invalid
            raise KafkaException(f"The data folder {path!a} cannot be used: {e}", e) from e
        try:
            Floor.fcntl.flock(fd, Floor.fcntl.LOCK_EX | Floor.fcntl.LOCK_NB)
            Floor.fcntl.lockf(fd, Floor.fcntl.LOCK_EX | Floor.fcntl.LOCK_NB)
        except OSError as e:
            Floor.os.close(fd)
            if e.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise KafkaException(f"The data folder {path} cannot be locked: {e.strerror or e}", e) from e
            raise DataFolderLockedException(
                f"Failed to acquire lock on file {LOCK_FILE} in {path}. A Kafka instance in another process "
                "or thread is using this directory.") from None
        return DataFolder(path, fd)

    def path(self) -> str:
        """Return the folder's absolute path."""
        return self._path

    def file(self, name: str) -> str:
        """Return the path of a file in the folder."""
        return os.path.join(self._path, name)

    def release(self) -> None:
        """Unlock the folder. A second call does nothing."""
        fd, self._lock_fd = self._lock_fd, -1
        if fd >= 0:
            try:
                # Unlocked explicitly, because closing does not unlock while a child that was just forked has
                # the descriptor too.
                Floor.fcntl.flock(fd, Floor.fcntl.LOCK_UN)
            finally:
                Floor.os.close(fd)

    # -- owner -------------------------------------------------------------------------------------

    def load_meta_properties(self, node_id: int, cluster_id: str | None) -> MetaProperties:
        """Return the folder's owner. A new folder gets ``node_id``, and ``cluster_id`` or a new cluster id.

        Raises InconsistentClusterIdException or KafkaException if the folder has another owner, or
        KafkaException if the file cannot be read or written.
        """
        path = self.file(META_PROPERTIES_FILE)
        try:
            with Floor.io.open(path, "rb") as file:
                props = load_properties(file.read())
        except FileNotFoundError:
            return self._write_meta_properties(path, MetaProperties(
                cluster_id or str(Uuid.random_uuid()), node_id, Uuid.random_uuid()))
        except (OSError, IllegalArgumentException) as e:
            raise KafkaException(f"{path} cannot be read: {e}", e) from e
        if props.get("version") != _META_VERSION:
            raise KafkaException(f"{path} has version {props.get('version', 0)}, not {_META_VERSION}")
        try:
            meta = MetaProperties(props["cluster.id"], int(props["node.id"]),
                                  Uuid.from_string(props["directory.id"]) if "directory.id" in props
                                  else Uuid.random_uuid())
        except KeyError as e:
            raise KafkaException(f"{path} has no {e.args[0]}") from e
        except (ValueError, IllegalArgumentException) as e:
            raise KafkaException(f"{path} cannot be read: {e}", e) from e
        if meta.node_id != node_id:
            raise KafkaException(f"The data folder {self._path} is that of node {meta.node_id}, and this is "
                                 f"node {node_id}: change node.id, or use another folder")
        if cluster_id is not None and meta.cluster_id != cluster_id:
            raise InconsistentClusterIdException(
                f"The data folder {self._path} is that of cluster {meta.cluster_id}, and not of {cluster_id}")
        return meta if "directory.id" in props else self._write_meta_properties(path, meta)

    def _write_meta_properties(self, path: str, meta: MetaProperties) -> MetaProperties:
        now = Clock.utc()
        # As Date.toString. strftime follows the locale, and is a function that a test may replace.
        day_and_month, time_of_day = now.ctime()[:8], now.ctime()[10:19]
        text = (f"#\n#{day_and_month}{now.day:02d}{time_of_day} UTC {now.year}\nversion={_META_VERSION}\n"
                f"cluster.id={meta.cluster_id}\nnode.id={meta.node_id}\ndirectory.id={meta.directory_id}\n")
        try:
            write_atomically(path, text.encode("ascii"))
        except OSError as e:
            raise KafkaException(f"The data folder {self._path} cannot be used: {e.strerror or e}", e) from e
        return meta

    # -- clean shutdown ----------------------------------------------------------------------------

    def take_clean_shutdown_mark(self) -> bool:
        """Return whether the last shutdown was clean, and remove the mark. A crash from now on leaves no
        mark.

        Raises KafkaException if the mark cannot be removed.
        """
        path = self.file(CLEAN_SHUTDOWN_FILE)
        try:
            Floor.os.remove(path)
            flush_directory(self._path)
        except FileNotFoundError:
            return False
        except OSError as e:
            raise KafkaException(f"The data folder {self._path} cannot be used: {e.strerror or e}", e) from e
        return True

    def mark_clean_shutdown(self) -> None:
        """Mark the shutdown as clean: all logs are closed and durable."""
        try:
            write_atomically(self.file(CLEAN_SHUTDOWN_FILE), b'{"version":0,"brokerEpoch":-1}')
        except OSError as e:
            log.warn("The clean shutdown cannot be marked, the next start will read the logs: %s", e)
