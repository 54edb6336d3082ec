# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A response describes a few times what its request names repeatedly: no small request gets a huge one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.describe_producers_request_data import DescribeProducersRequestData
from kreactor.common.message.describe_transactions_request_data import DescribeTransactionsRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message import Message
from kreactor.testing import Broker
from tests.core.server.wire import Wire

MENTIONS = 50
FEW = 10


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(topics={"topic": 3, "another": 1}, properties={
            "group.coordinator.rebalance.protocols": "classic,consumer"}) as broker:
        yield broker


def topic_of_producers(name: str, *partitions: int) -> DescribeProducersRequestData.TopicRequest:
    return DescribeProducersRequestData.TopicRequest(name=name, partition_indexes=list(partitions))


def configs_of(name: str, *keys: str) -> DescribeConfigsRequestData.DescribeConfigsResource:
    return DescribeConfigsRequestData.DescribeConfigsResource(
        resource_type=ConfigResource.Type.TOPIC.id(), resource_name=name,
        configuration_keys=list(keys) or None)


def offsets_of(group: str) -> OffsetFetchRequestData.OffsetFetchRequestGroup:
    return OffsetFetchRequestData.OffsetFetchRequestGroup(group_id=group, topics=None)


@pytest.mark.deviation("D405")
@pytest.mark.parametrize("api, version, request_data, found, expected", [
    (ApiKeys.DESCRIBE_GROUPS, 5, DescribeGroupsRequestData(groups=["one", "two"] * MENTIONS + ["three"]),
     lambda answer: [group.group_id for group in answer.groups], ["one", "two"] * FEW + ["three"]),
    (ApiKeys.CONSUMER_GROUP_DESCRIBE, 0,
     ConsumerGroupDescribeRequestData(group_ids=["one", "two"] * MENTIONS + ["three"]),
     lambda answer: [group.group_id for group in answer.groups], ["one", "two"] * FEW + ["three"]),
    (ApiKeys.DESCRIBE_TRANSACTIONS, 0,
     DescribeTransactionsRequestData(transactional_ids=["one", "two"] * MENTIONS + ["three"]),
     lambda answer: [state.transactional_id for state in answer.transaction_states],
     ["one", "two"] * FEW + ["three"]),
    (ApiKeys.DESCRIBE_PRODUCERS, 0, DescribeProducersRequestData(topics=[
        topic_of_producers("topic", *[0, 1] * MENTIONS), topic_of_producers("another", 0),
        *[topic_of_producers("topic", 2)] * MENTIONS]),
     lambda answer: [(topic.name, partition.partition_index, partition.error_code)
                     for topic in answer.topics for partition in topic.partitions],
     [*[("topic", 0, 0), ("topic", 1, 0)] * FEW, ("another", 0, 0), *[("topic", 2, 0)] * (FEW - 1)]),
    (ApiKeys.DESCRIBE_CONFIGS, 4, DescribeConfigsRequestData(resources=[
        *[configs_of("topic", "retention.ms"), configs_of("topic")] * MENTIONS, configs_of("another")]),
     lambda answer: [(result.resource_name, len(result.configs) > 1) for result in answer.results],
     [*[("topic", False), ("topic", True)] * (FEW // 2), ("another", True)]),
    (ApiKeys.OFFSET_FETCH, 9, OffsetFetchRequestData(
        groups=[*[offsets_of("one"), offsets_of("two")] * MENTIONS, offsets_of("three")]),
     lambda answer: [group.group_id for group in answer.groups], ["one", "two"] * FEW + ["three"]),
], ids=lambda each: each.name if isinstance(each, ApiKeys) else "")
def test_mentions_beyond_a_few_are_left_out(broker: Broker, api: ApiKeys, version: int, request_data: Message,
                                            found: Callable[[Any], list[object]],
                                            expected: list[object]) -> None:
    with Wire(broker.host, broker.port) as wire:
        assert found(wire.ask(api, version, request_data)) == expected
