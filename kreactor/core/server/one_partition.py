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

from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.quota_factory import QuotaManagers
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_local import RequestLocal
from kreactor.embedded.batch_scan import HEADER_SIZE, LOG_OVERHEAD, TRANSACTIONAL_MASK
from kreactor.jdk.nio_buffer import ByteBuffer

# Of the header of a batch: length of what follows it, magic, attributes.
_BATCH = struct.Struct(">8xi4xb4xh")
_MAGIC_V2 = RecordBatch.MAGIC_VALUE_V2
_LONGEST_NAME = 126
_ONE_WITHOUT_ERROR: Mapping[Errors, int] = {Errors.NONE: 1}

Request = RequestChannel.Request
ProduceCallback = Callable[
    [Request, ProduceRequest, Mapping[TopicPartition, ProduceResponse.PartitionResponse]], object]
StatsCallback = Callable[[Request, TopicPartition, RecordValidationStats], object]


class OnePartition:
    """Answers requests for one partition, or leaves them as they are."""

    __slots__ = ("_request_channel", "_replica_manager", "_quotas", "_auth_helper", "_send_produce_response",
                 "_update_record_conversion_stats")

    def __init__(self, request_channel: RequestChannel, replica_manager: ReplicaManager,
                 quotas: QuotaManagers, auth_helper: AuthHelper, send_produce_response: ProduceCallback,
                 update_record_conversion_stats: StatsCallback) -> None:
        """``send_produce_response`` answers with what became of an append that failed."""
        self._request_channel = request_channel
        self._replica_manager = replica_manager
        self._quotas = quotas
        self._auth_helper = auth_helper
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

    def _is_special(self, request: Request) -> bool:
        """Return whether somebody is to be asked, or told, about each request."""
        return (self._auth_helper.authorizer() is not None or request.request_log is not None
                or request.envelope is not None or self._quotas.request.quotas_enabled())
