# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterConfigsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to replace all settings of resources."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_configs_response_data import AlterConfigsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.alter_configs_response import AlterConfigsResponse
from kreactor.common.requests.api_error import ApiError
from kreactor.jdk.nio_buffer import ByteBuffer


class AlterConfigsRequest(AbstractRequest):
    """:origin: common.requests.AlterConfigsRequest"""

    __slots__ = ("_data",)

    class Config:
        """The settings of one resource. Immutable.

        :origin: common.requests.AlterConfigsRequest.Config
        """

        __slots__ = ("_entries",)

        def __init__(self, entries: Collection[AlterConfigsRequest.ConfigEntry]) -> None:
            """:origin: common.requests.AlterConfigsRequest.Config#Config(Collection<ConfigEntry>)"""
            self._entries = entries

        def entries(self) -> Collection[AlterConfigsRequest.ConfigEntry]:
            """Return the settings.

            :origin: common.requests.AlterConfigsRequest.Config#entries()
            """
            return self._entries

    class ConfigEntry:
        """A setting. Immutable.

        :origin: common.requests.AlterConfigsRequest.ConfigEntry
        """

        __slots__ = ("_name", "_value")

        def __init__(self, name: str, value: str) -> None:
            """:origin: common.requests.AlterConfigsRequest.ConfigEntry#ConfigEntry(String, String)"""
            if name is None:
                raise TypeError("name")
            if value is None:
                raise TypeError("value")
            self._name = name
            self._value = value

        def name(self) -> str:
            """Return the name.

            :origin: common.requests.AlterConfigsRequest.ConfigEntry#name()
            """
            return self._name

        def value(self) -> str:
            """Return the value.

            :origin: common.requests.AlterConfigsRequest.ConfigEntry#value()
            """
            return self._value

    class Builder(AbstractRequest.Builder["AlterConfigsRequest"]):
        """:origin: common.requests.AlterConfigsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, configs: Mapping[ConfigResource, AlterConfigsRequest.Config],
                     validate_only: bool) -> None:
            """Keep the settings by resource.

            :origin: common.requests.AlterConfigsRequest.Builder#Builder(Map<ConfigResource,Config>, boolean)
            """
            super().__init__(ApiKeys.ALTER_CONFIGS)
            self._data = AlterConfigsRequestData(
                resources=[
                    AlterConfigsRequestData.AlterConfigsResource(
                        resource_name=resource.name(), resource_type=resource.type().id(),
                        configs=[
                            AlterConfigsRequestData.AlterableConfig(name=entry.name(), value=entry.value())
                            for entry in config.entries()])
                    for resource, config in configs.items()],
                validate_only=validate_only)

        def build_version(self, version: int) -> AlterConfigsRequest:
            """:origin: common.requests.AlterConfigsRequest.Builder#build(short)"""
            return AlterConfigsRequest(self._data, version)

    def __init__(self, data: AlterConfigsRequestData, version: int) -> None:
        """:origin: common.requests.AlterConfigsRequest#AlterConfigsRequest(AlterConfigsRequestData, short)"""
        super().__init__(ApiKeys.ALTER_CONFIGS, version)
        self._data = data

    def configs(self) -> dict[ConfigResource, AlterConfigsRequest.Config]:
        """Return the settings by resource. Raises TypeError for a null value.

        :origin: common.requests.AlterConfigsRequest#configs()
        """
        request = AlterConfigsRequest
        return {
            ConfigResource(ConfigResource.Type.for_id(resource.resource_type), resource.resource_name):
            request.Config([request.ConfigEntry(entry.name, entry.value)  # type: ignore[arg-type]  # it looks
                            for entry in resource.configs])
            for resource in self._data.resources}

    def data(self) -> AlterConfigsRequestData:
        """:origin: common.requests.AlterConfigsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> AlterConfigsResponse:
        """:origin: common.requests.AlterConfigsRequest#getErrorResponse(int, Throwable)"""
        error = ApiError.from_throwable(e)
        return AlterConfigsResponse(AlterConfigsResponseData(
            throttle_time_ms=throttle_time_ms,
            responses=[AlterConfigsResponseData.AlterConfigsResourceResponse(
                resource_type=resource.resource_type, resource_name=resource.resource_name,
                error_message=error.message(), error_code=error.error().code)
                for resource in self._data.resources]))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterConfigsRequest:
        """:origin: common.requests.AlterConfigsRequest#parse(ByteBuffer, short)"""
        return AlterConfigsRequest(AlterConfigsRequestData.read(buffer, version), version)
