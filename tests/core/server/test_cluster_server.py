# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A cluster whose folder outlives it: the brokers of the next start have what the former ones stored."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.core.server.broker_server import BrokerServer
from kreactor.core.server.cluster_server import ClusterServer, cluster_properties
from kreactor.core.server.kafka_config import KafkaConfig
from tests.core.server.wire import Wire


def new_cluster(folder: Path) -> ClusterServer:
    return ClusterServer([KafkaConfig.from_props(props) for props in cluster_properties(
        {"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": str(folder)}, 2)])


def produce_quota(broker: BrokerServer, user: str) -> float:
    return broker.quota_managers().produce.quota(user, "client").bound()


def test_stored_quotas_are_in_force_on_every_broker(tmp_path: Path) -> None:
    Entry = AlterClientQuotasRequestData.EntryData
    cluster = new_cluster(tmp_path)
    cluster.startup()
    try:
        with Wire("127.0.0.1", cluster.brokers()[1].bound_port("PLAINTEXT")) as wire:
            answer = wire.ask(ApiKeys.ALTER_CLIENT_QUOTAS, 1, AlterClientQuotasRequestData(entries=[Entry(
                entity=[AlterClientQuotasRequestData.EntityData(entity_type="user", entity_name="u")],
                ops=[AlterClientQuotasRequestData.OpData(key="producer_byte_rate", value=1024.0)])]), "wire")
        assert answer.entries[0].error_code == 0
        assert [produce_quota(broker, "u") for broker in cluster.brokers()] == [1024.0, 1024.0]
    finally:
        cluster.shutdown(0)

    cluster = new_cluster(tmp_path)
    cluster.startup()
    try:
        assert [produce_quota(broker, "u") for broker in cluster.brokers()] == [1024.0, 1024.0]
    finally:
        cluster.shutdown(0)
