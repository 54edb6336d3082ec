# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of UnretryableException, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of a call that a retry cannot help."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException


class UnretryableException(KafkaException):
    """Raised by a call that must not be retried.

    :origin: common.security.oauthbearer.internals.secured.UnretryableException
    """

    def __init__(self, cause: BaseException) -> None:
        """:origin: common.security.oauthbearer.internals.secured.UnretryableException#UnretryableException(
            Throwable)
        """
        super().__init__(None, cause)
