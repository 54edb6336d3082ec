# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Log records with the time of the broker's clock."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from unittest import mock

import pytest

from kreactor.jdk.clock import Clock
from kreactor.jdk.loggers import get_logger


@pytest.fixture
def logger() -> logging.Logger:
    return get_logger(f"{__name__}.of_a_test")


@pytest.fixture
def factory() -> Iterator[None]:
    yield
    logging.setLogRecordFactory(logging.LogRecord)


def test_a_record_has_the_time_of_the_clock(logger: logging.Logger,
                                            caplog: pytest.LogCaptureFixture) -> None:
    before_s = Clock.epoch_ns() / 1e9
    with mock.patch("time.time", side_effect=[]), mock.patch("time.time_ns", side_effect=[]):
        logger.warning("%d of %s", 3, "a kind")
    record, = caplog.records
    assert type(record) is logging.LogRecord
    assert before_s <= record.created <= Clock.epoch_ns() / 1e9
    assert 0 <= record.msecs < 1000 and record.relativeCreated > 0
    assert record.getMessage() == "3 of a kind"
    assert record.funcName == "test_a_record_has_the_time_of_the_clock"
    assert record.threadName == "MainThread"


def test_a_record_is_made_as_the_switches_say(logger: logging.Logger, caplog: pytest.LogCaptureFixture,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "logThreads", False)
    logger.warning("without a thread")
    monkeypatch.undo()
    logger.warning("with a thread")
    assert [record.thread is None for record in caplog.records] == [True, False]


def test_a_factory_and_extra_values_are_the_users(logger: logging.Logger, caplog: pytest.LogCaptureFixture,
                                                  factory: None) -> None:
    logger.warning("extra", extra={"mine": 5})
    logging.setLogRecordFactory(lambda *args, **kwargs: logging.makeLogRecord({"msg": "from the factory"}))
    with mock.patch("logging.makeLogRecord", return_value=logging.LogRecord(
            "n", logging.WARNING, "p", 1, "from the factory", (), None)):
        logger.warning("not this")
    assert vars(caplog.records[0])["mine"] == 5
    assert [record.getMessage() for record in caplog.records] == ["extra", "from the factory"]


def test_a_name_has_one_logger(logger: logging.Logger) -> None:
    make_record = logger.makeRecord
    assert get_logger(logger.name) is logger is logging.getLogger(logger.name)
    assert get_logger(logger.name).makeRecord.__code__ is make_record.__code__
