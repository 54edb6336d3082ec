# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor.fidelity`` in a processor: how often the response to a closing connection is recorded (D17)."""

from __future__ import annotations

import pytest

from kreactor.core.network.request_channel import RequestChannel
from tests.core.network.servers import Servers, plaintext_props
from tests.core.network.test_socket_server import (
    make_channel_with_buffered_requests_and_close_remote,
    process_request,
)
from tests.core.network.testable_server import TestableSocketServer
from tests.stepping import wait_until


@pytest.mark.deviation("D17")
@pytest.mark.parametrize("fidelity, times", [("fixed", 1), ("strict", 2)])
def test_the_response_to_a_closing_connection(servers: Servers, monkeypatch: pytest.MonkeyPatch,
                                              fidelity: str, times: int) -> None:
    server = servers.start(plaintext_props(kreactor_fidelity=fidelity), make=TestableSocketServer)
    assert isinstance(server, TestableSocketServer)
    request = make_channel_with_buffered_requests_and_close_remote(servers, server, make_closing=True)
    connection_id = request.context.connection_id
    processor = server.testable_processor()
    wait_until(lambda: processor.selector.closing_channel(connection_id))
    recorded: list[RequestChannel.Request] = []
    update = RequestChannel.Request.update_request_metrics

    def spy(self: RequestChannel.Request, network_thread_time_nanos: int,
            response: RequestChannel.Response) -> None:
        recorded.append(self)
        update(self, network_thread_time_nanos, response)

    monkeypatch.setattr(RequestChannel.Request, "update_request_metrics", spy)
    process_request(server.data_plane_request_channel, request)
    wait_until(lambda: processor.open_or_closing_channel(connection_id) is None
               and processor.inflight_response_count() == 0)
    wait_until(lambda: recorded.count(request) == times)
    servers.stop(server)
    assert recorded.count(request) == times
