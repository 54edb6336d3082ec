# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ConsumerGroupHeartbeatRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Members of consumer groups join, get their partitions, leave and come back."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import create_topic
from tests.core.server.group_requests import consumer_group_heartbeat, group_broker, join_consumer
from tests.stepping import wait_until

INSTANCE = "instanceId"


def partitions_of(data: ConsumerGroupHeartbeatResponseData) -> list[list[int]] | None:
    return None if data.assignment is None else [
        topic.partitions for topic in data.assignment.topic_partitions]


def join_before_the_topic(broker: BrokerServer, instance_id: str | None = None) -> str:
    """A member joins for a topic that comes later, and gets its three partitions then. Return its id."""
    data = join_consumer(broker, "grp", topic="later", instance_id=instance_id)
    assert (data.error_code, data.member_epoch, partitions_of(data)) == (0, 1, [])
    member_id = data.member_id
    assert member_id
    create_topic(broker, "later", 3)

    def is_assigned() -> bool:
        nonlocal data
        data = consumer_group_heartbeat(broker, "grp", member_id, 1, instance_id=instance_id)
        return data.error_code == 0 and partitions_of(data) == [[0, 1, 2]]

    wait_until(is_assigned)
    assert data.member_epoch == 2
    return member_id


def test_consumer_group_heartbeat_is_accessible_when_enabled(tmp_path: Path) -> None:
    with group_broker(tmp_path, overrides={"group.coordinator.rebalance.protocols": "classic"}) as broker:
        assert consumer_group_heartbeat(broker, "") == ConsumerGroupHeartbeatResponseData(
            error_code=Errors.UNSUPPORTED_VERSION.code)


def test_consumer_group_heartbeat_is_accessible_when_new_group_coordinator_is_enabled(tmp_path: Path) -> None:
    with group_broker(tmp_path, new_coordinator=True) as broker:
        member_id = join_before_the_topic(broker)
        assert consumer_group_heartbeat(broker, "grp", member_id, -1).member_epoch == -1


def test_rejoining_static_member_gets_assignments_back_when_new_group_coordinator_is_enabled(
        tmp_path: Path) -> None:
    with group_broker(tmp_path, new_coordinator=True) as broker:
        member_id = join_before_the_topic(broker, INSTANCE)
        data = consumer_group_heartbeat(broker, "grp", member_id, -2, instance_id=INSTANCE)
        assert data.member_epoch == -2
        data = join_consumer(broker, "grp", topic="later", instance_id=INSTANCE)
        assert (data.error_code, data.member_epoch, partitions_of(data)) == (0, 2, [[0, 1, 2]])
        assert data.member_id not in ("", member_id)


def test_static_member_removed_after_session_timeout_expiry_when_new_group_coordinator_is_enabled(
        tmp_path: Path) -> None:
    with group_broker(tmp_path, new_coordinator=True, overrides={
            "group.consumer.session.timeout.ms": "5000",
            "group.consumer.min.session.timeout.ms": "5000"}) as broker:
        join_before_the_topic(broker, INSTANCE)
        data = join_consumer(broker, "grp", topic="later", instance_id=INSTANCE)
        assert data.error_code == Errors.UNRELEASED_INSTANCE_ID.code

        def has_taken_over() -> bool:
            nonlocal data
            data = join_consumer(broker, "grp", topic="later", instance_id=INSTANCE)
            return data.error_code == 0

        wait_until(has_taken_over)
        # The first member's end has bumped the group's epoch, and so has the second one's beginning.
        assert (data.member_epoch, partitions_of(data)) == (4, [[0, 1, 2]])
