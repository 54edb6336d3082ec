# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.MemberMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One member of a group: what it can do, and what it waits for.

All under the lock of its group. Of its two callbacks at most one is set, and a member that waits for an
answer needs no heartbeat, unless it is new: then nobody could tell whether it is still there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from kreactor.core.coordinator.group.group_results import JoinCallback, SyncCallback
from kreactor.jdk.exceptions import IllegalArgumentException

# A protocol's name, and what the member says in it.
Protocol = tuple[str, bytes]


class MemberSummary(NamedTuple):
    """:origin: kafka.coordinator.group.MemberSummary"""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


class MemberMetadata:
    """Times are in milliseconds. ``supported_protocols`` has the member's favourite first.

    :origin: kafka.coordinator.group.MemberMetadata
    :origin: kafka.coordinator.group.MemberMetadata
    """

    __slots__ = ("member_id", "group_instance_id", "client_id", "client_host", "rebalance_timeout_ms",
                 "session_timeout_ms", "protocol_type", "supported_protocols", "assignment",
                 "awaiting_join_callback", "awaiting_sync_callback", "is_new", "heartbeat_satisfied")

    @staticmethod
    def plain_protocol_set(supported_protocols: Iterable[Protocol]) -> set[str]:
        """Return the names of protocols.

        :origin: kafka.coordinator.group.MemberMetadata#plainProtocolSet
        """
        return {name for name, _ in supported_protocols}

    def __init__(self, member_id: str, group_instance_id: str | None, client_id: str, client_host: str,
                 rebalance_timeout_ms: int, session_timeout_ms: int, protocol_type: str,
                 supported_protocols: Sequence[Protocol], assignment: bytes = b"") -> None:
        """:origin: kafka.coordinator.group.MemberMetadata#MemberMetadata"""
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.session_timeout_ms = session_timeout_ms
        self.protocol_type = protocol_type
        self.supported_protocols = supported_protocols
        self.assignment = assignment
        self.awaiting_join_callback: JoinCallback | None = None
        self.awaiting_sync_callback: SyncCallback | None = None
        self.is_new = False
        # False when the wait for a heartbeat begins, true when the member has given a sign of life.
        self.heartbeat_satisfied = False

    def is_static_member(self) -> bool:
        """Return whether the member is static: it keeps its place when it comes back.

        :origin: kafka.coordinator.group.MemberMetadata#isStaticMember
        """
        return self.group_instance_id is not None

    def is_awaiting_join(self) -> bool:
        """:origin: kafka.coordinator.group.MemberMetadata#isAwaitingJoin"""
        return self.awaiting_join_callback is not None

    def is_awaiting_sync(self) -> bool:
        """:origin: kafka.coordinator.group.MemberMetadata#isAwaitingSync"""
        return self.awaiting_sync_callback is not None

    def metadata(self, protocol: str) -> bytes:
        """Return what the member says in ``protocol``. Raises IllegalArgumentException if it has none such.

        :origin: kafka.coordinator.group.MemberMetadata#metadata
        """
        for name, metadata in self.supported_protocols:
            if name == protocol:
                return metadata
        raise IllegalArgumentException("Member does not support protocol")

    def has_satisfied_heartbeat(self) -> bool:
        """Return whether nothing is wanted of the member to stay in the group.

        :origin: kafka.coordinator.group.MemberMetadata#hasSatisfiedHeartbeat
        """
        if self.is_new:
            # It may expire while it waits to join, so that this comes first.
            return self.heartbeat_satisfied
        elif self.is_awaiting_join() or self.is_awaiting_sync():
            return True
        else:
            return self.heartbeat_satisfied

    def matches(self, protocols: Sequence[Protocol]) -> bool:
        """Return whether ``protocols`` are those of the member, in the same order.

        :origin: kafka.coordinator.group.MemberMetadata#matches
        """
        return list(protocols) == list(self.supported_protocols)

    def summary(self, protocol: str) -> MemberSummary:
        """Raises as ``metadata``.

        :origin: kafka.coordinator.group.MemberMetadata#summary
        """
        return MemberSummary(self.member_id, self.group_instance_id, self.client_id, self.client_host,
                             self.metadata(protocol), self.assignment)

    def summary_no_metadata(self) -> MemberSummary:
        """:origin: kafka.coordinator.group.MemberMetadata#summaryNoMetadata"""
        return MemberSummary(self.member_id, self.group_instance_id, self.client_id, self.client_host,
                             b"", b"")

    def vote(self, candidates: Set[str]) -> str:
        """Return the member's favourite of ``candidates``. Raises IllegalArgumentException if it has none.

        :origin: kafka.coordinator.group.MemberMetadata#vote
        """
        for protocol, _ in self.supported_protocols:
            if protocol in candidates:
                return protocol
        raise IllegalArgumentException("Member does not support any of the candidate protocols")

    def __str__(self) -> str:
        """:origin: kafka.coordinator.group.MemberMetadata#toString"""
        instance = "None" if self.group_instance_id is None else f"Some({self.group_instance_id})"
        protocols = ", ".join(name for name, _ in self.supported_protocols)
        return (f"MemberMetadata(memberId={self.member_id}, groupInstanceId={instance}, "
                f"clientId={self.client_id}, clientHost={self.client_host}, "
                f"sessionTimeoutMs={self.session_timeout_ms}, "
                f"rebalanceTimeoutMs={self.rebalance_timeout_ms}, "
                f"supportedProtocols=List({protocols}))")

    __repr__ = __str__
