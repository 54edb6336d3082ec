# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's ErrorsTest."""

from __future__ import annotations

import pytest

from kreactor.common import errors
from kreactor.common.errors import ApiException, TimeoutException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.protocol.errors import CompletionException, Errors, ExecutionException


def test_unique_error_codes() -> None:
    assert len({error.code for error in Errors}) == len(Errors)
    # No member is an alias of another.
    assert len(Errors.__members__) == len(Errors)


def test_unique_exceptions() -> None:
    classes = {type(error.exception()) for error in Errors if error is not Errors.NONE}
    assert len(classes) == len(Errors) - 1


def test_exceptions_are_not_generic() -> None:
    for error in Errors:
        if error is not Errors.NONE:
            assert type(error.exception()) is not ApiException


def test_none_exception() -> None:
    assert Errors.NONE.exception() is None
    assert Errors.NONE.exception("anything") is None
    Errors.NONE.maybe_throw()


def test_for_exception_inheritance() -> None:
    class ExtendedTimeoutException(TimeoutException):
        pass

    assert Errors.for_exception(ExtendedTimeoutException()) is Errors.for_exception(TimeoutException())
    assert Errors.for_exception(TimeoutException()) is Errors.REQUEST_TIMED_OUT


def test_for_exception_default() -> None:
    assert Errors.for_exception(ApiException()) is Errors.UNKNOWN_SERVER_ERROR
    assert Errors.for_exception(KeyError()) is Errors.UNKNOWN_SERVER_ERROR


def test_exception_name() -> None:
    name = Errors.UNKNOWN_SERVER_ERROR.exception_name()
    assert name is not None and name.endswith(".UnknownServerException")
    assert Errors.NONE.exception_name() is None
    name = Errors.INVALID_TOPIC_EXCEPTION.exception_name()
    assert name is not None and name.endswith(".InvalidTopicException")


def test_every_error_makes_its_round() -> None:
    for error in Errors:
        assert Errors.for_code(error.code) is error
        exception = error.exception()
        if exception is not None:
            assert Errors.for_exception(exception) is error
            assert str(exception) == error.message()
            other = error.exception("another text")
            assert type(other) is type(exception)
            assert str(other) == "another text"
            with pytest.raises(type(exception)):
                error.maybe_throw()
    assert [error.code for error in Errors] == list(range(-1, 121))


def test_exceptions_of_the_package_are_all_there() -> None:
    assert type(Errors.INVALID_RECORD.exception()) is InvalidRecordException
    for error in Errors:
        if error not in (Errors.NONE, Errors.INVALID_RECORD):
            assert hasattr(errors, type(error.exception()).__name__)


def test_an_unknown_code_is_an_unknown_server_error() -> None:
    assert Errors.for_code(30000) is Errors.UNKNOWN_SERVER_ERROR


def test_what_a_future_wraps_is_what_counts() -> None:
    for wrapper in (CompletionException(), ExecutionException()):
        wrapper.__cause__ = TimeoutException()
        assert Errors.for_exception(wrapper) is Errors.REQUEST_TIMED_OUT
        assert Errors.maybe_unwrap_exception(wrapper) is wrapper.__cause__
    bare = CompletionException()
    assert Errors.maybe_unwrap_exception(bare) is bare


def test_messages() -> None:
    assert Errors.NONE.message() == "NONE"
    assert Errors.REQUEST_TIMED_OUT.message() == "The request timed out."
    assert str(Errors.REQUEST_TIMED_OUT) == "REQUEST_TIMED_OUT"


def test_each_exception_is_new() -> None:
    # One for all would hold on to the frames of everybody who raised it.
    assert Errors.REQUEST_TIMED_OUT.exception() is not Errors.REQUEST_TIMED_OUT.exception()
