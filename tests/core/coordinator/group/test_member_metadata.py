# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.group.MemberMetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The protocols of a member, and its votes."""

from __future__ import annotations

import pytest

from kreactor.core.coordinator.group.member_metadata import MemberMetadata, Protocol
from kreactor.jdk.exceptions import IllegalArgumentException


def member_of(*protocols: Protocol) -> MemberMetadata:
    return MemberMetadata("memberId", "groupInstanceId", "clientId", "clientHost", 60_000, 10_000, "consumer",
                          protocols)


def test_matches_supported_protocols() -> None:
    member = member_of(("range", b""))
    assert member.matches([("range", b"")])
    assert not member.matches([("range", b"\0")])
    assert not member.matches([("roundrobin", b"")])
    assert not member.matches([("range", b""), ("roundrobin", b"")])


def test_vote_for_preferred_protocol() -> None:
    member = member_of(("range", b""), ("roundrobin", b""))
    assert member.vote({"range", "roundrobin"}) == "range"
    assert member.vote({"blah", "roundrobin"}) == "roundrobin"


def test_metadata() -> None:
    member = member_of(("range", b"\0"), ("roundrobin", b"\1"))
    assert member.metadata("range") == b"\0"
    assert member.metadata("roundrobin") == b"\1"


def test_metadata_raises_on_unsupported_protocol() -> None:
    with pytest.raises(IllegalArgumentException):
        member_of(("range", b""), ("roundrobin", b"")).metadata("blah")


def test_vote_raises_on_no_supported_protocols() -> None:
    with pytest.raises(IllegalArgumentException):
        member_of(("range", b""), ("roundrobin", b"")).vote({"blah"})


def test_has_valid_group_instance_id() -> None:
    member = member_of(("range", b"\0"), ("roundrobin", b"\1"))
    assert member.is_static_member()
    assert member.group_instance_id == "groupInstanceId"


# -- not in Kafka's suite ------------------------------------------------------------------------------


def test_which_sign_of_life_is_enough() -> None:
    member = member_of(("range", b""))
    assert not member.has_satisfied_heartbeat()
    member.awaiting_join_callback = lambda result: None
    assert member.has_satisfied_heartbeat()
    member.is_new = True
    assert not member.has_satisfied_heartbeat()
    member.heartbeat_satisfied = True
    assert member.has_satisfied_heartbeat()


def test_summaries() -> None:
    member = member_of(("range", b"m"))
    member.assignment = b"a"
    with_metadata, without = member.summary("range"), member.summary_no_metadata()
    assert (with_metadata.metadata, with_metadata.assignment) == (b"m", b"a")
    assert (without.metadata, without.assignment) == (b"", b"")
    assert str(member) == (
        "MemberMetadata(memberId=memberId, groupInstanceId=Some(groupInstanceId), clientId=clientId, "
        "clientHost=clientHost, sessionTimeoutMs=10000, rebalanceTimeoutMs=60000, "
        "supportedProtocols=List(range))")
