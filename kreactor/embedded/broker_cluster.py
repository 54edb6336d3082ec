# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parts that the brokers of a cluster in one process share: storage, replication and controller. Not a
port.

Each broker has its own listeners, handlers, coordinators and metadata cache. It is notified of changes, as
Kafka's brokers are by their controller. Requests between brokers are direct calls: the markers of
transactions, the verification of partitions, and requests to the controller. Replication is simulated: see
``embedded.replication``.

Owner: the thread that makes the cluster starts it before its brokers, and shuts it down after them. Any
thread calls the other methods. ``_lock`` guards the table of brokers, which is replaced, never changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import BrokerNotAvailableException
from kreactor.common.node import Node
from kreactor.common.requests.write_txn_markers_request import WriteTxnMarkersRequest
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.utils.time import Time
from kreactor.controller.acl_control_manager import AclControlManager
from kreactor.controller.client_quota_control_manager import ClientQuotaControlManager
from kreactor.controller.configuration_control_manager import ConfigurationControlManager
from kreactor.controller.replication_control_manager import ReplicationControlManager
from kreactor.controller.scram_control_manager import ScramControlManager
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.core.log.log_manager import LogManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.metadata.scram_publisher import ScramPublisher
from kreactor.core.server.request_local import RequestLocal
from kreactor.embedded import replication
from kreactor.embedded.replication import SimulatedReplication
from kreactor.embedded.storage import Storage
from kreactor.image.cluster_image import ClusterBroker
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import Lock
from kreactor.jdk.random_numbers import RANDOM, Random
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.metrics.yammer import MetricsRegistry

if TYPE_CHECKING:
    from kreactor.embedded.broker_server import BrokerServer

T = TypeVar("T")


class BrokerCluster:
    """The shared parts of brokers whose data is in one folder."""

    def __init__(self, config: KafkaConfig, storage: Storage, time: Time = Time.SYSTEM,
                 random: Random = RANDOM) -> None:
        """Make the object without any effect. ``config`` is the controller's; ``storage`` is not started.

        ``random`` picks the first broker of new partitions.
        """
        self._config = config
        self._storage = storage
        self._time = time
        self._random = random
        # Metrics of the shared parts: the log cleaner.
        self._metrics_registry = MetricsRegistry()
        self._log_cleaner: LogCleaner | None = None
        self._lock = Lock()
        # The running brokers by id. Replaced under the lock.
        self._brokers: Mapping[int, BrokerServer] = {}
        self._replication: SimulatedReplication | None = None
        self._configuration_control: ConfigurationControlManager | None = None
        self._replication_control: ReplicationControlManager | None = None
        self._acl_control: AclControlManager | None = None
        self._client_quota_control: ClientQuotaControlManager | None = None
        self.credential_provider = CredentialProvider(ScramMechanism.mechanism_names())
        self._scram_control: ScramControlManager | None = None

    def startup(self) -> None:
        """Open the folder. Raises as ``Storage.startup``, or KafkaException; then nothing stays open."""
        storage = self._storage
        self._config.dynamic_config().initialize(None)
        storage.startup()
        try:
            if self._config.log_cleaner_enable():
                logs = storage.log_manager()
                self._log_cleaner = new_log_cleaner(self._config, logs, self._time, self._metrics_registry)
                logs.start_cleaner(self._log_cleaner)
                self._config.dynamic_config().add_broker_reconfigurable(self._log_cleaner)
            self._replication = SimulatedReplication(
                storage, os.path.join(storage.log_manager().directory(), replication.FILE_NAME))
            self.credential_provider.credential_cache.secret = storage.scram_credentials().secret()
            self._scram_control = ScramControlManager(
                storage.scram_credentials(), ScramPublisher(self.credential_provider))
            self._client_quota_control = ClientQuotaControlManager(storage.client_quotas())
            self._acl_control = AclControlManager(storage.acls(), self._config.is_strict())
            self._configuration_control = ConfigurationControlManager(
                self._config, storage, lambda: self.replication().image().brokers)
            self._configuration_control.process_changes(ConfigResource(ConfigResource.Type.BROKER, ""))
            self._replication_control = ReplicationControlManager(
                self._config, storage, None, None, self._configuration_control, self._replication,
                self._random)
        except BaseException:
            storage.shutdown()
            raise

    def stop(self) -> None:
        """Freeze the leaders and in-sync sets, because all brokers will stop.

        Does nothing before the start.
        """
        if self._replication is not None:
            self._replication.stop()

    def shutdown(self) -> None:
        """Close the folder, after its brokers have stopped. A second call does nothing."""
        self._storage.shutdown()
        self._config.dynamic_config().clear()
        for name in list(self._metrics_registry.all_metrics()):
            self._metrics_registry.remove_metric(name)

    def log_cleaner(self) -> LogCleaner | None:
        """Return the log cleaner, None if it is disabled."""
        return self._log_cleaner

    def storage(self) -> Storage:
        """Return the storage."""
        return self._storage

    def replication(self) -> SimulatedReplication:
        """Return the replication. Raises IllegalStateException before the start."""
        return self._part(self._replication)

    def replication_control(self) -> ReplicationControlManager:
        """Return the controller. Raises IllegalStateException before the start."""
        return self._part(self._replication_control)

    def scram_control(self) -> ScramControlManager:
        """Return the controller's SCRAM part. Raises IllegalStateException before the start."""
        return self._part(self._scram_control)

    def client_quota_control(self) -> ClientQuotaControlManager:
        """Return the controller's quota part. Raises IllegalStateException before the start."""
        return self._part(self._client_quota_control)

    def acl_control(self) -> AclControlManager:
        """Return the controller's ACL part. Raises IllegalStateException before the start."""
        return self._part(self._acl_control)

    def _part(self, part: T | None) -> T:
        if part is None:
            raise IllegalStateException("the cluster has not started")
        return part

    # -- brokers join and leave --------------------------------------------------------------------

    def join(self, broker: BrokerServer, nodes: Mapping[str, Node]) -> None:
        """Add a broker whose parts exist. It leads and follows from now on."""
        config = broker.config()
        with self._lock:
            self._brokers = {**self._brokers, config.broker_id(): broker}
        self.replication().register(ClusterBroker(config.broker_id(), config.rack(), nodes), broker)
        self.replication().assign_missing_replicas(
            lambda count: self.replication_control().place(0, count, 1))

    def leave(self, broker: BrokerServer) -> None:
        """Remove a broker. Does nothing if the broker is not in the cluster."""
        broker_id = broker.config().broker_id()
        with self._lock:
            if self._brokers.get(broker_id) is not broker:
                return
            self._brokers = {id_: other for id_, other in self._brokers.items() if id_ != broker_id}
        self.replication().fence(broker_id)

    def config_changed(self, by: BrokerServer, resource: ConfigResource) -> None:
        """Have all other brokers apply a setting that ``broker`` has stored."""
        for broker in self._brokers.values():
            if broker is not by:
                broker.config_changed(resource)
        if resource.is_default():
            # The defaults of topics are the cluster's own.
            self._part(self._configuration_control).process_changes(resource)
            self._storage.log_defaults_changed()

    # -- requests between brokers ------------------------------------------------------------------

    def broker(self, broker_id: int) -> BrokerServer | None:
        """Return a running, unfenced broker, or None."""
        if not self.replication().image().is_alive(broker_id):
            return None
        return self._brokers.get(broker_id)

    def write_txn_markers(
        self, markers: Sequence[WriteTxnMarkersRequest.TxnMarkerEntry], request_local: RequestLocal,
        response_callback: Callable[[WriteTxnMarkersResponse], None],
    ) -> None:
        """Have the leader of the first partition write the markers. It refuses markers of partitions that it
        does not lead.

        Raises BrokerNotAvailableException if the leader cannot be reached.
        """
        state = self.replication().image().partitions.get(markers[0].partitions[0])
        broker = None if state is None else self.broker(state.leader)
        if broker is None:
            raise BrokerNotAvailableException(f"no broker leads {markers[0].partitions[0]} now")
        broker.txn_marker_appender().append(markers, request_local, response_callback)
        # No request is handled here, so no handler runs the action queue afterwards.
        broker.replica_manager().try_complete_actions()


def new_log_cleaner(config: KafkaConfig, logs: LogManager, time: Time,
                    registry: MetricsRegistry) -> LogCleaner:
    """Return the log cleaner, not started."""
    return LogCleaner(LogCleaner.cleaner_config(config), [logs.directory()], logs.logs(), time, registry)
