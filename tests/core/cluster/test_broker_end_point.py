# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Addresses of listeners and brokers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.endpoint import Endpoint
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.core.cluster.broker_end_point import BrokerEndPoint
from kreactor.core.cluster.end_point import EndPoint
from kreactor.jdk.exceptions import IllegalArgumentException


def test_hash_and_equals() -> None:
    broker1 = BrokerEndPoint(1, "myhost", 9092)
    broker2 = BrokerEndPoint(1, "myhost", 9092)
    broker3 = BrokerEndPoint(2, "myhost", 1111)
    broker4 = BrokerEndPoint(1, "other", 1111)
    assert broker1 == broker2
    assert broker1 != broker3
    assert broker1 != broker4
    assert hash(broker1) == hash(broker2)
    assert {broker1: 1}.get(broker2) == 1
    assert str(broker1) == "BrokerEndPoint(id=1, host=myhost:9092)"
    assert (broker1.id(), broker1.host(), broker1.port()) == (1, "myhost", 9092)


@pytest.mark.parametrize("connection_string, host", [
    ("PLAINTEXT://localhost:9092", "localhost"),
    ("PLAINTEXT://local_host:9092", "local_host"),
    ("PLAINTEXT://:9092", None),
    ("PLAINTEXT://[::1]:9092", "::1"),
    ("PLAINTEXT://[fe80::b1da:69ca:57f7:63d8%3]:9092", "fe80::b1da:69ca:57f7:63d8%3"),
    ("PLAINTEXT://MyHostname:9092", "MyHostname"),
])
def test_endpoint_from_uri(connection_string: str, host: str | None) -> None:
    endpoint = EndPoint.create_end_point(connection_string, None)
    assert endpoint.host() == host
    assert endpoint.port() == 9092
    assert endpoint.connection_string() == connection_string


def test_endpoint_of_a_named_listener() -> None:
    protocols = {ListenerName("CLIENT"): SecurityProtocol.SASL_SSL}
    endpoint = EndPoint.create_end_point("client://h:-1", protocols)
    assert endpoint == EndPoint("h", -1, ListenerName("CLIENT"), SecurityProtocol.SASL_SSL)
    assert hash(endpoint) == hash(EndPoint("h", -1, ListenerName("CLIENT"), SecurityProtocol.SASL_SSL))
    assert endpoint != endpoint.copy(5)
    assert str(endpoint) == "EndPoint(h,-1,ListenerName(CLIENT),SASL_SSL)"
    assert EndPoint.parse_listener_name("client://h:-1") == "CLIENT"
    assert endpoint.to_java() == Endpoint("CLIENT", SecurityProtocol.SASL_SSL, "h", -1)


@pytest.mark.parametrize("connection_string", ["", "h:1", "PLAINTEXT://h", "PLAINTEXT://h:1x",
                                               "PLAINTEXT://h h:1",
                                               "PLAINTEXT://h:1\n"])
def test_what_is_no_endpoint(connection_string: str) -> None:
    with pytest.raises(KafkaException) as e:
        EndPoint.create_end_point(connection_string, None)
    assert str(e.value) == f"Unable to parse {connection_string} to a broker endpoint"
    with pytest.raises(KafkaException) as e:
        EndPoint.parse_listener_name(connection_string)
    assert str(e.value) == f"Unable to parse a listener name from {connection_string}"


def test_a_listener_without_a_protocol() -> None:
    with pytest.raises(IllegalArgumentException) as e:
        EndPoint.create_end_point("OTHER://h:1", None)
    assert str(e.value) == "No security protocol defined for listener OTHER"


def test_parse_host_port() -> None:
    assert BrokerEndPoint.parse_host_port("myhost:9092") == ("myhost", 9092)
    assert BrokerEndPoint.parse_host_port("[::1]:9092") == ("::1", 9092)
    assert BrokerEndPoint.parse_host_port("myhost") is None
    assert BrokerEndPoint.parse_host_port("myhost:-1") is None
    assert BrokerEndPoint.parse_host_port("myhost:99999999999") is None


@given(st.from_regex(r"\A[a-z][a-z0-9.-]{0,20}\Z"), st.integers(0, 65535))
def test_every_host_and_port_comes_back(host: str, port: int) -> None:
    endpoint = EndPoint.create_end_point(f"SSL://{host}:{port}", None)
    assert (endpoint.host(), endpoint.port()) == (host, port)
    assert BrokerEndPoint.parse_host_port(f"{host}:{port}") == (host, port)
