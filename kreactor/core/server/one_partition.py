# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The short way of the requests that nearly all are: Produce to one partition, Fetch from one.

DEVIATION D117: Kafka has one way for all, through collections by partition, a callback for each stage, and
messages for the answer. With one partition, and where nobody has to be asked for permission, or made to wait,
none of that is needed: the request is looked at, the log is asked, the answer is printed.

What is not like that goes the way of ``KafkaApis``, and so does every answer that says an error. The two give
the same answers, and count the same: a test compares them.

For use by any thread; on that of the handler.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Callable

from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.quota_factory import QuotaManagers
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.embedded.batch_scan import HEADER_SIZE, LOG_OVERHEAD, TRANSACTIONAL_MASK
from kreactor.embedded.results import FetchIsolation
from kreactor.jdk.nio_buffer import ByteBuffer

# Of the header of a batch: length of what follows it, magic, attributes.
_BATCH = struct.Struct(">8xi4xb4xh")
_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_LONGEST_NAME = 126
_NO_SESSION = FetchMetadata.FINAL_EPOCH
_ISOLATIONS = {IsolationLevel.READ_UNCOMMITTED.id(): FetchIsolation.HIGH_WATERMARK,
               IsolationLevel.READ_COMMITTED.id(): FetchIsolation.TXN_COMMITTED}
# In an answer of Produce the partition has one; in that of Fetch the whole has one, too.
_ONE_WITHOUT_ERROR: Mapping[Errors, int] = {Errors.NONE: 1}
_TWO_WITHOUT_ERROR: Mapping[Errors, int] = {Errors.NONE: 2}

Request = RequestChannel.Request
ProduceCallback = Callable[
    [Request, ProduceRequest, Mapping[TopicPartition, ProduceResponse.PartitionResponse]], object]
StatsCallback = Callable[[Request, TopicPartition, RecordValidationStats], object]


class OnePartition:
    """Answers requests for one partition, or leaves them as they are."""

    __slots__ = ("_request_channel", "_replica_manager", "_metadata_cache", "_config", "_quotas",
                 "_auth_helper", "_is_debug_enabled", "_send_produce_response",
                 "_update_record_conversion_stats")

    def __init__(self, request_channel: RequestChannel, replica_manager: ReplicaManager,
                 metadata_cache: MetadataCache, config: KafkaConfig, quotas: QuotaManagers,
                 auth_helper: AuthHelper, is_debug_enabled: Callable[[], bool],
                 send_produce_response: ProduceCallback,
                 update_record_conversion_stats: StatsCallback) -> None:
        """``is_debug_enabled`` tells whether each request is to be logged, ``send_produce_response`` answers
        with what became of an append that failed.
        """
        self._request_channel = request_channel
        self._replica_manager = replica_manager
        self._metadata_cache = metadata_cache
        self._config = config
        self._quotas = quotas
        self._auth_helper = auth_helper
        self._is_debug_enabled = is_debug_enabled
        self._send_produce_response = send_produce_response
        self._update_record_conversion_stats = update_record_conversion_stats

    def produce(self, request: Request, produce_request: ProduceRequest, request_local: RequestLocal) -> bool:
        """Append and answer; return False, with nothing done, if it is not a request for this way."""
        data = produce_request.data()
        if (len(data.topic_data) != 1 or data.acks == 0 or not -1 <= data.acks <= 1
                or data.transactional_id is not None
                or self._quotas.produce.quotas_enabled() or self._is_special(request)):
            return False
        topic_data, = data.topic_data
        if len(topic_data.partition_data) != 1:
            return False
        partition_data, = topic_data.partition_data
        version, topic, buffer = produce_request.version(), topic_data.name, partition_data.records
        if version < 7 or len(topic) > _LONGEST_NAME or type(buffer) is not ByteBuffer:
            return False
        size = buffer.remaining()
        if size < HEADER_SIZE:
            return False
        length, magic, attributes = _BATCH.unpack_from(buffer.view())
        if magic != _MAGIC_V2 or length + LOG_OVERHEAD != size or attributes & TRANSACTIONAL_MASK:
            return False

        appended = self._replica_manager.append_to_one_partition(
            topic, partition_data.index, MemoryRecords(buffer), data.acks, request_local)
        if appended is None:
            return False
        topic_partition, result = appended
        info = result.info
        if info.record_validation_stats is not RecordValidationStats.EMPTY:
            self._update_record_conversion_stats(request, topic_partition, info.record_validation_stats)
        if result.exception is not None:
            self._send_produce_response(
                request, produce_request,
                self._replica_manager.build_produce_partition_status({topic_partition: result}))
        else:
            channel, header = self._request_channel, request.context.header
            channel.update_error_metrics(header.api_key(), _ONE_WITHOUT_ERROR)
            channel.send_response_response(RequestChannel.SendResponse(
                request, ProduceResponse.send_of_one(
                    version, header.correlation_id(), topic, partition_data.index, info.first_offset,
                    info.log_append_time, info.log_start_offset), None, None))
        produce_request.clear_partition_records()
        return True

    def fetch(self, request: Request, fetch_request: FetchRequest) -> bool:
        """Read and answer; return False, with nothing done, if it is not a request for this way.

        One that has to wait is none, and none is that of a session.
        """
        data, version = fetch_request.data(), fetch_request.version()
        if (len(data.topics) != 1 or data.session_epoch != _NO_SESSION or data.session_id or version < 11
                or data.forgotten_topics_data or data.isolation_level not in _ISOLATIONS
                or fetch_request.replica_id() != FetchRequest.CONSUMER_REPLICA_ID
                or self._quotas.fetch.quotas_enabled() or self._is_special(request)):
            return False
        fetch_topic, = data.topics
        if len(fetch_topic.partitions) != 1:
            return False
        partition, = fetch_topic.partitions
        topic: str | None = fetch_topic.topic
        if version >= 13:
            topic = self._metadata_cache.topic_ids_to_names().get(fetch_topic.topic_id)
        if topic is None or len(topic) > _LONGEST_NAME or partition.last_fetched_epoch >= 0:
            return False

        max_bytes = min(data.max_bytes, self._config.fetch_max_bytes())
        read = self._replica_manager.read_from_one_partition(
            topic, partition.partition, fetch_topic.topic_id, partition.current_leader_epoch,
            partition.fetch_offset, min(partition.partition_max_bytes, max_bytes),
            _ISOLATIONS[data.isolation_level])
        if read is None or read.first_entry_incomplete or read.aborted_transactions:
            return False
        records = read.records
        if not isinstance(records, FileRecords) or records.size_in_bytes() < min(data.min_bytes, max_bytes):
            return False

        stats = self._replica_manager.broker_topic_stats
        stats.topic_stats(topic).total_fetch_request_rate().mark()
        stats.all_topics_stats.total_fetch_request_rate().mark()
        stats.update_bytes_out(topic, False, False, records.size_in_bytes())
        channel, header = self._request_channel, request.context.header
        channel.update_error_metrics(header.api_key(), _TWO_WITHOUT_ERROR)
        channel.send_response_response(RequestChannel.SendResponse(
            request, FetchResponse.send_of_one(
                version, header.correlation_id(), topic, fetch_topic.topic_id, partition.partition,
                read.high_watermark, read.last_stable_offset, read.log_start_offset,
                read.aborted_transactions, records), None, None))
        return True

    def _is_special(self, request: Request) -> bool:
        """Return whether somebody is to be asked, or told, about each request."""
        return (not self._auth_helper.allows_everything() or request.request_log is not None
                or request.envelope is not None or self._quotas.request.quotas_enabled()
                or self._is_debug_enabled())
