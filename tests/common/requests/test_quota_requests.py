# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's RequestResponseTest, for the APIs of quotas."""

from __future__ import annotations

import pytest

from kreactor.common.errors import ClusterAuthorizationException, InvalidRequestException
from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.describe_client_quotas_request_data import DescribeClientQuotasRequestData
from kreactor.common.message.describe_client_quotas_response_data import DescribeClientQuotasResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.quota.client_quota_alteration import ClientQuotaAlteration
from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.alter_client_quotas_request import AlterClientQuotasRequest
from kreactor.common.requests.alter_client_quotas_response import AlterClientQuotasResponse
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.describe_client_quotas_request import DescribeClientQuotasRequest
from kreactor.common.requests.describe_client_quotas_response import DescribeClientQuotasResponse

PAIR = ClientQuotaEntity({ClientQuotaEntity.USER: "user", ClientQuotaEntity.CLIENT_ID: None})
ALTERATION = ClientQuotaAlteration(PAIR, [
    ClientQuotaAlteration.Op("consumer_byte_rate", 500.0),
    ClientQuotaAlteration.Op("producer_byte_rate", None)])
VERSIONS = ApiKeys.ALTER_CLIENT_QUOTAS.all_versions()


@pytest.mark.parametrize("version", VERSIONS)
def test_to_alter_quotas(version: int) -> None:
    request = AlterClientQuotasRequest.Builder([ALTERATION], True).build_version(version)
    parsed = AbstractRequest.parse_request(
        ApiKeys.ALTER_CLIENT_QUOTAS, version, request.serialize()).request
    assert isinstance(parsed, AlterClientQuotasRequest)
    assert parsed.data() == request.data() and parsed.validate_only()
    alteration, = parsed.entries()
    assert (alteration.entity(), list(alteration.ops())) == (PAIR, list(ALTERATION.ops()))

    refused = parsed.get_error_response_throttle(3, ClusterAuthorizationException("no"))
    assert refused.error_counts() == {Errors.CLUSTER_AUTHORIZATION_FAILED: 1}
    assert refused.throttle_time_ms() == 3

    response = AlterClientQuotasResponse.from_quota_entities({
        PAIR: ApiError.NONE, ClientQuotaEntity({"ip": None}): ApiError.of(Errors.INVALID_REQUEST)}, 5)
    again = AlterClientQuotasResponse.parse(MessageUtil.to_byte_buffer(response.data(), version), version)
    assert again.data() == response.data()
    assert again.error_counts() == {Errors.NONE: 1, Errors.INVALID_REQUEST: 1}
    again.maybe_set_throttle_time_ms(7)
    assert again.throttle_time_ms() == 7


@pytest.mark.parametrize("version", VERSIONS)
def test_to_describe_quotas(version: int) -> None:
    request = DescribeClientQuotasRequest(DescribeClientQuotasRequestData(strict=True, components=[
        DescribeClientQuotasRequestData.ComponentData(
            entity_type="user", match_type=DescribeClientQuotasRequest.MATCH_TYPE_DEFAULT,
            match=None)]), version)
    parsed = AbstractRequest.parse_request(
        ApiKeys.DESCRIBE_CLIENT_QUOTAS, version, request.serialize()).request
    assert parsed.data() == request.data()

    refused = request.get_error_response_throttle(3, InvalidRequestException("what?"))
    assert refused.error_counts() == {Errors.INVALID_REQUEST: 1}
    data = DescribeClientQuotasResponse.parse(
        MessageUtil.to_byte_buffer(refused.data(), version), version).data()
    assert (data.error_message, data.entries, data.throttle_time_ms) == ("what?", None, 3)

    response = DescribeClientQuotasResponse(DescribeClientQuotasResponseData(entries=[
        DescribeClientQuotasResponseData.EntryData(
            entity=[DescribeClientQuotasResponseData.EntityData(entity_type="user", entity_name=None)],
            values=[DescribeClientQuotasResponseData.ValueData(key="request_percentage", value=1.5)])]))
    again = DescribeClientQuotasResponse.parse(
        MessageUtil.to_byte_buffer(response.data(), version), version)
    assert again.data() == response.data() and again.error_counts() == {Errors.NONE: 1}
    again.maybe_set_throttle_time_ms(7)
    assert again.throttle_time_ms() == 7


def test_of_a_kind_that_is_there_twice_the_last_counts() -> None:
    request = AlterClientQuotasRequest(AlterClientQuotasRequestData(entries=[
        AlterClientQuotasRequestData.EntryData(entity=[
            AlterClientQuotasRequestData.EntityData(entity_type="user", entity_name=name)
            for name in ("a", "b")])]), 1)
    assert [alteration.entity() for alteration in request.entries()] == [ClientQuotaEntity({"user": "b"})]


def test_texts() -> None:
    """The order is that of Java's HashMap."""
    assert str(PAIR) == "ClientQuotaEntity(entries={client-id=null, user=user})"
    assert str(ALTERATION) == (
        "ClientQuotaAlteration(entity=ClientQuotaEntity(entries={client-id=null, user=user}), "
        "ops=[ClientQuotaAlteration.Op(key=consumer_byte_rate, value=500.0), "
        "ClientQuotaAlteration.Op(key=producer_byte_rate, value=null)])")
    same = ClientQuotaEntity({"client-id": None, "user": "user"})
    assert PAIR == same != ClientQuotaEntity({"user": "user"})
    assert len({PAIR, same}) == 1
    assert PAIR != "a pair" and ClientQuotaEntity.is_valid_entity_type("ip")
    assert str(AlterClientQuotasRequest.Builder([ALTERATION], False)).startswith(
        "AlterClientQuotasRequestData(")
