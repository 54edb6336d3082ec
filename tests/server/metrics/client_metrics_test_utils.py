# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.ClientMetricsTestUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Helpers of the tests about the metrics of clients."""

from __future__ import annotations

from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.jdk.net import InetAddress
from kreactor.server.authorizer.authorizable_request_context import AuthorizableRequestContext
from kreactor.server.metrics.client_metrics_configs import ClientMetricsConfigs
from kreactor.server.telemetry.client_telemetry_payload import ClientTelemetryPayload
from kreactor.server.telemetry.client_telemetry_receiver import ClientTelemetryReceiver

DEFAULT_METRICS = (
    "org.apache.kafka.client.producer.partition.queue.,org.apache.kafka.client.producer.partition.latency")
DEFAULT_PUSH_INTERVAL_MS = 30_000
DEFAULT_CLIENT_MATCH_PATTERNS = (
    f"{ClientMetricsConfigs.CLIENT_SOFTWARE_NAME}=apache-kafka-java",
    f"{ClientMetricsConfigs.CLIENT_SOFTWARE_VERSION}=3.5.*")
CLIENT_PORT = 56_078
CLIENT_ADDRESS = "127.0.0.1"


def default_properties() -> dict[str, str]:
    return {ClientMetricsConfigs.SUBSCRIPTION_METRICS: DEFAULT_METRICS,
            ClientMetricsConfigs.PUSH_INTERVAL_MS: str(DEFAULT_PUSH_INTERVAL_MS),
            ClientMetricsConfigs.CLIENT_MATCH_PATTERN: ",".join(DEFAULT_CLIENT_MATCH_PATTERNS)}


def request_context(
        information: ClientInformation | None = ClientInformation("apache-kafka-java", "3.5.2"),
        client_id: str = "producer-1",
) -> RequestContext:
    return RequestContext(
        RequestHeader.of(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0, client_id, 0), "1",
        InetAddress.get_by_name(CLIENT_ADDRESS), KafkaPrincipal.ANONYMOUS,
        ListenerName.for_security_protocol(SecurityProtocol.PLAINTEXT), SecurityProtocol.PLAINTEXT,
        information, False, CLIENT_PORT)  # type: ignore[arg-type]  # there may be none


class ClientMetricsReceiver(ClientTelemetryReceiver):
    """Kafka's TestClientMetricsReceiver: keeps what it gets."""

    def __init__(self) -> None:
        self.export_metrics_invoked_count = 0
        self.payloads: list[ClientTelemetryPayload] = []

    def export_metrics(self, context: AuthorizableRequestContext, payload: ClientTelemetryPayload) -> None:
        self.export_metrics_invoked_count += 1
        self.payloads.append(payload)
