# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import importlib
import logging
import pkgutil

import pytest

import kreactor
from kreactor.common.utils.log_context import TRACE, LogContext, Logger
from tests import packages

NAME = "kreactor.test.log"


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(TRACE, NAME)
    return caplog


def test_prefix_and_arguments(log: pytest.LogCaptureFixture) -> None:
    logger = LogContext("[Selector 7] ").logger(NAME)
    logger.info("plain 100%")
    logger.info("%s of %d", "one", 2)
    assert log.messages == ["[Selector 7] plain 100%", "[Selector 7] one of 2"]


def test_a_percent_sign_in_the_prefix_is_no_format(log: pytest.LogCaptureFixture) -> None:
    logger = LogContext("[50%s] ").logger(NAME)
    logger.info("plain")
    logger.info("%s", "one")
    assert log.messages == ["[50%s] plain", "[50%s] one"]


def test_levels(log: pytest.LogCaptureFixture) -> None:
    logger = LogContext().logger(NAME)
    for method in (logger.trace, logger.debug, logger.info, logger.warn, logger.error):
        method("m")
    assert [record.levelname for record in log.records] == ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR"]
    assert TRACE < logging.DEBUG


@pytest.mark.parametrize(("level", "enabled"), [
    (TRACE, (True, True, True, True, True)),
    (logging.DEBUG, (False, True, True, True, True)),
    (logging.INFO, (False, False, True, True, True)),
    (logging.WARNING, (False, False, False, True, True)),
    (logging.ERROR, (False, False, False, False, True)),
    (logging.CRITICAL, (False, False, False, False, False)),
])
def test_level_checks(caplog: pytest.LogCaptureFixture, level: int, enabled: tuple[bool, ...]) -> None:
    caplog.set_level(level, NAME)
    logger = LogContext().logger(NAME)
    assert (logger.is_trace_enabled(), logger.is_debug_enabled(), logger.is_info_enabled(),
            logger.is_warn_enabled(), logger.is_error_enabled()) == enabled


def test_a_level_changed_later_counts(caplog: pytest.LogCaptureFixture) -> None:
    logger = LogContext().logger(NAME)
    caplog.set_level(logging.INFO, NAME)
    assert not logger.is_debug_enabled()
    caplog.set_level(logging.DEBUG, NAME)
    assert logger.is_debug_enabled()


def test_nothing_is_formatted_below_the_level(caplog: pytest.LogCaptureFixture) -> None:
    class Unprintable:
        def __str__(self) -> str:
            raise AssertionError("formatted")

    caplog.set_level(logging.INFO, NAME)
    LogContext("p ").logger(NAME).debug("%s", Unprintable())
    assert caplog.messages == []


def test_an_exception_goes_below_the_line(log: pytest.LogCaptureFixture) -> None:
    try:
        raise OSError("broken pipe")
    except OSError as e:
        LogContext().logger(NAME).error("closing", exc=e)
    assert log.messages == ["closing"]
    assert "OSError: broken pipe" in log.text


def test_the_line_is_the_callers(log: pytest.LogCaptureFixture) -> None:
    LogContext().logger(NAME).info("here")
    assert log.records[0].funcName == "test_the_line_is_the_callers"


def test_names() -> None:
    assert LogContext().logger(LogContext).get_name() == "kreactor.common.utils.log_context.LogContext"
    assert LogContext().logger("kafka.request.logger").get_name() == "kafka.request.logger"
    assert LogContext("p ").log_prefix() == "p "
    assert LogContext(None).log_prefix() == LogContext().log_prefix() == ""


def test_what_logs_for_a_module_is_named_after_a_class_in_it_or_after_the_module() -> None:
    names = [info.name for info in pkgutil.walk_packages(kreactor.__path__, "kreactor.")]
    modules = []
    for name in names:
        if not name.endswith(".__main__"):
            try:
                modules.append(importlib.import_module(name))
            except ModuleNotFoundError as e:
                if not packages.is_without_build((e.name or "").partition(".")[0]):
                    raise
    logging_modules = [module for module in modules if isinstance(vars(module).get("log"), Logger)]
    assert len(logging_modules) > 10
    for module in logging_modules:
        name = module.log.get_name()
        assert name == module.__name__ or name in {
            f"{module.__name__}.{attribute}" for attribute, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__}
