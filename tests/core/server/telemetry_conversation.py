# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A conversation with a broker, as ``conversation``: about the metrics of clients, which nobody there takes.

``hold`` leads it and leaves no subscriptions behind. ``python -m tests.core.server.telemetry_conversation
HOST:PORT`` writes the answers of Kafka's broker anew.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Callable

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
from kreactor.common.uuid import Uuid
from tests.core.server.conversation import Answers, Conversation, connector, read_answers, record_answers
from tests.core.server.wire import Wire

RECORDED = os.path.join(os.path.dirname(__file__), "telemetry_answers_3_8_0.json")

SET, DELETE = 0, 1


class TelemetryConversation(Conversation):
    """Asks, and writes down. ``settle`` waits until a broker has heard of a change from its controller."""

    def __init__(self, connect: Callable[[], Wire], prefix: str, settle: Callable[[], None]) -> None:
        super().__init__(connect, prefix)
        self.settle = settle

    def _clean(self, api: ApiKeys, node: Any, key: str = "") -> Any:
        if isinstance(node, dict) and "subscriptionId" in node and node["errorCode"] == 0:
            # The metrics of the subscription are hashed into its id; in Kafka the order of a set, too.
            id_ = Uuid.from_string(node["clientInstanceId"])
            bits = id_.get_most_significant_bits() ^ id_.get_least_significant_bits()
            metrics = sorted(node["requestedMetrics"])
            about = (node["subscriptionId"] ^ bits >> 32 ^ bits) & 0xFFFFFFFF
            node = {**node, "clientInstanceId": "ID", "requestedMetrics": metrics,
                    "subscriptionId": about if len(metrics) < 2 else "ABOUT MANY"}
        return super()._clean(api, node, key)

    def get(self, label: str, id_: Uuid = Uuid.ZERO_UUID, client_id: str = "nobody") -> Any:
        """Ask what a client is to send."""
        return self.ask(label, ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0,
                        GetTelemetrySubscriptionsRequestData(client_instance_id=id_), self.prefix + client_id)

    def push(self, label: str, subscription: Any = None, **fields: Any) -> None:
        """Send metrics, as a new client unless it has a ``subscription``."""
        if subscription is None:
            subscription = self.get(f"before {label}")
        data = {"client_instance_id": subscription.client_instance_id,
                "subscription_id": subscription.subscription_id, **fields}
        self.ask(label, ApiKeys.PUSH_TELEMETRY, 0, PushTelemetryRequestData(**data), self.prefix + "nobody")

    def subscribe(self, name: str, **configs: str | None) -> None:
        """Change a subscription; None takes a setting away."""
        label = f"{name} {configs}".replace(self.prefix, "T.")
        self.ask(label, ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(resources=[
            IncrementalAlterConfigsRequestData.AlterConfigsResource(
                resource_type=ConfigResource.Type.CLIENT_METRICS.id(), resource_name=self.prefix + name,
                configs=[IncrementalAlterConfigsRequestData.AlterableConfig(
                    name=key.replace("_", "."), config_operation=DELETE if value is None else SET,
                    value=value) for key, value in configs.items()])]))
        self.settle()


def hold(connect: Callable[[], Wire], prefix: str, settle: Callable[[], None] = lambda: None) -> Answers:
    """Lead the conversation, and return all answers by what was asked."""
    talk = TelemetryConversation(connect, prefix, settle)
    try:
        talk.ask("metrics are asked for by nobody", ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData(
            client_software_name="telemetry", client_software_version="1"))
        without_subscriptions(talk)
        with_subscriptions(talk)
    finally:
        talk.close()
    return talk.answers


def without_subscriptions(talk: TelemetryConversation) -> None:
    new = talk.get("a new client")
    id_ = new.client_instance_id
    talk.get("again, too early", id_)
    talk.push("as asked", new, metrics=b"metrics")
    talk.push("again, too early", new, metrics=b"metrics")
    talk.get("too early after it has sent", id_)
    talk.push("too early, for the last time", new, terminating=True)
    talk.push("after the last time", new, terminating=True)
    talk.push("after the last time, as if nothing had been", new)

    for reserved in Uuid.RESERVED:
        talk.push(f"by {reserved}", new, client_instance_id=reserved)
    talk.push("by a client that never asked", new, client_instance_id=Uuid.random_uuid())
    talk.get("a client that knows its id", Uuid.random_uuid())

    talk.push("nothing")
    talk.push("of another subscription", subscription_id=77)
    for id_of_compression in (-1, 5, 100):
        talk.push(f"compressed by {id_of_compression}", compression_type=id_of_compression)
        talk.push(f"of another subscription, compressed by {id_of_compression}",
                  compression_type=id_of_compression, subscription_id=77)
    talk.push("as much as can be", metrics=bytes(1 << 20))
    talk.push("too much", metrics=bytes((1 << 20) + 1))
    talk.push("too much, compressed by nobody knows what", metrics=bytes((1 << 20) + 1), compression_type=9)
    for compression_type in CompressionType:
        if compression_type is CompressionType.NONE:
            continue
        compressed = ClientTelemetryUtils.compress(b"metrics" * 1000, compression_type)
        id_of_compression = compression_type._id
        talk.push(f"compressed by {compression_type}", metrics=compressed, compression_type=id_of_compression)
        talk.push(f"half of it compressed by {compression_type}", metrics=compressed[:len(compressed) // 2],
                  compression_type=id_of_compression)
        talk.push(f"not compressed by {compression_type}", metrics=b"metrics" * 10,
                  compression_type=id_of_compression)


def with_subscriptions(talk: TelemetryConversation) -> None:
    asked = talk.get("a client before it is subscribed to", client_id="one")
    id_ = asked.client_instance_id
    one, other = f"client_id={talk.prefix}one", f"client_id={talk.prefix}o.*,client_software_name=.*"
    talk.subscribe("a", metrics="a.b", match=one)
    talk.push("of what it was asked for before", asked, metrics=b"metrics")
    talk.get("a client that is subscribed to", id_, "one")
    talk.get("the same too early", id_, "one")
    talk.get("a client that is not subscribed to")
    talk.get("a client whose name begins so", client_id="one more")

    talk.subscribe("a", interval_ms="1000")
    talk.get("more often", id_, "one")
    talk.subscribe("b", interval_ms="2000", metrics="c,d.", match=other)
    talk.get("with another", id_, "one")
    talk.get("the other alone", client_id="other")
    talk.subscribe("b", metrics="*")
    talk.get("with one for all", id_, "one")
    talk.subscribe("b", metrics="", interval_ms="100")
    talk.get("with one for nothing", id_, "one")
    talk.subscribe("a", metrics=None, interval_ms=None, match=None)
    talk.get("the first is gone", id_, "one")
    talk.subscribe("b", match="client_source_address=127.0.0.2")
    talk.get("the second means another", id_, "one")
    talk.subscribe("b", metrics=None, interval_ms=None, match=None)
    talk.get("all are gone", id_, "one")


def read_recorded() -> Answers:
    """Return the answers of Kafka 3.8.0 in KRaft mode, with all its settings at their defaults."""
    return read_answers(RECORDED)


# How long a live broker may take to hear of a change.
LIVE_SETTLE_S = 0.5

if __name__ == "__main__":
    record_answers(RECORDED, hold(connector(sys.argv[1]), f"record_{os.getpid()}_",
                                  lambda: time.sleep(LIVE_SETTLE_S)))
