# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ConfigSynonym of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker setting that is the default of a topic setting, and the conversion of its value."""

from __future__ import annotations

from typing import Callable

from kreactor.common.utils.log_context import LogContext

log = LogContext().logger(f"{__name__}.ConfigSynonym")


class ConfigSynonym:
    """A name and a converter.

    :origin: server.config.ConfigSynonym
    """

    __slots__ = ("_name", "_converter")

    @staticmethod
    def HOURS_TO_MILLISECONDS(input: str) -> str:
        """Convert hours, given as text, to milliseconds.

        :origin: server.config.ConfigSynonym#HOURS_TO_MILLISECONDS
        """
        return str(_value_to_int(input, 0, "hoursToMilliseconds") * 60 * 60 * 1000)

    @staticmethod
    def MINUTES_TO_MILLISECONDS(input: str) -> str:
        """Convert minutes, given as text, to milliseconds.

        :origin: server.config.ConfigSynonym#MINUTES_TO_MILLISECONDS
        """
        return str(_value_to_int(input, 0, "minutesToMilliseconds") * 60 * 1000)

    def __init__(self, name: str, converter: Callable[[str], str] | None = None) -> None:
        """Without a ``converter``, the value stays unchanged.

        :origin: server.config.ConfigSynonym#ConfigSynonym(String, Function<String,String>)
        :origin: server.config.ConfigSynonym#ConfigSynonym(String)
        """
        self._name = name
        self._converter = converter if converter is not None else lambda value: value

    def name(self) -> str:
        """Return the name of the broker's setting.

        :origin: server.config.ConfigSynonym#name()
        """
        return self._name

    def converter(self) -> Callable[[str], str]:
        """Return the function that converts the broker's value to the topic's value.

        :origin: server.config.ConfigSynonym#converter()
        """
        return self._converter


def _value_to_int(input: str | None, default_value: int, what: str) -> int:
    """Return ``input`` as an int; ``default_value`` if it is empty or None.

    :origin: server.config.ConfigSynonym#valueToInt(String, int, String)
    """
    if input is None:
        return default_value
    trimmed_input = input.strip()
    if not trimmed_input:
        return default_value
    try:
        return int(trimmed_input)
    except ValueError as e:
        log.error("%s failed: unable to parse '%s' as an integer", what, trimmed_input, exc=e)
        return default_value
