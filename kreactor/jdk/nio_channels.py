# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.nio.channels``: socket channels, the listening channel and files.

Role: the interface to the kernel. This module returns 0 for would-block and -1 for the end of the stream. No
caller ever sees ``BlockingIOError``, which is an ``OSError`` and would close a healthy channel. Python itself
repeats an interrupted system call (PEP 475).

Owner: a channel belongs to the thread that selects on it; any thread that has exclusive access may ``close``
it.

A registered channel closes in two steps, as in the JDK. If a socket is closed while received data is unread,
the kernel sends a reset, and the reset destroys a response that the peer has not read yet. So ``close`` shuts
down the sending side, which sends the pending bytes and then FIN. The descriptor is closed at the selector's
next select, or when the selector closes. An unregistered channel closes at once.

Copies: ``read`` receives directly into the buffer's memory, ``write`` of several buffers is one ``sendmsg``
of their views, ``FileChannel.transfer_to`` is ``sendfile``: no byte is copied in Python.
"""

from __future__ import annotations

import errno
import os
import socket as sockets
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol, Sequence

from kreactor.jdk import large_writes
from kreactor.jdk.exceptions import (
    ClosedChannelException,
    IllegalArgumentException,
    IllegalStateException,
    NotYetConnectedException,
)
from kreactor.jdk.floor import Floor
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import Lock
from kreactor.jdk.net import (
    InetSocketAddress,
    Socket,
    family_of,
    sockaddr_of,
    socket_address_of,
)
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

if TYPE_CHECKING:
    from kreactor.jdk.nio_selector import SelectionKey, Selector

# The maximum number of buffers for one sendmsg or recvmsg; the JDK has the same cap.
_IOV_MAX = min(os.sysconf("SC_IOV_MAX"), 1024) if hasattr(os, "sysconf") else 16


class ScatteringByteChannel(Protocol):
    """A channel that can be read into one buffer, or into several buffers in order."""

    def read(self, dst: ByteBuffer) -> int:
        """Read into ``dst``; return the bytes read, 0 if none are there now, -1 at the end of the stream."""

    def read_buffers(self, dsts: Sequence[ByteBuffer]) -> int:
        """Read into ``dsts`` in order; return the total bytes read, 0 or -1 as for ``read``."""


class GatheringByteChannel(Protocol):
    """A channel that can be written from one buffer, or from several buffers in order."""

    def write(self, src: ByteBuffer) -> int:
        """Send from ``src``; return the bytes sent, 0 if there is no room now."""

    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        """Send from ``srcs`` in order; return the total bytes sent."""


class SelectableChannel(ABC):
    """The base class of both channels: a socket, a blocking mode, at most one selection key."""

    __slots__ = ("_sock", "_open", "_key", "_close_lock", "_remote_address", "_bound_address", "__weakref__")

    def __init__(self, sock: sockets.socket | None) -> None:
        """Own ``sock``; None if the address family is known only at bind or connect."""
        self._sock = sock
        self._open = True
        self._key: SelectionKey | None = None
        self._close_lock = Lock()
        self._remote_address: InetSocketAddress | None = None
        self._bound_address: InetSocketAddress | None = None
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Close the descriptor in a forked child. The parent's connection stays as it is."""
        self._close_lock = Lock()
        self._open = False
        self._kill()

    def socket(self) -> Socket:
        """Return the view with the addresses and the options."""
        # Created for each call: a stored view would form a reference cycle with the channel, and an unused
        # channel would wait for the garbage collector.
        return Socket(self)

    def is_open(self) -> bool:
        """Return whether ``close`` has not been called."""
        return self._open

    def is_registered(self) -> bool:
        """Return whether a selector still has a key of this channel, cancelled or not."""
        return self._key is not None

    def configure_blocking(self, block: bool) -> SelectableChannel:
        """Set whether calls wait, or return at once. Raises IllegalStateException, OSError.

        A channel cannot block while a selector has a key of it, cancelled or not.
        """
        if block and self._key is not None:
            raise IllegalStateException("a registered channel cannot block")
        self._open_socket().setblocking(block)
        return self

    def register(self, selector: Selector, ops: int, attachment: object = None) -> SelectionKey:
        """Return the key that makes ``selector`` watch this channel for ``ops``.

        Raises ClosedChannelException, ClosedSelectorException, IllegalArgumentException for operations that
        the channel lacks, IllegalStateException if it blocks or another selector has it.
        """
        sock = self._open_socket()
        if ops & ~self.valid_ops():
            raise IllegalArgumentException(f"operations {ops} are not among {self.valid_ops()}")
        if sock.getblocking():
            raise IllegalStateException("a blocking channel cannot be registered")
        return selector._register(self, ops, attachment)

    @abstractmethod
    def valid_ops(self) -> int:
        """Return the operations that a selector may watch on the channel."""

    def fileno(self) -> int:
        """Return the descriptor. Raises ClosedChannelException once the descriptor is closed."""
        if self._sock is None:
            raise ClosedChannelException("the channel is closed")
        return self._sock.fileno()

    def close(self) -> None:
        """Close the channel, in two steps if it is registered. A second call does nothing."""
        with self._close_lock:
            if not self._open:
                return
            self._open = False
            key = self._key
            if key is None:
                self._kill()
                return
            self._begin_close()
        key.cancel()

    def _begin_close(self) -> None:
        """Do the first step of a close, which must not wait until the selector removes the key."""

    def _deregistered(self) -> None:
        """Drop the key, and complete a pending close. Called by the selector."""
        with self._close_lock:
            self._key = None
            if not self._open:
                self._kill()

    def _kill(self) -> None:
        sock, self._sock = self._sock, None
        if sock is not None:
            sock.close()

    def _open_socket(self) -> sockets.socket:
        if not self._open:
            raise ClosedChannelException("the channel is closed")
        if self._sock is None:
            self._sock = _new_socket(sockets.AF_INET)
        return self._sock

    def _local_address(self) -> InetSocketAddress | None:
        if self._bound_address is None and self._sock is not None and self._open:
            name = self._sock.getsockname()
            if name[1] != 0:
                self._bound_address = socket_address_of(self._sock.family, name)
        return self._bound_address


class SocketChannel(SelectableChannel):
    """One end of a TCP connection."""

    __slots__ = ("_connected", "_resets")

    OP_READ = 1
    OP_WRITE = 4
    OP_CONNECT = 8

    def __init__(self, sock: sockets.socket | None = None, remote: InetSocketAddress | None = None) -> None:
        """Own ``sock``, connected to ``remote`` if that is given. Prefer ``open``."""
        super().__init__(sock)
        self._remote_address = remote
        self._connected = remote is not None
        # Whether the linger time is 0 seconds: the close then sends a reset and no FIN.
        self._resets = False

    @staticmethod
    def open() -> SocketChannel:
        """Return a blocking channel that is not connected."""
        return SocketChannel(_new_socket(sockets.AF_INET))

    def valid_ops(self) -> int:
        """Return read, write and connect."""
        return self.OP_READ | self.OP_WRITE | self.OP_CONNECT

    def connect(self, remote: InetSocketAddress) -> bool:
        """Connect, or start to connect if the channel does not block; return whether it is connected.

        Raises UnresolvedAddressException, ClosedChannelException, ConnectionError or another OSError;
        the channel is closed then.
        """
        sock = self._open_socket()
        sockaddr = sockaddr_of(remote, family_of(remote))
        if sock.family != family_of(remote):
            self._sock = sock = _replace(sock, family_of(remote))
        self._remote_address = remote
        try:
            sock.connect(sockaddr)
        except BlockingIOError:
            return False
        except OSError:
            self.close()
            raise
        self._connected = True
        return True

    def finish_connect(self) -> bool:
        """Complete a pending connect; return whether the channel is connected.

        Raises ClosedChannelException, or the OSError of the failed connect; the channel is closed then.
        """
        if self._connected:
            return True
        sock = self._open_socket()
        error = sock.getsockopt(sockets.SOL_SOCKET, sockets.SO_ERROR)
        if error:
            self.close()
            raise OSError(error, os.strerror(error))
        try:
            sock.getpeername()
        except OSError as e:
            if e.errno == errno.ENOTCONN:
                return False
            raise
        self._connected = True
        return True

    def is_connected(self) -> bool:
        """Return whether the connection has been established; it stays true when the peer leaves."""
        return self._connected and self._open

    def is_connection_pending(self) -> bool:
        """Return whether a connect was started and is not complete."""
        return self._remote_address is not None and not self._connected and self._open

    def get_remote_address(self) -> InetSocketAddress | None:
        """Return the peer's address, None before ``connect``. Raises ClosedChannelException."""
        if not self._open:
            raise ClosedChannelException("the channel is closed")
        return self._remote_address

    def get_local_address(self) -> InetSocketAddress | None:
        """Return this end's address, None while unbound. Raises ClosedChannelException."""
        if not self._open:
            raise ClosedChannelException("the channel is closed")
        return self._local_address()

    def read(self, dst: ByteBuffer) -> int:
        """Receive into ``dst``; return the bytes read, 0 if none are there now, -1 at the end of the stream.

        A full buffer reads 0. Raises ClosedChannelException, NotYetConnectedException, or OSError such
        as ConnectionResetError.
        """
        sock = self._sock
        if sock is None or not self._open or not self._connected:
            sock = self._readable_socket()
        position, limit = dst._position, dst._limit
        if position >= limit:
            return 0
        try:
            count = sock.recv_into(dst._memory[position:limit])
        except BlockingIOError:
            return 0
        if count == 0:
            return -1
        dst._position = position + count
        return count

    def read_buffers(self, dsts: Sequence[ByteBuffer]) -> int:
        """Receive into ``dsts`` in order, in one call; results and errors as for ``read``."""
        sock = self._readable_socket()
        targets = [dst for dst in dsts if dst.has_remaining()][:_IOV_MAX]
        if not targets:
            return 0
        try:
            count = sock.recvmsg_into([dst.view() for dst in targets])[0]
        except BlockingIOError:
            return 0
        if count == 0:
            return -1
        _advance(targets, count)
        return count

    def write(self, src: ByteBuffer) -> int:
        """Send from ``src``; return the bytes sent, 0 if the kernel's send buffer is full now.

        Raises ClosedChannelException, NotYetConnectedException, or OSError such as BrokenPipeError.
        """
        sock = self._sock
        if sock is None or not self._open or not self._connected:
            sock = self._readable_socket()
        position = src._position
        try:
            count = sock.send(src._memory[position:src._limit])
        except BlockingIOError:
            return 0
        src._position = position + count
        return count

    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        """Send from ``srcs`` in order, in one call; results and errors as for ``write``."""
        sock = self._readable_socket()
        sources = [src for src in srcs if src._position < src._limit]
        if not sources:
            return 0
        try:
            count = sock.sendmsg([src.view() for src in sources[:_IOV_MAX]])
        except BlockingIOError:
            return 0
        _advance(sources, count)
        return count

    def shutdown_output(self) -> SocketChannel:
        """Send FIN after the pending bytes; reading stays possible.

        Raises ClosedChannelException or OSError.
        """
        self._readable_socket().shutdown(sockets.SHUT_WR)
        return self

    def _readable_socket(self) -> sockets.socket:
        sock = self._sock
        if sock is None or not self._open:
            raise ClosedChannelException("the channel is closed")
        if not self._connected:
            raise NotYetConnectedException("the channel is not connected")
        return sock

    def _begin_close(self) -> None:
        if self._connected and self._sock is not None and not self._resets:
            try:
                self._sock.shutdown(sockets.SHUT_WR)
            except OSError:
                pass  # the peer has closed the connection already

    def __str__(self) -> str:
        if not self._open:
            state = "closed"
        elif self._connected:
            state = "connected"
        else:
            state = "connection-pending" if self._remote_address else "unconnected"
        ends = f" local={self._local_address()} remote={self._remote_address}" if self._remote_address else ""
        return f"SocketChannel[{state}{ends}]"


class ServerSocketChannel(SelectableChannel):
    """A listening TCP socket."""

    __slots__ = ()

    OP_ACCEPT = 16

    @staticmethod
    def open() -> ServerSocketChannel:
        """Return a blocking channel that is not bound."""
        return ServerSocketChannel(None)

    def valid_ops(self) -> int:
        """Return accept."""
        return self.OP_ACCEPT

    def bind(self, local: InetSocketAddress, backlog: int = 0) -> ServerSocketChannel:
        """Listen on ``local``; a wildcard accepts IPv6 and IPv4 if the host has IPv6.

        ``backlog`` is the length of the queue of connections not yet accepted, 50 if it is below 1. Raises
        ClosedChannelException, UnresolvedAddressException, or OSError if the address is in use or does not
        belong to this host.
        """
        sock = self._open_socket()
        address = local.get_address()
        family = family_of(local)
        if address is not None and address.is_any_local_address() and Floor.socket.has_dualstack_ipv6():
            family = sockets.AF_INET6
        if sock.family != family:
            self._sock = sock = _replace(sock, family)
        if family == sockets.AF_INET6 and address is not None and address.is_any_local_address():
            sock.setsockopt(sockets.IPPROTO_IPV6, sockets.IPV6_V6ONLY, 0)
        # The JDK sets this option on every server socket, so a restart need not wait for old connections.
        sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        sock.bind(sockaddr_of(local, family))
        sock.listen(backlog if backlog > 0 else 50)
        return self

    def accept(self) -> SocketChannel | None:
        """Return the next connection as a blocking channel, or None if there is none and this channel does
        not block.

        Raises ClosedChannelException or OSError. EMFILE means that the process is out of descriptors; the
        connection stays in the queue then.
        """
        try:
            sock, sockaddr = self._open_socket().accept()
        except BlockingIOError:
            return None
        sock.setblocking(True)
        return SocketChannel(sock, socket_address_of(sock.family, sockaddr))

    def __str__(self) -> str:
        return f"ServerSocketChannel[{self._local_address() if self._open else 'closed'}]"


class FileChannel:
    """A file that is read and written at positions of the caller; it has no position of its own.

    Safe for use by several threads at once, if their ranges do not overlap.
    """

    __slots__ = ("_fd", "_path")

    def __init__(self, fd: int, path: str) -> None:
        """Own the descriptor ``fd``. Prefer ``open``."""
        self._fd = fd
        self._path = path

    @staticmethod
    def open(path: str | os.PathLike[str], flags: int = os.O_RDONLY, mode: int = 0o644) -> FileChannel:
        """Open ``path`` with the flags of ``os.open``. Raises OSError."""
        return FileChannel(Floor.os.open(path, flags | getattr(os, "O_CLOEXEC", 0), mode), os.fspath(path))

    def is_open(self) -> bool:
        """Return whether ``close`` has not been called."""
        return self._fd >= 0

    def size(self) -> int:
        """Return the length of the file in bytes. Raises ClosedChannelException or OSError."""
        return Floor.os.fstat(self._descriptor()).st_size

    def read(self, dst: ByteBuffer, position: int) -> int:
        """Read into ``dst`` from ``position``; return the bytes read, -1 at the end of the file.

        Raises ClosedChannelException or OSError.
        """
        if not dst.has_remaining():
            return 0
        # os.preadv would save a copy, but PyPy does not have it.
        data = Floor.os.pread(self._descriptor(), dst.remaining(), position)
        if not data:
            return -1
        dst.put(data)
        return len(data)

    def write(self, src: BytesLike | ByteBuffer, position: int) -> int:
        """Write all of ``src`` at ``position``; return its length.

        Raises ClosedChannelException, or OSError; a part of ``src`` may be in the file then.
        """
        view = src.view() if isinstance(src, ByteBuffer) else memoryview(src)
        total = len(view)
        pwrite = Floor.os.pwrite if total < large_writes.BY_ADDRESS or view.readonly else large_writes.pwrite
        done = pwrite(self._descriptor(), view, position)
        while done < total:
            done += pwrite(self._descriptor(), view[done:], position + done)
        if isinstance(src, ByteBuffer):
            src.advance(total)
        return total

    def transfer_to(self, position: int, count: int, target: SocketChannel) -> int:
        """Send up to ``count`` bytes from ``position`` to a socket, inside the kernel.

        Returns the bytes sent, 0 if the socket has no room now or the file ends at ``position``. Raises
        ClosedChannelException, NotYetConnectedException or OSError.
        """
        fd = self._descriptor()
        sock = target._readable_socket()
        try:
            return Floor.os.sendfile(sock.fileno(), fd, position, count)
        except BlockingIOError:
            return 0

    def truncate(self, size: int) -> FileChannel:
        """Truncate the file to ``size`` bytes; a shorter file stays as it is. Raises OSError."""
        if size < self.size():
            Floor.os.ftruncate(self._descriptor(), size)
        return self

    def force(self, metadata: bool) -> None:
        """Flush the written bytes to disk; with ``metadata``, also the file's times. Raises OSError."""
        if metadata or not hasattr(os, "fdatasync"):
            Floor.os.fsync(self._descriptor())
        else:
            Floor.os.fdatasync(self._descriptor())

    def close(self) -> None:
        """Close the file. A second call does nothing. Raises OSError if the kernel does."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            Floor.os.close(fd)

    def _descriptor(self) -> int:
        if self._fd < 0:
            raise ClosedChannelException(f"{self._path} is closed")
        return self._fd

    def __str__(self) -> str:
        return f"FileChannel[{self._path}]"


def _new_socket(family: int) -> sockets.socket:
    return Floor.socket.socket(family, sockets.SOCK_STREAM)


def _replace(sock: sockets.socket, family: int) -> sockets.socket:
    """Return a socket of ``family`` with the mode and options of ``sock``; close ``sock``.

    Java's sockets have both families. A Python socket gets its family from its first address, and the port
    may have set options before that.
    """
    fresh = _new_socket(family)
    try:
        fresh.setblocking(sock.getblocking())
        for level, option in _CARRIED_OPTIONS:
            value = sock.getsockopt(level, option)
            if option in (sockets.SO_SNDBUF, sockets.SO_RCVBUF) and level == sockets.SOL_SOCKET:
                if value == fresh.getsockopt(level, option):
                    continue
                value //= 2  # Linux reports twice the requested size
            fresh.setsockopt(level, option, value)
    except OSError:
        fresh.close()
        raise
    sock.close()
    return fresh


_CARRIED_OPTIONS: tuple[tuple[int, int], ...] = (
    (sockets.SOL_SOCKET, sockets.SO_KEEPALIVE),
    (sockets.SOL_SOCKET, sockets.SO_SNDBUF),
    (sockets.SOL_SOCKET, sockets.SO_RCVBUF),
    (sockets.IPPROTO_TCP, sockets.TCP_NODELAY),
)


def _advance(buffers: Sequence[ByteBuffer], count: int) -> None:
    """Move the positions of ``buffers``, in order, by ``count`` bytes in total."""
    for buffer in buffers:
        remaining = buffer.remaining()
        if count < remaining:
            buffer.advance(count)
            return
        buffer.advance(remaining)
        count -= remaining
