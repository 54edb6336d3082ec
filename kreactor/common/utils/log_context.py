# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.LogContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Loggers with a prefix on every line, based on the stdlib ``logging``.

The levels are those of ``logging``, and TRACE (5) below them. Texts are %-formatted only if the level is
enabled.

*A logger has the full name of the class that logs*, for example
``kreactor.core.network.processor.Processor``. A function outside a class logs under its module. So a user can
set the level of one class, or with a shorter name of a module or a package. The only other names are Kafka's
own: ``kafka.request.logger`` for completed requests, ``kafka.authorizer.logger`` for authorization decisions.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from kreactor.jdk.loggers import get_logger
from kreactor.jdk.text import class_name

TRACE = 5
DEBUG = logging.DEBUG
INFO = logging.INFO
WARN = logging.WARNING
ERROR = logging.ERROR

logging.addLevelName(TRACE, "TRACE")


class LogContext:
    """A prefix that the loggers of one listener or one client share.

    :origin: common.utils.LogContext
    """

    __slots__ = ("_log_prefix",)

    def __init__(self, log_prefix: str | None = None) -> None:
        """Keep the prefix, which should end with a space. None means no prefix.

        :origin: common.utils.LogContext#LogContext(String)
        :origin: common.utils.LogContext#LogContext()
        """
        self._log_prefix = "" if log_prefix is None else log_prefix

    def logger(self, clazz: type | str) -> Logger:
        """Return a logger for a class, with the class's full name, or for a name.

        :origin: common.utils.LogContext#logger(Class<?>)
        """
        name = clazz if isinstance(clazz, str) else class_name(clazz)
        return Logger(self._log_prefix, get_logger(name))

    def log_prefix(self) -> str:
        """Return the prefix.

        :origin: common.utils.LogContext#logPrefix()
        """
        return self._log_prefix


class Logger:
    """A logger with a prefix. Used by any thread.

    ``exc`` is an exception whose traceback is logged below the line.

    :origin: common.utils.LogContext.LocationAwareKafkaLogger
    """

    __slots__ = ("_prefix", "_format_prefix", "_logger", "_is_enabled_for", "is_trace_enabled",
                 "is_debug_enabled")

    def __init__(self, log_prefix: str, logger: logging.Logger) -> None:
        """Log to ``logger``.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#LocationAwareKafkaLogger(String, LocationAwareLogger)
        """  # noqa: E501
        self._prefix = log_prefix
        self._format_prefix = log_prefix.replace("%", "%%")
        self._logger = logger
        self._is_enabled_for = logger.isEnabledFor
        # Return whether ``trace`` would write; called several times per request.
        # :origin: common.utils.LogContext.LocationAwareKafkaLogger#isTraceEnabled()
        self.is_trace_enabled: Callable[[], bool] = partial(logger.isEnabledFor, TRACE)
        # Return whether ``debug`` would write.
        # :origin: common.utils.LogContext.LocationAwareKafkaLogger#isDebugEnabled()
        self.is_debug_enabled: Callable[[], bool] = partial(logger.isEnabledFor, DEBUG)

    def get_name(self) -> str:
        """Return the logger's name.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#getName()
        """
        return self._logger.name

    def is_info_enabled(self) -> bool:
        """Return whether ``info`` would write.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#isInfoEnabled()
        """
        return self._is_enabled_for(INFO)

    def is_warn_enabled(self) -> bool:
        """Return whether ``warn`` would write.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#isWarnEnabled()
        """
        return self._is_enabled_for(WARN)

    def is_error_enabled(self) -> bool:
        """Return whether ``error`` would write.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#isErrorEnabled()
        """
        return self._is_enabled_for(ERROR)

    def trace(self, message: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at level TRACE.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#trace(String, Object...)
        """
        if self._is_enabled_for(TRACE):
            self._write_log(TRACE, message, args, exc)

    def debug(self, message: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at level DEBUG.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#debug(String, Object...)
        """
        if self._is_enabled_for(DEBUG):
            self._write_log(DEBUG, message, args, exc)

    def warn(self, message: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at level WARNING.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#warn(String, Object...)
        """
        if self._is_enabled_for(WARN):
            self._write_log(WARN, message, args, exc)

    def error(self, message: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at level ERROR.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#error(String, Object...)
        """
        if self._is_enabled_for(ERROR):
            self._write_log(ERROR, message, args, exc)

    def info(self, message: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at level INFO.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#info(String, Object...)
        """
        if self._is_enabled_for(INFO):
            self._write_log(INFO, message, args, exc)

    def _write_log(self, level: int, message: str, args: tuple[object, ...],
                   exc: BaseException | None) -> None:
        """Log one line with the location of the caller's caller. Escapes ``%`` in the prefix.

        :origin: common.utils.LogContext.LocationAwareKafkaLogger#writeLog(Marker, int, String, Object[], Throwable)
        """  # noqa: E501
        prefix = self._format_prefix if args else self._prefix
        self._logger.log(level, prefix + message, *args, exc_info=exc, stacklevel=3)
