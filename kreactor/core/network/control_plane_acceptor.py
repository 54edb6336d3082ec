# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.ControlPlaneAcceptor of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The acceptor of the listener that is kept for the controller, where there is one.

It has one processor, a request channel and a handler of its own, so that the controller is heard while
clients queue up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.connection_quotas import ConnectionQuotas
from kreactor.core.network.request_channel import RequestChannel

if TYPE_CHECKING:
    from kreactor.core.network.socket_server import SocketServer
    from kreactor.core.server.api_version_manager import ApiVersionManager
    from kreactor.core.server.kafka_config import KafkaConfig


class ControlPlaneAcceptor(Acceptor):
    """Accepts the controller's connections, which are always privileged.

    :origin: kafka.network.ControlPlaneAcceptor
    :origin: kafka.network.ControlPlaneAcceptor
    """

    THREAD_PREFIX = "control-plane"
    METRIC_PREFIX = "ControlPlane"

    def __init__(
        self,
        socket_server: SocketServer,
        end_point: EndPoint,
        config: KafkaConfig,
        node_id: int,
        connection_quotas: ConnectionQuotas,
        time: Time,
        request_channel: RequestChannel,
        metrics: Metrics,
        log_context: LogContext,
        memory_pool: MemoryPool,
        api_version_manager: ApiVersionManager,
    ) -> None:
        super().__init__(
            socket_server, end_point, config, node_id, connection_quotas, time, True, request_channel,
            metrics, log_context, memory_pool, api_version_manager)

    def metric_prefix(self) -> str:
        """:origin: kafka.network.ControlPlaneAcceptor#metricPrefix"""
        return self.METRIC_PREFIX

    def thread_prefix(self) -> str:
        """:origin: kafka.network.ControlPlaneAcceptor#threadPrefix"""
        return self.THREAD_PREFIX
