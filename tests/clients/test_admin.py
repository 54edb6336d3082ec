# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The administration of clients that others wrote: each call has the outcome that its documentation says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.server.brokers import HOST, new_broker


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with new_broker(tmp_path) as broker:
        yield f"{HOST}:{broker.bound_port('PLAINTEXT')}"


def test_confluent_kafka(address: str) -> None:
    pytest.importorskip("confluent_kafka")
    from confluent_kafka import ElectionType, TopicPartition
    from confluent_kafka.admin import (
        AdminClient,
        AlterConfigOpType,
        ConfigEntry,
        ConfigResource,
        NewPartitions,
        NewTopic,
        OffsetSpec,
        ResourceType,
    )
    admin = AdminClient({"bootstrap.servers": address})
    admin.create_topics([NewTopic("t", 2, 1)])["t"].result(120)
    admin.create_partitions([NewPartitions("t", 4)])["t"].result(120)
    resource = ConfigResource(ResourceType.TOPIC, "t", incremental_configs=[
        ConfigEntry("retention.ms", "5000", incremental_operation=AlterConfigOpType.SET)])
    admin.incremental_alter_configs([resource])[resource].result(120)
    assert admin.describe_configs([resource])[resource].result(120)["retention.ms"].value == "5000"
    partition = TopicPartition("t", 3, 0)
    assert admin.delete_records([partition])[partition].result(120).low_watermark == 0
    assert admin.list_offsets({partition: OffsetSpec.latest()})[partition].result(120).offset == 0
    elected = admin.elect_leaders(ElectionType.PREFERRED, [partition]).result(120)
    assert [error.name() for error in elected.values()] == ["ELECTION_NOT_NEEDED"]
    assert admin.describe_cluster().result(120).controller.id == 1
    admin.delete_topics(["t"])["t"].result(120)


def test_kafka_python(address: str) -> None:
    pytest.importorskip("kafka")
    from kafka import TopicPartition
    from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient, NewPartitions, NewTopic
    admin = KafkaAdminClient(bootstrap_servers=address)
    try:
        admin.create_topics([NewTopic(name="t", num_partitions=1, replication_factor=1)])
        admin.create_partitions({"t": NewPartitions(3)})
        assert len(admin.describe_topics(["t"])[0]["partitions"]) == 3
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, "t", configs={"retention.ms": "77"})])
        assert admin.describe_log_dirs()[0]["log_dirs"][0]["error_code"] == 0
        assert admin.delete_records({TopicPartition("t", 0): 0})[TopicPartition("t", 0)]["low_watermark"] == 0
        admin.delete_topics(["t"])
    finally:
        admin.close()


def test_aiokafka(address: str) -> None:
    pytest.importorskip("aiokafka")
    from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic
    from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

    async def administer() -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=address)
        await admin.start()
        try:
            await admin.create_topics([NewTopic("t", 1, 1)])
            await admin.create_partitions({"t": NewPartitions(2)})
            assert len((await admin.describe_topics(["t"]))[0]["partitions"]) == 2
            await admin.alter_configs([
                ConfigResource(ConfigResourceType.TOPIC, "t", configs={"retention.ms": "9"})])
            assert (await admin.describe_cluster())["controller_id"] == 1
            await admin.delete_topics(["t"])
        finally:
            await admin.close()

    asyncio.run(administer())
