# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The rig that replaces a network client in the tests of the producer behaves as it says."""

from __future__ import annotations

import threading

import pytest

from kreactor.clients.node_api_versions import NodeApiVersions
from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.errors import AuthenticationException
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing.mock_time import MockTime
from tests.clients.mock_client import MockClient
from tests.stepping import PATIENCE_S

NODES = [Node(0, "localhost", 1), Node(1, "localhost", 2)]
RESPONSE = MetadataResponse(MetadataResponseData(), ApiKeys.METADATA.latest_version())


@pytest.fixture
def time():
    return MockTime()


@pytest.fixture
def client(time):
    return MockClient(time, NODES)


def send(client, time, node=NODES[0], timeout_ms=5000):
    """Send a request; return the list that its responses are added to."""
    responses = []
    request = client.new_client_request(
        node.id_string(), MetadataRequest.Builder.all_topics(), time.milliseconds(), True, timeout_ms,
        RequestCompletionHandler.of(responses.append))
    assert client.ready(node, time.milliseconds())
    client.send(request, time.milliseconds())
    return responses


def test_a_request_waits_for_its_response(client, time):
    first, second = send(client, time), send(client, time, NODES[1])
    assert client.in_flight_request_count() == 2
    assert client.poll(0, time.milliseconds()) == []
    client.respond_from(RESPONSE, NODES[1])
    assert client.poll(0, time.milliseconds()) == second
    assert second[0].response_body() is RESPONSE
    assert first == []
    client.respond(RESPONSE, True)
    client.poll(0, time.milliseconds())
    assert first[0].was_disconnected()
    assert not client.has_in_flight_requests()
    with pytest.raises(IllegalStateException):
        client.respond(RESPONSE)


def test_a_response_may_be_there_before_the_request(client, time):
    client.prepare_response_from(RESPONSE, NODES[1])
    client.prepare_response_matcher(lambda request: request.is_all_topics(), RESPONSE)
    assert client.num_awaiting_responses() == 2
    [first], [second] = send_polled(client, time), send_polled(client, time, NODES[1])
    assert (first.destination(), second.destination()) == ("0", "1")
    assert not client.has_pending_responses()
    client.prepare_response_matcher(lambda request: False, RESPONSE)
    with pytest.raises(IllegalStateException):
        send(client, time)


def send_polled(client, time, node=NODES[0]):
    responses = send(client, time, node)
    client.poll(0, time.milliseconds())
    return responses


def test_a_version_may_be_unknown(client, time):
    client.prepare_unsupported_version_response(lambda request: True)
    [response] = send_polled(client, time)
    assert response.version_mismatch() is not None
    client.prepare_response(RESPONSE)
    client.set_node_api_versions(NodeApiVersions.create_api_key(ApiKeys.METADATA.id, 100, 101))
    [response] = send_polled(client, time)
    assert response.version_mismatch() is not None


def test_a_late_request_disconnects(client, time):
    first, second = send(client, time, timeout_ms=10), send(client, time, NODES[1], timeout_ms=20)
    time.sleep(10)
    client.poll(0, time.milliseconds())
    assert first[0].was_disconnected()
    assert second == []
    assert not client.is_connected("0")


def test_nodes_back_off_fail_and_refuse(client, time):
    now = time.milliseconds()
    client.backoff(NODES[0], 5)
    assert client.connection_failed(NODES[0]) and client.connection_delay(NODES[0], now) == 5
    assert client.least_loaded_node(now).node() is NODES[1]
    client.create_pending_authentication_error(NODES[1], 7)
    [response] = send_polled(client, time, NODES[1])
    assert isinstance(response.authentication_exception(), AuthenticationException)
    assert client.authentication_exception(NODES[1]) is not None
    assert client.least_loaded_node(now).node() is None
    assert not client.has_ready_nodes(now)
    time.sleep(10)
    client.set_unreachable(NODES[0], 20)
    assert not client.ready(NODES[0], time.milliseconds())
    assert client.connection_failed(NODES[0])
    client.delay_ready(NODES[1], 30)
    assert not client.ready(NODES[1], time.milliseconds())
    time.sleep(30)
    assert client.ready(NODES[1], time.milliseconds())
    client.throttle(NODES[1], 1)
    assert not client.ready(NODES[1], time.milliseconds())


def test_a_poll_waits_for_a_wakeup_if_it_shall(client, time):
    client.enable_blocking_until_wakeup(1)
    polled = threading.Event()

    def poll() -> None:
        client.poll(0, time.milliseconds())
        polled.set()

    thread = threading.Thread(target=poll)
    thread.start()
    assert not polled.is_set()
    client.wakeup()
    assert polled.wait(PATIENCE_S)
    thread.join()
