# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import importlib
import io
import logging
import pkgutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import kreactor
from kreactor.common.utils.log_context import TRACE, LogContext, Logger

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


class Upper(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:
        return super().formatMessage(record).upper()


class Marked(logging.LogRecord):
    def getMessage(self) -> str:
        return "marked " + super().getMessage()


class Shouting(logging.StreamHandler[io.StringIO]):
    def emit(self, record: logging.LogRecord) -> None:
        record.msg += "!"
        super().emit(record)


class Unspeakable:
    def __str__(self) -> str:
        raise ValueError("cannot be printed")


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError("no room")


ALL_FIELDS = logging.Formatter(
    "%(asctime)s %(created)f %(filename)s %(funcName)s %(levelname)s %(lineno)d %(message)s %(module)s "
    "%(msecs)d %(name)s %(pathname)s %(process)d %(relativeCreated)d %(thread)d %(threadName)s")


def with_formatter(formatter: logging.Formatter | None) -> Callable[[logging.Logger, io.StringIO], None]:
    def configure(logger: logging.Logger, out: io.StringIO) -> None:
        handler = logging.StreamHandler(out)
        handler.setFormatter(formatter)
        logger.addHandler(handler)

    return configure


def with_another(change: Callable[[logging.Logger, io.StringIO], object]
                 ) -> Callable[[logging.Logger, io.StringIO], None]:
    def configure(logger: logging.Logger, out: io.StringIO) -> None:
        with_formatter(logging.Formatter("%(levelname)s %(message)s"))(logger, out)
        change(logger, out)

    return configure


def propagate_to_a_parent(logger: logging.Logger, out: io.StringIO) -> None:
    assert logger.parent is not None
    logger.propagate = True
    logger.parent.propagate = False
    logger.parent.addHandler(logging.StreamHandler(out))


def only_the_parent(logger: logging.Logger, out: io.StringIO) -> None:
    propagate_to_a_parent(logger, out)
    logger.handlers.clear()
    assert logger.parent is not None
    logger.parent.handlers[0].setFormatter(ALL_FIELDS)


# What may be set of a logger, each by its name.
SETTINGS: dict[str, Callable[[logging.Logger, io.StringIO], None]] = {
    "plain": with_formatter(logging.Formatter("[%(asctime)s] %(levelname)s %(message)s (%(name)s)")),
    "all fields": with_formatter(ALL_FIELDS),
    "another way to tell the time": with_formatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M")),
    "braces": with_formatter(logging.Formatter("{message} {levelno:>4}", style="{")),
    "defaults": with_formatter(logging.Formatter("%(message)s %(mine)s", defaults={"mine": 7})),
    "a field that is not there": with_formatter(logging.Formatter("%(message)s %(mine)s")),
    "no formatter": with_formatter(None),
    "a formatter of one's own": with_formatter(Upper("%(message)s")),
    "no handler": lambda logger, out: None,
    "two": with_another(lambda logger, out: logger.addHandler(logging.StreamHandler(out))),
    "a handler of one's own": with_another(
        lambda logger, out: setattr(logger, "handlers", [Shouting(out)])),
    "handler's level": with_another(lambda logger, out: logger.handlers[0].setLevel(logging.INFO)),
    "handler's filter": with_another(
        lambda logger, out: logger.handlers[0].addFilter(lambda record: record.args == ("a1",))),
    "filter": with_another(lambda logger, out: logger.addFilter(lambda record: record.args == ("a1",))),
    "disabled": with_another(lambda logger, out: setattr(logger, "disabled", True)),
    "terminator": with_another(lambda logger, out: setattr(logger.handlers[0], "terminator", "|")),
    "parent too": with_another(propagate_to_a_parent),
    "parent alone": with_another(only_the_parent),
    "a full disk": with_another(lambda logger, out: setattr(logger.handlers[0], "stream", Full())),
    "records of one's own": with_another(lambda logger, out: logging.setLogRecordFactory(Marked)),
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("args", [["a1"], ["a1", "100 %s", "\u00e4\n1"], ["a1", Unspeakable(), 1]])
def test_lines_that_are_written_together_are_those_that_are_written_one_by_one(
    setting: str, args: list[object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.25)
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_250_000_000)
    monkeypatch.setattr(logging, "raiseExceptions", True)
    code = test_lines_that_are_written_together_are_those_that_are_written_one_by_one.__code__
    outs, told = [], []
    for together in (True, False):
        parent = logging.Logger("parent")
        python_logger = logging.Logger("name", logging.DEBUG)
        python_logger.parent, python_logger.propagate = parent, False
        out = io.StringIO()
        try:
            SETTINGS[setting](python_logger, out)
            logger = Logger("[100%] ", python_logger)
            for some in [args] if together else [[arg] for arg in args]:
                if together:
                    logger.write_from(code, logging.DEBUG, "one:%s", some)
                else:
                    python_logger.handle(python_logger.makeRecord(
                        "name", logging.DEBUG, code.co_filename, code.co_firstlineno, "[100%%] one:%s",
                        tuple(some), None, code.co_name))
        finally:
            logging.setLogRecordFactory(logging.LogRecord)
        outs.append(out.getvalue())
        told.append("Logging error" in capsys.readouterr().err)
    assert outs[0] == outs[1]
    assert told[0] == told[1]


def test_what_is_written_together_is_in_the_file_at_once(tmp_path: Path) -> None:
    python_logger = logging.Logger("name", logging.DEBUG)
    handler = logging.FileHandler(tmp_path / "log", delay=True)
    handler.setFormatter(logging.Formatter("%(message)s"))
    python_logger.addHandler(handler)
    logger, code = Logger("", python_logger), test_names.__code__
    logger.write_from(code, logging.DEBUG, "one:%s", ["1", "2"])  # which opens the file
    logger.write_from(code, logging.DEBUG, "one:%s", ["3", "4"])
    assert (tmp_path / "log").read_text() == "one:1\none:2\none:3\none:4\n"
    handler.close()
    logger.write_from(code, logging.DEBUG, "one:%s", ["5", "6"])  # and again
    assert (tmp_path / "log").read_text().endswith("one:4\none:5\none:6\n")
    handler.close()


def test_a_line_that_the_file_cannot_have_does_not_take_the_others_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    python_logger = logging.Logger("name", logging.DEBUG)
    handler = logging.FileHandler(tmp_path / "log", encoding="ascii", errors="strict")
    handler.setFormatter(logging.Formatter("%(message)s"))
    python_logger.addHandler(handler)
    Logger("", python_logger).write_from(test_names.__code__, logging.DEBUG, "%s", ["1", "\u00e4", "3"])
    handler.close()
    assert (tmp_path / "log").read_text() == "1\n3\n"
    assert "UnicodeEncodeError" in capsys.readouterr().err


def test_names() -> None:
    assert LogContext().logger(LogContext).get_name() == "kreactor.common.utils.log_context.LogContext"
    assert LogContext().logger("kafka.request.logger").get_name() == "kafka.request.logger"
    assert LogContext("p ").log_prefix() == "p "
    assert LogContext(None).log_prefix() == LogContext().log_prefix() == ""


def test_what_logs_for_a_module_is_named_after_a_class_in_it_or_after_the_module() -> None:
    names = [info.name for info in pkgutil.walk_packages(kreactor.__path__, "kreactor.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith(".__main__")]
    logging_modules = [module for module in modules if isinstance(vars(module).get("log"), Logger)]
    assert len(logging_modules) > 10
    for module in logging_modules:
        name = module.log.get_name()
        assert name == module.__name__ or name in {
            f"{module.__name__}.{attribute}" for attribute, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__}
