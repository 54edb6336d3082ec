# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The queues between threads, in each edition."""

from __future__ import annotations

import queue
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.editions.edition_server import EditionServer
from kreactor.editions.registry import EDITIONS
from kreactor.testing import Broker
from tests.editions.editions import processor_of

HANDLERS = 4


@pytest.fixture(params=EDITIONS)
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    with Broker(edition=request.param, properties={"num.io.threads": str(HANDLERS)}) as broker:
        yield broker


def test_the_queues_between_threads_are_those_of_python(broker: Broker) -> None:
    server: Any = broker.server()
    if isinstance(server, EditionServer):
        processor = processor_of(server)
        channel = processor._request_channel
    else:
        channel = server.socket_server().data_plane_request_channel
        [processor] = channel._processors.values()
    queues = [channel._request_queue, processor._new_connections]
    if hasattr(channel, "_callback_queue"):
        queues.append(channel._callback_queue)
    # Since 2.0 the processor has its queue of responses, before that the channel has one for each processor.
    queues += ([processor._response_queue] if hasattr(processor, "_response_queue")
               else channel._response_queues)
    assert len(queues) >= 3 and all(isinstance(each, queue.Queue) for each in queues), queues


def test_handlers_work_side_by_side(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each handler waits for all others, so that no request gets its response before all are taken."""
    barrier, handle = threading.Barrier(HANDLERS), KafkaApis.handle

    def wait_for_the_others(self: KafkaApis, *arguments: Any) -> None:
        barrier.wait(60)
        handle(self, *arguments)

    monkeypatch.setattr(KafkaApis, "handle", wait_for_the_others)
    body = struct.pack(">hhih", 18, 0, 1, -1)
    peers = [socket.create_connection((broker.host, broker.port), 60) for _ in range(HANDLERS)]
    try:
        for peer in peers:
            peer.sendall(struct.pack(">i", len(body)) + body)
        for peer in peers:
            assert len(peer.recv(4)) == 4
    finally:
        for peer in peers:
            peer.close()
