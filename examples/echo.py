# Licensed under the Apache License, Version 2.0; see LICENSE.
"""An echo server and its client on the selector alone: size-delimited messages, without Kafka's protocol."""
import queue
import threading

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.network.selector import Selector
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel


def open_selector(name: str) -> Selector:  # connections that are idle for a minute are closed
    return Selector(60_000, Metrics(), Time.SYSTEM, name, PlaintextChannelBuilder(None), LogContext())


def message(connection: str, payload: ByteBuffer) -> NetworkSend:  # the size comes first, in 4 bytes
    return NetworkSend(connection, ByteBufferSend.size_prefixed(payload))


def serve(selector: Selector, accepted: queue.SimpleQueue[SocketChannel | None]) -> None:
    """Own the server's selector: one thread does all reads and writes, and never blocks on one peer."""
    while True:
        while not accepted.empty():  # another thread adds connections; None ends the loop
            if (channel := accepted.get()) is None:
                return selector.close()
            channel.configure_blocking(False)
            selector.register(f"client-{channel.socket().get_port()}", channel)
        selector.poll(1_000)  # read and write all ready channels; wait for up to a second if none is ready
        for receive in list(selector.completed_receives()):
            selector.mute(receive.source())  # the next message must wait: a channel sends one at a time
            selector.send(message(receive.source(), receive.payload()))
        for send in selector.completed_sends():
            selector.unmute(send.destination_id())


listener = ServerSocketChannel.open().bind(InetSocketAddress("127.0.0.1", 0))
server, connections = open_selector("server"), queue.SimpleQueue[SocketChannel | None]()
thread = threading.Thread(target=serve, args=(server, connections), daemon=True)
thread.start()
client = open_selector("client")  # connect only begins; polls complete it
client.connect("server", InetSocketAddress("127.0.0.1", listener.socket().get_local_port()), 65536, 65536)
connections.put(listener.accept())
server.wakeup()  # end the current poll, so that the thread sees the connection at once
for text in ("hello", "selector"):
    client.send(message("server", ByteBuffer.wrap(text.encode())))
    while not client.completed_receives():  # a poll's results stay until the next poll
        client.poll(1_000)
    print("echoed:", *(receive.payload().to_bytes().decode() for receive in client.completed_receives()))
    client.clear_completed_receives()
connections.put(None)
server.wakeup()
thread.join()
client.close()
listener.close()
