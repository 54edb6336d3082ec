# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Idempotent and transactional producers."""

from __future__ import annotations

from kreactor.common.errors.api import ApiException, RetriableException


class InvalidPidMappingException(ApiException):
    """A producer id that does not belong to the transactional id.

    :origin: common.errors.InvalidPidMappingException
    :origin: common.errors.InvalidPidMappingException#InvalidPidMappingException(String)
    """


class InvalidProducerEpochException(ApiException):
    """A producer epoch older than the current one.

    :origin: common.errors.InvalidProducerEpochException
    :origin: common.errors.InvalidProducerEpochException#InvalidProducerEpochException(String)
    """


class ProducerFencedException(ApiException):
    """Another producer has taken over the transactional id.

    :origin: common.errors.ProducerFencedException
    :origin: common.errors.ProducerFencedException#ProducerFencedException(String)
    """


class InvalidTxnStateException(ApiException):
    """Something that a transaction in this state does not allow.

    :origin: common.errors.InvalidTxnStateException
    :origin: common.errors.InvalidTxnStateException#InvalidTxnStateException(String)
    """


class InvalidTxnTimeoutException(ApiException):
    """A transaction time-out longer than the broker allows.

    :origin: common.errors.InvalidTxnTimeoutException
    :origin: common.errors.InvalidTxnTimeoutException#InvalidTxnTimeoutException(String, Throwable)
    :origin: common.errors.InvalidTxnTimeoutException#InvalidTxnTimeoutException(String)
    """


class ConcurrentTransactionsException(RetriableException):
    """The previous transaction of the id is still being completed.

    :origin: common.errors.ConcurrentTransactionsException
    :origin: common.errors.ConcurrentTransactionsException#ConcurrentTransactionsException(String)
    """


class TransactionAbortableException(ApiException):
    """The transaction can only be aborted, and the producer go on.

    :origin: common.errors.TransactionAbortableException
    :origin: common.errors.TransactionAbortableException#TransactionAbortableException(String)
    """


class TransactionAbortedException(ApiException):
    """A batch that was not sent because its transaction was aborted.

    :origin: common.errors.TransactionAbortedException
    """

    def __init__(self, message: str = "Failing batch since transaction was aborted",
                 cause: BaseException | None = None) -> None:
        """Keep both.

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
    """There is no such transactional id.

    :origin: common.errors.TransactionalIdNotFoundException
    :origin: common.errors.TransactionalIdNotFoundException#TransactionalIdNotFoundException(String)
    """


class OutOfOrderSequenceException(ApiException):
    """A batch whose sequence number leaves a gap.

    :origin: common.errors.OutOfOrderSequenceException
    :origin: common.errors.OutOfOrderSequenceException#OutOfOrderSequenceException(String)
    """


class UnknownProducerIdException(OutOfOrderSequenceException):
    """The broker has forgotten the producer.

    :origin: common.errors.UnknownProducerIdException
    :origin: common.errors.UnknownProducerIdException#UnknownProducerIdException(String)
    """


class DuplicateSequenceException(ApiException):
    """A batch that the broker has already, and no longer the offset of.

    :origin: common.errors.DuplicateSequenceException
    :origin: common.errors.DuplicateSequenceException#DuplicateSequenceException(String)
    """
