# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Compaction by kreactor and by a Kafka 3.8.0 of the test's own: the same steps leave the same batches.

Both brokers get the same Produce requests, byte for byte but for the ids of producers. The last record of a
round has a timestamp that makes the log begin a segment, so that one cleaning comes after each round. The
test then waits for the cleaner's checkpoint, and compares all batches that the logs still have.

Skipped where KREACTOR_ORACLE_SH names no script that starts a Kafka, or where Java is missing.
"""

from __future__ import annotations

import random
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.delete_records_request_data import DeleteRecordsRequestData
from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from tests.core.network.live_kafka import HOST, LiveKafka, live_kafka
from tests.core.server.broker_requests import create_topic
from tests.core.server.brokers import new_broker
from tests.core.server.wire import Wire
from tests.stepping import wait_until

LISTENERS = ("PLAINTEXT", "SASL_PLAINTEXT")
SETTINGS = {"log.cleaner.backoff.ms": "20", "log.retention.check.interval.ms": "100",
            "transaction.state.log.num.partitions": "1", "offsets.topic.num.partitions": "1"}
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS
# The difference in time between the first records of two segments, and what is enough for a new segment.
ROUND_MS, SEGMENT_MS = HOUR_MS, HOUR_MS // 2
EARLIEST, LATEST = -2, -1
MAX_LONG = 2**63 - 1

CODECS = [Compression.NONE, Compression.gzip().build(), Compression.snappy().build(),
          Compression.lz4().build(), Compression.zstd().build()]

# A key and a value, None for a tombstone.
Entry = tuple[str, str | None]


@dataclass(frozen=True)
class Put:
    """A batch, of a transaction if ``producer`` is not None."""

    producer: str | None
    entries: tuple[Entry, ...]
    codec: int = 0


@dataclass(frozen=True)
class End:
    """The end of a transaction."""

    producer: str
    committed: bool


@dataclass(frozen=True)
class DeleteBefore:
    """DeleteRecords of so many records from the end."""

    from_end: int


Step = Put | End | DeleteBefore


@dataclass(frozen=True)
class Scenario:
    """A topic's settings and what is done with it.

    ``start_ms`` is the timestamp of the first round, from now. The cleaner cleans no round from
    ``first_uncleanable`` on, and retention deletes all rounds before ``first_kept``.
    """

    rounds: Sequence[Sequence[Step]]
    configs: Mapping[str, str]
    start_ms: int = 0
    first_uncleanable: int = 1_000_000
    first_kept: int = 0


def random_rounds(seed: int, producers: Sequence[str] = (), codecs: int = 1, rounds: int = 6,
                  steps: int = 20) -> list[list[Step]]:
    """Return steps on eight keys; a fifth of the values are tombstones, a third of the transactions abort."""
    chosen = random.Random(seed)
    open_: set[str] = set()
    result = []
    for number in range(rounds):
        some: list[Step] = []
        for step in range(steps):
            if open_ and chosen.random() < 0.3:
                producer = chosen.choice(sorted(open_))
                open_.remove(producer)
                some.append(End(producer, chosen.random() < 0.66))
                continue
            who = chosen.choice([None, *producers])
            if who is not None:
                open_.add(who)
            some.append(Put(who, tuple(
                (f"key{chosen.randrange(8)}",
                 None if chosen.random() < 0.2 else f"{number}-{step}-{index}" * chosen.randrange(1, 4))
                for index in range(chosen.randrange(1, 4))), chosen.randrange(codecs)))
        result.append(some)
    return result


PRODUCERS = ("a", "b", "c")
AT_ONCE, LATE = {"delete.retention.ms": "0"}, {"delete.retention.ms": str(DAY_MS)}
SCENARIOS = {
    **{f"tombstones that stay, {seed}": Scenario(random_rounds(seed), LATE) for seed in (1, 2)},
    **{f"tombstones that go, {seed}": Scenario(random_rounds(seed), AT_ONCE) for seed in (3, 4)},
    "five codecs": Scenario(random_rounds(5, codecs=5), AT_ONCE),
    **{f"transactions, markers stay, {seed}": Scenario(random_rounds(seed, PRODUCERS), LATE)
       for seed in (6, 7)},
    **{f"transactions, markers go, {seed}": Scenario(random_rounds(seed, PRODUCERS, 5), AT_ONCE)
       for seed in (8, 9, 10)},
    "all aborted": Scenario([[Put("a", (("k", str(number)), ("l", None))), End("a", False)]
                             for number in range(4)], AT_ONCE),
    "an open transaction holds the cleaner": Scenario(
        [[Put(None, (("k", "1"), ("k", "2")))], [Put("a", (("k", "3"),))],
         [Put(None, (("k", "4"), ("l", "1")))], [Put(None, (("k", None), ("l", None)))],
         [End("a", False), Put(None, (("m", "1"),))], [Put(None, (("m", "2"),))]], AT_ONCE),
    "compact and delete": Scenario(
        random_rounds(11, rounds=5), {"cleanup.policy": "compact,delete", "retention.ms": str(DAY_MS)},
        start_ms=-DAY_MS - 2 * ROUND_MS + ROUND_MS // 2, first_kept=2),
    "records deleted by a client": Scenario(
        [*random_rounds(12, rounds=2), [DeleteBefore(7)], *random_rounds(13, rounds=2)],
        {"cleanup.policy": "compact,delete", "retention.ms": "-1"}),
    "too young": Scenario(
        random_rounds(14), {"min.compaction.lag.ms": str(DAY_MS)},
        start_ms=-DAY_MS - 3 * ROUND_MS - ROUND_MS // 2, first_uncleanable=4),
    "dirty for too long": Scenario(
        random_rounds(15), {"min.cleanable.dirty.ratio": "1", "max.compaction.lag.ms": str(SEGMENT_MS)},
        start_ms=-DAY_MS),
}


def offsets_request(topic: str, which: int, isolation: int) -> ListOffsetsRequestData:
    partition = ListOffsetsRequestData.ListOffsetsPartition(timestamp=which)
    return ListOffsetsRequestData(replica_id=-1, isolation_level=isolation, topics=[
        ListOffsetsRequestData.ListOffsetsTopic(name=topic, partitions=[partition])])


class Peer:
    """A broker, and what its cleaner has written in its data folder."""

    def __init__(self, port: int, folder: Path) -> None:
        self._wire = Wire(HOST, port)
        self._folder = folder

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()

    def begin(self, topic: str, configs: Mapping[str, str]) -> None:
        """Create the topic."""
        create_topic(self._wire, topic, **{
            "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0", "segment.ms": str(SEGMENT_MS),
            "message.timestamp.after.max.ms": str(MAX_LONG), **configs})
        # Kafka answers before the partition has its leader.
        self.ask_until(ApiKeys.LIST_OFFSETS, 7, offsets_request(topic, LATEST, 0),
                       lambda answer: answer.topics[0].partitions[0].error_code)

    def checkpoint(self, topic: str) -> int:
        """Return the offset up to which the topic is cleaned."""
        try:
            lines = (self._folder / "cleaner-offset-checkpoint").read_text().splitlines()
        except FileNotFoundError:
            return 0
        return next((int(line.split()[2]) for line in lines[2:] if line.split()[0] == topic), 0)

    def offset(self, topic: str, which: int, isolation: int = 0) -> int:
        """Return the topic's first or next offset; with isolation 1, the last stable one."""
        answer = self.ask(ApiKeys.LIST_OFFSETS, 7, offsets_request(topic, which, isolation))
        partition = answer.topics[0].partitions[0]
        assert partition.error_code == 0
        offset: int = partition.offset
        return offset

    def ask(self, api: ApiKeys, version: int, data: Message) -> Any:
        """Send a request and return the answer's body, whose type the API decides."""
        return self._wire.ask(api, version, data)

    def ask_until(self, api: ApiKeys, version: int, data: Message, error: Callable[[Any], int]) -> Any:
        """Ask again until the answer has no error: a coordinator loads, or ends another transaction."""
        answers: list[Any] = []

        def is_done() -> bool:
            answers.append(self.ask(api, version, data))
            return error(answers[-1]) == 0

        wait_until(is_done, f"{api.name}: {answers and answers[-1]}")
        return answers[-1]


class Run:
    """A scenario on one of the brokers."""

    def __init__(self, peer: Peer, topic: str, scenario: Scenario, now_ms: int) -> None:
        self._peer, self._topic, self._scenario = peer, topic, scenario
        self._time_ms = self._start_ms = now_ms + scenario.start_ms
        # The ids and epochs of producers, and their next sequence numbers.
        self._ids: dict[str, tuple[int, int]] = {}
        self._sequences: dict[str, int] = {}
        self._first_offsets: dict[str, int] = {}
        self._bases = [0]
        peer.begin(topic, scenario.configs)

    def round(self, number: int) -> None:
        """Do the steps of a round, begin a segment, and wait for the cleaner."""
        for step in self._scenario.rounds[number]:
            match step:
                case Put():
                    self._put(step)
                case End():
                    self._end(step)
                    self._wait()
                case DeleteBefore():
                    self._delete(self._peer.offset(self._topic, LATEST) - step.from_end)
        self._time_ms = self._start_ms + (number + 1) * ROUND_MS
        self._bases.append(self._put(Put(None, (("the first of a segment", str(number)),))))
        self._wait()

    def batches(self) -> list[tuple[object, ...]]:
        """Return what the log has: all batches, and the transactions that a reader leaves out."""
        names = {id_: name for name, (id_, _) in self._ids.items()}
        offset, end = (self._peer.offset(self._topic, which) for which in (EARLIEST, LATEST))
        found: list[tuple[object, ...]] = [(offset, end)]
        aborted: list[tuple[str, int]] = []
        while offset < end:
            answer = self._peer.ask(ApiKeys.FETCH, 12, FetchRequestData(
                max_wait_ms=0, min_bytes=1, isolation_level=0, topics=[FetchRequestData.FetchTopic(
                    topic=self._topic, partitions=[FetchRequestData.FetchPartition(
                        fetch_offset=offset, partition_max_bytes=1 << 20)])]))
            data = answer.responses[0].partitions[0]
            assert data.error_code == 0
            for batch in MemoryRecords.readable_records(data.records).batches():
                found.append(self._described(batch, names))
                offset = batch.next_offset()
        stable = self._peer.ask(ApiKeys.FETCH, 12, FetchRequestData(
            max_wait_ms=0, min_bytes=1, isolation_level=1, topics=[FetchRequestData.FetchTopic(
                topic=self._topic, partitions=[FetchRequestData.FetchPartition(
                    fetch_offset=self._peer.offset(self._topic, EARLIEST), partition_max_bytes=1 << 20)])]))
        for each in stable.responses[0].partitions[0].aborted_transactions or ():
            aborted.append((names[each.producer_id], each.first_offset))
        return [*found, *sorted(aborted)]

    @staticmethod
    def _described(batch: RecordBatch, names: Mapping[int, str]) -> tuple[object, ...]:
        is_control = batch.is_control_batch()
        # A marker has the time at which a broker wrote it.
        records = [(record.offset(), None if is_control else record.timestamp(),
                    (key := record.key()) and key.to_bytes(),
                    (value := record.value()) and value.to_bytes()) for record in batch]
        return (batch.base_offset(), batch.last_offset(), names.get(batch.producer_id()),
                batch.producer_epoch(), batch.base_sequence(), batch.is_transactional(), is_control,
                batch.delete_horizon_ms() is not None, batch.compression_type().name,
                None if is_control else batch.max_timestamp(), records)

    def _put(self, put: Put) -> int:
        """Write a batch; return its first offset."""
        records = []
        for name, value in put.entries:
            records.append(SimpleRecord(self._time_ms, name.encode(),
                                        None if value is None else value.encode()))
            self._time_ms += 1
        codec = CODECS[put.codec]
        transactional_id = None
        if put.producer is None:
            data = MemoryRecords.with_records(codec, *records)
        else:
            transactional_id = self._transactional_id(put.producer)
            self._begin(put.producer)
            id_, epoch = self._ids[put.producer]
            sequence = self._sequences[put.producer]
            data = MemoryRecords.with_transactional_records(codec, id_, epoch, sequence, *records)
            self._sequences[put.producer] = sequence + len(records)
        answer = self._peer.ask(ApiKeys.PRODUCE, 9, ProduceRequestData(
            transactional_id=transactional_id, acks=-1, timeout_ms=10_000,
            topic_data=[ProduceRequestData.TopicProduceData(name=self._topic, partition_data=[
                ProduceRequestData.PartitionProduceData(index=0, records=data.buffer().to_bytes())])]))
        partition = answer.responses[0].partition_responses[0]
        assert Errors.for_code(partition.error_code) is Errors.NONE
        offset: int = partition.base_offset
        if put.producer is not None:
            self._first_offsets.setdefault(put.producer, offset)
        return offset

    def _transactional_id(self, producer: str) -> str:
        return f"{self._topic}-{producer}"

    def _begin(self, producer: str) -> None:
        """Begin a transaction if none is open; the first one gets the producer its id."""
        transactional_id = self._transactional_id(producer)
        if producer not in self._ids:
            self._peer.ask_until(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(
                key=transactional_id, key_type=1), lambda answer: answer.error_code)
            answer = self._peer.ask_until(ApiKeys.INIT_PRODUCER_ID, 4, InitProducerIdRequestData(
                transactional_id=transactional_id, transaction_timeout_ms=600_000),
                lambda answer: answer.error_code)
            self._ids[producer] = answer.producer_id, answer.producer_epoch
            self._sequences[producer] = 0
        if producer not in self._first_offsets:
            id_, epoch = self._ids[producer]
            self._peer.ask_until(ApiKeys.ADD_PARTITIONS_TO_TXN, 3, AddPartitionsToTxnRequestData(
                v3_and_below_transactional_id=transactional_id, v3_and_below_producer_id=id_,
                v3_and_below_producer_epoch=epoch, v3_and_below_topics=[
                    AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic(
                        name=self._topic, partitions=[0])]),
                lambda answer: answer.results_by_topic_v3_and_below[0].results_by_partition[0]
                .partition_error_code)

    def _end(self, end: End) -> None:
        """End a transaction, and wait for its marker."""
        before = self._peer.offset(self._topic, LATEST)
        id_, epoch = self._ids[end.producer]
        answer = self._peer.ask(ApiKeys.END_TXN, 3, EndTxnRequestData(
            transactional_id=self._transactional_id(end.producer), producer_id=id_, producer_epoch=epoch,
            committed=end.committed))
        assert answer.error_code == 0
        del self._first_offsets[end.producer]
        wait_until(lambda: self._peer.offset(self._topic, LATEST) == before + 1, "no marker")
        stable = min(self._first_offsets.values(), default=before + 1)
        wait_until(lambda: self._peer.offset(self._topic, LATEST, 1) == stable, "the marker is not stable")

    def _delete(self, offset: int) -> None:
        answer = self._peer.ask(ApiKeys.DELETE_RECORDS, 2, DeleteRecordsRequestData(
            timeout_ms=10_000, topics=[DeleteRecordsRequestData.DeleteRecordsTopic(
                name=self._topic, partitions=[DeleteRecordsRequestData.DeleteRecordsPartition(
                    partition_index=0, offset=offset)])]))
        assert answer.topics[0].partitions[0].error_code == 0

    def _wait(self) -> None:
        """Wait until the cleaner has done all that is due: segments that are old enough, and stable."""
        done = len(self._bases) - 1
        if done < self._scenario.first_kept:
            # The active segment is deleted, too.
            end = self._peer.offset(self._topic, LATEST)
            wait_until(lambda: self._peer.offset(self._topic, EARLIEST) == end, "it is not deleted")
            self._bases[-1] = end
            return
        bases = self._bases[:self._scenario.first_uncleanable + 1]
        stable = min(self._first_offsets.values(), default=bases[-1])
        expected = max(base for base in bases if base <= stable)
        wait_until(lambda: self._peer.checkpoint(self._topic) >= expected,
                   f"cleaned up to {self._peer.checkpoint(self._topic)}, not {expected}")
        assert self._peer.checkpoint(self._topic) == expected


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKafka]:
    if shutil.which("java") is None:
        pytest.skip("needs Java")
    with live_kafka(tmp_path_factory.mktemp("kafka"), LISTENERS, lambda ports: {
        "listeners": ",".join(f"{name}://{HOST}:{ports[name]}" for name in LISTENERS),
        "listener.security.protocol.map": ",".join(f"{name}:{name}" for name in LISTENERS), **SETTINGS,
    }) as started:
        yield started


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_same_is_left(kafka: LiveKafka, tmp_path: Path, name: str) -> None:
    scenario = SCENARIOS[name]
    topic, now_ms = f"topic-{uuid.uuid4()}", time.time_ns() // 1_000_000
    with new_broker(tmp_path, SETTINGS) as broker, \
            closing(Peer(kafka("PLAINTEXT"), kafka.folder / "data")) as theirs, \
            closing(Peer(broker.bound_port("PLAINTEXT"), tmp_path)) as ours:
        runs = [Run(peer, topic, scenario, now_ms) for peer in (theirs, ours)]
        for number in range(len(scenario.rounds)):
            for run in runs:
                run.round(number)
            expected, found = (run.batches() for run in runs)
            assert found == expected, f"after round {number}"
