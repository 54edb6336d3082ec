# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.AbstractConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A configuration: the user's original settings, and the parsed values.

Read by any thread. ``_used`` has the names of the settings that were read, so that unused ones, such as
misspelt ones, can be logged. It is a dict used as a set; threads only add to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.types.password import Password
from kreactor.common.configurable import Configurable
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.text import class_name, java_text, trim

T = TypeVar("T")


class AbstractConfig:
    """Values by name, with the types of a ConfigDef.

    :origin: common.config.AbstractConfig
    """

    CONFIG_PROVIDERS_CONFIG = "config.providers"

    def __init__(self, definition: ConfigDef, originals: Mapping[Any, Any], do_log: bool = True) -> None:
        """Parse ``originals``, the user's settings. With ``do_log``, log all values.

        Raises ConfigException for a missing or invalid value.

        :origin: common.config.AbstractConfig#AbstractConfig(ConfigDef, Map<?,?>)
        :origin: common.config.AbstractConfig#AbstractConfig(ConfigDef, Map<?,?>, boolean)
        """
        self._log = LogContext().logger(type(self))
        self._used: dict[str, None] = {}
        original_map: dict[str, Any] = Utils.cast_to_string_object_map(originals)

        self._originals = self._resolve_config_variables(original_map)
        self._values = definition.parse(self._originals)
        config_updates = self._post_process_parsed_config(self._values)
        self._values.update(config_updates)
        definition.parse(self._values)
        self._definition = definition
        if do_log:
            self._log_all()

    def _post_process_parsed_config(self, parsed_values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return values that replace parsed ones.

        Subclasses override this if a default depends on other values.

        :origin: common.config.AbstractConfig#postProcessParsedConfig(Map<String,Object>)
        """
        return {}

    # The ConfigDef determines the type, as for the casts of the methods below.
    def get(self, key: str) -> Any:
        """Return the value of ``key`` and mark it as used. Raises ConfigException for an undefined key.

        :origin: common.config.AbstractConfig#get(String)
        """
        if key not in self._values:
            raise ConfigException(f"Unknown configuration '{key}'")
        self._used[key] = None
        return self._values[key]

    def ignore(self, key: str) -> None:
        """Mark ``key`` as used.

        :origin: common.config.AbstractConfig#ignore(String)
        """
        self._used[key] = None

    def get_short(self, key: str) -> int:
        """Return a number of 16 bits.

        :origin: common.config.AbstractConfig#getShort(String)
        """
        value: int = self.get(key)
        return value

    def get_int(self, key: str) -> int:
        """Return a number of 32 bits.

        :origin: common.config.AbstractConfig#getInt(String)
        """
        value: int = self.get(key)
        return value

    def get_long(self, key: str) -> int:
        """Return a number of 64 bits.

        :origin: common.config.AbstractConfig#getLong(String)
        """
        value: int = self.get(key)
        return value

    def get_double(self, key: str) -> float:
        """Return a float.

        :origin: common.config.AbstractConfig#getDouble(String)
        """
        value: float = self.get(key)
        return value

    def get_list(self, key: str) -> list[str]:
        """Return a list.

        :origin: common.config.AbstractConfig#getList(String)
        """
        value: list[str] = self.get(key)
        return value

    def get_boolean(self, key: str) -> bool:
        """Return a bool.

        :origin: common.config.AbstractConfig#getBoolean(String)
        """
        value: bool = self.get(key)
        return value

    def get_string(self, key: str) -> str | None:
        """Return a str or None.

        :origin: common.config.AbstractConfig#getString(String)
        """
        res: str | None = self.get(key)
        return res if res is None else trim(res)

    def type_of(self, key: str) -> ConfigDef.Type | None:
        """Return the type of ``key``, or None for an undefined key.

        :origin: common.config.AbstractConfig#typeOf(String)
        """
        config_key = self._definition.config_keys().get(key)
        if config_key is None:
            return None
        return config_key._type

    def documentation_of(self, key: str) -> str | None:
        """Return the documentation of ``key``, or None.

        :origin: common.config.AbstractConfig#documentationOf(String)
        """
        config_key = self._definition.config_keys().get(key)
        if config_key is None:
            return None
        return config_key._documentation

    def get_password(self, key: str) -> Password | None:
        """Return a Password or None.

        :origin: common.config.AbstractConfig#getPassword(String)
        """
        value: Password | None = self.get(key)
        return value

    def get_class(self, key: str) -> type | None:
        """Return a class or None.

        :origin: common.config.AbstractConfig#getClass(String)
        """
        value: type | None = self.get(key)
        return value

    def unused(self) -> set[str]:
        """Return the names of the user's settings that were not read yet.

        :origin: common.config.AbstractConfig#unused()
        """
        return {key for key in self._originals if key not in self._used}

    def originals(self, config_overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return a copy of the user's settings, updated with ``config_overrides``.

        A look-up marks a key as used.

        :origin: common.config.AbstractConfig#originals()
        :origin: common.config.AbstractConfig#originals(Map<String,Object>)
        """
        copy = AbstractConfig.RecordingMap(self)
        copy.update(self._originals)
        if config_overrides is not None:
            copy.update(config_overrides)
        return copy

    def originals_strings(self) -> dict[str, str]:
        """Return a copy of the user's settings. Raises TypeError for a value that is not a str.

        :origin: common.config.AbstractConfig#originalsStrings()
        """
        copy = AbstractConfig.RecordingMap(self)
        for key, value in self._originals.items():
            if not isinstance(value, str):
                raise TypeError(f"Non-string value found in original settings for key {key}: "
                                f"{'null' if value is None else class_name(type(value))}")
            copy[key] = value
        return copy

    def originals_with_prefix(self, prefix: str, strip: bool = True) -> dict[str, Any]:
        """Return the user's settings with ``prefix``. ``strip`` removes the prefix from the names.

        :origin: common.config.AbstractConfig#originalsWithPrefix(String)
        :origin: common.config.AbstractConfig#originalsWithPrefix(String, boolean)
        """
        result = AbstractConfig.RecordingMap(self, prefix, False)
        result.update(Utils.entries_with_prefix(self._originals, prefix, strip))
        return result

    def values_with_prefix_override(self, prefix: str) -> dict[str, Any]:
        """Return all values by name. A value with ``prefix`` replaces the value without.

        So a listener gets its own values. One more part, a SASL mechanism, may precede the name after the
        prefix. The value is then returned under the name with that part.

        :origin: common.config.AbstractConfig#valuesWithPrefixOverride(String)
        """
        result = AbstractConfig.RecordingMap(self, prefix, True, self._values)
        for key, value in self._originals.items():
            if key.startswith(prefix) and len(key) > len(prefix):
                key_with_no_prefix = key[len(prefix):]
                config_key = self._definition.config_keys().get(key_with_no_prefix)
                if config_key is not None:
                    result[key_with_no_prefix] = self._definition.parse_value(config_key, value, True)
                else:
                    key_with_no_secondary_prefix = key_with_no_prefix[key_with_no_prefix.find(".") + 1:]
                    config_key = self._definition.config_keys().get(key_with_no_secondary_prefix)
                    if config_key is not None:
                        result[key_with_no_prefix] = self._definition.parse_value(config_key, value, True)
        return result

    def values_with_prefix_all_or_nothing(self, prefix: str) -> dict[str, Any]:
        """Return the values with ``prefix``, under names without it. Without such values, return all values.

        :origin: common.config.AbstractConfig#valuesWithPrefixAllOrNothing(String)
        """
        with_prefix = self.originals_with_prefix(prefix, True)

        if not with_prefix:
            return AbstractConfig.RecordingMap(self, "", True, self._values)
        result = AbstractConfig.RecordingMap(self, prefix, True)

        for key, value in with_prefix.items():
            config_key = self._definition.config_keys().get(key)
            if config_key is not None:
                result[key] = self._definition.parse_value(config_key, value, True)

        return result

    def values(self) -> dict[str, Any]:
        """Return a copy of all values. A look-up marks a key as used.

        :origin: common.config.AbstractConfig#values()
        """
        return AbstractConfig.RecordingMap(self, "", False, self._values)

    def non_internal_values(self) -> dict[str, Any]:
        """Return a copy of the values without internal settings.

        :origin: common.config.AbstractConfig#nonInternalValues()
        """
        non_internal_configs = AbstractConfig.RecordingMap(self)
        for key, value in self._values.items():
            config_key = self._definition.config_keys().get(key)
            if config_key is None or not config_key._internal_config:
                non_internal_configs[key] = value
        return non_internal_configs

    def _log_all(self) -> None:
        """Log all values, one per line.

        :origin: common.config.AbstractConfig#logAll()
        """
        if self._log.is_info_enabled():
            lines = [f"\t{key} = {java_text(value)}" for key, value in sorted(self._values.items())]
            self._log.info("\n".join([f"{type(self).__name__} values:", *lines]))

    def log_unused(self) -> None:
        """Log the user's settings that were not read.

        :origin: common.config.AbstractConfig#logUnused()
        """
        unused_keys = self.unused()
        if unused_keys:
            self._log.info("these settings are not used so far: %s", ", ".join(sorted(unused_keys)))

    def _get_configured_instance(self, klass: object, t: type[T],
                                 config_pairs: Mapping[str, Any]) -> T | None:
        """Return an instance of ``klass``, a class or its name. Configures it if it is Configurable.

        Raises KafkaException for a missing class or for an instance of another type than ``t``, which is
        closed.

        :origin: common.config.AbstractConfig#getConfiguredInstance(Object, Class<T>, Map<String,Object>)
        """
        if klass is None:
            return None

        o: object
        if isinstance(klass, str):
            try:
                o = Utils.new_instance_klass(klass, t)
            except ImportError as e:
                raise KafkaException(f"Class {klass} cannot be found", e) from e
        elif isinstance(klass, type):
            o = Utils.new_instance(klass)
        else:
            raise KafkaException(
                f"Unexpected element of type {class_name(type(klass))}, expected String or Class")
        try:
            if not isinstance(o, t):
                raise KafkaException(f"{java_text(klass)} is not an instance of {class_name(t)}")
            if isinstance(o, Configurable):
                o.configure(config_pairs)
        except Exception:
            self._maybe_close(o, "what a failed call to get_configured_instance made")
            raise
        return o

    def get_configured_instance(self, key: str, t: type[T],
                                config_overrides: Mapping[str, Any] | None = None) -> T | None:
        """Return an instance of the class in the setting ``key``, or None if the setting is None.

        A Configurable instance gets the user's settings, updated with ``config_overrides``. Raises
        KafkaException for an instance of another type than ``t``.

        :origin: common.config.AbstractConfig#getConfiguredInstance(String, Class<T>)
        :origin: common.config.AbstractConfig#getConfiguredInstance(String, Class<T>, Map<String,Object>)
        """
        c = self.get_class(key)

        return self._get_configured_instance(c, t, self.originals(config_overrides))

    def get_configured_instances(self, key: str, t: type[T],
                                 config_overrides: Mapping[str, Any] | None = None) -> list[T]:
        """Return instances of the classes in the list setting ``key``; an empty list without classes.

        :origin: common.config.AbstractConfig#getConfiguredInstances(String, Class<T>)
        :origin: common.config.AbstractConfig#getConfiguredInstances(String, Class<T>, Map<String,Object>)
        """
        return self.get_configured_instances_class_names(self.get_list(key), t, config_overrides or {})

    def get_configured_instances_class_names(self, class_names: Iterable[object] | None, t: type[T],
                                             config_overrides: Mapping[str, Any]) -> list[T]:
        """Return instances of classes, given as classes or names. Configures Configurable ones.

        If one fails, the earlier instances are closed.

        :origin: common.config.AbstractConfig#getConfiguredInstances(List<String>, Class<T>, Map<String,Object>)
        """  # noqa: E501
        objects: list[T] = []
        if class_names is None:
            return objects
        config_pairs = self.originals()
        config_pairs.update(config_overrides)

        try:
            for klass in class_names:
                o = self._get_configured_instance(klass, t, config_pairs)
                if o is not None:
                    objects.append(o)
        except Exception:
            for object_ in objects:
                self._maybe_close(object_, "what a failed call to get_configured_instances made")
            raise
        return objects

    @staticmethod
    def _maybe_close(object_: object, name: str) -> None:
        """Close ``obj`` if it has a ``close``. Log its exception.

        :origin: common.config.AbstractConfig#maybeClose(Object, String)
        """
        Utils.maybe_close_quietly(object_, name)

    # DEVIATION D27: config providers are not ported. Configuring one is an error, because its placeholders
    # would otherwise be used as values.
    @staticmethod
    def _resolve_config_variables(originals: dict[str, Any]) -> dict[str, Any]:
        """Return ``originals``. Raises ConfigException if they configure a config provider.

        :origin: common.config.AbstractConfig#resolveConfigVariables(Map<String,?>, Map<String,Object>)
        """
        config_providers = originals.get(AbstractConfig.CONFIG_PROVIDERS_CONFIG)
        if isinstance(config_providers, str):
            for provider in config_providers.split(","):
                provider_class = AbstractConfig._provider_class_property(provider)
                if provider_class in originals:
                    raise ConfigException(
                        provider_class, originals[provider_class], "Config providers are not supported")
        return originals

    @staticmethod
    def _provider_class_property(provider_name: str) -> str:
        """Return the name of the setting with the class of a provider.

        :origin: common.config.AbstractConfig#providerClassProperty(String)
        """
        return f"{AbstractConfig.CONFIG_PROVIDERS_CONFIG}.{provider_name}.class"

    def __eq__(self, other: object) -> bool:
        """Compare the users' settings.

        :origin: common.config.AbstractConfig#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, AbstractConfig) or type(self) is not type(other):
            return False
        return self._originals == other._originals

    def __hash__(self) -> int:
        """Hash the names of the user's settings, because values may not be hashable.

        :origin: common.config.AbstractConfig#hashCode()
        """
        return hash(frozenset(self._originals))

    class RecordingMap(dict[str, Any]):
        """A dict that marks a setting as used on a look-up, but not on an iteration.

        Plug-ins get their configuration as this mapping, so their look-ups count.

        :origin: common.config.AbstractConfig.RecordingMap
        """

        __slots__ = ("_ignore", "_prefix", "_with_ignore_fallback")

        def __init__(self, config: AbstractConfig, prefix: str = "", with_ignore_fallback: bool = False,
                     m: Mapping[str, Any] | None = None) -> None:
            """Start with a copy of ``m``.

            A look-up marks ``prefix`` and its key as used, with ``with_ignore_fallback`` also the key alone.

            :origin: common.config.AbstractConfig.RecordingMap#RecordingMap()
            :origin: common.config.AbstractConfig.RecordingMap#RecordingMap(String, boolean)
            :origin: common.config.AbstractConfig.RecordingMap#RecordingMap(Map<String,?extendsV>)
            :origin: common.config.AbstractConfig.RecordingMap#RecordingMap(Map<String,?extendsV>, String, boolean)
            """  # noqa: E501
            super().__init__(m or {})
            self._ignore: Callable[[str], None] = config.ignore
            self._prefix = prefix
            self._with_ignore_fallback = with_ignore_fallback

        def get(self, key: str, default: Any = None) -> Any:
            """Return the value of ``key``, or ``default``. Marks the key as used in both cases.

            :origin: common.config.AbstractConfig.RecordingMap#get(Object)
            """
            self._record(key)
            return super().get(key, default)

        def __getitem__(self, key: str) -> Any:
            """Return the value of ``key``. Raises KeyError. Marks the key as used in both cases."""
            self._record(key)
            return super().__getitem__(key)

        def _record(self, key: str) -> None:
            self._ignore(self._prefix + key)
            if self._with_ignore_fallback:
                self._ignore(key)
