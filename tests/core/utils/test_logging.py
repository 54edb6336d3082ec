# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.LoggingTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The mixin that logs."""

from __future__ import annotations

import logging

import pytest

from kreactor.core.utils.log4j_controller import Log4jController
from kreactor.core.utils.logging import Logging
from kreactor.jdk.text import class_name


class Plain(Logging):
    pass


class Prefixed(Logging):
    __slots__ = ("_log_ident",)

    def __init__(self, log_ident: str) -> None:
        self._log_ident = log_ident


def test_log_name_override(caplog: pytest.LogCaptureFixture) -> None:
    class TestLogging(Logging):
        def __init__(self, overridden_log_name: str) -> None:
            self._overridden_log_name = overridden_log_name

        def _logger_name(self) -> str:
            return self._overridden_log_name

    TestLogging("OverriddenLogName").warn("said")
    assert [record.name for record in caplog.records] == ["OverriddenLogName"]


def test_log_name(caplog: pytest.LogCaptureFixture) -> None:
    class TestLogging(Logging):
        pass

    TestLogging().warn("said")
    name, = (record.name for record in caplog.records)
    assert name.startswith(f"{__name__}.") and name.endswith("TestLogging")
    assert name == class_name(TestLogging)


def test_a_class_has_its_logger_before_its_first_line() -> None:
    assert class_name(Plain) in logging.getLogger().manager.loggerDict


def test_logger_level_is_resolved() -> None:
    try:
        # A logger is known once somebody asked Python for it.
        child = logging.getLogger("kreactor.core.utils.test_logging.Log4jControllerTest")
        assert Log4jController.log_level("kafka", "TRACE")
        child.log(5, "test")
        loggers = Log4jController.loggers()
        assert loggers["kafka"] == "TRACE"
        assert loggers["kafka.utils.Log4jControllerTest"] == "TRACE"
    finally:
        Log4jController.unset_log_level("kafka")


def test_every_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(1)
    error = OSError("broken")
    plain = Plain()
    assert plain.is_trace_enabled() and plain.is_debug_enabled()
    for method in (plain.trace, plain.debug, plain.info, plain.warn, plain.error, plain.fatal):
        method("%s and %s", 1, "2", exc=error)
    assert [(r.levelno, r.getMessage()) for r in caplog.records] == [
        (5, "1 and 2"), (logging.DEBUG, "1 and 2"), (logging.INFO, "1 and 2"), (logging.WARNING, "1 and 2"),
        (logging.ERROR, "1 and 2"), (logging.ERROR, "FATAL 1 and 2")]
    assert all(r.exc_info is not None and r.exc_info[1] is error for r in caplog.records)
    assert {(r.name, r.filename) for r in caplog.records} == {
        (f"{__name__}.Plain", "test_logging.py")}


def test_a_prefix_is_no_format(caplog: pytest.LogCaptureFixture) -> None:
    prefixed = Prefixed("[100% of 5%s] ")
    prefixed.warn("no arguments, 7%")
    prefixed.warn("one argument %s", 1)
    assert [r.getMessage() for r in caplog.records] == [
        "[100% of 5%s] no arguments, 7%", "[100% of 5%s] one argument 1"]


def test_one_class_can_be_turned_up(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, __name__)
    caplog.set_level(logging.DEBUG, f"{__name__}.Prefixed")
    Plain().debug("plain")
    Prefixed("a ").debug("prefixed")
    assert caplog.messages == ["a prefixed"]


def test_nothing_is_formatted_when_the_level_is_off(caplog: pytest.LogCaptureFixture) -> None:
    class Unprintable:
        def __str__(self) -> str:
            raise AssertionError

    caplog.set_level(logging.INFO)
    plain = Plain()
    assert not plain.is_trace_enabled() and not plain.is_debug_enabled()
    plain.debug("%s", Unprintable())
    plain.trace("%s", Unprintable())
    assert caplog.records == []
