# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.DelayedResponseAuthenticationException of
# Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The error of a failed authentication whose response is sent to the client later."""

from kreactor.common.errors import AuthenticationException


class DelayedResponseAuthenticationException(AuthenticationException):
    """Wraps an authentication failure; the selector holds the answer and the close back for a while.

    :origin: common.network.DelayedResponseAuthenticationException
    """

    def __init__(self, cause: BaseException) -> None:
        """Take the failure itself, whose message is what gets logged.

        :origin: common.network.DelayedResponseAuthenticationException#DelayedResponseAuthenticationException(
            Throwable)
        """
        super().__init__(cause=cause)
