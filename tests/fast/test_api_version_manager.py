# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.send import Send
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.common.utils.time import Time
from kreactor.core.server.api_version_manager import DefaultApiVersionManager
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.fast.api_version_manager import FastApiVersionManager
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin
from kreactor.testing.mock_timer import MockTimer
from tests.server.metrics.client_metrics_test_utils import ClientMetricsReceiver


class Managers:
    """A manager of each kind, with one receiver plugin."""

    def __init__(self, client_metrics_manager: ClientMetricsManager,
                 plugin: ClientMetricsReceiverPlugin) -> None:
        arguments = (ListenerType.BROKER, KafkaApis.ENABLED_APIS, False, {}, {}, client_metrics_manager)
        self.plain, self.fast = DefaultApiVersionManager(*arguments), FastApiVersionManager(*arguments)
        self.plugin = plugin


@pytest.fixture
def managers() -> Iterator[Managers]:
    plugin = ClientMetricsReceiverPlugin()
    with Metrics() as metrics, ClientMetricsManager(
            plugin, 1, Time.SYSTEM, metrics, expiration_timer=MockTimer()) as client_metrics_manager:
        yield Managers(client_metrics_manager, plugin)


def content_of(send: Send) -> bytes:
    assert isinstance(send, ByteBufferSend) and send.size() == send.remaining()
    return b"".join(buffer.to_bytes() for buffer in send._buffers)


@pytest.mark.parametrize("throttle_time_ms", [0, 7])
@pytest.mark.parametrize("version", ApiKeys.API_VERSIONS.all_versions())
def test_a_shared_response_is_the_same_to_the_byte(managers: Managers, version: int,
                                                   throttle_time_ms: int) -> None:
    for _ in range(2):
        plain, fast = (manager.api_version_response(throttle_time_ms)
                       for manager in (managers.plain, managers.fast))
        assert fast.error_counts() == plain.error_counts()
        for correlation_id in (3, -4, 3):
            header = ResponseHeader.of(correlation_id, 0)
            assert content_of(fast.to_send(header, version)) == content_of(plain.to_send(header, version))
        # Other APIs from here on.
        managers.plugin.add(ClientMetricsReceiver())


def test_only_responses_that_are_not_throttled_are_shared(managers: Managers) -> None:
    fast = managers.fast
    assert fast.api_version_response(0) is fast.api_version_response(0)
    assert fast.api_version_response(7) is not fast.api_version_response(7)
