# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.KafkaProducer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Writes records to Kafka.

Called by any thread. One producer for many threads is faster than one producer per thread. A callback may
call every method except ``flush``, which would wait for itself.

Threads
-------
A thread that calls ``send`` serializes the record, finds its partition, and appends it to a batch in the
accumulator's memory. The thread waits only for metadata and for memory, for at most max.block.ms in total.
The sender's thread sends batches to the brokers, calls the callbacks, and returns the memory. Only this
thread uses sockets. It is a daemon thread: a process that ends without ``close`` loses the queued records. A
forked child has no sender's thread: there ``send`` and ``flush`` raise IllegalStateException, and the child
needs its own producer.

Locks, in the order in which they are taken: a partition's deque (accumulator), then TransactionManager. The
metadata, the pool of memory and each sensor have their own locks, under which no other lock is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar, cast

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.client_utils import ClientUtils
from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.clients.kafka_client import KafkaClient
from kreactor.clients.producer.callback import Callback
from kreactor.clients.producer.internals.append_all import (
    AllAppender,
    RecordNotQueuedException,
    to_record,
)
from kreactor.clients.producer.internals.buffer_pool import BufferPool
from kreactor.clients.producer.internals.built_in_partitioner import BuiltInPartitioner
from kreactor.clients.producer.internals.default_partitioner import DefaultPartitioner
from kreactor.clients.producer.internals.future_records_metadata import SendAllFuture
from kreactor.clients.producer.internals.kafka_producer_metrics import KafkaProducerMetrics
from kreactor.clients.producer.internals.producer_interceptors import ProducerInterceptors
from kreactor.clients.producer.internals.producer_metadata import ProducerMetadata
from kreactor.clients.producer.internals.producer_metrics import ProducerMetrics
from kreactor.clients.producer.internals.record_accumulator import RecordAccumulator
from kreactor.clients.producer.internals.sender import Sender
from kreactor.clients.producer.internals.transaction_manager import TransactionManager
from kreactor.clients.producer.partitioner import Partitioner
from kreactor.clients.producer.producer import Producer, RecordFuture
from kreactor.clients.producer.producer_config import ProducerConfig
from kreactor.clients.producer.producer_interceptor import ProducerInterceptor
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.clients.producer.uniform_sticky_partitioner import UniformStickyPartitioner
from kreactor.common.cluster import Cluster
from kreactor.common.compress.compression import Compression
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    ApiException,
    InterruptException,
    InvalidTopicException,
    RecordTooLargeException,
    SerializationException,
    TimeoutException,
)
from kreactor.common.header.headers import Headers
from kreactor.common.header.internals.record_headers import RecordHeaders
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metric import Metric
from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.kafka_metrics_context import KafkaMetricsContext
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.partition_info import PartitionInfo
from kreactor.common.record.abstract_records import AbstractRecords
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.serialization.serializer import Serializer
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.app_info_parser import AppInfoParser
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext, Logger
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.common.uuid import Uuid
from kreactor.jdk.concurrent import Event, thread_yield
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException, InterruptedException
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.nio_buffer import BytesLike
from kreactor.jdk.text import class_name
from kreactor.jdk.threads import TIMEOUT_MAX, Thread
from kreactor.jdk.time_unit import TimeUnit

K = TypeVar("K")
V = TypeVar("V")

_INT_MAX_VALUE = 2**31 - 1
_LONG_MAX_VALUE = 2**63 - 1

_PARENTS = ("The producer is that of the process from which this one was forked, and so are the threads that "
            "send for it. Make one in each process.")


def _interrupt_of(cause: BaseException) -> BaseException:
    """Return the exception that a close raises for an interrupt: Ctrl-C raises its own."""
    return InterruptException(cause=cause) if isinstance(cause, InterruptedException) else cause


class _OfParent:
    """Replaces a part of a producer in a forked child, where locks of the real part may be held for ever."""

    def __getattr__(self, name: str) -> object:
        raise IllegalStateException(_PARENTS)


class KafkaProducer(Producer[K, V]):
    """Sends records to the brokers of a cluster.

    :origin: clients.producer.KafkaProducer
    """

    _JMX_PREFIX = "kafka.producer"
    NETWORK_THREAD_PREFIX = "kafka-producer-network-thread"
    PRODUCER_METRIC_GROUP_NAME = "producer-metrics"

    def __init__(self, configs: Mapping[str, Any], key_serializer: Serializer[K] | None = None,
                 value_serializer: Serializer[V] | None = None) -> None:
        """Start the sender's thread. ``close`` ends it.

        ``configs`` are settings under Kafka's names; ProducerConfig lists them. A serializer that is passed
        as an argument is not configured, and overrides the class of a setting. Raises ConfigException for an
        invalid setting, and KafkaException if a part cannot be made; then nothing is left running.

        :origin: clients.producer.KafkaProducer#KafkaProducer(Map<String,Object>)
        :origin: clients.producer.KafkaProducer#KafkaProducer(Map<String,Object>, Serializer<K>,
            Serializer<V>)
        :origin: clients.producer.KafkaProducer#KafkaProducer(Properties)
        :origin: clients.producer.KafkaProducer#KafkaProducer(Properties, Serializer<K>, Serializer<V>)
        """
        self._start(
            ProducerConfig(
                ProducerConfig.append_serializer_to_config(configs, key_serializer, value_serializer)),
            key_serializer, value_serializer, None, None, None, Time.SYSTEM)

    def _warn_if_partitioner_deprecated(self) -> None:
        """:origin: clients.producer.KafkaProducer#warnIfPartitionerDeprecated()"""
        if isinstance(self._partitioner, DefaultPartitioner):
            self._log.warn(
                "DefaultPartitioner is deprecated.  Please clear %s configuration setting to get the default "
                "partitioning behavior", ProducerConfig.PARTITIONER_CLASS_CONFIG)
        if isinstance(self._partitioner, UniformStickyPartitioner):
            self._log.warn(
                "UniformStickyPartitioner is deprecated.  Please clear %s configuration setting and set %s "
                "to 'true' to get the uniform sticky partitioning behavior",
                ProducerConfig.PARTITIONER_CLASS_CONFIG, ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG)

    @classmethod
    def of_config(cls, config: ProducerConfig, key_serializer: Serializer[K] | None,
                  value_serializer: Serializer[V] | None, metadata: ProducerMetadata | None,
                  kafka_client: KafkaClient | None, interceptors: ProducerInterceptors[K, V] | None,
                  time: Time) -> KafkaProducer[K, V]:
        """Return a producer with parts of a test; a part that is None is made here."""
        producer = cls.__new__(cls)
        producer._start(config, key_serializer, value_serializer, metadata, kafka_client, interceptors, time)
        return producer

    def _start(self, config: ProducerConfig, key_serializer: Serializer[K] | None,
               value_serializer: Serializer[V] | None, metadata: ProducerMetadata | None,
               kafka_client: KafkaClient | None, interceptors: ProducerInterceptors[K, V] | None,
               time: Time) -> None:
        """Make all parts, and start the sender's thread. Raises KafkaException.

        :origin: clients.producer.KafkaProducer#KafkaProducer(ProducerConfig, Serializer<K>, Serializer<V>,
            ProducerMetadata, KafkaClient, ProducerInterceptors<K,V>, Time)
        """
        # Parts that are not made yet when something raises are None for the close.
        self._sender = cast(Sender, None)
        self._io_thread = cast(KafkaThread, None)
        self._io_thread_ended = Event()
        self._interceptors = cast("ProducerInterceptors[K, V]", None)
        self._producer_metrics = cast(KafkaProducerMetrics, None)
        self._metrics = cast(Metrics, None)
        self._key_serializer = cast("Serializer[K]", None)
        self._value_serializer = cast("Serializer[V]", None)
        self._partitioner: Partitioner | None = None
        self._log = LogContext().logger(KafkaProducer)
        try:
            self._producer_config = config
            self._time = time

            transactional_id = config.get_string(ProducerConfig.TRANSACTIONAL_ID_CONFIG)

            self._client_id = config.get_string(ProducerConfig.CLIENT_ID_CONFIG) or ""

            if transactional_id is None:
                log_context = LogContext(f"[Producer clientId={self._client_id}] ")
            else:
                log_context = LogContext(
                    f"[Producer clientId={self._client_id}, transactionalId={transactional_id}] ")
            self._log = log_context.logger(KafkaProducer)
            self._log.trace("Starting the Kafka producer")

            metric_tags = {"client-id": self._client_id}
            metric_config = (
                MetricConfig().samples_to(config.get_int(ProducerConfig.METRICS_NUM_SAMPLES_CONFIG))
                .time_window_to(
                    config.get_long(ProducerConfig.METRICS_SAMPLE_WINDOW_MS_CONFIG), TimeUnit.MILLISECONDS)
                .record_level_to(Sensor.RecordingLevel.for_name(
                    config.get_string(ProducerConfig.METRICS_RECORDING_LEVEL_CONFIG) or ""))
                .tags_to(metric_tags))
            reporters = CommonClientConfigs.metrics_reporters_client_id(self._client_id, config)
            # This setting is read so that it does not count as unused.
            config.get_boolean(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG)
            metrics_context = KafkaMetricsContext(
                self._JMX_PREFIX, config.originals_with_prefix(CommonClientConfigs.METRICS_CONTEXT_PREFIX))
            self._metrics = Metrics(metric_config, reporters, time, metrics_context=metrics_context)
            self._producer_metrics = KafkaProducerMetrics(self._metrics)
            self._partitioner = config.get_configured_instance(
                ProducerConfig.PARTITIONER_CLASS_CONFIG,
                Partitioner,  # type: ignore[type-abstract]  # what subclasses must be of
                {ProducerConfig.CLIENT_ID_CONFIG: self._client_id})
            self._warn_if_partitioner_deprecated()
            self._partitioner_ignore_keys = config.get_boolean(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG)
            retry_backoff_ms = config.get_long(ProducerConfig.RETRY_BACKOFF_MS_CONFIG)
            retry_backoff_max_ms = config.get_long(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG)
            if key_serializer is None:
                self._key_serializer = cast("Serializer[K]", config.get_configured_instance(
                    ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, Serializer))
                self._key_serializer.configure(
                    config.originals({ProducerConfig.CLIENT_ID_CONFIG: self._client_id}), True)
            else:
                config.ignore(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG)
                self._key_serializer = key_serializer
            if value_serializer is None:
                self._value_serializer = cast("Serializer[V]", config.get_configured_instance(
                    ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, Serializer))
                self._value_serializer.configure(
                    config.originals({ProducerConfig.CLIENT_ID_CONFIG: self._client_id}), False)
            else:
                config.ignore(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG)
                self._value_serializer = value_serializer

            interceptor_list = ClientUtils.configured_interceptors(
                config, ProducerConfig.INTERCEPTOR_CLASSES_CONFIG,
                ProducerInterceptor)  # type: ignore[type-abstract]  # what subclasses must be of
            if interceptors is not None:
                self._interceptors = interceptors
            else:
                self._interceptors = ProducerInterceptors(interceptor_list)
            cluster_resource_listeners = ClientUtils.configure_cluster_resource_listeners(
                interceptor_list, reporters, [self._key_serializer, self._value_serializer])
            self._max_request_size = config.get_int(ProducerConfig.MAX_REQUEST_SIZE_CONFIG)
            self._total_memory_size = config.get_long(ProducerConfig.BUFFER_MEMORY_CONFIG)
            self._compression = self._configure_compression(config)

            self._max_block_time_ms = config.get_long(ProducerConfig.MAX_BLOCK_MS_CONFIG)
            delivery_timeout_ms = self._configure_delivery_timeout(config, self._log)

            self._api_versions = ApiVersions()
            self._transaction_manager = self._configure_transaction_state(config, log_context)
            # With a partitioner of the user's, the statistics of the adaptive partitioner are not needed.
            enable_adaptive_partitioning = (
                self._partitioner is None
                and config.get_boolean(ProducerConfig.PARTITIONER_ADPATIVE_PARTITIONING_ENABLE_CONFIG))
            partitioner_config = RecordAccumulator.PartitionerConfig(
                enable_adaptive_partitioning,
                config.get_long(ProducerConfig.PARTITIONER_AVAILABILITY_TIMEOUT_MS_CONFIG))
            # A size of 0 turns batching off; every record is larger than 1 byte, and gets a batch of its own.
            batch_size = max(1, config.get_int(ProducerConfig.BATCH_SIZE_CONFIG))
            self._accumulator = RecordAccumulator(
                log_context, batch_size, self._compression, self._linger_ms(config), retry_backoff_ms,
                retry_backoff_max_ms, delivery_timeout_ms, self._metrics, self.PRODUCER_METRIC_GROUP_NAME,
                time, self._api_versions, self._transaction_manager,
                BufferPool(self._total_memory_size, batch_size, self._metrics, time,
                           self.PRODUCER_METRIC_GROUP_NAME),
                partitioner_config)

            addresses = ClientUtils.parse_and_validate_addresses(config)
            if metadata is not None:
                self._metadata = metadata
            else:
                self._metadata = ProducerMetadata(
                    retry_backoff_ms, retry_backoff_max_ms,
                    config.get_long(ProducerConfig.METADATA_MAX_AGE_CONFIG),
                    config.get_long(ProducerConfig.METADATA_MAX_IDLE_CONFIG),
                    log_context, cluster_resource_listeners, Time.SYSTEM)
                self._metadata.bootstrap(addresses)
            self._errors = self._metrics.sensor("errors")
            self._sender = self._new_sender(log_context, kafka_client, self._metadata)
            io_thread_name = f"{self.NETWORK_THREAD_PREFIX} | {self._client_id}"
            self._io_thread = KafkaThread(io_thread_name, self._run_sender, True)
            owned_by_process(self)
            self._io_thread.start()
            config.log_unused()
            AppInfoParser.register_app_info(
                self._JMX_PREFIX, self._client_id, self._metrics, time.milliseconds())
            self._log.debug("Kafka producer started")
        except BaseException as t:
            # Close the parts that are made already.
            self._close(0, True)
            if not isinstance(t, Exception):
                raise
            raise KafkaException("Failed to construct kafka producer", t) from t

    @classmethod
    def of_parts(cls, config: ProducerConfig, log_context: LogContext, metrics: Metrics,
                 key_serializer: Serializer[K], value_serializer: Serializer[V], metadata: ProducerMetadata,
                 accumulator: RecordAccumulator, transaction_manager: TransactionManager | None,
                 sender: Sender, interceptors: ProducerInterceptors[K, V], partitioner: Partitioner | None,
                 time: Time, io_thread: KafkaThread) -> KafkaProducer[K, V]:
        """Return a producer with parts that a test has made.

        :origin: clients.producer.KafkaProducer#KafkaProducer(ProducerConfig, LogContext, Metrics, Serializer<K>, Serializer<V>, ProducerMetadata, RecordAccumulator, TransactionManager, Sender, ProducerInterceptors<K,V>, Partitioner, Time, KafkaThread, Optional<ClientTelemetryReporter>)
        """  # noqa: E501
        self = cls.__new__(cls)
        self._producer_config = config
        self._time = time
        self._client_id = config.get_string(ProducerConfig.CLIENT_ID_CONFIG) or ""
        self._log = log_context.logger(KafkaProducer)
        self._metrics = metrics
        self._producer_metrics = KafkaProducerMetrics(metrics)
        self._partitioner = partitioner
        self._key_serializer = key_serializer
        self._value_serializer = value_serializer
        self._interceptors = interceptors
        self._max_request_size = config.get_int(ProducerConfig.MAX_REQUEST_SIZE_CONFIG)
        self._total_memory_size = config.get_long(ProducerConfig.BUFFER_MEMORY_CONFIG)
        self._compression = self._configure_compression(config)
        self._max_block_time_ms = config.get_long(ProducerConfig.MAX_BLOCK_MS_CONFIG)
        self._partitioner_ignore_keys = config.get_boolean(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG)
        self._api_versions = ApiVersions()
        self._transaction_manager = transaction_manager
        self._accumulator = accumulator
        self._errors = self._metrics.sensor("errors")
        self._metadata = metadata
        self._sender = sender
        self._io_thread = io_thread
        self._io_thread_ended = Event()
        return self

    def forget_in_child(self) -> None:
        """Refuse every call except ``close`` in a forked child.

        Queued records fail in the child, not in the parent.
        """
        # DEVIATION D277: the JVM never forks.
        self._accumulator.forget_in_child(KafkaException(_PARENTS))
        self._accumulator, self._metadata, self._sender = (cast(Any, _OfParent()) for _ in range(3))

    def _run_sender(self) -> None:
        try:
            self._sender.run()
        finally:
            self._io_thread_ended.set()

    def _new_sender(self, log_context: LogContext, kafka_client: KafkaClient | None,
                    metadata: ProducerMetadata) -> Sender:
        """Return the sender over ``kafka_client``, or over a new network client.

        :origin: clients.producer.KafkaProducer#newSender(LogContext, KafkaClient, ProducerMetadata)
        """
        producer_config = self._producer_config
        max_inflight_requests = producer_config.get_int(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION)
        request_timeout_ms = producer_config.get_int(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG)
        metrics_registry = ProducerMetrics(self._metrics)
        throttle_time_sensor = Sender.throttle_time_sensor(metrics_registry.sender_metrics)
        client = (kafka_client if kafka_client is not None else ClientUtils.create_network_client(
            producer_config, self._metrics, "producer", log_context, self._api_versions, self._time,
            max_inflight_requests, metadata, throttle_time_sensor, None))

        acks = int(producer_config.get_string(ProducerConfig.ACKS_CONFIG) or "")
        return Sender(
            log_context, client, metadata, self._accumulator, max_inflight_requests == 1,
            producer_config.get_int(ProducerConfig.MAX_REQUEST_SIZE_CONFIG), acks,
            producer_config.get_int(ProducerConfig.RETRIES_CONFIG), metrics_registry.sender_metrics,
            self._time, request_timeout_ms, producer_config.get_long(ProducerConfig.RETRY_BACKOFF_MS_CONFIG),
            self._transaction_manager, self._api_versions)

    @staticmethod
    def _configure_compression(config: ProducerConfig) -> Compression:
        """:origin: clients.producer.KafkaProducer#configureCompression(ProducerConfig)"""
        type_ = CompressionType.for_name(config.get_string(ProducerConfig.COMPRESSION_TYPE_CONFIG) or "")
        if type_ is CompressionType.GZIP:
            return (Compression.gzip()
                    .level(config.get_int(ProducerConfig.COMPRESSION_GZIP_LEVEL_CONFIG)).build())
        elif type_ is CompressionType.LZ4:
            return (Compression.lz4()
                    .level(config.get_int(ProducerConfig.COMPRESSION_LZ4_LEVEL_CONFIG)).build())
        elif type_ is CompressionType.ZSTD:
            return (Compression.zstd()
                    .level(config.get_int(ProducerConfig.COMPRESSION_ZSTD_LEVEL_CONFIG)).build())
        else:
            return Compression.of(type_).build()

    @staticmethod
    def _linger_ms(config: ProducerConfig) -> int:
        """:origin: clients.producer.KafkaProducer#lingerMs(ProducerConfig)"""
        return min(config.get_long(ProducerConfig.LINGER_MS_CONFIG), _INT_MAX_VALUE)

    @staticmethod
    def _configure_delivery_timeout(config: ProducerConfig, log: Logger) -> int:
        """Return the delivery timeout, raised to linger.ms + request.timeout.ms if the user did not set it.

        Raises ConfigException if the user set it below them.

        :origin: clients.producer.KafkaProducer#configureDeliveryTimeout(ProducerConfig, Logger)
        """
        delivery_timeout_ms = config.get_int(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)
        linger_ms = KafkaProducer._linger_ms(config)
        request_timeout_ms = config.get_int(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG)
        linger_and_request_timeout_ms = min(linger_ms + request_timeout_ms, _INT_MAX_VALUE)

        if delivery_timeout_ms < linger_and_request_timeout_ms:
            if ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG in config.originals():
                raise ConfigException(
                    f"{ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG} should be equal to or larger than "
                    f"{ProducerConfig.LINGER_MS_CONFIG} + {ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG}")
            else:
                delivery_timeout_ms = linger_and_request_timeout_ms
                log.warn("%s should be equal to or larger than %s + %s. Setting it to %s.",
                         ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, ProducerConfig.LINGER_MS_CONFIG,
                         ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, delivery_timeout_ms)
        return delivery_timeout_ms

    def _configure_transaction_state(self, config: ProducerConfig,
                                     log_context: LogContext) -> TransactionManager | None:
        """:origin: clients.producer.KafkaProducer#configureTransactionState(ProducerConfig, LogContext)"""
        transaction_manager: TransactionManager | None = None

        if config.get_boolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG):
            transactional_id = config.get_string(ProducerConfig.TRANSACTIONAL_ID_CONFIG)
            transaction_timeout_ms = config.get_int(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG)
            retry_backoff_ms = config.get_long(ProducerConfig.RETRY_BACKOFF_MS_CONFIG)

            transaction_manager = TransactionManager(
                log_context, transactional_id, transaction_timeout_ms, retry_backoff_ms, self._api_versions)

            if transaction_manager.is_transactional():
                self._log.info("Instantiated a transactional producer.")
            else:
                self._log.info("Instantiated an idempotent producer.")
        else:
            # The setting does not count as unused.
            config.ignore(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG)
        return transaction_manager

    def init_transactions(self) -> None:
        """Get a producer id for the transactional id, once, before the first transaction.

        The coordinator ends the open transaction of an older producer with the same id, and fences that
        producer. Raises IllegalStateException without a transactional id or after ``close``, TimeoutException
        after max.block.ms, after which the call can be repeated, and KafkaException for an error that is not
        retriable.

        :origin: clients.producer.KafkaProducer#initTransactions()
        """
        transaction_manager = self._throw_if_no_transaction_manager()
        self._throw_if_producer_closed()
        now = self._time.nanoseconds()
        result = transaction_manager.initialize_transactions()
        self._sender.wakeup()
        result.await_timeout(self._max_block_time_ms, TimeUnit.MILLISECONDS)
        self._producer_metrics.record_init(self._time.nanoseconds() - now)

    def begin_transaction(self) -> None:
        """Begin a transaction, to which all later records belong. Does not wait.

        Raises IllegalStateException before ``init_transactions``, ProducerFencedException if another producer
        uses the transactional id now, and KafkaException after a fatal error.

        :origin: clients.producer.KafkaProducer#beginTransaction()
        """
        transaction_manager = self._throw_if_no_transaction_manager()
        self._throw_if_producer_closed()
        now = self._time.nanoseconds()
        transaction_manager.begin_transaction()
        self._producer_metrics.record_begin_txn(self._time.nanoseconds() - now)

    def send_offsets_to_transaction(self, offsets: Mapping[TopicPartition, OffsetAndMetadata],
                                    group_metadata: ConsumerGroupMetadata | str) -> None:
        """Commit ``offsets``, each the next one to read, for a consumer group with the transaction.

        Raises the exceptions of ``commit_transaction``, IllegalArgumentException for invalid group metadata,
        and CommitFailedException if the coordinator has removed the consumer from its group.

        :origin: clients.producer.KafkaProducer#sendOffsetsToTransaction(Map<TopicPartition,OffsetAndMetadata>, String)
        :origin: clients.producer.KafkaProducer#sendOffsetsToTransaction(Map<TopicPartition,OffsetAndMetadata>, ConsumerGroupMetadata)
        """  # noqa: E501
        if isinstance(group_metadata, str):
            group_metadata = ConsumerGroupMetadata(group_metadata)
        self._throw_if_invalid_group_metadata(group_metadata)
        transaction_manager = self._throw_if_no_transaction_manager()
        self._throw_if_producer_closed()

        if offsets:
            start = self._time.nanoseconds()
            result = transaction_manager.send_offsets_to_transaction(offsets, group_metadata)
            self._sender.wakeup()
            result.await_timeout(self._max_block_time_ms, TimeUnit.MILLISECONDS)
            self._producer_metrics.record_send_offsets(self._time.nanoseconds() - start)

    def commit_transaction(self) -> None:
        """Send the queued records, then commit; wait for both.

        Raises ProducerFencedException if another producer uses the transactional id now. Raises
        KafkaException if a record failed; then the transaction must be aborted. Raises TimeoutException after
        max.block.ms; then the call must be repeated.

        :origin: clients.producer.KafkaProducer#commitTransaction()
        """
        transaction_manager = self._throw_if_no_transaction_manager()
        self._throw_if_producer_closed()
        commit_start = self._time.nanoseconds()
        result = transaction_manager.begin_commit()
        self._sender.wakeup()
        result.await_timeout(self._max_block_time_ms, TimeUnit.MILLISECONDS)
        self._producer_metrics.record_commit_txn(self._time.nanoseconds() - commit_start)

    def abort_transaction(self) -> None:
        """Fail the queued records, then abort; wait for the abort.

        Raises ProducerFencedException if another producer uses the transactional id now, KafkaException after
        a fatal error, and TimeoutException after max.block.ms, after which the call must be repeated.

        :origin: clients.producer.KafkaProducer#abortTransaction()
        """
        transaction_manager = self._throw_if_no_transaction_manager()
        self._throw_if_producer_closed()
        self._log.info("Aborting incomplete transaction")
        abort_start = self._time.nanoseconds()
        result = transaction_manager.begin_abort()
        self._sender.wakeup()
        result.await_timeout(self._max_block_time_ms, TimeUnit.MILLISECONDS)
        self._producer_metrics.record_abort_txn(self._time.nanoseconds() - abort_start)

    def send(self, record: ProducerRecord[K, V],
             callback: Callback | None = None) -> RecordFuture:
        """Queue ``record``; return a future of its metadata.

        Waits for metadata and memory for at most max.block.ms. The future holds an error that a broker can
        return, or a timeout, and this thread calls the callback with it. Raises SerializationException if a
        serializer refuses the key or value, IllegalStateException after ``close``, KafkaException otherwise.

        The sender's thread calls ``callback`` when the record is acknowledged or has failed, in the order of
        the partition's ``send`` calls.

        :origin: clients.producer.KafkaProducer#send(ProducerRecord<K,V>)
        :origin: clients.producer.KafkaProducer#send(ProducerRecord<K,V>, Callback)
        """
        # This call never raises.
        intercepted_record = self._interceptors.on_send(record)
        return self._do_send(intercepted_record, callback)

    def send_all(self, topic: str,
                 records: Iterable[V | None | tuple[K | None, V | None] | ProducerRecord[K, V]]
                 ) -> SendAllFuture:
        """Queue all ``records`` for ``topic``; return one future for all records.

        Not in Kafka: see append_all.

        A record is a value, a tuple of key and value, or a ProducerRecord with that topic; a value that is
        itself a tuple needs a ProducerRecord. The batches are the same as with ``send``, byte for byte.
        ``records`` may exceed buffer.memory and may be a generator. The call takes up to 512 records, or 1
        MB, at a time, which share one read of the metadata and the clock. It waits for memory as ``send``
        does.

        The first record that cannot be queued ends the call. The records before it are queued, the records
        after it are not; ``SendAllFuture.queued`` is the number of queued records. The errors that the future
        of ``send`` raises are raised by the future here, too. An error of ``send`` itself, or of iterating
        ``records``, is the cause of the RecordNotQueuedException that this call raises. Raises
        IllegalStateException after ``close``. Ctrl-C leaves the queued records queued. With an interceptor or
        a partitioner of the user's, this call is a loop of ``send``.
        """
        # DEVIATION D350: no such method in Java.
        self._throw_if_producer_closed()
        future = SendAllFuture()
        if (self._partitioner is not None or not self._interceptors.is_empty()
                or self._api_versions.max_usable_produce_magic() < RecordBatch.MAGIC_VALUE_V2):
            return self._send_one_by_one(topic, records, future)
        try:
            appender = AllAppender(
                topic, records, self._key_serializer, self._value_serializer, self._not_convertible,
                self._partitioner_ignore_keys, self._compression, self._ensure_valid_record_size,
                self._accumulator)
            while appender.has_records():
                self._throw_if_producer_closed()
                now_ms = self._time.milliseconds()
                found = self._wait_on_metadata_of_all(topic, None, now_ms)
                now_ms += found.waited_on_metadata_ms
                remaining_wait_ms = max(0, self._max_block_time_ms - found.waited_on_metadata_ms)
                cluster, failure = appender.prepare(
                    found.cluster, now_ms,
                    lambda partition: self._wait_on_metadata_of_all(topic, partition, now_ms).cluster)
                for part, count, sender_has_work in appender.append(cluster, remaining_wait_ms):
                    future.add(part, count)
                    if self._transaction_manager is not None:
                        self._transaction_manager.maybe_add_partition(part.result().topic_partition())
                    if sender_has_work:
                        self._sender.wakeup()
                if failure is not None:
                    raise failure
        except ApiException as e:
            self._log.debug("Exception occurred during message send:", exc=e)
            self._errors.record()
            if self._transaction_manager is not None:
                self._transaction_manager.maybe_transition_to_error_state(e)
            future.fail(e)
        except Exception as e:
            if isinstance(e, KafkaException):
                self._errors.record()
            future.fail(e)
            raise RecordNotQueuedException(future, e) from e
        return future

    def _send_one_by_one(self, topic: str,
                         records: Iterable[V | None | tuple[K | None, V | None] | ProducerRecord[K, V]],
                         future: SendAllFuture) -> SendAllFuture:
        try:
            for record in records:
                sent = self.send(to_record(topic, record))
                if isinstance(sent, KafkaProducer.FutureFailure):
                    future.fail(sent.exception())
                    break
                future.add(sent, 1)
        except Exception as e:
            future.fail(e)
            raise RecordNotQueuedException(future, e) from e
        return future

    def _wait_on_metadata_of_all(self, topic: str, partition: int | None,
                                 now_ms: int) -> KafkaProducer.ClusterAndWaitTime:
        """Wait as ``_do_send`` does."""
        try:
            return self._wait_on_metadata(topic, partition, now_ms, self._max_block_time_ms)
        except KafkaException as e:
            if self._metadata.is_closed():
                raise KafkaException("Producer closed while send in progress", e) from e
            raise

    def _throw_if_producer_closed(self) -> None:
        """Raises IllegalStateException after ``close``.

        :origin: clients.producer.KafkaProducer#throwIfProducerClosed()
        """
        if self._sender is None or not self._sender.is_running():
            raise IllegalStateException("Cannot perform operation after producer has been closed")

    def _on_new_batch(self, topic: str, cluster: Cluster, prev_partition: int) -> None:
        """:origin: clients.producer.KafkaProducer#onNewBatch(String, Cluster, int)"""
        cast(Partitioner, self._partitioner).on_new_batch(topic, cluster, prev_partition)

    def _do_send(self, record: ProducerRecord[K, V],
                 callback: Callback | None) -> RecordFuture:
        """:origin: clients.producer.KafkaProducer#doSend(ProducerRecord<K,V>, Callback)"""
        # This object calls the interceptors and the user's callback, and stores the partition that the
        # accumulator chooses.
        append_callbacks = KafkaProducer.AppendCallbacks(callback, self._interceptors, record, self._log)

        try:
            self._throw_if_producer_closed()
            topic, record_headers = record.topic(), record.headers()
            now_ms = self._time.milliseconds()
            try:
                cluster_and_wait_time = self._wait_on_metadata(
                    topic, record.partition(), now_ms, self._max_block_time_ms)
            except KafkaException as e:
                if self._metadata.is_closed():
                    raise KafkaException("Producer closed while send in progress", e) from e
                raise
            now_ms += cluster_and_wait_time.waited_on_metadata_ms
            remaining_wait_ms = max(0, self._max_block_time_ms - cluster_and_wait_time.waited_on_metadata_ms)
            cluster = cluster_and_wait_time.cluster
            try:
                serialized_key = self._key_serializer.serialize_headers(
                    topic, record_headers, record.key())
            except (TypeError, AttributeError) as cce:
                raise self._not_convertible(True, record.key(), cce) from cce
            try:
                serialized_value = self._value_serializer.serialize_headers(
                    topic, record_headers, record.value())
            except (TypeError, AttributeError) as cce:
                raise self._not_convertible(False, record.value(), cce) from cce

            # With UNKNOWN_PARTITION the accumulator chooses, because it knows the brokers' load.
            partition = self._partition(record, serialized_key, serialized_value, cluster)

            self._set_read_only(record_headers)
            headers = record_headers.to_array()

            serialized_size = AbstractRecords.estimate_size_in_bytes_upper_bound(
                self._api_versions.max_usable_produce_magic(), self._compression.type(), serialized_key,
                serialized_value, headers)
            self._ensure_valid_record_size(serialized_size)
            record_timestamp = record.timestamp()
            timestamp = now_ms if record_timestamp is None else record_timestamp

            # A partitioner of the user's gets ``on_new_batch`` before the batch is made.
            abort_on_new_batch = self._partitioner is not None

            # The accumulator may choose the partition now; append_callbacks then has it.
            result = self._accumulator.append(
                topic, partition, timestamp, serialized_key, serialized_value, headers,
                append_callbacks, remaining_wait_ms, abort_on_new_batch, now_ms, cluster)

            if result.abort_for_new_batch:
                prev_partition = partition
                self._on_new_batch(topic, cluster, prev_partition)
                partition = self._partition(record, serialized_key, serialized_value, cluster)
                if self._log.is_trace_enabled():
                    self._log.trace(
                        "Retrying append due to new batch creation for topic %s partition %s. "
                        "The old partition was %s", topic, partition, prev_partition)
                result = self._accumulator.append(
                    topic, partition, timestamp, serialized_key, serialized_value, headers,
                    append_callbacks, remaining_wait_ms, False, now_ms, cluster)

            # The partition is final only now. The sender drains no batch of a partition that is not in the
            # transaction yet.
            if self._transaction_manager is not None:
                self._transaction_manager.maybe_add_partition(
                    cast(TopicPartition, append_callbacks.topic_partition()))

            if result.batch_is_full or result.new_batch_created:
                self._log.trace(
                    "Waking up the sender since topic %s partition %s is either full or getting a new batch",
                    topic, append_callbacks.get_partition())
                self._sender.wakeup()
                if result.new_batch_created and result.batch_is_full:
                    # DEVIATION D267: fact: the sender's thread may wait for the interpreter for a switch
                    # interval, 5 ms, after each blocking call. Consequence: beside a thread that sends in a
                    # loop the sender falls behind, and records wait in the queue. Choice: a thread whose last
                    # batch is still queued when it begins the next one yields. Cost: a system call for each
                    # such batch.
                    thread_yield()
            future = result.future
            assert future is not None
            return future
        except ApiException as e:
            # An error that a broker could return is set in the future; other errors are raised.
            self._log.debug("Exception occurred during message send:", exc=e)
            if callback is not None:
                tp = cast(TopicPartition, append_callbacks.topic_partition())
                null_metadata = RecordMetadata(tp, -1, -1, RecordBatch.NO_TIMESTAMP, -1, -1)
                callback(null_metadata, e)
            self._errors.record()
            self._interceptors.on_send_error(record, append_callbacks.topic_partition(), e)
            if self._transaction_manager is not None:
                self._transaction_manager.maybe_transition_to_error_state(e)
            return KafkaProducer.FutureFailure(e)
        except InterruptedException as e:
            self._errors.record()
            self._interceptors.on_send_error(record, append_callbacks.topic_partition(), e)
            raise InterruptException(cause=e) from e
        except KafkaException as e:
            self._errors.record()
            self._interceptors.on_send_error(record, append_callbacks.topic_partition(), e)
            raise
        except Exception as e:
            # The interceptors have got every record in on_send, so they also get every failure.
            self._interceptors.on_send_error(record, append_callbacks.topic_partition(), e)
            raise

    def _not_convertible(self, is_key: bool, data: object, cause: Exception) -> SerializationException:
        """Return the exception for a key or a value that is not of its serializer's type."""
        # DEVIATION D341: where Java's cast fails, Python raises TypeError or AttributeError.
        what = "key" if is_key else "value"
        config = (ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG if is_key
                  else ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG)
        return SerializationException(
            f"Can't convert {what} of class {class_name(type(data))} to class "
            f"{self._serializer_class(config)} specified in {what}.serializer", cause)

    def _serializer_class(self, key: str) -> str:
        """Return the name of a serializer's class, for an error."""
        return class_name(cast(type, self._producer_config.get_class(key)))

    def _set_read_only(self, headers: Headers) -> None:
        """:origin: clients.producer.KafkaProducer#setReadOnly(Headers)"""
        if isinstance(headers, RecordHeaders):
            headers.set_read_only()

    def _wait_on_metadata(self, topic: str, partition: int | None, now_ms: int,
                          max_wait_ms: int) -> KafkaProducer.ClusterAndWaitTime:
        """Return a cluster with ``partition`` of ``topic``, or with any partition of it if None.

        Waits for at most ``max_wait_ms`` milliseconds from ``now_ms``, then raises TimeoutException. Raises
        InvalidTopicException, and the brokers' errors of the topic.

        :origin: clients.producer.KafkaProducer#waitOnMetadata(String, Integer, long, long)
        """
        cluster = self._metadata.fetch()

        if topic in cluster.invalid_topics():
            raise InvalidTopicException(topic)

        # A topic in use does not expire.
        self._metadata.add(topic, now_ms)

        partitions_count = cluster.partition_count_for_topic(topic)
        if partitions_count is not None and (partition is None or partition < partitions_count):
            return KafkaProducer.ClusterAndWaitTime(cluster, 0)

        remaining_wait_ms = max_wait_ms
        elapsed = 0
        # The partition may be newer than the metadata: request metadata until the partition is known, or the
        # time is over.
        now_nanos = self._time.nanoseconds()
        while True:
            if partition is not None:
                self._log.trace("Requesting metadata update for partition %s of topic %s.", partition, topic)
            else:
                self._log.trace("Requesting metadata update for topic %s.", topic)
            self._metadata.add(topic, now_ms + elapsed)
            version = self._metadata.request_update_for_topic(topic)
            self._sender.wakeup()
            try:
                self._metadata.await_update(version, remaining_wait_ms)
            except TimeoutException:
                # The message has the whole time, not the remaining time.
                raise TimeoutException(
                    f"Topic {topic} not present in metadata after {max_wait_ms} ms.") from None
            cluster = self._metadata.fetch()
            elapsed = self._time.milliseconds() - now_ms
            if elapsed >= max_wait_ms:
                raise TimeoutException(
                    f"Topic {topic} not present in metadata after {max_wait_ms} ms."
                    if partitions_count is None else
                    f"Partition {partition} of topic {topic} with partition count {partitions_count} is not "
                    f"present in metadata after {max_wait_ms} ms.")
            self._metadata.maybe_throw_exception_for_topic(topic)
            remaining_wait_ms = max_wait_ms - elapsed
            partitions_count = cluster.partition_count_for_topic(topic)
            if partitions_count is not None and (partition is None or partition < partitions_count):
                break

        self._producer_metrics.record_metadata_wait(self._time.nanoseconds() - now_nanos)

        return KafkaProducer.ClusterAndWaitTime(cluster, elapsed)

    def _ensure_valid_record_size(self, size: int) -> None:
        """Raises RecordTooLargeException if ``size`` exceeds max.request.size or buffer.memory.

        :origin: clients.producer.KafkaProducer#ensureValidRecordSize(int)
        """
        if size > self._max_request_size:
            raise RecordTooLargeException(
                f"The message is {size} bytes when serialized which is larger than {self._max_request_size}, "
                f"which is the value of the {ProducerConfig.MAX_REQUEST_SIZE_CONFIG} configuration.")
        if size > self._total_memory_size:
            raise RecordTooLargeException(
                f"The message is {size} bytes when serialized which is larger than the total memory buffer "
                f"you have configured with the {ProducerConfig.BUFFER_MEMORY_CONFIG} configuration.")

    def flush(self) -> None:
        """Send all queued records without lingering, and wait until each is acknowledged or has failed.

        The call does not wait for records that other threads send meanwhile. Raises InterruptException.

        :origin: clients.producer.KafkaProducer#flush()
        """
        self._log.trace("Flushing accumulated records in producer.")

        start = self._time.nanoseconds()
        self._accumulator.begin_flush()
        self._sender.wakeup()
        try:
            self._accumulator.await_flush_completion()
        except InterruptedException as e:
            raise InterruptException("Flush interrupted.", e) from e
        finally:
            self._producer_metrics.record_flush(self._time.nanoseconds() - start)

    def partitions_for(self, topic: str) -> list[PartitionInfo]:
        """Return the partitions of a topic; wait for its metadata for at most max.block.ms.

        Raises TypeError without a topic, TimeoutException, InterruptException, and the brokers' errors of the
        topic.

        :origin: clients.producer.KafkaProducer#partitionsFor(String)
        """
        if topic is None:
            raise TypeError("topic cannot be null")
        try:
            return list(self._wait_on_metadata(
                topic, None, self._time.milliseconds(), self._max_block_time_ms,
            ).cluster.partitions_for_topic(topic))
        except InterruptedException as e:
            raise InterruptException(cause=e) from e

    def metrics(self) -> Mapping[MetricName, Metric]:
        """Return a view of all metrics.

        :origin: clients.producer.KafkaProducer#metrics()
        """
        return MappingProxyType(cast("dict[MetricName, Metric]", self._metrics.metrics()))

    def client_instance_id(self, timeout_ms: int) -> Uuid | None:
        """Raises IllegalStateException, because there is no telemetry.

        :origin: clients.producer.KafkaProducer#clientInstanceId(Duration)
        """
        raise IllegalStateException(
            f"Telemetry is not enabled. Set config `{ProducerConfig.ENABLE_METRICS_PUSH_CONFIG}` to `true`.")

    def close(self, timeout_ms: int | None = None) -> None:
        """Send the queued records, for at most ``timeout_ms`` milliseconds, then end; None waits without
        limit.

        Records that are not sent by then fail, and an open transaction is aborted. A call from a callback
        does not wait. Raises IllegalArgumentException for a negative time, InterruptException, and
        KafkaException if a part could not be closed.

        :origin: clients.producer.KafkaProducer#close()
        :origin: clients.producer.KafkaProducer#close(Duration)
        """
        self._close(_LONG_MAX_VALUE if timeout_ms is None else timeout_ms, False)

    def _close(self, timeout_ms: int, swallow_exception: bool) -> None:
        """:origin: clients.producer.KafkaProducer#close(Duration, boolean)"""
        if timeout_ms < 0:
            raise IllegalArgumentException("The timeout cannot be negative.")
        if isinstance(self._sender, _OfParent):
            return
        self._log.info("Closing the Kafka producer with timeoutMillis = %s ms.", timeout_ms)

        first_exception: list[BaseException] = []
        invoked_from_callback = Thread.current_thread() is self._io_thread
        if timeout_ms > 0:
            if invoked_from_callback:
                self._log.warn(
                    "Overriding close timeout %s ms to 0 ms in order to prevent useless blocking due to "
                    "self-join. This means you have incorrectly invoked close with a non-zero timeout from "
                    "the producer call-back.", timeout_ms)
            else:
                close_timer = self._time.timer(timeout_ms)
                if self._sender is not None:
                    self._sender.initiate_close()
                    close_timer.update()
                if self._io_thread is not None:
                    # DEVIATION D342: Ctrl-C ends the wait with a KeyboardInterrupt; the close continues
                    # below.
                    try:
                        self._join_io_thread(close_timer.remaining_ms())
                    except (InterruptedException, KeyboardInterrupt) as t:
                        first_exception.append(_interrupt_of(t))
                        self._log.error("Interrupted while joining ioThread", exc=t)
                    finally:
                        close_timer.update()

        if self._sender is not None and self._io_thread is not None and self._io_thread_is_alive():
            self._log.info(
                "Proceeding to force close the producer since pending requests could not be completed within "
                "timeout %s ms.", timeout_ms)
            self._sender.force_close()
            # The sender's thread cannot wait for itself.
            if not invoked_from_callback:
                try:
                    self._join_io_thread(_LONG_MAX_VALUE)
                except (InterruptedException, KeyboardInterrupt) as e:
                    # Made in any case, because it sets the thread's flag again.
                    interrupt = _interrupt_of(e)
                    if not first_exception:
                        first_exception.append(interrupt)

        Utils.close_quietly_first(self._interceptors, "producer interceptors", first_exception)
        Utils.close_quietly_first(self._producer_metrics, "producer metrics wrapper", first_exception)
        Utils.close_quietly_first(self._metrics, "producer metrics", first_exception)
        Utils.close_quietly_first(self._key_serializer, "producer keySerializer", first_exception)
        Utils.close_quietly_first(self._value_serializer, "producer valueSerializer", first_exception)
        Utils.close_quietly_first(self._partitioner, "producer partitioner", first_exception)
        if self._metrics is not None:
            AppInfoParser.unregister_app_info(self._JMX_PREFIX, self._client_id, self._metrics)
        exception = first_exception[0] if first_exception else None
        if exception is not None and not swallow_exception:
            if isinstance(exception, (InterruptException, KeyboardInterrupt)):
                raise exception
            raise KafkaException("Failed to close kafka producer", exception) from exception
        self._log.debug("Kafka producer has been closed")

    def _io_thread_is_alive(self) -> bool:
        return self._io_thread.is_alive() and not self._io_thread_ended.is_set()

    def _join_io_thread(self, timeout_ms: int) -> None:
        """Wait for the sender's thread for at most ``timeout_ms`` milliseconds.

        After Ctrl-C in ``Thread.join``, CPython 3.11 regards a running thread as dead. So this method waits
        for the thread's final event, and joins then.
        """
        if self._io_thread_is_alive():
            self._io_thread_ended.wait(min(timeout_ms / 1000, TIMEOUT_MAX))
        if self._io_thread_ended.is_set():
            self._io_thread.join()

    def _partition(self, record: ProducerRecord[K, V], serialized_key: BytesLike | None,
                   serialized_value: BytesLike | None, cluster: Cluster) -> int:
        """Return the partition from the record, the partitioner or the key's hash, or UNKNOWN_PARTITION.

        Raises IllegalArgumentException if the partitioner returns a negative number.

        :origin: clients.producer.KafkaProducer#partition(ProducerRecord<K,V>, byte[], byte[], Cluster)
        """
        record_partition = record.partition()
        if record_partition is not None:
            return record_partition

        if self._partitioner is not None:
            custom_partition = self._partitioner.partition(
                record.topic(), record.key(), serialized_key, record.value(), serialized_value, cluster)
            if custom_partition < 0:
                raise IllegalArgumentException(
                    f"The partitioner generated an invalid partition number: {custom_partition}. "
                    "Partition number should always be non-negative.")
            return custom_partition

        if serialized_key is not None and not self._partitioner_ignore_keys:
            return BuiltInPartitioner.partition_for_key(
                serialized_key, len(cluster.partitions_for_topic(record.topic())))
        else:
            return RecordMetadata.UNKNOWN_PARTITION

    def _throw_if_invalid_group_metadata(self, group_metadata: ConsumerGroupMetadata | None) -> None:
        """Raises IllegalArgumentException for a generation without a member.

        :origin: clients.producer.KafkaProducer#throwIfInvalidGroupMetadata(ConsumerGroupMetadata)
        """
        if group_metadata is None:
            raise IllegalArgumentException("Consumer group metadata could not be null")
        elif (group_metadata.generation_id() > 0
              and group_metadata.member_id() == JoinGroupRequest.UNKNOWN_MEMBER_ID):
            raise IllegalArgumentException(
                f"Passed in group metadata {group_metadata} has generationId > 0 but member.id ")

    def _throw_if_no_transaction_manager(self) -> TransactionManager:
        """Return the transaction manager. Raises IllegalStateException without idempotence.

        :origin: clients.producer.KafkaProducer#throwIfNoTransactionManager()
        """
        if self._transaction_manager is None:
            raise IllegalStateException(
                "Cannot use transactional methods without enabling transactions by setting the "
                f"{ProducerConfig.TRANSACTIONAL_ID_CONFIG} configuration property")
        return self._transaction_manager

    def get_client_id(self) -> str:
        """Return the client id.

        :origin: clients.producer.KafkaProducer#getClientId()
        """
        return self._client_id

    class ClusterAndWaitTime:
        """A cluster, and the time of the wait for it, in milliseconds.

        :origin: clients.producer.KafkaProducer.ClusterAndWaitTime
        """

        __slots__ = ("cluster", "waited_on_metadata_ms")

        def __init__(self, cluster: Cluster, waited_on_metadata_ms: int) -> None:
            """:origin: clients.producer.KafkaProducer.ClusterAndWaitTime#ClusterAndWaitTime(Cluster, long)"""
            self.cluster = cluster
            self.waited_on_metadata_ms = waited_on_metadata_ms

    class FutureFailure:
        """The future of a record that failed before it was queued.

        :origin: clients.producer.KafkaProducer.FutureFailure
        """

        __slots__ = ("_exception",)

        def __init__(self, exception: Exception) -> None:
            """:origin: clients.producer.KafkaProducer.FutureFailure#FutureFailure(Exception)"""
            self._exception = exception

        def exception(self) -> Exception:
            """Return the exception that ``get`` raises."""
            return self._exception

        def cancel(self, interrupt: bool = False) -> bool:
            """Return False.

            :origin: clients.producer.KafkaProducer.FutureFailure#cancel(boolean)
            """
            return False

        def get(self, timeout: int | None = None, unit: TimeUnit = TimeUnit.MILLISECONDS) -> RecordMetadata:
            """Raises the record's error.

            :origin: clients.producer.KafkaProducer.FutureFailure#get()
            :origin: clients.producer.KafkaProducer.FutureFailure#get(long, TimeUnit)
            """
            raise self._exception

        def is_cancelled(self) -> bool:
            """Return False.

            :origin: clients.producer.KafkaProducer.FutureFailure#isCancelled()
            """
            return False

        def is_done(self) -> bool:
            """Return True.

            :origin: clients.producer.KafkaProducer.FutureFailure#isDone()
            """
            return True

    class AppendCallbacks(RecordAccumulator.AppendCallbacks):
        """The callbacks of a record: for its partition, and for its completion.

        The sending thread sets the partition before the sender's thread can complete the batch.

        :origin: clients.producer.KafkaProducer.AppendCallbacks
        """

        __slots__ = ("_user_callback", "_interceptors", "_topic", "_record_partition", "_record_log_string",
                     "_partition", "_topic_partition", "_log")

        def __init__(self, user_callback: Callback | None, interceptors: ProducerInterceptors[Any, Any],
                     record: ProducerRecord[Any, Any] | None, log: Logger) -> None:
            """Store topic and partition, not the record, so that the record can be freed before its batch.

            ``record`` is None if the user passed None; the interceptors also get that failure.

            :origin: clients.producer.KafkaProducer.AppendCallbacks#AppendCallbacks(Callback,
                ProducerInterceptors<K,V>, ProducerRecord<K,V>)
            """
            self._user_callback = user_callback
            self._interceptors = interceptors
            self._topic = None if record is None else record.topic()
            self._record_partition = None if record is None else record.partition()
            self._record_log_string = str(record) if record is not None and log.is_trace_enabled() else ""
            self._partition = RecordMetadata.UNKNOWN_PARTITION
            self._topic_partition: TopicPartition | None = None
            self._log = log

        def __call__(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
            """Call the interceptors, then the user's callback.

            :origin: clients.producer.KafkaProducer.AppendCallbacks#onCompletion(RecordMetadata, Exception)
            """
            if metadata is None:
                metadata = RecordMetadata(
                    cast(TopicPartition, self.topic_partition()), -1, -1, RecordBatch.NO_TIMESTAMP, -1, -1)
            self._interceptors.on_acknowledgement(metadata, exception)
            if self._user_callback is not None:
                self._user_callback(metadata, exception)

        def when_done(self) -> Callback | None:
            """Return None if neither the user nor an interceptor waits for the record."""
            # DEVIATION D297: no RecordMetadata is made until one is needed.
            return None if self._user_callback is None and self._interceptors.is_empty() else self

        def set_partition(self, partition: int) -> None:
            """Set the partition that the accumulator has chosen.

            :origin: clients.producer.KafkaProducer.AppendCallbacks#setPartition(int)
            """
            self._partition = partition

            if self._log.is_trace_enabled():
                self._log.trace("Attempting to append record %s with callback %s to topic %s partition %s",
                                self._record_log_string, self._user_callback, self._topic, partition)

        def get_partition(self) -> int:
            """Return the partition, or UNKNOWN_PARTITION.

            :origin: clients.producer.KafkaProducer.AppendCallbacks#getPartition()
            """
            return self._partition

        def topic_partition(self) -> TopicPartition | None:
            """Return topic and partition as far as they are known, None without a record.

            :origin: clients.producer.KafkaProducer.AppendCallbacks#topicPartition()
            """
            if self._topic_partition is None and self._topic is not None:
                if self._partition != RecordMetadata.UNKNOWN_PARTITION:
                    self._topic_partition = TopicPartition(self._topic, self._partition)
                elif self._record_partition is not None:
                    self._topic_partition = TopicPartition(self._topic, self._record_partition)
                else:
                    self._topic_partition = TopicPartition(self._topic, RecordMetadata.UNKNOWN_PARTITION)
            return self._topic_partition
