# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ConsumerGroupDescribeRequestsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Consumer groups are described with their members, and with what the members have and shall have."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.utils.utils import Utils
from kreactor.security.authorizer.acl_entry import AclEntry
from tests.core.server.group_requests import CLIENT_ID, ask, group_broker, join_consumer, versions


def test_consumer_group_describe_with_new_group_coordinator(tmp_path: Path) -> None:
    with group_broker(tmp_path, new_coordinator=True) as broker:
        alone = join_consumer(broker, "grp-1", topic="bar")
        first, second = (
            join_consumer(broker, "grp-2", f"member-{i}", server_assignor="range") for i in (1, 2))
        assert first.assignment is not None
        topic_id = first.assignment.topic_partitions[0].topic_id

        def assignment(*partitions: int) -> ConsumerGroupDescribeResponseData.Assignment:
            return ConsumerGroupDescribeResponseData.Assignment(topic_partitions=[
                ConsumerGroupDescribeResponseData.TopicPartitions(
                    topic_id=topic_id, topic_name="foo", partitions=list(partitions))] if partitions else [])

        def member(member_id: str | None, epoch: int, topic: str, has: tuple[int, ...] = (),
                   shall_have: tuple[int, ...] = ()) -> ConsumerGroupDescribeResponseData.Member:
            assert member_id is not None
            return ConsumerGroupDescribeResponseData.Member(
                member_id=member_id, member_epoch=epoch, client_id=CLIENT_ID, client_host="/127.0.0.1",
                subscribed_topic_regex="", subscribed_topic_names=[topic], assignment=assignment(*has),
                target_assignment=assignment(*shall_have))

        operations = Utils.to32_bit_field({
            operation.code() for operation in AclEntry.supported_operations(ResourceType.GROUP)})
        expected = [
            ConsumerGroupDescribeResponseData.DescribedGroup(
                group_id="grp-1", group_state="Stable", group_epoch=1, assignment_epoch=1,
                assignor_name="uniform", authorized_operations=operations,
                members=[member(alone.member_id, 1, "bar")]),
            ConsumerGroupDescribeResponseData.DescribedGroup(
                group_id="grp-2", group_state="Reconciling", group_epoch=second.member_epoch,
                assignment_epoch=second.member_epoch, assignor_name="range", authorized_operations=operations,
                members=[member("member-1", first.member_epoch, "foo", (0, 1, 2), (0, 1)),
                         member("member-2", second.member_epoch, "foo", (), (2,))])]

        for version in versions(ApiKeys.CONSUMER_GROUP_DESCRIBE):
            data = ask(broker, ApiKeys.CONSUMER_GROUP_DESCRIBE, version, ConsumerGroupDescribeRequestData(
                group_ids=["grp-1", "grp-2"], include_authorized_operations=True))
            assert isinstance(data, ConsumerGroupDescribeResponseData)
            for group in data.groups:
                group.members.sort(key=lambda each: each.member_id)
            assert data.groups == expected
