# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Echo servers on kreactor, for measurements.

    python -m tools.bench.echo_server handlers NETWORK_THREADS HANDLERS
    python -m tools.bench.echo_server selector

Each listens on a free port of loopback, prints it, and serves until it is killed.

handlers  The whole path: socket server, processors, queue, handlers. A response is the correlation id and the
          records of the one partition of a Produce request, which may be any bytes.
selector  One thread and its selector: a response is the request itself.

Copies per byte: none in Python. The response is a view of the memory that the request was read into. With
`handlers` this is safe although the request is complete before its response is written: unless
queued.max.request.bytes is set, released memory is not reused.
"""

from __future__ import annotations

import queue
import struct
import sys
import threading

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.network.selector import Selector
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.api_version_manager import SimpleApiVersionManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import ApiRequestHandler, KafkaRequestHandlerPool
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel

PREFIX = struct.Struct(">ii")


class Echo(ApiRequestHandler):
    """Returns the records of a request."""

    def __init__(self, channel: RequestChannel) -> None:
        self._channel = channel

    def handle(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        records = request.body(ProduceRequest).data().topic_data[0].partition_data[0].records
        assert isinstance(records, ByteBuffer)
        prefix = PREFIX.pack(4 + records.remaining(), request.header().correlation_id())
        send = ByteBufferSend(ByteBuffer.wrap(prefix), records)
        self._channel.send_response_response(RequestChannel.SendResponse(request, send, None, None))


def serve_with_handlers(network_threads: str, handlers: int) -> None:
    config = KafkaConfig.from_props(
        {"listeners": "PLAINTEXT://127.0.0.1:0", "num.network.threads": network_threads})
    server = SocketServer(
        config, Metrics(), Time.SYSTEM, SimpleApiVersionManager(ListenerType.BROKER, [ApiKeys.PRODUCE]))
    channel = server.data_plane_request_channel
    KafkaRequestHandlerPool(
        config.broker_id(), channel, Echo(channel), Time.SYSTEM, handlers, "RequestHandlerAvgIdlePercent",
        "data-plane")
    server.enable_request_processing({}).get()
    print(server.bound_port(ListenerName("PLAINTEXT")), flush=True)
    threading.Event().wait()


def serve_with_selector() -> None:
    listener = ServerSocketChannel.open().bind(InetSocketAddress("127.0.0.1", 0))
    selector = Selector(600_000, Metrics(), Time.SYSTEM, "echo", PlaintextChannelBuilder(None), LogContext())
    accepted: queue.SimpleQueue[SocketChannel] = queue.SimpleQueue()
    threading.Thread(target=echo, args=(selector, accepted), daemon=True).start()
    print(listener.socket().get_local_port(), flush=True)
    while True:
        channel = listener.accept()
        assert channel is not None
        channel.configure_blocking(False)
        accepted.put(channel)
        selector.wakeup()


def echo(selector: Selector, accepted: queue.SimpleQueue[SocketChannel]) -> None:
    """Own the selector, as in examples/echo.py."""
    while True:
        while not accepted.empty():
            channel = accepted.get()
            selector.register(str(channel.socket().get_port()), channel)
        selector.poll(1_000)
        for receive in list(selector.completed_receives()):
            selector.mute(receive.source())
            selector.send(NetworkSend(receive.source(), ByteBufferSend.size_prefixed(receive.payload())))
        for send in selector.completed_sends():
            selector.unmute(send.destination_id())


if __name__ == "__main__":
    if sys.argv[1] == "handlers":
        serve_with_handlers(sys.argv[2], int(sys.argv[3]))
    else:
        serve_with_selector()
