# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The roots that the protocol's errors grow from, and those of no particular subject."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException

OMITTED = {
    "common.errors.ApiException#fillInStackTrace()":
        "a Python exception takes no trace when it is made, only where it is raised",
    "common.errors.RecordDeserializationException":
        "only a consumer's deserializers raise it, and there is no consumer",
}


class ApiException(KafkaException):
    """An error that can travel in an answer, as one of the protocol's error codes.

    :origin: common.errors.ApiException
    :origin: common.errors.ApiException#ApiException(String, Throwable)
    :origin: common.errors.ApiException#ApiException(String)
    :origin: common.errors.ApiException#ApiException(Throwable)
    :origin: common.errors.ApiException#ApiException()
    """


class RetriableException(ApiException):
    """An error that may pass: the same request can succeed later. Abstract.

    :origin: common.errors.RetriableException
    :origin: common.errors.RetriableException#RetriableException(String, Throwable)
    :origin: common.errors.RetriableException#RetriableException(String)
    :origin: common.errors.RetriableException#RetriableException(Throwable)
    :origin: common.errors.RetriableException#RetriableException()
    """


class InvalidMetadataException(RetriableException):
    """An error that says the client's picture of the cluster is out of date. Abstract.

    :origin: common.errors.InvalidMetadataException
    :origin: common.errors.InvalidMetadataException#InvalidMetadataException()
    :origin: common.errors.InvalidMetadataException#InvalidMetadataException(String)
    :origin: common.errors.InvalidMetadataException#InvalidMetadataException(String, Throwable)
    :origin: common.errors.InvalidMetadataException#InvalidMetadataException(Throwable)
    """


class InvalidRequestException(ApiException):
    """A request that can be read and makes no sense.

    :origin: common.errors.InvalidRequestException
    :origin: common.errors.InvalidRequestException#InvalidRequestException(String)
    :origin: common.errors.InvalidRequestException#InvalidRequestException(String, Throwable)
    """


class UnknownServerException(ApiException):
    """The broker failed in a way that no other error code tells.

    :origin: common.errors.UnknownServerException
    :origin: common.errors.UnknownServerException#UnknownServerException()
    :origin: common.errors.UnknownServerException#UnknownServerException(String)
    :origin: common.errors.UnknownServerException#UnknownServerException(Throwable)
    :origin: common.errors.UnknownServerException#UnknownServerException(String, Throwable)
    """


class UnsupportedVersionException(ApiException):
    """A version of an API, or something within one, that the other side does not speak.

    :origin: common.errors.UnsupportedVersionException
    :origin: common.errors.UnsupportedVersionException#UnsupportedVersionException(String, Throwable)
    :origin: common.errors.UnsupportedVersionException#UnsupportedVersionException(String)
    """


class UnsupportedForMessageFormatException(ApiException):
    """The message format of the partition has no room for what was asked.

    :origin: common.errors.UnsupportedForMessageFormatException
    :origin: common.errors.UnsupportedForMessageFormatException#UnsupportedForMessageFormatException(String)
    :origin: common.errors.UnsupportedForMessageFormatException#UnsupportedForMessageFormatException(String, Throwable)
    """  # noqa: E501


class OperationNotAttemptedException(ApiException):
    """One of several operations was left out because another one failed.

    :origin: common.errors.OperationNotAttemptedException
    :origin: common.errors.OperationNotAttemptedException#OperationNotAttemptedException(String)
    """


class SerializationException(KafkaException):
    """A key, a value or a message could not be turned into bytes, or back.

    :origin: common.errors.SerializationException
    :origin: common.errors.SerializationException#SerializationException(String, Throwable)
    :origin: common.errors.SerializationException#SerializationException(String)
    :origin: common.errors.SerializationException#SerializationException(Throwable)
    :origin: common.errors.SerializationException#SerializationException()
    """


class InterruptException(KafkaException):
    """A blocked call was told to stop waiting.

    :origin: common.errors.InterruptException
    """

    # DEVIATION D20: Python's threads cannot be interrupted, so there is no flag to set again.
    def __init__(self, message: str | None = None, cause: BaseException | None = None) -> None:
        """Keep both.

        :origin: common.errors.InterruptException#InterruptException(InterruptedException)
        :origin: common.errors.InterruptException#InterruptException(String, InterruptedException)
        :origin: common.errors.InterruptException#InterruptException(String)
        """
        super().__init__(message, cause)


class WakeupException(KafkaException):
    """A consumer's poll was ended by ``wakeup`` from another thread.

    :origin: common.errors.WakeupException
    """
