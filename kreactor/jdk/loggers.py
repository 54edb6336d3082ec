# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Loggers of ``logging`` whose records have the time of ``kreactor.jdk.clock``.

Fact: ``LogRecord`` reads ``time.time`` when it is made. Consequence: a log line of a broker's thread takes a
number from a test's mock of that function, or raises the mock's exception in the broker's thread. Choice: the
loggers here run the constructor of ``LogRecord`` with another ``time`` among its globals. Cost: a record
copies four switches of ``logging``. A record factory of the user's own makes its records itself, with its own
time.

Called by any thread.
"""

from __future__ import annotations

import logging
from types import FunctionType, SimpleNamespace
from typing import Any

from kreactor.jdk.clock import Clock

# The settings that a user may change at any time.
_SWITCHES = ("logThreads", "logProcesses", "logMultiprocessing", "logAsyncioTasks")

_globals = {**vars(logging), "time": SimpleNamespace(
    time=lambda: Clock.epoch_ns() / 1e9, time_ns=lambda: Clock.epoch_ns())}
_construct = FunctionType(logging.LogRecord.__init__.__code__, _globals, "LogRecord",
                          logging.LogRecord.__init__.__defaults__)


def get_logger(name: str) -> logging.Logger:
    """Return the logger with a name."""
    logger = logging.getLogger(name)

    def make_record(name: str, level: int, fn: str, lno: int, msg: object, args: Any, exc_info: Any,
                    func: str | None = None, extra: Any = None,
                    sinfo: str | None = None) -> logging.LogRecord:
        if extra is not None or logging.getLogRecordFactory() is not logging.LogRecord:
            return type(logger).makeRecord(
                logger, name, level, fn, lno, msg, args, exc_info, func, extra, sinfo)
        for switch in _SWITCHES:
            _globals[switch] = getattr(logging, switch, True)
        record = logging.LogRecord.__new__(logging.LogRecord)
        _construct(record, name, level, fn, lno, msg, args, exc_info, func, sinfo)
        return record

    if type(logger).makeRecord is logging.Logger.makeRecord:
        setattr(logger, "makeRecord", make_record)
    return logger
