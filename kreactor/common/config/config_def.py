# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.ConfigDef of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Definitions of settings: names, types, defaults and validators.

One thread fills a ConfigDef. Afterwards any thread only reads it. It has no values; AbstractConfig has them.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any, Callable, overload

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.config_value import ConfigValue
from kreactor.common.config.types.password import Password
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.numbers import NumberFormatException, fits, parse_double, parse_integer
from kreactor.jdk.text import class_name, java_text, split_at_commas, trim


# DEVIATION D26: Python has one integer type, so the size decides whether a value is a short, int or long.
def _is_integer(value: object, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and fits(value, bits)


def _class_of(value: object) -> str:
    """Return the type name of ``value`` for messages."""
    if isinstance(value, int) and not isinstance(value, bool) and not fits(value, 32):
        return "long"
    return class_name(type(value))


class ConfigDef:
    """The definition of a set of settings.

    :origin: common.config.ConfigDef
    """

    __slots__ = ("_config_keys", "_groups", "_configs_with_no_parent")

    NO_DEFAULT_VALUE = object()

    def __init__(self, base: ConfigDef | None = None) -> None:
        """Start with a copy of the definitions of ``base``, or empty.

        :origin: common.config.ConfigDef#ConfigDef()
        :origin: common.config.ConfigDef#ConfigDef(ConfigDef)
        """
        self._config_keys: dict[str, ConfigDef.ConfigKey] = {} if base is None else dict(base._config_keys)
        self._groups: list[str] = [] if base is None else list(base._groups)
        # Computed on first use. Not copied from ``base``, because this definition may add settings.
        self._configs_with_no_parent: set[str] | None = None

    def names(self) -> AbstractSet[str]:
        """Return the names as a read-only set.

        :origin: common.config.ConfigDef#names()
        """
        return self._config_keys.keys()

    def default_values(self) -> dict[str, Any]:
        """Return the defaults of the settings that have one.

        :origin: common.config.ConfigDef#defaultValues()
        """
        return {key._name: key._default_value for key in self._config_keys.values()
                if key._default_value is not ConfigDef.NO_DEFAULT_VALUE}

    @overload
    def define(self, key: ConfigDef.ConfigKey, /) -> ConfigDef: ...

    @overload
    def define(self, name: str, type_: ConfigDef.Type, importance: ConfigDef.Importance,
               documentation: str | None, /) -> ConfigDef: ...

    @overload
    def define(self, name: str, type_: ConfigDef.Type, default_value: object,
               importance: ConfigDef.Importance | None, documentation: str | None, /) -> ConfigDef: ...

    @overload
    def define(self, name: str, type_: ConfigDef.Type, default_value: object,
               importance: ConfigDef.Importance, documentation: str | None,
               alternative_string: str, /) -> ConfigDef: ...

    @overload
    def define(self, name: str, type_: ConfigDef.Type, default_value: object,
               validator: ConfigDef.Validator | None, importance: ConfigDef.Importance,
               documentation: str | None, /) -> ConfigDef: ...

    @overload
    def define(self, name: str, type_: ConfigDef.Type, importance: ConfigDef.Importance,
               documentation: str | None, group: str | None, order_in_group: int, width: ConfigDef.Width,
               display_name: str,
               dependents_or_recommender: Sequence[str] | ConfigDef.Recommender | None = ...,
               recommender: ConfigDef.Recommender | None = ..., /) -> ConfigDef: ...

    @overload
    def define(self, name: str, type_: ConfigDef.Type, default_value: object,
               importance: ConfigDef.Importance, documentation: str | None, group: str | None,
               order_in_group: int, width: ConfigDef.Width, display_name: str,
               dependents_or_recommender: Sequence[str] | ConfigDef.Recommender | None = ...,
               recommender: ConfigDef.Recommender | None = ..., /) -> ConfigDef: ...

    @overload
    def define(self, name: str, type_: ConfigDef.Type, default_value: object,
               validator: ConfigDef.Validator | None, importance: ConfigDef.Importance,
               documentation: str | None, group: str | None, order_in_group: int, width: ConfigDef.Width,
               display_name: str,
               dependents_or_recommender: Sequence[str] | ConfigDef.Recommender | None = ...,
               recommender: ConfigDef.Recommender | None = ...,
               alternative_string: str | None = ..., /) -> ConfigDef: ...

    def define(self, name: Any, type_: Any = None, /, *args: Any) -> ConfigDef:
        """Define a setting, and return this ConfigDef.

        The arguments are positional, as in the overloads above. The position of the Importance selects the
        overload. Raises ConfigException for a defined name or an invalid default.

        :origin: common.config.ConfigDef#define(ConfigKey)
        :origin: common.config.ConfigDef#define(String, Type, Object, Validator, Importance, String, String, int, Width, String, List<String>, Recommender)
        :origin: common.config.ConfigDef#define(String, Type, Object, Validator, Importance, String, String, int, Width, String, List<String>, Recommender, String)
        :origin: common.config.ConfigDef#define(String, Type, Object, Validator, Importance, String, String, int, Width, String, List<String>)
        :origin: common.config.ConfigDef#define(String, Type, Object, Validator, Importance, String, String, int, Width, String, Recommender)
        :origin: common.config.ConfigDef#define(String, Type, Object, Validator, Importance, String, String, int, Width, String)
        :origin: common.config.ConfigDef#define(String, Type, Object, Importance, String, String, int, Width, String, List<String>, Recommender)
        :origin: common.config.ConfigDef#define(String, Type, Object, Importance, String, String, int, Width, String, List<String>)
        :origin: common.config.ConfigDef#define(String, Type, Object, Importance, String, String, int, Width, String, Recommender)
        :origin: common.config.ConfigDef#define(String, Type, Object, Importance, String, String, int, Width, String)
        :origin: common.config.ConfigDef#define(String, Type, Importance, String, String, int, Width, String, List<String>, Recommender)
        :origin: common.config.ConfigDef#define(String, Type, Importance, String, String, int, Width, String, List<String>)
        :origin: common.config.ConfigDef#define(String, Type, Importance, String, String, int, Width, String, Recommender)
        :origin: common.config.ConfigDef#define(String, Type, Importance, String, String, int, Width, String)
        :origin: common.config.ConfigDef#define(String, Type, Object, Validator, Importance, String)
        :origin: common.config.ConfigDef#define(String, Type, Object, Importance, String)
        :origin: common.config.ConfigDef#define(String, Type, Object, Importance, String, String)
        :origin: common.config.ConfigDef#define(String, Type, Importance, String)
        """  # noqa: E501
        if isinstance(name, ConfigDef.ConfigKey):
            key = name
            if key._name in self._config_keys:
                raise ConfigException(f"Configuration {key._name} is defined twice.")
            if key._group is not None and key._group not in self._groups:
                self._groups.append(key._group)
            self._config_keys[key._name] = key
            return self

        # None as importance occurs only after a default without a validator.
        at = next((i for i in range(min(3, len(args))) if isinstance(args[i], ConfigDef.Importance)), 1)
        default_value = args[0] if at > 0 else ConfigDef.NO_DEFAULT_VALUE
        validator = args[1] if at == 2 else None
        importance, documentation, *more = args[at:]
        group, order_in_group, width, display_name = None, -1, ConfigDef.Width.NONE, name
        dependents = recommender = alternative_string = None
        if len(more) == 1:
            alternative_string = more[0]
        elif more:
            group, order_in_group, width, display_name, *last = more
            if last and isinstance(last[0], ConfigDef.Recommender):
                last.insert(0, None)
            dependents, recommender, alternative_string = (*last, None, None, None)[:3]
        return self.define(ConfigDef.ConfigKey(
            name, type_, default_value, validator, importance, documentation, group, order_in_group, width,
            display_name, dependents or (), recommender, False, alternative_string))

    def define_internal(self, name: str, type_: ConfigDef.Type, default_value: object,
                        importance: ConfigDef.Importance) -> ConfigDef:
        """Define an internal setting, which is not shown to users.

        :origin: common.config.ConfigDef#defineInternal(String, Type, Object, Importance)
        """
        return self.define_internal_validator(name, type_, default_value, None, importance, "")

    def define_internal_validator(self, name: str, type_: ConfigDef.Type, default_value: object,
                                  validator: ConfigDef.Validator | None,
                                  importance: ConfigDef.Importance | None,
                                  documentation: str | None) -> ConfigDef:
        """Define an internal setting with a validator.

        :origin: common.config.ConfigDef#defineInternal(String, Type, Object, Validator, Importance, String)
        """
        return self.define(ConfigDef.ConfigKey(
            name, type_, default_value, validator, importance, documentation, "", -1, ConfigDef.Width.NONE,
            name, (), None, True, None))

    def config_keys(self) -> dict[str, ConfigDef.ConfigKey]:
        """Return the settings by name, in the order of their definition.

        :origin: common.config.ConfigDef#configKeys()
        """
        return self._config_keys

    def groups(self) -> list[str]:
        """Return the groups in the order of their first use.

        :origin: common.config.ConfigDef#groups()
        """
        return self._groups

    def with_client_ssl_support(self) -> ConfigDef:
        """Define the settings of a client for TLS.

        :origin: common.config.ConfigDef#withClientSslSupport()
        """
        from kreactor.common.config.ssl_configs import SslConfigs  # a circular import at module level

        SslConfigs.add_client_ssl_support(self)
        return self

    def with_client_sasl_support(self) -> ConfigDef:
        """Define the settings of a client for SASL.

        :origin: common.config.ConfigDef#withClientSaslSupport()
        """
        from kreactor.common.config.sasl_configs import SaslConfigs  # a circular import at module level

        SaslConfigs.add_client_sasl_support(self)
        return self

    def parse(self, props: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parsed value of each setting. Other entries of ``props`` are ignored.

        Raises ConfigException for the first missing or invalid value.

        :origin: common.config.ConfigDef#parse(Map<?,?>)
        """
        undefined_config_keys = self._undefined_dependent_configs()
        if undefined_config_keys:
            joined = ",".join(undefined_config_keys)
            raise ConfigException(
                f"Some configurations in are referred in the dependents, but not defined: {joined}")
        return {key._name: self.parse_value(key, props.get(key._name), key._name in props)
                for key in self._config_keys.values()}

    def parse_value(self, key: ConfigDef.ConfigKey, value: Any, is_set: bool) -> Any:
        """Return the parsed value of one setting, or its default unless ``is_set``. Raises ConfigException.

        :origin: common.config.ConfigDef#parseValue(ConfigKey, Object, boolean)
        """
        if is_set:
            parsed_value = ConfigDef.parse_type(key._name, value, key._type)
        elif key._default_value is ConfigDef.NO_DEFAULT_VALUE:
            raise ConfigException(
                f'Missing required configuration "{key._name}" which has no default value.')
        else:
            parsed_value = key._default_value
        if key._validator is not None:
            key._validator.ensure_valid(key._name, parsed_value)
        return parsed_value

    def validate(self, props: Mapping[str, str]) -> list[ConfigValue]:
        """Return the result of the validation of each setting.

        :origin: common.config.ConfigDef#validate(Map<String,String>)
        """
        return list(self.validate_all(props).values())

    def validate_all(self, props: Mapping[str, str]) -> dict[str, ConfigValue]:
        """Return the result of the validation of each setting by name.

        :origin: common.config.ConfigDef#validateAll(Map<String,String>)
        """
        config_values = {name: ConfigValue(name) for name in self._config_keys}

        for undefined_config_key in self._undefined_dependent_configs():
            undefined_config_value = ConfigValue(undefined_config_key)
            undefined_config_value.add_error_message(
                f"{undefined_config_key} is referred in the dependents, but not defined.")
            undefined_config_value.visible_to(False)
            config_values[undefined_config_key] = undefined_config_value

        parsed = self.parse_for_validate(props, config_values)
        return self._validate_parsed(parsed, config_values)

    def parse_for_validate(self, props: Mapping[str, str],
                           config_values: Mapping[str, ConfigValue]) -> dict[str, Any]:
        """Return the values, None for missing ones, and add errors to ``config_values``.

        :origin: common.config.ConfigDef#parseForValidate(Map<String,String>, Map<String,ConfigValue>)
        """
        parsed: dict[str, Any] = {}
        for name in self.get_configs_with_no_parent():
            self._parse_for_validate_name(name, props, parsed, config_values)
        return parsed

    def _validate_parsed(self, parsed: Mapping[str, Any],
                         config_values: dict[str, ConfigValue]) -> dict[str, ConfigValue]:
        """Add recommended values to ``config_values``.

        :origin: common.config.ConfigDef#validate(Map<String,Object>, Map<String,ConfigValue>)
        """
        for name in self.get_configs_with_no_parent():
            self._validate_name(name, parsed, config_values)
        return config_values

    def _undefined_dependent_configs(self) -> list[str]:
        """Return the names of dependents that are not defined.

        :origin: common.config.ConfigDef#undefinedDependentConfigs()
        """
        undefined_config_keys: dict[str, None] = {}
        for config_key in self._config_keys.values():
            for dependent in config_key._dependents:
                if dependent not in self._config_keys:
                    undefined_config_keys[dependent] = None
        return list(undefined_config_keys)

    def get_configs_with_no_parent(self) -> set[str]:
        """Return the names of the settings that are not dependents of another one.

        :origin: common.config.ConfigDef#getConfigsWithNoParent()
        """
        if self._configs_with_no_parent is not None:
            return self._configs_with_no_parent
        configs_with_parent: set[str] = set()
        for config_key in self._config_keys.values():
            configs_with_parent.update(config_key._dependents)
        configs = set(self._config_keys) - configs_with_parent
        self._configs_with_no_parent = configs
        return configs

    def _parse_for_validate_name(self, name: str, props: Mapping[str, str], parsed: dict[str, Any],
                                 configs: Mapping[str, ConfigValue]) -> None:
        """Parse one value and then the values of its dependents.

        :origin: common.config.ConfigDef#parseForValidate(String, Map<String,String>, Map<String,Object>, Map<String,ConfigValue>)
        """  # noqa: E501
        if name not in self._config_keys:
            return
        key = self._config_keys[name]
        config = configs[name]

        value: Any = None
        if key._name in props:
            try:
                value = ConfigDef.parse_type(key._name, props.get(key._name), key._type)
            except ConfigException as e:
                config.add_error_message(str(e))
        elif key._default_value is ConfigDef.NO_DEFAULT_VALUE:
            config.add_error_message(
                f'Missing required configuration "{key._name}" which has no default value.')
        else:
            value = key._default_value

        if key._validator is not None:
            try:
                key._validator.ensure_valid(key._name, value)
            except ConfigException as e:
                config.add_error_message(str(e))
        config.value_to(value)
        parsed[name] = value
        for dependent in key._dependents:
            self._parse_for_validate_name(dependent, props, parsed, configs)

    def _validate_name(self, name: str, parsed: Mapping[str, Any], configs: dict[str, ConfigValue]) -> None:
        """Call the recommender of one setting and then the recommenders of its dependents.

        A dependent of two settings is called twice. It keeps the values recommended by both calls.

        :origin: common.config.ConfigDef#validate(String, Map<String,Object>, Map<String,ConfigValue>)
        """
        if name not in self._config_keys:
            return
        key = self._config_keys[name]
        value = configs[name]
        if key._recommender is not None:
            try:
                recommended_values = key._recommender.valid_values(name, parsed)
                original_recommended_values = value.recommended_values()
                if original_recommended_values:
                    recommended_values = [o for o in recommended_values if o in original_recommended_values]
                value.recommended_values_to(recommended_values)
                value.visible_to(key._recommender.visible(name, parsed))
            except ConfigException as e:
                value.add_error_message(str(e))

        configs[name] = value
        for dependent in key._dependents:
            self._validate_name(dependent, parsed, configs)

    @staticmethod
    def parse_type(name: str, value: Any, type_: ConfigDef.Type) -> Any:
        """Return ``value`` as ``type_``. Parses text. Returns a value of the type, and None, unchanged.

        Raises ConfigException, whose message has ``name``, for an invalid value.

        :origin: common.config.ConfigDef#parseType(String, Object, Type)
        """
        Type = ConfigDef.Type
        try:
            if value is None:
                return None

            trimmed = trim(value) if isinstance(value, str) else None

            match type_:
                case Type.BOOLEAN:
                    if trimmed is not None:
                        if trimmed.lower() == "true":
                            return True
                        if trimmed.lower() == "false":
                            return False
                        raise ConfigException(name, value, "Expected value to be either true or false")
                    if isinstance(value, bool):
                        return value
                    raise ConfigException(name, value, "Expected value to be either true or false")
                case Type.PASSWORD:
                    if isinstance(value, Password):
                        return value
                    if trimmed is not None:
                        return Password(trimmed)
                    raise ConfigException(
                        name, value, f"Expected value to be a string, but it was a {_class_of(value)}")
                case Type.STRING:
                    if trimmed is not None:
                        return trimmed
                    raise ConfigException(
                        name, value, f"Expected value to be a string, but it was a {_class_of(value)}")
                case Type.INT:
                    if _is_integer(value, 32):
                        return value
                    if trimmed is not None:
                        return parse_integer(trimmed, 32)
                    raise ConfigException(
                        name, value,
                        f"Expected value to be a 32-bit integer, but it was a {_class_of(value)}")
                case Type.SHORT:
                    if _is_integer(value, 16):
                        return value
                    if trimmed is not None:
                        return parse_integer(trimmed, 16)
                    raise ConfigException(
                        name, value,
                        f"Expected value to be a 16-bit integer (short), but it was a {_class_of(value)}")
                case Type.LONG:
                    if _is_integer(value, 64):
                        return value
                    if trimmed is not None:
                        return parse_integer(trimmed, 64)
                    raise ConfigException(
                        name, value,
                        f"Expected value to be a 64-bit integer (long), but it was a {_class_of(value)}")
                case Type.DOUBLE:
                    if isinstance(value, (int, float)) and not isinstance(value, bool):
                        return float(value)
                    if trimmed is not None:
                        return parse_double(trimmed)
                    raise ConfigException(
                        name, value, f"Expected value to be a double, but it was a {_class_of(value)}")
                case Type.LIST:
                    if isinstance(value, (list, tuple)):
                        return value
                    if trimmed is not None:
                        return split_at_commas(trimmed) if trimmed else []
                    raise ConfigException(name, value, "Expected a comma separated list.")
                case Type.CLASS:
                    if isinstance(value, type):
                        return value
                    if trimmed is not None:
                        return Utils.load_class(trimmed, object)
                    raise ConfigException(name, value, "Expected a Class instance or class name.")
                case _:
                    raise IllegalStateException("Unknown type.")
        except NumberFormatException as e:
            raise ConfigException(name, value, f"Not a number of type {type_.name}") from e
        except ImportError as e:
            raise ConfigException(name, value, f"Class {value} could not be found.") from e

    @staticmethod
    def convert_to_string(parsed_value: Any, type_: ConfigDef.Type | None) -> str | None:
        """Return text that ``parse_type`` can parse. A password stays hidden.

        :origin: common.config.ConfigDef#convertToString(Object, Type)
        """
        if parsed_value is None:
            return None

        if type_ is ConfigDef.Type.LIST:
            return ",".join(map(java_text, parsed_value))
        if type_ is ConfigDef.Type.CLASS:
            return class_name(parsed_value)
        return java_text(parsed_value)

    @staticmethod
    def convert_to_string_map_with_password_values(configs: Mapping[str, Any]) -> dict[str, str]:
        """Return values as text that can be parsed again, with passwords. Omits values that are None.

        :origin: common.config.ConfigDef#convertToStringMapWithPasswordValues(Map<String,?>)
        """
        result = {}
        for name, value in configs.items():
            if isinstance(value, Password):
                str_value: str | None = value.value()
            elif isinstance(value, (list, tuple)):
                str_value = ConfigDef.convert_to_string(value, ConfigDef.Type.LIST)
            elif isinstance(value, type):
                str_value = ConfigDef.convert_to_string(value, ConfigDef.Type.CLASS)
            else:
                str_value = ConfigDef.convert_to_string(value, None)
            if str_value is not None:
                result[name] = str_value
        return result

    class Type(Enum):
        """The types of values.

        :origin: common.config.ConfigDef.Type
        """

        BOOLEAN = "BOOLEAN"
        STRING = "STRING"
        INT = "INT"
        SHORT = "SHORT"
        LONG = "LONG"
        DOUBLE = "DOUBLE"
        LIST = "LIST"
        CLASS = "CLASS"
        PASSWORD = "PASSWORD"

        def is_sensitive(self) -> bool:
            """Return whether the values are secret.

            :origin: common.config.ConfigDef.Type#isSensitive()
            """
            return self is ConfigDef.Type.PASSWORD

    class Importance(Enum):
        """The importance of a setting. The value is the order.

        :origin: common.config.ConfigDef.Importance
        """

        HIGH = 0
        MEDIUM = 1
        LOW = 2

    class Width(Enum):
        """The display width of a value.

        :origin: common.config.ConfigDef.Width
        """

        NONE = 0
        SHORT = 1
        MEDIUM = 2
        LONG = 3

    class Recommender(ABC):
        """Recommends values, given the values of other settings.

        :origin: common.config.ConfigDef.Recommender
        """

        @abstractmethod
        def valid_values(self, name: str, parsed_config: Mapping[str, Any]) -> list[Any]:
            """Return the recommended values for ``name``.

            :origin: common.config.ConfigDef.Recommender#validValues(String, Map<String,Object>)
            """

        @abstractmethod
        def visible(self, name: str, parsed_config: Mapping[str, Any]) -> bool:
            """Return whether ``name`` is relevant.

            :origin: common.config.ConfigDef.Recommender#visible(String, Map<String,Object>)
            """

    class Validator(ABC):
        """Checks a value. ``str`` returns a description of valid values.

        :origin: common.config.ConfigDef.Validator
        """

        @abstractmethod
        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises ConfigException for an invalid ``value``.

            :origin: common.config.ConfigDef.Validator#ensureValid(String, Object)
            """

    class Range(Validator):
        """Accepts numbers within inclusive bounds.

        :origin: common.config.ConfigDef.Range
        """

        def __init__(self, min_: float | None, max_: float | None) -> None:
            """Callers use ``at_least`` or ``between``.

            :origin: common.config.ConfigDef.Range#Range(Number, Number)
            """
            self._min = min_
            self._max = max_

        @staticmethod
        def at_least(min_: float) -> ConfigDef.Range:
            """Return a validator of numbers from ``min_`` up.

            :origin: common.config.ConfigDef.Range#atLeast(Number)
            """
            return ConfigDef.Range(min_, None)

        @staticmethod
        def between(min_: float, max_: float) -> ConfigDef.Range:
            """Return a validator of numbers from ``min_`` to ``max_``.

            :origin: common.config.ConfigDef.Range#between(Number, Number)
            """
            return ConfigDef.Range(min_, max_)

        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises ConfigException for None or a number outside the range. Compares numbers as doubles.

            :origin: common.config.ConfigDef.Range#ensureValid(String, Object)
            """
            if value is None:
                raise ConfigException(name, None, "Value must be non-null")
            if self._min is not None and float(value) < float(self._min):
                raise ConfigException(name, value, f"Value must be at least {java_text(self._min)}")
            if self._max is not None and float(value) > float(self._max):
                raise ConfigException(name, value, f"Value must be no more than {java_text(self._max)}")

        def __str__(self) -> str:
            """Return the bounds.

            :origin: common.config.ConfigDef.Range#toString()
            """
            if self._min is None and self._max is None:
                return "[...]"
            if self._min is None:
                return f"[...,{java_text(self._max)}]"
            if self._max is None:
                return f"[{java_text(self._min)},...]"
            return f"[{java_text(self._min)},...,{java_text(self._max)}]"

    class ValidList(Validator):
        """Accepts lists whose elements are in a set of strings.

        :origin: common.config.ConfigDef.ValidList
        """

        def __init__(self, valid_strings: Sequence[str]) -> None:
            """Callers use ``in_``.

            :origin: common.config.ConfigDef.ValidList#ValidList(List<String>)
            """
            self._valid_string = ConfigDef.ValidString(valid_strings)

        @staticmethod
        def in_(*valid_strings: str) -> ConfigDef.ValidList:
            """Return a validator of lists with elements of ``valid_strings``.

            :origin: common.config.ConfigDef.ValidList#in(String...)
            """
            return ConfigDef.ValidList(valid_strings)

        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises ConfigException for an element that is not valid.

            :origin: common.config.ConfigDef.ValidList#ensureValid(String, Object)
            """
            for string in value:
                self._valid_string.ensure_valid(name, string)

        def __str__(self) -> str:
            """Return the valid strings.

            :origin: common.config.ConfigDef.ValidList#toString()
            """
            return str(self._valid_string)

    class ValidString(Validator):
        """Accepts one of a set of strings.

        :origin: common.config.ConfigDef.ValidString
        """

        def __init__(self, valid_strings: Sequence[str]) -> None:
            """Callers use ``in_``.

            :origin: common.config.ConfigDef.ValidString#ValidString(List<String>)
            """
            self._valid_strings = valid_strings

        @staticmethod
        def in_(*valid_strings: str) -> ConfigDef.ValidString:
            """Return a validator of ``valid_strings``.

            :origin: common.config.ConfigDef.ValidString#in(String...)
            """
            return ConfigDef.ValidString(valid_strings)

        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises ConfigException for another string or None.

            :origin: common.config.ConfigDef.ValidString#ensureValid(String, Object)
            """
            if value not in self._valid_strings:
                raise ConfigException(
                    name, value, f"String must be one of: {', '.join(map(java_text, self._valid_strings))}")

        def __str__(self) -> str:
            """Return the valid strings.

            :origin: common.config.ConfigDef.ValidString#toString()
            """
            return f"[{', '.join(map(java_text, self._valid_strings))}]"

    class CaseInsensitiveValidString(Validator):
        """Accepts one of a set of strings, ignoring case.

        :origin: common.config.ConfigDef.CaseInsensitiveValidString
        """

        def __init__(self, valid_strings: Sequence[str]) -> None:
            """Callers use ``in_``.

            :origin: common.config.ConfigDef.CaseInsensitiveValidString#CaseInsensitiveValidString(List<String>)
            """  # noqa: E501
            # In Java this is a set, so its order in messages is arbitrary.
            self._valid_strings = dict.fromkeys(s.upper() for s in valid_strings)

        @staticmethod
        def in_(*valid_strings: str) -> ConfigDef.CaseInsensitiveValidString:
            """Return a validator of ``valid_strings``.

            :origin: common.config.ConfigDef.CaseInsensitiveValidString#in(String...)
            """
            return ConfigDef.CaseInsensitiveValidString(valid_strings)

        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises ConfigException for another string or None.

            :origin: common.config.ConfigDef.CaseInsensitiveValidString#ensureValid(String, Object)
            """
            if value is None or value.upper() not in self._valid_strings:
                raise ConfigException(
                    name, value,
                    f"String must be one of (case insensitive): {', '.join(self._valid_strings)}")

        def __str__(self) -> str:
            """Return the valid strings.

            :origin: common.config.ConfigDef.CaseInsensitiveValidString#toString()
            """
            return f"(case insensitive) [{', '.join(self._valid_strings)}]"

    class NonNullValidator(Validator):
        """Accepts anything except None.

        :origin: common.config.ConfigDef.NonNullValidator
        """

        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises ConfigException for None.

            :origin: common.config.ConfigDef.NonNullValidator#ensureValid(String, Object)
            """
            if value is None:
                raise ConfigException(name, "null", "entry must be non null")

        def __str__(self) -> str:
            """Return a description.

            :origin: common.config.ConfigDef.NonNullValidator#toString()
            """
            return "non-null string"

    class LambdaValidator(Validator):
        """A validator that calls a function.

        :origin: common.config.ConfigDef.LambdaValidator
        """

        def __init__(self, ensure_valid: Callable[[str, Any], None],
                     to_string_function: Callable[[], str]) -> None:
            """Callers use ``with_``.

            :origin: common.config.ConfigDef.LambdaValidator#LambdaValidator(BiConsumer<String,Object>, Supplier<String>)
            """  # noqa: E501
            self._ensure_valid = ensure_valid
            self._to_string_function = to_string_function

        @staticmethod
        def with_(ensure_valid: Callable[[str, Any], None],
                  to_string_function: Callable[[], str]) -> ConfigDef.LambdaValidator:
            """Return a validator that calls ``ensure_valid``, and ``to_string`` for its description.

            :origin: common.config.ConfigDef.LambdaValidator#with(BiConsumer<String,Object>, Supplier<String>)
            """
            return ConfigDef.LambdaValidator(ensure_valid, to_string_function)

        def ensure_valid(self, name: str, value: Any) -> None:
            """Call the function, which raises ConfigException.

            :origin: common.config.ConfigDef.LambdaValidator#ensureValid(String, Object)
            """
            self._ensure_valid(name, value)

        def __str__(self) -> str:
            """Return the result of the second function.

            :origin: common.config.ConfigDef.LambdaValidator#toString()
            """
            return self._to_string_function()

    class CompositeValidator(Validator):
        """A validator that calls several validators.

        :origin: common.config.ConfigDef.CompositeValidator
        """

        def __init__(self, validators: Sequence[ConfigDef.Validator]) -> None:
            """Callers use ``of``.

            :origin: common.config.ConfigDef.CompositeValidator#CompositeValidator(List<Validator>)
            """
            self._validators = validators

        @staticmethod
        def of(*validators: ConfigDef.Validator) -> ConfigDef.CompositeValidator:
            """Return a validator that calls ``validators`` in order.

            :origin: common.config.ConfigDef.CompositeValidator#of(Validator...)
            """
            return ConfigDef.CompositeValidator(validators)

        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises the first ConfigException of the validators.

            :origin: common.config.ConfigDef.CompositeValidator#ensureValid(String, Object)
            """
            for validator in self._validators:
                validator.ensure_valid(name, value)

        def __str__(self) -> str:
            """Return the descriptions of the validators.

            :origin: common.config.ConfigDef.CompositeValidator#toString()
            """
            return ", ".join(map(str, self._validators))

    class NonEmptyString(Validator):
        """Accepts None and any non-empty string.

        :origin: common.config.ConfigDef.NonEmptyString
        """

        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises ConfigException for an empty string.

            :origin: common.config.ConfigDef.NonEmptyString#ensureValid(String, Object)
            """
            if value is not None and not value:
                raise ConfigException(name, value, "String must be non-empty")

        def __str__(self) -> str:
            """Return a description.

            :origin: common.config.ConfigDef.NonEmptyString#toString()
            """
            return "non-empty string"

    class NonEmptyStringWithoutControlChars(Validator):
        """Accepts None and any non-empty string without control characters.

        :origin: common.config.ConfigDef.NonEmptyStringWithoutControlChars
        """

        @staticmethod
        def non_empty_string_without_control_chars() -> ConfigDef.NonEmptyStringWithoutControlChars:
            """Return a validator.

            :origin: common.config.ConfigDef.NonEmptyStringWithoutControlChars#nonEmptyStringWithoutControlChars()
            """  # noqa: E501
            return ConfigDef.NonEmptyStringWithoutControlChars()

        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises ConfigException for an empty string or for control characters, with their codes.

            None is valid, because a setting that requires a value has no default.

            :origin: common.config.ConfigDef.NonEmptyStringWithoutControlChars#ensureValid(String, Object)
            """
            if value is None:
                return
            if not value:
                raise ConfigException(name, value, "String may not be empty")

            found_illegal_characters = [
                str(ord(c)) for c in value if ord(c) <= 0x1F or 0x7F <= ord(c) <= 0x9F]
            if found_illegal_characters:
                raise ConfigException(
                    name, value,
                    "String may not contain control sequences but had the following ASCII chars: "
                    + ", ".join(found_illegal_characters))

        def __str__(self) -> str:
            """Return a description.

            :origin: common.config.ConfigDef.NonEmptyStringWithoutControlChars#toString()
            """
            return "non-empty string without ISO control characters"

    class ListSize(Validator):
        """Accepts lists up to a maximum size.

        :origin: common.config.ConfigDef.ListSize
        """

        def __init__(self, max_size: int) -> None:
            """Callers use ``at_most_of_size``.

            :origin: common.config.ConfigDef.ListSize#ListSize(int)
            """
            self._max_size = max_size

        @staticmethod
        def at_most_of_size(max_size: int) -> ConfigDef.ListSize:
            """Return a validator of lists with at most ``max_size`` elements.

            :origin: common.config.ConfigDef.ListSize#atMostOfSize(int)
            """
            return ConfigDef.ListSize(max_size)

        def ensure_valid(self, name: str, value: Any) -> None:
            """Raises ConfigException for a longer list.

            :origin: common.config.ConfigDef.ListSize#ensureValid(String, Object)
            """
            if len(value) > self._max_size:
                raise ConfigException(name, value, f"exceeds maximum list size of [{self._max_size}].")

        def __str__(self) -> str:
            """Return a description.

            :origin: common.config.ConfigDef.ListSize#toString()
            """
            return f"List containing maximum of {self._max_size} elements"

    class ConfigKey:
        """The definition of one setting. Immutable.

        :origin: common.config.ConfigDef.ConfigKey
        """

        __slots__ = ("_name", "_type", "_documentation", "_default_value", "_validator", "_importance",
                     "_group", "_order_in_group", "_width", "_display_name", "_dependents", "_recommender",
                     "_internal_config", "_alternative_string")

        def __init__(self, name: str, type_: ConfigDef.Type, default_value: Any,
                     validator: ConfigDef.Validator | None, importance: ConfigDef.Importance | None,
                     documentation: str | None, group: str | None, order_in_group: int,
                     width: ConfigDef.Width, display_name: str, dependents: Sequence[str],
                     recommender: ConfigDef.Recommender | None, internal_config: bool,
                     alternative_string: str | None = None) -> None:
            """Keep the arguments. Parses and validates the default.

            The documentation shows ``alternative_string`` instead of the default. Raises ConfigException.

            :origin: common.config.ConfigDef.ConfigKey#ConfigKey(String, Type, Object, Validator, Importance, String, String, int, Width, String, List<String>, Recommender, boolean)
            :origin: common.config.ConfigDef.ConfigKey#ConfigKey(String, Type, Object, Validator, Importance, String, String, int, Width, String, List<String>, Recommender, boolean, String)
            """  # noqa: E501
            self._name = name
            self._type = type_
            has_default = default_value is not ConfigDef.NO_DEFAULT_VALUE
            self._default_value: Any = (
                ConfigDef.parse_type(name, default_value, type_) if has_default
                else ConfigDef.NO_DEFAULT_VALUE)
            self._validator = validator
            self._importance = importance
            if validator is not None and has_default:
                validator.ensure_valid(name, self._default_value)
            self._documentation = documentation
            self._dependents = dependents
            self._group = group
            self._order_in_group = order_in_group
            self._width = width
            self._display_name = display_name
            self._recommender = recommender
            self._internal_config = internal_config
            self._alternative_string = alternative_string

        def has_default(self) -> bool:
            """Return whether the setting has a default, which may be None.

            :origin: common.config.ConfigDef.ConfigKey#hasDefault()
            """
            return self._default_value is not ConfigDef.NO_DEFAULT_VALUE

        def type(self) -> ConfigDef.Type:
            """Return the type.

            :origin: common.config.ConfigDef.ConfigKey#type()
            """
            return self._type

    def get_config_value(self, key: ConfigDef.ConfigKey, header_name: str) -> str | None:
        """Return one of the facts of a setting as text: Name, Description, Type, Default, Valid Values or
        Importance.

        A default of bytes or milliseconds is also in larger units. Raises RuntimeError for another name.

        :origin: common.config.ConfigDef#getConfigValue(ConfigKey, String)
        """
        match header_name:
            case "Name":
                return key._name
            case "Description":
                return key._documentation
            case "Type":
                return key._type.name.lower()
            case "Default":
                if not key.has_default():
                    return ""
                if key._default_value is None:
                    return "null"
                default_value_str = ConfigDef.convert_to_string(key._default_value, key._type)
                if not default_value_str:
                    return '""'
                suffix = ""
                if key._name.endswith(".bytes"):
                    suffix = ConfigDef.nice_memory_units(key._default_value)
                elif key._name.endswith(".ms"):
                    suffix = ConfigDef.nice_time_units(key._default_value)
                return default_value_str + suffix
            case "Valid Values":
                return "" if key._validator is None else str(key._validator)
            case "Importance":
                return "" if key._importance is None else key._importance.name.lower()
        raise RuntimeError(f"Can't find value for header '{header_name}' in {key._name}")

    @staticmethod
    def nice_memory_units(bytes_: int) -> str:
        """Return a number of bytes in the largest unit in which it is whole, in parentheses; empty for bytes.

        :origin: common.config.ConfigDef#niceMemoryUnits(long)
        """
        value, unit = bytes_, ""
        for name in ("kibibyte", "mebibyte", "gibibyte", "tebibyte"):
            if value == 0 or value % 1024 != 0:
                break
            value, unit = value // 1024, name
        return f" ({value} {unit}{'' if value == 1 else 's'})" if unit else ""

    @staticmethod
    def nice_time_units(millis: int) -> str:
        """Return milliseconds in the largest unit in which they are whole, in parentheses; empty for
        milliseconds.

        :origin: common.config.ConfigDef#niceTimeUnits(long)
        """
        value, unit = millis, ""
        for divisor, name in ((1000, "second"), (60, "minute"), (60, "hour"), (24, "day")):
            if value == 0 or value % divisor != 0:
                break
            value, unit = value // divisor, name
        return f" ({value} {unit}{'s' if value > 1 else ''})" if unit else ""

    def to_rst(self) -> str:
        """Return the settings in reStructuredText, without the internal ones.

        :origin: common.config.ConfigDef#toRst()
        """
        b: list[str] = []
        for key in self._sorted_configs():
            if key._internal_config:
                continue
            self._get_config_key_rst(key, b)
            b.append("\n")
        return "".join(b)

    def to_enriched_rst(self) -> str:
        """Return the settings in reStructuredText, with their groups and dependents.

        :origin: common.config.ConfigDef#toEnrichedRst()
        """
        b: list[str] = []
        last_key_group_name = ""
        for key in self._sorted_configs():
            if key._internal_config:
                continue
            if key._group is not None:
                if last_key_group_name.lower() != key._group.lower():
                    b += key._group, "\n", "^" * len(key._group), "\n\n"
                last_key_group_name = key._group

            self._get_config_key_rst(key, b)

            if key._dependents:
                b += "  * Dependents: ", ", ".join(f"``{dependent}``" for dependent in key._dependents), "\n"
            b.append("\n")
        return "".join(b)

    def _get_config_key_rst(self, key: ConfigDef.ConfigKey, b: list[str]) -> None:
        """Append one setting to ``b``.

        :origin: common.config.ConfigDef#getConfigKeyRst(ConfigKey, StringBuilder)
        """
        b.append(f"``{key._name}``\n")
        if key._documentation is not None:
            b += (f"  {doc_line}\n\n" for doc_line in key._documentation.split("\n") if doc_line)
        else:
            b.append("\n")
        b.append(f"  * Type: {self.get_config_value(key, 'Type')}\n")
        if key.has_default():
            b.append(f"  * Default: {self.get_config_value(key, 'Default')}\n")
        if key._validator is not None:
            b.append(f"  * Valid Values: {self.get_config_value(key, 'Valid Values')}\n")
        b.append(f"  * Importance: {self.get_config_value(key, 'Importance')}\n")

    def _sorted_configs(self) -> list[ConfigDef.ConfigKey]:
        """Return the settings in display order.

        :origin: common.config.ConfigDef#sortedConfigs()
        """
        group_ord = {group: ord_ for ord_, group in enumerate(self._groups)}

        def compare(k1: ConfigDef.ConfigKey, k2: ConfigDef.ConfigKey) -> int:
            return self._compare(k1, k2, group_ord)

        return sorted(self._config_keys.values(), key=functools.cmp_to_key(compare))

    def _compare(self, k1: ConfigDef.ConfigKey, k2: ConfigDef.ConfigKey, group_ord: dict[str, int]) -> int:
        """Compare by group, order in the group, existence of a default, importance and name, in this order.

        :origin: common.config.ConfigDef#compare(ConfigKey, ConfigKey, Map<String,Integer>)
        """
        def rank(key: ConfigDef.ConfigKey) -> tuple[int, int, bool, int, str]:
            return (-1 if key._group is None else group_ord[key._group], key._order_in_group,
                    key.has_default(), 0 if key._importance is None else key._importance.value, key._name)

        rank1, rank2 = rank(k1), rank(k2)
        return (rank1 > rank2) - (rank1 < rank2)

    def embed(self, key_prefix: str, group_prefix: str, starting_ord: int, child: ConfigDef) -> None:
        """Add the settings of ``child`` with a prefix.

        Its validators and recommenders see names without prefix.

        :origin: common.config.ConfigDef#embed(String, String, int, ConfigDef)
        """
        for order_in_group, key in enumerate(child._sorted_configs(), starting_ord):
            self.define(ConfigDef.ConfigKey(
                key_prefix + key._name,
                key._type,
                key._default_value,
                self._embedded_validator(key_prefix, key._validator),
                key._importance,
                key._documentation,
                group_prefix + ("" if key._group is None else f": {key._group}"),
                order_in_group,
                key._width,
                key._display_name,
                self._embedded_dependents(key_prefix, key._dependents),
                self._embedded_recommender(key_prefix, key._recommender),
                key._internal_config,
                key._alternative_string))

    @staticmethod
    def _embedded_validator(key_prefix: str, base: ConfigDef.Validator | None) -> ConfigDef.Validator | None:
        """Return a validator that removes the prefix and calls ``base``.

        :origin: common.config.ConfigDef#embeddedValidator(String, Validator)
        """
        if base is None:
            return None
        return ConfigDef.LambdaValidator(
            lambda name, value: base.ensure_valid(name[len(key_prefix):], value), lambda: str(base))

    @staticmethod
    def _embedded_dependents(key_prefix: str, dependents: Iterable[str]) -> list[str]:
        """Return the dependents' names with the prefix.

        :origin: common.config.ConfigDef#embeddedDependents(String, List<String>)
        """
        return [key_prefix + dependent for dependent in dependents]

    @staticmethod
    def _embedded_recommender(key_prefix: str,
                              base: ConfigDef.Recommender | None) -> ConfigDef.Recommender | None:
        """Return a recommender that removes the prefix and calls ``base``.

        :origin: common.config.ConfigDef#embeddedRecommender(String, Recommender)
        """
        if base is None:
            return None
        return _EmbeddedRecommender(key_prefix, base)


class _EmbeddedRecommender(ConfigDef.Recommender):
    """Adapts a recommender of names without prefix to names with a prefix."""

    def __init__(self, key_prefix: str, base: ConfigDef.Recommender) -> None:
        self._key_prefix = key_prefix
        self._base = base

    def _unprefixed(self, k: str) -> str:
        return k[len(self._key_prefix):]

    def _unprefixed_config(self, parsed_config: Mapping[str, Any]) -> dict[str, Any]:
        return {self._unprefixed(name): value for name, value in parsed_config.items()
                if name.startswith(self._key_prefix)}

    def valid_values(self, name: str, parsed_config: Mapping[str, Any]) -> list[Any]:
        """Call the base recommender."""
        return self._base.valid_values(self._unprefixed(name), self._unprefixed_config(parsed_config))

    def visible(self, name: str, parsed_config: Mapping[str, Any]) -> bool:
        """Call the base recommender."""
        return self._base.visible(self._unprefixed(name), self._unprefixed_config(parsed_config))
