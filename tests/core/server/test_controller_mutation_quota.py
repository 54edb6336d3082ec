# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ControllerMutationQuotaTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client that changes more partitions than its quota allows waits, or is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.testing import Broker, MockTime
from tests.core.server.quota_requests import RATE, Mutations, mutation_quota_broker, quotas, set_quotas

STRICT = {ApiKeys.CREATE_TOPICS: 7, ApiKeys.DELETE_TOPICS: 5, ApiKeys.CREATE_PARTITIONS: 3}
PERMISSIVE = {ApiKeys.CREATE_TOPICS: 5, ApiKeys.DELETE_TOPICS: 4, ApiKeys.CREATE_PARTITIONS: 2}


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def broker(time: MockTime) -> Iterator[Broker]:
    with mutation_quota_broker(time) as broker:
        yield broker


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
