# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The node's storage: one data folder with topics, their logs, producer ids, dynamic settings, ACLs and
quotas.

Owner: the thread that starts the node calls ``startup`` and ``shutdown``. Any thread calls the other methods
in between.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kreactor.common.errors import ApiException, InvalidConfigurationException
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.core.log.log_manager import LogManager, LogManagerConfig
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.embedded import acls as acl_files
from kreactor.embedded import configs as config_files
from kreactor.embedded import client_quotas, producer_ids, scram_credentials, topics
from kreactor.embedded.acls import AclStore
from kreactor.embedded.client_quotas import ClientQuotaStore
from kreactor.embedded.configs import ConfigStore
from kreactor.embedded.data_folder import DataFolder, MetaProperties
from kreactor.embedded.producer_ids import ProducerIds
from kreactor.embedded.scram_credentials import ScramCredentialStore
from kreactor.embedded.topics import TopicRegistry
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.metadata.node_storage import NewTopic, Topic
from kreactor.server.util.scheduler import Scheduler
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.log_validator import NO_APPEND_METRICS, MetricsRecorder
from kreactor.storage.internals.log.open_files import OpenFiles

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StorageConfig:
    """The folder's path, its owner, and the settings of its logs.

    ``topic_defaults`` are the broker's defaults of topics, as ``KafkaConfig.extract_log_config_map`` returns
    them. Without a ``cluster_id``, a new folder gets a new id.
    """

    directory: str
    node_id: int = 1
    cluster_id: str | None = None
    topic_defaults: Mapping[str, Any] = field(default_factory=dict)
    log_manager: LogManagerConfig = field(default_factory=LogManagerConfig)


class Storage:
    """The storage that KafkaApis uses."""

    def __init__(self, config: StorageConfig, scheduler: Scheduler, time: Time,
                 files: OpenFiles | None = None, append_metrics: MetricsRecorder = NO_APPEND_METRICS) -> None:
        """Make the object without any effect. The owner of ``scheduler`` starts and stops it."""
        self._config = config
        self._scheduler = scheduler
        self._time = time
        self._files = files
        self._append_metrics = append_metrics
        self._folder: DataFolder | None = None
        self._meta: MetaProperties | None = None
        self._registry: TopicRegistry | None = None
        self._configs: ConfigStore | None = None
        self._acls: AclStore | None = None
        self._client_quotas: ClientQuotaStore | None = None
        self._scram_credentials: ScramCredentialStore | None = None
        self._producer_ids: ProducerIds | None = None
        self._logs: LogManager | None = None

    # -- start and stop --------------------------------------------------------------------------

    def startup(self) -> None:
        """Lock the folder, open all logs, and start the background work.

        Raises DataFolderLockedException, KafkaException for a folder that cannot be used or has another
        owner, or InvalidConfigurationException for defaults that this node does not support. Then nothing
        stays open.
        """
        if self._folder is not None:
            raise IllegalStateException("the storage was started before")
        config = self._config
        LogConfig.from_props(config.topic_defaults)
        folder = DataFolder.open(config.directory)
        logs = LogManager(folder, config.log_manager, self._scheduler, self._time, self._files,
                          self._append_metrics)
        try:
            meta = folder.load_meta_properties(config.node_id, config.cluster_id)
            registry = TopicRegistry(
                folder.file(topics.FILE_NAME), lambda topic: any(
                    logs.has_folder(topic_partition, topic.topic_id)
                    for topic_partition in topic.partitions()))
            configs = ConfigStore(folder.file(config_files.FILE_NAME))
            acls = AclStore(folder.file(acl_files.FILE_NAME))
            quotas = ClientQuotaStore(folder.file(client_quotas.FILE_NAME))
            credentials = ScramCredentialStore(folder.file(scram_credentials.FILE_NAME))
            ids = ProducerIds(folder.file(producer_ids.FILE_NAME))
            registry.finish_deletions(lambda topic: self._drop_folders(logs, topic))
            logs.load({tp: (topic.topic_id, self._log_config(topic.configs))
                       for topic in registry.topics().values() for tp in topic.partitions()})
            logs.start_tasks()
        except BaseException:
            for partition_log in logs.all_logs():
                for segment in partition_log.segments():
                    segment.close()
            folder.release()
            raise
        self._folder, self._meta, self._registry, self._configs = folder, meta, registry, configs
        self._acls, self._client_quotas, self._scram_credentials = acls, quotas, credentials
        self._producer_ids, self._logs = ids, logs

    def shutdown(self) -> None:
        """Close all logs and release the folder. A second call does nothing."""
        folder, logs = self._folder, self._logs
        self._folder = self._logs = None
        if logs is not None:
            logs.shutdown()
        if folder is not None:
            folder.release()

    def abandon(self) -> None:
        """Release everything without writing: the next start sees the state after a killed process."""
        folder, logs = self._folder, self._logs
        self._folder = self._logs = None
        if logs is not None:
            logs.abandon()
        if folder is not None:
            folder.release()

    # -- ids -----------------------------------------------------------------------------------------

    def meta_properties(self) -> MetaProperties:
        """Return the cluster id, node id and directory id."""
        return _started(self._meta)

    def log_manager(self) -> LogManager:
        """Return the log manager."""
        return _started(self._logs)

    def generate_producer_id(self) -> int:
        """Return an unused producer id. Raises KafkaStorageException."""
        return _started(self._producer_ids).generate()

    def configs(self) -> ConfigStore:
        """Return the dynamic settings of all resources except topics."""
        return _started(self._configs)

    def acls(self) -> AclStore:
        """Return the ACLs."""
        return _started(self._acls)

    def client_quotas(self) -> ClientQuotaStore:
        """Return the client quotas."""
        return _started(self._client_quotas)

    def scram_credentials(self) -> ScramCredentialStore:
        """Return the SCRAM users."""
        return _started(self._scram_credentials)

    def changes(self) -> int:
        """Return the number of changes of topics, settings, quotas and users since the folder was made."""
        return (self.topics().changes() + self.configs().changes() + self.client_quotas().changes()
                + self.scram_credentials().changes())

    # -- topics ----------------------------------------------------------------------------------

    def topics(self) -> TopicRegistry:
        """Return the topics."""
        return _started(self._registry)

    def partition_log(self, topic_partition: TopicPartition) -> UnifiedLog | None:
        """Return the log of a partition, or None."""
        return _started(self._logs).get_log(topic_partition)

    def log_config(self, configs: Mapping[str, str]) -> LogConfig:
        """Return the settings of a topic with these settings of its own. Raises
        InvalidConfigurationException."""
        return self._log_config(configs)

    def create_topic(self, name: str, num_partitions: int, configs: Mapping[str, str]) -> Topic:
        """Create a topic and its logs durably.

        Raises the client's error: InvalidTopicException, TopicExistsException, InvalidPartitionsException,
        InvalidConfigurationException or KafkaStorageException. Then the topic does not exist.
        """
        self._log_config(configs)
        return _started(self._registry).create(name, num_partitions, configs, self._log_maker())

    def create_topics(self, new_topics: Sequence[NewTopic]) -> list[Topic | ApiException]:
        """Create topics and their logs durably, with one write of the topics' file.

        Returns each topic, or the exception that ``create_topic`` raises.
        """
        return _started(self._registry).create_all(new_topics, self._log_maker())

    def _log_maker(self) -> Callable[[Topic], None]:
        """Return a function that makes all logs of a topic. For one request."""
        logs, log_config = _started(self._logs), self._log_configs()
        return lambda topic: self._make_logs(logs, topic, topic.partitions(), log_config(topic.configs))

    @staticmethod
    def _make_logs(logs: LogManager, topic: Topic, topic_partitions: Sequence[TopicPartition],
                   log_config: LogConfig) -> None:
        made: list[TopicPartition] = []
        try:
            for topic_partition in topic_partitions:
                logs.create_log(topic_partition, topic.topic_id, log_config)
                made.append(topic_partition)
        except Exception:
            logs.delete_logs(made)
            raise

    def add_partitions(self, counts: Mapping[str, int]) -> dict[str, Topic | ApiException]:
        """Add partitions to topics durably, with one write of the topics' file.

        ``counts`` has the new number of partitions of each topic. Returns by name each topic, or its error:
        UnknownTopicOrPartitionException or KafkaStorageException. Then the topic has not changed.
        """
        logs, log_config = _started(self._logs), self._log_configs()

        def make_logs(topic: Topic, topic_partitions: Sequence[TopicPartition]) -> None:
            self._make_logs(logs, topic, topic_partitions, log_config(topic.configs))

        return _started(self._registry).add_partitions(counts, make_logs)

    def alter_topic_configs(self, changes: Mapping[str, Mapping[str, str]],
                            ) -> dict[str, Topic | ApiException]:
        """Replace the own settings of topics durably, with one write of the topics' file; they apply at once.

        Returns by name each topic, or its error: UnknownTopicOrPartitionException,
        InvalidConfigurationException or KafkaStorageException. Then the topic has not changed.
        """
        log_config = self._log_configs()
        log_configs: dict[str, LogConfig] = {}
        results: dict[str, Topic | ApiException] = {}
        for name, configs in changes.items():
            try:
                log_configs[name] = log_config(configs)
            except InvalidConfigurationException as e:
                results[name] = e
        logs = _started(self._logs)
        results.update(_started(self._registry).alter_configs(
            {name: changes[name] for name in log_configs},
            lambda topic: logs.update_topic_config(topic.partitions(), log_configs[topic.name])))
        return results

    def log_defaults_changed(self) -> None:
        """Have all logs apply the changed defaults of topics."""
        _started(self._registry).for_each(self._update_logs)

    def _update_logs(self, topic: Topic) -> None:
        _started(self._logs).update_topic_config(topic.partitions(), self._log_config(topic.configs))

    def delete_topic(self, name: str) -> Topic:
        """Delete a topic durably; its files are deleted later.

        Raises UnknownTopicOrPartitionException or KafkaStorageException.
        """
        result = self.delete_topics([name])[name]
        if isinstance(result, ApiException):
            raise result
        return result

    def delete_topics(self, names: Collection[str]) -> dict[str, Topic | ApiException]:
        """Delete topics durably, with one write of the topics' file; their files are deleted later.

        Returns by name each topic, or the exception that ``delete_topic`` raises.
        """
        logs = _started(self._logs)

        def drop_logs(topics: Collection[Topic]) -> None:
            logs.delete_logs([partition for topic in topics for partition in topic.partitions()])

        return _started(self._registry).delete_all(names, drop_logs)

    def _log_config(self, configs: Mapping[str, str]) -> LogConfig:
        return LogConfig.from_props(self._config.topic_defaults, configs)

    def _log_configs(self) -> Callable[[Mapping[str, str]], LogConfig]:
        """Return ``_log_config`` for one request: it parses equal settings of several topics once."""
        known: dict[frozenset[tuple[str, str]], LogConfig] = {}

        def log_config(configs: Mapping[str, str]) -> LogConfig:
            key = frozenset(configs.items())
            if key not in known:
                known[key] = self._log_config(configs)
            return known[key]

        return log_config

    @staticmethod
    def _drop_folders(logs: LogManager, topic: Topic) -> None:
        for topic_partition in topic.partitions():
            logs.delete_folder(topic_partition, topic.topic_id)


def _started(part: T | None) -> T:
    if part is None:
        raise IllegalStateException("the storage is not started")
    return part
