# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The meters of records that a broker's logs refuse. In Kafka UnifiedLog and LogValidator mark them."""

from __future__ import annotations

from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.storage.internals.log.log_validator import MetricsRecorder


class BrokerAppendMetrics(MetricsRecorder):
    """Marks the meter of all topics, and the topic's own meter where Kafka has one. For use by any thread."""

    __slots__ = ("_stats",)

    def __init__(self, stats: BrokerTopicStats) -> None:
        self._stats = stats

    def record_bytes_rejected(self, topic: str, size: int) -> None:
        self._stats.topic_stats(topic).bytes_rejected_rate().mark(size)
        self._stats.all_topics_stats.bytes_rejected_rate().mark(size)

    def record_invalid_magic(self) -> None:
        self._stats.all_topics_stats.invalid_magic_number_records_per_sec().mark()

    def record_invalid_offset(self) -> None:
        self._stats.all_topics_stats.invalid_offset_or_sequence_records_per_sec().mark()

    def record_invalid_sequence(self) -> None:
        self._stats.all_topics_stats.invalid_offset_or_sequence_records_per_sec().mark()

    def record_invalid_checksums(self) -> None:
        self._stats.all_topics_stats.invalid_message_crc_records_per_sec().mark()

    def record_no_key_compacted_topic(self) -> None:
        self._stats.all_topics_stats.no_key_compacted_topic_records_per_sec().mark()
