# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.KafkaProducerMetrics of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The total time that callers were blocked in each of the producer's methods, in nanoseconds.

Called by any thread.
"""

from __future__ import annotations

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum


class KafkaProducerMetrics:
    """The sensors of ``flush``, of the transaction methods and of waiting for metadata.

    :origin: clients.producer.internals.KafkaProducerMetrics
    """

    GROUP = "producer-metrics"
    _FLUSH = "flush"
    _TXN_INIT = "txn-init"
    _TXN_BEGIN = "txn-begin"
    _TXN_SEND_OFFSETS = "txn-send-offsets"
    _TXN_COMMIT = "txn-commit"
    _TXN_ABORT = "txn-abort"
    _TOTAL_TIME_SUFFIX = "-time-ns-total"
    _METADATA_WAIT = "metadata-wait"

    def __init__(self, metrics: Metrics) -> None:
        """Register all sensors with ``metrics``.

        :origin: clients.producer.internals.KafkaProducerMetrics#KafkaProducerMetrics(Metrics)
        """
        self._metrics = metrics
        self._tags = self._metrics.config().tags()
        self._flush_time_sensor = self._new_latency_sensor(
            self._FLUSH, "Nanoseconds spent in flush so far.")
        self._init_time_sensor = self._new_latency_sensor(
            self._TXN_INIT, "Nanoseconds spent in init_transactions so far.")
        self._begin_txn_time_sensor = self._new_latency_sensor(
            self._TXN_BEGIN, "Nanoseconds spent in begin_transaction so far.")
        self._send_offsets_sensor = self._new_latency_sensor(
            self._TXN_SEND_OFFSETS, "Nanoseconds spent in send_offsets_to_transaction so far.")
        self._commit_txn_sensor = self._new_latency_sensor(
            self._TXN_COMMIT, "Nanoseconds spent in commit_transaction so far.")
        self._abort_txn_sensor = self._new_latency_sensor(
            self._TXN_ABORT, "Nanoseconds spent in abort_transaction so far.")
        self._metadata_wait_sensor = self._new_latency_sensor(
            self._METADATA_WAIT, "Nanoseconds spent waiting for the metadata of topics so far.")

    def close(self) -> None:
        """Remove all sensors.

        :origin: clients.producer.internals.KafkaProducerMetrics#close()
        """
        self._remove_metric(self._FLUSH)
        self._remove_metric(self._TXN_INIT)
        self._remove_metric(self._TXN_BEGIN)
        self._remove_metric(self._TXN_SEND_OFFSETS)
        self._remove_metric(self._TXN_COMMIT)
        self._remove_metric(self._TXN_ABORT)
        self._remove_metric(self._METADATA_WAIT)

    def record_flush(self, duration: int) -> None:
        """Add the nanoseconds of a call.

        :origin: clients.producer.internals.KafkaProducerMetrics#recordFlush(long)
        """
        self._flush_time_sensor.record(duration)

    def record_init(self, duration: int) -> None:
        """Add the nanoseconds of a call.

        :origin: clients.producer.internals.KafkaProducerMetrics#recordInit(long)
        """
        self._init_time_sensor.record(duration)

    def record_begin_txn(self, duration: int) -> None:
        """Add the nanoseconds of a call.

        :origin: clients.producer.internals.KafkaProducerMetrics#recordBeginTxn(long)
        """
        self._begin_txn_time_sensor.record(duration)

    def record_send_offsets(self, duration: int) -> None:
        """Add the nanoseconds of a call.

        :origin: clients.producer.internals.KafkaProducerMetrics#recordSendOffsets(long)
        """
        self._send_offsets_sensor.record(duration)

    def record_commit_txn(self, duration: int) -> None:
        """Add the nanoseconds of a call.

        :origin: clients.producer.internals.KafkaProducerMetrics#recordCommitTxn(long)
        """
        self._commit_txn_sensor.record(duration)

    def record_abort_txn(self, duration: int) -> None:
        """Add the nanoseconds of a call.

        :origin: clients.producer.internals.KafkaProducerMetrics#recordAbortTxn(long)
        """
        self._abort_txn_sensor.record(duration)

    def record_metadata_wait(self, duration: int) -> None:
        """Add the nanoseconds of a wait for metadata.

        :origin: clients.producer.internals.KafkaProducerMetrics#recordMetadataWait(long)
        """
        self._metadata_wait_sensor.record(duration)

    def _new_latency_sensor(self, name: str, description: str) -> Sensor:
        """:origin: clients.producer.internals.KafkaProducerMetrics#newLatencySensor(String, String)"""
        sensor = self._metrics.sensor(name + self._TOTAL_TIME_SUFFIX)
        sensor.add(self._metric_name(name, description), CumulativeSum())
        return sensor

    def _metric_name(self, name: str, description: str) -> MetricName:
        """:origin: clients.producer.internals.KafkaProducerMetrics#metricName(String, String)"""
        return self._metrics.metric_name(
            name + self._TOTAL_TIME_SUFFIX, self.GROUP, description, self._tags)

    def _remove_metric(self, name: str) -> None:
        """:origin: clients.producer.internals.KafkaProducerMetrics#removeMetric(String)"""
        self._metrics.remove_sensor(name + self._TOTAL_TIME_SUFFIX)
