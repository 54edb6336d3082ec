# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Requests of tests to a whole broker: topics, records and metrics."""

from __future__ import annotations

from typing import Any

from kreactor.common.compress.compression import Compression
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.core.cluster.partition import Partition
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.embedded.broker_server import BrokerServer
from kreactor.server.metrics.yammer import Gauge
from tests.core.server.brokers import connect
from tests.core.server.wire import Wire


def ask(target: BrokerServer | Wire, api: ApiKeys, version: int, data: Any) -> Any:
    if isinstance(target, Wire):
        return target.ask(api, version, data)
    with connect(target) as wire:
        return wire.ask(api, version, data)


def create_topic(target: BrokerServer | Wire, name: str = "foo", partitions: int = 1, **configs: str) -> None:
    answer = ask(target, ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(timeout_ms=10_000, topics=[
        CreateTopicsRequestData.CreatableTopic(
            name=name, num_partitions=partitions, replication_factor=1,
            configs=[CreateTopicsRequestData.CreateableTopicConfig(name=key.replace("_", "."), value=value)
                     for key, value in configs.items()])]))
    assert answer.topics[0].error_code == 0, answer.topics[0].error_message


def log_of(broker: BrokerServer, partition: TopicPartition) -> UnifiedLog:
    log = broker.storage().partition_log(partition)
    assert log is not None
    return log


def _partition(broker: BrokerServer, partition: TopicPartition) -> Partition:
    found = broker.replica_manager().get_partition(partition)
    assert found is not None
    return found


def leader_epoch(broker: BrokerServer, partition: TopicPartition) -> int:
    return _partition(broker, partition).get_leader_epoch()


def change_leader(broker: BrokerServer, partition: TopicPartition) -> int:
    """Begin an epoch, as if the partition had got its leader back from another broker; return the epoch."""
    found = _partition(broker, partition)
    found._leader_epoch += 1
    return found.get_leader_epoch()


def produce_data(*values: bytes, topic: str = "foo", sequence: int = -1, producer_id: int = -1,
                 acks: int = -1, timestamp: int | None = None,
                 key: bytes | None = None) -> ProduceRequestData:
    # As of now: of producers whose records are older than a day nothing is known after a restart.
    now = Time.SYSTEM.milliseconds() if timestamp is None else timestamp
    data = MemoryRecords.with_records(
        Compression.NONE, *(SimpleRecord(now, key, value) for value in values), producer_id=producer_id,
        producer_epoch=0 if producer_id >= 0 else -1, base_sequence=sequence)
    return ProduceRequestData(acks=acks, timeout_ms=10_000, topic_data=[
        ProduceRequestData.TopicProduceData(name=topic, partition_data=[
            ProduceRequestData.PartitionProduceData(index=0, records=data.buffer().to_bytes())])])


def produce(target: BrokerServer | Wire, *values: bytes, **fields: Any) -> Errors:
    answer = ask(target, ApiKeys.PRODUCE, 9, produce_data(*values, **fields))
    return Errors.for_code(answer.responses[0].partition_responses[0].error_code)


def fetch_data(offset: int = 0, topic: str = "foo", max_wait_ms: int = 0,
               min_bytes: int = 1, partition_max_bytes: int = 1 << 24) -> FetchRequestData:
    return FetchRequestData(max_wait_ms=max_wait_ms, min_bytes=min_bytes, topics=[
        FetchRequestData.FetchTopic(topic=topic, partitions=[
            FetchRequestData.FetchPartition(partition=0, fetch_offset=offset,
                                            partition_max_bytes=partition_max_bytes)])])


def values_of(answer: Any) -> list[bytes]:
    partition = answer.responses[0].partitions[0]
    assert partition.error_code == 0, Errors.for_code(partition.error_code)
    found = []
    for record in MemoryRecords.readable_records(partition.records).records():
        value = record.value()
        found.append(b"" if value is None else value.to_bytes())
    return found


def fetch(target: BrokerServer | Wire, topic: str = "foo") -> list[bytes]:
    """Return all values of a topic."""
    found: list[bytes] = []
    while more := values_of(ask(target, ApiKeys.FETCH, 11, fetch_data(len(found), topic))):
        found += more
    return found


def metric(broker: BrokerServer, name: str) -> Any:
    """Return the value of a gauge by the name of its MBean."""
    gauge, = (metric for metric_name, metric in broker.metrics_registry().all_metrics().items()
              if metric_name.get_mbean_name() == name)
    assert isinstance(gauge, Gauge)
    return gauge.value()
