# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.MemberMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One member of a group: its protocols, and the response that it waits for.

The group's lock guards all fields. At most one of the two callbacks is set. A waiting member needs no
heartbeat, unless it is new: a new member's end would otherwise not be noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from kreactor.core.coordinator.group.group_results import JoinCallback, SyncCallback
from kreactor.jdk.exceptions import IllegalArgumentException

# A protocol's name, and the member's metadata for it.
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
    """Times are in milliseconds. ``supported_protocols`` begins with the member's preferred protocol.

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
        # False when the wait for a heartbeat begins, True when the member has sent a heartbeat.
        self.heartbeat_satisfied = False

    def is_static_member(self) -> bool:
        """Return whether the member is static: it keeps its place when it returns.

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
        """Return the member's metadata for ``protocol``. Raises IllegalArgumentException if the member does
        not support it.

        :origin: kafka.coordinator.group.MemberMetadata#metadata
        """
        for name, metadata in self.supported_protocols:
            if name == protocol:
                return metadata
        raise IllegalArgumentException("Member does not support protocol")

    def has_satisfied_heartbeat(self) -> bool:
        """Return whether the member needs no further heartbeat now to stay in the group.

        :origin: kafka.coordinator.group.MemberMetadata#hasSatisfiedHeartbeat
        """
        if self.is_new:
            # A new member may expire while it waits to join, so this check comes first.
            return self.heartbeat_satisfied
        elif self.is_awaiting_join() or self.is_awaiting_sync():
            return True
        else:
            return self.heartbeat_satisfied

    def matches(self, protocols: Sequence[Protocol]) -> bool:
        """Return whether ``protocols`` equal the member's protocols, in the same order.

        :origin: kafka.coordinator.group.MemberMetadata#matches
        """
        return list(protocols) == list(self.supported_protocols)

    def summary(self, protocol: str) -> MemberSummary:
        """Return the member's description. Raises as ``metadata``.

        :origin: kafka.coordinator.group.MemberMetadata#summary
        """
        return MemberSummary(self.member_id, self.group_instance_id, self.client_id, self.client_host,
                             self.metadata(protocol), self.assignment)

    def summary_no_metadata(self) -> MemberSummary:
        """:origin: kafka.coordinator.group.MemberMetadata#summaryNoMetadata"""
        return MemberSummary(self.member_id, self.group_instance_id, self.client_id, self.client_host,
                             b"", b"")

    def vote(self, candidates: Set[str]) -> str:
        """Return the member's preferred protocol among ``candidates``. Raises IllegalArgumentException if it
        supports none.

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
