# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The log of completed requests, whose lines of one poll are written together.

This module is ours. Kafka's logger of the same name writes each line by itself.

*Fact.* ``logging`` makes a record of each line, looks on the stack for the place that logs, and writes the
line with a system call of its own. During each such call another thread may take the interpreter.

*Consequence.* A line takes longer than the request that it is about.

*Choice (D145).* A network thread gathers the lines of the requests that a poll completes, and writes them
when it has gone through all of them. They are one record but for their text and go to the file in one write,
where the logger's one handler is a FileHandler or StreamHandler of Python's own with its own Formatter. With
any other configuration each line is a record, as in ``logging``. Outside such a group a line is written at
once.

*Cost.* A line is written up to one round of completed sends later. The lines of a group have the same time.
"""

from __future__ import annotations

import logging
import threading
from functools import partial
from types import TracebackType
from typing import Any

from kreactor.common.utils.log_context import DEBUG


class _Here(threading.local):
    """The lines that a thread has gathered, None outside a group."""

    lines: list[str] | None = None


class RequestLog:
    """A logger at level DEBUG. Entered, it gathers the lines of the calling thread. For use by any thread."""

    def __init__(self, logger: logging.Logger) -> None:
        """Log to ``logger``."""
        self._logger = logger
        self._here = _Here()
        # Return whether ``debug`` writes.
        self.is_debug_enabled = partial(self._logger.isEnabledFor, DEBUG)

    def get_name(self) -> str:
        """Return the logger's name."""
        return self._logger.name

    def debug(self, message: str) -> None:
        """Write a line, or add it to the group that the calling thread has entered."""
        if self.is_debug_enabled():
            lines = self._here.lines
            if lines is None:
                self._write([message])
            else:
                lines.append(message)

    def __enter__(self) -> None:
        self._here.lines = []

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        lines, self._here.lines = self._here.lines, None
        if lines:
            self._write(lines)

    def _write(self, lines: list[str]) -> None:
        """Write lines. When this returns, the stream has them."""
        handler = self._only_handler()
        if handler is None or not _print_all(handler, self._record(lines[0]), lines):
            for line in lines:
                self._logger.handle(self._record(line))

    def _record(self, line: str) -> logging.LogRecord:
        code = RequestLog.debug.__code__
        return self._logger.makeRecord(self._logger.name, DEBUG, code.co_filename, code.co_firstlineno, line,
                                       (), None, code.co_name)

    # Any: the stream of a FileHandler may be None, which the type of a StreamHandler's stream does not allow.
    def _only_handler(self) -> logging.StreamHandler[Any] | None:
        """Return the only handler of the logger, if it is one of Python's own; else None."""
        logger: logging.Logger | None = self._logger
        if type(logger) is not logging.Logger or logger.disabled or logger.filters:
            return None
        only: logging.Handler | None = None
        while logger is not None:
            for handler in logger.handlers:
                if only is not None:
                    return None
                only = handler
            logger = logger.parent if logger.propagate else None
        # Not of a class that is made of these, which may do more.
        if isinstance(only, logging.StreamHandler) and not only.filters and (
                type(only) in (logging.FileHandler, logging.StreamHandler)
                and type(only.formatter) is logging.Formatter):
            return only
        return None


def _print_all(handler: logging.StreamHandler[Any], record: logging.LogRecord, lines: list[str]) -> bool:
    """Print lines that are one record but for their text; return False, with none printed, if that cannot be.
    """
    # DEVIATION D145: one record and one write for all.
    formatter = handler.formatter
    if type(record) is not logging.LogRecord or formatter is None:
        return False
    if record.levelno < handler.level:
        return True
    try:
        if formatter.usesTime():
            record.asctime = formatter.formatTime(record, formatter.datefmt)
        texts = []
        for line in lines:
            record.msg = record.message = line
            texts.append(formatter.formatMessage(record) + handler.terminator)
        handler.acquire()
        try:
            # A file that is opened by its first line, or was closed meanwhile, is for the handler to open.
            if handler.stream is None:
                return False
            handler.stream.write("".join(texts))
            handler.flush()
        finally:
            handler.release()
    except ValueError:
        return False  # one of them has what cannot be written, and the others can
    except Exception:
        handler.handleError(record)
    return True
