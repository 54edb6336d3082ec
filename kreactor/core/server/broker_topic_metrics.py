# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.BrokerTopicMetrics of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The rates of one topic, or of all topics together."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.core.utils.pool import Pool
from kreactor.jdk.locks import Lock
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import Meter, MetricsRegistry

# Kafka has these names in BrokerTopicStats, which imports this class.
MESSAGES_IN_PER_SEC = "MessagesInPerSec"
BYTES_IN_PER_SEC = "BytesInPerSec"
BYTES_OUT_PER_SEC = "BytesOutPerSec"
BYTES_REJECTED_PER_SEC = "BytesRejectedPerSec"
REPLICATION_BYTES_IN_PER_SEC = "ReplicationBytesInPerSec"
REPLICATION_BYTES_OUT_PER_SEC = "ReplicationBytesOutPerSec"
FAILED_PRODUCE_REQUESTS_PER_SEC = "FailedProduceRequestsPerSec"
FAILED_FETCH_REQUESTS_PER_SEC = "FailedFetchRequestsPerSec"
TOTAL_PRODUCE_REQUESTS_PER_SEC = "TotalProduceRequestsPerSec"
TOTAL_FETCH_REQUESTS_PER_SEC = "TotalFetchRequestsPerSec"
FETCH_MESSAGE_CONVERSIONS_PER_SEC = "FetchMessageConversionsPerSec"
PRODUCE_MESSAGE_CONVERSIONS_PER_SEC = "ProduceMessageConversionsPerSec"
REASSIGNMENT_BYTES_IN_PER_SEC = "ReassignmentBytesInPerSec"
REASSIGNMENT_BYTES_OUT_PER_SEC = "ReassignmentBytesOutPerSec"
NO_KEY_COMPACTED_TOPIC_RECORDS_PER_SEC = "NoKeyCompactedTopicRecordsPerSec"
INVALID_MAGIC_NUMBER_RECORDS_PER_SEC = "InvalidMagicNumberRecordsPerSec"
INVALID_MESSAGE_CRC_RECORDS_PER_SEC = "InvalidMessageCrcRecordsPerSec"
INVALID_OFFSET_OR_SEQUENCE_RECORDS_PER_SEC = "InvalidOffsetOrSequenceRecordsPerSec"

_EVENT_TYPES = {
    MESSAGES_IN_PER_SEC: "messages",
    BYTES_IN_PER_SEC: "bytes",
    BYTES_OUT_PER_SEC: "bytes",
    BYTES_REJECTED_PER_SEC: "bytes",
    FAILED_PRODUCE_REQUESTS_PER_SEC: "requests",
    FAILED_FETCH_REQUESTS_PER_SEC: "requests",
    TOTAL_PRODUCE_REQUESTS_PER_SEC: "requests",
    TOTAL_FETCH_REQUESTS_PER_SEC: "requests",
    FETCH_MESSAGE_CONVERSIONS_PER_SEC: "requests",
    PRODUCE_MESSAGE_CONVERSIONS_PER_SEC: "requests",
    NO_KEY_COMPACTED_TOPIC_RECORDS_PER_SEC: "requests",
    INVALID_MAGIC_NUMBER_RECORDS_PER_SEC: "requests",
    INVALID_MESSAGE_CRC_RECORDS_PER_SEC: "requests",
    INVALID_OFFSET_OR_SEQUENCE_RECORDS_PER_SEC: "requests",
}
_ALL_TOPICS_EVENT_TYPES = {
    REPLICATION_BYTES_IN_PER_SEC: "bytes",
    REPLICATION_BYTES_OUT_PER_SEC: "bytes",
    REASSIGNMENT_BYTES_IN_PER_SEC: "bytes",
    REASSIGNMENT_BYTES_OUT_PER_SEC: "bytes",
}


class BrokerTopicMetrics:
    """Meters by name, of one topic or of all topics. For use by any thread.

    :origin: kafka.server.BrokerTopicMetrics
    """

    class MeterWrapper:
        """A meter that is made at its first use, because most topics never use most of their meters.

        :origin: kafka.server.BrokerTopicMetrics.MeterWrapper
        """

        __slots__ = ("metric_type", "event_type", "_lazy_meter", "_meter_lock", "_metrics_group", "_tags")

        def __init__(self, metric_type: str, event_type: str, metrics_group: KafkaMetricsGroup,
                     tags: Mapping[str, str]) -> None:
            self.metric_type = metric_type
            self.event_type = event_type
            self._metrics_group = metrics_group
            self._tags = tags
            self._lazy_meter: Meter | None = None
            self._meter_lock = Lock()
            if not tags:
                self.meter()

        def meter(self) -> Meter:
            """Return the meter; make it at the first call.

            :origin: kafka.server.BrokerTopicMetrics.MeterWrapper#meter
            """
            meter = self._lazy_meter
            if meter is None:
                with self._meter_lock:
                    meter = self._lazy_meter
                    if meter is None:
                        meter = self._metrics_group.new_meter(
                            self.metric_type, self.event_type, TimeUnit.SECONDS, self._tags)
                        self._lazy_meter = meter
            return meter

        def close(self) -> None:
            """Remove the meter if it was made.

            :origin: kafka.server.BrokerTopicMetrics.MeterWrapper#close
            """
            with self._meter_lock:
                if self._lazy_meter is not None:
                    self._metrics_group.remove_metric(self.metric_type, self._tags)
                    self._lazy_meter = None

    def __init__(self, name: str | None, registry: MetricsRegistry | None = None) -> None:
        """Hold the meters of topic ``name``, or those of all topics if ``name`` is None."""
        self._name = name
        self._metrics_group = KafkaMetricsGroup(type(self), registry)
        self.tags: Mapping[str, str] = {} if name is None else {"topic": name}
        event_types = dict(_EVENT_TYPES)
        if name is None:
            event_types |= _ALL_TOPICS_EVENT_TYPES
        self._metric_type_map: Pool[str, BrokerTopicMetrics.MeterWrapper] = Pool()
        self._metric_type_map.put_all({
            metric_type: BrokerTopicMetrics.MeterWrapper(
                metric_type, event_type, self._metrics_group, self.tags)
            for metric_type, event_type in event_types.items()})
        # The pool's dictionary itself, because every produce or fetch looks up several wrappers.
        self._wrappers = self._metric_type_map._pool

    def metric_map(self) -> dict[str, BrokerTopicMetrics.MeterWrapper]:
        """Return all meters by name.

        :origin: kafka.server.BrokerTopicMetrics#metricMap
        """
        return {name: wrapper for name in self._metric_type_map.keys()
                if (wrapper := self._metric_type_map.get(name)) is not None}

    def _meter(self, metric_type: str) -> Meter:
        return self._wrappers[metric_type].meter()

    def messages_in_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#messagesInRate"""
        wrapper = self._wrappers[MESSAGES_IN_PER_SEC]
        return wrapper._lazy_meter or wrapper.meter()

    def bytes_in_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#bytesInRate"""
        wrapper = self._wrappers[BYTES_IN_PER_SEC]
        return wrapper._lazy_meter or wrapper.meter()

    def bytes_out_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#bytesOutRate"""
        wrapper = self._wrappers[BYTES_OUT_PER_SEC]
        return wrapper._lazy_meter or wrapper.meter()

    def bytes_rejected_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#bytesRejectedRate"""
        return self._meter(BYTES_REJECTED_PER_SEC)

    def replication_bytes_in_rate(self) -> Meter | None:
        """:origin: kafka.server.BrokerTopicMetrics#replicationBytesInRate"""
        return self._meter(REPLICATION_BYTES_IN_PER_SEC) if self._name is None else None

    def replication_bytes_out_rate(self) -> Meter | None:
        """:origin: kafka.server.BrokerTopicMetrics#replicationBytesOutRate"""
        return self._meter(REPLICATION_BYTES_OUT_PER_SEC) if self._name is None else None

    def reassignment_bytes_in_per_sec(self) -> Meter | None:
        """:origin: kafka.server.BrokerTopicMetrics#reassignmentBytesInPerSec"""
        return self._meter(REASSIGNMENT_BYTES_IN_PER_SEC) if self._name is None else None

    def reassignment_bytes_out_per_sec(self) -> Meter | None:
        """:origin: kafka.server.BrokerTopicMetrics#reassignmentBytesOutPerSec"""
        return self._meter(REASSIGNMENT_BYTES_OUT_PER_SEC) if self._name is None else None

    def failed_produce_request_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#failedProduceRequestRate"""
        return self._meter(FAILED_PRODUCE_REQUESTS_PER_SEC)

    def failed_fetch_request_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#failedFetchRequestRate"""
        return self._meter(FAILED_FETCH_REQUESTS_PER_SEC)

    def total_produce_request_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#totalProduceRequestRate"""
        wrapper = self._wrappers[TOTAL_PRODUCE_REQUESTS_PER_SEC]
        return wrapper._lazy_meter or wrapper.meter()

    def total_fetch_request_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#totalFetchRequestRate"""
        wrapper = self._wrappers[TOTAL_FETCH_REQUESTS_PER_SEC]
        return wrapper._lazy_meter or wrapper.meter()

    def fetch_message_conversions_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#fetchMessageConversionsRate"""
        return self._meter(FETCH_MESSAGE_CONVERSIONS_PER_SEC)

    def produce_message_conversions_rate(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#produceMessageConversionsRate"""
        return self._meter(PRODUCE_MESSAGE_CONVERSIONS_PER_SEC)

    def no_key_compacted_topic_records_per_sec(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#noKeyCompactedTopicRecordsPerSec"""
        return self._meter(NO_KEY_COMPACTED_TOPIC_RECORDS_PER_SEC)

    def invalid_magic_number_records_per_sec(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#invalidMagicNumberRecordsPerSec"""
        return self._meter(INVALID_MAGIC_NUMBER_RECORDS_PER_SEC)

    def invalid_message_crc_records_per_sec(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#invalidMessageCrcRecordsPerSec"""
        return self._meter(INVALID_MESSAGE_CRC_RECORDS_PER_SEC)

    def invalid_offset_or_sequence_records_per_sec(self) -> Meter:
        """:origin: kafka.server.BrokerTopicMetrics#invalidOffsetOrSequenceRecordsPerSec"""
        return self._meter(INVALID_OFFSET_OR_SEQUENCE_RECORDS_PER_SEC)

    def close_metric(self, metric_type: str) -> None:
        """Remove the meter of this name, if there is one.

        :origin: kafka.server.BrokerTopicMetrics#closeMetric
        """
        meter = self._metric_type_map.get(metric_type)
        if meter is not None:
            meter.close()

    def close(self) -> None:
        """Remove all meters.

        :origin: kafka.server.BrokerTopicMetrics#close
        """
        for wrapper in self._metric_type_map.values():
            wrapper.close()
