# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker with an authorizer: mistakes in its settings, what survives a restart, one of somebody's own."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.endpoint import Endpoint
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.create_acls_request_data import CreateAclsRequestData
from kreactor.common.message.create_acls_response_data import CreateAclsResponseData
from kreactor.common.message.describe_acls_response_data import DescribeAclsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.embedded.broker_server import BrokerServer
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.metadata.authorizer.standard_authorizer import StandardAuthorizer
from kreactor.server.authorizer.acl_create_result import AclCreateResult
from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.authorizer.authorizer_server_info import AuthorizerServerInfo
from kreactor.testing import Broker
from tests.core.server.acl_conversation import describe
from tests.core.server.brokers import connect, new_broker
from tests.core.server.wire import Wire

STANDARD = "kreactor.metadata.authorizer.standard_authorizer.StandardAuthorizer"
PROPS = {"authorizer.class.name": STANDARD, "super.users": "User:ANONYMOUS"}
CREATION = CreateAclsRequestData.AclCreation(
    resource_type=2, resource_name="t", principal="User:alice", host="*", operation=3, permission_type=3)


class Own(StandardAuthorizer):
    """Is ready when a thread of its own says so, and done when the test does."""

    made: list[Own] = []

    def __init__(self) -> None:
        super().__init__()
        self.made.append(self)
        self.setting: object = None
        self.server_info: AuthorizerServerInfo | None = None
        self.asked = threading.Event()
        self.created: CompletableFuture[AclCreateResult] = CompletableFuture()
        self.closed = False

    def configure(self, configs: Mapping[str, object]) -> None:
        self.setting = configs.get("authorizer.own.setting")
        super().configure(configs)

    def start(self, server_info: AuthorizerServerInfo) -> Mapping[Endpoint, CompletableFuture[None]]:
        self.server_info = server_info
        ready: CompletableFuture[None] = CompletableFuture()
        starter = threading.Thread(target=ready.complete, args=(None,))
        starter.start()
        starter.join()
        return {endpoint: ready for endpoint in server_info.endpoints}

    def create_acls(self, request_context: AuthorizableRequestContext,
                    acl_bindings: Sequence[AclBinding]) -> Sequence[CompletableFuture[AclCreateResult]]:
        self.asked.set()
        return [self.created for _ in acl_bindings]

    def close(self) -> None:
        self.closed = True
        super().close()


class NeverReady(StandardAuthorizer):
    def start(self, server_info: AuthorizerServerInfo) -> Mapping[Endpoint, CompletableFuture[None]]:
        future: CompletableFuture[None] = CompletableFuture()
        future.complete_exceptionally(KafkaException("the directory of users cannot be reached"))
        return {endpoint: future for endpoint in server_info.endpoints}


def create(wire: Wire) -> Errors:
    answer = wire.ask(ApiKeys.CREATE_ACLS, 3, CreateAclsRequestData(creations=[CREATION]))
    assert isinstance(answer, CreateAclsResponseData)
    return Errors.for_code(answer.results[0].error_code)


def names(broker: BrokerServer) -> list[str]:
    with connect(broker) as wire:
        answer = wire.ask(ApiKeys.DESCRIBE_ACLS, 3, describe())
    assert isinstance(answer, DescribeAclsResponseData)
    return [resource.resource_name for resource in answer.resources]


@pytest.mark.parametrize(("props", "message"), [
    ({"authorizer.class.name": "org.example.Authorizer"},
     "Invalid value org.example.Authorizer for configuration authorizer.class.name: there is no class "
     "org.example.Authorizer"),
    ({"authorizer.class.name": "kafka.security.authorizer.AclAuthorizer"},
     "Invalid value kafka.security.authorizer.AclAuthorizer for configuration authorizer.class.name: it "
     "keeps permissions in ZooKeeper; org.apache.kafka.metadata.authorizer.StandardAuthorizer keeps them in "
     "the data folder"),
    ({"authorizer.class.name": "kreactor.common.uuid.Uuid"},
     "Invalid value kreactor.common.uuid.Uuid for configuration authorizer.class.name: class "
     "kreactor.common.uuid.Uuid is not a kreactor.server.authorizer.authorizer.Authorizer"),
    ({"authorizer.class.name": STANDARD, "super.users": "User:a,admin;b"},
     f"The settings of {STANDARD} are wrong: expected a string in format principalType:principalName but "
     "got b"),
])
def test_mistakes_in_its_settings(tmp_path: Path, props: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigException) as e:
        new_broker(tmp_path, props).startup()
    assert str(e.value) == message


def test_permissions_survive_a_restart(tmp_path: Path) -> None:
    for expected in ([], ["t"]):
        with new_broker(tmp_path, PROPS) as broker:
            assert names(broker) == expected
            with connect(broker) as wire:
                assert create(wire) is Errors.NONE
            assert names(broker) == ["t"]


def test_permissions_survive_a_kill() -> None:
    with Broker(properties=PROPS) as broker:
        with Wire(broker.host, broker.port) as wire:
            assert create(wire) is Errors.NONE
        broker.kill()
        broker.restart()
        with Wire(broker.host, broker.port) as wire:
            answer = wire.ask(ApiKeys.DESCRIBE_ACLS, 3, describe())
        assert isinstance(answer, DescribeAclsResponseData)
        assert [resource.resource_name for resource in answer.resources] == ["t"]


def test_permissions_that_cannot_be_read_are_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "acls.json").write_text("{")
    with pytest.raises(KafkaException, match="acls.json, which holds the ACLs, cannot be read"):
        new_broker(tmp_path, PROPS).startup()


def test_everything_is_allowed_without_one(tmp_path: Path) -> None:
    with new_broker(tmp_path, {"super.users": "User:nobody"}) as broker, connect(broker) as wire:
        assert broker.authorizer() is None
        assert create(wire) is Errors.SECURITY_DISABLED


def test_one_of_somebodys_own(tmp_path: Path) -> None:
    with new_broker(tmp_path, {**PROPS, "authorizer.class.name": f"{__name__}.Own",
                               "authorizer.own.setting": "x"}) as broker:
        authorizer = Own.made.pop()
        assert broker.authorizer() is authorizer and authorizer.setting == "x"
        info = authorizer.server_info
        assert info is not None and info.broker_id == 1 and info.cluster_id == broker.cluster_id()
        assert [endpoint.listener_name() for endpoint in info.endpoints] == ["PLAINTEXT"]
        assert info.inter_broker_endpoint in info.endpoints and not info.early_start_listeners
        with connect(broker) as wire:
            correlation_id = wire.send(
                ApiKeys.CREATE_ACLS, 3, CreateAclsRequestData(creations=[CREATION]))
            assert authorizer.asked.wait(120)
            assert not authorizer.created.is_done()
            authorizer.created.complete(AclCreateResult.SUCCESS)
            answer = wire.receive(ApiKeys.CREATE_ACLS, 3, correlation_id)
            assert isinstance(answer, CreateAclsResponseData) and answer.results[0].error_code == 0
    assert authorizer.closed


def test_one_that_fails_later_is_an_answer(tmp_path: Path) -> None:
    with new_broker(tmp_path, {**PROPS, "authorizer.class.name": f"{__name__}.Own"}) as broker:
        authorizer = Own.made.pop()
        authorizer.created.complete_exceptionally(RuntimeError("gone"))
        with connect(broker) as wire:
            assert create(wire) is Errors.UNKNOWN_SERVER_ERROR


def test_one_that_does_not_become_ready(tmp_path: Path) -> None:
    with pytest.raises(KafkaException, match="the directory of users cannot be reached"):
        new_broker(tmp_path, {**PROPS, "authorizer.class.name": f"{__name__}.NeverReady"}).startup()
