# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import socket
from contextlib import closing

import pytest

from kreactor.jdk.exceptions import UnresolvedAddressException
from kreactor.jdk.net import InetAddress, InetSocketAddress, family_of, sockaddr_of, socket_address_of
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel


@pytest.mark.parametrize("text, expected", [
    ("127.0.0.1", "127.0.0.1"),
    ("::1", "0:0:0:0:0:0:0:1"),
    ("[::1]", "0:0:0:0:0:0:0:1"),
    ("2001:db8::ff00:42:8329", "2001:db8:0:0:0:ff00:42:8329"),
    ("::ffff:10.0.0.7", "10.0.0.7"),
    ("fe80::1%7", "fe80:0:0:0:0:0:0:1%7"),
])
def test_addresses_are_written_as_java_writes_them(text, expected):
    address = InetAddress.get_by_name(text)
    assert address.get_host_address() == expected
    assert str(address) == f"/{expected}"


def test_addresses_are_equal_by_address_alone():
    named, plain = InetAddress(bytes([127, 0, 0, 1]), "localhost"), InetAddress.get_by_name("127.0.0.1")
    assert named == plain and hash(named) == hash(plain)
    assert str(named) == "localhost/127.0.0.1"
    assert named.get_host_name() == "localhost" and plain.get_host_name() == "127.0.0.1"
    assert InetAddress.get_by_name("127.0.0.2") != plain
    assert plain != "127.0.0.1" and InetSocketAddress(plain, 1) != "/127.0.0.1:1"


def test_a_name_is_looked_up():
    assert InetAddress.get_by_name("localhost").get_address() in (
        socket.inet_pton(socket.AF_INET, "127.0.0.1"), socket.inet_pton(socket.AF_INET6, "::1"))
    with pytest.raises(OSError):
        InetAddress.get_by_name("no.such.host.invalid")


@pytest.fixture
def dual_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver that prefers IPv6, as that of most machines does."""
    resolved = [(family, socket.SOCK_STREAM, 6, "", (text, 0)) for family, text in (
        (socket.AF_INET6, "::1"), (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "fd00::2"),
        (socket.AF_INET, "127.0.0.2"), (socket.AF_INET6, "::1"))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: resolved)


@pytest.mark.parametrize("host", ["localhost", ""])
def test_addresses_of_ipv4_come_first(dual_stack: None, host: str) -> None:
    texts = ["127.0.0.1", "127.0.0.2", "0:0:0:0:0:0:0:1", "fd00:0:0:0:0:0:0:2"]
    assert [each.get_host_address() for each in InetAddress.get_all_by_name(host)] == texts
    assert str(InetAddress.get_by_name(host)) == f"{host}/127.0.0.1"
    assert str(InetSocketAddress(host, 9092)) == f"{host}/127.0.0.1:9092"


def test_a_listener_on_localhost_is_bound_to_ipv4(dual_stack: None) -> None:
    with closing(ServerSocketChannel.open()) as listener:
        listener.bind(InetSocketAddress("localhost", 0))
        assert listener.socket().get_local_address() == InetAddress.get_by_name("127.0.0.1")


def test_socket_addresses():
    address = InetSocketAddress("127.0.0.1", 9092)
    assert str(address) == "/127.0.0.1:9092"
    assert address == InetSocketAddress(InetAddress.get_by_name("127.0.0.1"), 9092)
    named = InetSocketAddress(InetAddress(bytes([127, 0, 0, 1]), "localhost"), 9092)
    assert address == named and hash(address) == hash(named)
    assert address != InetSocketAddress("127.0.0.1", 9093)
    assert str(InetSocketAddress("::1", 1)) == "/[0:0:0:0:0:0:0:1]:1"
    assert family_of(address) == socket.AF_INET
    assert sockaddr_of(address, socket.AF_INET) == ("127.0.0.1", 9092)
    assert sockaddr_of(address, socket.AF_INET6) == ("::ffff:127.0.0.1", 9092)
    assert InetSocketAddress(None, 0).get_address().is_any_local_address()
    assert socket_address_of(socket.AF_INET6, ("::ffff:127.0.0.1", 9092, 0, 0)) == address


def test_a_socket_knows_its_remote_end_also_after_the_close() -> None:
    with closing(ServerSocketChannel.open()) as listener, closing(SocketChannel.open()) as channel:
        listener.bind(InetSocketAddress("127.0.0.1", 0))
        remote = InetSocketAddress("127.0.0.1", listener.socket().get_local_port())
        view = channel.socket()
        assert view.get_inet_address() is None and view.get_port() == 0
        assert view.get_remote_socket_address() is None
        channel.connect(remote)
        for _ in range(2):
            assert view.get_inet_address() == remote.get_address() and view.get_port() == remote.get_port()
            assert view.get_remote_socket_address() == remote
            channel.close()


def test_an_unknown_host_leaves_an_address_unresolved():
    address = InetSocketAddress("no.such.host.invalid", 9092)
    assert address.is_unresolved() and address.get_address() is None
    assert str(address) == "no.such.host.invalid/<unresolved>:9092"
    same = InetSocketAddress.create_unresolved("NO.such.host.invalid", 9092)
    assert address == same and hash(address) == hash(same)
    with pytest.raises(UnresolvedAddressException):
        family_of(address)
    with pytest.raises(UnresolvedAddressException):
        sockaddr_of(address, socket.AF_INET)
