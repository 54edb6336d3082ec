# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.BaseClientQuotaManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base of the tests of quotas: a clock that stands still, and quotas without a thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.client_quota_manager import ClientQuotaManager
from kreactor.core.server.throttled_channel import ThrottleCallback
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.network.session import Session
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.testing.mock_time import MockTime
from tests.core.server.wire import encode

M = TypeVar("M", bound=ClientQuotaManager)


class Counter(ThrottleCallback):
    """Counts how often it is called."""

    def __init__(self) -> None:
        self.started = self.ended = 0

    def start_throttling(self) -> None:
        self.started += 1

    def end_throttling(self) -> None:
        self.ended += 1


class QuotaTest:
    """A clock and metrics. ``close`` ends it."""

    def __init__(self) -> None:
        self.time = MockTime()
        self.metrics = Metrics(MetricConfig(), [], self.time)
        self.callback = Counter()
        self._request_metrics = RequestChannel.Metrics(
            ApiKeys.apis_for_listener(ListenerType.BROKER), MetricsRegistry())

    def close(self) -> None:
        self._request_metrics.close()
        self.metrics.close()

    @contextmanager
    def running(self, manager: M) -> Iterator[M]:
        """End a manager's thread at once: the test does its work."""
        manager.shutdown()
        manager.throttled_channel_reaper.end_due()
        yield manager

    def build_request(self, client_id: str = "") -> RequestChannel.Request:
        buffer = ByteBuffer.wrap(encode(ApiKeys.FETCH, 12, FetchRequestData(), 0, client_id)[4:])
        context = RequestContext(
            RequestHeader.parse(buffer), "1", InetAddress.get_by_name("127.0.0.1"), KafkaPrincipal.ANONYMOUS,
            ListenerName("PLAINTEXT"), SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, False)
        return RequestChannel.Request(1, context, 0, MemoryPool.NONE, buffer, self._request_metrics)

    def maybe_record(self, manager: ClientQuotaManager, user: str, client_id: str, value: float) -> int:
        return manager.maybe_record_and_get_throttle_time_ms_session(
            build_session(user), client_id, value, self.time.milliseconds())

    def throttle(self, manager: ClientQuotaManager, throttle_time_ms: int) -> None:
        manager.throttle(self.build_request(), self.callback, throttle_time_ms)

    def queue_size(self, manager: ClientQuotaManager) -> int:
        metric = self.metrics.metric(self.metrics.metric_name("queue-size", str(manager._quota_type)))
        assert metric is not None
        value = metric.metric_value()
        assert isinstance(value, float)
        return int(value)


def build_session(user: str) -> Session:
    return Session(KafkaPrincipal(KafkaPrincipal.USER_TYPE, user), None)
