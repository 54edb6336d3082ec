# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.Log4jController of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The loggers of the process and their levels, by the names that Kafka's users know."""

from __future__ import annotations

import logging

OMITTED = {
    "kafka.utils.Log4jController#getLoggers": "Python has no JMX",
    "kafka.utils.Log4jController#getLogLevel": "Python has no JMX",
    "kafka.utils.Log4jController#setLogLevel": "Python has no JMX",
    "kafka.utils.Log4jControllerMBean": "Python has no JMX",
}

ROOT_LOGGER = "root"

# In descending order: the first entry that a level reaches is its name.
_LEVEL_NAMES = ((logging.CRITICAL, "FATAL"), (logging.ERROR, "ERROR"), (logging.WARNING, "WARN"),
                (logging.INFO, "INFO"), (logging.DEBUG, "DEBUG"))
_LEVELS = {name: level for level, name in _LEVEL_NAMES} | {
    "TRACE": 5, "ALL": 1, "OFF": logging.CRITICAL + 10}


class Log4jController:
    """Sets the levels of Python's loggers, in place of log4j's. For use by any thread.

    :origin: kafka.utils.Log4jController
    :origin: kafka.utils.Log4jController
    """

    ROOT_LOGGER = ROOT_LOGGER

    @staticmethod
    def _resolve_level(logger: logging.Logger) -> str:
        """Return the effective level of a logger: its own, or that of an ancestor.

        :origin: kafka.utils.Log4jController#resolveLevel
        """
        effective = logger.getEffectiveLevel()
        for level, name in _LEVEL_NAMES:
            if effective >= level:
                return name
        return "TRACE"

    @staticmethod
    def loggers() -> dict[str, str]:
        """Return all loggers and their levels.

        :origin: kafka.utils.Log4jController#loggers
        """
        logs = {ROOT_LOGGER: Log4jController._resolve_level(logging.getLogger())}
        for name, logger in list(logging.getLogger().manager.loggerDict.items()):
            # Other entries are placeholders between a logger and its ancestor.
            if isinstance(logger, logging.Logger):
                logs[name] = Log4jController._resolve_level(logger)
        return logs

    @staticmethod
    def log_level(logger_name: str, log_level: str) -> bool:
        """Set a logger's level, DEBUG for an unknown level; return whether the logger exists.

        :origin: kafka.utils.Log4jController#logLevel
        """
        logger = Log4jController._existing_logger(logger_name)
        if logger is None or not logger_name.strip() or not log_level.strip():
            return False
        logger.setLevel(_LEVELS.get(log_level.upper(), logging.DEBUG))
        return True

    @staticmethod
    def unset_log_level(logger_name: str) -> bool:
        """Remove a logger's level, so that its ancestor's level applies; return whether the logger exists.

        :origin: kafka.utils.Log4jController#unsetLogLevel
        """
        logger = Log4jController._existing_logger(logger_name)
        if logger is None or not logger_name.strip():
            return False
        logger.setLevel(logging.NOTSET)
        return True

    @staticmethod
    def logger_exists(logger_name: str) -> bool:
        """Return whether the logger exists.

        :origin: kafka.utils.Log4jController#loggerExists
        """
        return Log4jController._existing_logger(logger_name) is not None

    @staticmethod
    def _existing_logger(logger_name: str) -> logging.Logger | None:
        """:origin: kafka.utils.Log4jController#existingLogger"""
        if logger_name == ROOT_LOGGER:
            return logging.getLogger()
        logger = logging.getLogger().manager.loggerDict.get(logger_name)
        return logger if isinstance(logger, logging.Logger) else None
