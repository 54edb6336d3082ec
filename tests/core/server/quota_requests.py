# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Requests of clients that have quotas, for tests."""

from __future__ import annotations

from typing import Any


from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.core.server.client_quota_manager import ClientQuotaManager
from kreactor.core.server.quota_factory import QuotaManagers
from kreactor.testing import Broker, MockTime
from tests.core.server.conversation import records
from tests.core.server.quota_conversation import Entity, Ops, alteration, entry
from tests.core.server.wire import Wire

TOPIC = "topic"
RATE = 2.0

Outcome = tuple[int, dict[str, Errors]]


def connect(broker: Broker) -> Wire:
    return Wire(broker.host, broker.port)


def quotas(broker: Broker) -> QuotaManagers:
    return broker.server().quota_managers()


def set_quotas(broker: Broker, entity: Entity, **ops: float | None) -> None:
    """Set quotas; None takes one away."""
    with connect(broker) as wire:
        changes: Ops = ops
        answer: Any = wire.ask(ApiKeys.ALTER_CLIENT_QUOTAS, 1, alteration(entry(entity, changes)),
                               "administrator")
        assert [result.error_code for result in answer.entries] == [0], answer


def produce_request(size: int, acks: int = 1) -> ProduceRequestData:
    return ProduceRequestData(acks=acks, timeout_ms=1000, topic_data=[
        ProduceRequestData.TopicProduceData(name=TOPIC, partition_data=[
            ProduceRequestData.PartitionProduceData(index=0, records=records(b"x" * size))])])


def produce(wire: Wire, size: int, client_id: str) -> int:
    """Produce; return the throttle time."""
    answer: Any = wire.ask(ApiKeys.PRODUCE, 9, produce_request(size), client_id)
    assert answer.responses[0].partition_responses[0].error_code == 0
    return int(answer.throttle_time_ms)


def fetch_request() -> FetchRequestData:
    return FetchRequestData(max_wait_ms=0, min_bytes=1, max_bytes=1 << 20, topics=[
        FetchRequestData.FetchTopic(topic=TOPIC, partitions=[FetchRequestData.FetchPartition(
            partition=0, fetch_offset=0, partition_max_bytes=1 << 20)])])


def fetch(wire: Wire, client_id: str) -> tuple[int, int]:
    """Fetch; return the throttle time and how many bytes there were."""
    answer: Any = wire.ask(ApiKeys.FETCH, 12, fetch_request(), client_id)
    return int(answer.throttle_time_ms), sum(
        partition.records.remaining() for response in answer.responses for partition in response.partitions
        if partition.records is not None)


def metric(broker: Broker, name: str, group: str, **tags: str) -> float:
    metrics = broker.server().metrics()
    found = metrics.metric(metrics.metric_name(
        name, group, tags={tag.replace("_", "-"): value for tag, value in tags.items()}))
    assert found is not None
    value = found.metric_value()
    assert isinstance(value, float)
    return value


def throttle_time(broker: Broker, manager: ClientQuotaManager, client_id: str) -> float:
    return metric(broker, "throttle-time", str(manager._quota_type), user="", client_id=client_id)


def errors_of(results: Any) -> dict[str, Errors]:
    return {result.name: Errors.for_code(result.error_code) for result in results}


def mutation_quota_broker(time: MockTime) -> Broker:
    """Return a broker that counts changes of topics in ten windows of a second."""
    return Broker(time=time, topics=[TOPIC], properties={
        "controller.quota.window.num": 10, "controller.quota.window.size.seconds": 1})


class Mutations:
    """One client that creates and deletes. Each request has its own connection, so none waits for another."""

    def __init__(self, broker: Broker, client_id: str) -> None:
        self.broker = broker
        self.client_id = client_id

    def _ask(self, api: ApiKeys, version: int, body: Any) -> Any:
        with connect(self.broker) as wire:
            return wire.ask(api, version, body, self.client_id)

    def create_topics(self, version: int, **topics: int) -> Outcome:
        answer = self._ask(ApiKeys.CREATE_TOPICS, version, CreateTopicsRequestData(timeout_ms=60_000, topics=[
            CreateTopicsRequestData.CreatableTopic(name=name, num_partitions=count, replication_factor=1)
            for name, count in topics.items()]))
        return answer.throttle_time_ms, errors_of(answer.topics)

    def delete_topics(self, version: int, **topics: int) -> Outcome:
        answer = self._ask(ApiKeys.DELETE_TOPICS, version, DeleteTopicsRequestData(
            timeout_ms=60_000, topic_names=list(topics)))
        return answer.throttle_time_ms, errors_of(answer.responses)

    def create_partitions(self, version: int, **topics: int) -> Outcome:
        answer = self._ask(ApiKeys.CREATE_PARTITIONS, version, CreatePartitionsRequestData(
            timeout_ms=60_000, topics=[CreatePartitionsRequestData.CreatePartitionsTopic(
                name=name, count=count, assignments=None) for name, count in topics.items()]))
        return answer.throttle_time_ms, errors_of(answer.results)

    def do(self, api: ApiKeys, version: int, topics: dict[str, int]) -> Outcome:
        """Have ``api`` make or end so many partitions of topics."""
        if api is ApiKeys.CREATE_TOPICS:
            return self.create_topics(version, **topics)
        if api is ApiKeys.DELETE_TOPICS:
            return self.delete_topics(version, **topics)
        return self.create_partitions(version, **{name: count + 1 for name, count in topics.items()})
