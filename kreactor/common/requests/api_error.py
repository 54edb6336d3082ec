# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ApiError of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An error of the protocol with a message."""

from __future__ import annotations

from kreactor.common.errors import ApiException
from kreactor.common.protocol.errors import Errors


class ApiError:
    """An error, and a message if it differs from the error's default. Immutable.

    :origin: common.requests.ApiError
    """

    __slots__ = ("_error", "_message")

    NONE: ApiError

    @staticmethod
    def from_throwable(t: BaseException) -> ApiError:
        """Return the ApiError of an exception.

        The message of an unexpected exception is dropped, because it may have secrets.

        :origin: common.requests.ApiError#fromThrowable(Throwable)
        """
        throwable_to_be_encoded = Errors.maybe_unwrap_exception(t)
        error = Errors.for_exception(throwable_to_be_encoded)
        message: str | None = str(throwable_to_be_encoded)
        if isinstance(throwable_to_be_encoded, ApiException):
            message = throwable_to_be_encoded.get_message()
        if error is Errors.UNKNOWN_SERVER_ERROR or error.message() == message:
            message = None
        return ApiError(error, message)

    @staticmethod
    def of(error: Errors) -> ApiError:
        """Return the error with its default message.

        :origin: common.requests.ApiError#ApiError(Errors)
        """
        return ApiError(error, error.message())

    def __init__(self, error: Errors, message: str | None) -> None:
        """:origin: common.requests.ApiError#ApiError(Errors, String)"""
        self._error = error
        self._message = message

    @staticmethod
    def for_code(code: int, message: str | None) -> ApiError:
        """Return the error of a code.

        :origin: common.requests.ApiError#ApiError(short, String)
        """
        return ApiError(Errors.for_code(code), message)

    def is_(self, error: Errors) -> bool:
        """Return whether the error equals ``errors``.

        :origin: common.requests.ApiError#is(Errors)
        """
        return self._error is error

    def is_failure(self) -> bool:
        """Return whether the error is not NONE.

        :origin: common.requests.ApiError#isFailure()
        """
        return not self.is_success()

    def is_success(self) -> bool:
        """Return whether the error is NONE.

        :origin: common.requests.ApiError#isSuccess()
        """
        return self.is_(Errors.NONE)

    def error(self) -> Errors:
        """Return the error.

        :origin: common.requests.ApiError#error()
        """
        return self._error

    def message(self) -> str | None:
        """Return the message, or None.

        :origin: common.requests.ApiError#message()
        """
        return self._message

    def exception(self) -> ApiException | None:
        """Return the exception of the error, or None for NONE.

        :origin: common.requests.ApiError#exception()
        """
        return self._error.exception(self._message)

    def __hash__(self) -> int:
        """:origin: common.requests.ApiError#hashCode()"""
        return hash((self._error, self._message))

    def __eq__(self, other: object) -> bool:
        """:origin: common.requests.ApiError#equals(Object)"""
        return (isinstance(other, ApiError) and self._error is other._error
                and self._message == other._message)

    def __str__(self) -> str:
        """:origin: common.requests.ApiError#toString()"""
        return f"ApiError(error={self._error}, message={'null' if self._message is None else self._message})"

    __repr__ = __str__


ApiError.NONE = ApiError(Errors.NONE, None)
