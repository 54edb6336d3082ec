# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Connections and time."""

from __future__ import annotations

from kreactor.common.errors.api import InvalidMetadataException, RetriableException


class TimeoutException(RetriableException):
    """It took too long. Not to be taken for Java's or Python's own time-outs.

    :origin: common.errors.TimeoutException
    :origin: common.errors.TimeoutException#TimeoutException()
    :origin: common.errors.TimeoutException#TimeoutException(String, Throwable)
    :origin: common.errors.TimeoutException#TimeoutException(String)
    :origin: common.errors.TimeoutException#TimeoutException(Throwable)
    """


class NetworkException(InvalidMetadataException):
    """The connection broke before the answer was there.

    :origin: common.errors.NetworkException
    :origin: common.errors.NetworkException#NetworkException()
    :origin: common.errors.NetworkException#NetworkException(String, Throwable)
    :origin: common.errors.NetworkException#NetworkException(String)
    :origin: common.errors.NetworkException#NetworkException(Throwable)
    """


class DisconnectException(RetriableException):
    """The connection broke with the request on its way.

    :origin: common.errors.DisconnectException
    :origin: common.errors.DisconnectException#DisconnectException()
    :origin: common.errors.DisconnectException#DisconnectException(String, Throwable)
    :origin: common.errors.DisconnectException#DisconnectException(String)
    :origin: common.errors.DisconnectException#DisconnectException(Throwable)
    """

    INSTANCE: DisconnectException


# For answers only: an exception that is raised again and again gathers tracebacks.
DisconnectException.INSTANCE = DisconnectException()


class ListenerNotFoundException(InvalidMetadataException):
    """The leader does not have the listener that the request came in by.

    :origin: common.errors.ListenerNotFoundException
    :origin: common.errors.ListenerNotFoundException#ListenerNotFoundException(String)
    :origin: common.errors.ListenerNotFoundException#ListenerNotFoundException(String, Throwable)
    """
