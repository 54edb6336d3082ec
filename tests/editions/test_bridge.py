# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The joints between an edition and today's broker: held answers, calls after a send, dead processors."""

from __future__ import annotations

import time
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from confluent_kafka import Producer

from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.network.send import Send
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.core.network.request_channel import RequestChannel
from kreactor.editions import bridge
from kreactor.editions.bridge import BridgeChannel, DelayedResponses
from tests.core.server.wire import Wire, good, good_answer
from tests.editions.editions import OLDER, processor_of, serving
from tests.stepping import wait_until

# Releases whose throttled clients get their answer late; from 2.0 on it comes at once (KIP-219).
DELAYING = [name for name in OLDER if name in ("0.10.1", "0.10.2", "1.0")]
RATE = 2_000


def throttled(port: int) -> tuple[float, float]:
    """Produce until an answer tells a throttle time; return how long it took, and that time, in seconds."""
    told_s: list[float] = []
    producer = Producer({
        "bootstrap.servers": f"127.0.0.1:{port}", "client.id": "client", "linger.ms": 0,
        "throttle_cb": lambda event: told_s.append(event.throttle_time)})
    while not told_s or not told_s[-1]:
        started = time.monotonic()
        producer.produce("topic", bytes(30_000), partition=0)
        assert producer.flush(60) == 0
        took_s = time.monotonic() - started
    return took_s, told_s[-1]


@pytest.mark.parametrize("edition", DELAYING)
def test_a_throttled_producer_waits_for_its_answer(edition, tmp_path):
    with serving(edition, tmp_path) as broker:
        port = broker.bound_port("PLAINTEXT")
        data = AlterClientQuotasRequestData
        with Wire("127.0.0.1", port) as wire:
            answer = wire.ask(ApiKeys.ALTER_CLIENT_QUOTAS, 1, data(entries=[data.EntryData(
                entity=[data.EntityData(entity_type="client-id", entity_name="client")],
                ops=[data.OpData(key="producer_byte_rate", value=RATE)])]))
            assert [entry.error_code for entry in answer.entries] == [0]
        took_s, told_s = throttled(port)
        assert took_s >= told_s


class Responses(bridge.EditionResponses[str]):
    """Notes what it is given."""

    def __init__(self) -> None:
        self.given: list[tuple[str, str]] = []

    def send(self, request, send):
        self.given.append(("send", request))

    def no_operation(self, request):
        self.given.append(("no_operation", request))

    def close_connection(self, request):
        self.given.append(("close_connection", request))


@pytest.mark.parametrize("answer", ["send", "no_operation", "close_connection"])
def test_any_answer_to_a_throttled_request_is_held_back(answer):
    responses, delayed = Responses(), []
    held = DelayedResponses(responses, lambda ms, give: delayed.append((ms, give)))
    more = (Mock(spec=Send),) if answer == "send" else ()
    held.start_throttling("throttled", 50)
    getattr(held, answer)("free", *more)
    getattr(held, answer)("throttled", *more)
    assert responses.given == [(answer, "free")]
    [(ms, give)] = delayed
    assert ms == 50
    give(ms)
    assert responses.given == [(answer, "free"), (answer, "throttled")]


class TwoWrites(Send):
    """Is completed by its second write."""

    def __init__(self) -> None:
        self.writes = 0

    def completed(self):
        return self.writes == 2

    def write_to(self, channel):
        self.writes += 1
        return 5

    def size(self):
        return 10


def test_the_call_after_a_send_comes_once_with_its_last_byte():
    sends, completed = [], []
    responses = Responses()
    responses.send = lambda _, send: sends.append(send)
    channel = BridgeChannel(Mock(), Mock(), None, responses)
    request = bridge._BridgedRequest.__new__(bridge._BridgedRequest)
    request.edition_request = SimpleNamespace()
    send = TwoWrites()
    response = RequestChannel.SendResponse.__new__(RequestChannel.SendResponse)
    response.request, response.response_send, response.on_complete_callback = request, send, completed.append
    channel.send_response_response(response)

    [noting] = sends
    socket = Mock(spec=TransferableChannel)
    assert (noting.write_to(socket), noting.completed(), completed) == (5, False, [])
    assert (noting.write_to(socket), noting.completed(), completed) == (5, True, [send])
    noting.write_to(socket)
    assert completed == [send]


@pytest.mark.deviation("D356")
@pytest.mark.parametrize("edition", [name for name in OLDER if name.startswith("0.")])
def test_a_processor_whose_poll_fails_waits_between_its_rounds(edition, tmp_path):
    with serving(edition, tmp_path) as broker:
        processor = processor_of(broker)
        waits: list[float] = []
        pause = processor._pause
        processor._pause = SimpleNamespace(wait=lambda s: (waits.append(s), pause.wait(s)))
        with Wire("127.0.0.1", broker.bound_port("PLAINTEXT")) as wire:
            wire.socket.sendall(good(1))
            assert wire.receive_bytes().hex() == good_answer(1)

            def fail(timeout):
                raise OSError("the select fails")

            processor.selector.poll = fail
            processor.wakeup()
            assert wire.socket.recv(1) == b""
        wait_until(lambda: len(waits) > 1)
        assert set(waits) == {0.3}
        assert processor._is_dead
