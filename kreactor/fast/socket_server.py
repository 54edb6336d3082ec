# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The socket server with the fast parts, put in by the methods and classes that a test replaces, too."""

from __future__ import annotations

from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.network.control_plane_acceptor import ControlPlaneAcceptor
from kreactor.core.network.data_plane_acceptor import DataPlaneAcceptor
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.fast.request_queue import OneAtATimeQueue
from kreactor.fast.selector import FastSelector
from kreactor.server.metrics.yammer import MetricsRegistry


class FastProcessor(Processor):
    """A processor with a fast selector."""

    SELECTOR_CLASS = FastSelector


class FastSocketServer(SocketServer):
    """A socket server with fast processors and a fast request queue."""

    PROCESSOR_CLASS: type[Processor] = FastProcessor

    def _create_request_channel(self, queue_size: int, metric_name_prefix: str,
                                metrics_registry: MetricsRegistry | None) -> RequestChannel:
        channel = super()._create_request_channel(queue_size, metric_name_prefix, metrics_registry)
        channel._request_queue = OneAtATimeQueue(queue_size)
        return channel

    def _create_data_plane_acceptor(self, end_point: EndPoint, is_privileged_listener: bool,
                                    request_channel: RequestChannel) -> DataPlaneAcceptor:
        acceptor = super()._create_data_plane_acceptor(end_point, is_privileged_listener, request_channel)
        acceptor.PROCESSOR_CLASS = self.PROCESSOR_CLASS
        return acceptor

    def _create_control_plane_acceptor(self, end_point: EndPoint,
                                       request_channel: RequestChannel) -> ControlPlaneAcceptor:
        acceptor = super()._create_control_plane_acceptor(end_point, request_channel)
        acceptor.PROCESSOR_CLASS = FastProcessor
        return acceptor
