# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Edition 1.0 as a broker: failed authentications, bounded memory, request time, and the log of requests."""

from __future__ import annotations

import logging
import threading

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.editions.v1_0.core.network.request_channel import Response, ResponseAction
from kreactor.editions.v1_0.core.network.socket_server import SocketServer
from tests.core.network.servers import plaintext_props
from tests.core.network.test_sasl import assert_closed, authenticate, handshake, sasl_props
from tests.core.server.broker_requests import create_topic, produce_data
from tests.core.server.wire import Wire, encode
from tests.editions.editions import LOCAL, processor_of, serving
from tests.editions.v0_10_2.core.network.test_socket_server import receive_request, servers  # noqa: F401
from tests.stepping import wait_until

# A pool gives memory as long as it has any, to two requests of 30,000 bytes here, and then to none.
SMALL_POOL = {"queued.max.request.bytes": "50000", "socket.request.max.bytes": "40000"}


@pytest.fixture
def server_class():
    return SocketServer


def test_a_wrong_password_is_answered_at_once_and_its_connection_closed(servers):  # noqa: F811
    server = servers.start(sasl_props())
    with Wire("127.0.0.1", server.bound_port(ListenerName("SASL"))) as wire:
        assert wire.ask(*handshake()).error_code == 0
        answer = wire.ask(*authenticate(b"\0alice\0wrong"))
        assert (answer.error_code, answer.error_message) == (
            58, "Authentication failed: Invalid username or password")
        assert_closed(wire)
    wait_until(lambda: server.connection_count(LOCAL) == 0)
    with Wire("127.0.0.1", server.bound_port(ListenerName("SASL"))) as wire:
        wire.ask(*handshake())
        assert wire.ask(*authenticate()).error_code == 0
        wire.send(ApiKeys.METADATA, 12, MetadataRequestData())
        assert str(receive_request(server.request_channel).session.principal) == "User:alice"


def test_requests_share_a_small_pool_and_give_all_of_it_back(tmp_path, monkeypatch):
    try_allocate = SimpleMemoryPool.try_allocate
    refused: list[int] = []

    def noting(pool, size: int):
        buffer = try_allocate(pool, size)
        if buffer is None:
            refused.append(size)
        return buffer

    monkeypatch.setattr(SimpleMemoryPool, "try_allocate", noting)
    with serving("1.0", tmp_path, SMALL_POOL) as broker:
        port = broker.bound_port("PLAINTEXT")
        processor = processor_of(broker)
        pool = processor._memory_pool
        with Wire("127.0.0.1", port) as wire:
            create_topic(wire)
        errors: list[int] = []

        def produce() -> None:
            with Wire("127.0.0.1", port) as client:
                for _ in range(10):
                    answer = client.ask(ApiKeys.PRODUCE, 9, produce_data(bytes(30_000)))
                    errors.append(answer.responses[0].partition_responses[0].error_code)

        frame = encode(ApiKeys.PRODUCE, 9, produce_data(bytes(30_000)), 1, "wire")
        with Wire("127.0.0.1", port) as one, Wire("127.0.0.1", port) as other:
            # Two requests have come in part, and have all of the memory.
            for holder in (one, other):
                holder.socket.sendall(frame[:100])
            wait_until(lambda: pool.available_memory() < 0)
            threads = [threading.Thread(target=produce) for _ in range(4)]
            for thread in threads:
                thread.start()
            wait_until(lambda: refused)
            assert not errors
            for holder in (one, other):
                holder.socket.sendall(frame[100:])
                holder.receive(ApiKeys.PRODUCE, 9, 1)
            for thread in threads:
                thread.join()
        assert errors == [0] * 40
        wait_until(lambda: pool.available_memory() == pool.size() == 50_000)
        wait_until(lambda: not processor.selector.is_out_of_memory())


def test_memory_of_staged_receives_is_lost_with_their_connection(servers):  # noqa: F811
    """KAFKA-7639 ended that with 2.5: a channel has no more than one receive since."""
    server = servers.start(plaintext_props() | {
        "queued.max.request.bytes": "1000", "socket.request.max.bytes": "1000"})
    with Wire("127.0.0.1", server.bound_port(ListenerName("PLAINTEXT"))) as wire:
        body = b"".join(
            len(data).to_bytes(4, "big") + data for data in [_metadata(number) for number in (1, 2)])
        wire.socket.sendall(body)
        request = receive_request(server.request_channel)
        processor = server.processor(0)
        staged = processor.num_staged_receives(request.context.connection_id)
    # The first request is an object of its own by now.
    lost = staged * len(_metadata(2))
    server.request_channel.send_response(
        Response(request, None, ResponseAction.CloseConnectionAction))
    wait_until(lambda: server.connection_count(LOCAL) == 0)
    assert server.memory_pool.size() - server.memory_pool.available_memory() == lost


def _metadata(number: int) -> bytes:
    """Return a request without its size."""
    return encode(ApiKeys.METADATA, 9, MetadataRequestData(), number, "c")[4:]


@pytest.mark.deviation("D355")
def test_a_server_that_ends_before_its_processors_start_closes_connections(servers):  # noqa: F811
    class Unstarted(SocketServer):
        def startup(self, startup_processors: bool = True) -> None:
            super().startup(startup_processors=False)

    server = servers.start(plaintext_props(), Unstarted)
    with Wire("127.0.0.1", server.bound_port(ListenerName("PLAINTEXT"))) as wire:
        wait_until(lambda: server.connection_count(LOCAL) == 1)
        server.shutdown()
        assert_closed(wire)


def test_request_time_counts_the_network_thread(tmp_path):
    with (serving("1.0", tmp_path) as broker,
          Wire("127.0.0.1", broker.bound_port("PLAINTEXT")) as wire):
        data = AlterClientQuotasRequestData
        wire.ask(ApiKeys.ALTER_CLIENT_QUOTAS, 1, data(entries=[data.EntryData(
            entity=[data.EntityData(entity_type="client-id", entity_name="client")],
            ops=[data.OpData(key="request_percentage", value=1000)])]))
        noted: list[float] = []
        quota = broker._quota_managers.request
        record = quota.record_no_throttle
        quota.record_no_throttle = lambda session, client_id, value: (
            noted.append(value), record(session, client_id, value))
        assert wire.ask(ApiKeys.METADATA, 9, MetadataRequestData(), "client").throttle_time_ms == 0
        # The network thread's time is recorded once the answer has left.
        wait_until(lambda: noted)
        assert 0 < noted[0] < 1000


def test_the_log_of_requests(tmp_path, caplog):
    caplog.set_level(logging.DEBUG, "kafka.request.logger")
    with (serving("1.0", tmp_path) as broker,
          Wire("127.0.0.1", broker.bound_port("PLAINTEXT")) as wire):
        wire.ask(ApiKeys.METADATA, 9, MetadataRequestData(), "client")
        wait_until(lambda: caplog.records)
    [line] = [record.getMessage() for record in caplog.records if "METADATA" in record.getMessage()]
    assert line.startswith("Completed request:RequestHeader(apiKey=METADATA, apiVersion=9")
    for part in (",response:{", " from connection 127.0.0.1:", ";totalTime:", ",throttleTime:",
                 ",securityProtocol:PLAINTEXT,principal:User:ANONYMOUS,listener:PLAINTEXT"):
        assert part in line


def test_a_port_in_use(servers, server_class):  # noqa: F811
    first = servers.start(plaintext_props())
    port = first.bound_port(ListenerName("PLAINTEXT"))
    with pytest.raises(KafkaException, match=f"failed to bind to localhost:{port}"):
        servers.start(plaintext_props() | {"listeners": f"PLAINTEXT://localhost:{port}"})
