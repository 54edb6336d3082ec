# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A log in a data folder, which LogManager opens, truncates and deletes."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.log.log_manager import LogManager, LogManagerConfig
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.embedded.data_folder import DataFolder
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import NOW, TP, MockScheduler, TrackedFiles


class ManagedLog:
    """One log of a topic with an id, and its manager, which a test may stop and start anew."""

    def __init__(self, directory: Path, config: LogConfig, topic_partition: TopicPartition = TP) -> None:
        self.config = config
        self.topic_partition = topic_partition
        self.topic_id = Uuid.random_uuid()
        self.time = MockTime(current_time_ms=NOW)
        self.scheduler = MockScheduler(self.time)
        self.files = TrackedFiles()
        self.folder = DataFolder.open(str(directory / "data"))
        self.manager = self._new_manager()
        self.manager.create_log(topic_partition, self.topic_id, config)

    def _new_manager(self) -> LogManager:
        return LogManager(self.folder, LogManagerConfig(transaction_verification_enabled=False),
                          self.scheduler, self.time, self.files)

    def log(self) -> UnifiedLog:
        """Return the log that serves the partition now."""
        found = self.manager.get_log(self.topic_partition)
        assert found is not None
        return found

    def truncate_to(self, offset: int) -> UnifiedLog:
        """Cut the log off; return the log that takes its place."""
        return self.manager.truncate_log(self.topic_partition, offset)

    def restart(self, topic_id: Uuid) -> UnifiedLog:
        """Stop cleanly, and start with a topic of this id. Raises what LogManager raises."""
        self.manager.shutdown()
        self.manager = self._new_manager()
        self.manager.load({self.topic_partition: (topic_id, self.config)})
        return self.log()

    def dispose(self) -> None:
        """Leave nothing open."""
        self.manager.abandon()
        self.folder.release()
        self.files.close_all()
