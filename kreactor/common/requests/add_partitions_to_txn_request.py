# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AddPartitionsToTxnRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to add partitions to a transaction.

Up to version 3 a client sends one transaction. From version 4 on a broker sends several, some only for
verification.
"""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import NoSuchElementException
from kreactor.jdk.nio_buffer import ByteBuffer

Topic = AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic
Transaction = AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction
TopicResult = AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult
PartitionResult = AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult


class AddPartitionsToTxnRequest(AbstractRequest):
    """:origin: common.requests.AddPartitionsToTxnRequest"""

    __slots__ = ("_data", "_transactions_by_id")

    _LAST_CLIENT_VERSION = 3
    # The first version with verification.
    _EARLIEST_BROKER_VERSION = 4

    class Builder(AbstractRequest.Builder["AddPartitionsToTxnRequest"]):
        """:origin: common.requests.AddPartitionsToTxnRequest.Builder"""

        __slots__ = ("_data",)

        @staticmethod
        def for_client(transactional_id: str, producer_id: int, producer_epoch: int,
                       partitions: Iterable[TopicPartition]) -> AddPartitionsToTxnRequest.Builder:
            """Return the builder of a client's request.

            :origin: common.requests.AddPartitionsToTxnRequest.Builder#forClient(String, long, short,
                List<TopicPartition>)
            """
            request = AddPartitionsToTxnRequest
            return request.Builder(
                ApiKeys.ADD_PARTITIONS_TO_TXN.oldest_version(), request._LAST_CLIENT_VERSION,
                AddPartitionsToTxnRequestData(
                    v3_and_below_transactional_id=transactional_id, v3_and_below_producer_id=producer_id,
                    v3_and_below_producer_epoch=producer_epoch,
                    v3_and_below_topics=request.Builder._build_txn_topic_collection(partitions)))

        @staticmethod
        def for_broker(transactions: list[Transaction]) -> AddPartitionsToTxnRequest.Builder:
            """Return the builder of a broker's request.

            :origin: common.requests.AddPartitionsToTxnRequest.Builder#forBroker(
                AddPartitionsToTxnTransactionCollection)
            """
            return AddPartitionsToTxnRequest.Builder(
                AddPartitionsToTxnRequest._EARLIEST_BROKER_VERSION,
                ApiKeys.ADD_PARTITIONS_TO_TXN.latest_version(),
                AddPartitionsToTxnRequestData(transactions=transactions))

        def __init__(self, min_version: int, max_version: int, data: AddPartitionsToTxnRequestData) -> None:
            """:origin: common.requests.AddPartitionsToTxnRequest.Builder#Builder(short, short,
                AddPartitionsToTxnRequestData)
            """
            super().__init__(ApiKeys.ADD_PARTITIONS_TO_TXN, min_version, max_version)
            self._data = data

        @staticmethod
        def _build_txn_topic_collection(partitions: Iterable[TopicPartition]) -> list[Topic]:
            """Group partitions by topic.

            :origin: common.requests.AddPartitionsToTxnRequest.Builder#buildTxnTopicCollection(
                List<TopicPartition>)
            """
            partition_map: dict[str, list[int]] = {}
            for topic_partition in partitions:
                partition_map.setdefault(topic_partition.topic(), []).append(topic_partition.partition())
            return [Topic(name=name, partitions=numbers) for name, numbers in partition_map.items()]

        def build_version(self, version: int) -> AddPartitionsToTxnRequest:
            """:origin: common.requests.AddPartitionsToTxnRequest.Builder#build(short)"""
            return AddPartitionsToTxnRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.AddPartitionsToTxnRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: AddPartitionsToTxnRequestData, version: int) -> None:
        """:origin: common.requests.AddPartitionsToTxnRequest#AddPartitionsToTxnRequest(
            AddPartitionsToTxnRequestData, short)
        """
        super().__init__(ApiKeys.ADD_PARTITIONS_TO_TXN, version)
        self._data = data
        # Computed on first use. Two threads may both compute the same value.
        self._transactions_by_id: dict[str, Transaction] | None = None

    def data(self) -> AddPartitionsToTxnRequestData:
        """:origin: common.requests.AddPartitionsToTxnRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> AddPartitionsToTxnResponse:
        """:origin: common.requests.AddPartitionsToTxnRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        response = AddPartitionsToTxnResponseData()
        if self._version < AddPartitionsToTxnRequest._EARLIEST_BROKER_VERSION:
            response.results_by_topic_v3_and_below = self._error_response_for_topics(
                self._data.v3_and_below_topics, error)
        else:
            response.error_code = error.code
        response.throttle_time_ms = throttle_time_ms
        return AddPartitionsToTxnResponse(response)

    @staticmethod
    def get_partitions(topics: Iterable[Topic]) -> list[TopicPartition]:
        """Return the partitions of ``topics``.

        :origin: common.requests.AddPartitionsToTxnRequest#getPartitions(AddPartitionsToTxnTopicCollection)
        """
        return [TopicPartition(topic.name, partition)
                for topic in topics for partition in topic.partitions]

    def partitions_by_transaction(self) -> dict[str, list[TopicPartition]]:
        """Return the partitions by transaction, from version 4 on.

        :origin: common.requests.AddPartitionsToTxnRequest#partitionsByTransaction()
        """
        return {transaction.transactional_id: AddPartitionsToTxnRequest.get_partitions(transaction.topics)
                for transaction in self._data.transactions}

    def normalize_request(self) -> AddPartitionsToTxnRequest:
        """Return a client's request in the form of a broker's request with one transaction.

        :origin: common.requests.AddPartitionsToTxnRequest#normalizeRequest()
        """
        return AddPartitionsToTxnRequest(
            AddPartitionsToTxnRequestData(transactions=self._singleton_transaction()), self._version)

    def all_verify_only_request(self) -> bool:
        """Return whether all transactions are only to be verified. Then nothing is written to the log.

        :origin: common.requests.AddPartitionsToTxnRequest#allVerifyOnlyRequest()
        """
        return (self._version > AddPartitionsToTxnRequest._LAST_CLIENT_VERSION
                and all(transaction.verify_only for transaction in self._data.transactions))

    def _singleton_transaction(self) -> list[Transaction]:
        """:origin: common.requests.AddPartitionsToTxnRequest#singletonTransaction()"""
        data = self._data
        return [Transaction(
            transactional_id=data.v3_and_below_transactional_id, producer_id=data.v3_and_below_producer_id,
            producer_epoch=data.v3_and_below_producer_epoch, topics=data.v3_and_below_topics)]

    def error_response_for_transaction(
            self, transactional_id: str,
            e: Errors) -> AddPartitionsToTxnResponseData.AddPartitionsToTxnResult:
        """Return the error ``e`` for a transaction of the request. Raises NoSuchElementException.

        :origin: common.requests.AddPartitionsToTxnRequest#errorResponseForTransaction(String, Errors)
        """
        if self._transactions_by_id is None:
            # The first transaction with the id, as in the origin.
            self._transactions_by_id = {transaction.transactional_id: transaction
                                        for transaction in reversed(self._data.transactions)}
        transaction = self._transactions_by_id.get(transactional_id)
        if transaction is None:
            raise NoSuchElementException(transactional_id)
        return AddPartitionsToTxnResponseData.AddPartitionsToTxnResult(
            transactional_id=transactional_id,
            topic_results=self._error_response_for_topics(transaction.topics, e))

    @staticmethod
    def _error_response_for_topics(topics: Iterable[Topic], e: Errors) -> list[TopicResult]:
        """:origin: common.requests.AddPartitionsToTxnRequest#errorResponseForTopics(
            AddPartitionsToTxnTopicCollection, Errors)
        """
        return [
            TopicResult(name=topic.name, results_by_partition=[
                PartitionResult(partition_index=partition, partition_error_code=e.code)
                for partition in topic.partitions])
            for topic in topics]

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AddPartitionsToTxnRequest:
        """:origin: common.requests.AddPartitionsToTxnRequest#parse(ByteBuffer, short)"""
        return AddPartitionsToTxnRequest(AddPartitionsToTxnRequestData.read(buffer, version), version)
