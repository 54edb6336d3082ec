# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A custom protocol on Kafka's network layer: a small key-value store, and its client.

The socket server brings the threads, the framing, one request of a connection at a time, limits, back
pressure and metrics. The handler below gives requests their meaning; no Kafka message is involved.

Every body still follows Kafka's request header, from which the network thread reads the API, its version and
the correlation id. SaslAuthenticate is the API here, because its body is just a byte string, which a
plaintext listener does not read.

Run it: python examples/own_protocol.py
"""

from __future__ import annotations

import socket
import struct
import threading

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.sasl_authenticate_request import SaslAuthenticateRequest
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.api_version_manager import SimpleApiVersionManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import ApiRequestHandler, KafkaRequestHandlerPool
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.nio_buffer import ByteBuffer

API = ApiKeys.SASL_AUTHENTICATE


class KeyValueStore(ApiRequestHandler):
    """Understands ``set KEY VALUE`` and ``get KEY``. Several handler threads call this class at once."""

    def __init__(self, channel: RequestChannel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._values: dict[bytes, bytes] = {}

    def handle(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        # The request's memory is released when this method returns, so data to keep must be copied.
        body = bytes(request.body(SaslAuthenticateRequest).data().auth_bytes)
        command, _, rest = body.partition(b" ")
        key, _, value = rest.partition(b" ")
        if command == b"set":
            with self._lock:
                self._values[key] = value
            self._answer(request, b"ok")
        elif command == b"get":
            with self._lock:
                value = self._values.get(key, b"(nothing)")
            self._answer(request, value)
        else:
            # Every request needs a response or a close of its connection; before that, nothing more is read
            # from it.
            self._channel.close_connection(request, {})

    def _answer(self, request: RequestChannel.Request, payload: bytes) -> None:
        # Any thread may respond, at any time; the network thread of the request sends the response.
        content = struct.pack(">i", request.header().correlation_id()) + payload
        send = ByteBufferSend.size_prefixed(ByteBuffer.wrap(content))
        self._channel.send_response_response(RequestChannel.SendResponse(request, send, None, None))


class Client:
    """One connection, one request at a time."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._stream = self._socket.makefile("rb")
        self._correlation_id = 0

    def call(self, body: bytes) -> bytes:
        self._correlation_id += 1
        # Header: API, version, correlation id, no client id. Body: a size and the bytes.
        message = struct.pack(">hhihi", API.id, 0, self._correlation_id, -1, len(body)) + body
        self._socket.sendall(struct.pack(">i", len(message)) + message)
        (size,) = struct.unpack(">i", self._stream.read(4))
        response = self._stream.read(size)
        assert struct.unpack(">i", response[:4])[0] == self._correlation_id
        return response[4:]

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


def main() -> None:
    # Kafka's properties; port 0 means any free port.
    config = KafkaConfig.from_props({"listeners": "PLAINTEXT://127.0.0.1:0", "num.network.threads": "1"})
    metrics = Metrics()
    server = SocketServer(
        config, metrics, Time.SYSTEM, SimpleApiVersionManager(ListenerType.BROKER, [API]))
    channel = server.data_plane_request_channel
    handlers = KafkaRequestHandlerPool(
        config.broker_id(), channel, KeyValueStore(channel), Time.SYSTEM, 2, "RequestHandlerAvgIdlePercent",
        "data-plane")
    server.enable_request_processing({}).get()

    client = Client(server.bound_port(ListenerName("PLAINTEXT")))
    for body in (b"set colour blue", b"get colour", b"get shape"):
        print(body.decode(), "->", client.call(body).decode())
    client.close()

    # In this order: stop new requests, complete the current ones, stop the rest.
    server.stop_processing_requests()
    handlers.shutdown()
    count = channel.metrics.apply(API.name).total_time_hist.count()
    print(count, "requests served")
    server.shutdown()
    metrics.close()


if __name__ == "__main__":
    main()
