# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Responses to allowed and denied requests, as those of Kafka 3.8.0; known differences stand below.

The requests are those of kafka.api.AuthorizerIntegrationTest and more, each with its permissions and without,
over real sockets. The live broker is to be started with ``acl_conversation.BROKER_PROPS``.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

import pytest

from kreactor.common.message.create_acls_request_data import CreateAclsRequestData
from kreactor.common.message.create_acls_response_data import CreateAclsResponseData
from kreactor.common.message.delete_acls_response_data import DeleteAclsResponseData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.acl_conversation import (
    BROKER_PROPS,
    LIVE_SETTLE_S,
    AclConversation,
    connector,
    delete_filter,
    delete_filters,
    hold,
    read_recorded,
)
from tests.core.server.brokers import HOST
from tests.core.server.conversation import Answers
from tests.core.server.test_oracle import compare

KNOWN_DIFFERENCES = {
    "DescribeGroups of *a with ALL GROUP *": "allowed; not in Kafka (D204)",
    "CreateAcls for a principal without a colon": "refused; in Kafka all fails that it is for (D202)",
    "CreateAcls, more than 10,000": "refused whole; Kafka's controller then says they are there (D201)",
    "DeleteAcls, more than 10,000": "POLICY_VIOLATION; in Kafka UNKNOWN_SERVER_ERROR, and a failover (D201)",
}
LABELS = sorted({label.split(" ")[0] for label in read_recorded()})
# Nobody is asked who may: they say who somebody is, or are what one begins with.
NOT_ASKED = {ApiKeys.SASL_HANDSHAKE, ApiKeys.SASL_AUTHENTICATE, ApiKeys.API_VERSIONS,
             ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, ApiKeys.PUSH_TELEMETRY}

SASL_PROPS = {
    "listeners": f"SASL_PLAINTEXT://{HOST}:0",
    "listener.security.protocol.map": "SASL_PLAINTEXT:SASL_PLAINTEXT",
    "inter.broker.listener.name": "SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "5",
    "transaction.state.log.num.partitions": "5",
    **BROKER_PROPS,
}


def sasl_broker(folder: Path) -> BrokerServer:
    return BrokerServer(KafkaConfig.from_props({"broker.id": "1", "log.dirs": str(folder), **SASL_PROPS}))


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    logging.getLogger(f"{KafkaApis.__module__}.KafkaApis").setLevel(logging.CRITICAL)
    try:
        with sasl_broker(tmp_path_factory.mktemp("acls")) as broker:
            return hold(connector(HOST, broker.bound_port("SASL_PLAINTEXT")), "ours_")
    finally:
        logging.getLogger(f"{KafkaApis.__module__}.KafkaApis").setLevel(logging.NOTSET)


@pytest.fixture(scope="module")
def live() -> Answers:
    address = os.environ.get("KREACTOR_ACL_ORACLE")
    if address is None:
        pytest.skip("needs a Kafka 3.8.0 with an authorizer, named by KREACTOR_ACL_ORACLE=host:port")
    host, _, port = address.rpartition(":")
    return hold(connector(host, int(port)), f"live_{os.getpid()}_", lambda: time.sleep(LIVE_SETTLE_S))


def test_all_was_asked(ours: Answers) -> None:
    assert ours.keys() == read_recorded().keys()
    assert set(LABELS) == {api.name for api in KafkaApis.ENABLED_APIS - NOT_ASKED}


@pytest.mark.parametrize("api", LABELS)
def test_answers_as_recorded(ours: Answers, api: str) -> None:
    compare(ours, read_recorded(), api)


@pytest.mark.parametrize("api", LABELS)
def test_answers_as_a_live_broker(ours: Answers, live: Answers, api: str) -> None:
    compare(ours, live, api)


# Known differences.

Creation = CreateAclsRequestData.AclCreation


def create(talk: AclConversation, *creations: Creation) -> set[tuple[Errors, str | None]]:
    answer = talk.admin.ask(ApiKeys.CREATE_ACLS, 3, CreateAclsRequestData(creations=list(creations)))
    assert isinstance(answer, CreateAclsResponseData)
    return {(Errors.for_code(result.error_code), result.error_message) for result in answer.results}


def test_what_kafka_does_wrong(tmp_path: Path) -> None:
    with sasl_broker(tmp_path) as broker:
        talk = AclConversation(connector(HOST, broker.bound_port("SASL_PLAINTEXT")), "", lambda: None)
        try:
            assert create(talk, Creation(
                resource_type=2, resource_name="t", principal="nobody", host="*", operation=3,
                permission_type=3)) == {(
                    Errors.INVALID_REQUEST, "Invalid principal: expected a string in format "
                    "principalType:principalName but got nobody")}
            assert talk.count() == 0

            assert create(talk, Creation(resource_type=3, resource_name="*", principal="User:alice", host="*",
                                         operation=2, permission_type=3)) == {(Errors.NONE, "")}
            groups = talk.wire.ask(ApiKeys.DESCRIBE_GROUPS, 5, DescribeGroupsRequestData(
                groups=["*a"], include_authorized_operations=False))
            assert groups.groups[0].error_code != Errors.GROUP_AUTHORIZATION_FAILED.code  # type: ignore

            def named(first: str, count: int) -> list[Creation]:
                return [Creation(resource_type=2, resource_name=f"{first}{i}", principal="User:x", host="*",
                                 operation=3, permission_type=3) for i in range(count)]

            assert create(talk, *named("a", 10_001)) == {
                (Errors.POLICY_VIOLATION, "Unable to perform excessively large batch operation.")}
            assert talk.count() == 1
            assert create(talk, *named("a", 10_000)) == {(Errors.NONE, "")}
            answer = talk.admin.ask(ApiKeys.DELETE_ACLS, 3, delete_filters(
                delete_filter(), delete_filter(resource_type_filter=3)))
            assert isinstance(answer, DeleteAclsResponseData)
            assert [(Errors.for_code(result.error_code), len(result.matching_acls))
                    for result in answer.filter_results] == [(Errors.POLICY_VIOLATION, 0), (Errors.NONE, 1)]
            assert talk.count() == 10_000
        finally:
            talk.close()
