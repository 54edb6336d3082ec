# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The offsets that a transaction commits for a group."""

from __future__ import annotations

import pytest

from kreactor.clients.consumer.commit_failed_exception import CommitFailedException
from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.jdk.exceptions import IllegalArgumentException


def test_invalid_negative_offset() -> None:
    with pytest.raises(IllegalArgumentException, match="^Invalid negative offset$"):
        OffsetAndMetadata(-239, "", 15)


def test_an_offset_has_a_text_and_perhaps_a_leader_epoch() -> None:
    assert OffsetAndMetadata(10, None) == OffsetAndMetadata(10)
    assert OffsetAndMetadata(10).metadata() == ""
    assert OffsetAndMetadata(10).leader_epoch() is None
    assert OffsetAndMetadata(10, "", -1).leader_epoch() is None
    offset = OffsetAndMetadata(10, "note", 3)
    assert (offset.offset(), offset.metadata(), offset.leader_epoch()) == (10, "note", 3)
    assert str(offset) == "OffsetAndMetadata{offset=10, leaderEpoch=3, metadata='note'}"
    assert str(OffsetAndMetadata(0)) == "OffsetAndMetadata{offset=0, leaderEpoch=null, metadata=''}"
    assert len({offset, OffsetAndMetadata(10, "note", 3), OffsetAndMetadata(10, "note", 4)}) == 2
    assert offset != "offset"
    with pytest.raises(IllegalArgumentException, match="^Invalid negative offset$"):
        OffsetAndMetadata(-1)


def test_a_group_has_a_generation_and_a_member_or_none() -> None:
    group = ConsumerGroupMetadata("group")
    assert (group.group_id(), group.generation_id(), group.member_id(), group.group_instance_id()) == (
        "group", -1, "", None)
    assert str(group) == "GroupMetadata(groupId = group, generationId = -1, memberId = , groupInstanceId = )"
    member = ConsumerGroupMetadata("group", 2, "m", "i")
    assert str(member) == ("GroupMetadata(groupId = group, generationId = 2, memberId = m, "
                           "groupInstanceId = i)")
    assert len({group, member, ConsumerGroupMetadata("group", 2, "m", "i")}) == 2
    assert group != "group"
    with pytest.raises(TypeError, match="^group.id can't be null$"):
        ConsumerGroupMetadata(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^member.id can't be null$"):
        ConsumerGroupMetadata("group", 2, None)  # type: ignore[arg-type]


def test_a_failed_commit_names_the_setting_to_change() -> None:
    assert "max.poll.interval.ms" in str(CommitFailedException())
    assert CommitFailedException("text").get_message() == "text"
