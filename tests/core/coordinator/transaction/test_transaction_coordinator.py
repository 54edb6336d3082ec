# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionCoordinatorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Ids for idempotent producers, and what a producer with a transactional id is told."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from kreactor.common.errors import KafkaStorageException
from kreactor.common.protocol.errors import Errors
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.core.coordinator.transaction.transaction_coordinator import (
    InitProducerIdResult,
    TransactionCoordinator,
)
from tests.core.server.brokers import broker_config

NOT_APPLICABLE = {**{name: "transactions are not ported yet" for name in (
    "shouldInitPidWithEpochZeroForNewTransactionalId",
    "shouldGenerateNewProducerIdIfNoStateAndProducerIdAndEpochProvided",
    "shouldGenerateNewProducerIdIfEpochsExhausted",
    "shouldRespondWithCoordinatorLoadInProgressOnInitPidWhenCoordinatorLoading",
    "shouldRespondWithInvalidPidMappingOnAddPartitionsToTransactionWhenTransactionalIdNotPresent",
    "shouldRespondWithInvalidRequestAddPartitionsToTransactionWhenTransactionalIdIsEmpty",
    "shouldRespondWithInvalidRequestAddPartitionsToTransactionWhenTransactionalIdIsNull",
    "shouldRespondWithNotCoordinatorOnAddPartitionsWhenNotCoordinator",
    "shouldRespondWithCoordinatorLoadInProgressOnAddPartitionsWhenCoordinatorLoading",
    "testVerifyPartitionHandling",
    "shouldRespondWithConcurrentTransactionsOnAddPartitionsWhenStateIsPrepareCommit",
    "shouldRespondWithConcurrentTransactionOnAddPartitionsWhenStateIsPrepareAbort",
    "shouldRespondWithProducerFencedOnAddPartitionsWhenEpochsAreDifferent",
    "shouldAppendNewMetadataToLogOnAddPartitionsWhenPartitionsAdded",
    "shouldRespondWithSuccessOnAddPartitionsWhenStateIsOngoing",
    "shouldRespondWithSuccessOnAddPartitionsWhenStateIsCompleteCommit",
    "shouldRespondWithSuccessOnAddPartitionsWhenStateIsCompleteAbort",
    "shouldRespondWithErrorsNoneOnAddPartitionWhenNoErrorsAndPartitionsTheSame",
    "shouldRespondWithErrorsNoneOnAddPartitionWhenOngoingVerifyOnlyAndPartitionsTheSame",
    "shouldRespondWithInvalidTxnStateWhenVerifyOnlyAndPartitionNotPresent",
    "shouldReplyWithInvalidPidMappingOnEndTxnWhenTxnIdDoesntExist",
    "shouldReplyWithInvalidPidMappingOnEndTxnWhenPidDosentMatchMapped",
    "shouldReplyWithProducerFencedOnEndTxnWhenEpochIsNotSameAsTransaction",
    "shouldReturnOkOnEndTxnWhenStatusIsCompleteCommitAndResultIsCommit",
    "shouldReturnOkOnEndTxnWhenStatusIsCompleteAbortAndResultIsAbort",
    "shouldReturnInvalidTxnRequestOnEndTxnRequestWhenStatusIsCompleteAbortAndResultIsNotAbort",
    "shouldReturnInvalidTxnRequestOnEndTxnRequestWhenStatusIsCompleteCommitAndResultIsNotCommit",
    "shouldReturnConcurrentTxnRequestOnEndTxnRequestWhenStatusIsPrepareCommit",
    "shouldReturnInvalidTxnRequestOnEndTxnRequestWhenStatusIsPrepareAbort",
    "shouldAppendPrepareCommitToLogOnEndTxnWhenStatusIsOngoingAndResultIsCommit",
    "shouldAppendPrepareAbortToLogOnEndTxnWhenStatusIsOngoingAndResultIsAbort",
    "shouldRespondWithInvalidRequestOnEndTxnWhenTransactionalIdIsNull",
    "shouldRespondWithInvalidRequestOnEndTxnWhenTransactionalIdIsEmpty",
    "shouldRespondWithNotCoordinatorOnEndTxnWhenIsNotCoordinatorForId",
    "shouldRespondWithCoordinatorLoadInProgressOnEndTxnWhenCoordinatorIsLoading",
    "shouldReturnInvalidEpochOnEndTxnWhenEpochIsLarger",
    "shouldReturnInvalidEpochOnEndTxnWhenEpochIsSmaller",
    "shouldIncrementEpochAndUpdateMetadataOnHandleInitPidWhenExistingEmptyTransaction",
    "shouldIncrementEpochAndUpdateMetadataOnHandleInitPidWhenExistingCompleteTransaction",
    "shouldIncrementEpochAndUpdateMetadataOnHandleInitPidWhenExistingCompleteCommitTransaction",
    "shouldWaitForCommitToCompleteOnHandleInitPidAndExistingTransactionInPrepareCommitState",
    "shouldWaitForCommitToCompleteOnHandleInitPidAndExistingTransactionInPrepareAbortState",
    "shouldAbortTransactionOnHandleInitPidWhenExistingTransactionInOngoingState",
    "shouldFailToAbortTransactionOnHandleInitPidWhenProducerEpochIsSmaller",
    "shouldNotRepeatedlyBumpEpochDueToInitPidDuringOngoingTxnIfAppendToLogFails",
    "shouldUseLastEpochToFenceWhenEpochsAreExhausted", "testInitProducerIdWithNoLastProducerData",
    "testFenceProducerWhenMappingExistsWithDifferentProducerId",
    "testInitProducerIdWithCurrentEpochProvided", "testInitProducerIdStaleCurrentEpochProvided",
    "testRetryInitProducerIdAfterProducerIdRotation",
    "testInitProducerIdWithInvalidEpochAfterProducerIdRotation",
    "shouldRemoveTransactionsForPartitionOnEmigration",
    "shouldAbortExpiredTransactionsInOngoingStateAndBumpEpoch",
    "shouldNotAcceptSmallerEpochDuringTransactionExpiration",
    "shouldNotAbortExpiredTransactionsThatHaveAPendingStateTransition",
    "shouldNotBumpEpochWhenAbortingExpiredTransactionIfAppendToLogFails",
    "shouldNotBumpEpochWithPendingTransaction", "testDescribeTransactionsWithEmptyTransactionalId",
    "testDescribeTransactionsWithExpiringTransactionalId", "testDescribeTransactionsWhileCoordinatorLoading",
    "testDescribeTransactions")}, **{
        name: "of ProducerIdManager: blocks of ids are in a file, see tests/embedded" for name in (
            "testGetProducerIdZk", "testExceedProducerIdLimitZk", "testConcurrentGeneratePidRequests",
            "testUnrecoverableErrors", "testInvalidRanges", "testRetryBackoff")}}

TIMEOUT_MS = 1000


def coordinator(folder: Path, generate: Callable[[], int] | None = None) -> TransactionCoordinator:
    ids = itertools.count()
    return TransactionCoordinator(
        broker_config(folder, {"transaction.max.timeout.ms": "5000"}), generate or (lambda: next(ids)))


def init(coordinator: TransactionCoordinator, transactional_id: str | None, timeout_ms: int = TIMEOUT_MS,
         expected: ProducerIdAndEpoch | None = None) -> InitProducerIdResult:
    results: list[InitProducerIdResult] = []
    coordinator.handle_init_producer_id(transactional_id, timeout_ms, expected, results.append)
    result, = results
    return result


def test_should_return_invalid_request_when_transactional_id_is_empty(tmp_path: Path) -> None:
    subject = coordinator(tmp_path)
    for _ in range(2):
        assert init(subject, "") == InitProducerIdResult(-1, -1, Errors.INVALID_REQUEST)


def test_should_accept_init_pid_and_return_next_pid_when_transactional_id_is_null(tmp_path: Path) -> None:
    subject = coordinator(tmp_path)
    for producer_id in range(3):
        assert init(subject, None) == InitProducerIdResult(producer_id, 0, Errors.NONE)
    # Whatever else the request says.
    assert init(subject, None, -1, ProducerIdAndEpoch(77, 7)) == InitProducerIdResult(3, 0, Errors.NONE)


def test_should_respond_with_not_coordinator_on_init_pid_when_not_coordinator(tmp_path: Path) -> None:
    subject = coordinator(tmp_path)
    for timeout_ms in (1, 5000):
        assert init(subject, "t", timeout_ms) == InitProducerIdResult(-1, -1, Errors.NOT_COORDINATOR)


@pytest.mark.parametrize("timeout_ms", [5001, 0, -1])
def test_a_timeout_that_is_not_allowed(tmp_path: Path, timeout_ms: int) -> None:
    assert init(coordinator(tmp_path), "t", timeout_ms) == InitProducerIdResult(
        -1, -1, Errors.INVALID_TRANSACTION_TIMEOUT)
    assert init(coordinator(tmp_path), "", timeout_ms).error is Errors.INVALID_REQUEST


@pytest.mark.parametrize(("exception", "error"), [
    (KafkaStorageException("full"), Errors.KAFKA_STORAGE_ERROR),
    (ValueError("no"), Errors.UNKNOWN_SERVER_ERROR)])
def test_no_id_can_be_had(tmp_path: Path, exception: Exception, error: Errors,
                          caplog: pytest.LogCaptureFixture) -> None:
    def generate() -> int:
        raise exception

    assert init(coordinator(tmp_path, generate), None) == InitProducerIdResult(-1, -1, error)
    assert [record.message for record in caplog.records] == [
        "[TransactionCoordinator id=1] no producer id could be had"]
