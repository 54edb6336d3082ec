# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AddPartitionsToTxnResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of adding partitions to transactions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import NoSuchElementException

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer

TopicResult = AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult
PartitionResult = AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult


class AddPartitionsToTxnResponse(AbstractResponse):
    """:origin: common.requests.AddPartitionsToTxnResponse"""

    __slots__ = ("_data",)

    # The key of the single transaction in responses up to version 3, which have no transactional id.
    V3_AND_BELOW_TXN_ID = ""

    def __init__(self, data: AddPartitionsToTxnResponseData) -> None:
        """:origin: common.requests.AddPartitionsToTxnResponse#AddPartitionsToTxnResponse(
            AddPartitionsToTxnResponseData)
        """
        super().__init__(ApiKeys.ADD_PARTITIONS_TO_TXN)
        self._data = data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.AddPartitionsToTxnResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.AddPartitionsToTxnResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def errors(self) -> dict[str, dict[TopicPartition, Errors]]:
        """Return the errors of partitions by transaction.

        :origin: common.requests.AddPartitionsToTxnResponse#errors()
        """
        response = AddPartitionsToTxnResponse
        errors_map: dict[str, dict[TopicPartition, Errors]] = {}
        if self._data.results_by_topic_v3_and_below:
            errors_map[response.V3_AND_BELOW_TXN_ID] = response.errors_for_transaction(
                self._data.results_by_topic_v3_and_below)
        for result in self._data.results_by_transaction:
            errors_map[result.transactional_id] = response.errors_for_transaction(result.topic_results)
        return errors_map

    @staticmethod
    def _topic_collection_for_errors(errors: Mapping[TopicPartition, Errors]) -> list[TopicResult]:
        """Group partitions by topic.

        :origin: common.requests.AddPartitionsToTxnResponse#topicCollectionForErrors(
            Map<TopicPartition,Errors>)
        """
        result_map: dict[str, list[PartitionResult]] = {}
        for topic_partition, error in errors.items():
            result_map.setdefault(topic_partition.topic(), []).append(PartitionResult(
                partition_error_code=error.code, partition_index=topic_partition.partition()))
        return [TopicResult(name=name, results_by_partition=results) for name, results in result_map.items()]

    @staticmethod
    def result_for_transaction(
            transactional_id: str, errors: Mapping[TopicPartition, Errors]
    ) -> AddPartitionsToTxnResponseData.AddPartitionsToTxnResult:
        """Return the result of a transaction with its errors.

        :origin: common.requests.AddPartitionsToTxnResponse#resultForTransaction(String,
            Map<TopicPartition,Errors>)
        """
        return AddPartitionsToTxnResponseData.AddPartitionsToTxnResult(
            transactional_id=transactional_id,
            topic_results=AddPartitionsToTxnResponse._topic_collection_for_errors(errors))

    def get_transaction_topic_results(self, transactional_id: str) -> list[TopicResult]:
        """Return the results of a transaction. Raises NoSuchElementException.

        :origin: common.requests.AddPartitionsToTxnResponse#getTransactionTopicResults(String)
        """
        for result in self._data.results_by_transaction:
            if result.transactional_id == transactional_id:
                return result.topic_results
        raise NoSuchElementException(transactional_id)

    @staticmethod
    def errors_for_transaction(topic_collection: Iterable[TopicResult]) -> dict[TopicPartition, Errors]:
        """Return the errors by partition.

        :origin: common.requests.AddPartitionsToTxnResponse#errorsForTransaction(
            AddPartitionsToTxnTopicResultCollection)
        """
        return {TopicPartition(topic.name, partition.partition_index):
                Errors.for_code(partition.partition_error_code)
                for topic in topic_collection for partition in topic.results_by_partition}

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.AddPartitionsToTxnResponse#errorCounts()"""
        all_errors: list[Errors] = []
        # Only a response to a client has results here; it has no top-level error.
        if not self._data.results_by_topic_v3_and_below:
            all_errors.append(Errors.for_code(self._data.error_code))
        for errors in self.errors().values():
            all_errors.extend(errors.values())
        return self._error_counts_errors(all_errors)

    def data(self) -> AddPartitionsToTxnResponseData:
        """:origin: common.requests.AddPartitionsToTxnResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AddPartitionsToTxnResponse:
        """:origin: common.requests.AddPartitionsToTxnResponse#parse(ByteBuffer, short)"""
        return AddPartitionsToTxnResponse(AddPartitionsToTxnResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.AddPartitionsToTxnResponse#toString()"""
        return str(self._data)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.AddPartitionsToTxnResponse#shouldClientThrottle(short)"""
        return version >= 1
