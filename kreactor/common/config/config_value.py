# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.ConfigValue of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of the validation of one setting."""

from __future__ import annotations

from kreactor.jdk.text import java_text


class ConfigValue:
    """A name with its value, errors and recommended values. Owned by one thread.

    :origin: common.config.ConfigValue
    """

    __slots__ = ("_name", "_value", "_recommended_values", "_error_messages", "_visible")

    def __init__(self, name: str, value: object = None, recommended_values: list[object] | None = None,
                 error_messages: list[str] | None = None) -> None:
        """Keep the given lists, or new ones. The setting is visible.

        :origin: common.config.ConfigValue#ConfigValue(String)
        :origin: common.config.ConfigValue#ConfigValue(String, Object, List<Object>, List<String>)
        """
        self._name = name
        self._value = value
        self._recommended_values: list[object] = [] if recommended_values is None else recommended_values
        self._error_messages: list[str] = [] if error_messages is None else error_messages
        self._visible = True

    def name(self) -> str:
        """Return the name.

        :origin: common.config.ConfigValue#name()
        """
        return self._name

    def value(self) -> object:
        """Return the parsed value, or None.

        :origin: common.config.ConfigValue#value()
        """
        return self._value

    def recommended_values(self) -> list[object]:
        """Return the recommended values, which may be empty.

        :origin: common.config.ConfigValue#recommendedValues()
        """
        return self._recommended_values

    def error_messages(self) -> list[str]:
        """Return the errors.

        :origin: common.config.ConfigValue#errorMessages()
        """
        return self._error_messages

    def visible(self) -> bool:
        """Return whether the setting is relevant, given the other values.

        :origin: common.config.ConfigValue#visible()
        """
        return self._visible

    def value_to(self, value: object) -> None:
        """Set the value.

        :origin: common.config.ConfigValue#value(Object)
        """
        self._value = value

    def recommended_values_to(self, recommended_values: list[object]) -> None:
        """Set the recommended values.

        :origin: common.config.ConfigValue#recommendedValues(List<Object>)
        """
        self._recommended_values = recommended_values

    def add_error_message(self, error_message: str) -> None:
        """Add an error.

        :origin: common.config.ConfigValue#addErrorMessage(String)
        """
        self._error_messages.append(error_message)

    def visible_to(self, visible: bool) -> None:
        """Set whether the setting is relevant.

        :origin: common.config.ConfigValue#visible(boolean)
        """
        self._visible = visible

    def __eq__(self, other: object) -> bool:
        """Compare all fields.

        :origin: common.config.ConfigValue#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, ConfigValue):
            return False
        return (self._name == other._name and self._value == other._value
                and self._recommended_values == other._recommended_values
                and self._error_messages == other._error_messages and self._visible == other._visible)

    def __hash__(self) -> int:
        """Hash the name, because the other fields may change or be unhashable.

        :origin: common.config.ConfigValue#hashCode()
        """
        return hash(self._name)

    def __str__(self) -> str:
        """Return all fields.

        :origin: common.config.ConfigValue#toString()
        """
        return (f"[{self._name},{java_text(self._value)},{java_text(self._recommended_values)},"
                f"{java_text(self._error_messages)},{java_text(self._visible)}]")

    __repr__ = __str__
