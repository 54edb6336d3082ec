# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.Log4jController of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The loggers of the process and their levels, by the names that Kafka's users know.

Fact: a ported class logs under its Python path, ``kreactor.core.network.processor.Processor``. Consequence:
no Kafka tool knows its logger. Choice: here the logger has the name of Kafka's class,
``kafka.network.Processor``; the Python name works, too, and is not listed. ``kafka`` and ``org.apache.kafka``
are the ancestors of these loggers, as with the configuration that Kafka is shipped with. Cost: a logger
``kafka`` of another library in the process cannot be changed here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

from kreactor.jdk.loggers import get_logger

ROOT_LOGGER = "root"

_CORE = "kafka"
# Kafka's classes inside ClientQuotaManager, which here are beside it.
_OF_CLIENT_QUOTA_MANAGER = ("DefaultQuotaCallback", "ThrottledChannelReaper")
_OTHERS = "org.apache.kafka"
# The folders of classes of org.apache.kafka; ``core`` has those of kafka.
_PACKAGES = ("clients", "common", "controller", "coordinator", "image", "metadata", "network", "security",
             "server", "storage")
_PORTED = re.compile(rf"kreactor\.(?:editions\.\w+\.)?(core|{'|'.join(_PACKAGES)})((?:\.\w+)*)")

# The loggers of the packages are made here, because a request must not make any: code that walks over all
# loggers, as pytest does, fails if a broker's thread makes one meanwhile.
for _package in ("core", *_PACKAGES):
    logging.getLogger(f"kreactor.{_package}")

# In descending order: the first entry that a level reaches is its name.
_LEVEL_NAMES = ((logging.CRITICAL, "FATAL"), (logging.ERROR, "ERROR"), (logging.WARNING, "WARN"),
                (logging.INFO, "INFO"), (logging.DEBUG, "DEBUG"))
_LEVELS = {name: level for level, name in _LEVEL_NAMES} | {
    "TRACE": 5, "ALL": 1, "OFF": logging.CRITICAL + 10}


def make_logger(name: str) -> None:
    """Make the logger of a class, and those of the packages of its edition. Called with each new class."""
    get_logger(name)
    match = _PORTED.fullmatch(name)
    if match is not None and match[0].startswith("kreactor.editions."):
        edition = match[0][:match.start(1)]
        for package in ("core", "common"):
            logging.getLogger(edition + package)


def kafka_name(name: str) -> str | None:
    """Return the name of Kafka's logger for a logger of Python, None if Kafka has none for it."""
    match = _PORTED.fullmatch(name)
    if match is None or not match[2]:
        return None
    package, *modules = match[0].removeprefix("kreactor.").split(".")[-1 - match[2].count("."):]
    classes: list[str] = []
    while modules and modules[-1][0].isupper():
        classes.insert(0, modules.pop())
    if not modules:
        return None
    # A logger without a class has the module's name, which is that of its class.
    module = modules.pop()
    if classes and classes[0] in _OF_CLIENT_QUOTA_MANAGER:
        classes.insert(0, "ClientQuotaManager")
    nested = "$".join(classes) or "".join(word.capitalize() for word in module.split("_"))
    return ".".join((*((_CORE,) if package == "core" else (_OTHERS, package)), *modules, nested))


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
        # DEVIATION D515: Python's loggers, by Kafka's names where the class is a port.
        found: dict[str, logging.Logger] = {}
        for name, logger in _python_loggers():
            known = kafka_name(name) or name
            # Of the same class in two editions, the logger that logs more.
            if known not in found or logger.getEffectiveLevel() < found[known].getEffectiveLevel():
                found[known] = logger
        for name in (ROOT_LOGGER, _CORE, _OTHERS):
            found[name] = Log4jController._existing_loggers(name)[0]
        return {name: Log4jController._resolve_level(logger) for name, logger in found.items()
                if not _is_package(logger.name) or name in (_CORE, _OTHERS)}

    @staticmethod
    def log_level(logger_name: str, log_level: str) -> bool:
        """Set a logger's level, DEBUG for an unknown level; return whether the logger exists.

        :origin: kafka.utils.Log4jController#logLevel
        """
        loggers = Log4jController._existing_loggers(logger_name)
        if not loggers or not logger_name.strip() or not log_level.strip():
            return False
        for logger in loggers:
            logger.setLevel(_LEVELS.get(log_level.upper(), logging.DEBUG))
        return True

    @staticmethod
    def unset_log_level(logger_name: str) -> bool:
        """Remove a logger's level, so that its ancestor's level applies; return whether the logger exists.

        :origin: kafka.utils.Log4jController#unsetLogLevel
        """
        loggers = Log4jController._existing_loggers(logger_name)
        if not loggers or not logger_name.strip():
            return False
        for logger in loggers:
            logger.setLevel(logging.NOTSET)
        return True

    @staticmethod
    def logger_exists(logger_name: str) -> bool:
        """Return whether the logger exists.

        :origin: kafka.utils.Log4jController#loggerExists
        """
        return bool(Log4jController._existing_loggers(logger_name))

    @staticmethod
    def _existing_loggers(logger_name: str) -> Sequence[logging.Logger]:
        """Return the loggers with a name of Kafka's or of Python's: one for each edition of a class.

        :origin: kafka.utils.Log4jController#existingLogger
        """
        if logger_name == ROOT_LOGGER:
            return [logging.getLogger()]
        if logger_name in (_CORE, _OTHERS):
            return [logger for name, logger in _python_loggers()
                    if _is_package(name) and name.endswith(".core") == (logger_name == _CORE)]
        return [logger for name, logger in _python_loggers() if logger_name in (name, kafka_name(name))]


def _python_loggers() -> list[tuple[str, logging.Logger]]:
    # Other entries are placeholders between a logger and its ancestor.
    return [(name, logger) for name, logger in list(logging.getLogger().manager.loggerDict.items())
            if isinstance(logger, logging.Logger)]


def _is_package(name: str) -> bool:
    match = _PORTED.fullmatch(name)
    return match is not None and not match[2]
