# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.BrokerTopicStats of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The rates of each topic, and of all topics together."""

from __future__ import annotations

from kreactor.core.server import broker_topic_metrics
from kreactor.core.server.broker_topic_metrics import BrokerTopicMetrics
from kreactor.core.utils.logging import Logging
from kreactor.core.utils.pool import Pool
from kreactor.server.metrics.yammer import MetricsRegistry


class BrokerTopicStats(Logging):
    """Metrics by topic, made at a topic's first use. For use by any thread.

    :origin: kafka.server.BrokerTopicStats
    :origin: kafka.server.BrokerTopicStats
    """

    MessagesInPerSec = broker_topic_metrics.MESSAGES_IN_PER_SEC
    BytesInPerSec = broker_topic_metrics.BYTES_IN_PER_SEC
    BytesOutPerSec = broker_topic_metrics.BYTES_OUT_PER_SEC
    BytesRejectedPerSec = broker_topic_metrics.BYTES_REJECTED_PER_SEC
    ReplicationBytesInPerSec = broker_topic_metrics.REPLICATION_BYTES_IN_PER_SEC
    ReplicationBytesOutPerSec = broker_topic_metrics.REPLICATION_BYTES_OUT_PER_SEC
    FailedProduceRequestsPerSec = broker_topic_metrics.FAILED_PRODUCE_REQUESTS_PER_SEC
    FailedFetchRequestsPerSec = broker_topic_metrics.FAILED_FETCH_REQUESTS_PER_SEC
    TotalProduceRequestsPerSec = broker_topic_metrics.TOTAL_PRODUCE_REQUESTS_PER_SEC
    TotalFetchRequestsPerSec = broker_topic_metrics.TOTAL_FETCH_REQUESTS_PER_SEC
    FetchMessageConversionsPerSec = broker_topic_metrics.FETCH_MESSAGE_CONVERSIONS_PER_SEC
    ProduceMessageConversionsPerSec = broker_topic_metrics.PRODUCE_MESSAGE_CONVERSIONS_PER_SEC
    ReassignmentBytesInPerSec = broker_topic_metrics.REASSIGNMENT_BYTES_IN_PER_SEC
    ReassignmentBytesOutPerSec = broker_topic_metrics.REASSIGNMENT_BYTES_OUT_PER_SEC
    # The meters of refused records.
    NoKeyCompactedTopicRecordsPerSec = broker_topic_metrics.NO_KEY_COMPACTED_TOPIC_RECORDS_PER_SEC
    InvalidMagicNumberRecordsPerSec = broker_topic_metrics.INVALID_MAGIC_NUMBER_RECORDS_PER_SEC
    InvalidMessageCrcRecordsPerSec = broker_topic_metrics.INVALID_MESSAGE_CRC_RECORDS_PER_SEC
    InvalidOffsetOrSequenceRecordsPerSec = broker_topic_metrics.INVALID_OFFSET_OR_SEQUENCE_RECORDS_PER_SEC

    def __init__(self, registry: MetricsRegistry | None = None) -> None:
        self._stats: Pool[str, BrokerTopicMetrics] = Pool(lambda k: BrokerTopicMetrics(k, registry))
        self.all_topics_stats = BrokerTopicMetrics(None, registry)

    def is_topic_stats_existed(self, topic: str) -> bool:
        """Return whether the topic has metrics.

        :origin: kafka.server.BrokerTopicStats#isTopicStatsExisted
        """
        return self._stats.contains(topic)

    def topic_stats(self, topic: str) -> BrokerTopicMetrics:
        """Return the metrics of a topic.

        :origin: kafka.server.BrokerTopicStats#topicStats
        """
        stats = self._stats._pool.get(topic)
        return self._stats.get_and_maybe_put(topic) if stats is None else stats

    def _update_replication_bytes_out(self, value: int) -> None:
        """:origin: kafka.server.BrokerTopicStats#updateReplicationBytesOut"""
        metric = self.all_topics_stats.replication_bytes_out_rate()
        if metric is not None:
            metric.mark(value)

    def _update_reassignment_bytes_out(self, value: int) -> None:
        """:origin: kafka.server.BrokerTopicStats#updateReassignmentBytesOut"""
        metric = self.all_topics_stats.reassignment_bytes_out_per_sec()
        if metric is not None:
            metric.mark(value)

    def remove_old_leader_metrics(self, topic: str) -> None:
        """Remove the metrics that only a leader records.

        :origin: kafka.server.BrokerTopicStats#removeOldLeaderMetrics
        """
        topic_metrics = self.topic_stats(topic)
        topic_metrics.close_metric(BrokerTopicStats.MessagesInPerSec)
        topic_metrics.close_metric(BrokerTopicStats.BytesInPerSec)
        topic_metrics.close_metric(BrokerTopicStats.BytesRejectedPerSec)
        topic_metrics.close_metric(BrokerTopicStats.FailedProduceRequestsPerSec)
        topic_metrics.close_metric(BrokerTopicStats.TotalProduceRequestsPerSec)
        topic_metrics.close_metric(BrokerTopicStats.ProduceMessageConversionsPerSec)
        topic_metrics.close_metric(BrokerTopicStats.ReplicationBytesOutPerSec)
        topic_metrics.close_metric(BrokerTopicStats.ReassignmentBytesOutPerSec)

    def remove_metrics(self, topic: str) -> None:
        """Remove all metrics of a topic.

        :origin: kafka.server.BrokerTopicStats#removeMetrics
        """
        metrics = self._stats.remove(topic)
        if metrics is not None:
            metrics.close()

    def update_bytes_out(self, topic: str, is_follower: bool, is_reassignment: bool, value: int) -> None:
        """Count bytes that a client or a replica has fetched.

        :origin: kafka.server.BrokerTopicStats#updateBytesOut
        """
        if is_follower:
            if is_reassignment:
                self._update_reassignment_bytes_out(value)
            self._update_replication_bytes_out(value)
        else:
            self.topic_stats(topic).bytes_out_rate().mark(value)
            self.all_topics_stats.bytes_out_rate().mark(value)

    def close(self) -> None:
        """Remove all metrics.

        :origin: kafka.server.BrokerTopicStats#close
        """
        self.all_topics_stats.close()
        for metrics in self._stats.values():
            metrics.close()

        self.info("broker and topic stats closed")
