# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of connections and timeouts."""

from __future__ import annotations

from kreactor.common.errors.api import InvalidMetadataException, RetriableException


class TimeoutException(RetriableException):
    """An operation timed out. Differs from the TimeoutException of Java and the TimeoutError of Python.

    :origin: common.errors.TimeoutException
    :origin: common.errors.TimeoutException#TimeoutException()
    :origin: common.errors.TimeoutException#TimeoutException(String, Throwable)
    :origin: common.errors.TimeoutException#TimeoutException(String)
    :origin: common.errors.TimeoutException#TimeoutException(Throwable)
    """


class NetworkException(InvalidMetadataException):
    """The connection was lost before the response arrived.

    :origin: common.errors.NetworkException
    :origin: common.errors.NetworkException#NetworkException()
    :origin: common.errors.NetworkException#NetworkException(String, Throwable)
    :origin: common.errors.NetworkException#NetworkException(String)
    :origin: common.errors.NetworkException#NetworkException(Throwable)
    """


class DisconnectException(RetriableException):
    """The connection was lost while a request was in flight.

    :origin: common.errors.DisconnectException
    :origin: common.errors.DisconnectException#DisconnectException()
    :origin: common.errors.DisconnectException#DisconnectException(String, Throwable)
    :origin: common.errors.DisconnectException#DisconnectException(String)
    :origin: common.errors.DisconnectException#DisconnectException(Throwable)
    """

    INSTANCE: DisconnectException


# Only for responses, because a shared exception that is raised repeatedly collects tracebacks.
DisconnectException.INSTANCE = DisconnectException()


class ListenerNotFoundException(InvalidMetadataException):
    """The leader does not have the listener of the request.

    :origin: common.errors.ListenerNotFoundException
    :origin: common.errors.ListenerNotFoundException#ListenerNotFoundException(String)
    :origin: common.errors.ListenerNotFoundException#ListenerNotFoundException(String, Throwable)
    """
