# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.InFlightRequestsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests that wait for a response are answered in their order, and time out by node."""

from __future__ import annotations

import pytest

from kreactor.clients.in_flight_requests import InFlightRequests
from kreactor.clients.network_client import NetworkClient
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.request_header import RequestHeader
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing.mock_time import MockTime

DEST = "dest"


class Sent:
    """A send that is written, or not."""

    def __init__(self, completed: bool) -> None:
        self._completed = completed

    def completed(self) -> bool:
        return self._completed


class Requests(InFlightRequests):
    """Counts the correlation ids of the requests that a test adds."""

    def __init__(self, maximum: int = 12) -> None:
        super().__init__(maximum)
        self.correlation_id = 0

    def add_request(self, destination: str, send_time_ms: int = 0, request_timeout_ms: int = 10000,
                    written: bool = True) -> int:
        correlation_id = self.correlation_id
        self.correlation_id += 1
        request_header = RequestHeader.of(ApiKeys.METADATA, 0, "clientId", correlation_id)
        self.add(NetworkClient.InFlightRequest(
            request_header, request_timeout_ms, 0, destination, None, False, False, None, Sent(written),
            send_time_ms))
        return correlation_id


@pytest.fixture
def in_flight_requests():
    return Requests()


def test_complete_last_sent(in_flight_requests):
    correlation_id_1 = in_flight_requests.add_request(DEST)
    correlation_id_2 = in_flight_requests.add_request(DEST)
    assert in_flight_requests.count() == 2

    assert in_flight_requests.last_sent(DEST).header.correlation_id() == correlation_id_2
    assert in_flight_requests.complete_last_sent(DEST).header.correlation_id() == correlation_id_2
    assert in_flight_requests.count() == 1

    assert in_flight_requests.complete_last_sent(DEST).header.correlation_id() == correlation_id_1
    assert in_flight_requests.count() == 0


def test_clear_all(in_flight_requests):
    correlation_id_1 = in_flight_requests.add_request(DEST)
    correlation_id_2 = in_flight_requests.add_request(DEST)

    cleared_requests = list(in_flight_requests.clear_all(DEST))
    assert in_flight_requests.count() == 0
    assert [request.header.correlation_id() for request in cleared_requests] == [
        correlation_id_1, correlation_id_2]
    assert list(in_flight_requests.clear_all(DEST)) == []


def test_timed_out_nodes(in_flight_requests):
    time = MockTime()

    in_flight_requests.add_request("A", time.milliseconds(), 50)
    in_flight_requests.add_request("B", time.milliseconds(), 200)
    in_flight_requests.add_request("B", time.milliseconds(), 100)

    time.sleep(50)
    assert in_flight_requests.nodes_with_timed_out_requests(time.milliseconds()) == []

    time.sleep(25)
    assert in_flight_requests.nodes_with_timed_out_requests(time.milliseconds()) == ["A"]

    time.sleep(50)
    assert in_flight_requests.nodes_with_timed_out_requests(time.milliseconds()) == ["A", "B"]

    # The time that a node was throttled does not count.
    in_flight_requests.increment_throttle_time("A", 100)
    in_flight_requests.increment_throttle_time("C", 100)
    assert in_flight_requests.nodes_with_timed_out_requests(time.milliseconds()) == ["B"]


def test_complete_next(in_flight_requests):
    correlation_id_1 = in_flight_requests.add_request(DEST)
    correlation_id_2 = in_flight_requests.add_request(DEST)
    assert in_flight_requests.count() == 2

    assert in_flight_requests.complete_next(DEST).header.correlation_id() == correlation_id_1
    assert in_flight_requests.count() == 1

    assert in_flight_requests.complete_next(DEST).header.correlation_id() == correlation_id_2
    assert in_flight_requests.count() == 0


def test_complete_next_throws_if_no_inflights(in_flight_requests):
    with pytest.raises(IllegalStateException):
        in_flight_requests.complete_next(DEST)


def test_complete_last_sent_throws_if_no_in_flights(in_flight_requests):
    with pytest.raises(IllegalStateException):
        in_flight_requests.complete_last_sent(DEST)


def test_the_next_request_waits_until_the_last_is_written_and_there_is_room():
    requests = Requests(2)
    assert requests.can_send_more(DEST) and requests.is_empty() and requests.is_empty_node(DEST)
    requests.add_request(DEST, written=False)
    assert not requests.can_send_more(DEST)
    requests.complete_next(DEST)
    assert requests.can_send_more(DEST)
    requests.add_request(DEST)
    assert requests.can_send_more(DEST)
    requests.add_request(DEST)
    assert not requests.can_send_more(DEST) and requests.can_send_more("other")
    assert requests.count_node(DEST) == 2 and requests.count_node("other") == 0
    assert not requests.is_empty() and not requests.is_empty_node(DEST)
    requests.complete_next(DEST)
    requests.complete_next(DEST)
    assert requests.is_empty() and requests.is_empty_node(DEST)
