# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeConfigsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The described settings with the sources of their values."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from typing import TYPE_CHECKING

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.describe_configs_response_data import DescribeConfigsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.common.requests.api_error import ApiError
    from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeConfigsResponse(AbstractResponse):
    """:origin: common.requests.DescribeConfigsResponse"""

    __slots__ = ("_data",)

    class Config:
        """The settings of one resource. Immutable.

        :origin: common.requests.DescribeConfigsResponse.Config
        """

        __slots__ = ("_error", "_entries")

        def __init__(self, error: ApiError,
                     entries: Collection[DescribeConfigsResponse.ConfigEntry]) -> None:
            """:origin: common.requests.DescribeConfigsResponse.Config#Config(ApiError,
                Collection<ConfigEntry>)
            """
            self._error = error
            self._entries = entries

        def error(self) -> ApiError:
            """Return the error.

            :origin: common.requests.DescribeConfigsResponse.Config#error()
            """
            return self._error

        def entries(self) -> Collection[DescribeConfigsResponse.ConfigEntry]:
            """Return the settings.

            :origin: common.requests.DescribeConfigsResponse.Config#entries()
            """
            return self._entries

    class ConfigEntry:
        """A setting: name, value and properties. Immutable.

        :origin: common.requests.DescribeConfigsResponse.ConfigEntry
        """

        __slots__ = ("_name", "_value", "_is_sensitive", "_source", "_read_only", "_synonyms", "_type",
                     "_documentation")

        def __init__(self, name: str, value: str | None, source: DescribeConfigsResponse.ConfigSource,
                     is_sensitive: bool, read_only: bool,
                     synonyms: Collection[DescribeConfigsResponse.ConfigSynonym],
                     type_: DescribeConfigsResponse.ConfigType | None = None,
                     documentation: str | None = None) -> None:
            """:origin: common.requests.DescribeConfigsResponse.ConfigEntry#ConfigEntry(String, String,
                ConfigSource, boolean, boolean, Collection<ConfigSynonym>)
            :origin: common.requests.DescribeConfigsResponse.ConfigEntry#ConfigEntry(String, String,
                ConfigSource, boolean, boolean, Collection<ConfigSynonym>, ConfigType, String)
            """
            self._name = name
            self._value = value
            self._source = source
            self._is_sensitive = is_sensitive
            self._read_only = read_only
            self._synonyms = synonyms
            self._type = DescribeConfigsResponse.ConfigType.UNKNOWN if type_ is None else type_
            self._documentation = documentation

        def name(self) -> str:
            """Return the name.

            :origin: common.requests.DescribeConfigsResponse.ConfigEntry#name()
            """
            return self._name

        def value(self) -> str | None:
            """Return the value, or None for a sensitive one.

            :origin: common.requests.DescribeConfigsResponse.ConfigEntry#value()
            """
            return self._value

        def is_sensitive(self) -> bool:
            """Return whether the value is sensitive.

            :origin: common.requests.DescribeConfigsResponse.ConfigEntry#isSensitive()
            """
            return self._is_sensitive

        def source(self) -> DescribeConfigsResponse.ConfigSource:
            """Return the source of the value.

            :origin: common.requests.DescribeConfigsResponse.ConfigEntry#source()
            """
            return self._source

        def is_read_only(self) -> bool:
            """Return whether a change of the setting needs a restart.

            :origin: common.requests.DescribeConfigsResponse.ConfigEntry#isReadOnly()
            """
            return self._read_only

        def synonyms(self) -> Collection[DescribeConfigsResponse.ConfigSynonym]:
            """Return the other sources of the value in order of precedence.

            :origin: common.requests.DescribeConfigsResponse.ConfigEntry#synonyms()
            """
            return self._synonyms

        def type(self) -> DescribeConfigsResponse.ConfigType:
            """Return the type.

            :origin: common.requests.DescribeConfigsResponse.ConfigEntry#type()
            """
            return self._type

        def documentation(self) -> str | None:
            """Return the documentation of the setting.

            :origin: common.requests.DescribeConfigsResponse.ConfigEntry#documentation()
            """
            return self._documentation

    class ConfigSource(Enum):
        """The source of a value. The member's value is the id on the wire.

        :origin: common.requests.DescribeConfigsResponse.ConfigSource
        """

        UNKNOWN = 0
        TOPIC_CONFIG = 1
        DYNAMIC_BROKER_CONFIG = 2
        DYNAMIC_DEFAULT_BROKER_CONFIG = 3
        STATIC_BROKER_CONFIG = 4
        DEFAULT_CONFIG = 5
        DYNAMIC_BROKER_LOGGER_CONFIG = 6
        CLIENT_METRICS_CONFIG = 7

        def id(self) -> int:
            """Return the id.

            :origin: common.requests.DescribeConfigsResponse.ConfigSource#id()
            """
            return int(self.value)

        @staticmethod
        def for_id(id_: int) -> DescribeConfigsResponse.ConfigSource:
            """Return the source with this id, UNKNOWN for a too high one.

            Raises IllegalArgumentException for a negative id.

            :origin: common.requests.DescribeConfigsResponse.ConfigSource#forId(byte)
            """
            if id_ < 0:
                raise IllegalArgumentException(f"id should be positive, id: {id_}")
            if id_ >= len(DescribeConfigsResponse.ConfigSource):
                return DescribeConfigsResponse.ConfigSource.UNKNOWN
            return DescribeConfigsResponse.ConfigSource(id_)

    class ConfigType(Enum):
        """The type of a setting. The member's value is the id on the wire.

        :origin: common.requests.DescribeConfigsResponse.ConfigType
        """

        UNKNOWN = 0
        BOOLEAN = 1
        STRING = 2
        INT = 3
        SHORT = 4
        LONG = 5
        DOUBLE = 6
        LIST = 7
        CLASS = 8
        PASSWORD = 9

        def id(self) -> int:
            """Return the id.

            :origin: common.requests.DescribeConfigsResponse.ConfigType#id()
            """
            return int(self.value)

        @staticmethod
        def for_id(id_: int) -> DescribeConfigsResponse.ConfigType:
            """Return the type with this id, UNKNOWN for a too high one.

            Raises IllegalArgumentException for a negative id.

            :origin: common.requests.DescribeConfigsResponse.ConfigType#forId(byte)
            """
            if id_ < 0:
                raise IllegalArgumentException(f"id should be positive, id: {id_}")
            if id_ >= len(DescribeConfigsResponse.ConfigType):
                return DescribeConfigsResponse.ConfigType.UNKNOWN
            return DescribeConfigsResponse.ConfigType(id_)

    class ConfigSynonym:
        """Another name or source of a value. Immutable.

        :origin: common.requests.DescribeConfigsResponse.ConfigSynonym
        """

        __slots__ = ("_name", "_value", "_source")

        def __init__(self, name: str, value: str | None,
                     source: DescribeConfigsResponse.ConfigSource) -> None:
            """:origin: common.requests.DescribeConfigsResponse.ConfigSynonym#ConfigSynonym(String, String,
                ConfigSource)
            """
            self._name = name
            self._value = value
            self._source = source

        def name(self) -> str:
            """Return the name.

            :origin: common.requests.DescribeConfigsResponse.ConfigSynonym#name()
            """
            return self._name

        def value(self) -> str | None:
            """Return the value.

            :origin: common.requests.DescribeConfigsResponse.ConfigSynonym#value()
            """
            return self._value

        def source(self) -> DescribeConfigsResponse.ConfigSource:
            """Return the source of the value.

            :origin: common.requests.DescribeConfigsResponse.ConfigSynonym#source()
            """
            return self._source

    def result_map(self) -> dict[ConfigResource, DescribeConfigsResponseData.DescribeConfigsResult]:
        """Return the results by resource.

        :origin: common.requests.DescribeConfigsResponse#resultMap()
        """
        return {ConfigResource(ConfigResource.Type.for_id(result.resource_type), result.resource_name): result
                for result in self._data.results}

    def __init__(self, data: DescribeConfigsResponseData) -> None:
        """:origin: common.requests.DescribeConfigsResponse#DescribeConfigsResponse(
            DescribeConfigsResponseData)
        """
        super().__init__(ApiKeys.DESCRIBE_CONFIGS)
        self._data = data

    @staticmethod
    def _read_in(data: DescribeConfigsResponseData, version: int) -> DescribeConfigsResponse:
        """Return the parsed data. Version 0 only distinguishes defaults, so the other sources are inferred.

        :origin: common.requests.DescribeConfigsResponse#DescribeConfigsResponse(DescribeConfigsResponseData,
            short)
        """
        if version == 0:
            source = DescribeConfigsResponse.ConfigSource
            by_resource = {ConfigResource.Type.BROKER.id(): source.STATIC_BROKER_CONFIG,
                           ConfigResource.Type.TOPIC.id(): source.TOPIC_CONFIG}
            for result in data.results:
                for config in result.configs:
                    if config.is_default:
                        config.config_source = source.DEFAULT_CONFIG.id()
                    else:
                        config.config_source = by_resource.get(result.resource_type, source.UNKNOWN).id()
        return DescribeConfigsResponse(data)

    def data(self) -> DescribeConfigsResponseData:
        """:origin: common.requests.DescribeConfigsResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.DescribeConfigsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.DescribeConfigsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.DescribeConfigsResponse#errorCounts()"""
        return self._error_counts_errors(Errors.for_code(result.error_code) for result in self._data.results)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeConfigsResponse:
        """:origin: common.requests.DescribeConfigsResponse#parse(ByteBuffer, short)"""
        return DescribeConfigsResponse._read_in(DescribeConfigsResponseData.read(buffer, version), version)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.DescribeConfigsResponse#shouldClientThrottle(short)"""
        return version >= 2
