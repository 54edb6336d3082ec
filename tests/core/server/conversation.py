# Licensed under the Apache License, Version 2.0; see LICENSE.
"""One conversation with a broker, in every version of every API that ours speaks, good requests and bad ones.

``hold`` leads it and returns every answer, without what differs from run to run: ids, ports, times of the
broker's clock. So the answers of two brokers can be held against each other. Those of Kafka's broker are kept
in a file; ``python -m tests.core.server.conversation HOST:PORT`` writes it anew.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from typing import Any, Callable, Iterable

from kreactor.common.compress.compression import Compression
from kreactor.common.message.add_offsets_to_txn_request_data import AddOffsetsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_producers_request_data import DescribeProducersRequestData
from kreactor.common.message.describe_transactions_request_data import DescribeTransactionsRequestData
from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_transactions_request_data import ListTransactionsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.write_txn_markers_request_data import WriteTxnMarkersRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.protocol.message_json_converter import write_json
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.uuid import Uuid
from kreactor.core.server.kafka_apis import KafkaApis
from tests.core.server import fetch_session_conversation, group_conversation
from tests.core.server.wire import Closed, Wire

CreatableTopic = CreateTopicsRequestData.CreatableTopic
FetchPartition = FetchRequestData.FetchPartition
ListOffsetsPartition = ListOffsetsRequestData.ListOffsetsPartition
MetadataRequestTopic = MetadataRequestData.MetadataRequestTopic
DescribeConfigsResource = DescribeConfigsRequestData.DescribeConfigsResource

# The time of the first record; a second later comes the next.
T0 = 1_700_000_000_000
UNKNOWN_ID = Uuid.from_string("AAAAAAAAAAAAAAAAAAAAAg")
# How long a broker may take to become ready for what it is asked.
PATIENCE_S = 120.0

Answers = dict[str, Any]

RECORDED = os.path.join(os.path.dirname(__file__), "answers_3_8_0.json")


def records(*values: bytes, magic: int = 2, compression: Compression = Compression.NONE, first: int = 0,
            producer_id: int = RecordBatch.NO_PRODUCER_ID, producer_epoch: int = -1, base_sequence: int = -1,
            is_transactional: bool = False) -> bytes:
    """Return a batch, or messages of an older ``magic``, with a key and a value each, a second apart."""
    simple = [SimpleRecord(T0 + 1000 * (first + i), b"k%d" % (first + i), value)
              for i, value in enumerate(values)]
    if producer_id >= 0:
        with_id = (MemoryRecords.with_transactional_records if is_transactional
                   else MemoryRecords.with_idempotent_records)
        return with_id(compression, producer_id, producer_epoch, base_sequence, *simple).buffer().to_bytes()
    return MemoryRecords.with_records(compression, *simple, magic=magic).buffer().to_bytes()


class Conversation:
    """Asks, and writes down. ``prefix`` begins the names of all topics, which nobody else has."""

    def __init__(self, connect: Callable[[], Wire], prefix: str) -> None:
        self.connect = connect
        self.wire = connect()
        self.prefix = prefix
        self.answers: Answers = {}
        # The names of ids in the responses.
        self.ids: dict[str, str] = {}

    def topic(self, name: str) -> str:
        """Return the whole name of a topic."""
        return self.prefix + name

    def ask(self, label: str, api: ApiKeys, version: int, body: Message | bytes,
            client_id: str = "wire", passing: Errors | None = None) -> Message | None:
        """Ask, and write down the answer, or that there is none; return it or None.

        Ask again as long as the answer is the ``passing`` error, which it is for a while at the beginning.
        """
        label = f"{api.name} v{version} {label}".strip()
        assert label not in self.answers, label
        try:
            answer = self.wire.ask(api, version, body, client_id)
            deadline = time.monotonic() + PATIENCE_S
            while passing is not None and getattr(answer, "error_code") == passing.code:
                assert time.monotonic() < deadline, f"still {passing.name}"
                time.sleep(0.02)
                answer = self.wire.ask(api, version, body, client_id)
        except Closed:
            self.answers[label] = "closed"
            self.wire.close()
            self.wire = self.connect()
            return None
        spoken = version if api.is_version_supported(version) else 0
        self.answers[label] = self._clean(api, write_json_with_records(answer, spoken))
        return answer

    def wait_for(self, *names: str, error: Errors = Errors.NONE) -> None:
        """Wait until topics are there, or gone."""
        _wait_for(self, *names, error=error)

    def close(self) -> None:
        self.wire.close()

    def _clean(self, api: ApiKeys, node: Any, key: str = "") -> Any:
        if isinstance(node, dict):
            return {k: self._clean(api, v, k) for k, v in node.items() if k not in _LEFT_OUT.get(api, ())}
        if isinstance(node, list):
            if api is ApiKeys.LIST_GROUPS and key == "groups":
                node = [v for v in node if v["groupId"].startswith(self.prefix)]
            cleaned = [self._clean(api, v, key) for v in node]
            if api is ApiKeys.API_VERSIONS and key == "apiKeys":
                cleaned = [v for v in cleaned if v["apiKey"] in _SPOKEN]
            if (api, key) in _ANY_ORDER:
                cleaned.sort(key=repr)
            return cleaned
        if isinstance(node, str):
            if key == "topicId" and node != str(Uuid.ZERO_UUID) and node != str(UNKNOWN_ID):
                return self.ids.setdefault(node, f"id{len(self.ids)}")
            if key == "clusterId":
                return "CLUSTER"
            if key in ("memberId", "leader"):
                return _UUID.sub("UUID", node)
            node = _TIMES.sub("[TIME, TIME]", node)
            return node.replace(self.prefix, "T.").replace(self.prefix.replace("_", "."), "T:")
        if key == "port" and node > 0:
            return "PORT"
        if key == "producerId" and node >= 0:
            return "PRODUCER"
        if key == "sessionId" and node > 0:
            return self.ids.setdefault(f"session {node}", f"session{len(self.ids)}")
        if key in ("logAppendTimeMs", "transactionStartTimeMs") and node >= 0:
            return "TIME"
        return node


def write_json_with_records(message: Message, version: int) -> Any:
    """Return a message as JSON in which records are hexadecimal."""
    node: Any = dict(write_json(message, version))

    def fill(message: Message, node: dict[str, Any]) -> None:
        for field in message.SCHEMA.fields:
            value = getattr(message, field.attribute)
            if field.type == "records" and value is not None and field.name in node:
                node[field.name] = value.view().hex()
            elif isinstance(value, Message) and field.name in node:
                fill(value, node[field.name])
            elif isinstance(value, list) and field.name in node:
                for element, element_node in zip(value, node[field.name]):
                    if isinstance(element, Message):
                        fill(element, element_node)

    fill(message, node)
    return node


# Fields that say nothing of the APIs. Epochs and offsets are of a metadata log, folders and disks the host's;
# documentation is Kafka's text.
_LEFT_OUT: dict[ApiKeys, tuple[str, ...]] = {
    ApiKeys.API_VERSIONS: ("finalizedFeaturesEpoch",),
    ApiKeys.DESCRIBE_CONFIGS: ("documentation",),
    ApiKeys.DESCRIBE_QUORUM: ("leaderEpoch", "highWatermark", "logEndOffset", "lastFetchTimestamp",
                              "lastCaughtUpTimestamp"),
    ApiKeys.DESCRIBE_LOG_DIRS: ("logDir", "totalBytes", "usableBytes"),
}
# How every label begins.
_LABEL = re.compile(r"(\w+) v(\d+)(?= |$)")
# Between which times a record may be, as an error says; Kafka's sum overflows.
_TIMES = re.compile(r"\[\d+, -?\d+\]")
_SPOKEN = {api.id for api in KafkaApis.ENABLED_APIS}
# The end of every member's id.
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ANY_ORDER = {(ApiKeys.DELETE_TOPICS, "responses"), (ApiKeys.DESCRIBE_CONFIGS, "configs"),
              (ApiKeys.METADATA, "topics"), (ApiKeys.METADATA, "partitions"),
              (ApiKeys.CREATE_TOPICS, "topics"), (ApiKeys.PRODUCE, "responses"),
              (ApiKeys.LIST_GROUPS, "groups"), (ApiKeys.DELETE_GROUPS, "results"),
              (ApiKeys.ADD_PARTITIONS_TO_TXN, "resultsByTopicV3AndBelow"),
              (ApiKeys.ADD_PARTITIONS_TO_TXN, "resultsByPartition"),
              (ApiKeys.ADD_PARTITIONS_TO_TXN, "resultsByTransaction"),
              (ApiKeys.ADD_PARTITIONS_TO_TXN, "topicResults"),
              (ApiKeys.WRITE_TXN_MARKERS, "topics"), (ApiKeys.WRITE_TXN_MARKERS, "markers"),
              (ApiKeys.WRITE_TXN_MARKERS, "partitions"),
              (ApiKeys.DESCRIBE_TRANSACTIONS, "topics"), (ApiKeys.DESCRIBE_TRANSACTIONS, "partitions"),
              (ApiKeys.LIST_TRANSACTIONS, "transactionStates"),
              (ApiKeys.LIST_TRANSACTIONS, "unknownStateFilters"),
              (ApiKeys.DESCRIBE_PRODUCERS, "activeProducers"),
              (ApiKeys.CREATE_PARTITIONS, "results"), (ApiKeys.DELETE_RECORDS, "topics"),
              (ApiKeys.DELETE_RECORDS, "partitions"), (ApiKeys.DESCRIBE_LOG_DIRS, "topics"),
              (ApiKeys.DESCRIBE_LOG_DIRS, "partitions"), (ApiKeys.ALTER_REPLICA_LOG_DIRS, "results"),
              (ApiKeys.ALTER_REPLICA_LOG_DIRS, "partitions"),
              (ApiKeys.ELECT_LEADERS, "replicaElectionResults"),
              (ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, "results"),
              (ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, "credentialInfos"),
              (ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, "results")}


def versions(api: ApiKeys) -> Iterable[int]:
    """Return all versions that 3.8.0 speaks."""
    return range(api.oldest_version(), api.latest_version(False) + 1)


def cases(answers: Answers) -> list[tuple[ApiKeys, int]]:
    """Return each API and version that a conversation asks, in order."""
    names = {api.name: api for api in ApiKeys.values()}
    labelled = (_LABEL.match(label) for label in answers)
    asked = {(names[match[1]], int(match[2])) for match in labelled if match is not None}
    return sorted(asked, key=lambda case: (case[0].id, case[1]))


def hold(connect: Callable[[], Wire], prefix: str) -> Answers:
    """Lead the conversation, and return all answers by what was asked. Its topics are deleted at the end."""
    talk = Conversation(connect, prefix)
    try:
        api_versions(talk)
        create_topics(talk)
        metadata(talk)
        produce(talk)
        fetch(talk)
        fetch_session_conversation.fetch_sessions(talk)
        list_offsets(talk)
        init_producer_id(talk)
        Transactions(talk).hold()
        describe_configs(talk)
        describe_cluster(talk)
        find_coordinator(talk)
        sasl_handshake(talk)
        group_conversation.groups(talk)
        delete_topics(talk)
    finally:
        talk.close()
    return talk.answers


def api_versions(talk: Conversation) -> None:
    api = ApiKeys.API_VERSIONS
    for version in versions(api):
        talk.ask("", api, version, ApiVersionsRequestData() if version < 3 else ApiVersionsRequestData(
            client_software_name="wire", client_software_version="1"))
    talk.ask("of the future", api, 99, b"whatever follows")
    talk.ask("bad name", api, 3, ApiVersionsRequestData(
        client_software_name="-", client_software_version="1"))


def _creatable(name: str, partitions: int = 1, factor: int = 1,
               assignments: Iterable[tuple[int, list[int]]] = (),
               configs: Iterable[tuple[str, str | None]] = ()) -> CreatableTopic:
    return CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=factor,
        assignments=[CreateTopicsRequestData.CreatableReplicaAssignment(partition_index=i, broker_ids=ids)
                     for i, ids in assignments],
        configs=[CreateTopicsRequestData.CreateableTopicConfig(name=name, value=value)
                 for name, value in configs])


def create_topics(talk: Conversation) -> None:
    api = ApiKeys.CREATE_TOPICS

    def create(label: str, version: int, *topics: CreatableTopic, validate_only: bool = False,
               timeout_ms: int = 30_000) -> Message | None:
        return talk.ask(label, api, version, CreateTopicsRequestData(
            topics=list(topics), timeout_ms=timeout_ms, validate_only=validate_only))

    name = talk.topic
    keep = ("retention.ms", "-1")
    for version in versions(api):
        create("", version, _creatable(name(f"c{version}"), 2, 1, configs=[keep]))
        create("exists", version, _creatable(name(f"c{version}")))
        if version >= 1:
            create("validate only", version, _creatable(name("never")), validate_only=True)
            create("validate only, exists", version, _creatable(name("c0")), validate_only=True)
        if version >= 4:
            create("defaults", version, _creatable(name(f"d{version}"), -1, -1))
    create("old defaults", 0, _creatable(name("d0"), -1, -1))
    for label, topic in {
        "no partitions": _creatable(name("x"), 0),
        "negative partitions": _creatable(name("x"), -2),
        "no replicas": _creatable(name("x"), 1, 0),
        "negative replicas": _creatable(name("x"), 1, -2),
        "too many replicas": _creatable(name("x"), 1, 3),
        "too many replicas, default partitions": _creatable(name("x"), -1, 2),
        "assigned": _creatable(name("a1"), -1, -1, [(0, [1]), (1, [1])]),
        "assigned, with partitions": _creatable(name("x"), 1, -1, [(0, [1])]),
        "assigned, with factor": _creatable(name("x"), -1, 1, [(0, [1])]),
        "assigned with a gap": _creatable(name("x"), -1, -1, [(0, [1]), (2, [1])]),
        "assigned from 1": _creatable(name("x"), -1, -1, [(1, [1])]),
        "assigned to a stranger": _creatable(name("x"), -1, -1, [(0, [2])]),
        "assigned to nobody": _creatable(name("x"), -1, -1, [(0, [])]),
        "assigned twice to one": _creatable(name("x"), -1, -1, [(0, [1, 1])]),
        "assigned twice": _creatable(name("x"), -1, -1, [(0, [1]), (0, [1])]),
        "empty name": _creatable(""),
        "dots": _creatable(".."),
        "space": _creatable("a b"),
        "too long": _creatable("x" * 250),
        "cluster metadata": _creatable("__cluster_metadata"),
        "collision": _creatable(name("c0").replace("_", ".")),
        "unknown config": _creatable(name("x"), configs=[("nonsense", "1")]),
        "config of another type": _creatable(name("x"), configs=[("retention.ms", "abc")]),
        "null config": _creatable(name("x"), configs=[("retention.ms", None)]),
        "null configs": _creatable(name("x"), configs=[("retention.ms", None), ("segment.ms", None)]),
        "config out of range": _creatable(name("x"), configs=[("retention.ms", "-5")]),
        "config not in the list": _creatable(name("x"), configs=[("cleanup.policy", "foo")]),
        "config not valid": _creatable(name("x"), configs=[("compression.type", "foo")]),
        "configs in conflict": _creatable(name("x"), configs=[("max.compaction.lag.ms", "5"),
                                                              ("min.compaction.lag.ms", "10")]),
        "config before partitions": _creatable(name("x"), 0, configs=[("retention.ms", "abc")]),
        # The records are old: without the setting a broker that looks for such now and then deletes them.
        "compressed": _creatable(name("zstd"), configs=[keep, ("compression.type", "zstd")]),
        "log append time": _creatable(name("lat"), configs=[("message.timestamp.type", "LogAppendTime")]),
        "small batches": _creatable(name("small"), configs=[("max.message.bytes", "200")]),
        "strict times": _creatable(name("strict"), configs=[("message.timestamp.before.max.ms", "1000")]),
        "no old formats": _creatable(name("new"), configs=[keep, ("message.downconversion.enable", "false")]),
        "for records": _creatable(name("r"), 3, configs=[keep]),
    }.items():
        create(label, 7, topic)
    create("too much", 7, _creatable(name("x"), 20_000), _creatable(name("y")), validate_only=True)
    create("twice and once", 7, _creatable(name("twice")), _creatable(name("twice")),
           _creatable(name("once")))
    create("no time", 7, _creatable(name("late")), timeout_ms=0)
    create("less than no time", 7, _creatable(name("late")), timeout_ms=-1)
    create("no time, twice", 7, _creatable(name("late")), _creatable(name("late")), timeout_ms=0)
    create("nothing", 7)


def _wait_for(talk: Conversation, *names: str, error: Errors = Errors.NONE) -> None:
    """Wait until topics are there, or gone: a KRaft broker answers before it knows it itself."""
    for name in names:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = talk.wire.ask(ApiKeys.METADATA, 9, MetadataRequestData(
                topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=False))
            assert isinstance(answer, MetadataResponseData)
            if answer.topics[0].error_code == error.code:
                break
            assert time.monotonic() < deadline, f"{name}: {answer.topics[0].error_code}, not {error.name}"
            time.sleep(0.02)


def _topic_id(talk: Conversation, name: str) -> Uuid:
    answer = talk.wire.ask(ApiKeys.METADATA, 12, MetadataRequestData(
        topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=False))
    assert isinstance(answer, MetadataResponseData)
    return answer.topics[0].topic_id


def metadata(talk: Conversation) -> None:
    api = ApiKeys.METADATA
    name = talk.topic

    def ask(label: str, version: int, *topics: MetadataRequestTopic, auto: bool = True,
            **fields: bool) -> None:
        talk.ask(label, api, version, MetadataRequestData(
            topics=list(topics), allow_auto_topic_creation=auto, **fields))

    _wait_for(talk, name("c0"), name("r"))
    for version in versions(api):
        ask("", version, MetadataRequestTopic(name=name("c0")))
        ask("two, one of them twice", version, MetadataRequestTopic(name=name("c0")),
            MetadataRequestTopic(name=name("r")), MetadataRequestTopic(name=name("c0")))
        ask("invalid name", version, MetadataRequestTopic(name="bad name"))
        ask("to be created", version, MetadataRequestTopic(name=name(f"auto{version}")))
        _wait_for(talk, name(f"auto{version}"))
        ask("created", version, MetadataRequestTopic(name=name(f"auto{version}")))
        if version >= 1:
            ask("no topics", version)
        if version >= 4:
            ask("not to be created", version, MetadataRequestTopic(name=name("none")), auto=False)
        if version >= 8:
            fields = {"include_topic_authorized_operations": True}
            if version <= 10:
                fields["include_cluster_authorized_operations"] = True
            ask("operations", version, MetadataRequestTopic(name=name("c0")), **fields)
            ask("operations, none", version, MetadataRequestTopic(name=name("none")), auto=False, **fields)
    c0 = _topic_id(talk, name("c0"))
    for version in (10, 11):
        ask("by id", version, MetadataRequestTopic(name=name("c0"), topic_id=c0))
        ask("null name", version, MetadataRequestTopic(name=None))
    ask("by id", 12, MetadataRequestTopic(name=None, topic_id=c0))
    ask("by id and name", 12, MetadataRequestTopic(name=name("r"), topic_id=c0))
    ask("unknown id", 12, MetadataRequestTopic(name=None, topic_id=UNKNOWN_ID))
    ask("known and unknown id", 12, MetadataRequestTopic(name=None, topic_id=UNKNOWN_ID),
        MetadataRequestTopic(name=None, topic_id=c0))
    ask("neither name nor id", 12, MetadataRequestTopic(name=None), MetadataRequestTopic(name=name("c0")))
    ask("empty name", 12, MetadataRequestTopic(name=""))


def _produce_data(name: str, *partitions: tuple[int, bytes | None], acks: int = 1,
                  transactional_id: str | None = None) -> ProduceRequestData:
    return ProduceRequestData(
        transactional_id=transactional_id, acks=acks, timeout_ms=5000, topic_data=[
            ProduceRequestData.TopicProduceData(name=name, partition_data=[
                ProduceRequestData.PartitionProduceData(index=index, records=data)
                for index, data in partitions])])


def produce(talk: Conversation) -> None:
    api = ApiKeys.PRODUCE
    name = talk.topic
    _wait_for(talk, *(name(topic) for topic in ("c0", "r", "zstd", "lat", "small", "strict", "new")))
    magics = {0: 0, 1: 0, 2: 1}

    def ask(label: str, version: int, topic: str, *partitions: tuple[int, bytes | None], acks: int = 1,
            transactional_id: str | None = None, client_id: str = "wire") -> None:
        talk.ask(label, api, version, _produce_data(name(topic), *partitions, acks=acks,
                                                    transactional_id=transactional_id), client_id)

    for version in versions(api):
        magic = magics.get(version, 2)
        data = records(b"v%d-a" % version, b"v%d-b" % version, magic=magic, first=2 * version)
        ask("", version, "r", (0, data))
        ask("all in sync", version, "r", (1, data), acks=-1)
        ask("two partitions, one of them unknown", version, "r", (1, data), (7, data))
        ask("unknown topic", version, "none", (0, data))
        ask("acks 2", version, "r", (0, data), acks=2)
        ask("log append time", version, "lat", (0, data))
        ask("too large", version, "small", (0, records(b"x" * 300, magic=magic)))
        ask("too old", version, "strict", (0, data))
        broken = bytearray(data)
        broken[-1] ^= 1
        ask("bad checksum", version, "r", (0, bytes(broken)))
        ask("no records", version, "r", (0, b""))
        ask("a partition twice", version, "r", (0, data), (0, data))
        if version >= 3:
            ask("two batches", version, "r", (0, data + data))
            ask("old format", version, "r", (0, records(b"x", magic=1)))
            ask("transactional without id", version, "r", (0, records(
                b"x", producer_id=5, producer_epoch=0, base_sequence=0, is_transactional=True)))
            ask("zstd", version, "r", (2, records(b"x" * 100, compression=Compression.zstd().build())))
    data = records(b"quiet")
    talk.wire.send(api, 9, _produce_data(name("r"), (2, data), acks=0))
    ask("after one without an answer", 9, "r", (2, data))
    talk.wire.send(api, 9, _produce_data(name("none"), (0, data), acks=0))
    ask("after one that failed without an answer", 9, "r", (2, data))
    ask("not from offset 0", 9, "r", (2, (5).to_bytes(8, "big") + data[8:]))
    ask("negative partition", 9, "r", (-1, data))

    # Nobody else has this id: producer ids are given in blocks, from 0 on.
    producer = 2**60

    def idempotent(label: str, sequence: int, *values: bytes, epoch: int = 0) -> None:
        ask(label, 9, "c0", (0, records(*values, producer_id=producer, producer_epoch=epoch,
                                        base_sequence=sequence)))

    idempotent("idempotent", 0, b"a", b"b")
    idempotent("idempotent, next", 2, b"c")
    idempotent("idempotent, again", 0, b"a", b"b")
    idempotent("idempotent, the last again", 2, b"c")
    idempotent("idempotent, gap", 5, b"d")
    idempotent("idempotent, not the same again", 1, b"b", b"c", b"d")
    idempotent("idempotent, new epoch from the middle", 3, b"d", epoch=1)
    idempotent("idempotent, new epoch", 0, b"d", epoch=1)
    idempotent("idempotent, old epoch", 3, b"e", epoch=0)
    ask("idempotent, unknown, from the middle", 9, "c0", (1, records(
        b"x", producer_id=producer, producer_epoch=0, base_sequence=17)))


def fetch(talk: Conversation) -> None:
    api = ApiKeys.FETCH
    name = talk.topic
    ids = {topic: _topic_id(talk, name(topic)) for topic in ("r", "c0", "zstd", "new")}
    ids["none"] = UNKNOWN_ID

    def ask(label: str, version: int, *partitions: tuple[str, FetchPartition], max_wait_ms: int = 100,
            **fields: Any) -> None:
        topics = []
        for topic, partition in partitions:
            topics.append(FetchRequestData.FetchTopic(
                topic=name(topic), topic_id=ids[topic] if version >= 13 else Uuid.ZERO_UUID,
                partitions=[partition]))
        talk.ask(label, api, version, FetchRequestData(
            max_wait_ms=max_wait_ms, min_bytes=1, topics=topics, **fields))

    def at(offset: int, partition: int = 0, max_bytes: int = 1 << 20, **fields: int) -> FetchPartition:
        return FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes,
                              **fields)

    # Compressed records are not for the oldest versions, and would not be the same bytes from every library.
    talk.wire.ask(ApiKeys.PRODUCE, 9, _produce_data(name("zstd"), (0, records(b"z" * 50))))
    talk.wire.ask(ApiKeys.PRODUCE, 9, _produce_data(name("new"), (0, records(b"n"))))
    for version in versions(api):
        ask("", version, ("r", at(0)))
        ask("from the middle of a batch", version, ("r", at(3)))
        ask("two partitions", version, ("r", at(2)), ("c0", at(1)))
        ask("at the end", version, ("c0", at(4)))
        ask("beyond the end", version, ("c0", at(1000)))
        ask("before the beginning", version, ("c0", at(-1)))
        ask("unknown", version, ("none", at(0)))
        ask("unknown partition", version, ("r", at(0, 9)))
        ask("one byte", version, ("r", at(0, 0, 1)), ("r", at(0, 1, 1)))
        ask("no wait", version, ("c0", at(4)), max_wait_ms=0)
        ask("nothing", version)
        ask("old formats not wanted", version, ("new", at(0)))
        if version < 10:
            ask("zstd not known", version, ("zstd", at(0)))
        if version >= 3:
            ask("little in all", version, ("r", at(0)), ("r", at(0, 1)), ("c0", at(0)), max_bytes=150)
        ask("errors in order", version, ("r", at(0, 9)), ("none", at(0)), ("c0", at(0)), ("none", at(0, 1)))
        ask("less than nothing", version, ("r", at(0, 0, -1)), ("c0", at(4, 0, -1)))
        ask("no bytes", version, ("r", at(0, 0, 0)), ("c0", at(0, 0, 0)))
        if version >= 4:
            ask("read committed, little in all", version, ("r", at(0)), ("r", at(0, 1)), ("c0", at(0)),
                isolation_level=1, max_bytes=150)
            ask("read committed", version, ("c0", at(0)), isolation_level=1)
            ask("read committed, at the end", version, ("c0", at(4)), isolation_level=1)
            ask("unknown isolation level", version, ("c0", at(4)), isolation_level=7)
        if version >= 7:
            ask("unknown session", version, ("c0", at(0)), session_id=123456, session_epoch=3)
            ask("last of a session", version, ("c0", at(0)), session_id=123456, session_epoch=-1)
        if version >= 9:
            ask("epoch", version, ("c0", at(0, current_leader_epoch=0)))
            ask("epoch of the future", version, ("c0", at(0, current_leader_epoch=5)))
        if version >= 12:
            ask("last epoch", version, ("c0", at(0, last_fetched_epoch=0)))
            ask("last epoch of the future", version, ("c0", at(0, last_fetched_epoch=5)))
            ask("diverging", version, ("c0", at(1000, last_fetched_epoch=0)))
            ask("read committed, diverging", version, ("c0", at(1000, last_fetched_epoch=0)),
                isolation_level=1)
        if version < 15:
            ask("from a replica", version, ("c0", at(0)), replica_id=7)
            if version >= 9:
                ask("from a replica with an epoch", version, ("c0", at(0, current_leader_epoch=0)),
                    replica_id=7)
        else:
            ask("from a replica", version, ("c0", at(0)), replica_state=FetchRequestData.ReplicaState(
                replica_id=7, replica_epoch=1))


def list_offsets(talk: Conversation) -> None:
    api = ApiKeys.LIST_OFFSETS
    name = talk.topic

    def ask(label: str, version: int, *partitions: ListOffsetsPartition, topic: str = "r",
            replica_id: int = -1, **fields: int) -> None:
        talk.ask(label, api, version, ListOffsetsRequestData(
            replica_id=replica_id, topics=[ListOffsetsRequestData.ListOffsetsTopic(
                name=name(topic), partitions=list(partitions))], **fields))

    def at(timestamp: int, partition: int = 0, **fields: int) -> ListOffsetsPartition:
        return ListOffsetsPartition(partition_index=partition, timestamp=timestamp, **fields)

    for version in versions(api):
        many = {"max_num_offsets": 10} if version == 0 else {}
        for timestamp, label in {-1: "latest", -2: "earliest", -3: "max", -4: "earliest local",
                                 -7: "no such", 0: "time 0", T0 + 5000: "time", T0 + 5001: "later",
                                 T0 + 10**9: "too late"}.items():
            if version == 0 and timestamp >= 0:
                # Of that version they depend on when files were written.
                continue
            ask(label, version, at(timestamp, **many))
        ask("two", version, at(-1, **many), at(-2, 1, **many))
        ask("twice", version, at(-1, **many), at(-2, **many))
        ask("unknown topic", version, at(-1, **many), topic="none")
        ask("unknown partition", version, at(-1, 9, **many))
        ask("negative partition", version, at(-1, -1, **many))
        ask("debugging", version, at(-1, **many), replica_id=-2)
        ask("empty", version, at(-1, **many), at(-2, **many), topic="once")
        if version > 0:
            ask("empty, max", version, at(-3), topic="once")
            ask("empty, time", version, at(T0), topic="once")
        if version >= 2:
            ask("committed", version, at(-1), isolation_level=1)
            ask("unknown isolation level", version, at(-1), isolation_level=7)
        if version >= 4:
            ask("epoch", version, at(-1, current_leader_epoch=0))
            ask("epoch of the future", version, at(-1, current_leader_epoch=3))


def init_producer_id(talk: Conversation) -> None:
    api = ApiKeys.INIT_PRODUCER_ID
    for version in versions(api):
        def ask(label: str, version: int = version, **fields: Any) -> None:
            # Ids come in blocks, and a broker that has only just started has none yet.
            talk.ask(label, api, version, InitProducerIdRequestData(**fields),
                     passing=Errors.COORDINATOR_LOAD_IN_PROGRESS)

        ask("", transactional_id=None, transaction_timeout_ms=60_000)
        ask("empty id", transactional_id="", transaction_timeout_ms=60_000)
        ask("too long", transactional_id="t", transaction_timeout_ms=10**9)
        ask("no time", transactional_id="t", transaction_timeout_ms=0)
        if version >= 3:
            ask("id without epoch", transactional_id=None, transaction_timeout_ms=60_000, producer_id=5)
            ask("epoch without id", transactional_id=None, transaction_timeout_ms=60_000, producer_epoch=5)
            ask("id and epoch", transactional_id=None, transaction_timeout_ms=60_000, producer_id=5,
                producer_epoch=5)


class Transactions:
    """Requests about transactions, each with an id of its own, or with nobody's."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk
        self._topic = talk.topic("txn")

    def hold(self) -> None:
        talk = self._talk
        talk.ask("for transactions", ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(
            topics=[_creatable(self._topic, 2, configs=[("retention.ms", "-1")])], timeout_ms=30_000))
        _wait_for(talk, self._topic)
        self._find_coordinator()
        self._init_producer_id()
        self._add_partitions()
        self._add_offsets()
        self._end()
        self._produce()
        self._commit_offsets()
        self._write_markers()
        self._describe()

    # -- asked, but not written down ---------------------------------------------------------------

    def _find_coordinator(self) -> None:
        """Its topic is made by the first who asks."""
        until(lambda: getattr(self._talk.wire.ask(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(
            key="t", key_type=1)), "error_code") == Errors.NONE.code)

    def _begin(self, name: str) -> tuple[str, int, int]:
        """Return a transactional id, its producer id and epoch."""
        transactional_id = self._talk.topic(name)
        answers: list[Any] = []

        def is_there() -> bool:
            answers.append(self._talk.wire.ask(ApiKeys.INIT_PRODUCER_ID, 4, InitProducerIdRequestData(
                transactional_id=transactional_id, transaction_timeout_ms=600_000)))
            return bool(answers[-1].error_code == Errors.NONE.code)

        until(is_there)
        return transactional_id, answers[-1].producer_id, answers[-1].producer_epoch

    def _is_settled(self, transactional_id: str) -> bool:
        answer: Any = self._talk.wire.ask(ApiKeys.DESCRIBE_TRANSACTIONS, 0, DescribeTransactionsRequestData(
            transactional_ids=[transactional_id]))
        state = answer.transaction_states[0]
        return state.error_code == Errors.NONE.code and not state.transaction_state.startswith("Prepare")

    def _add(self, who: tuple[str, int, int], *partitions: int) -> None:
        answer: Any = self._talk.wire.ask(
            ApiKeys.ADD_PARTITIONS_TO_TXN, 3, self._add_data(3, who, {self._topic: list(partitions)}))
        for topic in answer.results_by_topic_v3_and_below:
            for result in topic.results_by_partition:
                assert result.partition_error_code == Errors.NONE.code

    # -- written down ------------------------------------------------------------------------------

    def _init_producer_id(self) -> None:
        talk = self._talk
        api = ApiKeys.INIT_PRODUCER_ID
        for version in versions(api):
            transactional_id, producer_id, epoch = self._begin(f"i{version}")

            def ask(label: str, version: int = version, transactional_id: str = transactional_id,
                    **fields: int) -> None:
                talk.ask(label, api, version, InitProducerIdRequestData(
                    transactional_id=transactional_id, transaction_timeout_ms=60_000, **fields))

            ask("of a transaction, again")
            if version >= 3:
                ask("of a transaction, by an old epoch", producer_id=producer_id, producer_epoch=epoch)
                ask("of a transaction, by its epoch", producer_id=producer_id, producer_epoch=epoch + 1)
                ask("of a transaction, by its epoch, again", producer_id=producer_id,
                    producer_epoch=epoch + 1)
                ask("of a transaction, by a later epoch", producer_id=producer_id, producer_epoch=99)
                ask("of a transaction, by another id", producer_id=producer_id + 1_000_000, producer_epoch=0)
            _, producer_id, epoch = who = self._begin(f"i{version}")
            self._add(who, 0)
            ask("of a transaction that is open")
            until(lambda transactional_id=transactional_id: self._is_settled(transactional_id))
            ask("of a transaction that was open")

    def _add_data(self, version: int, who: tuple[str, int, int], topics: dict[str, list[int]],
                  verify_only: bool = False) -> AddPartitionsToTxnRequestData:
        transactional_id, producer_id, epoch = who
        data = [AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic(name=name, partitions=partitions)
                for name, partitions in topics.items()]
        if version < 4:
            return AddPartitionsToTxnRequestData(
                v3_and_below_transactional_id=transactional_id, v3_and_below_producer_id=producer_id,
                v3_and_below_producer_epoch=epoch, v3_and_below_topics=data)
        return AddPartitionsToTxnRequestData(transactions=[
            AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction(
                transactional_id=transactional_id, producer_id=producer_id, producer_epoch=epoch,
                verify_only=verify_only, topics=data)])

    def _add_partitions(self) -> None:
        api, topic = ApiKeys.ADD_PARTITIONS_TO_TXN, self._topic
        for version in versions(api):
            transactional_id, producer_id, epoch = who = self._begin(f"a{version}")

            def ask(label: str, who: tuple[str, int, int], topics: dict[str, list[int]],
                    verify_only: bool = False, version: int = version) -> None:
                self._talk.ask(label, api, version, self._add_data(version, who, topics, verify_only))

            one = {topic: [0]}
            for verify_only in (False, True) if version >= 4 else (False,):
                say = "verify, " if verify_only else ""
                ask(say + "nobody's id", (self._talk.topic("nobody"), producer_id, epoch), one, verify_only)
                ask(say + "no id", ("", producer_id, epoch), one, verify_only)
                ask(say + "another producer", (transactional_id, producer_id + 1, epoch), one, verify_only)
                ask(say + "older epoch", (transactional_id, producer_id, epoch - 1), one, verify_only)
                ask(say + "later epoch", (transactional_id, producer_id, epoch + 1), one, verify_only)
                ask(say + "unknown topic", who, {"none": [0, 1]}, verify_only)
                ask(say + "unknown and known", who, {topic: [0, 5, -1], "bad name": [0]}, verify_only)
                ask(say + "nothing", who, {}, verify_only)
                ask(say + "no partitions", who, {topic: []}, verify_only)
                ask(say + "twice", who, {topic: [1, 1]}, verify_only)
                ask(say + "well", who, one, verify_only)
                ask(say + "again", who, one, verify_only)
                ask(say + "internal", who, {"__transaction_state": [0]}, verify_only)
            if version >= 4:
                both = self._add_data(version, who, one)
                nobody = (self._talk.topic("none"), 1, 1)
                both.transactions += self._add_data(version, nobody, one).transactions
                self._talk.ask("two", api, version, both)

    def _add_offsets(self) -> None:
        api = ApiKeys.ADD_OFFSETS_TO_TXN
        for version in versions(api):
            transactional_id, producer_id, epoch = self._begin(f"o{version}")

            def ask(label: str, transactional_id: str = transactional_id, producer_id: int = producer_id,
                    epoch: int = epoch, group: str = "g", version: int = version) -> None:
                self._talk.ask(label, api, version, AddOffsetsToTxnRequestData(
                    transactional_id=transactional_id, producer_id=producer_id, producer_epoch=epoch,
                    group_id=group))

            ask("nobody's id", self._talk.topic("nobody"))
            ask("no id", "")
            ask("another producer", producer_id=producer_id + 1)
            ask("older epoch", epoch=epoch - 1)
            ask("later epoch", epoch=epoch + 1)
            ask("well")
            ask("again")
            ask("no group", group="")

    def _end(self) -> None:
        api = ApiKeys.END_TXN
        for version in versions(api):
            for committed in (True, False):
                say = "commit" if committed else "abort"
                transactional_id, producer_id, epoch = who = self._begin(f"e{version}{say}")

                def ask(label: str, transactional_id: str = transactional_id, producer_id: int = producer_id,
                        epoch: int = epoch, committed: bool = committed, version: int = version,
                        say: str = say) -> None:
                    self._talk.ask(f"{say}, {label}", api, version, EndTxnRequestData(
                        transactional_id=transactional_id, producer_id=producer_id, producer_epoch=epoch,
                        committed=committed))

                ask("nothing begun")
                self._add(who, 0, 1)
                ask("nobody's id", self._talk.topic("nobody"))
                ask("no id", "")
                ask("another producer", producer_id=producer_id + 1)
                ask("older epoch", epoch=epoch - 1)
                ask("later epoch", epoch=epoch + 1)
                ask("well")
                until(lambda transactional_id=transactional_id: self._is_settled(transactional_id))
                ask("again")
                ask("the other way", committed=not committed)
                # The next one.
                self._add(who, 1)
                ask("the next")
                until(lambda transactional_id=transactional_id: self._is_settled(transactional_id))
                # Fenced in the middle of a transaction.
                self._add(who, 1)
                self._begin(f"e{version}{say}")
                ask("fenced")

    def _produce(self) -> None:
        api = ApiKeys.PRODUCE
        for version in versions(api):
            if version < 3:
                continue
            self._begin(f"p{version}")
            transactional_id, producer_id, epoch = who = self._begin(f"p{version}")

            def ask(label: str, sequence: int, partition: int = 0, epoch: int = epoch,
                    transactional_id: str | None = transactional_id, producer_id: int = producer_id,
                    is_transactional: bool = True, version: int = version) -> None:
                batch = records(b"in a transaction", producer_id=producer_id, producer_epoch=epoch,
                                base_sequence=sequence, is_transactional=is_transactional)
                data = _produce_data(self._topic, (partition, batch), acks=-1)
                data.transactional_id = transactional_id
                self._ask_without_offsets(f"in a transaction, {label}", api, version, data)

            ask("not begun", 0)
            self._add(who, 0)
            ask("to another partition", 0, 1)
            ask("without an id", 0, transactional_id=None)
            ask("nobody's id", 0, transactional_id=self._talk.topic("nobody"))
            ask("older epoch", 0, epoch=epoch - 1)
            ask("later epoch", 0, epoch=epoch + 1)
            ask("another producer", 0, producer_id=producer_id + 1)
            ask("well", 0)
            ask("again", 0)
            ask("out of order", 7)
            ask("not of it", 1, is_transactional=False)
            self._commit(who)
            ask("ended", 1)

    def _commit(self, who: tuple[str, int, int]) -> None:
        """Commit a transaction, and wait until its markers are written."""
        transactional_id, producer_id, epoch = who
        answer: Any = self._talk.wire.ask(ApiKeys.END_TXN, 3, EndTxnRequestData(
            transactional_id=transactional_id, producer_id=producer_id, producer_epoch=epoch, committed=True))
        assert answer.error_code == Errors.NONE.code
        until(lambda: self._is_settled(transactional_id))

    def _commit_offsets(self) -> None:
        """Offsets whose partition is, or is not, in the transaction that they name."""
        api = ApiKeys.TXN_OFFSET_COMMIT
        group = self._talk.topic("offsets")
        self._find_group_coordinator(group)
        for version in versions(api):
            transactional_id, producer_id, epoch = who = self._begin(f"c{version}")

            def ask(label: str, transactional_id: str = transactional_id, producer_id: int = producer_id,
                    epoch: int = epoch, version: int = version) -> None:
                self._talk.ask(f"in a transaction, {label}", api, version, TxnOffsetCommitRequestData(
                    transactional_id=transactional_id, group_id=group, producer_id=producer_id,
                    producer_epoch=epoch, topics=[TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(
                        name=self._topic, partitions=[
                            TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                                partition_index=0, committed_offset=1)])]))

            ask("not begun")
            self._add(who, 0)
            ask("of other partitions")
            ask("nobody's id", self._talk.topic("nobody"))
            ask("no id", "")
            ask("another producer", producer_id=producer_id + 1)
            ask("older epoch", epoch=epoch - 1)
            ask("later epoch", epoch=epoch + 1)
            answer: Any = self._talk.wire.ask(ApiKeys.ADD_OFFSETS_TO_TXN, 3, AddOffsetsToTxnRequestData(
                transactional_id=transactional_id, producer_id=producer_id, producer_epoch=epoch,
                group_id=group))
            assert answer.error_code == Errors.NONE.code
            ask("well")
            ask("again")
            self._commit(who)
            ask("ended")

    def _find_group_coordinator(self, group: str) -> None:
        """Wait until a group's coordinator answers; its topic is made by the first who asks."""
        def error(api: ApiKeys, version: int, body: Message) -> int:
            code: int = getattr(self._talk.wire.ask(api, version, body), "error_code")
            return code

        until(lambda: error(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(
            key=group, key_type=0)) == Errors.NONE.code)
        until(lambda: error(ApiKeys.OFFSET_FETCH, 5, OffsetFetchRequestData(
            group_id=group, topics=[])) == Errors.NONE.code)

    def _ask_without_offsets(self, label: str, api: ApiKeys, version: int, data: Message) -> None:
        """Ask, and forget where it was written: how many markers came before depends on the partition."""
        self._talk.ask(label, api, version, data)
        answer = self._talk.answers[f"{api.name} v{version} {label}"]
        if isinstance(answer, dict):
            for response in answer["responses"]:
                for partition in response["partitionResponses"]:
                    if partition["baseOffset"] >= 0:
                        partition["baseOffset"] = "OFFSET"

    def _write_markers(self) -> None:
        api = ApiKeys.WRITE_TXN_MARKERS
        for version in versions(api):
            self._begin(f"m{version}")
            _, producer_id, epoch = who = self._begin(f"m{version}")
            self._add(who, 0)

            def marker(epoch: int = epoch, coordinator_epoch: int = 5, commit: bool = False,
                       producer_id: int = producer_id, **topics: list[int],
                       ) -> WriteTxnMarkersRequestData.WritableTxnMarker:
                return WriteTxnMarkersRequestData.WritableTxnMarker(
                    producer_id=producer_id, producer_epoch=epoch, coordinator_epoch=coordinator_epoch,
                    transaction_result=commit, topics=[
                        WriteTxnMarkersRequestData.WritableTxnMarkerTopic(
                            name=self._talk.topic(name), partition_indexes=partitions)
                        for name, partitions in topics.items()])

            def ask(label: str, *markers: WriteTxnMarkersRequestData.WritableTxnMarker,
                    version: int = version) -> None:
                self._talk.ask(label, api, version, WriteTxnMarkersRequestData(markers=list(markers)))

            ask("none")
            ask("no partitions", marker())
            ask("unknown topic", marker(none=[0, 1]))
            ask("unknown partition", marker(txn=[0, 5, -1]))
            ask("well", marker(txn=[0, 1]))
            ask("again", marker(txn=[0, 1]))
            ask("older coordinator", marker(coordinator_epoch=4, txn=[0]))
            ask("older producer", marker(epoch=epoch - 1, txn=[0]))
            ask("later producer", marker(epoch=epoch + 3, commit=True, txn=[0]))
            ask("a stranger", marker(producer_id=producer_id + 1_000_000, txn=[1]))
            ask("two", marker(epoch=epoch + 3, txn=[0]), marker(epoch=epoch + 3, none=[0]),
                marker(producer_id=producer_id + 1_000_001, txn=[1]))

    def _describe(self) -> None:
        talk = self._talk
        transactional_id, producer_id, epoch = who = self._begin("d")
        for version in versions(ApiKeys.DESCRIBE_TRANSACTIONS):
            for label, names in {"": [transactional_id], "nobody's": [talk.topic("nobody"), ""],
                                 "none": []}.items():
                talk.ask(label, ApiKeys.DESCRIBE_TRANSACTIONS, version,
                         DescribeTransactionsRequestData(transactional_ids=names))
        self._add(who, 0, 1)
        for version in versions(ApiKeys.DESCRIBE_TRANSACTIONS):
            talk.ask("begun, twice", ApiKeys.DESCRIBE_TRANSACTIONS, version,
                     DescribeTransactionsRequestData(transactional_ids=[transactional_id, transactional_id]))
        for version in versions(ApiKeys.LIST_TRANSACTIONS):
            def list_(label: str, version: int = version, **filters: Any) -> None:
                talk.ask(label, ApiKeys.LIST_TRANSACTIONS, version, ListTransactionsRequestData(**filters))

            list_("by id", producer_id_filters=[producer_id])
            list_("by id and state", producer_id_filters=[producer_id], state_filters=["Ongoing", "Empty"])
            list_("by id and another state", producer_id_filters=[producer_id], state_filters=["Dead"])
            list_("by what is no state", state_filters=["ongoing", "x", "", "x"])
            list_("by nobody's id", producer_id_filters=[-1, 2**62])
            if version >= 1:
                list_("by time", producer_id_filters=[producer_id], duration_filter=10**9)
                list_("by any time", producer_id_filters=[producer_id], duration_filter=-5)
        for version in versions(ApiKeys.DESCRIBE_PRODUCERS):
            talk.ask("of nobody", ApiKeys.DESCRIBE_PRODUCERS, version, DescribeProducersRequestData(topics=[
                DescribeProducersRequestData.TopicRequest(name=name, partition_indexes=[0, 7, -1])
                for name in (talk.topic("none"), "bad name", "", talk.topic("once"))]))
            talk.ask("none", ApiKeys.DESCRIBE_PRODUCERS, version, DescribeProducersRequestData())


def until(is_so: Callable[[], bool]) -> None:
    """Wait until the predicate holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def describe_configs(talk: Conversation) -> None:
    api = ApiKeys.DESCRIBE_CONFIGS
    name = talk.topic
    broker_keys = ["num.network.threads", "log.segment.bytes", "log.retention.hours", "log.retention.ms",
                   "message.max.bytes", "auto.create.topics.enable", "ssl.keystore.password",
                   "max.connections", "background.threads", "log.roll.jitter.ms", "compression.type"]
    for version in versions(api):
        def ask(label: str, type_: int, resource: str, keys: list[str] | None = None,
                version: int = version) -> None:
            talk.ask(label, api, version, DescribeConfigsRequestData(
                resources=[DescribeConfigsResource(resource_type=type_, resource_name=resource,
                                                   configuration_keys=keys)],
                include_synonyms=version >= 1, include_documentation=False))

        ask("topic", 2, name("c0"))
        ask("topic, some", 2, name("c0"), ["retention.ms", "segment.bytes", "nonsense"])
        ask("topic, none", 2, name("c0"), [])
        ask("unknown topic", 2, name("none"))
        ask("bad topic", 2, "a b")
        ask("broker, some", 4, "1", broker_keys)
        ask("another broker", 4, "2", broker_keys)
        ask("no broker", 4, "one", broker_keys)
        for number in ("+1", "-1", "01", "\u0661", " 1", "1_0", "99999999999"):
            ask(f"broker {number!a}", 4, number, broker_keys)
        ask("all brokers", 4, "")
        ask("loggers, some", 8, "1", ["no.such.logger"])
        ask("loggers of all", 8, "")
        ask("loggers of another", 8, "2")
        ask("client metrics", 16, "none")
        ask("client metrics of nobody", 16, "")
        ask("unknown kind", 99, "x")


def describe_cluster(talk: Conversation) -> None:
    api = ApiKeys.DESCRIBE_CLUSTER
    for version in versions(api):
        talk.ask("", api, version, DescribeClusterRequestData())
        talk.ask("operations", api, version,
                 DescribeClusterRequestData(include_cluster_authorized_operations=True))
        if version >= 1:
            talk.ask("of controllers", api, version, DescribeClusterRequestData(endpoint_type=2))
            talk.ask("of others", api, version, DescribeClusterRequestData(endpoint_type=7))


def find_coordinator(talk: Conversation) -> None:
    """Only what is no coordinator's matter; those of groups and of transactions have their own parts."""
    api = ApiKeys.FIND_COORDINATOR
    for version in versions(api):
        if version >= 4:
            talk.ask("unknown kind", api, version,
                     FindCoordinatorRequestData(coordinator_keys=["a", "b"], key_type=9))
            talk.ask("nobody", api, version, FindCoordinatorRequestData(coordinator_keys=[]))
            talk.ask("of transactions", api, version,
                     FindCoordinatorRequestData(coordinator_keys=["a", "", "b"], key_type=1))
        elif version >= 1:
            talk.ask("unknown kind", api, version, FindCoordinatorRequestData(key="a", key_type=9))
            talk.ask("of transactions", api, version, FindCoordinatorRequestData(key="a", key_type=1))


def sasl_handshake(talk: Conversation) -> None:
    api = ApiKeys.SASL_HANDSHAKE
    for version in versions(api):
        talk.ask("", api, version, SaslHandshakeRequestData(mechanism="PLAIN"))
        talk.ask("again", api, version, SaslHandshakeRequestData(mechanism="PLAIN"))


def delete_topics(talk: Conversation) -> None:
    api = ApiKeys.DELETE_TOPICS
    name = talk.topic

    def delete(label: str, version: int, *names: str, topics: Iterable[tuple[str | None, Uuid]] = (),
               timeout_ms: int = 30_000) -> None:
        data = DeleteTopicsRequestData(timeout_ms=timeout_ms)
        if version >= 6:
            data.topics = [DeleteTopicsRequestData.DeleteTopicState(name=n, topic_id=Uuid.ZERO_UUID)
                           for n in names]
            data.topics += [DeleteTopicsRequestData.DeleteTopicState(name=n, topic_id=i) for n, i in topics]
        else:
            data.topic_names = list(names)
        talk.ask(label, api, version, data)

    for version in versions(api):
        delete("", version, name(f"c{version}"))
        delete("unknown", version, name("none"))
        delete("twice, and bad", version, name("r"), name("r"), "", "a b")
        delete("nothing", version)
        delete("no time", version, name("r"), timeout_ms=0)
        delete("no time, twice", version, name("r"), name("r"), timeout_ms=0)
    r, once, a1 = (_topic_id(talk, name(topic)) for topic in ("r", "once", "a1"))
    zero = Uuid.ZERO_UUID
    delete("by id and in every wrong way", 6, topics=[
        (None, once), (None, UNKNOWN_ID), (None, zero), (name("none"), zero), ("x", a1), (name("d4"), zero)])
    delete("no time, unknown id", 6, topics=[(None, UNKNOWN_ID)], timeout_ms=0)
    delete("by id and by name", 6, topics=[(None, r), (name("r"), zero)])
    delete("by id twice", 6, topics=[(None, r), (None, r)])
    delete("by id twice and by name", 6, topics=[(None, r), (None, r), (name("r"), zero)])
    _wait_for(talk, *(name(f"c{version}") for version in versions(api)), name("once"), name("d4"),
              error=Errors.UNKNOWN_TOPIC_OR_PARTITION)
    answer = talk.wire.ask(ApiKeys.METADATA, 9, MetadataRequestData(topics=None))
    assert isinstance(answer, MetadataResponseData)
    rest = [topic.name for topic in answer.topics
            if topic.name is not None and topic.name.startswith((talk.prefix, talk.prefix.replace("_", ".")))]
    delete("the rest", 5, *sorted(rest))


def read_recorded() -> Answers:
    """Return the answers of Kafka 3.8.0 in KRaft mode, with all its settings at their defaults."""
    return read_answers(RECORDED)


def read_answers(path: str) -> Answers:
    """Return what ``record_answers`` wrote."""
    with open(path, encoding="utf-8") as file:
        return {label: answer for labels, answer in json.load(file) for label in labels}


def record_answers(path: str, answers: Answers) -> None:
    """Write answers: a line for each, with all who got it."""
    labels_of: dict[str, list[str]] = {}
    for label, answer in answers.items():
        labels_of.setdefault(json.dumps(answer, sort_keys=True), []).append(label)
    lines = [f"[{json.dumps(labels)}, {answer}]" for answer, labels in labels_of.items()]
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


def connector(address: str) -> Callable[[], Wire]:
    """Return what connects to ``host:port``."""
    host, _, port = address.rpartition(":")
    return lambda: Wire(host, int(port), 120)


if __name__ == "__main__":
    record_answers(RECORDED, hold(connector(sys.argv[1]), f"record_{os.getpid()}_"))
