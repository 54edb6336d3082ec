# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: records written and read back in every version, acks, and refused batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kreactor.conformance.batches import batch
from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    Asked,
    Case,
    Level,
    Script,
    Trial,
    answered,
    expect,
    good,
    good_ones,
    is_response_to,
    only,
)
from kreactor.conformance.codec import Message, request, response_body
from kreactor.conformance.connection import Connection, Ending
from kreactor.conformance.errors import name_of
from kreactor.conformance.schemas import Api, Versions, apis
from kreactor.conformance.topics import Topic, new_topic

_GUIDE = "protocol guide: the messages and their versions"
_RECORDS = [(b"key", b"value"), (None, b"another"), (b"a tombstone", None)]
# The versions with batches of magic 2, which every release since 0.11 reads.
_PRODUCE, _FETCH, _LIST_OFFSETS = Versions(3, 0x7FFF), Versions(4, 0x7FFF), Versions(1, 0x7FFF)
# From this version of Fetch on, topics are named by id.
_BY_ID = 13
_LATEST, _EARLIEST = -1, -2

WithTopic = Callable[[Trial, Connection, Topic], None]


def with_topic(run: WithTopic) -> Callable[[Trial], None]:
    """Return the function of a case with its own topic and connection."""
    def case(trial: Trial) -> None:
        with trial.connect() as connection, new_topic(trial, connection) as topic:
            run(trial, connection, topic)
    return case


def produce_body(topic: str, records: bytes | None, acks: int = 1) -> dict[str, Any]:
    return {"acks": acks, "timeoutMs": 5000, "topicData": [
        {"name": topic, "partitionData": [{"index": 0, "records": records}]}]}


def fetch_body(topic: Topic, version: int, offset: int, **more: Any) -> dict[str, Any]:
    return {"replicaId": -1, "maxWaitMs": 1000, "minBytes": 1, "maxBytes": 1 << 20, **more, "topics": [
        {"topic": topic.name if version < _BY_ID else "", "topicId": topic.id,
         "partitions": [{"partition": 0, "fetchOffset": offset, "partitionMaxBytes": 1 << 20}]}]}


def produce(trial: Trial, connection: Connection, topic: Topic, records: bytes | None, acks: int = 1,
            version: int | None = None) -> tuple[str, int]:
    """Send a Produce request; return the error's name and the base offset."""
    answer = trial.ask(connection, apis()["Produce"], produce_body(topic.name, records, acks),
                       version=version)
    partition = only(only(answer["responses"], "topics of Produce")["partitionResponses"],
                     "partitions of Produce")
    return name_of(partition["errorCode"]), partition["baseOffset"]


def _fetched_partition(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the partition in a response to Fetch. Raises Malformed if there is another number of them."""
    topic = only(answer["responses"], "topics of Fetch")
    partition: dict[str, Any] = only(topic["partitions"], "partitions of Fetch")
    return partition


def _produced(version: int) -> WithTopic:
    def run(trial: Trial, connection: Connection, topic: Topic) -> None:
        for base in (0, len(_RECORDS)):
            expect(("NONE", base), produce(trial, connection, topic, batch(_RECORDS), version=version))
    return run


def _fetched(version: int) -> WithTopic:
    def run(trial: Trial, connection: Connection, topic: Topic) -> None:
        sent = batch(_RECORDS)
        expect(("NONE", 0), produce(trial, connection, topic, sent))
        answer = trial.ask(connection, apis()["Fetch"], fetch_body(topic, version, 0), version=version)
        partition = _fetched_partition(answer)
        expect(("NONE", len(_RECORDS)), (name_of(partition["errorCode"]), partition["highWatermark"]))
        # A broker changes only the leader epoch, between length and magic, which the checksum does not cover.
        got = partition["records"] or b""
        expect((sent[:12] + sent[16:]).hex(), (got[:12] + got[16:]).hex())
    return run


def _listed(version: int) -> WithTopic:
    def run(trial: Trial, connection: Connection, topic: Topic) -> None:
        expect(("NONE", 0), produce(trial, connection, topic, batch(_RECORDS)))
        for timestamp, offset in ((_EARLIEST, 0), (_LATEST, len(_RECORDS))):
            body = {"replicaId": -1, "topics": [
                {"name": topic.name, "partitions": [{"partitionIndex": 0, "timestamp": timestamp}]}]}
            answer = trial.ask(connection, apis()["ListOffsets"], body, version=version)
            partition = only(only(answer["topics"], "topics of ListOffsets")["partitions"],
                             "partitions of ListOffsets")
            expect(("NONE", offset), (name_of(partition["errorCode"]), partition["offset"]))
    return run


def _two_acks(trial: Trial, connection: Connection, topic: Topic) -> None:
    expect("INVALID_REQUIRED_ACKS", produce(trial, connection, topic, batch(_RECORDS), 2)[0])


def _not_written(records: bytes) -> WithTopic:
    """The batch gets an error or a close, and the next batch has offset 0."""
    def run(trial: Trial, connection: Connection, topic: Topic) -> None:
        with trial.connect() as other:
            _refused(trial, other, produce_body(topic.name, records))
        expect(("NONE", 0), produce(trial, connection, topic, batch(_RECORDS)))
    return run


def _refused(trial: Trial, connection: Connection, body: Message) -> None:
    """Send a batch that is answered with an error, or ends the connection. Raises Difference."""
    api = apis()["Produce"]
    version = trial.newest(api)
    connection.send(request(api, version, 1, body) + good(2))
    response = connection.receive()
    if response in (Ending.FIN, Ending.RESET):
        return
    expect(True, is_response_to(response, 1))
    assert isinstance(response, bytes)
    topic = only(response_body(api, version, response)["responses"], "topics of Produce")
    error = name_of(only(topic["partitionResponses"], "partitions of Produce")["errorCode"])
    expect("an error", "an error" if error != "NONE" else error)
    Script((), good_ones(2), (answered(2), OPEN)).check(trial, connection)


def _changed(at: int) -> bytes:
    data = bytearray(batch(_RECORDS))
    data[at] ^= 1
    return bytes(data)


def _no_response(trial: Trial, connection: Connection, topic: Topic) -> None:
    api = apis()["Produce"]
    version = trial.newest(api)
    asked: Asked = {1: (api, version), **good_ones(2)}
    Script((request(api, version, 1, produce_body(topic.name, batch(_RECORDS), 0)) + good(2),), asked,
           (answered(2), OPEN)).check(trial, connection)
    answer = trial.ask(connection, apis()["Fetch"], fetch_body(topic, trial.newest(apis()["Fetch"]), 0))
    expect(len(_RECORDS), _fetched_partition(answer)["highWatermark"])


def _error_without_acks(trial: Trial) -> None:
    api = apis()["Produce"]
    version = trial.newest(api)
    Script((request(api, version, 1, produce_body("@nobody", batch(_RECORDS), 0)) + good(2),),
           {1: (api, version), **good_ones(2)}, (CLOSED,))(trial)


def _fetch_error(offset: int, error: str) -> WithTopic:
    def run(trial: Trial, connection: Connection, topic: Topic) -> None:
        version = trial.newest(apis()["Fetch"])
        answer = trial.ask(connection, apis()["Fetch"], fetch_body(topic, version, offset))
        expect(error, name_of(_fetched_partition(answer)["errorCode"]))
    return run


def _waits(trial: Trial, connection: Connection, topic: Topic) -> None:
    """A fetch of an empty partition gets its response when its wait is over, and not before."""
    version = trial.newest(apis()["Fetch"])
    started = time.monotonic()
    trial.ask(connection, apis()["Fetch"], fetch_body(topic, version, 0, maxWaitMs=300))
    expect("an answer after 300 ms", "an answer after 300 ms" if time.monotonic() - started >= 0.29 else
           f"an answer after {(time.monotonic() - started) * 1000:.0f} ms")
    trial.check_time(connection, "an answer", 0.3)


def _wakes(trial: Trial, connection: Connection, topic: Topic) -> None:
    """A waiting fetch gets its response when records arrive."""
    api = apis()["Fetch"]
    version = trial.newest(api)
    wait_ms = int(trial.target.timeout_s * 2000)
    connection.send(request(api, version, 7, fetch_body(topic, version, 0, maxWaitMs=wait_ms)))
    with trial.connect() as other:
        produce(trial, other, topic, batch(_RECORDS))
    Script((), {7: (api, version)}, (answered(7), OPEN)).check(trial, connection)


def _versions(name: str, versions: Versions) -> Iterator[tuple[Api, int]]:
    api = apis()[name]
    for version in api.versions.common(versions):
        yield api, version


def cases() -> Iterator[Case]:
    for name, versions, function, sentence in (
            ("Produce", _PRODUCE, _produced, "Two batches get consecutive offsets"),
            ("Fetch", _FETCH, _fetched, "A batch is returned as it was sent"),
            ("ListOffsets", _LIST_OFFSETS, _listed, "The earliest and the latest offset are those written")):
        for api, version in _versions(name, versions):
            yield Case(f"records.{api}.v{version}", f"{sentence}, by {api} version {version}.", Level.MUST,
                       _GUIDE, with_topic(function(version)), (name, version))
    yield Case("records.acks.zero", "A Produce with acks=0 gets no response, and its records are written.",
               Level.MUST, "protocol guide: acks", with_topic(_no_response))
    yield Case("records.acks.zero-error", "A Produce with acks=0 that fails closes the connection.",
               Level.SHOULD, "KafkaApis#handleProduceRequest", _error_without_acks, ("Produce", 3))
    yield Case("records.acks.two", "A Produce with acks=2 is refused with INVALID_REQUIRED_ACKS.",
               Level.SHOULD, "ReplicaManager#appendRecords", with_topic(_two_acks))
    for name, records, sentence in (
            ("crc", _changed(-1), "A batch with another checksum"),
            ("magic", _changed(16), "A batch of magic 3"),
            ("length", batch(_RECORDS)[:-3], "A batch that is cut short"),
            ("count", batch(_RECORDS, count=2), "A batch with a wrong record count")):
        yield Case(f"records.batch.{name}", f"{sentence} is not written.", Level.MUST, "LogValidator",
                   with_topic(_not_written(records)))
    for name, offset in (("ahead", 5), ("negative", -5)):
        yield Case(f"records.offset.{name}", f"A fetch from offset {offset} of an empty partition is refused "
                   "with OFFSET_OUT_OF_RANGE.", Level.SHOULD, "ReplicaManager#readFromLog",
                   with_topic(_fetch_error(offset, "OFFSET_OUT_OF_RANGE")))
    yield Case("records.wait.over", "A fetch of an empty partition is answered when its wait is over.",
               Level.MUST, "protocol guide: max_wait_ms", with_topic(_waits))
    yield Case("records.wait.woken", "A fetch that waits is answered when records come.", Level.MUST,
               "protocol guide: min_bytes", with_topic(_wakes))
