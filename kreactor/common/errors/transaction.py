# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of idempotent and transactional producers."""

from __future__ import annotations

from kreactor.common.errors.api import ApiException, RetriableException


class InvalidPidMappingException(ApiException):
    """The producer id does not belong to the transactional id.

    :origin: common.errors.InvalidPidMappingException
    :origin: common.errors.InvalidPidMappingException#InvalidPidMappingException(String)
    """


class InvalidProducerEpochException(ApiException):
    """The producer epoch is older than the current one.

    :origin: common.errors.InvalidProducerEpochException
    :origin: common.errors.InvalidProducerEpochException#InvalidProducerEpochException(String)
    """


class ProducerFencedException(ApiException):
    """Another producer has taken over the transactional id.

    :origin: common.errors.ProducerFencedException
    :origin: common.errors.ProducerFencedException#ProducerFencedException(String)
    """


class InvalidTxnStateException(ApiException):
    """The state of the transaction does not allow the operation.

    :origin: common.errors.InvalidTxnStateException
    :origin: common.errors.InvalidTxnStateException#InvalidTxnStateException(String)
    """


class InvalidTxnTimeoutException(ApiException):
    """The transaction timeout is longer than the broker allows.

    :origin: common.errors.InvalidTxnTimeoutException
    :origin: common.errors.InvalidTxnTimeoutException#InvalidTxnTimeoutException(String, Throwable)
    :origin: common.errors.InvalidTxnTimeoutException#InvalidTxnTimeoutException(String)
    """


class ConcurrentTransactionsException(RetriableException):
    """The previous transaction of the transactional id is not complete yet.

    :origin: common.errors.ConcurrentTransactionsException
    :origin: common.errors.ConcurrentTransactionsException#ConcurrentTransactionsException(String)
    """


class TransactionAbortableException(ApiException):
    """The transaction must be aborted. The producer can continue afterwards.

    :origin: common.errors.TransactionAbortableException
    :origin: common.errors.TransactionAbortableException#TransactionAbortableException(String)
    """


class TransactionAbortedException(ApiException):
    """A batch was not sent because its transaction was aborted.

    :origin: common.errors.TransactionAbortedException
    """

    def __init__(self, message: str = "Failing batch since transaction was aborted",
                 cause: BaseException | None = None) -> None:
        """Keep message and cause.

        :origin: common.errors.TransactionAbortedException#TransactionAbortedException(String, Throwable)
        :origin: common.errors.TransactionAbortedException#TransactionAbortedException(String)
        :origin: common.errors.TransactionAbortedException#TransactionAbortedException()
        """
        super().__init__(message, cause)


class TransactionCoordinatorFencedException(ApiException):
    """A newer coordinator has taken over the transactional id.

    :origin: common.errors.TransactionCoordinatorFencedException
    :origin: common.errors.TransactionCoordinatorFencedException#TransactionCoordinatorFencedException(String)
    :origin: common.errors.TransactionCoordinatorFencedException#TransactionCoordinatorFencedException(String, Throwable)
    """  # noqa: E501


class TransactionalIdNotFoundException(ApiException):
    """The transactional id does not exist.

    :origin: common.errors.TransactionalIdNotFoundException
    :origin: common.errors.TransactionalIdNotFoundException#TransactionalIdNotFoundException(String)
    """


class OutOfOrderSequenceException(ApiException):
    """The sequence number of a batch leaves a gap.

    :origin: common.errors.OutOfOrderSequenceException
    :origin: common.errors.OutOfOrderSequenceException#OutOfOrderSequenceException(String)
    """


class UnknownProducerIdException(OutOfOrderSequenceException):
    """The broker has no state of the producer any more.

    :origin: common.errors.UnknownProducerIdException
    :origin: common.errors.UnknownProducerIdException#UnknownProducerIdException(String)
    """


class DuplicateSequenceException(ApiException):
    """The broker already has the batch, and does not know its offset any more.

    :origin: common.errors.DuplicateSequenceException
    :origin: common.errors.DuplicateSequenceException#DuplicateSequenceException(String)
    """
