# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's ApiErrorTest."""

from __future__ import annotations

import pytest

from kreactor.common.errors import (
    NotControllerException,
    NotCoordinatorException,
    NotEnoughReplicasException,
    TimeoutException,
    UnknownServerException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.protocol.errors import CompletionException, Errors, ExecutionException
from kreactor.common.requests.api_error import ApiError


def caused(wrapper: Exception, cause: Exception) -> Exception:
    wrapper.__cause__ = cause
    return wrapper


@pytest.mark.parametrize("exception, error, message", [
    # An unexpected error can hold a text that a client must not see.
    (UnknownServerException("Don't leak sensitive information "), Errors.UNKNOWN_SERVER_ERROR, None),
    (NotEnoughReplicasException(), Errors.NOT_ENOUGH_REPLICAS, None),
    # A message that the error has anyway says nothing.
    (UnknownTopicOrPartitionException(Errors.UNKNOWN_TOPIC_OR_PARTITION.message()),
     Errors.UNKNOWN_TOPIC_OR_PARTITION, None),
    (NotCoordinatorException("Not coordinator"), Errors.NOT_COORDINATOR, "Not coordinator"),
    (caused(CompletionException(), NotControllerException("Not controller")), Errors.NOT_CONTROLLER,
     "Not controller"),
    (caused(ExecutionException(), TimeoutException("request time out")), Errors.REQUEST_TIMED_OUT,
     "request time out"),
    (OSError(), Errors.UNKNOWN_SERVER_ERROR, None),
])
def test_from_throwable_should_return_correct_error(exception: Exception, error: Errors,
                                                    message: str | None) -> None:
    api_error = ApiError.from_throwable(exception)
    assert api_error.error() is error
    assert api_error.message() == message


def test_the_rest() -> None:
    assert ApiError.NONE.is_success()
    failure = ApiError.for_code(3, "text")
    assert failure.is_failure()
    assert failure.is_(Errors.UNKNOWN_TOPIC_OR_PARTITION)
    assert str(failure) == "ApiError(error=UNKNOWN_TOPIC_OR_PARTITION, message=text)"
    assert str(failure.exception()) == "text"
    timed_out = ApiError.of(Errors.REQUEST_TIMED_OUT)
    assert timed_out == ApiError(Errors.REQUEST_TIMED_OUT, "The request timed out.")
    assert hash(failure) == hash(ApiError.for_code(3, "text"))
    assert ApiError.NONE.exception() is None
    assert str(ApiError.NONE) == "ApiError(error=NONE, message=null)"
