# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.Logging of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Logging for classes of the broker: a logger per class, and a prefix per object.

Any thread may log. Only the constructor may set ``_log_ident``.
"""

from __future__ import annotations

from kreactor.common.utils.log_context import DEBUG, ERROR, INFO, TRACE, WARN, LogContext, Logger
from kreactor.core.utils.log4j_controller import kafka_name, make_logger
from kreactor.jdk.text import class_name

# One logger per class, made at its first use. Two threads may both make it, and get the same.
_loggers: dict[type, Logger] = {}

_QUESTIONS = ("is_debug_enabled", "is_trace_enabled")


class Logging:
    """A mixin that logs under the name of the class, with the prefix ``_log_ident``.

    Arguments are formatted with ``%`` only if the level is enabled. Where computing the arguments is
    expensive, check ``is_debug_enabled`` or ``is_trace_enabled`` first. The methods bypass the logger's own
    methods, so that a log line names its caller and not this module.

    :origin: kafka.utils.Logging
    :origin: kafka.utils.Logging
    """

    __slots__ = ()

    _log_ident: str | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Python's logger is made with the class: code that walks over all loggers, as pytest does before each
        # step of a test, fails if a broker's thread makes one meanwhile.
        make_logger(_class_of_logger(cls))
        # A subclass must not inherit the functions that ``_logger`` has set on its base class.
        for name in _QUESTIONS:
            if name not in cls.__dict__:
                setattr(cls, name, Logging.__dict__[name])

    def _logger(self) -> Logger:
        """Return the logger of the class.

        :origin: kafka.utils.Logging#logger
        """
        logger = _loggers.get(type(self))
        if logger is None:
            logger = _loggers[type(self)] = LogContext().logger(self._logger_name())
            # Set on the class, because each request checks the levels several times.
            for name in _QUESTIONS:
                if type(self).__dict__.get(name) is Logging.__dict__[name]:
                    setattr(type(self), name, staticmethod(getattr(logger, name)))
        return logger

    def _logger_name(self) -> str:
        """Return the logger's name, the same for all objects of a class: the class's path.

        :origin: kafka.utils.Logging#loggerName
        """
        return _class_of_logger(type(self))

    def _msg_with_log_ident(self, msg: str, args: tuple[object, ...]) -> str:
        """Return ``msg`` with the prefix, in which ``%`` is escaped.

        :origin: kafka.utils.Logging#msgWithLogIdent
        """
        log_ident = self._log_ident
        if log_ident is None:
            return msg
        return (log_ident.replace("%", "%%") if args else log_ident) + msg

    def trace(self, msg: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at trace.

        :origin: kafka.utils.Logging#trace(String)
        :origin: kafka.utils.Logging#trace(String, Throwable)
        """
        logger = _loggers.get(type(self)) or self._logger()
        if logger.is_trace_enabled():
            logger._write_log(TRACE, self._msg_with_log_ident(msg, args), args, exc)

    def is_debug_enabled(self) -> bool:
        """Return whether debug logging is enabled.

        :origin: kafka.utils.Logging#isDebugEnabled
        """
        return self._logger().is_debug_enabled()

    def is_trace_enabled(self) -> bool:
        """Return whether trace logging is enabled.

        :origin: kafka.utils.Logging#isTraceEnabled
        """
        return self._logger().is_trace_enabled()

    def debug(self, msg: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at debug.

        :origin: kafka.utils.Logging#debug(String)
        :origin: kafka.utils.Logging#debug(String, Throwable)
        """
        logger = _loggers.get(type(self)) or self._logger()
        if logger.is_debug_enabled():
            logger._write_log(DEBUG, self._msg_with_log_ident(msg, args), args, exc)

    def info(self, msg: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at info.

        :origin: kafka.utils.Logging#info(String)
        :origin: kafka.utils.Logging#info(String, Throwable)
        """
        logger = self._logger()
        if logger.is_info_enabled():
            logger._write_log(INFO, self._msg_with_log_ident(msg, args), args, exc)

    def warn(self, msg: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at warn.

        :origin: kafka.utils.Logging#warn(String)
        :origin: kafka.utils.Logging#warn(String, Throwable)
        """
        logger = self._logger()
        if logger.is_warn_enabled():
            logger._write_log(WARN, self._msg_with_log_ident(msg, args), args, exc)

    def error(self, msg: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at error.

        :origin: kafka.utils.Logging#error(String)
        :origin: kafka.utils.Logging#error(String, Throwable)
        """
        logger = self._logger()
        if logger.is_error_enabled():
            logger._write_log(ERROR, self._msg_with_log_ident(msg, args), args, exc)

    def fatal(self, msg: str, *args: object, exc: BaseException | None = None) -> None:
        """Log at error, for a failure that ends the process.

        :origin: kafka.utils.Logging#fatal(String)
        :origin: kafka.utils.Logging#fatal(String, Throwable)
        """
        logger = self._logger()
        if logger.is_error_enabled():
            logger._write_log(ERROR, "FATAL " + self._msg_with_log_ident(msg, args), args, exc)


def _class_of_logger(cls: type) -> str:
    """Return the path of ``cls``; of the class that it extends, if only ``cls`` is not a port.

    So kreactor's own subclass of a processor logs as Kafka's ``Processor``, whose level its users know.
    """
    if kafka_name(class_name(cls)) is None and cls.__module__.startswith("kreactor."):
        for base in cls.__mro__:
            if base is not Logging and kafka_name(class_name(base)) is not None:
                return class_name(base)
    return class_name(cls)
