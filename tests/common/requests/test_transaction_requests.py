# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Requests of transactions: in each version there and back, and with an error."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.common.errors import (
    TopicAuthorizationException,
    UnknownProducerIdException,
    UnsupportedVersionException,
)
from kreactor.common.message.add_offsets_to_txn_request_data import AddOffsetsToTxnRequestData
from kreactor.common.message.describe_producers_request_data import DescribeProducersRequestData
from kreactor.common.message.describe_transactions_request_data import DescribeTransactionsRequestData
from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.message.list_transactions_request_data import ListTransactionsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from kreactor.common.requests.describe_producers_request import DescribeProducersRequest
from kreactor.common.requests.describe_transactions_request import DescribeTransactionsRequest
from kreactor.common.requests.end_txn_request import EndTxnRequest
from kreactor.common.requests.list_transactions_request import ListTransactionsRequest
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.write_txn_markers_request import WriteTxnMarkersRequest
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition

PARTITION = TopicPartition("topic", 73)
MARKER = WriteTxnMarkersRequest.TxnMarkerEntry(10, 2, 1, TransactionResult.COMMIT, (PARTITION,))


def describing_producers() -> DescribeProducersRequest.Builder:
    builder = DescribeProducersRequest.Builder(DescribeProducersRequestData())
    builder.add_topic("topic").partition_indexes += [1, 2]
    return builder


BUILDERS: dict[ApiKeys, AbstractRequest.Builder[Any]] = {
    ApiKeys.ADD_OFFSETS_TO_TXN: AddOffsetsToTxnRequest.Builder(AddOffsetsToTxnRequestData(
        transactional_id="id", producer_id=10, producer_epoch=1, group_id="g")),
    ApiKeys.END_TXN: EndTxnRequest.Builder(EndTxnRequestData(
        transactional_id="id", producer_id=10, producer_epoch=1, committed=True)),
    ApiKeys.WRITE_TXN_MARKERS: WriteTxnMarkersRequest.Builder.of(1, [MARKER]),
    ApiKeys.DESCRIBE_PRODUCERS: describing_producers(),
    ApiKeys.DESCRIBE_TRANSACTIONS: DescribeTransactionsRequest.Builder(
        DescribeTransactionsRequestData(transactional_ids=["id", "other"])),
    ApiKeys.LIST_TRANSACTIONS: ListTransactionsRequest.Builder(ListTransactionsRequestData(
        state_filters=["Ongoing"], producer_id_filters=[1, 2])),
}
# How many errors an answer has that says one.
COUNTS = {ApiKeys.DESCRIBE_PRODUCERS: 2, ApiKeys.DESCRIBE_TRANSACTIONS: 2}


@pytest.mark.parametrize(("api", "version"), [
    (api, version) for api in BUILDERS for version in api.all_versions()], ids=str)
def test_requests_and_their_errors(api: ApiKeys, version: int) -> None:
    request = BUILDERS[api].build_version(version)
    parsed = AbstractRequest.parse_request(api, version, request.serialize()).request
    assert parsed.data() == request.data() and type(parsed) is type(request)
    response = request.get_error_response_throttle(100, TopicAuthorizationException({"topic"}))
    assert response is not None
    assert response.error_counts() == {Errors.TOPIC_AUTHORIZATION_FAILED: COUNTS.get(api, 1)}
    again = type(response).parse(MessageUtil.to_byte_buffer(response.data(), version), version)
    assert again.data() == response.data() and str(again) == str(response)
    response.maybe_set_throttle_time_ms(7)
    assert response.throttle_time_ms() == (0 if api is ApiKeys.WRITE_TXN_MARKERS else 7)


def test_how_a_transaction_ends() -> None:
    for committed, result in ((True, TransactionResult.COMMIT), (False, TransactionResult.ABORT)):
        request = EndTxnRequest(EndTxnRequestData(committed=committed), 3)
        assert request.result() is result is TransactionResult.for_id(committed)
        assert result.id() is committed


@pytest.mark.parametrize("version", ApiKeys.WRITE_TXN_MARKERS.all_versions())
def test_markers(version: int) -> None:
    request = WriteTxnMarkersRequest.Builder.of(version, [MARKER]).build()
    assert request.version() == version and request.markers() == [MARKER]
    same = WriteTxnMarkersRequest.Builder.of(version, [MARKER]).build()
    assert request == same and hash(request) == hash(same)
    errors = request.get_error_response_throttle(0, UnknownProducerIdException("gone"))
    assert errors.errors_by_producer_id() == {10: {PARTITION: Errors.UNKNOWN_PRODUCER_ID}}
    assert str(MARKER) == ("TxnMarkerEntry{producerId=10, producerEpoch=2, coordinatorEpoch=1, "
                           "result=COMMIT, partitions=[topic-73]}")


def test_errors_of_markers() -> None:
    errors = {1: {PARTITION: Errors.UNKNOWN_PRODUCER_ID}, 2: {TopicPartition("other", 0): Errors.NONE}}
    response = WriteTxnMarkersResponse.of(errors)
    assert response.errors_by_producer_id() == errors
    assert response.error_counts() == {Errors.UNKNOWN_PRODUCER_ID: 1, Errors.NONE: 1}


def test_a_duration_is_for_later_versions() -> None:
    builder = ListTransactionsRequest.Builder(ListTransactionsRequestData(duration_filter=0))
    builder.build_version(1)
    with pytest.raises(UnsupportedVersionException):
        builder.build_version(0)
