# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The server of ``kreactor serve --control``: the user's properties and data folder, with a control port.

The server is one broker, or a cluster of brokers on one folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kreactor.common.network.listener_name import ListenerName
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_server import DEFAULT_DRAIN_MS, BrokerServer, storage_config
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing.broker import Broker, Snapshot
from kreactor.testing.cluster import Cluster, ClusterBroker, CommonFolder
from kreactor.testing.control import Control, check_address
from kreactor.testing.folders import TemporaryFolder

if TYPE_CHECKING:
    from kreactor.testing.state import State
    from kreactor.common.security.scram.scram_credential import ScramCredential
    from kreactor.metadata.node_storage import ScramCredentialKey


class _FolderBroker(Broker):
    """A broker that keeps its folder. The broker's port is not reserved while it is stopped."""

    def __init__(self, properties: Mapping[str, str],
                 scram_users: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        super().__init__()
        self._properties = dict(properties)
        self._scram_users = dict(scram_users)

    def start(self) -> Broker:
        with self._lock:
            if self._inside is not None:
                raise IllegalStateException("the broker runs already: stop it first")
            # Later starts use the ports that the first start was given.
            bound = {} if self._listeners is None else {"listeners": self._listeners}
            self._inside = self._new_inside({**self._properties, **bound})
            self._keep_address()
            self.partitions = self._inside.server.config().num_partitions()
        return self

    def _reserve_port(self) -> None:
        """Do nothing: the properties have the listeners."""

    def close(self) -> None:
        self.stop(0)

    @property
    def folder(self) -> str | None:
        return self._properties.get("log.dirs") or self._properties.get("log.dir")

    def snapshot(self) -> Snapshot:
        raise IllegalStateException("snapshots: need a broker with a temporary folder")


class _FolderClusterBroker(_FolderBroker, ClusterBroker):
    """A broker of a cluster that keeps its folder."""

    def __init__(self, cluster: Cluster, properties: Mapping[str, str],
                 scram_users: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        Broker.__init__(self)
        self._join(cluster, int(properties.get("node.id", properties.get("broker.id", "-1"))))
        self._properties = dict(properties)
        self._scram_users = dict(scram_users)


class _FolderCluster(Cluster):
    """A cluster that keeps its folder."""

    def __init__(self, properties: Sequence[Mapping[str, str]],
                 scram_users: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        super().__init__(len(properties))
        brokers = [_FolderClusterBroker(self, each, scram_users) for each in properties]
        self._brokers = {broker.id: broker for broker in brokers}
        self._first = properties[0]

    def _new_folder(self) -> TemporaryFolder:
        return CommonFolder(storage_config(KafkaConfig.from_props(self._first, do_log=False)).directory)

    def _controller_properties(self) -> Mapping[str, str]:
        return self._first


class _Served:
    """A control port and the broker or cluster that it controls."""

    def __init__(self, host: str, port: int, token: str | None) -> None:
        check_address(host, token)
        self._address = host, port, token
        self._control: Control | None = None

    def _start_control(self, target: Broker | Cluster) -> None:
        host, port, token = self._address
        target.start()
        try:
            self._control = Control(target, host, port, token)
        except BaseException:
            target.close()
            raise

    def _stop_control(self) -> None:
        control, self._control = self._control, None
        if control is not None:
            control.close()

    def control_url(self) -> str:
        """Return the URL of the control port. Raises IllegalStateException before the start."""
        if self._control is None:
            raise IllegalStateException("the control port is not open")
        return self._control.url


class ServedCluster(_Served):
    """A cluster and its control port, which start and stop like a ClusterServer."""

    def __init__(self, properties: Sequence[Mapping[str, str]],
                 scram_users: Mapping[ScramCredentialKey, ScramCredential],
                 host: str, port: int, token: str | None) -> None:
        """Start nothing yet.

        ``properties`` has the properties of each broker. Raises ValueError as Control.
        """
        super().__init__(host, port, token)
        self._cluster = _FolderCluster(properties, scram_users)

    def startup(self) -> None:
        """Start the brokers and the control port.

        Raises as ClusterServer, and ValueError or OSError for the control port.
        """
        self._start_control(self._cluster)

    def shutdown(self) -> None:
        """Stop the control port, then all brokers."""
        self._stop_control()
        self._cluster.close(DEFAULT_DRAIN_MS)

    def brokers(self) -> list[BrokerServer]:
        """Return the running brokers, in the order of their ids."""
        return [broker.server() for broker in self._cluster.brokers.values() if broker.is_running()]


class ServedBroker(_Served):
    """A broker and its control port, which start and stop like a BrokerServer."""

    def __init__(self, config: KafkaConfig, properties: Mapping[str, str],
                 scram_users: Mapping[ScramCredentialKey, ScramCredential],
                 host: str, port: int, token: str | None) -> None:
        """Start nothing yet. ``config`` is parsed from ``properties``. Raises ValueError as Control."""
        super().__init__(host, port, token)
        self._config = config
        self._broker = _FolderBroker(properties, scram_users)

    def startup(self) -> None:
        """Start the broker and the control port.

        Raises as BrokerServer, and ValueError or OSError for the control port.
        """
        self._start_control(self._broker)

    def shutdown(self) -> None:
        """Stop the control port, then the broker."""
        self._stop_control()
        self._broker.stop()

    def state(self) -> State:
        """Return the state of the running broker. Raises IllegalStateException if it does not run."""
        return self._broker.state()

    def config(self) -> KafkaConfig:
        """Return the settings."""
        return self._config

    def bound_port(self, listener_name: ListenerName | str) -> int:
        """Return the port of a listener."""
        return self._broker.server().bound_port(listener_name)
