# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.RequestQuotaTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client over its quota of request time waits, whatever it asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Callable

import pytest

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message import Message
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.uuid import Uuid
from kreactor.metadata.authorizer.standard_authorizer import StandardAuthorizer
from kreactor.network.session import Session
from kreactor.server.authorizer.action import Action
from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.authorizer.authorization_result import AuthorizationResult
from kreactor.testing import Broker, MockTime
from tests.core.server.acl_conversation import describe
from tests.core.server.quota_requests import (
    TOPIC,
    connect,
    fetch,
    metric,
    produce,
    produce_request,
    quotas,
    set_quotas,
    throttle_time,
)

SASL_ACTIONS = {ApiKeys.SASL_HANDSHAKE, ApiKeys.SASL_AUTHENTICATE}
BROKER_APIS = ApiKeys.apis_for_listener(ListenerType.BROKER)
CLUSTER_ACTIONS = {api for api in BROKER_APIS if api.cluster_action}
CLUSTER_ACTIONS_WITH_THROTTLE = {ApiKeys.UPDATE_FEATURES}
CLIENT_ACTIONS = set(BROKER_APIS) - CLUSTER_ACTIONS - SASL_ACTIONS
UNTHROTTLED = "unthrottled-client"
# So little that a request of any length is too much: 0.1 us in 10 s.
TINY = 0.000001


class Authorizer(StandardAuthorizer):
    """Allows everything, or once told so nothing."""

    allows = True

    def authorize(self, request_context: AuthorizableRequestContext,
                  actions: Sequence[Action]) -> list[AuthorizationResult]:
        return [AuthorizationResult.ALLOWED if Authorizer.allows else AuthorizationResult.DENIED
                for _ in actions]


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def broker(time: MockTime) -> Iterator[Broker]:
    Authorizer.allows = True
    with Broker(time=time, topics=[TOPIC], properties={
            "unstable.api.versions.enable": "true",
            "authorizer.class.name": f"{__name__}.Authorizer"}) as broker:
        set_quotas(broker, {"client-id": None}, request_percentage=TINY)
        set_quotas(broker, {"client-id": UNTHROTTLED}, request_percentage=200000.0)
        yield broker


def request(broker: Broker, api: ApiKeys) -> Message:
    """Return a request that the broker answers, if only by an error."""
    if api is ApiKeys.PRODUCE:
        return produce_request(4)
    if api is ApiKeys.FETCH:
        topic = broker.server().storage().topics().topic(TOPIC)
        assert topic is not None
        return FetchRequestData(max_wait_ms=0, min_bytes=0, topics=[FetchRequestData.FetchTopic(
            topic_id=topic.topic_id, partitions=[FetchRequestData.FetchPartition(
                partition=0, current_leader_epoch=15, partition_max_bytes=100)])])
    if api is ApiKeys.METADATA:
        return MetadataRequestData(
            topics=[MetadataRequestData.MetadataRequestTopic(topic_id=Uuid.ZERO_UUID, name=TOPIC)],
            allow_auto_topic_creation=True)
    if api is ApiKeys.LIST_OFFSETS:
        return ListOffsetsRequestData(topics=[ListOffsetsRequestData.ListOffsetsTopic(
            name=TOPIC, partitions=[ListOffsetsRequestData.ListOffsetsPartition(
                timestamp=0, current_leader_epoch=15)])])
    if api is ApiKeys.API_VERSIONS:
        return ApiVersionsRequestData(client_software_name="n", client_software_version="v")
    if api is ApiKeys.DESCRIBE_ACLS:
        return describe()
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", api.name).lower()
    data: Message = getattr(import_module(f"kreactor.common.message.{name}_request_data"),
                            f"{api.name}RequestData")()
    return data


def run_until(broker: Broker, time: MockTime, api: ApiKeys, client_id: str,
              until: Callable[[Any], bool]) -> int:
    """Ask until something is so; return how often it took."""
    with connect(broker) as wire:
        for count in range(1, 5000):
            answer = wire.ask(api, api.latest_version(False), request(broker, api), client_id)
            if until(answer):
                return count
            time.advance(1)
    raise AssertionError(f"{api} for {client_id}: it never was so")


def throttle_time_of(broker: Broker, client_id: str) -> float:
    """Return how long a client last waited for its request time, whether or not it has asked anything."""
    quotas(broker).request.get_or_create_quota_sensors(Session(KafkaPrincipal.ANONYMOUS, None), client_id)
    return throttle_time(broker, quotas(broker).request, client_id)


def assert_throttled(broker: Broker, time: MockTime, api: ApiKeys) -> None:
    run_until(broker, time, api, api.name, lambda answer: answer.throttle_time_ms > 0)
    assert throttle_time(broker, quotas(broker).request, api.name) > 0, api


def test_response_throttle_time(broker: Broker, time: MockTime) -> None:
    for api in CLIENT_ACTIONS | CLUSTER_ACTIONS_WITH_THROTTLE:
        assert_throttled(broker, time, api)


def test_the_next_request_is_not_read_before_the_time_is_over(broker: Broker, time: MockTime) -> None:
    with connect(broker) as wire:
        answer: Any = wire.ask(ApiKeys.METADATA, 9, MetadataRequestData(topics=[]), "c")
        # A window at most.
        assert answer.throttle_time_ms == 1000
        assert throttle_time(broker, quotas(broker).request, "c") == 1000
        correlation_id = wire.send(ApiKeys.METADATA, 9, MetadataRequestData(topics=[]), "c")
        time.advance(999)
        assert len(broker.requests("c")) == 1
        time.advance(1)
        answer = wire.receive(ApiKeys.METADATA, 9, correlation_id)
        assert answer.throttle_time_ms == 1000
        assert len(broker.requests("c")) == 2


def test_response_throttle_time_when_both_produce_and_request_quotas_violated(broker: Broker) -> None:
    set_quotas(broker, {"client-id": "c"}, producer_byte_rate=1.0, request_percentage=TINY)
    with connect(broker) as wire:
        throttle_time_ms = produce(wire, 10, "c")
        assert throttle_time_ms > 1000
        assert throttle_time(broker, quotas(broker).produce, "c") == throttle_time_ms
        request_throttle_time = throttle_time(broker, quotas(broker).request, "c")
        assert request_throttle_time != request_throttle_time, "nan"


def test_response_throttle_time_when_both_fetch_and_request_quotas_violated(broker: Broker) -> None:
    """A fetch over its quota returns no records, and what was recorded for it is taken back."""
    with connect(broker) as wire:
        produce(wire, 1000, UNTHROTTLED)
        set_quotas(broker, {"client-id": "c"}, consumer_byte_rate=50.0, request_percentage=TINY)
        throttle_time_ms, size = fetch(wire, "c")
        # (1100 - 500) / 500 * 10 s, about.
        assert throttle_time_ms > 1000 and size == 0
        assert throttle_time(broker, quotas(broker).fetch, "c") == throttle_time_ms
        request_throttle_time = throttle_time(broker, quotas(broker).request, "c")
        assert request_throttle_time != request_throttle_time, "nan"
        assert metric(broker, "byte-rate", "Fetch", user="", client_id="c") == 0


def test_unthrottled_client(broker: Broker, time: MockTime) -> None:
    for api in CLIENT_ACTIONS:
        assert run_until(broker, time, api, UNTHROTTLED, lambda answer: answer.throttle_time_ms <= 0) == 1
        throttled = throttle_time(broker, quotas(broker).request, UNTHROTTLED)
        assert throttled != throttled, f"{api}: nan, for nothing was recorded"


def test_exempt_request_time(broker: Broker, time: MockTime) -> None:
    actions = CLUSTER_ACTIONS - CLUSTER_ACTIONS_WITH_THROTTLE - {ApiKeys.DESCRIBE_QUORUM}
    assert actions

    def exempt() -> float:
        value = quotas(broker).request.exempt_sensor.metrics()[0].metric_value()
        assert isinstance(value, float)
        return value

    for api in actions:
        target = exempt() + 0.02
        run_until(broker, time, api, api.name, lambda _: exempt() > target)
        throttled = throttle_time_of(broker, api.name)
        assert throttled != throttled, f"{api}: nan, for the client did not wait"


def test_unauthorized_throttle(broker: Broker, time: MockTime) -> None:
    Authorizer.allows = False
    for api in BROKER_APIS:
        client_id = f"unauthorized-{api.name}"
        run_until(broker, time, api, client_id, lambda _: throttle_time_of(broker, client_id) > 0)
