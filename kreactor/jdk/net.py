# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.net``: addresses, and the view of a channel that ``SocketChannel.socket()`` gives.

The texts are Java's, because tools parse them in connection ids, metric tags and log lines. An IPv6 address
is written in full (``0:0:0:0:0:0:0:1``). An IPv4-mapped IPv6 address becomes the IPv4 address, as Java's
accept returns it on a dual-stack listener.
"""

from __future__ import annotations

import ipaddress
import socket
import struct
from typing import TYPE_CHECKING, cast

from kreactor.jdk.exceptions import UnresolvedAddressException
from kreactor.jdk.floor import Floor

if TYPE_CHECKING:
    from kreactor.jdk.nio_channels import SelectableChannel, SocketChannel

# An IPv4 or IPv6 address in the socket module's form.
SocketAddress = tuple[str, int] | tuple[str, int, int, int]


class InetAddress:
    """An IP address, with the host name of its look-up, if any. Equality compares the address alone."""

    __slots__ = ("_host_name", "_packed", "_scope", "_host_address")

    def __init__(self, packed: bytes, host_name: str = "", scope: str = "") -> None:
        """Take the 4 or 16 bytes of an address; ``scope`` is the zone of a link-local one."""
        if len(packed) == 16 and packed[:12] == _MAPPED_PREFIX:
            packed = packed[12:]
        self._packed = packed
        self._host_name = host_name
        self._scope = scope if len(packed) == 16 else ""
        if len(packed) == 4:
            self._host_address = ".".join(map(str, packed))
        else:
            groups = ":".join(f"{packed[i] << 8 | packed[i + 1]:x}" for i in range(0, 16, 2))
            self._host_address = f"{groups}%{self._scope}" if self._scope else groups

    @staticmethod
    def get_by_name(host: str) -> InetAddress:
        """Return the first address of ``host``, a name or a literal.

        The empty name is the loopback address. Raises OSError if there is no such host. The look-up of a name
        may block; a literal needs no look-up.
        """
        return InetAddress.get_all_by_name(host)[0]

    @staticmethod
    def get_all_by_name(host: str) -> list[InetAddress]:
        """Return the distinct addresses of ``host``: first IPv4, then IPv6, each in the resolver's order.

        That is Java's order, unless java.net.preferIPv6Addresses is set. Raises OSError if there is no such
        host.
        """
        literal = _parse_literal(host)
        if literal is not None:
            return [literal]
        found: dict[InetAddress, None] = {}
        try:
            resolved = Floor.socket.getaddrinfo(host or "localhost", None, type=socket.SOCK_STREAM)
        except UnicodeError as e:  # a label is empty, or longer than 63 characters
            raise OSError(f"{host} is not a host name: {e}") from e
        for family, _, _, _, sockaddr in resolved:
            if family in (socket.AF_INET, socket.AF_INET6):
                found.setdefault(_address_of(family, cast("SocketAddress", sockaddr), host))
        if not found:
            raise OSError(f"{host}: no address of a known family")
        return sorted(found, key=lambda address: len(address.get_address()))

    def get_host_address(self) -> str:
        """Return the address as text."""
        return self._host_address

    def get_host_name(self) -> str:
        """Return the host name of the look-up, or the address as text. Never does a reverse look-up."""
        return self._host_name or self._host_address

    def get_canonical_host_name(self) -> str:
        """Return the resolver's name of the address, or the address as text if there is none.

        A name counts only if it resolves to this address. The look-ups may block.
        """
        text = self._host_address
        try:
            name, _ = Floor.socket.getnameinfo((text, 0), socket.NI_NAMEREQD)
            return name if self in InetAddress.get_all_by_name(name) else text
        except OSError:
            return text

    def get_address(self) -> bytes:
        """Return the 4 or 16 bytes of the address."""
        return self._packed

    def is_any_local_address(self) -> bool:
        """Return whether this is the wildcard address."""
        return not any(self._packed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InetAddress) and self._packed == other._packed

    def __hash__(self) -> int:
        return hash(self._packed)

    def __str__(self) -> str:
        return f"{self._host_name}/{self._host_address}"

    def __repr__(self) -> str:
        return f"InetAddress({self})"


class InetSocketAddress:
    """An IP address and a port.

    Equality compares address and port, or host name and port while unresolved.
    """

    __slots__ = ("_host", "_port", "_address")

    def __init__(self, host: str | InetAddress | None, port: int) -> None:
        """Look ``host`` up; None is the wildcard address.

        If the host is not found, the address stays unresolved.
        """
        self._port = port
        self._address: InetAddress | None
        if isinstance(host, InetAddress):
            self._host, self._address = host.get_host_name(), host
        elif host is None:
            self._host, self._address = "0.0.0.0", InetAddress(bytes(4))
        else:
            self._host = host
            try:
                self._address = InetAddress.get_by_name(host)
            except OSError:
                self._address = None

    @staticmethod
    def create_unresolved(host: str, port: int) -> InetSocketAddress:
        """Return an address whose host name is not looked up."""
        address = InetSocketAddress(None, port)
        address._host, address._address = host, None
        return address

    def is_unresolved(self) -> bool:
        """Return whether the host name has no address."""
        return self._address is None

    def get_address(self) -> InetAddress | None:
        """Return the address, or None while unresolved."""
        return self._address

    def get_host_string(self) -> str:
        """Return the host as it was given."""
        return self._host

    def get_port(self) -> int:
        """Return the port."""
        return self._port

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InetSocketAddress) or self._port != other._port:
            return False
        if self._address is None:
            return other._address is None and self._host.lower() == other._host.lower()
        return self._address == other._address

    def __hash__(self) -> int:
        return hash((self._address or self._host.lower(), self._port))

    def __str__(self) -> str:
        if self._address is None:
            return f"{self._host}/<unresolved>:{self._port}"
        if len(self._address.get_address()) == 16:
            host, _, literal = str(self._address).rpartition("/")
            return f"{host}/[{literal}]:{self._port}"
        return f"{self._address}:{self._port}"

    def __repr__(self) -> str:
        return f"InetSocketAddress({self})"


class Socket:
    """A channel's view as a socket: its two addresses and its options.

    As in Java, the remote end and the local port stay known after close, and the local address becomes the
    wildcard.
    """

    __slots__ = ("_channel",)

    def __init__(self, channel: SelectableChannel) -> None:
        """Serve the ``SocketChannel`` or ``ServerSocketChannel`` that calls this."""
        self._channel = channel

    def get_inet_address(self) -> InetAddress | None:
        """Return the address of the remote end, or None if the socket has never been connected."""
        remote = self._channel._remote_address
        return None if remote is None else remote.get_address()

    def get_port(self) -> int:
        """Return the port of the remote end, or 0 if the socket has never been connected."""
        remote = self._channel._remote_address
        return 0 if remote is None else remote.get_port()

    def get_remote_socket_address(self) -> InetSocketAddress | None:
        """Return the remote end, or None if the socket has never been connected."""
        return self._channel._remote_address

    def get_local_address(self) -> InetAddress:
        """Return the address of the local end, the wildcard while unbound or once closed."""
        local = self._channel._local_address()
        if local is None or not self._channel.is_open():
            return InetAddress(bytes(4))
        address = local.get_address()
        assert address is not None, "the socket module gives numbers, which need no look-up"
        return address

    def get_local_port(self) -> int:
        """Return the port of the local end, or -1 while unbound."""
        local = self._channel._local_address()
        return -1 if local is None else local.get_port()

    def get_local_socket_address(self) -> InetSocketAddress | None:
        """Return the local end, or None while unbound."""
        return self._channel._local_address()

    def set_tcp_no_delay(self, on: bool) -> None:
        """Send small writes at once. Raises OSError if the socket is closed."""
        self._set(socket.IPPROTO_TCP, socket.TCP_NODELAY, int(on))

    def get_tcp_no_delay(self) -> bool:
        """Return whether small writes are sent at once. Raises OSError if the socket is closed."""
        return bool(self._get(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    def set_keep_alive(self, on: bool) -> None:
        """Probe an idle peer. Raises OSError if the socket is closed."""
        self._set(socket.SOL_SOCKET, socket.SO_KEEPALIVE, int(on))

    def get_keep_alive(self) -> bool:
        """Return whether an idle peer is probed. Raises OSError if the socket is closed."""
        return bool(self._get(socket.SOL_SOCKET, socket.SO_KEEPALIVE))

    def set_send_buffer_size(self, size: int) -> None:
        """Ask for a kernel send buffer of ``size`` bytes. Raises OSError if the socket is closed."""
        self._set(socket.SOL_SOCKET, socket.SO_SNDBUF, size)

    def get_send_buffer_size(self) -> int:
        """Return the bytes of the kernel's send buffer. Raises OSError if the socket is closed."""
        return self._get(socket.SOL_SOCKET, socket.SO_SNDBUF)

    def set_receive_buffer_size(self, size: int) -> None:
        """Ask for a kernel receive buffer of ``size`` bytes. Raises OSError if the socket is closed."""
        self._set(socket.SOL_SOCKET, socket.SO_RCVBUF, size)

    def get_receive_buffer_size(self) -> int:
        """Return the bytes of the kernel's receive buffer. Raises OSError if the socket is closed."""
        return self._get(socket.SOL_SOCKET, socket.SO_RCVBUF)

    def get_so_timeout(self) -> int:
        """Return the read time-out in milliseconds: 0 (none), as for every channel."""
        return 0

    def is_closed(self) -> bool:
        """Return whether the channel is closed."""
        return not self._channel.is_open()

    def close(self) -> None:
        """Close the channel. Raises OSError if the kernel does."""
        self._channel.close()

    def set_so_linger(self, on: bool, linger: int) -> None:
        """Wait up to ``linger`` seconds for unsent bytes at close; 0 resets the connection then.

        Only for the socket of a SocketChannel. Raises OSError if the socket is closed.
        """
        self._set(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", on, linger))
        cast("SocketChannel", self._channel)._resets = on and linger == 0

    def _set(self, level: int, option: int, value: int | bytes) -> None:
        self._channel._open_socket().setsockopt(level, option, value)

    def _get(self, level: int, option: int) -> int:
        return self._channel._open_socket().getsockopt(level, option)


_MAPPED_PREFIX = bytes(10) + b"\xff\xff"


def _parse_literal(host: str) -> InetAddress | None:
    """Return the address of a literal ``host``, brackets allowed, or None if ``host`` is a name."""
    text = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    scope = parsed.scope_id if isinstance(parsed, ipaddress.IPv6Address) else None
    return InetAddress(parsed.packed, "", scope or "")


def _address_of(family: int, sockaddr: SocketAddress, host_name: str = "") -> InetAddress:
    """Return the host part of an address of the socket module."""
    text, _, scope = sockaddr[0].partition("%")
    return InetAddress(socket.inet_pton(family, text), host_name, scope)


def socket_address_of(family: int, sockaddr: SocketAddress) -> InetSocketAddress:
    """Return the address of ``getsockname``, ``getpeername`` or ``accept`` as Java's."""
    return InetSocketAddress(_address_of(family, sockaddr), sockaddr[1])


def sockaddr_of(address: InetSocketAddress, family: int) -> SocketAddress:
    """Return ``address`` as the socket module takes it for a socket of ``family``.

    Raises UnresolvedAddressException if the host has no address.
    """
    inet_address = address.get_address()
    if inet_address is None:
        raise UnresolvedAddressException(str(address))
    text = inet_address.get_host_address()
    if family == socket.AF_INET6 and len(inet_address.get_address()) == 4:
        text = "::" if inet_address.is_any_local_address() else f"::ffff:{text}"
    return (text, address.get_port())


def family_of(address: InetSocketAddress) -> socket.AddressFamily:
    """Return the family of the socket that can bind or connect to ``address``.

    Raises UnresolvedAddressException if the host has no address.
    """
    inet_address = address.get_address()
    if inet_address is None:
        raise UnresolvedAddressException(str(address))
    return socket.AF_INET if len(inet_address.get_address()) == 4 else socket.AF_INET6
