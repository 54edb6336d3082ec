# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Where clients reach brokers whose listeners are on other addresses than 127.0.0.1, and on fixed ports."""

from __future__ import annotations

import socket
import ssl
from contextlib import closing

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.testing import Broker, Cluster
from kreactor.testing.addresses import certificate_hosts, first_address
from kreactor.testing.control import Control
from kreactor.testing.remote import RemoteBroker
from tests.clients.client import Client, Record
from tests.clients.clients import CLIENTS


def bound(host: str) -> socket.socket:
    """Return a socket with a port that no other process gets."""
    server = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        server.bind((host, 0))
    except OSError as e:
        server.close()
        pytest.skip(f"this machine cannot bind to {host}: {e.strerror}")
    return server


def free_ports(count: int) -> list[int]:
    sockets = [bound("127.0.0.1") for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


# The host of the listener, the host for clients, and the latter in the form of bootstrap.servers.
HOSTS = [("127.0.0.2", "127.0.0.2", "127.0.0.2"), ("[::1]", "::1", "[::1]"),
         ("localhost", "localhost", "localhost"), ("", "127.0.0.1", "127.0.0.1"),
         ("[::]", "127.0.0.1", "127.0.0.1")]


@pytest.mark.parametrize("each", CLIENTS)
@pytest.mark.parametrize("listener, host", [("127.0.0.2", "127.0.0.2"), ("[::1]", "::1")])
def test_clients_reach_a_broker(listener: str, host: str, each: type[Client]) -> None:
    bound(host).close()
    with Broker(properties={"listeners": f"PLAINTEXT://{listener}:0"}) as broker:
        config = broker.client_config("confluent")
        assert config == {"bootstrap.servers": f"{listener}:{broker.port}"}
        client = each(broker.bootstrap_servers)
        assert client.metadata().brokers == {1: (host, broker.port)}
        broker.create_topic("orders")
        client.produce("orders", [Record(0, b"key", b"value")])
        assert [record.value for record in client.read("orders", [0])] == [b"value"]


@pytest.mark.parametrize("listener, host, text", HOSTS)
def test_the_address_after_a_restart(listener: str, host: str, text: str) -> None:
    bound(host).close()
    with Broker(properties={"listeners": f"PLAINTEXT://{listener}:0"}) as broker:
        address = broker.bootstrap_servers
        assert address == f"{text}:{broker.port}" and (broker.host, broker.groups()) == (host, {})
        broker.restart()
        assert broker.bootstrap_servers == address and broker.groups() == {}
        with Control(broker) as control, closing(RemoteBroker(control.url)) as remote:
            assert (remote.host, remote.port, remote.bootstrap_servers) == (host, broker.port, address)


def test_the_address_of_a_broker_in_another_process() -> None:
    bound("127.0.0.2").close()
    broker = Broker(process=True, properties={"listeners": "PLAINTEXT://127.0.0.2:0"})
    with pytest.raises(IllegalStateException, match="no port before its first start"):
        broker.port
    with broker:
        assert broker.bootstrap_servers == f"127.0.0.2:{broker.port}"
        assert broker.client_config("java") == {"bootstrap.servers": f"127.0.0.2:{broker.port}"}
        with socket.create_connection((broker.host, broker.port)):
            pass


@pytest.mark.parametrize("properties, host, port", [
    ({}, "127.0.0.1", 0),
    ({"listeners": "PLAINTEXT://127.0.0.2:0"}, "127.0.0.2", 0),
    ({"listeners": " SSL://[::1]:9092 ,PLAINTEXT://:9093"}, "::1", 9092),
    ({"listeners": "PLAINTEXT://:9092"}, "127.0.0.1", 9092),
    ({"listeners": "PLAINTEXT://0.0.0.0:9092"}, "127.0.0.1", 9092),
    ({"listeners": "PLAINTEXT://[::]:9092"}, "127.0.0.1", 9092),
    ({"listeners": "nothing of this form"}, "127.0.0.1", 0),
])
def test_the_address_before_the_start(properties: dict[str, str], host: str, port: int) -> None:
    assert first_address(properties) == (host, port)
    broker = Broker(properties=properties)
    assert broker.host == host
    if port:
        assert broker.port == port and broker.bootstrap_servers.endswith(f":{port}")
        return
    for ask in (lambda: broker.port, lambda: broker.bootstrap_servers, lambda: broker.client_config("java")):
        with pytest.raises(IllegalStateException, match="no port before its first start"):
            ask()


def test_a_control_port_of_a_broker_that_has_not_started() -> None:
    with (closing(Broker()) as broker, Control(broker) as control,
          closing(RemoteBroker(control.url)) as remote):
        with pytest.raises(IllegalStateException, match="no port before its first start"):
            remote.port
        remote.start()
        assert remote.bootstrap_servers == broker.bootstrap_servers


def test_a_fixed_port() -> None:
    port, = free_ports(1)
    broker = Broker(port=port)
    assert broker.bootstrap_servers == f"127.0.0.1:{port}"
    for _ in range(2):
        with broker:
            assert broker.port == broker.port_of("PLAINTEXT") == port
            broker.restart()
            with socket.create_connection(("127.0.0.1", port)):
                pass
    with bound("127.0.0.1") as taken:
        taken.listen()
        number = taken.getsockname()[1]
        with pytest.raises(KafkaException, match=f"{number}.*in use"):
            Broker(port=number).start()


@pytest.mark.parametrize("arguments, error, message", [
    ({"port": 65_536}, ValueError, "port: 65536 is not between 0 and 65535"),
    ({"port": -1}, ValueError, "port: -1 is not between 0 and 65535"),
    ({"port": "9092"}, TypeError, "port: '9092' is not a number"),
    ({"port": 9092, "properties": {"listeners": "PLAINTEXT://:0"}}, ValueError,
     "port=9092: the property listeners has the port already"),
])
def test_a_fixed_port_that_cannot_be(arguments: dict[str, object], error: type[Exception], message: str
                                     ) -> None:
    for process in (False, True):
        with pytest.raises(error, match=message):
            Broker(process=process, **arguments)  # type: ignore[arg-type]


def test_a_cluster_with_fixed_ports() -> None:
    ports = free_ports(2)
    cluster = Cluster(2, ports=ports)
    assert cluster.bootstrap_servers == ",".join(f"127.0.0.1:{port}" for port in ports)
    for _ in range(2):
        with cluster:
            cluster.kill(2)
            cluster.restart(2)
            cluster.restart(1)
            assert [broker.port for broker in cluster.brokers.values()] == ports
            for port in ports:
                with socket.create_connection(("127.0.0.1", port)):
                    pass


def test_ports_of_a_cluster_that_are_in_use() -> None:
    with bound("127.0.0.1") as one, bound("127.0.0.1") as other:
        one.listen()
        other.listen()
        taken = [each.getsockname()[1] for each in (one, other)]
        cluster = Cluster(3, ports=[taken[0], 0, taken[1]])
        with pytest.raises(KafkaException) as raised:
            cluster.start()
    assert str(raised.value) == (f"broker 1: port {taken[0]} of 127.0.0.1: Address already in use; "
                                 f"broker 3: port {taken[1]} of 127.0.0.1: Address already in use")
    with cluster:
        assert [cluster[1].port, cluster[3].port] == taken


@pytest.mark.parametrize("ports, error, message", [
    ([9092, 9093], ValueError, "does not have one port for each of 3 brokers"),
    ([9092, 9093, 9092], ValueError, "has a port twice"),
    (65_534, ValueError, "ports: 65536 is not between 0 and 65535"),
    ([1, 2, "3"], TypeError, "ports: '3' is not a number"),
    (True, TypeError, "ports: True is not a number"),
])
def test_ports_of_a_cluster_that_cannot_be(ports: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Cluster(3, ports=ports)  # type: ignore[arg-type]


def test_ports_of_a_cluster_count_up() -> None:
    cluster = Cluster(3, ports=19_092)
    assert [broker.port for broker in cluster.brokers.values()] == [19_092, 19_093, 19_094]


def test_a_cluster_on_another_address() -> None:
    bound("127.0.0.2").close()
    with Cluster(2, properties={"listeners": "PLAINTEXT://127.0.0.2:0"}) as cluster:
        assert cluster.bootstrap_servers == ",".join(
            f"127.0.0.2:{cluster[each].port_of('PLAINTEXT')}" for each in (1, 2))


def check_certificate(broker: Broker, *names: str) -> None:
    context = broker.tls.ssl_context()
    for name in names:
        with (socket.create_connection((broker.host, broker.port)) as connection,
              context.wrap_socket(connection, server_hostname=name) as over_tls):
            assert over_tls.version() is not None
    with (socket.create_connection((broker.host, broker.port)) as connection,
          pytest.raises(ssl.SSLCertVerificationError)):
        context.wrap_socket(connection, server_hostname="other.test")


SSL_ALONE = {"security.inter.broker.protocol": "SSL"}


@pytest.mark.parametrize("listener, host", [("127.0.0.2", "127.0.0.2"), ("[::1]", "::1")])
def test_the_certificate_has_the_host(listener: str, host: str) -> None:
    bound(host).close()
    with Broker(tls=True, properties={"listeners": f"SSL://{listener}:0", **SSL_ALONE}) as broker:
        check_certificate(broker, host, "localhost")


def test_the_certificate_has_the_advertised_host() -> None:
    with Broker(tls=True, properties={"listeners": "SSL://:0", "advertised.listeners": "SSL://kafka.test:1",
                                      **SSL_ALONE}) as broker:
        check_certificate(broker, "127.0.0.1", "kafka.test")


def test_hosts_of_a_certificate() -> None:
    assert certificate_hosts({}) == (("localhost",), ("127.0.0.1",))
    assert certificate_hosts({
        "listeners": "SSL://[::1]:0,SASL_SSL://127.0.0.1:1",
        "advertised.listeners": "SSL://a.test:1,SASL_SSL://10.0.0.1:2",
    }) == (("localhost", "a.test"), ("127.0.0.1", "::1", "10.0.0.1"))
    names, _ = certificate_hosts({"listeners": "SSL://:9092"})
    assert socket.getfqdn() in names


def test_a_malformed_listener_is_an_error_of_the_start() -> None:
    with pytest.raises(IllegalArgumentException, match="Unable to parse PLAINTEXT://127.0.0.1 to a broker"):
        Broker(properties={"listeners": "PLAINTEXT://127.0.0.1"}).start()


def test_groups_need_a_plaintext_listener() -> None:
    with Broker(tls=True, properties={"listeners": "SSL://127.0.0.1:0", **SSL_ALONE}) as broker:
        with pytest.raises(IllegalStateException, match="needs a listener of the protocol PLAINTEXT"):
            broker.groups()
