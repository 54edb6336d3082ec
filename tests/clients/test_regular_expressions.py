# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Members with regular expressions: hostile ones hold nobody, and new topics are divided at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.get_telemetry_subscriptions_request_data import (
    GetTelemetrySubscriptionsRequestData)
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.testing import Broker
from tests.clients.broker_process import HOST, BrokerProcess
from tests.clients.client import DEADLINE_S
from tests.core.server.wire import Wire
from tests.stepping import wait_until

HOSTILE = "a" * 200 + "-"


class ExpressionMember:
    """A member of confluent-kafka that subscribes to an expression, and counts what it is given and loses."""

    def __init__(self, address: str, expression: str) -> None:
        self.owned: set[tuple[str, int]] = set()
        self.lost: set[tuple[str, int]] = set()
        self.errors: list[KafkaError] = []
        self._consumer = Consumer({
            "bootstrap.servers": address, "group.id": "group", "group.protocol": "consumer", "log_level": 0,
            "enable.auto.commit": False, "error_cb": self.errors.append})
        self._expression = expression
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> ExpressionMember:
        self._thread.start()
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()

    def _read(self) -> None:
        self._consumer.subscribe(
            [self._expression], on_assign=lambda _, partitions: self.owned.update(_keys(partitions)),
            on_revoke=self._revoked)
        try:
            while not self._ended.is_set():
                message = self._consumer.poll(0.05)
                if message is not None and message.error() is not None:
                    self.errors.append(message.error())
        finally:
            self._consumer.close()

    def _revoked(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        if not self._ended.is_set():
            self.lost.update(_keys(partitions))
        self.owned.difference_update(_keys(partitions))


def _keys(partitions: list[TopicPartition]) -> set[tuple[str, int]]:
    return {(each.topic, each.partition) for each in partitions}


def test_a_new_topic_is_divided_among_members_at_once() -> None:
    with Broker() as broker, (
            ExpressionMember(broker.bootstrap_servers, "^read-.*")) as first, (
            ExpressionMember(broker.bootstrap_servers, "^read-.*")) as second:
        members = first, second

        def have(count: int) -> Callable[[], bool]:
            return lambda: [len(member.owned) for member in members] == [count, count]

        wait_until(lambda: "group" in broker.groups(), patience_s=DEADLINE_S)
        broker.wait_group_stable("group", 2, DEADLINE_S)
        broker.create_topic("other", 4)
        for number in range(1, 4):
            broker.create_topic(f"read-{number}", 4)
            wait_until(have(2 * number), patience_s=DEADLINE_S)
        assert [member.lost for member in members] == [set(), set()]
        assert {topic for member in members for topic, _ in member.owned} == {"read-1", "read-2", "read-3"}


def test_an_invalid_expression_is_an_error_of_the_client() -> None:
    with Broker(topics={HOSTILE: 1}) as broker:
        # The client's own engine knows back-references, so the client asks the broker.
        with ExpressionMember(broker.bootstrap_servers, "^(a)\\1") as member:
            wait_until(lambda: bool(member.errors), patience_s=DEADLINE_S)
        assert member.errors[0].code() == KafkaError._FATAL
        assert "regular expression is not valid" in member.errors[0].str()
        with ExpressionMember(broker.bootstrap_servers, "^(a+)+-$") as member:
            wait_until(lambda: member.owned == {(HOSTILE, 0)}, patience_s=DEADLINE_S)


def test_hostile_expressions_hold_neither_clients_nor_the_end(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path, group_coordinator_new_enable="true") as process:
        with Wire(HOST, process.port) as hostile, Wire(HOST, process.port) as other:
            def heartbeat(member: str, expression: str) -> Any:
                return hostile.ask(ApiKeys.CONSUMER_GROUP_HEARTBEAT, 1, ConsumerGroupHeartbeatRequestData(
                    group_id="group", member_id=member, member_epoch=0, rebalance_timeout_ms=60_000,
                    subscribed_topic_regex=expression, topic_partitions=[]))

            created: Any = other.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(
                timeout_ms=60_000, topics=[CreateTopicsRequestData.CreatableTopic(
                    name=name, num_partitions=1, replication_factor=1) for name in (HOSTILE, "a" * 249)]))
            assert [topic.error_code for topic in created.topics] == [0, 0]

            def has_coordinator() -> bool:
                hostile.ask(ApiKeys.FIND_COORDINATOR, 4, FindCoordinatorRequestData(
                    key_type=0, coordinator_keys=["group"]))
                return heartbeat("first", "a").error_code == 0

            wait_until(has_coordinator, patience_s=DEADLINE_S)
            answers = {}
            for number, expression in enumerate((
                    "(a+)+", "(a*)*b", "(a|aa)+b", "(.*)*b", "(.?){1000}(.?){1000}(.?){1000}",
                    "a{99999999999999}", "(" * 15_000 + ")" * 15_000, "((a{1000}){1000}){1000}",
                    r"(\pL*)*-(\PL+\pN?)*x")):
                answers[expression[:30]] = heartbeat(f"member-{number}", expression).error_code
                versions: Any = other.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())
                assert versions.error_code == 0
            assert list(answers.values()) == [0, 0, 0, 0, 128, 128, 128, 128, 0], answers
            # The metrics of clients: a subscription, and a client that matches it.
            altered: Any = hostile.ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, _subscription("client_id=(a+)+"))
            assert altered.responses[0].error_code == 0
            for bad in ("client_id=a{99999999999999}", "client_id=" + "(" * 15_000, "client_id=(?=a)"):
                altered = hostile.ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, _subscription(bad))
                assert altered.responses[0].error_code != 0
        with Wire(HOST, process.port) as client:
            client.send(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0, GetTelemetrySubscriptionsRequestData(),
                        client_id="a" * 10_000 + "-")
            assert client.receive_bytes()
        process.stop()


def _subscription(match: str) -> IncrementalAlterConfigsRequestData:
    return IncrementalAlterConfigsRequestData(resources=[
        IncrementalAlterConfigsRequestData.AlterConfigsResource(
            resource_type=ConfigResource.Type.CLIENT_METRICS.id(), resource_name="sub", configs=[
                IncrementalAlterConfigsRequestData.AlterableConfig(
                    name="match", config_operation=0, value=match)])])
