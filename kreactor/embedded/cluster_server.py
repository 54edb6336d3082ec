# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A cluster of brokers in one process, on one data folder: makes, starts and stops them. Not a port.

Owner: any thread that calls ``startup`` and then ``shutdown``, each once. Replication is simulated: see
``embedded.replication``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.utils.time import Time
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_cluster import BrokerCluster
from kreactor.embedded.broker_server import DEFAULT_DRAIN_MS, BrokerServer, storage_config
from kreactor.embedded.storage import Storage
from kreactor.metadata.node_storage import ScramCredentialKey
from kreactor.server.util.kafka_scheduler import KafkaScheduler

MAX_BROKERS = 100
_REPLICAS = 3
_MIN_IN_SYNC = 2
_PORT = re.compile(r":(\d+)(?=\s*(?:,|$))")
_HIGHEST_PORT = 65_535


def cluster_properties(props: Mapping[str, str], brokers: int) -> list[dict[str, str]]:
    """Return the properties of each broker. Ids and ports count up from those of the first broker.

    Topics have three replicas, or one per broker with fewer brokers, unless ``props`` set the number. Raises
    ConfigException for an invalid number of brokers, id or port.
    """
    if not 1 <= brokers <= MAX_BROKERS:
        raise ConfigException(f"A cluster has 1 to {MAX_BROKERS} brokers, and not {brokers}")
    replicas = str(min(_REPLICAS, brokers))
    defaults = {"default.replication.factor": replicas, "offsets.topic.replication.factor": replicas,
                "transaction.state.log.replication.factor": replicas,
                "transaction.state.log.min.isr": str(min(_MIN_IN_SYNC, brokers))}
    id_name = "node.id" if "node.id" in props else "broker.id"
    try:
        first_id = int(props.get(id_name, "1"))
    except ValueError:
        raise ConfigException(id_name, props[id_name], "Not a number of type INT") from None
    result = []
    for index in range(brokers):
        each = {**defaults, **props, id_name: str(first_id + index)}
        each.setdefault("listeners", "PLAINTEXT://:9092")
        for name in ("listeners", "advertised.listeners"):
            if name in each:
                each[name] = _PORT.sub(lambda match: _moved(name, int(match[1]), index), each[name])
        result.append(each)
    return result


def _moved(name: str, port: int, index: int) -> str:
    if port == 0:
        return ":0"
    if port + index > _HIGHEST_PORT:
        raise ConfigException(f"{name}: broker {index + 1} would have port {port + index}, which is above "
                              f"{_HIGHEST_PORT}")
    return f":{port + index}"


class ClusterServer:
    """Several brokers, as ``kreactor serve --brokers`` runs them."""

    def __init__(self, configs: list[KafkaConfig], time: Time = Time.SYSTEM,
                 scram_users: Mapping[ScramCredentialKey, ScramCredential] | None = None) -> None:
        """Make the object without any effect. The first of ``configs`` sets the defaults of topics and the
        data folder."""
        self._scheduler = KafkaScheduler(configs[0].background_threads(), True, "cluster-scheduler-")
        # The controller's own config, which no broker changes.
        config = KafkaConfig.from_props(configs[0].originals(), do_log=False)
        self._cluster = BrokerCluster(
            config, Storage(storage_config(config), self._scheduler, time), time)
        self._brokers = [BrokerServer(each, time, scram_users=scram_users or {}, cluster=self._cluster)
                         for each in configs]

    def brokers(self) -> list[BrokerServer]:
        """Return the brokers, in the order of their ids."""
        return self._brokers

    def startup(self) -> None:
        """Start all brokers. Raises as ``BrokerServer.startup``; then nothing stays open."""
        self._scheduler.startup()
        try:
            self._cluster.startup()
            self._cluster.replication().await_brokers(
                broker.config().broker_id() for broker in self._brokers)
            for broker in self._brokers:
                broker.startup()
        except BaseException:
            self.shutdown(0)
            raise

    def shutdown(self, drain_ms: int = DEFAULT_DRAIN_MS) -> None:
        """Stop all brokers, the last one first, and close the folder. A second call does nothing.

        The current leaders and in-sync sets are stored: no broker takes over from a stopping one.
        """
        self._cluster.stop()
        for broker in reversed(self._brokers):
            broker.shutdown(drain_ms)
        self._scheduler.shutdown()
        self._cluster.shutdown()
