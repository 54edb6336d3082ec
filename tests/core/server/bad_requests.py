# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Requests of every API in every version, and what goes wrong with them: cut short, lying, followed by more.

``hold`` sends them all to a broker and returns what came of each: that the connection was closed, or the
answer. What Kafka 3.8.0 made of them is kept in a file, of answers only: it closes the connection of any that
is not in it. ``python -m tests.core.server.bad_requests HOST:PORT`` writes the file anew.

All names begin with a character that no topic may have, so that whatever a broker takes for one creates and
deletes nothing.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Callable, Iterator

from kreactor.common.message.add_offsets_to_txn_request_data import AddOffsetsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_groups_request_data import DeleteGroupsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_producers_request_data import DescribeProducersRequestData
from kreactor.common.message.describe_transactions_request_data import DescribeTransactionsRequestData
from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_transactions_request_data import ListTransactionsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.message.write_txn_markers_request_data import WriteTxnMarkersRequestData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.core.server.conversation import (
    UNKNOWN_ID,
    Answers,
    Conversation,
    connector,
    records,
    until,
    versions,
    write_json_with_records,
)
from tests.core.server.group_conversation import wait_for_coordinator
from tests.core.server.lengths import lies_of
from tests.core.server.wire import Closed, Wire, body_bytes, encode, response_data

APIS = sorted(KafkaApis.ENABLED_APIS, key=lambda api: api.id)
CASES = [(api, version) for api in APIS for version in versions(api)]

PREFIX = "@"
CLOSED = "closed"
SILENT = "silent"

ASKED = 5
# What their answers say of ids that nobody has depends on whether there is a coordinator.
OF_TRANSACTIONS = (ApiKeys.ADD_OFFSETS_TO_TXN, ApiKeys.ADD_PARTITIONS_TO_TXN, ApiKeys.DESCRIBE_TRANSACTIONS,
                   ApiKeys.END_TXN, ApiKeys.LIST_TRANSACTIONS)
# A request that every broker answers alike.
NEXT = encode(ApiKeys.SASL_HANDSHAKE, 1, SaslHandshakeRequestData(mechanism="x"), 6, None)
NEXT_ANSWER = bytes.fromhex("00000006 0022 00000000")

RECORDED = os.path.join(os.path.dirname(__file__), "bad_requests_3_8_0.json")


def sample(api: ApiKeys, version: int) -> Message:
    """Return a request with something in each of its fields, that is answered with an error."""
    name = PREFIX + "nobody"
    match api:
        case ApiKeys.PRODUCE:
            return ProduceRequestData(acks=1, timeout_ms=1000, topic_data=[
                ProduceRequestData.TopicProduceData(name=name, partition_data=[
                    ProduceRequestData.PartitionProduceData(index=0, records=records(b"a value"))])])
        case ApiKeys.FETCH:
            partition = FetchRequestData.FetchPartition(partition=0, partition_max_bytes=1000)
            data = FetchRequestData(
                max_wait_ms=100, min_bytes=1, max_bytes=10_000,
                topics=[FetchRequestData.FetchTopic(
                    topic=name if version < 13 else "", topic_id=UNKNOWN_ID, partitions=[partition])])
            if version >= 7:
                data.forgotten_topics_data = [FetchRequestData.ForgottenTopic(
                    topic=name if version < 13 else "", topic_id=UNKNOWN_ID, partitions=[1, 2])]
            if version >= 11:
                data.rack_id = "@rack"
            if version >= 12:
                data.cluster_id = "@cluster"
            return data
        case ApiKeys.LIST_OFFSETS:
            return ListOffsetsRequestData(replica_id=-1, topics=[
                ListOffsetsRequestData.ListOffsetsTopic(name=name, partitions=[
                    ListOffsetsRequestData.ListOffsetsPartition(partition_index=0, timestamp=-1)])])
        case ApiKeys.METADATA:
            return MetadataRequestData(allow_auto_topic_creation=version < 4, topics=[
                MetadataRequestData.MetadataRequestTopic(name=name),
                MetadataRequestData.MetadataRequestTopic(name=PREFIX)])
        case ApiKeys.FIND_COORDINATOR:
            if version >= 4:
                return FindCoordinatorRequestData(key_type=9, coordinator_keys=[name, PREFIX])
            return FindCoordinatorRequestData(key=name, key_type=9 if version else 0)
        case ApiKeys.SASL_HANDSHAKE:
            return SaslHandshakeRequestData(mechanism=name)
        case ApiKeys.API_VERSIONS:
            return ApiVersionsRequestData() if version < 3 else ApiVersionsRequestData(
                client_software_name="kreactor", client_software_version="1")
        case ApiKeys.CREATE_TOPICS:
            return CreateTopicsRequestData(timeout_ms=1000, validate_only=version >= 1, topics=[
                CreateTopicsRequestData.CreatableTopic(
                    name=name, num_partitions=-1, replication_factor=-1,
                    assignments=[CreateTopicsRequestData.CreatableReplicaAssignment(
                        partition_index=0, broker_ids=[1, 2])],
                    configs=[CreateTopicsRequestData.CreateableTopicConfig(
                        name="@setting", value="@value")])])
        case ApiKeys.DELETE_TOPICS:
            if version >= 6:
                return DeleteTopicsRequestData(timeout_ms=1000, topics=[
                    DeleteTopicsRequestData.DeleteTopicState(name=name)])
            return DeleteTopicsRequestData(timeout_ms=1000, topic_names=[name, PREFIX])
        case ApiKeys.INIT_PRODUCER_ID:
            data_ = InitProducerIdRequestData(transactional_id=None, transaction_timeout_ms=1000)
            if version >= 3:
                data_.producer_epoch = 5
            return data_
        case ApiKeys.ADD_PARTITIONS_TO_TXN:
            topics = [AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic(name=name, partitions=[0, 1])]
            if version < 4:
                return AddPartitionsToTxnRequestData(
                    v3_and_below_transactional_id=name, v3_and_below_producer_id=1 << 40,
                    v3_and_below_producer_epoch=7, v3_and_below_topics=topics)
            return AddPartitionsToTxnRequestData(transactions=[
                AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction(
                    transactional_id=name, producer_id=1 << 40, producer_epoch=7, verify_only=True,
                    topics=topics)])
        case ApiKeys.ADD_OFFSETS_TO_TXN:
            return AddOffsetsToTxnRequestData(
                transactional_id=name, producer_id=1 << 40, producer_epoch=7, group_id=name)
        case ApiKeys.END_TXN:
            return EndTxnRequestData(
                transactional_id=name, producer_id=1 << 40, producer_epoch=7, committed=True)
        case ApiKeys.WRITE_TXN_MARKERS:
            return WriteTxnMarkersRequestData(markers=[
                WriteTxnMarkersRequestData.WritableTxnMarker(
                    producer_id=1 << 40, producer_epoch=7, transaction_result=True, coordinator_epoch=3,
                    topics=[WriteTxnMarkersRequestData.WritableTxnMarkerTopic(
                        name=name, partition_indexes=[0, 1])])])
        case ApiKeys.DESCRIBE_PRODUCERS:
            return DescribeProducersRequestData(topics=[
                DescribeProducersRequestData.TopicRequest(name=name, partition_indexes=[0, 1])])
        case ApiKeys.DESCRIBE_TRANSACTIONS:
            return DescribeTransactionsRequestData(transactional_ids=[name, ""])
        case ApiKeys.LIST_TRANSACTIONS:
            return ListTransactionsRequestData(
                state_filters=["@state"], producer_id_filters=[1 << 62],
                duration_filter=5 if version >= 1 else -1)
        case ApiKeys.DESCRIBE_CONFIGS:
            return DescribeConfigsRequestData(resources=[
                DescribeConfigsRequestData.DescribeConfigsResource(
                    resource_type=2, resource_name=name, configuration_keys=["@setting", PREFIX])])
        case ApiKeys.DESCRIBE_CLUSTER:
            # Asked as a controller would be.
            return DescribeClusterRequestData(endpoint_type=2 if version >= 1 else 1)
    return sample_of_groups(api, version)


def sample_of_groups(api: ApiKeys, version: int) -> Message:
    name = PREFIX + "nobody"
    instance = PREFIX + "instance"
    match api:
        case ApiKeys.JOIN_GROUP:
            return JoinGroupRequestData(
                group_id=name, member_id=PREFIX, session_timeout_ms=1, protocol_type="consumer",
                rebalance_timeout_ms=2 if version else -1,
                group_instance_id=instance if version >= 5 else None,
                reason="why" if version >= 8 else None,
                protocols=[JoinGroupRequestData.JoinGroupRequestProtocol(name="range", metadata=b"data")])
        case ApiKeys.SYNC_GROUP:
            data = SyncGroupRequestData(
                group_id=name, member_id=PREFIX, generation_id=1,
                group_instance_id=instance if version >= 3 else None, assignments=[
                    SyncGroupRequestData.SyncGroupRequestAssignment(member_id=PREFIX, assignment=b"data")])
            if version >= 5:
                data.protocol_type, data.protocol_name = "consumer", "range"
            return data
        case ApiKeys.HEARTBEAT:
            return HeartbeatRequestData(group_id=name, member_id=PREFIX, generation_id=1,
                                        group_instance_id=instance if version >= 3 else None)
        case ApiKeys.LEAVE_GROUP:
            if version < 3:
                return LeaveGroupRequestData(group_id=name, member_id=PREFIX)
            return LeaveGroupRequestData(group_id=name, members=[LeaveGroupRequestData.MemberIdentity(
                member_id=PREFIX, group_instance_id=instance, reason="why" if version >= 5 else None)])
        case ApiKeys.OFFSET_COMMIT:
            commit = OffsetCommitRequestData(group_id=name, topics=[
                OffsetCommitRequestData.OffsetCommitRequestTopic(name=name, partitions=[
                    OffsetCommitRequestData.OffsetCommitRequestPartition(
                        partition_index=0, committed_offset=1, committed_metadata="why")])])
            if version >= 1:
                commit.member_id, commit.generation_id_or_member_epoch = PREFIX, 1
            if version >= 7:
                commit.group_instance_id = instance
            return commit
        case ApiKeys.OFFSET_FETCH:
            if version < 8:
                return OffsetFetchRequestData(group_id=name, require_stable=version >= 7, topics=[
                    OffsetFetchRequestData.OffsetFetchRequestTopic(name=name, partition_indexes=[0, 1])])
            group = OffsetFetchRequestData.OffsetFetchRequestGroup(group_id=name, topics=[
                OffsetFetchRequestData.OffsetFetchRequestTopics(name=name, partition_indexes=[0, 1])])
            if version >= 9:
                group.member_id, group.member_epoch = PREFIX, 1
            return OffsetFetchRequestData(groups=[group], require_stable=True)
        case ApiKeys.DESCRIBE_GROUPS:
            return DescribeGroupsRequestData(
                groups=[name, PREFIX], include_authorized_operations=version >= 3)
        case ApiKeys.LIST_GROUPS:
            return ListGroupsRequestData(states_filter=["@state"] if version >= 4 else [],
                                         types_filter=["@type"] if version >= 5 else [])
        case ApiKeys.DELETE_GROUPS:
            return DeleteGroupsRequestData(groups_names=[name, PREFIX])
        case ApiKeys.OFFSET_DELETE:
            return OffsetDeleteRequestData(group_id=name, topics=[
                OffsetDeleteRequestData.OffsetDeleteRequestTopic(name=name, partitions=[
                    OffsetDeleteRequestData.OffsetDeleteRequestPartition(partition_index=0)])])
        case ApiKeys.TXN_OFFSET_COMMIT:
            return TxnOffsetCommitRequestData(
                transactional_id=name, group_id=name, producer_id=1, producer_epoch=1, topics=[
                    TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(name=name, partitions=[
                        TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                            partition_index=0, committed_offset=1, committed_metadata="why")])])
        case ApiKeys.CONSUMER_GROUP_HEARTBEAT:
            return ConsumerGroupHeartbeatRequestData(
                group_id=name, member_id=PREFIX, member_epoch=1, instance_id=instance, rack_id="@rack",
                rebalance_timeout_ms=1, subscribed_topic_names=[name], server_assignor="@assignor",
                topic_partitions=[ConsumerGroupHeartbeatRequestData.TopicPartitions(
                    topic_id=UNKNOWN_ID, partitions=[0])])
        case ApiKeys.CONSUMER_GROUP_DESCRIBE:
            return ConsumerGroupDescribeRequestData(
                group_ids=[name, PREFIX], include_authorized_operations=True)
    raise AssertionError(api)


def bodies(api: ApiKeys, version: int) -> Iterator[tuple[str, bytes]]:
    """Give what stands behind a good header, by what is wrong with it."""
    message = sample(api, version)
    good = body_bytes(message, version)
    yield "as it should be", good
    for size in range(len(good)):
        yield f"cut at {size}", good[:size]
    for claim, lie in lies_of(message, version):
        yield claim, lie
    yield "and more", good + b"\xff" * 9
    for name, byte in {"zeros": 0, "sevens": 7, "highest": 0x7F, "lowest": 0x80, "ones": 0xFF}.items():
        yield name, bytes((byte,)) * 60


class Interview(Conversation):
    """Asks, and writes down, without what two brokers cannot agree on.

    That is the topics and groups of others; the number of a session, which ours does not open (D84); and who
    coordinates a transaction: nobody here yet, nor there before its topic is made.
    """

    def _clean(self, api: ApiKeys, node: Any, key: str = "") -> Any:
        if api is ApiKeys.METADATA and key == "topics" and isinstance(node, list):
            node = [topic for topic in node if not topic["name"] or topic["name"].startswith(PREFIX)]
        if api is ApiKeys.FETCH and key == "sessionId":
            return "SESSION"
        if api is ApiKeys.FIND_COORDINATOR and isinstance(node, dict) and (
                node.get("errorCode") in (Errors.NONE.code, Errors.COORDINATOR_NOT_AVAILABLE.code)):
            return "COORDINATOR"
        return super()._clean(api, node, key)

    def ask_and_go_on(self, label: str, api: ApiKeys, version: int, body: bytes) -> None:
        """Ask, with another request right behind: if only that is answered, this one is not."""
        label = f"{api.name} v{version} {label}"
        assert label not in self.answers, label
        self.wire.socket.sendall(encode(api, version, body, ASKED, "client") + NEXT)
        try:
            answer = self.wire.receive_bytes()
            if answer == NEXT_ANSWER:
                self.answers[label] = SILENT
                return
            buffer = ByteBuffer.wrap(answer)
            header = ResponseHeaderData.read(buffer, api.response_header_version(version))
            assert header.correlation_id == ASKED, label
            message = response_data(api).read(buffer, version)
            assert not buffer.has_remaining(), f"{label}: bytes after the answer"
            self.answers[label] = self._clean(api, write_json_with_records(message, version))
            assert self.wire.receive_bytes() == NEXT_ANSWER, label
        except Closed:
            self.answers[label] = CLOSED
            self.wire.close()
            self.wire = self.connect()

    def cut_header(self, api: ApiKeys, version: int) -> None:
        """Send a request that ends within its header, at each byte of it."""
        header = encode(api, version, b"", 5, "client")[4:]
        for size in range(len(header)):
            with self.connect() as wire:
                wire.socket.sendall(size.to_bytes(4, "big") + header[:size])
                try:
                    answer = wire.receive_bytes().hex()
                except Closed:
                    answer = CLOSED
            self.answers[f"{api.name} v{version} header cut at {size}"] = answer


def hold(connect: Callable[[], Wire], cases: list[tuple[ApiKeys, int]] = CASES) -> Answers:
    """Send all that is wrong with ``cases``, and return the outcomes."""
    interview = Interview(connect, "a name of none of them")
    wait_for_coordinator(connect)
    try:
        if any(api in OF_TRANSACTIONS for api, _ in cases):
            wait_for_transactions(interview.wire)
        for api, version in cases:
            interview.cut_header(api, version)
            for label, body in bodies(api, version):
                interview.ask_and_go_on(label, api, version, body)
    finally:
        interview.close()
    return interview.answers


def wait_for_transactions(wire: Wire) -> None:
    """Wait until there is a coordinator of transactions, which asking for it makes."""
    def is_there() -> bool:
        found: Any = wire.ask(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(key="@", key_type=1))
        described: Any = wire.ask(ApiKeys.DESCRIBE_TRANSACTIONS, 0, sample(ApiKeys.DESCRIBE_TRANSACTIONS, 0))
        listed: Any = wire.ask(ApiKeys.LIST_TRANSACTIONS, 0, ListTransactionsRequestData())
        return bool((found.error_code, listed.error_code, described.transaction_states[0].error_code) == (
            Errors.NONE.code, Errors.NONE.code, Errors.TRANSACTIONAL_ID_NOT_FOUND.code))

    until(is_there)


def read_recorded() -> Answers:
    """Return what Kafka 3.8.0 answers; it closes the connections of all others."""
    with open(RECORDED, encoding="utf-8") as file:
        return {label: answer for labels, answer in json.load(file) for label in labels}


def record(answers: Answers) -> None:
    """Write answers to the file that ``read_recorded`` reads: a line for each, with all who got it."""
    labels_of: dict[str, list[str]] = {}
    for label, answer in answers.items():
        if answer != CLOSED:
            labels_of.setdefault(json.dumps(answer, sort_keys=True), []).append(label)
    lines = [f"[{json.dumps(labels)}, {answer}]" for answer, labels in labels_of.items()]
    with open(RECORDED, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    record(hold(connector(sys.argv[1])))
