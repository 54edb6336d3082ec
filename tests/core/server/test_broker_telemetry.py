# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The metrics of clients, over real sockets, to a reporter that the broker's settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.get_telemetry_subscriptions_request_data import (
    GetTelemetrySubscriptionsRequestData,
)
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.telemetry.internals.client_telemetry_utils import ClientTelemetryUtils
from kreactor.embedded.broker_server import BrokerServer
from kreactor.server.telemetry.client_telemetry import ClientTelemetry
from tests.core.server.brokers import connect, new_broker
from tests.core.server.test_kafka_metrics_reporter import MockMetricsReporter
from tests.server.metrics.client_metrics_test_utils import ClientMetricsReceiver

RECEIVER = ClientMetricsReceiver()


class Reporter(MockMetricsReporter, ClientTelemetry):
    """Takes no metrics but those of clients."""

    def client_receiver(self) -> ClientMetricsReceiver:
        return RECEIVER


def telemetry_of(broker: BrokerServer) -> set[int]:
    """Return which of the two APIs a broker says it has."""
    with connect(broker) as wire:
        answer: Any = wire.ask(ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData(
            client_software_name="a", client_software_version="1"))
    return {api.api_key for api in answer.api_keys} & {71, 72}


def subscription_of(broker: BrokerServer) -> Any:
    with connect(broker) as wire:
        return wire.ask(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0, GetTelemetrySubscriptionsRequestData())


def test_metrics_reach_the_reporter_and_subscriptions_stay(tmp_path: Path) -> None:
    RECEIVER.payloads.clear()
    with new_broker(tmp_path) as broker:
        assert telemetry_of(broker) == set()
        with connect(broker) as wire:
            answer: Any = wire.ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(
                resources=[IncrementalAlterConfigsRequestData.AlterConfigsResource(
                    resource_type=ConfigResource.Type.CLIENT_METRICS.id(), resource_name="sub",
                    configs=[IncrementalAlterConfigsRequestData.AlterableConfig(
                        name="metrics", config_operation=0, value="a.,b.")])]))
        assert answer.responses[0].error_code == 0
        assert subscription_of(broker).requested_metrics == ["a.", "b."]

    settings = {"metric.reporters": f"{__name__}.Reporter", "telemetry.max.bytes": "1000"}
    with new_broker(tmp_path, settings) as broker:
        assert telemetry_of(broker) == {71, 72}
        subscription = subscription_of(broker)
        assert (subscription.requested_metrics, subscription.telemetry_max_bytes) == (["a.", "b."], 1000)
        with connect(broker) as wire:
            answer = wire.ask(ApiKeys.PUSH_TELEMETRY, 0, PushTelemetryRequestData(
                client_instance_id=subscription.client_instance_id,
                subscription_id=subscription.subscription_id, compression_type=CompressionType.ZSTD._id,
                metrics=ClientTelemetryUtils.compress(b"metrics", CompressionType.ZSTD)))
        assert answer.error_code == 0
    payload, = RECEIVER.payloads
    assert payload.client_instance_id() == subscription.client_instance_id
    assert payload.data().to_bytes() == b"metrics"
