# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The clients of tools/load/leaks: correct and misbehaving ones.

Each client is a thread. A correct client uses any number of connections, because a connection may be closed
when a quota or the number of network threads is lowered. But after each request it must get a response or a
close in time; anything else is a problem. A misbehaving client expects nothing.
"""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from kreactor.common.compress.compression import Compression
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.create_topics_request import CreateTopicsRequest
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.heartbeat_request import HeartbeatRequest
from kreactor.common.requests.incremental_alter_configs_request import IncrementalAlterConfigsRequest
from kreactor.common.requests.init_producer_id_request import InitProducerIdRequest
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.leave_group_request import LeaveGroupRequest
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.offset_commit_request import OffsetCommitRequest
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.sync_group_request import SyncGroupRequest
from kreactor.jdk.nio_buffer import ByteBuffer

from tools.bench.messages import framed, header
from tools.servers import API_VERSIONS, Failed, read_frame

TOPIC = "soak"
GROUPS = ("group-0", "group-1")
# Versions that Kafka 3.8.0 also supports, and that name topics by name instead of id.
CREATE_TOPICS, PRODUCE, FETCH, ALTER, INIT_PRODUCER_ID = 5, 9, 12, 1, 4
FIND_COORDINATOR, JOIN_GROUP, SYNC_GROUP, HEARTBEAT, LEAVE_GROUP, OFFSET_COMMIT = 2, 6, 4, 3, 3, 7
METADATA, LIST_OFFSETS, API_VERSIONS_VERSION = 9, 5, 0
BROKER = 4
# API keys that change nothing. Misbehaving clients use them in any lower version.
READABLE_KEYS, READABLE_VERSIONS = (1, 2, 3, 18), 12
# The first version with the client's software name, and a deprecated version.
NAMED_API_VERSIONS, DEPRECATED_PRODUCE = 3, 3
# More names than the broker keeps.
NAMES = 120
# Slightly more samples than a histogram keeps.
SAMPLES = 1_100
# The time within which a correct client gets its response, whatever the others do.
ANSWER_S = 30.0
# Linux's number; PyPy's socket module has no name for it.
IP_BIND_ADDRESS_NO_PORT = getattr(socket, "IP_BIND_ADDRESS_NO_PORT", 24)
REBALANCE_MS, SESSION_MS = 2_000, 3_000
# The number of restarts of a client.
PAUSE_S = 0.02
# Larger than a socket's buffer, so that the response stops half-way.
LARGE_FETCH = 4 << 20
# Errors that a member may get, because its group continues without it or with others.
OF_GROUPS = (Errors.NONE, Errors.UNKNOWN_MEMBER_ID, Errors.ILLEGAL_GENERATION, Errors.REBALANCE_IN_PROGRESS,
             Errors.MEMBER_ID_REQUIRED)
# A TLS client's first bytes.
HELLO = bytes.fromhex("16030100c8010000c40303")


class Load:
    """The shared state of the clients: the end flag, and the problems. Called by any thread."""

    def __init__(self, ports: Sequence[int], seed: int) -> None:
        self.ports = ports
        self.seed = seed
        self.ending = threading.Event()
        self._lock = threading.Lock()
        # Guarded by the lock.
        self.problems: list[str] = []
        self.requests = self.rude = 0
        self.slowest_s = 0.0

    def note_problem(self, text: str) -> None:
        with self._lock:
            self.problems.append(text)

    def note_answer(self, waited_s: float) -> None:
        with self._lock:
            self.requests += 1
            self.slowest_s = max(self.slowest_s, waited_s)

    def note_rude(self) -> None:
        with self._lock:
            self.rude += 1

    def take_slowest_s(self) -> float:
        """Return the longest wait of any client since the previous call."""
        with self._lock:
            slowest_s, self.slowest_s = self.slowest_s, 0.0
            return slowest_s


def connected(address: str, port: int, receive_buffer: int | None = None) -> socket.socket:
    """Return a connection from a loopback address."""
    connection = socket.socket()
    try:
        connection.settimeout(ANSWER_S)
        if receive_buffer is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        connection.bind((address, 0))
        connection.connect(("127.0.0.1", port))
        return connection
    except BaseException:
        connection.close()
        raise


class Client:
    """A correct client. A context manager that closes its connection at the end."""

    def __init__(self, load: Load, name: str, address: str, port: int) -> None:
        self.load = load
        self.name = name
        self._address = address
        self._port = port
        self._connection: socket.socket | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def call(self, request: AbstractRequest) -> AbstractResponse:
        """Repeat a request until it gets a response. Raises Failed if that takes too long."""
        content = framed(request)
        begun = time.monotonic()
        while True:
            try:
                if self._connection is None:
                    self._connection = connected(self._address, self._port)
                self._connection.sendall(content)
                answer = read_frame(self._connection)
                self.load.note_answer(time.monotonic() - begun)
                return AbstractResponse.parse_response(ByteBuffer.wrap(answer), header(request))
            except (Failed, OSError) as e:
                self.close()
                # A closed connection may be reopened; a connection without a response is a problem.
                if isinstance(e, TimeoutError) or time.monotonic() - begun > ANSWER_S:
                    raise Failed(f"{self.name}: {request.api_key().name} is not answered "
                                 f"in {time.monotonic() - begun:.0f} s") from e
                time.sleep(PAUSE_S)

    def call_expecting(self, request: AbstractRequest, *expected: Errors) -> AbstractResponse:
        """Send a request. Raises Failed for an error that is not expected."""
        response = self.call(request)
        errors = [error.name for error in response.error_counts()
                  if error not in (expected or (Errors.NONE,))]
        if errors:
            raise Failed(f"{self.name}: {request.api_key().name} is answered with {', '.join(errors)}")
        return response


def prepare(client: Client, partitions: int) -> None:
    """Create the topic, and wait until the groups have a coordinator. Raises Failed."""
    client.call_expecting(CreateTopicsRequest(CreateTopicsRequestData(timeout_ms=5000, topics=[
        CreateTopicsRequestData.CreatableTopic(name=TOPIC, num_partitions=partitions, replication_factor=1)]),
        CREATE_TOPICS))
    deadline = time.monotonic() + ANSWER_S
    for group in GROUPS:
        while Errors.UNKNOWN_MEMBER_ID not in client.call(HeartbeatRequest(
                HeartbeatRequestData(group_id=group, generation_id=0, member_id="nobody"), HEARTBEAT)
                ).error_counts():
            if time.monotonic() > deadline:
                raise Failed(f"nobody keeps {group}")
            # The request for the coordinator creates the groups' topic.
            client.call(FindCoordinatorRequest(FindCoordinatorRequestData(key=group), FIND_COORDINATOR))
            time.sleep(PAUSE_S)


def fill_histograms(client: Client) -> None:
    """Repeat each request until the broker's histograms of it are full.

    A sample takes memory, and otherwise some histograms would be full only after many minutes. Some responses
    are errors.
    """
    requests = (
        CreateTopicsRequest(CreateTopicsRequestData(), CREATE_TOPICS),
        MetadataRequest(MetadataRequestData(topics=[]), METADATA),
        ListOffsetsRequest(ListOffsetsRequestData(), LIST_OFFSETS),
        InitProducerIdRequest(InitProducerIdRequestData(transactional_id=""), INIT_PRODUCER_ID),
        FindCoordinatorRequest(FindCoordinatorRequestData(key=GROUPS[0]), FIND_COORDINATOR),
        IncrementalAlterConfigsRequest(IncrementalAlterConfigsRequestData(), ALTER),
        ApiVersionsRequest(ApiVersionsRequestData(), API_VERSIONS_VERSION),
        FetchRequest(FetchRequestData(), FETCH),
        ProduceRequest(ProduceRequestData(acks=1), PRODUCE),
        JoinGroupRequest(JoinGroupRequestData(), JOIN_GROUP),
        SyncGroupRequest(SyncGroupRequestData(), SYNC_GROUP),
        HeartbeatRequest(HeartbeatRequestData(), HEARTBEAT),
        LeaveGroupRequest(
            LeaveGroupRequestData(members=[LeaveGroupRequestData.MemberIdentity()]), LEAVE_GROUP),
        OffsetCommitRequest(OffsetCommitRequestData(), OFFSET_COMMIT))
    for request in requests:
        for _ in range(SAMPLES):
            client.call(request)


def introduce(connection: socket.socket, name: str) -> None:
    """Send requests, one of them deprecated, with a client id and a software name. Raises Failed, OSError."""
    for request in (
            ApiVersionsRequest(ApiVersionsRequestData(
                client_software_name=name, client_software_version=name), NAMED_API_VERSIONS),
            ProduceRequest(ProduceRequestData(acks=1), DEPRECATED_PRODUCE)):
        connection.sendall(framed(request, name))
        read_frame(connection)


def fill_names(load: Load) -> None:
    """Use client names until the broker distinguishes no further ones."""
    for number in range(NAMES):
        with suppress(OSError, Failed), connected("127.0.0.1", load.ports[0]) as connection:
            introduce(connection, f"client-{number}")


def try_versions(load: Load) -> None:
    """Send the requests of misbehaving clients in each version, so that the broker has all parsers."""
    for key in READABLE_KEYS:
        for version in range(READABLE_VERSIONS):
            content = readable_header(key, version) + b"\0"
            with suppress(OSError, Failed), connected("127.0.0.1", load.ports[0]) as connection:
                connection.sendall(struct.pack(">i", len(content)) + content)
                read_frame(connection)


def readable_header(key: int, version: int) -> bytes:
    """Return a valid header."""
    return struct.pack(">hhih", key, version, 7, -1)


def alter(client: Client, broker: str, key: str, value: str | None) -> None:
    """Set a setting of a broker, or of all brokers without a name; None removes the setting."""
    client.call_expecting(IncrementalAlterConfigsRequest(IncrementalAlterConfigsRequestData(resources=[
        IncrementalAlterConfigsRequestData.AlterConfigsResource(
            resource_type=BROKER, resource_name=broker, configs=[
                IncrementalAlterConfigsRequestData.AlterableConfig(
                    name=key, config_operation=0 if value is not None else 1, value=value)])]), ALTER))


class Producer:
    """Writes numbers into its own partition, one batch after the other, each exactly once."""

    def __init__(self, partition: int) -> None:
        self.partition = partition
        # All lower numbers were acknowledged. Used only by its own thread while the thread runs.
        self.acked = 0
        self._producer_id = -1
        self._producer_epoch = -1

    def value(self, number: int) -> bytes:
        """Return a value that no other producer writes."""
        return b"%d:%d:" % (self.partition, number) + b"x" * (number * 37 % 1500)

    def work(self, client: Client, dice: random.Random) -> None:
        """Write until the load ends."""
        if self._producer_id < 0:
            answer: Any = client.call_expecting(InitProducerIdRequest(
                InitProducerIdRequestData(transactional_id=None), INIT_PRODUCER_ID)).data()
            self._producer_id, self._producer_epoch = answer.producer_id, answer.producer_epoch
        while not client.load.ending.wait(PAUSE_S):
            count = dice.choice((1, 1, 5, 40))
            records = MemoryRecords.with_idempotent_records(
                Compression.NONE, self._producer_id, self._producer_epoch, self.acked,
                *(SimpleRecord(value=self.value(number)) for number in range(self.acked, self.acked + count)))
            # After a lost response the broker recognises the repeated batch.
            client.call_expecting(ProduceRequest(ProduceRequestData(
                acks=dice.choice((1, -1)), timeout_ms=5000, topic_data=[ProduceRequestData.TopicProduceData(
                    name=TOPIC, partition_data=[ProduceRequestData.PartitionProduceData(
                        index=self.partition, records=records.buffer())])]), PRODUCE))
            self.acked += count


class Consumer:
    """Reads a producer's records, and checks that they are complete and in order."""

    def __init__(self, producer: Producer) -> None:
        self._producer = producer
        self.read = 0

    def work(self, client: Client, dice: random.Random) -> None:
        """Read until the load ends."""
        while not client.load.ending.wait(PAUSE_S):
            self._fetch(client, dice.choice((1_000, 60_000, 1 << 20)))

    def read_to_end(self, client: Client) -> None:
        """Read all records from the start. Raises Failed if an acknowledged record is missing."""
        self.read = 0
        while self._fetch(client, 1 << 20):
            pass
        if self.read < self._producer.acked:
            raise Failed(f"partition {self._producer.partition} has {self.read} records, and "
                         f"{self._producer.acked} were acknowledged")

    def _fetch(self, client: Client, max_bytes: int) -> bool:
        """Fetch once; return whether there were records."""
        answer: Any = client.call_expecting(
            fetch_request(self._producer.partition, self.read, max_bytes)).data()
        begin = self.read
        for record in FetchResponse.records_or_fail(answer.responses[0].partitions[0]).records():
            if record.offset() < begin:
                continue  # a fetch returns whole batches
            value = record.value()
            content = value.to_bytes() if isinstance(value, ByteBuffer) else bytes(value or b"")
            if record.offset() != self.read or content != self._producer.value(self.read):
                raise Failed(f"partition {self._producer.partition}: record {record.offset()} is not what "
                             f"was written as number {self.read}")
            self.read += 1
        return self.read > begin


def fetch_request(partition: int, offset: int, max_bytes: int, max_wait_ms: int = 300) -> FetchRequest:
    return FetchRequest(FetchRequestData(max_wait_ms=max_wait_ms, min_bytes=1, max_bytes=max_bytes, topics=[
        FetchRequestData.FetchTopic(topic=TOPIC, partitions=[FetchRequestData.FetchPartition(
            partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes)])]), FETCH)


class Member:
    """Joins a group, stays for a while, and leaves or vanishes."""

    def __init__(self, group: str) -> None:
        self._group = group

    def work(self, client: Client, dice: random.Random) -> None:
        """Join and leave until the load ends."""
        while not client.load.ending.wait(PAUSE_S):
            self._stay(client, dice)

    def _stay(self, client: Client, dice: random.Random) -> None:
        member_id = ""
        rounds = dice.randint(1, 4)
        while rounds and not client.load.ending.is_set():
            joined: Any = client.call_expecting(JoinGroupRequest(JoinGroupRequestData(
                group_id=self._group, session_timeout_ms=SESSION_MS, rebalance_timeout_ms=REBALANCE_MS,
                member_id=member_id, protocol_type="consumer", protocols=[
                    JoinGroupRequestData.JoinGroupRequestProtocol(name="range", metadata=b"")]), JOIN_GROUP),
                *OF_GROUPS).data()
            member_id = joined.member_id if joined.error_code != Errors.UNKNOWN_MEMBER_ID.code else ""
            if joined.error_code:
                continue
            rounds -= 1
            assignments = [SyncGroupRequestData.SyncGroupRequestAssignment(
                member_id=member.member_id, assignment=b"x") for member in joined.members]
            synced: Any = client.call_expecting(SyncGroupRequest(SyncGroupRequestData(
                group_id=self._group, generation_id=joined.generation_id, member_id=member_id,
                protocol_type="consumer", protocol_name="range", assignments=assignments), SYNC_GROUP),
                *OF_GROUPS).data()
            if not synced.error_code:
                self._be_in(client, dice, joined.generation_id, member_id)
        if member_id and dice.random() < 0.7:
            client.call_expecting(LeaveGroupRequest(LeaveGroupRequestData(
                group_id=self._group, members=[LeaveGroupRequestData.MemberIdentity(member_id=member_id)]),
                LEAVE_GROUP), *OF_GROUPS)
        else:
            client.close()

    def _be_in(self, client: Client, dice: random.Random, generation: int, member_id: str) -> None:
        heartbeat = HeartbeatRequest(HeartbeatRequestData(
            group_id=self._group, generation_id=generation, member_id=member_id), HEARTBEAT)
        commit = OffsetCommitRequest(OffsetCommitRequestData(
            group_id=self._group, generation_id_or_member_epoch=generation, member_id=member_id,
            topics=[OffsetCommitRequestData.OffsetCommitRequestTopic(name=TOPIC, partitions=[
                OffsetCommitRequestData.OffsetCommitRequestPartition(
                    partition_index=0, committed_offset=dice.randrange(1000))])]), OFFSET_COMMIT)
        for _ in range(dice.randint(1, 5)):
            for request in (heartbeat, commit):
                errors = client.call_expecting(request, *OF_GROUPS).error_counts()
                if list(errors) != [Errors.NONE]:
                    return
            if client.load.ending.wait(dice.uniform(0.05, 0.3)):
                return


class Rude:
    """Does one kind of misbehaviour on each connection."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._ways: Sequence[Callable[[socket.socket, Load, random.Random], None]] = (
            self._nothing, self._in_frame, self._in_answer, self._garbage, self._wrong_size, self._many,
            self._half_close, self._tls, self._once, self._stranger)

    def work(self, load: Load, address: str, dice: random.Random) -> None:
        """Misbehave until the load ends."""
        while not load.ending.wait(dice.uniform(0.0, 0.08)):
            way = dice.choice(self._ways)
            receive_buffer = 4096 if way == self._in_answer else None
            with suppress(OSError, Failed):
                with connected(address, dice.choice(load.ports), receive_buffer) as connection:
                    connection.settimeout(2.0)
                    way(connection, load, dice)
                    if dice.random() < 0.5:
                        # The close sends a reset.
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            load.note_rude()

    def _pause(self, load: Load, dice: random.Random) -> None:
        load.ending.wait(dice.choice((0.0, 0.05, 1.0)))

    def _nothing(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        self._pause(load, dice)

    def _once(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        connection.sendall(API_VERSIONS)
        read_frame(connection)

    def _stranger(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        introduce(connection, f"{dice.getrandbits(64):x}")

    def _in_frame(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        content = dice.choice((API_VERSIONS, struct.pack(">i", 500_000) + bytes(500_000)))
        cut = dice.randrange(1, len(content))
        connection.sendall(content[:cut])
        self._pause(load, dice)
        if dice.random() < 0.5:
            connection.sendall(content[cut:])
            read_frame(connection)

    def _in_answer(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        request = framed(fetch_request(dice.randrange(self._partitions), 0, LARGE_FETCH))
        connection.sendall(request * dice.randint(1, 3))
        connection.recv(dice.randint(1, 4096))
        self._pause(load, dice)
        if dice.random() < 0.3:
            while len(connection.recv(65536)) == 65536:
                pass

    def _garbage(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        size = dice.randrange(1, 300)
        content = dice.randbytes(size)
        if dice.random() < 0.5:
            # A header before an unreadable body.
            content = readable_header(dice.choice(READABLE_KEYS), dice.randrange(READABLE_VERSIONS)) + content
        connection.sendall(struct.pack(">i", len(content)) + content)
        self._pause(load, dice)
        read_frame(connection)

    def _wrong_size(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        connection.sendall(struct.pack(">i", dice.choice((-1, -2**31, 0, 2**31 - 1))) + b"x")
        read_frame(connection)

    def _many(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        connection.sendall(API_VERSIONS * dice.randint(2, 20))
        if dice.random() < 0.5:
            read_frame(connection)

    def _half_close(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        connection.sendall(API_VERSIONS)
        connection.shutdown(socket.SHUT_WR)
        self._pause(load, dice)
        read_frame(connection)

    def _tls(self, connection: socket.socket, load: Load, dice: random.Random) -> None:
        connection.sendall(HELLO + dice.randbytes(200))
        read_frame(connection)


def behave(client: Client, work: Callable[[Client, random.Random], None]) -> None:
    """Run one client's work; any exception is a problem."""
    dice = random.Random(f"{client.load.seed} {client.name}")
    with client:
        try:
            work(client, dice)
        except Exception as e:
            client.load.note_problem(str(e) if isinstance(e, Failed) else f"{client.name}: {e!r}")


def rude_address(number: int) -> str:
    return f"127.3.0.{1 + number}"


def threads(load: Load, round_number: int, producers: Sequence[Producer], members: int,
            rude: int) -> list[threading.Thread]:
    """Return a thread for each client of a round, not started."""
    def client(name: str, number: int) -> Client:
        return Client(load, f"{name} of round {round_number}", f"127.2.0.{1 + number}",
                      load.ports[number % len(load.ports)])

    made: list[tuple[Callable[..., None], Iterable[object]]] = []
    for producer in producers:
        number = producer.partition
        made.append((behave, (client(f"producer {number}", number), producer.work)))
        made.append((behave, (client(f"consumer {number}", number + 1), Consumer(producer).work)))
    for number in range(members):
        made.append((behave, (client(f"member {number}", number), Member(GROUPS[number % len(GROUPS)]).work)))
    for number in range(rude):
        dice = random.Random(f"{load.seed} rude {number} {round_number}")
        made.append((Rude(len(producers)).work, (load, rude_address(number), dice)))
    return [threading.Thread(target=target, args=tuple(args), daemon=True) for target, args in made]
