# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A protocol of bytes, so that tests of the socket server depend on no Kafka message but the header.

The header is Kafka's: the network thread reads API and version from it. The API is SaslAuthenticate in
version 0, because its body is one byte string, and keeps its memory until the request is handled; on a
plaintext listener nothing looks into it. An answer is the correlation id and bytes.
"""

from __future__ import annotations

import socket
import struct
from typing import Callable

from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.send import Send
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.sasl_authenticate_request import SaslAuthenticateRequest
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.kafka_request_handler import ApiRequestHandler
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.core.network.servers import receive_response, send_request

API = ApiKeys.SASL_AUTHENTICATE
APIS = [API]


def request_bytes(payload: bytes, correlation_id: int = 0, api_key: int = API.id, version: int = 0) -> bytes:
    """Return header and body of a request, without the size."""
    return struct.pack(">hhihi", api_key, version, correlation_id, -1, len(payload)) + payload


def framed(payload: bytes, correlation_id: int = 0) -> bytes:
    """Return a request as it goes over the wire."""
    request = request_bytes(payload, correlation_id)
    return struct.pack(">i", len(request)) + request


def payload_of(request: RequestChannel.Request) -> bytes:
    return bytes(request.body(SaslAuthenticateRequest).data().auth_bytes)


def answer(
    channel: RequestChannel,
    request: RequestChannel.Request,
    payload: bytes,
    on_complete: Callable[[Send], None] | None = None,
) -> None:
    """Answer a request, from any thread."""
    content = struct.pack(">i", request.header().correlation_id()) + payload
    channel.send_response_response(RequestChannel.SendResponse(
        request, ByteBufferSend.size_prefixed(ByteBuffer.wrap(content)), None, on_complete))


class Client:
    """One connection; sends when told to, however many answers are due."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.next_correlation_id = 0

    def send(self, payload: bytes) -> int:
        """Send a request; return its correlation id."""
        correlation_id = self.next_correlation_id
        self.next_correlation_id += 1
        send_request(self.sock, request_bytes(payload, correlation_id))
        return correlation_id

    def receive(self) -> tuple[int, bytes]:
        """Return correlation id and payload of the next answer."""
        response = receive_response(self.sock)
        return struct.unpack(">i", response[:4])[0], response[4:]

    def call(self, payload: bytes) -> bytes:
        """Send a request and return the answer to it."""
        correlation_id = self.send(payload)
        answered, response = self.receive()
        assert answered == correlation_id
        return response


class Echo(ApiRequestHandler):
    """Answers each request with its payload; ``before`` sees the request first, on the handler's thread."""

    def __init__(
        self,
        channel: RequestChannel,
        before: Callable[[RequestChannel.Request], None] = lambda request: None,
    ) -> None:
        self.channel = channel
        self._before = before

    def handle(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        self._before(request)
        answer(self.channel, request, payload_of(request))
