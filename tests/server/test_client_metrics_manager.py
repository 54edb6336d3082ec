# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.ClientMetricsManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The subscriptions of clients, the pushes that they may send and when, and the expiry of clients."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import pytest

from kreactor.common.errors import InvalidRequestException
from kreactor.common.message.get_telemetry_subscriptions_request_data import (
    GetTelemetrySubscriptionsRequestData,
)
from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.requests.get_telemetry_subscriptions_request import GetTelemetrySubscriptionsRequest
from kreactor.common.requests.get_telemetry_subscriptions_response import GetTelemetrySubscriptionsResponse
from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.requests.push_telemetry_response import PushTelemetryResponse
from kreactor.common.uuid import Uuid
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.metrics.client_metrics_configs import ClientMetricsConfigs
from kreactor.server.metrics.client_metrics_instance import ClientMetricsInstance
from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin
from kreactor.testing.mock_time import MockTime
from kreactor.testing.mock_timer import MockTimer
from tests.server.metrics import client_metrics_test_utils as utils
from tests.server.metrics.client_metrics_test_utils import default_properties, request_context
from tests.stepping import wait_until

T = TypeVar("T")

ALL_METRICS = {"metrics": ClientMetricsConfigs.ALL_SUBSCRIBED_METRICS_CONFIG}


class Manager(ClientMetricsManager):
    """One with metrics of its own, and a timer that nothing but a test drives."""

    def __init__(self, time: MockTime, max_bytes: int = 100, cache_expiry_ms: int = 100,
                 plugin: ClientMetricsReceiverPlugin | None = None, **more: Any) -> None:
        self.kafka_metrics = Metrics(time=time)
        super().__init__(plugin or ClientMetricsReceiverPlugin(), max_bytes, time, self.kafka_metrics,
                         cache_expiry_ms, **{"expiration_timer": MockTimer(time), **more})

    def close(self) -> None:
        super().close()
        self.kafka_metrics.close()

    def ask(self, client_instance_id: Uuid = Uuid.ZERO_UUID) -> GetTelemetrySubscriptionsResponse:
        return self.process_get_telemetry_subscription_request(
            GetTelemetrySubscriptionsRequest.Builder(GetTelemetrySubscriptionsRequestData(
                client_instance_id=client_instance_id), True).build(), request_context())

    def push(self, subscription: GetTelemetrySubscriptionsResponse | None = None,
             **fields: Any) -> PushTelemetryResponse:
        if subscription is not None:
            fields = {"client_instance_id": subscription.data().client_instance_id,
                      "subscription_id": subscription.data().subscription_id, "metrics": b"test-data",
                      **fields}
        return self.process_push_telemetry_request(
            PushTelemetryRequest.Builder(PushTelemetryRequestData(**fields), True).build(),
            request_context())

    def known(self, subscription: GetTelemetrySubscriptionsResponse) -> ClientMetricsInstance:
        instance = self.client_instance(subscription.data().client_instance_id)
        assert instance is not None
        return instance

    def metric(self, name: str) -> Any:
        return next(metric.metric_value() for metric_name, metric in self.kafka_metrics.metrics().items()
                    if metric_name.name() == name)

    def check(self, **expected: int) -> None:
        """Compare counts of metrics; of those not given it is 0."""
        names = ("unknown_subscription_request", "throttle", "plugin_export", "plugin_error")
        for name in names:
            kebab = name.replace("_", "-")
            count = expected.get(name, 0)
            assert self.metric(f"{kebab}-count") == count, name
            assert (self.metric(f"{kebab}-rate") > 0) is (count > 0), name
        for name in ("plugin-export-time-avg", "plugin-export-time-max"):
            assert math.isnan(self.metric(name)) is not ("plugin_export" in expected), name
        assert not expected.keys() - names


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def manager(time: MockTime) -> Iterator[Manager]:
    with Manager(time) as manager:
        yield manager


def at_once(action: Callable[[], T]) -> list[T]:
    """Return what two threads get that do the same."""
    results: list[T] = []
    barrier = threading.Barrier(2)

    def run() -> None:
        barrier.wait()
        results.append(action())

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def errors_of(*responses: GetTelemetrySubscriptionsResponse | PushTelemetryResponse) -> list[str]:
    return sorted(response.error().name for response in responses)


# -- subscriptions ---------------------------------------------------------------------------------

def test_update_subscription(manager: Manager) -> None:
    assert list(manager.subscriptions()) == []
    assert manager.subscription_update_version() == 0
    manager.update_subscription("sub-1", default_properties())
    assert len(manager.subscriptions()) == 1
    info = manager.subscription_info("sub-1")
    assert info is not None and info.name() == "sub-1"
    assert info.metrics() == set(utils.DEFAULT_METRICS.split(","))
    assert info.interval_ms() == utils.DEFAULT_PUSH_INTERVAL_MS
    assert {f"{name}={pattern.pattern()}" for name, pattern in info.match_pattern().items()} == set(
        utils.DEFAULT_CLIENT_MATCH_PATTERNS)
    assert manager.subscription_update_version() == 1
    # How many clients, unknown subscriptions twice, and how many metrics.
    assert len(manager.kafka_metrics.metrics()) == 4
    assert manager.metric("instance-count") == 0


def test_update_subscription_with_empty_properties(manager: Manager) -> None:
    manager.update_subscription("sub-1", {})
    assert list(manager.subscriptions()) == []
    assert manager.subscription_update_version() == 0


def test_update_subscription_with_null_properties(manager: Manager) -> None:
    with pytest.raises(TypeError):
        manager.update_subscription("sub-1", None)  # type: ignore[arg-type]
    assert list(manager.subscriptions()) == []
    assert manager.subscription_update_version() == 0


@pytest.mark.parametrize(("name", "properties"), [("sub-1", {"random": "random"}), ("", ALL_METRICS)])
def test_update_subscription_with_invalid_metrics_properties(manager: Manager, name: str,
                                                             properties: Mapping[str, str]) -> None:
    with pytest.raises(InvalidRequestException):
        manager.update_subscription(name, properties)
    assert list(manager.subscriptions()) == []


def test_update_subscription_with_properties_deletion(manager: Manager) -> None:
    manager.update_subscription("sub-1", {"interval.ms": "100"})
    assert list(manager.list_client_metrics_resources()) == ["sub-1"]
    assert manager.subscription_update_version() == 1
    manager.update_subscription("sub-1", {})
    assert list(manager.list_client_metrics_resources()) == []
    assert manager.subscription_update_version() == 2


# -- clients ask -----------------------------------------------------------------------------------

def test_get_telemetry(manager: Manager) -> None:
    manager.update_subscription("sub-1", default_properties())
    response = manager.ask()
    data = response.data()
    assert data.client_instance_id not in Uuid.RESERVED
    assert data.subscription_id != 0
    assert sorted(data.requested_metrics) == sorted(utils.DEFAULT_METRICS.split(","))
    assert data.accepted_compression_types == [
        type_._id for type_ in (CompressionType.ZSTD, CompressionType.LZ4, CompressionType.GZIP,
                                CompressionType.SNAPPY)]
    assert data.push_interval_ms == utils.DEFAULT_PUSH_INTERVAL_MS
    assert data.delta_temporality
    assert data.telemetry_max_bytes == 100
    assert response.error() is Errors.NONE
    assert manager.known(response).last_known_error() is Errors.NONE
    assert len(manager.kafka_metrics.metrics()) == 12
    assert manager.metric("instance-count") == 1
    manager.check()


def test_get_telemetry_without_subscription(manager: Manager) -> None:
    response = manager.ask()
    data = response.data()
    assert data.client_instance_id not in Uuid.RESERVED
    assert data.subscription_id != 0
    assert data.requested_metrics == []
    assert len(data.accepted_compression_types) == 4
    assert data.push_interval_ms == ClientMetricsConfigs.DEFAULT_INTERVAL_MS
    assert (data.delta_temporality, data.telemetry_max_bytes) == (True, 100)
    assert response.error() is Errors.NONE
    assert manager.known(response).last_known_error() is Errors.NONE


def test_get_telemetry_after_push_interval_time(manager: Manager, time: MockTime) -> None:
    response = manager.ask()
    assert response.error() is Errors.NONE
    time.sleep(ClientMetricsConfigs.DEFAULT_INTERVAL_MS)
    assert manager.ask(response.data().client_instance_id).error() is Errors.NONE


def test_get_telemetry_all_metric_subscribed_subscription(manager: Manager) -> None:
    manager.update_subscription("sub-1", default_properties())
    manager.update_subscription("sub-2", ALL_METRICS)
    assert len(manager.subscriptions()) == 2
    response = manager.ask()
    assert response.data().subscription_id != 0
    assert response.data().requested_metrics == ["*"]
    assert response.data().push_interval_ms == utils.DEFAULT_PUSH_INTERVAL_MS
    assert response.error() is Errors.NONE


def test_get_telemetry_same_client_immediate_retry_fail(manager: Manager) -> None:
    response = manager.ask()
    assert response.error() is Errors.NONE
    assert manager.ask(response.data().client_instance_id).error() is Errors.THROTTLING_QUOTA_EXCEEDED
    assert manager.metric("instance-count") == 1
    manager.check(throttle=1)


def test_get_telemetry_same_client_immediate_retry_after_push_fail(manager: Manager, time: MockTime) -> None:
    response = manager.ask()
    assert response.error() is Errors.NONE
    # Another broker, which has never heard of the client.
    with Manager(time) as another:
        assert another.push(response).error() is Errors.NONE
        assert another.ask(response.data().client_instance_id).error() is Errors.THROTTLING_QUOTA_EXCEEDED
        another.check(throttle=1, plugin_export=1)


def test_get_telemetry_update_subscription(manager: Manager) -> None:
    manager.update_subscription("sub-1", default_properties())
    response = manager.ask()
    assert response.error() is Errors.NONE
    manager.update_subscription("sub-2", ALL_METRICS)
    assert len(manager.subscriptions()) == 2
    # Not too early, as there is something new.
    changed = manager.ask(response.data().client_instance_id)
    assert changed.error() is Errors.NONE
    assert changed.data().subscription_id != response.data().subscription_id


def test_get_telemetry_concurrent_request_new_client_instance(manager: Manager) -> None:
    id_ = Uuid.random_uuid()
    assert errors_of(*at_once(lambda: manager.ask(id_))) == ["NONE", "THROTTLING_QUOTA_EXCEEDED"]
    manager.check(throttle=1)


def test_get_telemetry_concurrent_request_after_subscription_update(manager: Manager) -> None:
    id_ = Uuid.random_uuid()
    manager.known(manager.ask(id_))
    manager.update_subscription("sub-1", default_properties())
    assert errors_of(*at_once(lambda: manager.ask(id_))) == ["NONE", "THROTTLING_QUOTA_EXCEEDED"]
    manager.check(throttle=1)


@pytest.mark.parametrize(("id_", "expected"), [
    ("2ZbQ0rYSSGCaZf6jJ8ZOuw", 115372916), ("fZ3hOSkhR3e3hR9wA8Qy3g", 876269630)])
def test_subscription_id_is_as_a_broker_of_kafka_has_it(manager: Manager, id_: str, expected: int) -> None:
    assert manager.ask(Uuid.from_string(id_)).data().subscription_id == expected


# -- clients send ----------------------------------------------------------------------------------

def test_push_telemetry(manager: Manager) -> None:
    manager.update_subscription("sub-1", default_properties())
    subscription = manager.ask()
    instance = manager.known(subscription)
    assert manager.push(subscription).error() is Errors.NONE
    assert not instance.terminating()
    assert instance.last_known_error() is Errors.NONE
    assert len(manager.kafka_metrics.metrics()) == 12
    assert manager.metric("instance-count") == 1
    manager.check(plugin_export=1)


def test_push_telemetry_on_new_server(manager: Manager, time: MockTime) -> None:
    subscription = manager.ask()
    with Manager(time) as another:
        assert another.push(subscription).error() is Errors.NONE
        assert len(another.kafka_metrics.metrics()) == 12
        assert another.metric("instance-count") == 1
        another.check(plugin_export=1)


def test_push_telemetry_after_push_interval_time(manager: Manager, time: MockTime) -> None:
    manager.update_subscription("sub-1", default_properties())
    subscription = manager.ask()
    assert manager.push(subscription).error() is Errors.NONE
    time.sleep(utils.DEFAULT_PUSH_INTERVAL_MS)
    assert manager.push(subscription).error() is Errors.NONE


@pytest.mark.parametrize("id_", [None, *sorted(Uuid.RESERVED)], ids=str)
def test_push_telemetry_client_instance_id_invalid(manager: Manager, id_: Uuid | None) -> None:
    assert manager.push(client_instance_id=id_).error() is Errors.INVALID_REQUEST


def test_push_telemetry_throttle_error(manager: Manager) -> None:
    subscription = manager.ask()
    # At once after it asked it may.
    assert manager.push(subscription).error() is Errors.NONE
    assert manager.push(subscription).error() is Errors.THROTTLING_QUOTA_EXCEEDED
    instance = manager.known(subscription)
    assert not instance.terminating()
    assert instance.last_known_error() is Errors.THROTTLING_QUOTA_EXCEEDED
    manager.check(throttle=1, plugin_export=1)


def test_push_telemetry_terminating_flag(manager: Manager) -> None:
    subscription = manager.ask()
    assert manager.push(subscription).error() is Errors.NONE
    assert manager.push(subscription, terminating=True).error() is Errors.NONE
    instance = manager.known(subscription)
    assert instance.terminating()
    assert instance.last_known_error() is Errors.NONE
    manager.check(plugin_export=2)


def test_push_telemetry_next_request_post_terminating_flag(manager: Manager) -> None:
    subscription = manager.ask()
    instance = manager.known(subscription)
    assert manager.push(subscription, terminating=True).error() is Errors.NONE
    assert (instance.terminating(), instance.last_known_error()) == (True, Errors.NONE)
    assert manager.push(subscription, terminating=True).error() is Errors.INVALID_REQUEST
    assert (instance.terminating(), instance.last_known_error()) == (True, Errors.INVALID_REQUEST)


def test_push_telemetry_subscription_id_invalid(manager: Manager) -> None:
    subscription = manager.ask()
    instance = manager.known(subscription)
    assert manager.push(subscription, subscription_id=1234).error() is Errors.UNKNOWN_SUBSCRIPTION_ID
    assert (instance.terminating(), instance.last_known_error()) == (False, Errors.UNKNOWN_SUBSCRIPTION_ID)
    manager.check(unknown_subscription_request=1)


def test_push_telemetry_compression_type_invalid(manager: Manager) -> None:
    subscription = manager.ask()
    instance = manager.known(subscription)
    assert manager.push(subscription, compression_type=100).error() is Errors.UNSUPPORTED_COMPRESSION_TYPE
    assert not instance.terminating()
    assert instance.last_known_error() is Errors.UNSUPPORTED_COMPRESSION_TYPE


def test_push_telemetry_null_metrics_data(manager: Manager) -> None:
    subscription = manager.ask()
    instance = manager.known(subscription)
    assert manager.push(subscription, metrics=None).error() is Errors.NONE
    assert (instance.terminating(), instance.last_known_error()) == (False, Errors.NONE)
    assert manager.metric("instance-count") == 1
    manager.check()


def test_push_telemetry_metrics_too_large(time: MockTime) -> None:
    with Manager(time, max_bytes=1) as manager:
        subscription = manager.ask()
        instance = manager.known(subscription)
        assert manager.push(subscription, metrics=b"ab").error() is Errors.TELEMETRY_TOO_LARGE
        assert (instance.terminating(), instance.last_known_error()) == (False, Errors.TELEMETRY_TOO_LARGE)


def test_push_telemetry_concurrent_request_new_client_instance(manager: Manager, time: MockTime) -> None:
    subscription = manager.ask()
    with Manager(time) as another:
        assert errors_of(*at_once(lambda: another.push(subscription))) == [
            "NONE", "THROTTLING_QUOTA_EXCEEDED"]
        another.check(throttle=1, plugin_export=1)


def test_push_telemetry_concurrent_request_after_subscription_update(manager: Manager) -> None:
    subscription = manager.ask()
    manager.update_subscription("sub-1", default_properties())
    assert errors_of(*at_once(lambda: manager.push(subscription))) == [
        "THROTTLING_QUOTA_EXCEEDED", "UNKNOWN_SUBSCRIPTION_ID"]
    manager.check(throttle=1, unknown_subscription_request=1)


def test_push_telemetry_plugin_exception(time: MockTime) -> None:
    class Failing(ClientMetricsReceiverPlugin):
        def export_metrics(self, context: object, request: object) -> None:
            raise RuntimeError("test exception")

    with Manager(time, plugin=Failing()) as manager:
        manager.update_subscription("sub-1", default_properties())
        subscription = manager.ask()
        instance = manager.known(subscription)
        assert manager.push(subscription).error() is Errors.INVALID_RECORD
        assert (instance.terminating(), instance.last_known_error()) == (False, Errors.INVALID_RECORD)
        manager.check(plugin_error=1)


# -- clients are forgotten -------------------------------------------------------------------------

def test_cache_eviction(manager: Manager) -> None:
    manager.update_subscription("sub-1", {**ALL_METRICS, "interval.ms": "100"})
    response = manager.ask()
    assert response.error() is Errors.NONE
    assert len(manager.kafka_metrics.metrics()) == 12
    assert manager.metric("instance-count") == 1
    manager.known(response)
    assert manager.expiration_timer().size() == 1

    manager.expiration_timer().advance_clock(300)
    manager.known(response)
    manager.expiration_timer().advance_clock(1)
    assert manager.client_instance(response.data().client_instance_id) is None
    assert manager.expiration_timer().size() == 0
    assert len(manager.kafka_metrics.metrics()) == 4
    assert manager.metric("instance-count") == 0


def test_cache_eviction_with_multiple_clients(manager: Manager) -> None:
    manager.update_subscription("sub-1", {**ALL_METRICS, "interval.ms": "100"})
    responses = [manager.ask(), manager.ask()]
    assert errors_of(*responses) == ["NONE", "NONE"]
    assert len(manager.kafka_metrics.metrics()) == 20
    assert manager.metric("instance-count") == 2
    assert manager.expiration_timer().size() == 2

    manager.expiration_timer().advance_clock(301)
    assert [manager.client_instance(response.data().client_instance_id) for response in responses] == [
        None, None]
    assert manager.expiration_timer().size() == 0
    assert len(manager.kafka_metrics.metrics()) == 4
    assert manager.metric("instance-count") == 0


def test_cache_expiration_task_cancelled_on_instance_update(manager: Manager) -> None:
    response = manager.ask()
    instance = manager.known(response)
    task = instance.expiration_timer_task()
    assert task is not None and not task.is_cancelled()

    manager.update_subscription("sub-1", default_properties())
    changed = manager.ask(response.data().client_instance_id)
    assert changed.error() is Errors.NONE
    assert changed.data().subscription_id != response.data().subscription_id

    assert instance.expiration_timer_task() is None and task.is_cancelled()
    task = manager.known(changed).expiration_timer_task()
    assert task is not None and not task.is_cancelled()
    assert len(manager.kafka_metrics.metrics()) == 12
    assert manager.metric("instance-count") == 1


@pytest.mark.deviation("D126")
def test_who_has_to_go_for_others_leaves_nothing(time: MockTime) -> None:
    with Manager(time, cache_max_size=2) as manager:
        first, second, third = manager.ask(), manager.ask(), None
        gone, task = manager.known(first), manager.known(first).expiration_timer_task()
        manager.known(second)
        third = manager.ask()
        assert manager.client_instance(gone.client_instance_id()) is None
        assert task is not None and task.is_cancelled() and gone.expiration_timer_task() is None
        assert len(manager.kafka_metrics.metrics()) == 20
        assert manager.metric("instance-count") == 2
        # It is as good as new when it comes again, and nothing of old forgets it.
        again = manager.ask(first.data().client_instance_id)
        assert again.error() is Errors.NONE
        assert again.data().subscription_id == first.data().subscription_id
        manager.known(third)
        assert manager.client_instance(second.data().client_instance_id) is None


def test_threads_end(time: MockTime) -> None:
    before = set(threading.enumerate())
    with Manager(time, expiration_timer=None) as manager:
        manager.ask()
        started = set(threading.enumerate()) - before
        assert ClientMetricsManager.CLIENT_METRICS_REAPER_THREAD_NAME in {thread.name for thread in started}
    # One that has not run yet is not waited for.
    wait_until(lambda: set(threading.enumerate()) <= before)
    assert len(manager.kafka_metrics.metrics()) <= 1
