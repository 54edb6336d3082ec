# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A snapshot of a classic group that becomes a consumer group.

Kafka's new coordinator keeps such groups beside consumer groups. Here the classic coordinator keeps them, and
returns these snapshots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClassicMember:
    """A member. ``supported_protocols`` has names and metadata; ``assignment`` has the leader's bytes."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    supported_protocols: Sequence[tuple[str, bytes]]
    assignment: bytes


@dataclass(frozen=True, slots=True)
class ClassicGroup:
    """A generation of a group. The protocol is set if there is an assignment."""

    group_id: str
    generation_id: int
    protocol_type: str | None
    protocol_name: str | None
    members: Sequence[ClassicMember]
