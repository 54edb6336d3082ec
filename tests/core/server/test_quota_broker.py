# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A client over its quota waits: over real sockets, by a clock that the test moves."""

from __future__ import annotations

import json
import logging
import queue
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.reconfigurable import Reconfigurable
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.server.quota.client_quota_callback import ClientQuotaCallback
from kreactor.server.quota.client_quota_entity import ClientQuotaEntity
from kreactor.server.quota.client_quota_type import ClientQuotaType
from kreactor.testing import Broker, MockTime
from tests.core.server.conversation import records
from tests.core.server.quota_requests import (
    RATE,
    TOPIC,
    Mutations,
    connect,
    fetch,
    metric,
    mutation_quota_broker,
    produce,
    quotas,
    set_quotas,
)
from tests.core.server.wire import Wire


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def broker(time: MockTime) -> Iterator[Broker]:
    with mutation_quota_broker(time) as broker:
        yield broker


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
