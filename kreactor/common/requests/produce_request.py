# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ProduceRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to append batches to partitions.

The records are views of the request's buffer. A reference to the request keeps the buffer alive until
``clear_partition_records``.
"""

from __future__ import annotations

from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import records_size
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer


class ProduceRequest(AbstractRequest):
    """:origin: common.requests.ProduceRequest"""

    __slots__ = ("_acks", "_timeout", "_transactional_id", "_data", "_sizes_of_cleared")

    @staticmethod
    def for_magic(magic: int, data: ProduceRequestData) -> ProduceRequest.Builder:
        """Return a builder for the versions that support batches of this magic.

        :origin: common.requests.ProduceRequest#forMagic(byte, ProduceRequestData)
        """
        if magic < RecordBatch.MAGIC_VALUE_V2:
            return ProduceRequest.Builder(2, 2, data)
        return ProduceRequest.Builder(3, ApiKeys.PRODUCE.latest_version(), data)

    @staticmethod
    def for_current_magic(data: ProduceRequestData) -> ProduceRequest.Builder:
        """Return a builder for batches of the current magic.

        :origin: common.requests.ProduceRequest#forCurrentMagic(ProduceRequestData)
        """
        return ProduceRequest.for_magic(RecordBatch.CURRENT_MAGIC_VALUE, data)

    class Builder(AbstractRequest.Builder["ProduceRequest"]):
        """:origin: common.requests.ProduceRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, min_version: int, max_version: int, data: ProduceRequestData) -> None:
            """:origin: common.requests.ProduceRequest.Builder#Builder(short, short, ProduceRequestData)"""
            super().__init__(ApiKeys.PRODUCE, min_version, max_version)
            self._data = data

        def build_version(self, version: int) -> ProduceRequest:
            """Build the request. Raises InvalidRecordException for records that ``version`` does not support.

            :origin: common.requests.ProduceRequest.Builder#build(short)
            """
            return self._build(version, True)

        def build_unsafe(self, version: int) -> ProduceRequest:
            """Return the request without a check of its records. Only tests call this.

            :origin: common.requests.ProduceRequest.Builder#buildUnsafe(short)
            """
            return self._build(version, False)

        def _build(self, version: int, validate: bool) -> ProduceRequest:
            """:origin: common.requests.ProduceRequest.Builder#build(short, boolean)"""
            if validate:
                for topic in self._data.topic_data:
                    for partition in topic.partition_data:
                        ProduceRequest.validate_records(version, partition.records)
            return ProduceRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ProduceRequest.Builder#toString()"""
            data = self._data
            partitions = [partition for topic in data.topic_data for partition in topic.partition_data]
            records = ", ".join(map(str, partitions))
            return (f"(type=ProduceRequest, acks={data.acks}, timeout={data.timeout_ms}, "
                    f"partitionRecords=([{records}]), transactionalId='{data.transactional_id or ''}'")

    def __init__(self, produce_request_data: ProduceRequestData, version: int) -> None:
        """Copy the fields that are needed after ``clear_partition_records``.

        :origin: common.requests.ProduceRequest#ProduceRequest(ProduceRequestData, short)
        """
        super().__init__(ApiKeys.PRODUCE, version)
        # None after the append, because a response may wait long and must not keep the buffer.
        self._data: ProduceRequestData | None = produce_request_data
        self._acks = produce_request_data.acks
        self._timeout = produce_request_data.timeout_ms
        self._transactional_id = produce_request_data.transactional_id
        # Topic, partition and size of the records, set when the data is cleared.
        self._sizes_of_cleared: list[tuple[str, int, int]] = []

    def partition_sizes(self) -> dict[TopicPartition, int]:
        """Return the size of the records of each partition in bytes.

        :origin: common.requests.ProduceRequest#partitionSizes()
        """
        # The data is read first: if it is cleared, the sizes were set before.
        data = self._data
        sizes = self._sizes_of_cleared if data is None else _sizes(data)
        partition_sizes: dict[TopicPartition, int] = {}
        for topic, partition, size in sizes:
            topic_partition = TopicPartition(topic, partition)
            partition_sizes[topic_partition] = partition_sizes.get(topic_partition, 0) + size
        return partition_sizes

    def data(self) -> ProduceRequestData:
        """Return the data. Raises IllegalStateException after ``clear_partition_records``.

        :origin: common.requests.ProduceRequest#data()
        """
        data = self._data
        if data is None:
            raise IllegalStateException("The partition records are no longer available because "
                                        "clearPartitionRecords() has been invoked.")
        return data

    def to_string(self, verbose: bool) -> str:
        """Return the request as text with the sizes of records, or with only the number of partitions.

        :origin: common.requests.ProduceRequest#toString(boolean)
        """
        if verbose:
            sizes = ",".join(f"{partition}={size}" for partition, size in self.partition_sizes().items())
            return f"{{acks={self._acks},timeout={self._timeout},partitionSizes=[{sizes}]}}"
        return f"{{acks={self._acks},timeout={self._timeout},numPartitions={len(self.partition_sizes())}}}"

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> ProduceResponse | None:
        """:origin: common.requests.ProduceRequest#getErrorResponse(int, Throwable)"""
        if self._acks == 0:
            return None
        api_error = ApiError.from_throwable(e)
        data = ProduceResponseData(throttle_time_ms=throttle_time_ms)
        topics: dict[str, ProduceResponseData.TopicProduceResponse] = {}
        for topic_partition in self.partition_sizes():
            topic = topics.get(topic_partition.topic())
            if topic is None:
                topic = ProduceResponseData.TopicProduceResponse(name=topic_partition.topic())
                topics[topic_partition.topic()] = topic
                data.responses.append(topic)
            topic.partition_responses.append(ProduceResponseData.PartitionProduceResponse(
                index=topic_partition.partition(),
                record_errors=[],
                base_offset=ProduceResponse.INVALID_OFFSET,
                log_append_time_ms=RecordBatch.NO_TIMESTAMP,
                log_start_offset=ProduceResponse.INVALID_OFFSET,
                error_message=api_error.message(),
                error_code=api_error.error().code))
        return ProduceResponse(data)

    def error_counts(self, e: BaseException) -> dict[Errors, int]:
        """Return one error for each partition, also for a request without response.

        :origin: common.requests.ProduceRequest#errorCounts(Throwable)
        """
        return {Errors.for_exception(e): len(self.partition_sizes())}

    def acks(self) -> int:
        """Return the required acknowledgements: -1 of all in-sync replicas, 1 of the leader, 0 none.

        :origin: common.requests.ProduceRequest#acks()
        """
        return self._acks

    def timeout(self) -> int:
        """Return the timeout for the replicas in milliseconds.

        :origin: common.requests.ProduceRequest#timeout()
        """
        return self._timeout

    def transactional_id(self) -> str | None:
        """Return the id of the transactional producer, or None.

        :origin: common.requests.ProduceRequest#transactionalId()
        """
        return self._transactional_id

    def clear_partition_records(self) -> None:
        """Drop the records, and with them the reference to the buffer.

        :origin: common.requests.ProduceRequest#clearPartitionRecords()
        """
        data = self._data
        if data is not None:
            self._sizes_of_cleared = _sizes(data)
            self._data = None

    @staticmethod
    def validate_records(version: int, base_records: object) -> None:
        """Raises InvalidRecordException or UnsupportedCompressionTypeException for invalid records.

        From version 3 on a request must have one batch of magic 2 per partition. Version 7 is the first with
        zstd.

        Older versions are not checked. Brokers never checked them, and some clients send a wrong magic.

        :origin: common.requests.ProduceRequest#validateRecords(short, BaseRecords)
        """
        if version < 3:
            return
        records = RequestUtils.records_of(base_records)
        if records is None:
            return
        iterator = iter(records.batches())
        entry = next(iterator, None)
        if entry is None:
            raise InvalidRecordException(f"Produce requests with version {version} must have at least one "
                                         "record batch per partition")
        if entry.magic() != RecordBatch.MAGIC_VALUE_V2:
            raise InvalidRecordException(f"Produce requests with version {version} are only allowed to "
                                         "contain record batches with magic version 2")
        if version < 7 and entry.compression_type() is CompressionType.ZSTD:
            raise UnsupportedCompressionTypeException(f"Produce requests with version {version} are not "
                                                      "allowed to use ZStandard compression")
        if next(iterator, None) is not None:
            raise InvalidRecordException(f"Produce requests with version {version} are only allowed to "
                                         "contain exactly one record batch per partition")

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ProduceRequest:
        """:origin: common.requests.ProduceRequest#parse(ByteBuffer, short)"""
        return ProduceRequest(ProduceRequestData.read(buffer, version), version)

    @staticmethod
    def required_magic_for_version(produce_request_version: int) -> int:
        """Return the magic of the batches in a version. Raises IllegalArgumentException.

        :origin: common.requests.ProduceRequest#requiredMagicForVersion(short)
        """
        if not ApiKeys.PRODUCE.is_version_supported(produce_request_version):
            raise IllegalArgumentException("Magic value to use for produce request version "
                                           f"{produce_request_version} is not known")
        if produce_request_version < 2:
            return RecordBatch.MAGIC_VALUE_V0
        return RecordBatch.MAGIC_VALUE_V1 if produce_request_version == 2 else RecordBatch.MAGIC_VALUE_V2


def _sizes(data: ProduceRequestData) -> list[tuple[str, int, int]]:
    return [(topic.name, partition.index, records_size(partition.records))
            for topic in data.topic_data for partition in topic.partition_data]
