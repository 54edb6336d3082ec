# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.nio.channels``: socket channels, the listening channel and files.

Role: the edge to the kernel. Here would-block becomes 0 and end of stream becomes -1; nothing above
this module ever sees ``BlockingIOError``, which is an ``OSError`` and would close a healthy channel.
An interrupted system call is repeated by Python itself (PEP 475).

Owner: a channel belongs to the thread that selects on it; ``close`` is safe from any thread that
holds the channel alone.

A registered channel closes in two steps, as in the JDK. Closing while data is unread makes the kernel
send a reset, and a reset destroys the answer that the peer has not read yet. So ``close`` shuts the
sending side down, which sends what is pending and then FIN; the descriptor itself goes at the
selector's next select, or when the selector closes. A channel that is not registered closes at once.

Copies: ``read`` receives straight into the buffer's memory, ``write`` of several buffers is one
``sendmsg`` of their views, ``FileChannel.transfer_to`` is ``sendfile``: no byte is copied in Python.
"""

from __future__ import annotations

import errno
import os
import socket as sockets
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol, Sequence

from kreactor.jdk import large_writes
from kreactor.jdk.exceptions import (
    ClosedChannelException,
    IllegalArgumentException,
    IllegalStateException,
    NotYetConnectedException,
)
from kreactor.jdk.forks import owned_by_process
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

# The most buffers that one sendmsg or recvmsg takes; the JDK caps it alike.
_IOV_MAX = min(os.sysconf("SC_IOV_MAX"), 1024) if hasattr(os, "sysconf") else 16


class ScatteringByteChannel(Protocol):
    """A channel that can be read, into one buffer or into several in turn."""

    def read(self, dst: ByteBuffer) -> int:
        """Fill ``dst``; return the bytes read, 0 if none are there now, -1 at the end of the stream."""

    def read_buffers(self, dsts: Sequence[ByteBuffer]) -> int:
        """Fill ``dsts`` in order; return the bytes read in all, 0 or -1 as for ``read``."""


class GatheringByteChannel(Protocol):
    """A channel that can be written, from one buffer or from several in turn."""

    def write(self, src: ByteBuffer) -> int:
        """Send from ``src``; return the bytes taken, 0 if there is no room now."""

    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        """Send from ``srcs`` in order; return the bytes taken in all."""


class SelectableChannel(ABC):
    """The base of both channels: a socket, a mode, at most one selection key."""

    __slots__ = ("_sock", "_open", "_key", "_close_lock", "_remote_address", "_bound_address", "__weakref__")

    def __init__(self, sock: sockets.socket | None) -> None:
        """Own ``sock``; None for a channel whose family is known only when it binds or connects."""
        self._sock = sock
        self._open = True
        self._key: SelectionKey | None = None
        self._close_lock = threading.Lock()
        self._remote_address: InetSocketAddress | None = None
        self._bound_address: InetSocketAddress | None = None
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Close the descriptor in a forked child. The parent's connection stays as it is."""
        self._close_lock = threading.Lock()
        self._open = False
        self._kill()

    def socket(self) -> Socket:
        """Return a view that knows the ends and the options."""
        # Made anew: kept, the two would hold each other, and a channel that nobody needs any more would wait
        # for the garbage collector.
        return Socket(self)

    def is_open(self) -> bool:
        """Return whether ``close`` has not been called."""
        return self._open

    def is_registered(self) -> bool:
        """Return whether a selector still holds a key of this channel, cancelled or not."""
        return self._key is not None

    def configure_blocking(self, block: bool) -> SelectableChannel:
        """Let calls wait, or return at once what there is. Raises IllegalStateException, OSError.

        A channel that is registered, or was and its key is not taken out yet, cannot wait.
        """
        if block and self._key is not None:
            raise IllegalStateException("a registered channel cannot block")
        self._open_socket().setblocking(block)
        return self

    def register(self, selector: Selector, ops: int, attachment: object = None) -> SelectionKey:
        """Return the key that makes ``selector`` watch this channel for ``ops``.

        Raises ClosedChannelException, ClosedSelectorException, IllegalArgumentException for operations
        that the channel does not have, IllegalStateException if it blocks or is registered elsewhere.
        """
        sock = self._open_socket()
        if ops & ~self.valid_ops():
            raise IllegalArgumentException(f"operations {ops} are not among {self.valid_ops()}")
        if sock.getblocking():
            raise IllegalStateException("a blocking channel cannot be registered")
        return selector._register(self, ops, attachment)

    @abstractmethod
    def valid_ops(self) -> int:
        """Return the operations that the channel may be watched for."""

    def fileno(self) -> int:
        """Return the descriptor. Raises ClosedChannelException once it is gone."""
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
        """Do what must not wait until the selector lets the channel go."""

    def _deregistered(self) -> None:
        """Forget the key, called by the selector; the second step of a close that came before."""
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
        # Whether it lingers for 0 seconds: nobody says goodbye then, and the close resets the connection.
        self._resets = False

    @staticmethod
    def open() -> SocketChannel:
        """Return a blocking channel that is not connected."""
        return SocketChannel(_new_socket(sockets.AF_INET))

    def valid_ops(self) -> int:
        """Return read, write and connect."""
        return self.OP_READ | self.OP_WRITE | self.OP_CONNECT

    def connect(self, remote: InetSocketAddress) -> bool:
        """Connect, or begin to where the channel does not block; return whether the connection is there.

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
        """Return whether the connection is there by now.

        Raises ClosedChannelException, or the OSError for which the connection failed; the channel is
        closed then.
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
        """Return whether a connection was begun and is not established."""
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
        """Send from ``src``; return the bytes taken, 0 if the send buffer is full now.

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
        """Send FIN after what is pending; reading goes on. Raises ClosedChannelException or OSError."""
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
                pass  # the peer has gone already: there is nobody to say goodbye to

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
        """Listen on ``local``; a wildcard takes IPv6 and IPv4, where the host has IPv6.

        ``backlog`` is the length of the queue of connections not yet accepted, 50 if it is below 1.
        Raises ClosedChannelException, UnresolvedAddressException, or OSError if the address is in use
        or not this host's.
        """
        sock = self._open_socket()
        address = local.get_address()
        family = family_of(local)
        if address is not None and address.is_any_local_address() and sockets.has_dualstack_ipv6():
            family = sockets.AF_INET6
        if sock.family != family:
            self._sock = sock = _replace(sock, family)
        if family == sockets.AF_INET6 and address is not None and address.is_any_local_address():
            sock.setsockopt(sockets.IPPROTO_IPV6, sockets.IPV6_V6ONLY, 0)
        # The JDK sets it on every server socket: a restart need not wait for old connections to time out.
        sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        sock.bind(sockaddr_of(local, family))
        sock.listen(backlog if backlog > 0 else 50)
        return self

    def accept(self) -> SocketChannel | None:
        """Return the next connection as a blocking channel, or None if none waits and this does not block.

        Raises ClosedChannelException, or OSError, EMFILE if the process is out of descriptors: the
        connection goes on waiting then.
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
    """A file, read and written at positions that the caller names; it has no position of its own.

    Safe for use by several threads at once, as far as their ranges do not overlap.
    """

    __slots__ = ("_fd", "_path")

    def __init__(self, fd: int, path: str) -> None:
        """Own the descriptor ``fd``. Prefer ``open``."""
        self._fd = fd
        self._path = path

    @staticmethod
    def open(path: str | os.PathLike[str], flags: int = os.O_RDONLY, mode: int = 0o644) -> FileChannel:
        """Open ``path`` with the flags of ``os.open``. Raises OSError."""
        return FileChannel(os.open(path, flags | getattr(os, "O_CLOEXEC", 0), mode), os.fspath(path))

    def is_open(self) -> bool:
        """Return whether ``close`` has not been called."""
        return self._fd >= 0

    def size(self) -> int:
        """Return the length of the file in bytes. Raises ClosedChannelException or OSError."""
        return os.fstat(self._descriptor()).st_size

    def read(self, dst: ByteBuffer, position: int) -> int:
        """Read into ``dst`` from ``position``; return the bytes read, -1 at the end of the file.

        Raises ClosedChannelException or OSError.
        """
        if not dst.has_remaining():
            return 0
        # Not os.preadv, which would save a copy: PyPy has none.
        data = os.pread(self._descriptor(), dst.remaining(), position)
        if not data:
            return -1
        dst.put(data)
        return len(data)

    def write(self, src: BytesLike | ByteBuffer, position: int) -> int:
        """Write all of ``src`` at ``position``; return its length.

        Raises ClosedChannelException, or OSError; part of it may be in the file then.
        """
        view = src.view() if isinstance(src, ByteBuffer) else memoryview(src)
        total = len(view)
        pwrite = os.pwrite if total < large_writes.BY_ADDRESS or view.readonly else large_writes.pwrite
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
            return os.sendfile(sock.fileno(), fd, position, count)
        except BlockingIOError:
            return 0

    def truncate(self, size: int) -> FileChannel:
        """Cut the file down to ``size`` bytes; a shorter one stays. Raises OSError."""
        if size < self.size():
            os.ftruncate(self._descriptor(), size)
        return self

    def force(self, metadata: bool) -> None:
        """Make the disk have what was written, and the file's times too if ``metadata``. Raises OSError."""
        if metadata or not hasattr(os, "fdatasync"):
            os.fsync(self._descriptor())
        else:
            os.fdatasync(self._descriptor())

    def close(self) -> None:
        """Close the file. A second call does nothing. Raises OSError if the kernel does."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _descriptor(self) -> int:
        if self._fd < 0:
            raise ClosedChannelException(f"{self._path} is closed")
        return self._fd

    def __str__(self) -> str:
        return f"FileChannel[{self._path}]"


def _new_socket(family: int) -> sockets.socket:
    return sockets.socket(family, sockets.SOCK_STREAM)


def _replace(sock: sockets.socket, family: int) -> sockets.socket:
    """Return a socket of ``family`` with the mode and the options set on ``sock``, which is closed.

    Java's sockets are of both families; ours take theirs from the first address they meet, after the
    port may have set options already.
    """
    fresh = _new_socket(family)
    try:
        fresh.setblocking(sock.getblocking())
        for level, option in _CARRIED_OPTIONS:
            value = sock.getsockopt(level, option)
            if option in (sockets.SO_SNDBUF, sockets.SO_RCVBUF) and level == sockets.SOL_SOCKET:
                if value == fresh.getsockopt(level, option):
                    continue
                value //= 2  # Linux reports twice what was asked for
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
    """Move the positions of ``buffers``, in order, by ``count`` bytes in all."""
    for buffer in buffers:
        remaining = buffer.remaining()
        if count < remaining:
            buffer.advance(count)
            return
        buffer.advance(remaining)
        count -= remaining
