# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The part of the conversation that is about the sessions of fetches.

The responses of a session depend on the earlier ones, so each is led from its beginning to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_records_request_data import DeleteRecordsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.uuid import Uuid

if TYPE_CHECKING:
    from tests.core.server.conversation import Conversation

FetchPartition = FetchRequestData.FetchPartition

# The first version that knows sessions, and the first that knows topics by id.
SESSIONS, TOPIC_IDS = 7, 13
UNKNOWN_ID = Uuid.from_string("AAAAAAAAAAAAAAAAAAAAAg")
INT_MAX = 0x7FFFFFFF


def fetch_sessions(talk: Conversation) -> None:
    for version in range(SESSIONS, ApiKeys.FETCH.latest_version() + 1):
        _Sessions(talk, version).hold()


class _Sessions:
    """The requests in one version, for a topic of its own: ``s`` has 4 partitions, ``n`` there is not."""

    def __init__(self, talk: Conversation, version: int) -> None:
        self._talk = talk
        self._version = version
        self._names = {"s": f"s{version}", "n": "none"}
        self._ids = {"n": UNKNOWN_ID}
        self._session_id = 0
        self._epoch = 0

    def hold(self) -> None:
        self._create()
        self._go_on()
        self._errors()
        self._wrong()
        self._end()
        self._ids_that_cannot_be()
        self._create_anew()

    # -- asked, but not written down ---------------------------------------------------------------

    def _create(self) -> None:
        talk = self._talk
        name = talk.topic(self._names["s"])
        talk.wire.ask(ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(
            timeout_ms=30_000, topics=[CreateTopicsRequestData.CreatableTopic(
                name=name, num_partitions=4, replication_factor=1,
                configs=[CreateTopicsRequestData.CreateableTopicConfig(name="retention.ms", value="-1")])]))
        talk.wait_for(name)
        answer: Any = talk.wire.ask(ApiKeys.METADATA, 12, MetadataRequestData(
            topics=[MetadataRequestData.MetadataRequestTopic(name=name)]))
        self._ids["s"] = answer.topics[0].topic_id
        for partition in range(4):
            self._produce(partition, b"a")

    def _produce(self, partition: int, value: bytes) -> None:
        from tests.core.server.conversation import records, until

        def is_done() -> bool:
            answer: Any = self._talk.wire.ask(ApiKeys.PRODUCE, 9, ProduceRequestData(
                acks=-1, timeout_ms=5000, topic_data=[ProduceRequestData.TopicProduceData(
                    name=self._talk.topic(self._names["s"]), partition_data=[
                        ProduceRequestData.PartitionProduceData(index=partition, records=records(value))])]))
            return bool(answer.responses[0].partition_responses[0].error_code == Errors.NONE.code)

        # A topic is known before its leaders are.
        until(is_done)

    def _delete_records(self, partition: int, offset: int) -> None:
        self._talk.wire.ask(ApiKeys.DELETE_RECORDS, 2, DeleteRecordsRequestData(
            timeout_ms=30_000, topics=[DeleteRecordsRequestData.DeleteRecordsTopic(
                name=self._talk.topic(self._names["s"]), partitions=[
                    DeleteRecordsRequestData.DeleteRecordsPartition(
                        partition_index=partition, offset=offset)])]))

    # -- how it is asked ---------------------------------------------------------------------------

    def _at(self, partition: int, offset: int, max_bytes: int = 1 << 20, **fields: int) -> FetchPartition:
        return FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes,
                              **fields)

    def _ask(self, label: str, *parts: tuple[str, FetchPartition], forget: tuple[tuple[str, int], ...] = (),
             version: int | None = None, session_id: int | None = None, epoch: int | None = None,
             **fields: Any) -> None:
        """Ask in the session and the turn that is due if nothing else is said, and go on with what comes."""
        version = self._version if version is None else version
        session_id = self._session_id if session_id is None else session_id
        epoch = self._epoch if epoch is None else epoch

        def id_of(topic: str) -> Uuid:
            return self._ids[topic] if version >= TOPIC_IDS else Uuid.ZERO_UUID

        answer: Any = self._talk.ask(
            f"in a session of {self._version}, {label}", ApiKeys.FETCH, version, FetchRequestData(
                max_wait_ms=0, min_bytes=1, session_id=session_id, session_epoch=epoch,
                topics=[FetchRequestData.FetchTopic(
                    topic=self._talk.topic(self._names.get(topic, topic)), topic_id=id_of(topic),
                    partitions=[partition]) for topic, partition in parts],
                forgotten_topics_data=[FetchRequestData.ForgottenTopic(
                    topic=self._talk.topic(self._names[topic]), topic_id=id_of(topic),
                    partitions=[partition]) for topic, partition in forget], **fields))
        if answer is not None and answer.error_code == Errors.NONE.code:
            self._session_id = answer.session_id
            self._epoch = epoch + 1 if answer.session_id > 0 else 0

    def _begin(self, label: str, *parts: tuple[str, FetchPartition], **fields: Any) -> None:
        self._session_id = self._epoch = 0
        self._ask(label, *parts, **fields)

    # -- written down ------------------------------------------------------------------------------

    def _go_on(self) -> None:
        at = self._at
        self._begin("the first", ("s", at(0, 0)), ("s", at(1, 1)), ("s", at(2, 0)))
        self._ask("nothing new: those with records are told")
        self._ask("one is at the end now", ("s", at(0, 1)))
        self._ask("all are", ("s", at(2, 1)))
        self._ask("nothing to tell")
        self._produce(1, b"b")
        self._ask("new records")
        self._ask("the same again")
        self._ask("no bytes of one, whose high watermark is known", ("s", at(1, 1, 0)), ("s", at(0, 1)))
        self._produce(1, b"c")
        self._ask("no bytes of one, whose high watermark is new")
        self._produce(2, b"b")
        self._produce(0, b"b")
        self._ask("those that were read last come last")
        self._ask("and again")
        self._delete_records(2, 1)
        self._ask("the log begins later", ("s", at(0, 2)), ("s", at(1, 3)), ("s", at(2, 2)))
        self._ask("one more", ("s", at(3, 0)))
        self._ask("one less, one that is not in it", forget=(("s", 3), ("s", 7), ("n", 0)))
        self._ask("one that comes and goes", ("s", at(3, 0)), forget=(("s", 3),))
        self._ask("one of two that are the same", ("s", at(3, 0)), ("s", at(3, 1)))
        self._ask("little in all", ("s", at(0, 0)), ("s", at(1, 0)), ("s", at(3, 0)), max_bytes=1)
        self._ask("little in all, the next", max_bytes=1)
        self._ask("read committed", isolation_level=1)
        self._ask("epoch", ("s", at(0, 0, current_leader_epoch=0 if self._version >= 9 else -1)))

    def _errors(self) -> None:
        """An error of a partition is told each time, and its end once."""
        at = self._at
        self._begin("what there is not", ("n", at(0, 0)), ("s", at(9, 0)), ("s", at(0, 99)), ("s", at(1, 3)))
        self._ask("what there is not, again")
        self._ask("what there is not, less", forget=(("n", 0), ("s", 9)))
        self._ask("it is over", ("s", at(0, 2)))
        self._ask("it is long over")
        if self._version >= 9:
            self._ask("epoch of the future", ("s", at(0, 2, current_leader_epoch=7)))
            self._ask("epoch of the future, again")
        if self._version >= 12:
            self._ask("diverging", ("s", at(0, 99, last_fetched_epoch=0)))
            self._ask("diverging, again")

    def _wrong(self) -> None:
        at = self._at
        self._begin("to be done wrong", ("s", at(0, 0)))
        first = self._session_id
        self._ask("too early", epoch=2)
        self._ask("much too late", epoch=-7)
        self._ask("the first again", ("s", at(0, 0)), epoch=1)
        self._ask("the first again, late", ("s", at(0, 0)), session_id=first, epoch=1)
        self._ask("another session", session_id=first ^ 1)
        self._ask("without a session", session_id=0)
        other = TOPIC_IDS if self._version < TOPIC_IDS else TOPIC_IDS - 1
        self._ask("another version", version=other)
        self._ask("another version, with a partition", ("s", at(0, 0)), version=other)
        self._ask("after all that")
        reader = {"replica_id": 7} if self._version < 15 else {
            "replica_state": FetchRequestData.ReplicaState(replica_id=7, replica_epoch=1)}
        self._ask("somebody else's", **reader)

    def _end(self) -> None:
        at = self._at
        self._begin("to be replaced", ("s", at(0, 0)))
        replaced = self._session_id
        self._ask("to be ended", ("s", at(0, 2)), epoch=0)
        self._ask("replaced", session_id=replaced)
        ended = self._session_id
        self._ask("the end", ("s", at(0, 0)), epoch=-1)
        self._ask("after the end", session_id=ended, epoch=1)
        self._ask("the end again", ("s", at(0, 2)), session_id=ended, epoch=-1)
        self._begin("to be forgotten", ("s", at(0, 0)), ("s", at(1, 0)))
        forgotten = self._session_id
        self._ask("forgotten", forget=(("s", 1), ("s", 0)))
        self._ask("after it is forgotten", session_id=forgotten, epoch=2)
        self._begin("of nothing")
        empty = self._session_id
        self._ask("of nothing, the second")
        self._ask("of nothing, the third", session_id=empty, epoch=2)
        self._begin("of nothing, again")
        self._ask("of something now", ("s", at(0, 1)))
        self._begin("from a replica", ("s", at(0, 0)), **({"replica_id": 7} if self._version < 15 else {
            "replica_state": FetchRequestData.ReplicaState(replica_id=7, replica_epoch=1)}))

    def _ids_that_cannot_be(self) -> None:
        """Of some there is no shard of the cache."""
        at = self._at
        for number in (1, INT_MAX // 8, INT_MAX - 8, INT_MAX - 7, INT_MAX, -1, 1 - INT_MAX // 8,
                       -(INT_MAX // 8), -INT_MAX - 1):
            for epoch in (-1, 0, 3):
                self._ask(f"id {number}, epoch {epoch}", ("s", at(0, 1)), session_id=number, epoch=epoch)

    def _create_anew(self) -> None:
        """The topic is deleted, and there is another of its name, while a session has it."""
        talk = self._talk
        at = self._at
        self._begin("of a topic to be deleted", ("s", at(0, 2)), ("s", at(3, 0)))
        name = talk.topic(self._names["s"])
        talk.wire.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(
            timeout_ms=30_000, topic_names=[name]))
        talk.wait_for(name, error=Errors.UNKNOWN_TOPIC_OR_PARTITION)
        self._ask("of a topic that was deleted")
        old = self._ids["s"]
        self._create()
        self._ask("of a topic that was made anew")
        new, self._ids["s"] = self._ids["s"], old
        self._begin("by the id of a topic that was made anew", ("s", at(0, 0)))
        self._ask("by the id of a topic that was made anew, again")
        self._ids["s"] = new
        self._ask("by both ids of a topic that was made anew", ("s", at(0, 1)))
