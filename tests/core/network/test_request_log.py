# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import io
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kreactor.core.network.request_log import RequestLog


class Upper(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:
        return super().formatMessage(record).upper()


class Framed(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return f"<{super().format(record)}>"


class Marked(logging.LogRecord):
    def getMessage(self) -> str:
        return "marked " + super().getMessage()


class Shouting(logging.StreamHandler[io.StringIO]):
    def emit(self, record: logging.LogRecord) -> None:
        record.msg += "!"
        super().emit(record)


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


def with_a_shouting_handler(logger: logging.Logger, out: io.StringIO) -> None:
    handler = Shouting(out)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.handlers = [handler]


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


# Settings of a logger, each by its name.
SETTINGS: dict[str, Callable[[logging.Logger, io.StringIO], None]] = {
    "plain": with_formatter(logging.Formatter("[%(asctime)s] %(levelname)s %(message)s (%(name)s)")),
    "all fields": with_formatter(ALL_FIELDS),
    "another way to tell the time": with_formatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M")),
    "braces": with_formatter(logging.Formatter("{message} {levelno:>4}", style="{")),
    "defaults": with_formatter(logging.Formatter("%(message)s %(mine)s", defaults={"mine": 7})),
    "a field that is not there": with_formatter(logging.Formatter("%(message)s %(mine)s")),
    "no formatter": with_formatter(None),
    "a formatter of one's own": with_formatter(Upper("%(message)s")),
    "a formatter that frames what Python's makes": with_formatter(Framed("%(message)s")),
    "no handler": lambda logger, out: None,
    "two": with_another(lambda logger, out: logger.addHandler(logging.StreamHandler(out))),
    "a handler of one's own": with_another(
        lambda logger, out: setattr(logger, "handlers", [Shouting(out)])),
    "a handler of one's own with Python's formatter": with_another(with_a_shouting_handler),
    "handler's level": with_another(lambda logger, out: logger.handlers[0].setLevel(logging.INFO)),
    "handler's filter": with_another(
        lambda logger, out: logger.handlers[0].addFilter(lambda record: record.getMessage() == "one:a1")),
    "filter": with_another(
        lambda logger, out: logger.addFilter(lambda record: record.getMessage() == "one:a1")),
    "disabled": with_another(lambda logger, out: setattr(logger, "disabled", True)),
    "terminator": with_another(lambda logger, out: setattr(logger.handlers[0], "terminator", "|")),
    "parent too": with_another(propagate_to_a_parent),
    "parent alone": with_another(only_the_parent),
    "a full disk": with_another(lambda logger, out: setattr(logger.handlers[0], "stream", Full())),
    "records of one's own": with_another(lambda logger, out: logging.setLogRecordFactory(Marked)),
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("lines", [["one:a1"], ["one:a1", "100 %s", "\u00e4\n1"]])
def test_lines_that_are_written_together_are_those_that_are_written_one_by_one(
    setting: str, lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.25)
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_250_000_000)
    monkeypatch.setattr(logging, "raiseExceptions", True)
    code = RequestLog.debug.__code__
    outs, told = [], []
    for together in (True, False):
        parent = logging.Logger("parent")
        python_logger = logging.Logger("name", logging.DEBUG)
        python_logger.parent, python_logger.propagate = parent, False
        out = io.StringIO()
        try:
            SETTINGS[setting](python_logger, out)
            log = RequestLog(python_logger)
            if together:
                with log:
                    for line in lines:
                        log.debug(line)
            elif log.is_debug_enabled():
                for line in lines:
                    python_logger.handle(python_logger.makeRecord(
                        "name", logging.DEBUG, code.co_filename, code.co_firstlineno, line, (), None,
                        code.co_name))
        finally:
            logging.setLogRecordFactory(logging.LogRecord)
        outs.append(out.getvalue())
        told.append("Logging error" in capsys.readouterr().err)
    assert outs[0] == outs[1]
    assert told[0] == told[1]


def to_file(path: Path, **settings: str) -> tuple[RequestLog, logging.FileHandler]:
    python_logger = logging.Logger("name", logging.DEBUG)
    handler = logging.FileHandler(path, delay=True, **settings)
    handler.setFormatter(logging.Formatter("%(message)s"))
    python_logger.addHandler(handler)
    return RequestLog(python_logger), handler


def write(log: RequestLog, *lines: str) -> None:
    with log:
        for line in lines:
            log.debug(line)


def test_what_is_written_together_is_in_the_file_at_once(tmp_path: Path) -> None:
    log, handler = to_file(tmp_path / "log")
    write(log, "1", "2")  # which opens the file
    write(log, "3", "4")
    assert (tmp_path / "log").read_text() == "1\n2\n3\n4\n"
    handler.close()
    write(log, "5", "6")  # and again
    assert (tmp_path / "log").read_text().endswith("4\n5\n6\n")
    handler.close()


def test_a_line_that_the_file_cannot_have_does_not_take_the_others_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    log, handler = to_file(tmp_path / "log", encoding="ascii", errors="strict")
    write(log, "1", "\u00e4", "3")
    handler.close()
    assert (tmp_path / "log").read_text() == "1\n3\n"
    assert "UnicodeEncodeError" in capsys.readouterr().err


def test_a_group_is_that_of_its_thread_and_ends_with_an_exception_too(tmp_path: Path) -> None:
    log, handler = to_file(tmp_path / "log")
    with pytest.raises(OSError):
        with log:
            log.debug("second")
            other = threading.Thread(target=log.debug, args=("first",))
            other.start()
            other.join()
            assert (tmp_path / "log").read_text() == "first\n"
            raise OSError
    log.debug("third")
    assert (tmp_path / "log").read_text() == "first\nsecond\nthird\n"
    write(log)
    handler.close()
    assert (tmp_path / "log").read_text() == "first\nsecond\nthird\n"


def test_nothing_is_written_above_the_level() -> None:
    out = io.StringIO()
    python_logger = logging.Logger("name", logging.INFO)
    with_formatter(None)(python_logger, out)
    log = RequestLog(python_logger)
    assert not log.is_debug_enabled()
    log.debug("1")
    write(log, "2")
    assert out.getvalue() == "" and log.get_name() == "name"
