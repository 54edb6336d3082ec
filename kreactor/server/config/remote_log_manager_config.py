# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.log.remote.storage.RemoteLogManagerConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of tiered storage, which kreactor does not have."""

from __future__ import annotations

from kreactor.common.config.config_def import ConfigDef


class RemoteLogManagerConfig:
    """Names, defaults and definitions.

    :origin: server.log.remote.storage.RemoteLogManagerConfig
    """

    REMOTE_STORAGE_MANAGER_CONFIG_PREFIX_PROP = "remote.log.storage.manager.impl.prefix"
    REMOTE_STORAGE_MANAGER_CONFIG_PREFIX_DOC = (
        "In Kafka, settings with this prefix go to the remote storage manager.")
    DEFAULT_REMOTE_STORAGE_MANAGER_CONFIG_PREFIX = "rsm.config."
    REMOTE_LOG_METADATA_MANAGER_CONFIG_PREFIX_PROP = "remote.log.metadata.manager.impl.prefix"
    REMOTE_LOG_METADATA_MANAGER_CONFIG_PREFIX_DOC = (
        "In Kafka, settings with this prefix go to the manager of remote log metadata.")
    DEFAULT_REMOTE_LOG_METADATA_MANAGER_CONFIG_PREFIX = "rlmm.config."
    REMOTE_LOG_STORAGE_SYSTEM_ENABLE_PROP = "remote.log.storage.system.enable"
    REMOTE_LOG_STORAGE_SYSTEM_ENABLE_DOC = (
        "In Kafka, true starts tiered storage, which copies closed segments to a remote store.")
    DEFAULT_REMOTE_LOG_STORAGE_SYSTEM_ENABLE = False
    REMOTE_STORAGE_MANAGER_CLASS_NAME_PROP = "remote.log.storage.manager.class.name"
    REMOTE_STORAGE_MANAGER_CLASS_NAME_DOC = "In Kafka, this class stores segments remotely."
    REMOTE_STORAGE_MANAGER_CLASS_PATH_PROP = "remote.log.storage.manager.class.path"
    REMOTE_STORAGE_MANAGER_CLASS_PATH_DOC = (
        "In Kafka, the class that stores segments remotely is loaded from this class path.")
    REMOTE_LOG_METADATA_MANAGER_CLASS_NAME_PROP = "remote.log.metadata.manager.class.name"
    REMOTE_LOG_METADATA_MANAGER_CLASS_NAME_DOC = (
        "In Kafka, this class keeps track of the segments in the remote store.")
    DEFAULT_REMOTE_LOG_METADATA_MANAGER_CLASS_NAME = (
        "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager"
    )
    REMOTE_LOG_METADATA_MANAGER_CLASS_PATH_PROP = "remote.log.metadata.manager.class.path"
    REMOTE_LOG_METADATA_MANAGER_CLASS_PATH_DOC = (
        "In Kafka, the class that tracks remote segments is loaded from this class path.")
    REMOTE_LOG_METADATA_MANAGER_LISTENER_NAME_PROP = "remote.log.metadata.manager.listener.name"
    REMOTE_LOG_METADATA_MANAGER_LISTENER_NAME_DOC = (
        "In Kafka, the manager of remote log metadata connects to its own cluster at this listener.")
    REMOTE_LOG_METADATA_CUSTOM_METADATA_MAX_BYTES_PROP = "remote.log.metadata.custom.metadata.max.bytes"
    REMOTE_LOG_METADATA_CUSTOM_METADATA_MAX_BYTES_DOC = (
        "In Kafka, a remote store may attach this many bytes of its own to a segment's metadata.")
    DEFAULT_REMOTE_LOG_METADATA_CUSTOM_METADATA_MAX_BYTES = 128
    REMOTE_LOG_INDEX_FILE_CACHE_TOTAL_SIZE_BYTES_PROP = "remote.log.index.file.cache.total.size.bytes"
    REMOTE_LOG_INDEX_FILE_CACHE_TOTAL_SIZE_BYTES_DOC = (
        "In Kafka, local copies of remote index files take this many bytes on disk.")
    DEFAULT_REMOTE_LOG_INDEX_FILE_CACHE_TOTAL_SIZE_BYTES = 1024 * 1024 * 1024
    REMOTE_LOG_MANAGER_THREAD_POOL_SIZE_PROP = "remote.log.manager.thread.pool.size"
    REMOTE_LOG_MANAGER_THREAD_POOL_SIZE_DOC = (
        "In Kafka, this many threads copy segments, fetch remote indexes and delete remote segments.")
    DEFAULT_REMOTE_LOG_MANAGER_THREAD_POOL_SIZE = 10
    REMOTE_LOG_MANAGER_COPIER_THREAD_POOL_SIZE_PROP = "remote.log.manager.copier.thread.pool.size"
    REMOTE_LOG_MANAGER_COPIER_THREAD_POOL_SIZE_DOC = (
        "In Kafka, this many threads copy segments to the remote store.")
    DEFAULT_REMOTE_LOG_MANAGER_COPIER_THREAD_POOL_SIZE = 10
    REMOTE_LOG_MANAGER_EXPIRATION_THREAD_POOL_SIZE_PROP = "remote.log.manager.expiration.thread.pool.size"
    REMOTE_LOG_MANAGER_EXPIRATION_THREAD_POOL_SIZE_DOC = (
        "In Kafka, this many threads delete expired segments from the remote store.")
    DEFAULT_REMOTE_LOG_MANAGER_EXPIRATION_THREAD_POOL_SIZE = 10
    REMOTE_LOG_MANAGER_TASK_INTERVAL_MS_PROP = "remote.log.manager.task.interval.ms"
    REMOTE_LOG_MANAGER_TASK_INTERVAL_MS_DOC = (
        "In Kafka, the tasks of tiered storage run every so many milliseconds.")
    DEFAULT_REMOTE_LOG_MANAGER_TASK_INTERVAL_MS = 30_000
    REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MS_PROP = "remote.log.manager.task.retry.backoff.ms"
    REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MS_DOC = (
        "In Kafka, a failed task of tiered storage waits this many milliseconds at first.")
    DEFAULT_REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MS = 500
    REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MAX_MS_PROP = "remote.log.manager.task.retry.backoff.max.ms"
    REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MAX_MS_DOC = (
        "In Kafka, the wait of a failing task of tiered storage grows up to this many milliseconds.")
    DEFAULT_REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MAX_MS = 30_000
    REMOTE_LOG_MANAGER_TASK_RETRY_JITTER_PROP = "remote.log.manager.task.retry.jitter"
    REMOTE_LOG_MANAGER_TASK_RETRY_JITTER_DOC = (
        "In Kafka, the wait of a failing task of tiered storage varies at random by this fraction.")
    DEFAULT_REMOTE_LOG_MANAGER_TASK_RETRY_JITTER = 0.2
    REMOTE_LOG_READER_THREADS_PROP = "remote.log.reader.threads"
    REMOTE_LOG_READER_THREADS_DOC = "In Kafka, this many threads read from the remote store."
    DEFAULT_REMOTE_LOG_READER_THREADS = 10
    REMOTE_LOG_READER_MAX_PENDING_TASKS_PROP = "remote.log.reader.max.pending.tasks"
    REMOTE_LOG_READER_MAX_PENDING_TASKS_DOC = (
        "In Kafka, this many reads may queue for the remote store before fetches get errors.")
    DEFAULT_REMOTE_LOG_READER_MAX_PENDING_TASKS = 100
    LOG_LOCAL_RETENTION_MS_PROP = "log.local.retention.ms"
    LOG_LOCAL_RETENTION_MS_DOC = (
        "In Kafka, a copied segment stays on local disk for this many milliseconds; -2 means as long as the "
        "log.")
    DEFAULT_LOG_LOCAL_RETENTION_MS = -2
    LOG_LOCAL_RETENTION_BYTES_PROP = "log.local.retention.bytes"
    LOG_LOCAL_RETENTION_BYTES_DOC = (
        "In Kafka, a partition keeps this many bytes of copied segments on local disk; -2 means all.")
    DEFAULT_LOG_LOCAL_RETENTION_BYTES = -2
    REMOTE_LOG_MANAGER_COPY_MAX_BYTES_PER_SECOND_PROP = "remote.log.manager.copy.max.bytes.per.second"
    REMOTE_LOG_MANAGER_COPY_MAX_BYTES_PER_SECOND_DOC = (
        "In Kafka, a broker copies at most this many bytes a second to the remote store.")
    DEFAULT_REMOTE_LOG_MANAGER_COPY_MAX_BYTES_PER_SECOND = 2**63 - 1
    REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_NUM_PROP = "remote.log.manager.copy.quota.window.num"
    REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_NUM_DOC = (
        "In Kafka, the quota of copies to the remote store looks back on this many windows.")
    DEFAULT_REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_NUM = 11
    REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_SIZE_SECONDS_PROP = (
        "remote.log.manager.copy.quota.window.size.seconds"
    )
    REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_SIZE_SECONDS_DOC = (
        "In Kafka, a window of the quota of copies to the remote store spans this many seconds.")
    DEFAULT_REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_SIZE_SECONDS = 1
    REMOTE_LOG_MANAGER_FETCH_MAX_BYTES_PER_SECOND_PROP = "remote.log.manager.fetch.max.bytes.per.second"
    REMOTE_LOG_MANAGER_FETCH_MAX_BYTES_PER_SECOND_DOC = (
        "In Kafka, a broker reads at most this many bytes a second from the remote store.")
    DEFAULT_REMOTE_LOG_MANAGER_FETCH_MAX_BYTES_PER_SECOND = 2**63 - 1
    REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_NUM_PROP = "remote.log.manager.fetch.quota.window.num"
    REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_NUM_DOC = (
        "In Kafka, the quota of remote reads looks back on this many windows.")
    DEFAULT_REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_NUM = 11
    REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_SIZE_SECONDS_PROP = (
        "remote.log.manager.fetch.quota.window.size.seconds"
    )
    REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_SIZE_SECONDS_DOC = (
        "In Kafka, a window of the quota of remote reads spans this many seconds.")
    DEFAULT_REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_SIZE_SECONDS = 1
    REMOTE_FETCH_MAX_WAIT_MS_PROP = "remote.fetch.max.wait.ms"
    REMOTE_FETCH_MAX_WAIT_MS_DOC = (
        "In Kafka, a fetch waits this many milliseconds at most for the remote store.")
    DEFAULT_REMOTE_FETCH_MAX_WAIT_MS = 500

    @staticmethod
    def config_def() -> ConfigDef:
        """Return the definitions.

        :origin: server.log.remote.storage.RemoteLogManagerConfig#configDef()
        """
        config_def = ConfigDef()
        c = RemoteLogManagerConfig
        STRING, INT, LONG = ConfigDef.Type.STRING, ConfigDef.Type.INT, ConfigDef.Type.LONG
        DOUBLE, BOOLEAN = ConfigDef.Type.DOUBLE, ConfigDef.Type.BOOLEAN
        MEDIUM, LOW = ConfigDef.Importance.MEDIUM, ConfigDef.Importance.LOW
        at_least = ConfigDef.Range.at_least

        define, define_internal = config_def.define, config_def.define_internal_validator

        define(c.REMOTE_LOG_STORAGE_SYSTEM_ENABLE_PROP, BOOLEAN, c.DEFAULT_REMOTE_LOG_STORAGE_SYSTEM_ENABLE,
               None, MEDIUM, c.REMOTE_LOG_STORAGE_SYSTEM_ENABLE_DOC)
        define(c.REMOTE_STORAGE_MANAGER_CONFIG_PREFIX_PROP, STRING,
               c.DEFAULT_REMOTE_STORAGE_MANAGER_CONFIG_PREFIX, ConfigDef.NonEmptyString(), MEDIUM,
               c.REMOTE_STORAGE_MANAGER_CONFIG_PREFIX_DOC)
        define(c.REMOTE_LOG_METADATA_MANAGER_CONFIG_PREFIX_PROP, STRING,
               c.DEFAULT_REMOTE_LOG_METADATA_MANAGER_CONFIG_PREFIX, ConfigDef.NonEmptyString(), MEDIUM,
               c.REMOTE_LOG_METADATA_MANAGER_CONFIG_PREFIX_DOC)
        define(c.REMOTE_STORAGE_MANAGER_CLASS_NAME_PROP, STRING, None, ConfigDef.NonEmptyString(), MEDIUM,
               c.REMOTE_STORAGE_MANAGER_CLASS_NAME_DOC)
        define(c.REMOTE_STORAGE_MANAGER_CLASS_PATH_PROP, STRING, None, None, MEDIUM,
               c.REMOTE_STORAGE_MANAGER_CLASS_PATH_DOC)
        define(c.REMOTE_LOG_METADATA_MANAGER_CLASS_NAME_PROP, STRING,
               c.DEFAULT_REMOTE_LOG_METADATA_MANAGER_CLASS_NAME, ConfigDef.NonEmptyString(), MEDIUM,
               c.REMOTE_LOG_METADATA_MANAGER_CLASS_NAME_DOC)
        define(c.REMOTE_LOG_METADATA_MANAGER_CLASS_PATH_PROP, STRING, None, None, MEDIUM,
               c.REMOTE_LOG_METADATA_MANAGER_CLASS_PATH_DOC)
        define(c.REMOTE_LOG_METADATA_MANAGER_LISTENER_NAME_PROP, STRING, None, ConfigDef.NonEmptyString(),
               MEDIUM, c.REMOTE_LOG_METADATA_MANAGER_LISTENER_NAME_DOC)
        define(c.REMOTE_LOG_METADATA_CUSTOM_METADATA_MAX_BYTES_PROP, INT,
               c.DEFAULT_REMOTE_LOG_METADATA_CUSTOM_METADATA_MAX_BYTES, at_least(0), LOW,
               c.REMOTE_LOG_METADATA_CUSTOM_METADATA_MAX_BYTES_DOC)
        define(c.REMOTE_LOG_INDEX_FILE_CACHE_TOTAL_SIZE_BYTES_PROP, LONG,
               c.DEFAULT_REMOTE_LOG_INDEX_FILE_CACHE_TOTAL_SIZE_BYTES, at_least(1), LOW,
               c.REMOTE_LOG_INDEX_FILE_CACHE_TOTAL_SIZE_BYTES_DOC)
        define(c.REMOTE_LOG_MANAGER_THREAD_POOL_SIZE_PROP, INT, c.DEFAULT_REMOTE_LOG_MANAGER_THREAD_POOL_SIZE,
               at_least(1), MEDIUM, c.REMOTE_LOG_MANAGER_THREAD_POOL_SIZE_DOC)
        define_internal(c.REMOTE_LOG_MANAGER_COPIER_THREAD_POOL_SIZE_PROP, INT,
                        c.DEFAULT_REMOTE_LOG_MANAGER_COPIER_THREAD_POOL_SIZE, at_least(1), MEDIUM,
                        c.REMOTE_LOG_MANAGER_COPIER_THREAD_POOL_SIZE_DOC)
        define_internal(c.REMOTE_LOG_MANAGER_EXPIRATION_THREAD_POOL_SIZE_PROP, INT,
                        c.DEFAULT_REMOTE_LOG_MANAGER_EXPIRATION_THREAD_POOL_SIZE, at_least(1), MEDIUM,
                        c.REMOTE_LOG_MANAGER_EXPIRATION_THREAD_POOL_SIZE_DOC)
        define(c.REMOTE_LOG_MANAGER_TASK_INTERVAL_MS_PROP, LONG,
               c.DEFAULT_REMOTE_LOG_MANAGER_TASK_INTERVAL_MS, at_least(1), LOW,
               c.REMOTE_LOG_MANAGER_TASK_INTERVAL_MS_DOC)
        define_internal(c.REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MS_PROP, LONG,
                        c.DEFAULT_REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MS, at_least(1), LOW,
                        c.REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MS_DOC)
        define_internal(c.REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MAX_MS_PROP, LONG,
                        c.DEFAULT_REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MAX_MS, at_least(1), LOW,
                        c.REMOTE_LOG_MANAGER_TASK_RETRY_BACK_OFF_MAX_MS_DOC)
        define_internal(c.REMOTE_LOG_MANAGER_TASK_RETRY_JITTER_PROP, DOUBLE,
                        c.DEFAULT_REMOTE_LOG_MANAGER_TASK_RETRY_JITTER, ConfigDef.Range.between(0, 0.5), LOW,
                        c.REMOTE_LOG_MANAGER_TASK_RETRY_JITTER_DOC)
        define(c.REMOTE_LOG_READER_THREADS_PROP, INT, c.DEFAULT_REMOTE_LOG_READER_THREADS, at_least(1),
               MEDIUM, c.REMOTE_LOG_READER_THREADS_DOC)
        define(c.REMOTE_LOG_READER_MAX_PENDING_TASKS_PROP, INT, c.DEFAULT_REMOTE_LOG_READER_MAX_PENDING_TASKS,
               at_least(1), MEDIUM, c.REMOTE_LOG_READER_MAX_PENDING_TASKS_DOC)
        define(c.LOG_LOCAL_RETENTION_MS_PROP, LONG, c.DEFAULT_LOG_LOCAL_RETENTION_MS,
               at_least(c.DEFAULT_LOG_LOCAL_RETENTION_MS), MEDIUM, c.LOG_LOCAL_RETENTION_MS_DOC)
        define(c.LOG_LOCAL_RETENTION_BYTES_PROP, LONG, c.DEFAULT_LOG_LOCAL_RETENTION_BYTES,
               at_least(c.DEFAULT_LOG_LOCAL_RETENTION_BYTES), MEDIUM, c.LOG_LOCAL_RETENTION_BYTES_DOC)
        define(c.REMOTE_LOG_MANAGER_COPY_MAX_BYTES_PER_SECOND_PROP, LONG,
               c.DEFAULT_REMOTE_LOG_MANAGER_COPY_MAX_BYTES_PER_SECOND, at_least(1), MEDIUM,
               c.REMOTE_LOG_MANAGER_COPY_MAX_BYTES_PER_SECOND_DOC)
        define(c.REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_NUM_PROP, INT,
               c.DEFAULT_REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_NUM, at_least(1), MEDIUM,
               c.REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_NUM_DOC)
        define(c.REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_SIZE_SECONDS_PROP, INT,
               c.DEFAULT_REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_SIZE_SECONDS, at_least(1), MEDIUM,
               c.REMOTE_LOG_MANAGER_COPY_QUOTA_WINDOW_SIZE_SECONDS_DOC)
        define(c.REMOTE_LOG_MANAGER_FETCH_MAX_BYTES_PER_SECOND_PROP, LONG,
               c.DEFAULT_REMOTE_LOG_MANAGER_FETCH_MAX_BYTES_PER_SECOND, at_least(1), MEDIUM,
               c.REMOTE_LOG_MANAGER_FETCH_MAX_BYTES_PER_SECOND_DOC)
        define(c.REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_NUM_PROP, INT,
               c.DEFAULT_REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_NUM, at_least(1), MEDIUM,
               c.REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_NUM_DOC)
        define(c.REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_SIZE_SECONDS_PROP, INT,
               c.DEFAULT_REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_SIZE_SECONDS, at_least(1), MEDIUM,
               c.REMOTE_LOG_MANAGER_FETCH_QUOTA_WINDOW_SIZE_SECONDS_DOC)
        define(c.REMOTE_FETCH_MAX_WAIT_MS_PROP, INT, c.DEFAULT_REMOTE_FETCH_MAX_WAIT_MS, at_least(1), MEDIUM,
               c.REMOTE_FETCH_MAX_WAIT_MS_DOC)
        return config_def
