# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A client for tests that speaks any API in any version, over a real socket, to any broker."""

from __future__ import annotations

import re
import socket
import struct
from importlib import import_module
from types import TracebackType

from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message import Message
from kreactor.jdk.nio_buffer import ByteBuffer


class Closed(Exception):
    """The broker closed the connection instead of answering."""


class Wire:
    """One connection. Calls wait up to ``timeout_s`` for an answer."""

    def __init__(self, host: str, port: int, timeout_s: float = 120.0) -> None:
        self.socket = socket.create_connection((host, port), timeout=timeout_s)
        self._correlation_id = 0

    @classmethod
    def over(cls, connection: socket.socket) -> Wire:
        """Return one over a connection that is there."""
        wire = cls.__new__(cls)
        wire.socket = connection
        wire._correlation_id = 0
        return wire

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    def send(self, api_key: ApiKeys, version: int, body: Message | bytes,
             client_id: str | None = "wire") -> int:
        """Send a request; return its correlation id."""
        self._correlation_id += 1
        self.socket.sendall(encode(api_key, version, body, self._correlation_id, client_id))
        return self._correlation_id

    def receive_bytes(self) -> bytes:
        """Return the next answer without its size. Raises Closed."""
        (size,) = struct.unpack(">i", self._read(4))
        return self._read(size)

    def receive(self, api_key: ApiKeys, version: int, correlation_id: int) -> Message:
        """Return the body of the next answer, which must end where its bytes end. Raises Closed."""
        buffer = ByteBuffer.wrap(self.receive_bytes())
        header = ResponseHeaderData.read(buffer, api_key.response_header_version(version))
        assert header.correlation_id == correlation_id
        # Of an unsupported version, ApiVersions is answered in version 0 (KIP-511).
        data = response_data(api_key).read(buffer, version if api_key.is_version_supported(version) else 0)
        assert not buffer.has_remaining(), "bytes after the body"
        return data

    def ask(self, api_key: ApiKeys, version: int, body: Message | bytes,
            client_id: str | None = "wire") -> Message:
        """Send a request and return the body of its answer. Raises Closed."""
        return self.receive(api_key, version, self.send(api_key, version, body, client_id))

    def _read(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            try:
                more = self.socket.recv(count - len(data))
            except ConnectionResetError:
                more = b""
            if not more:
                raise Closed()
            data += more
        return bytes(data)


def encode(api_key: ApiKeys, version: int, body: Message | bytes, correlation_id: int,
           client_id: str | None) -> bytes:
    """Return a request with its size before it."""
    header = RequestHeaderData(request_api_key=api_key.id, request_api_version=version,
                               correlation_id=correlation_id, client_id=client_id)
    out = header.write(bytearray(), api_key.request_header_version(version), [])
    data = bytes(out) + (body if isinstance(body, bytes) else body_bytes(body, version))
    return struct.pack(">i", len(data)) + data


def body_bytes(body: Message, version: int) -> bytes:
    """Return a message as bytes, records included."""
    segments: list[object] = []
    last = body.write(bytearray(), version, segments)
    data = b""
    for segment in [*segments, last]:
        assert isinstance(segment, (bytes, bytearray, memoryview))
        data += bytes(segment)
    return data


def good(correlation_id: int) -> bytes:
    """Return a request that is answered by ``good_answer`` on any listener without SASL."""
    body = SaslHandshakeRequestData(mechanism="x")
    return encode(ApiKeys.SASL_HANDSHAKE, 1, body, correlation_id, "c")


def good_answer(correlation_id: int) -> str:
    """Return correlation id, error ILLEGAL_SASL_STATE and an empty list of mechanisms, in hexadecimal."""
    return f"{correlation_id & 0xFFFFFFFF:08x}002200000000"


def int32(value: int) -> bytes:
    return struct.pack(">i", value)


def response_data(api_key: ApiKeys) -> type[Message]:
    """Return the class of an API's answers."""
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", api_key.name).lower()
    module = import_module(f"kreactor.common.message.{name}_response_data")
    data_class: type[Message] = getattr(module, api_key.name + "ResponseData")
    return data_class
