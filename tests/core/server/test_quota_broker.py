# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.RequestQuotaTest and kafka.server.ControllerMutationQuotaTest of
# Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Who has had too much waits: over real sockets, by a clock that the test moves."""

from __future__ import annotations

import json
import logging
import queue
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.describe_quorum_request_data import DescribeQuorumRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.reconfigurable import Reconfigurable
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.core.server.client_quota_manager import ClientQuotaManager
from kreactor.core.server.quota_factory import QuotaManagers
from kreactor.server.quota.client_quota_callback import ClientQuotaCallback
from kreactor.server.quota.client_quota_entity import ClientQuotaEntity
from kreactor.server.quota.client_quota_type import ClientQuotaType
from kreactor.testing import Broker, MockTime
from tests.core.server.conversation import records
from tests.core.server.quota_conversation import Entity, Ops, alteration, entry
from tests.core.server.wire import Wire

_UNAUTHORIZED = "there is no authorizer yet; who may do nothing goes the way of any error"

NOT_APPLICABLE = {
    "testUnauthorizedThrottle": _UNAUTHORIZED,
}

TOPIC = "topic"
RATE = 2.0


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def broker(time: MockTime) -> Iterator[Broker]:
    with Broker(time=time, topics=[TOPIC], properties={
            "controller.quota.window.num": 10, "controller.quota.window.size.seconds": 1}) as broker:
        yield broker


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


# -- RequestQuotaTest ------------------------------------------------------------------------------


def test_response_throttle_time(broker: Broker, time: MockTime) -> None:
    """The answer tells the time, and the next request is not read before it is over."""
    set_quotas(broker, {"client-id": None}, request_percentage=0.000001)
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
    set_quotas(broker, {"client-id": "c"}, producer_byte_rate=1.0, request_percentage=0.000001)
    with connect(broker) as wire:
        throttle_time_ms = produce(wire, 10, "c")
        assert throttle_time_ms > 1000
        assert throttle_time(broker, quotas(broker).produce, "c") == throttle_time_ms
        assert throttle_time(broker, quotas(broker).request, "c") != throttle_time_ms, "nan"


def test_response_throttle_time_when_both_fetch_and_request_quotas_violated(broker: Broker,
                                                                            time: MockTime) -> None:
    """Who asks for too much gets nothing, and what was recorded for it is taken back."""
    with connect(broker) as wire:
        produce(wire, 1000, "other")
        set_quotas(broker, {"client-id": "c"}, consumer_byte_rate=50.0, request_percentage=0.000001)
        throttle_time_ms, size = fetch(wire, "c")
        # (1100 - 500) / 500 * 10 s, about.
        assert throttle_time_ms > 1000 and size == 0
        assert throttle_time(broker, quotas(broker).fetch, "c") == throttle_time_ms
        assert metric(broker, "byte-rate", "Fetch", user="", client_id="c") == 0


def test_unthrottled_client(broker: Broker) -> None:
    set_quotas(broker, {"client-id": None}, request_percentage=0.000001)
    set_quotas(broker, {"client-id": "c"}, request_percentage=200000.0)
    with connect(broker) as wire:
        for _ in range(10):
            answer: Any = wire.ask(ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData(
                client_software_name="n", client_software_version="v"), "c")
            assert answer.throttle_time_ms == 0
    assert throttle_time(broker, quotas(broker).request, "c") != 0, "nan: nothing was recorded"


def test_exempt_request_time(broker: Broker) -> None:
    """What brokers ask makes nobody wait, and is counted for itself."""
    set_quotas(broker, {"client-id": None}, request_percentage=0.000001)
    with connect(broker) as wire:
        for _ in range(2):
            wire.ask(ApiKeys.DESCRIBE_QUORUM, 1, DescribeQuorumRequestData(topics=[]), "c")
        correlation_id = wire.send(ApiKeys.PRODUCE, 9, produce_request(1, acks=0), "c")
        assert correlation_id
        broker.wait_for(lambda: len(broker.requests("c", "Produce")) == 1)
        wire.ask(ApiKeys.DESCRIBE_QUORUM, 1, DescribeQuorumRequestData(topics=[]), "c")
    assert metric(broker, "exempt-request-time", "Request") > 0


# -- ControllerMutationQuotaTest -------------------------------------------------------------------

STRICT = {ApiKeys.CREATE_TOPICS: 7, ApiKeys.DELETE_TOPICS: 5, ApiKeys.CREATE_PARTITIONS: 3}
PERMISSIVE = {ApiKeys.CREATE_TOPICS: 5, ApiKeys.DELETE_TOPICS: 4, ApiKeys.CREATE_PARTITIONS: 2}

Outcome = tuple[int, dict[str, Errors]]


def errors_of(results: Any) -> dict[str, Errors]:
    return {result.name: Errors.for_code(result.error_code) for result in results}


class Mutations:
    """What one client creates and deletes, on a connection for each request: none waits for another."""

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


def prepare(broker: Broker, api: ApiKeys) -> tuple[Mutations, Mutations, dict[str, int]]:
    """Return a client with a quota, one without, and two topics of 30 partitions that ``api`` can change."""
    set_quotas(broker, {"client-id": "throttled"}, controller_mutation_rate=RATE)
    topics = {"topic-1": 30, "topic-2": 30}
    unbounded = Mutations(broker, "unbounded")
    if api is ApiKeys.DELETE_TOPICS:
        unbounded.create_topics(7, **topics)
    elif api is ApiKeys.CREATE_PARTITIONS:
        unbounded.create_topics(7, **dict.fromkeys(topics, 1))
    return Mutations(broker, "throttled"), unbounded, topics


def strict(broker: Broker, time: MockTime, api: ApiKeys) -> None:
    """20 tokens are there: the first topic takes 30, the second none, before 10 are back, in 5 s."""
    throttled, _, topics = prepare(broker, api)
    throttle_time_ms, errors = throttled.do(api, STRICT[api], topics)
    assert throttle_time_ms == 5000
    rejected, = (name for name, error in errors.items() if error is Errors.THROTTLING_QUOTA_EXCEEDED)
    assert errors == {**dict.fromkeys(topics, Errors.NONE), rejected: Errors.THROTTLING_QUOTA_EXCEEDED}
    again = {rejected: 30}
    assert throttled.do(api, STRICT[api], again) == (5000, {rejected: Errors.THROTTLING_QUOTA_EXCEEDED})
    time.advance(5000)
    assert throttled.do(api, STRICT[api], again) == (0, {rejected: Errors.NONE})


def permissive(broker: Broker, api: ApiKeys) -> None:
    """Both take 30 of the 20 that are there: 40 have to come, in 20 s."""
    throttled, _, topics = prepare(broker, api)
    assert throttled.do(api, PERMISSIVE[api], topics) == (20_000, dict.fromkeys(topics, Errors.NONE))


def unbounded(broker: Broker, api: ApiKeys) -> None:
    _, unbounded, topics = prepare(broker, api)
    assert unbounded.do(api, STRICT[api], topics) == (0, dict.fromkeys(topics, Errors.NONE))


def test_set_unset_quota(broker: Broker) -> None:
    def quota() -> float:
        return quotas(broker).controller_mutation.quota("User", "").bound()

    assert quota() == float(2**63 - 1)
    set_quotas(broker, {"user": "User"}, controller_mutation_rate=1.5)
    assert quota() == 1.5
    set_quotas(broker, {"user": "User"}, controller_mutation_rate=None)
    assert quota() == float(2**63 - 1)


def test_a_topic_that_is_asked_about_is_not_created_beyond_the_quota(broker: Broker, time: MockTime) -> None:
    """As by a KRaft broker. The answer tells nothing of it, and nobody waits."""
    set_quotas(broker, {"client-id": "c"}, controller_mutation_rate=RATE)
    assert Mutations(broker, "c").create_topics(7, topic1=20) == (0, {"topic1": Errors.NONE})
    assert Mutations(broker, "c").create_topics(7, topic2=2) == (0, {"topic2": Errors.NONE})

    def ask(wire: Wire) -> Errors:
        answer: Any = wire.ask(ApiKeys.METADATA, 9, MetadataRequestData(
            allow_auto_topic_creation=True,
            topics=[MetadataRequestData.MetadataRequestTopic(name="asked")]), "c")
        assert answer.throttle_time_ms == 0
        return Errors.for_code(answer.topics[0].error_code)

    with connect(broker) as wire:
        for _ in range(3):
            assert ask(wire) is Errors.UNKNOWN_TOPIC_OR_PARTITION
        # The topic of groups' offsets the broker creates for itself.
        answer: Any = wire.ask(ApiKeys.FIND_COORDINATOR, 1, FindCoordinatorRequestData(key="g"), "c")
        assert answer.throttle_time_ms == 0
        assert "__consumer_offsets" in broker.server().storage().topics().topics()
        time.advance(1000)
        assert ask(wire) is Errors.UNKNOWN_TOPIC_OR_PARTITION
        assert ask(wire) is Errors.NONE


def test_quota_metric(broker: Broker) -> None:
    set_quotas(broker, {"user": "ANONYMOUS"}, controller_mutation_rate=RATE)
    metrics = broker.server().metrics()
    name = metrics.metric_name("tokens", "ControllerMutation", tags={"user": "ANONYMOUS", "client-id": ""})
    assert metrics.metric(name) is None
    assert Mutations(broker, "c").create_topics(7, topic1=1) == (0, {"topic1": Errors.NONE})

    def config() -> tuple[float | None, int, int]:
        found = metrics.metric(name)
        assert found is not None
        quota = found.config().quota()
        bound = None if quota is None else quota.bound()
        return bound, found.config().samples(), found.config().time_window_ms()

    assert config() == (RATE, 10, 1000)
    set_quotas(broker, {"user": "ANONYMOUS"}, controller_mutation_rate=RATE * 2)
    assert config() == (RATE * 2, 10, 1000)


def test_strict_create_topics_request(broker: Broker, time: MockTime) -> None:
    strict(broker, time, ApiKeys.CREATE_TOPICS)


def test_permissive_create_topics_request(broker: Broker) -> None:
    permissive(broker, ApiKeys.CREATE_TOPICS)


def test_unbounded_create_topics_request(broker: Broker) -> None:
    unbounded(broker, ApiKeys.CREATE_TOPICS)


def test_strict_delete_topics_request(broker: Broker, time: MockTime) -> None:
    strict(broker, time, ApiKeys.DELETE_TOPICS)


def test_permissive_delete_topics_request(broker: Broker) -> None:
    permissive(broker, ApiKeys.DELETE_TOPICS)


def test_unbounded_delete_topics_request(broker: Broker) -> None:
    unbounded(broker, ApiKeys.DELETE_TOPICS)


def test_strict_create_partitions_request(broker: Broker, time: MockTime) -> None:
    strict(broker, time, ApiKeys.CREATE_PARTITIONS)


def test_permissive_create_partitions_request(broker: Broker) -> None:
    permissive(broker, ApiKeys.CREATE_PARTITIONS)


def test_unbounded_create_partitions_request(broker: Broker) -> None:
    unbounded(broker, ApiKeys.CREATE_PARTITIONS)


# -- ours ------------------------------------------------------------------------------------------


def test_a_client_is_held_to_its_rate_while_another_is_not(broker: Broker, time: MockTime) -> None:
    """1 MB/s over 20 s, within 10 %; the other one goes on while the first one waits."""
    set_quotas(broker, {"client-id": "limited"}, producer_byte_rate=1_000_000.0)
    sent = elapsed_ms = 0
    with connect(broker) as limited, connect(broker) as other:
        while elapsed_ms < 20_000:
            size = len(records(b"x" * 100_000))
            throttle_time_ms = produce(limited, 100_000, "limited")
            sent += size
            assert produce(other, 100, "other") == 0
            step = max(throttle_time_ms, 10)
            time.advance(step)
            elapsed_ms += step
    assert abs(sent / (elapsed_ms / 1000) - 1_000_000) <= 100_000


def test_a_fetch_gets_what_a_window_holds(broker: Broker, time: MockTime) -> None:
    """More than that would never go out; and it is read within 10 % of the rate."""
    set_quotas(broker, {"client-id": "limited"}, consumer_byte_rate=10_000.0)
    with connect(broker) as wire:
        for _ in range(30):
            produce(wire, 9_000, "other")
        received = elapsed_ms = 0
        while elapsed_ms < 60_000:
            throttle_time_ms, size = fetch(wire, "limited")
            assert size <= 100_000
            received += size
            step = max(throttle_time_ms, 100)
            time.advance(step)
            elapsed_ms += step
    assert received > 0
    assert received / (elapsed_ms / 1000) <= 11_000


def test_a_connection_that_closes_while_it_waits_is_forgotten(broker: Broker, time: MockTime) -> None:
    set_quotas(broker, {"client-id": "c"}, producer_byte_rate=1.0)
    manager = quotas(broker).produce
    for _ in range(20):
        with connect(broker) as wire:
            assert produce(wire, 10, "c") > 0
    # That it is closed is not seen before it is read from again, as in Kafka.
    assert manager._delay_queue.size() == 20
    assert metric(broker, "queue-size", "Produce") == 20
    # No request can wait for longer than that.
    time.advance(2**31 - 1)
    assert manager._delay_queue.size() == 0
    assert metric(broker, "queue-size", "Produce") == 0
    assert not broker.connections()


def test_a_broker_ends_while_connections_wait() -> None:
    """By the real clock: its threads are gone, and nobody waits for the time to pass."""
    with Broker(topics=[TOPIC]) as broker:
        set_quotas(broker, {"client-id": "c"}, producer_byte_rate=1.0)
        wires = [connect(broker) for _ in range(5)]
        for wire in wires:
            assert produce(wire, 1000, "c") > 1000
    for wire in wires:
        wire.close()


def test_the_time_is_over_by_the_real_clock() -> None:
    with Broker(topics=[TOPIC]) as broker:
        # So little that a request of any length is too much: 0.1 us in 10 s.
        set_quotas(broker, {"client-id": "c"}, request_percentage=0.000001)
        with connect(broker) as wire:
            for _ in range(3):
                answer: Any = wire.ask(ApiKeys.METADATA, 9, MetadataRequestData(topics=[]), "c")
                assert answer.throttle_time_ms == 1000


def test_the_request_log_tells_how_long_and_does_not_count_it(
        broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    set_quotas(broker, {"client-id": "c"}, producer_byte_rate=1.0)
    lines: queue.Queue[str] = queue.Queue()
    handler = logging.Handler()
    handler.emit = lambda record: lines.put(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("kafka.request.logger")
    logger.addHandler(handler)
    try:
        with caplog.at_level(logging.DEBUG, logger.name), connect(broker) as wire:
            throttle_time_ms = produce(wire, 1000, "c")
            # The line of the request before may come late.
            while '"PRODUCE"' not in (text := lines.get(timeout=120)):
                pass
            line = json.loads(text.partition(":")[2])
    finally:
        logger.removeHandler(handler)
    assert line["throttleTimeMs"] == throttle_time_ms == line["response"]["throttleTimeMs"]
    assert throttle_time_ms > 100_000 > line["totalTimeMs"]


class ByName(ClientQuotaCallback, Reconfigurable):
    """A plug-in: everybody has the same quota of bytes to produce, which a setting tells."""

    closed = 0

    def __init__(self) -> None:
        self.limit = 0.0

    def configure(self, configs: Mapping[str, object]) -> None:
        self.limit = float(str(configs["log.retention.bytes"]))

    def quota_metric_tags(self, quota_type: ClientQuotaType, principal: KafkaPrincipal,
                          client_id: str) -> Mapping[str, str]:
        return {"who": client_id}

    def quota_limit(self, quota_type: ClientQuotaType, metric_tags: Mapping[str, str]) -> float | None:
        return self.limit if quota_type is ClientQuotaType.PRODUCE else None

    def update_quota(self, quota_type: ClientQuotaType, quota_entity: ClientQuotaEntity,
                     new_value: float) -> None:
        pass

    def remove_quota(self, quota_type: ClientQuotaType, quota_entity: ClientQuotaEntity) -> None:
        pass

    def quota_reset_required(self, quota_type: ClientQuotaType) -> bool:
        return False

    def reconfigurable_configs(self) -> AbstractSet[str]:
        return frozenset(("log.retention.bytes",))

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        if float(str(configs["log.retention.bytes"])) > 1e9:
            raise ConfigException("too much")

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        self.configure(configs)

    def close(self) -> None:
        type(self).closed += 1


def test_a_plug_in_of_the_settings(time: MockTime) -> None:
    closed = ByName.closed
    with Broker(time=time, topics=[TOPIC], properties={
            "client.quota.callback.class": f"{__name__}.ByName", "log.retention.bytes": "500"}) as broker:
        callback = quotas(broker).client_quota_callback
        assert isinstance(callback, ByName) and callback.limit == 500
        with connect(broker) as wire:
            assert produce(wire, 20_000, "c") > 0
            assert metric(broker, "throttle-time", "Produce", who="c") > 0
        dynamic_config = broker.server().config().dynamic_config()
        dynamic_config.update_default_config({"log.retention.bytes": "1000000"})
        assert callback.limit == 1_000_000
        with pytest.raises(ConfigException, match="too much"):
            dynamic_config.validate({"log.retention.bytes": "1000000001"}, False)
    assert ByName.closed == closed + 1
