# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The classic members that a consumer group leaves behind."""

from __future__ import annotations

from kreactor.core.coordinator.group.group_conversion import classic_members
from tests.coordinator.group.assignment_test_util import mk_classic_member
from tests.coordinator.group.group_metadata_manager_test_context import (
    GROUP,
    ConsumerGroupBuilder,
    GroupMetadataManagerTestContext,
)


def test_all_members_but_the_leaving_one_are_converted() -> None:
    context = GroupMetadataManagerTestContext(ConsumerGroupBuilder(GROUP, 10, [
        mk_classic_member(
            f"m{number}", "range", "roundrobin", metadata=b"%d" % number, session_timeout_ms=100 + number,
            instance_id=f"i{number}", client_id=f"client{number}", client_host=f"host{number}",
            rebalance_timeout_ms=200 + number)
        for number in range(3)]))
    members = classic_members(context.manager.consumer_group(GROUP), "m1")
    assert [(member.member_id, member.group_instance_id, member.client_id, member.client_host,
             member.rebalance_timeout_ms, member.session_timeout_ms, member.protocol_type,
             list(member.supported_protocols)) for member in members] == [
        (f"m{number}", f"i{number}", f"client{number}", f"host{number}", 200 + number, 100 + number,
         "consumer", [("range", b"%d" % number), ("roundrobin", b"%d" % number)])
        for number in (0, 2)]
