# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.SocketServerTest of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A socket server with an echo behind it. All cases but three are as in 0.10.2.2 or in 2.2.2: imported."""

from __future__ import annotations

import socket

import pytest

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.editions.v0_10_2.common.network.network_send import NetworkSend
from kreactor.editions.v1_0.common.network.selector import Selector
from kreactor.editions.v1_0.core.network import socket_server
from kreactor.editions.v1_0.core.network.request_channel import Response, ResponseAction
from kreactor.editions.v1_0.core.network.socket_server import Processor, SocketServer
from kreactor.server.metrics.yammer import Meter
from tests.core.network.test_socket_server import producer_request_bytes
from tests.editions.testable_selector import testable
from tests.editions.v0_10_2.core.network import test_socket_server as of_0_10_2
from tests.editions.v0_10_2.core.network.test_socket_server import (  # noqa: F401
    receive_response,
    send_request,
    servers,
    test_broker_send_after_channel_closed_updates_request_metrics,
    test_client_disconnection_updates_request_metrics,
    test_graceful_close,
    test_max_connections_per_ip,
    test_max_connections_per_ip_overrides,
    test_session_principal,
    test_ssl_socket_server,
    test_too_big_request_is_rejected,
)
from tests.editions.v2_2.core.network.test_socket_server import (  # noqa: F401
    healthy,
    server,
    test_client_disconnection_with_staged_receives_fully_processed,
    test_closing_channel_exception,
    test_configure_new_connection_exception,
    test_connection_id,
    test_connection_id_reuse,
    test_control_throwable,
    test_idle_connection,
    test_metric_collection_after_shutdown,
    test_no_op_action,
    test_poll_exception,
    test_process_completed_receive_exception,
    test_process_completed_send_exception,
    test_process_disconnected_exception,
    test_process_new_response_exception,
    test_processor_metrics_tags,
    test_send_cancelled_key_exception,
    testable_server,
)


class Api(of_0_10_2.Api):
    """The request channel of 1.0, and what its handlers do."""

    @staticmethod
    def connection_id(request) -> str:
        return request.context.connection_id

    @staticmethod
    def answer(channel, request, send: NetworkSend) -> None:
        channel.send_response(Response(request, send, ResponseAction.SendAction, str(request.header())))

    @staticmethod
    def no_operation(channel, request) -> None:
        channel.send_response(Response(request, None, ResponseAction.NoOpAction))


class Server(SocketServer):
    """A server with processors under the name that they got with the control plane, too."""

    def data_plane_processor(self, index: int) -> Processor:
        return self.processor(index)


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def server_class():
    return Server


@pytest.fixture
def selector_patch(monkeypatch):
    """Has processors take a selector that the test can hold."""
    monkeypatch.setattr(socket_server, "KSelector", testable(Selector))


def test_simple_request(servers, server, api):  # noqa: F811
    plain_socket = servers.connect(server)
    send_request(plain_socket, producer_request_bytes())
    api.process_request(server.request_channel)
    assert receive_response(plain_socket) == producer_request_bytes()


def test_sockets_close_on_shutdown(servers, server, api):  # noqa: F811
    plain_socket = servers.connect(server)
    plain_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A request first, so that the connection has been taken up.
    send_request(plain_socket, bytes(40), 0)
    api.process_request(server.request_channel)

    assert all(acceptor.server_channel.is_open() for acceptor in server.acceptors.values())
    server.shutdown()

    with pytest.raises(OSError):
        for _ in range(100):
            send_request(plain_socket, bytes(1_000_000), 0)


def test_request_metrics_after_stop(server):  # noqa: F811
    server.stop_processing_requests()
    channel = server.request_channel
    # The metrics are those of 3.8.0, which count each version apart.
    version = ApiKeys.PRODUCE.latest_version()
    channel.metrics.apply(ApiKeys.PRODUCE.name).request_rate(version).mark()
    channel.update_error_metrics(ApiKeys.PRODUCE, {Errors.NONE: 1})

    def request_metric_meters() -> dict[str, int]:
        return {name.get_mbean_name(): metric.count()
                for name, metric in server.metrics_registry.all_metrics().items()
                if name.get_type() == "RequestMetrics" and isinstance(metric, Meter)}

    prefix = "kafka.network:type=RequestMetrics,name"
    assert {name: count for name, count in request_metric_meters().items() if count} == {
        f"{prefix}=RequestsPerSec,request=Produce,version={version}": 1,
        f"{prefix}=ErrorsPerSec,request=Produce,error=NONE": 1,
    }
    server.shutdown()
    assert request_metric_meters() == {}
