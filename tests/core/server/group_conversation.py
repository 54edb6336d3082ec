# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The part of the conversation that is about groups: members that behave, and such that do not.

Every group has one member at a time, so that nobody has to wait; the broker's
``group.initial.rebalance.delay.ms`` has to be 0.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable

from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_groups_request_data import DeleteGroupsRequestData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.wire import Wire

if TYPE_CHECKING:
    from tests.core.server.conversation import Conversation

APIS = (ApiKeys.OFFSET_COMMIT, ApiKeys.OFFSET_FETCH, ApiKeys.JOIN_GROUP, ApiKeys.HEARTBEAT,
        ApiKeys.LEAVE_GROUP, ApiKeys.SYNC_GROUP, ApiKeys.DESCRIBE_GROUPS, ApiKeys.LIST_GROUPS,
        ApiKeys.TXN_OFFSET_COMMIT, ApiKeys.DELETE_GROUPS, ApiKeys.OFFSET_DELETE,
        ApiKeys.CONSUMER_GROUP_HEARTBEAT, ApiKeys.CONSUMER_GROUP_DESCRIBE)

PATIENCE_S = 120.0

Protocol = JoinGroupRequestData.JoinGroupRequestProtocol
Identity = LeaveGroupRequestData.MemberIdentity
CommitTopic = OffsetCommitRequestData.OffsetCommitRequestTopic
CommitPartition = OffsetCommitRequestData.OffsetCommitRequestPartition
# A subscription to "g-topic", as consumers write it.
SUBSCRIPTION = bytes.fromhex("0000 00000001 0007 672d746f706963 ffffffff")


def join_data(group: str, member: str = "", version: int = 9, *, session_ms: int = 10_000,
              protocol_type: str = "consumer", protocols: tuple[str, ...] = ("range", "sticky"),
              instance: str | None = None, metadata: bytes = SUBSCRIPTION) -> JoinGroupRequestData:
    return JoinGroupRequestData(
        group_id=group, member_id=member, session_timeout_ms=session_ms,
        rebalance_timeout_ms=session_ms if version >= 1 else -1, protocol_type=protocol_type,
        group_instance_id=instance, protocols=[Protocol(name=name, metadata=metadata) for name in protocols])


class Member:
    """The one member of a group."""

    def __init__(self, talk: Conversation, group: str, instance: str | None = None,
                 protocol_type: str = "consumer", metadata: bytes = SUBSCRIPTION) -> None:
        self.talk = talk
        self.group = talk.topic(group)
        self.instance = instance
        self._protocol_type = protocol_type
        self._metadata = metadata
        self.id = ""
        self.generation = -1

    def join(self) -> Member:
        wire = self.talk.wire
        data = join_data(self.group, self.id, instance=self.instance, protocol_type=self._protocol_type,
                         metadata=self._metadata)
        answer: Any = wire.ask(ApiKeys.JOIN_GROUP, 9, data, "wire")
        if answer.error_code == Errors.MEMBER_ID_REQUIRED.code:
            data.member_id = answer.member_id
            answer = wire.ask(ApiKeys.JOIN_GROUP, 9, data, "wire")
        assert answer.error_code == 0, answer
        self.id, self.generation = answer.member_id, answer.generation_id
        return self

    def sync(self) -> Member:
        answer: Any = self.talk.wire.ask(ApiKeys.SYNC_GROUP, 3, self.sync_data(), "wire")
        assert answer.error_code == 0, answer
        return self

    def sync_data(self, **fields: Any) -> SyncGroupRequestData:
        values = {"group_id": self.group, "generation_id": self.generation, "member_id": self.id,
                  "assignments": [SyncGroupRequestData.SyncGroupRequestAssignment(
                      member_id=self.id, assignment=b"mine")], **fields}
        return SyncGroupRequestData(**values)


def groups(talk: Conversation) -> None:
    wait_for_coordinator(talk.connect)
    talk.wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=30_000, topics=[
        CreateTopicsRequestData.CreatableTopic(name=talk.topic("g"), num_partitions=2,
                                               replication_factor=1)]))
    talk.wait_for(talk.topic("g"))
    find_coordinator(talk)
    join_group(talk)
    sync_group(talk)
    heartbeat(talk)
    offset_commit(talk)
    offset_fetch(talk)
    txn_offset_commit(talk)
    describe_groups(talk)
    list_groups(talk)
    offset_delete(talk)
    leave_group(talk)
    delete_groups(talk)
    new_protocol(talk)


def wait_for_coordinator(connect: Callable[[], Wire]) -> None:
    """The first who asks has the topic made that groups are kept in; then they have to be loaded."""
    deadline = time.monotonic() + PATIENCE_S
    for group in map(str, range(64)):
        while True:
            with connect() as wire:
                found: Any = wire.ask(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(key=group))
                described: Any = wire.ask(
                    ApiKeys.DESCRIBE_GROUPS, 0, DescribeGroupsRequestData(groups=[group]))
            if found.error_code == described.groups[0].error_code == 0:
                break
            assert time.monotonic() < deadline, found
            time.sleep(0.02)


def find_coordinator(talk: Conversation) -> None:
    api = ApiKeys.FIND_COORDINATOR
    for version in api.all_versions():
        if version >= 4:
            talk.ask("group", api, version, FindCoordinatorRequestData(coordinator_keys=["a", ""]))
        else:
            talk.ask("group", api, version, FindCoordinatorRequestData(key="a"))
            talk.ask("empty group", api, version, FindCoordinatorRequestData(key=""))


def join_group(talk: Conversation) -> None:
    api = ApiKeys.JOIN_GROUP
    for version in api.all_versions():
        group = talk.topic(f"join{version}")

        def ask(label: str, member: str = "", name: str = group, version: int = version,
                **fields: Any) -> Any:
            return talk.ask(label, api, version, join_data(name, member, version, **fields))

        ask("empty group", name="")
        ask("session too short", session_ms=5_999)
        ask("session too long", session_ms=1_800_001)
        ask("no protocols", protocols=())
        ask("empty protocol", protocols=("",), name=talk.topic(f"empty-protocol{version}"))
        ask("no protocol type", protocol_type="")
        ask("unknown group", "nobody", talk.topic("none"))
        member = ask("new").member_id
        if version >= 4:
            ask("without its id again")
            ask("unknown among pending", "nobody")
            member = ask("with its id", member).member_id
        ask("unknown", "nobody")
        ask("again", member)
        ask("with other protocols", member, protocols=("other",))
        ask("protocol type changed", member, protocol_type="connect")
        ask("another type", protocol_type="connect")
        ask("no protocol in common", protocols=("third",))
        twice = Member(talk, f"twice{version}").join()
        ask("protocol twice", twice.id, twice.group, protocols=("range", "range"))
        if version >= 5:
            name = talk.topic(f"static{version}")
            first = ask("static", name=name, instance="i").member_id
            ask("static, comes back", name=name, instance="i")
            ask("static, fenced", first, name=name, instance="i")
            ask("static, unknown instance", first, name=name, instance="j")
            ask("static, empty instance", name=talk.topic(f"static-empty{version}"), instance="")
            back = Member(talk, f"stable{version}", "i").join().sync()
            answer = ask("static, comes back to a stable group", name=back.group, instance="i")
            assert answer.error_code == 0


def sync_group(talk: Conversation) -> None:
    api = ApiKeys.SYNC_GROUP
    for version in api.all_versions():
        member = Member(talk, f"sync{version}").join()
        protocol: dict[str, Any] = (
            {"protocol_type": "consumer", "protocol_name": "range"} if version >= 5 else {})

        def ask(label: str, version: int = version, member: Member = member,
                protocol: dict[str, Any] = protocol, **fields: Any) -> None:
            talk.ask(label, api, version, member.sync_data(**{**protocol, **fields}))

        ask("empty group", group_id="")
        ask("unknown group", group_id=talk.topic("none"))
        ask("unknown member", member_id="nobody")
        ask("no member", member_id="")
        ask("wrong generation", generation_id=7)
        ask("no generation", generation_id=-1)
        if version >= 5:
            ask("no protocol", protocol_type=None, protocol_name=None)
            ask("wrong protocol type", protocol_type="connect")
            ask("wrong protocol", protocol_name="sticky")
        if version >= 3:
            ask("unknown instance", group_instance_id="i")
        ask("without an assignment of its own", assignments=[
            SyncGroupRequestData.SyncGroupRequestAssignment(member_id="nobody", assignment=b"its")])
        ask("stable")
        member.join()
        ask("")
        ask("again", assignments=[])


def heartbeat(talk: Conversation) -> None:
    api = ApiKeys.HEARTBEAT
    for version in api.all_versions():
        member = Member(talk, f"heartbeat{version}").join()

        def ask(label: str, version: int = version, member: Member = member, **fields: Any) -> None:
            values = {"group_id": member.group, "member_id": member.id, "generation_id": member.generation,
                      **fields}
            talk.ask(label, api, version, HeartbeatRequestData(**values))

        ask("before the sync")
        member.sync()
        ask("")
        ask("empty group", group_id="")
        ask("unknown group", group_id=talk.topic("none"))
        ask("unknown member", member_id="nobody")
        ask("no member", member_id="")
        ask("wrong generation", generation_id=7)
        ask("no generation", generation_id=-1)
        if version >= 3:
            ask("unknown instance", group_instance_id="i")


def offset_commit(talk: Conversation) -> None:
    api = ApiKeys.OFFSET_COMMIT
    topic = talk.topic("g")
    for version in api.all_versions():
        member = Member(talk, f"commit{version}").join()

        def ask(label: str, version: int = version, member: Member = member, name: str = topic,
                partitions: tuple[int, ...] = (0,), offset: int = 5, metadata: str | None = "why",
                epoch: int = 3, **fields: Any) -> None:
            values = {"group_id": member.group, **fields}
            if version >= 1:
                values = {"member_id": member.id, "generation_id_or_member_epoch": member.generation,
                          **values}
            talk.ask(label, api, version, OffsetCommitRequestData(
                topics=[CommitTopic(name=name, partitions=[
                    CommitPartition(partition_index=partition, committed_offset=offset,
                                    committed_metadata=metadata,
                                    **({"committed_leader_epoch": epoch} if version >= 6 else {}))
                    for partition in partitions])], **values))

        if version >= 1:
            ask("before the sync")
            member.sync()
            ask("unknown member", member_id="nobody")
            ask("no member", member_id="", generation_id_or_member_epoch=-1)
            ask("wrong generation", generation_id_or_member_epoch=7)
            ask("no generation", generation_id_or_member_epoch=-1)
            ask("simple", group_id=talk.topic(f"simple{version}"), member_id="",
                generation_id_or_member_epoch=-1)
            ask("simple, with a member", group_id=talk.topic(f"other{version}"), member_id="nobody",
                generation_id_or_member_epoch=-1)
            ask("unknown group with a generation", group_id=talk.topic("none"),
                generation_id_or_member_epoch=1)
        ask("")
        ask("empty group", group_id="", **({"member_id": "", "generation_id_or_member_epoch": -1}
                                           if version >= 1 else {}))
        ask("unknown topic", name=talk.topic("no-g"))
        ask("unknown partition", partitions=(9,))
        ask("negative partition", partitions=(-1,))
        ask("no partitions", partitions=())
        ask("negative offset", partitions=(1,), offset=-5)
        ask("no metadata", metadata=None)
        ask("metadata too large", metadata="m" * 4097)
        ask("much metadata", metadata="m" * 4096)
        if 2 <= version <= 4:
            ask("with a time to keep it", retention_time_ms=60_000)
        if version >= 7:
            ask("unknown instance", group_instance_id="i")
        talk.ask("nothing", api, version, OffsetCommitRequestData(group_id=member.group))


def offset_fetch(talk: Conversation) -> None:
    api = ApiKeys.OFFSET_FETCH
    topic = talk.topic("g")
    for version in api.all_versions():
        def ask(label: str, group: str, *topics: tuple[str, list[int]], version: int = version,
                every: bool = False, **fields: Any) -> None:
            data = OffsetFetchRequestData(**fields)
            if version >= 8:
                data.groups = [OffsetFetchRequestData.OffsetFetchRequestGroup(
                    group_id=group, topics=None if every else [
                        OffsetFetchRequestData.OffsetFetchRequestTopics(name=name, partition_indexes=indexes)
                        for name, indexes in topics])]
            else:
                data.group_id = group
                data.topics = None if every else [
                    OffsetFetchRequestData.OffsetFetchRequestTopic(name=name, partition_indexes=indexes)
                    for name, indexes in topics]
            talk.ask(label, api, version, data)

        ask("", talk.topic("commit9"), (topic, [0]))
        ask("not committed", talk.topic("simple9"), (topic, [1]))
        ask("unknown partition", talk.topic("commit9"), (topic, [9]))
        ask("negative partition", talk.topic("commit9"), (topic, [-1]))
        ask("unknown topic", talk.topic("commit9"), (talk.topic("no-g"), [0]))
        ask("unknown group", talk.topic("none"), (topic, [0]))
        ask("empty group", "", (topic, [0]))
        ask("nothing", talk.topic("commit9"))
        if version >= 2:
            ask("all", talk.topic("simple9"), every=True)
            ask("all of an unknown group", talk.topic("none"), every=True)
        if version >= 7:
            ask("stable", talk.topic("commit9"), (topic, [0]), require_stable=True)
        if version >= 8:
            talk.ask("groups", api, version, OffsetFetchRequestData(groups=[
                OffsetFetchRequestData.OffsetFetchRequestGroup(group_id=group, topics=[
                    OffsetFetchRequestData.OffsetFetchRequestTopics(name=topic, partition_indexes=[0])])
                for group in (talk.topic("commit8"), "", talk.topic("commit8"))]))


def txn_offset_commit(talk: Conversation) -> None:
    api = ApiKeys.TXN_OFFSET_COMMIT
    for version in api.all_versions():
        for label, topic, partition in (("unknown topic", "no-g", 0), ("unknown partition", "g", 9),
                                        ("unknown transaction", "g", 0)):
            talk.ask(label, api, version, TxnOffsetCommitRequestData(
                transactional_id=talk.topic("t"), group_id=talk.topic("txn"), producer_id=2**60,
                producer_epoch=0, topics=[
                    TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(
                        name=talk.topic(topic), partitions=[
                            TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                                partition_index=partition, committed_offset=1)])]))
        talk.ask("empty group", api, version, TxnOffsetCommitRequestData(
            transactional_id=talk.topic("t"), group_id="", producer_id=2**60, producer_epoch=0, topics=[
                TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(
                    name=talk.topic("g"), partitions=[
                        TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                            partition_index=0, committed_offset=1)])]))


def describe_groups(talk: Conversation) -> None:
    api = ApiKeys.DESCRIBE_GROUPS
    static = Member(talk, "describe-static", "i").join().sync()
    waiting = Member(talk, "describe-waiting").join()
    for version in api.all_versions():
        def ask(label: str, *names: str, version: int = version, **fields: bool) -> None:
            talk.ask(label, api, version, DescribeGroupsRequestData(groups=list(names), **fields))

        member = Member(talk, "describe").join().sync()
        ask("stable", member.group)
        ask("static", static.group)
        ask("completing", waiting.group)
        ask("offsets only", talk.topic("simple9"))
        ask("unknown", talk.topic("none"))
        ask("empty id", "")
        ask("several", member.group, talk.topic("none"), member.group)
        ask("nothing")
        if version >= 3:
            ask("operations", member.group, talk.topic("none"), include_authorized_operations=True)
        leave(talk, member)
        ask("empty", member.group)


def list_groups(talk: Conversation) -> None:
    api = ApiKeys.LIST_GROUPS
    for version in api.all_versions():
        talk.ask("", api, version, ListGroupsRequestData())
        if version >= 4:
            for states in (["Stable"], ["empty", "DEAD"], ["nonsense"], [""], ["Stable", "stable"]):
                talk.ask(f"in {states}", api, version, ListGroupsRequestData(states_filter=states))
        if version >= 5:
            for types in (["classic"], ["CONSUMER"], ["nonsense"], ["Classic", "consumer"]):
                talk.ask(f"of {types}", api, version, ListGroupsRequestData(
                    states_filter=["Stable"], types_filter=types))


def offset_delete(talk: Conversation) -> None:
    api = ApiKeys.OFFSET_DELETE

    def ask(label: str, group: str, *partitions: int, topic: str = "g") -> None:
        talk.ask(label, api, 0, OffsetDeleteRequestData(group_id=group, topics=[
            OffsetDeleteRequestData.OffsetDeleteRequestTopic(name=talk.topic(topic), partitions=[
                OffsetDeleteRequestData.OffsetDeleteRequestPartition(partition_index=partition)
                for partition in partitions])]))

    ask("", talk.topic("simple9"), 0)
    ask("again", talk.topic("simple9"), 0)
    ask("not subscribed", talk.topic("commit9"), 0)
    ask("unknown group", talk.topic("none"), 0)
    ask("empty group", "", 0)
    ask("unknown partition", talk.topic("simple8"), 9)
    ask("unknown topic", talk.topic("simple8"), 0, topic="no-g")
    ask("unknown topic of an unknown group", talk.topic("none"), 0, topic="no-g")
    ask("no partitions", talk.topic("simple8"))
    other = Member(talk, "delete-other", protocol_type="other").join().sync()
    ask("of others than consumers", other.group, 0)
    broken = Member(talk, "delete-broken", metadata=b"\x00").join().sync()
    ask("of who knows what", broken.group, 0)


def leave(talk: Conversation, member: Member) -> None:
    answer: Any = talk.wire.ask(ApiKeys.LEAVE_GROUP, 0, LeaveGroupRequestData(
        group_id=member.group, member_id=member.id))
    assert answer.error_code == 0


def leave_group(talk: Conversation) -> None:
    api = ApiKeys.LEAVE_GROUP
    for version in api.all_versions():
        member = Member(talk, f"leave{version}", "i" if version >= 3 else None).join().sync()

        def ask(label: str, group: str, *members: tuple[str, str | None], version: int = version) -> None:
            data = LeaveGroupRequestData(group_id=group)
            if version >= 3:
                data.members = [Identity(member_id=id_, group_instance_id=instance)
                                for id_, instance in members]
            else:
                data.member_id = members[0][0]
            talk.ask(label, api, version, data)

        ask("empty group", "", (member.id, None))
        ask("unknown group", talk.topic("none"), (member.id, None))
        ask("unknown member", member.group, ("nobody", None))
        ask("no member", member.group, ("", None))
        if version >= 3:
            ask("fenced", member.group, ("nobody", "i"))
            ask("unknown instance", member.group, ("", "j"))
            ask("nobody", member.group)
            ask("several", member.group, ("nobody", None), ("", "i"), (member.id, "i"))
            member = Member(talk, f"leave{version}", "i").join().sync()
        ask("", member.group, (member.id, None))
        ask("again", member.group, (member.id, None))
        if version >= 4:
            pending: Any = talk.wire.ask(ApiKeys.JOIN_GROUP, 9, join_data(member.group))
            ask("pending", member.group, (pending.member_id, None))


def delete_groups(talk: Conversation) -> None:
    api = ApiKeys.DELETE_GROUPS
    for version in api.all_versions():
        def ask(label: str, *names: str, version: int = version) -> None:
            talk.ask(label, api, version, DeleteGroupsRequestData(groups_names=list(names)))

        member = Member(talk, f"delete{version}").join().sync()
        ask("stable", member.group)
        leave(talk, member)
        ask("", member.group)
        ask("again", member.group)
        ask("unknown, twice", talk.topic("none"), talk.topic("none"))
        ask("empty id", "")
        ask("nothing")


def new_protocol(talk: Conversation) -> None:
    talk.ask("", ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0, ConsumerGroupHeartbeatRequestData(
        group_id=talk.topic("new"), rebalance_timeout_ms=1000, subscribed_topic_names=[talk.topic("g")]))
    talk.ask("", ApiKeys.CONSUMER_GROUP_DESCRIBE, 0, ConsumerGroupDescribeRequestData(
        group_ids=[talk.topic("new"), talk.topic("commit9")], include_authorized_operations=True))
