# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ValidateException, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of a refused token."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException


class ValidateException(KafkaException):
    """A token is invalid. The exception's text has no part of the token.

    :origin: common.security.oauthbearer.internals.secured.ValidateException
    :origin: common.security.oauthbearer.internals.secured.ValidateException#ValidateException(String)
    :origin: common.security.oauthbearer.internals.secured.ValidateException#ValidateException(Throwable)
    :origin: common.security.oauthbearer.internals.secured.ValidateException#ValidateException(
        String, Throwable)
    """
