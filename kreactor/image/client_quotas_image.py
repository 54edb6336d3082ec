# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.image.ClientQuotasImage of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The quotas that match a client's filter."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kreactor.common.errors import InvalidRequestException, UnsupportedVersionException
from kreactor.common.message.describe_client_quotas_request_data import DescribeClientQuotasRequestData
from kreactor.common.message.describe_client_quotas_response_data import DescribeClientQuotasResponseData
from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
from kreactor.common.requests.describe_client_quotas_request import DescribeClientQuotasRequest

EntryData = DescribeClientQuotasResponseData.EntryData


class ClientQuotasImage:
    """All quotas at one moment. Immutable.

    :origin: image.ClientQuotasImage
    """

    __slots__ = ("_entities",)

    def __init__(self, entities: Mapping[ClientQuotaEntity, Mapping[str, float]]) -> None:
        """:origin: image.ClientQuotasImage#ClientQuotasImage(Map<ClientQuotaEntity,ClientQuotaImage>)"""
        self._entities = entities

    def describe(self, request: DescribeClientQuotasRequestData) -> DescribeClientQuotasResponseData:
        """Return the matching quotas. Raises InvalidRequestException or UnsupportedVersionException for an
        unsupported filter.

        :origin: image.ClientQuotasImage#describe(DescribeClientQuotasRequestData)
        """
        response = DescribeClientQuotasResponseData()
        exact_match: dict[str, str | None] = {}
        type_match: set[str] = set()
        for component in request.components:
            entity_type = component.entity_type
            if not entity_type:
                raise InvalidRequestException("Invalid empty entity type.")
            elif entity_type in exact_match or entity_type in type_match:
                raise InvalidRequestException(
                    f"Entity type {entity_type} cannot appear more than once in the filter.")
            if not ClientQuotaEntity.is_valid_entity_type(entity_type):
                raise UnsupportedVersionException(f"Unsupported entity type {entity_type}")
            if component.match_type == DescribeClientQuotasRequest.MATCH_TYPE_EXACT:
                if component.match is None:
                    raise InvalidRequestException(
                        "Request specified MATCH_TYPE_EXACT, but set match string to null.")
                exact_match[entity_type] = component.match
            elif component.match_type == DescribeClientQuotasRequest.MATCH_TYPE_DEFAULT:
                if component.match is not None:
                    raise InvalidRequestException(
                        "Request specified MATCH_TYPE_DEFAULT, but also specified a match string.")
                exact_match[entity_type] = None
            elif component.match_type == DescribeClientQuotasRequest.MATCH_TYPE_SPECIFIED:
                if component.match is not None:
                    raise InvalidRequestException(
                        "Request specified MATCH_TYPE_SPECIFIED, but also specified a match string.")
                type_match.add(entity_type)
            else:
                raise InvalidRequestException(f"Unknown match type {component.match_type}")
        asked = exact_match.keys() | type_match
        if ClientQuotaEntity.IP in asked and len(asked) > 1:
            raise InvalidRequestException(
                "Invalid entity filter component combination. IP filter component should not be used with "
                "user or clientId filter component.")
        response.entries = [
            self._to_describe_entry(entity, quota_image) for entity, quota_image in self._entities.items()
            if self._matches(entity, exact_match, type_match, request.strict)]
        return response

    @staticmethod
    def _matches(entity: ClientQuotaEntity, exact_match: Mapping[str, str | None],
                 type_match: Collection[str], strict: bool) -> bool:
        """:origin: image.ClientQuotasImage#matches(
            ClientQuotaEntity, Map<String,String>, Set<String>, boolean)
        """
        entries = entity.entries()
        if strict and len(entries) != len(exact_match) + len(type_match):
            return False
        return (all(type_ in entries and entries[type_] == name for type_, name in exact_match.items())
                and all(type_ in entries for type_ in type_match))

    @staticmethod
    def _to_describe_entry(entity: ClientQuotaEntity, quota_image: Mapping[str, float]) -> EntryData:
        """:origin: image.ClientQuotasImage#toDescribeEntry(ClientQuotaEntity, ClientQuotaImage)"""
        return EntryData(
            entity=[DescribeClientQuotasResponseData.EntityData(entity_type=type_, entity_name=name)
                    for type_, name in entity.entries().items()],
            values=[DescribeClientQuotasResponseData.ValueData(key=key, value=value)
                    for key, value in quota_image.items()])
