# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base classes of the protocol's errors, and errors without a particular subject."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.threads import Thread


class ApiException(KafkaException):
    """An error that a response can carry as an error code of the protocol.

    :origin: common.errors.ApiException
    :origin: common.errors.ApiException#ApiException(String, Throwable)
    :origin: common.errors.ApiException#ApiException(String)
    :origin: common.errors.ApiException#ApiException(Throwable)
    :origin: common.errors.ApiException#ApiException()
    """


class RetriableException(ApiException):
    """A transient error: the same request can succeed later. Abstract.

    :origin: common.errors.RetriableException
    :origin: common.errors.RetriableException#RetriableException(String, Throwable)
    :origin: common.errors.RetriableException#RetriableException(String)
    :origin: common.errors.RetriableException#RetriableException(Throwable)
    :origin: common.errors.RetriableException#RetriableException()
    """


class InvalidMetadataException(RetriableException):
    """The client's metadata is out of date. Abstract.

    :origin: common.errors.InvalidMetadataException
    :origin: common.errors.InvalidMetadataException#InvalidMetadataException()
    :origin: common.errors.InvalidMetadataException#InvalidMetadataException(String)
    :origin: common.errors.InvalidMetadataException#InvalidMetadataException(String, Throwable)
    :origin: common.errors.InvalidMetadataException#InvalidMetadataException(Throwable)
    """


class InvalidRequestException(ApiException):
    """A well-formed request has invalid content.

    :origin: common.errors.InvalidRequestException
    :origin: common.errors.InvalidRequestException#InvalidRequestException(String)
    :origin: common.errors.InvalidRequestException#InvalidRequestException(String, Throwable)
    """


class UnknownServerException(ApiException):
    """The broker failed with an error that has no other error code.

    :origin: common.errors.UnknownServerException
    :origin: common.errors.UnknownServerException#UnknownServerException()
    :origin: common.errors.UnknownServerException#UnknownServerException(String)
    :origin: common.errors.UnknownServerException#UnknownServerException(Throwable)
    :origin: common.errors.UnknownServerException#UnknownServerException(String, Throwable)
    """


class UnsupportedVersionException(ApiException):
    """The peer does not support a version of an API, or a feature of a version.

    :origin: common.errors.UnsupportedVersionException
    :origin: common.errors.UnsupportedVersionException#UnsupportedVersionException(String, Throwable)
    :origin: common.errors.UnsupportedVersionException#UnsupportedVersionException(String)
    """


class UnsupportedForMessageFormatException(ApiException):
    """The message format of the partition does not support the requested feature.

    :origin: common.errors.UnsupportedForMessageFormatException
    :origin: common.errors.UnsupportedForMessageFormatException#UnsupportedForMessageFormatException(String)
    :origin: common.errors.UnsupportedForMessageFormatException#UnsupportedForMessageFormatException(String, Throwable)
    """  # noqa: E501


class OperationNotAttemptedException(ApiException):
    """An operation was not attempted because another one failed.

    :origin: common.errors.OperationNotAttemptedException
    :origin: common.errors.OperationNotAttemptedException#OperationNotAttemptedException(String)
    """


class SerializationException(KafkaException):
    """A key, a value or a message could not be serialized or deserialized.

    :origin: common.errors.SerializationException
    :origin: common.errors.SerializationException#SerializationException(String, Throwable)
    :origin: common.errors.SerializationException#SerializationException(String)
    :origin: common.errors.SerializationException#SerializationException(Throwable)
    :origin: common.errors.SerializationException#SerializationException()
    """


class InterruptException(KafkaException):
    """A blocking call was interrupted.

    :origin: common.errors.InterruptException
    """

    # DEVIATION D20: no flag is set again on a thread that cannot be interrupted.
    def __init__(self, message: str | None = None, cause: BaseException | None = None) -> None:
        """Keep message and cause, and interrupt the current thread again, whose flag the wait has cleared.

        :origin: common.errors.InterruptException#InterruptException(InterruptedException)
        :origin: common.errors.InterruptException#InterruptException(String, InterruptedException)
        :origin: common.errors.InterruptException#InterruptException(String)
        """
        super().__init__(message, cause)
        Thread.interrupt_current()


class WakeupException(KafkaException):
    """Another thread ended a consumer's poll with ``wakeup``.

    :origin: common.errors.WakeupException
    """
