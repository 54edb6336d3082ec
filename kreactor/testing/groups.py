# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads a broker's consumer groups as a client does: over a connection, with Kafka's APIs.

This module uses no internals of a broker. It works with every broker that answers ListGroups, DescribeGroups
and OffsetFetch.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass, field

from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.consumer_protocol_assignment import ConsumerProtocolAssignment
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.floor import Floor
from kreactor.jdk.nio_buffer import ByteBuffer

# The client id of these requests, which are not part of a test.
CLIENT_ID = "kreactor.testing"
APIS = (ApiKeys.LIST_GROUPS, ApiKeys.DESCRIBE_GROUPS, ApiKeys.OFFSET_FETCH)
_VERSIONS = {**dict(zip(APIS, (5, 5, 8))), ApiKeys.CONSUMER_GROUP_DESCRIBE: 0}
_TIMEOUT_S = 10.0
_CONSUMER = "consumer"


@dataclass(frozen=True)
class Member:
    """A member of a group, with its assigned partitions by topic."""

    id: str
    client_id: str
    assignment: dict[str, list[int]]


@dataclass(frozen=True)
class Group:
    """A group. ``state`` and ``protocol`` have Kafka's names; ``offsets`` are the committed offsets."""

    id: str
    state: str
    protocol: str
    members: list[Member] = field(default_factory=list)
    offsets: dict[str, dict[int, int]] = field(default_factory=dict)


def groups(host: str, port: int) -> dict[str, Group]:
    """Return the groups of a broker, by id. Raises OSError, or the broker's error."""
    with Floor.socket.create_connection((host, port), _TIMEOUT_S) as connection:
        listed = _ask(connection, ApiKeys.LIST_GROUPS, ListGroupsRequestData(), ListGroupsResponseData)
        assert isinstance(listed, ListGroupsResponseData)
        _check(listed.error_code)
        if not listed.groups:
            return {}
        offsets = _offsets(connection, [group.group_id for group in listed.groups])
        classic, consumer = ([group.group_id for group in listed.groups
                              if (group.group_type.lower() == _CONSUMER) is is_consumer]
                             for is_consumer in (False, True))
        found: dict[str, Group] = {}
        if classic:
            described = _ask(connection, ApiKeys.DESCRIBE_GROUPS, DescribeGroupsRequestData(groups=classic),
                             DescribeGroupsResponseData)
            assert isinstance(described, DescribeGroupsResponseData)
            found |= {group.group_id: _group(group, offsets.get(group.group_id, {}))
                      for group in described.groups}
        # The groups of KIP-848.
        if consumer:
            new = _ask(
                connection, ApiKeys.CONSUMER_GROUP_DESCRIBE,
                ConsumerGroupDescribeRequestData(group_ids=consumer), ConsumerGroupDescribeResponseData)
            assert isinstance(new, ConsumerGroupDescribeResponseData)
            found |= {group.group_id: _consumer_group(group, offsets.get(group.group_id, {}))
                      for group in new.groups}
        return {group.group_id: found[group.group_id] for group in listed.groups}


def _offsets(connection: Floor.socket.socket, ids: Collection[str]) -> dict[str, dict[str, dict[int, int]]]:
    fetched = _ask(connection, ApiKeys.OFFSET_FETCH, OffsetFetchRequestData(groups=[
        # Without topics, the request asks for all committed offsets.
        OffsetFetchRequestData.OffsetFetchRequestGroup(group_id=id, topics=None) for id in ids]),
        OffsetFetchResponseData)
    assert isinstance(fetched, OffsetFetchResponseData)
    found: dict[str, dict[str, dict[int, int]]] = {}
    for group in fetched.groups:
        _check(group.error_code)
        found[group.group_id] = {
            topic.name: {each.partition_index: each.committed_offset for each in topic.partitions}
            for topic in group.topics}
    return found


def _group(group: DescribeGroupsResponseData.DescribedGroup, offsets: dict[str, dict[int, int]]) -> Group:
    _check(group.error_code)
    members = [Member(member.member_id, member.client_id,
                      _assignment(member.member_assignment) if group.protocol_type == _CONSUMER else {})
               for member in group.members]
    return Group(group.group_id, group.group_state, group.protocol_data, members, offsets)


def _consumer_group(group: ConsumerGroupDescribeResponseData.DescribedGroup,
                    offsets: dict[str, dict[int, int]]) -> Group:
    _check(group.error_code)
    members = [Member(member.member_id, member.client_id, {
        topic.topic_name: list(topic.partitions) for topic in member.assignment.topic_partitions})
        for member in group.members]
    return Group(group.group_id, group.group_state, group.assignor_name, members, offsets)


def _assignment(data: bytes) -> dict[str, list[int]]:
    if not data:
        return {}
    version, = struct.unpack_from(">h", data)
    buffer = ByteBuffer.wrap(data)
    buffer.set_position(2)
    # Later versions begin with the fields of the known versions.
    assignment = ConsumerProtocolAssignment.read(
        buffer, min(version, ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION))
    return {topic.topic: list(topic.partitions) for topic in assignment.assigned_partitions}


def _check(error_code: int) -> None:
    exception = Errors.for_code(error_code).exception()
    if exception is not None:
        raise exception


def _ask(connection: Floor.socket.socket, api_key: ApiKeys, request: Message,
         response: type[Message]) -> Message:
    version = _VERSIONS[api_key]
    header = RequestHeader.of(api_key, version, CLIENT_ID, 0)
    data = RequestUtils.serialize(header.data(), header.header_version(), request, version)
    connection.sendall(struct.pack(">i", data.remaining()) + bytes(data.view()))
    size, = struct.unpack(">i", _read(connection, 4))
    buffer = ByteBuffer.wrap(bytearray(_read(connection, size)))
    ResponseHeaderData.read(buffer, api_key.response_header_version(version))
    return response.read(buffer, version)


def _read(connection: Floor.socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise EOFException("the broker closed the connection")
        data += more
    return data
