# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.OffsetFetchRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Committed offsets are fetched: of some partitions or all, of one group or several."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.group_requests import (
    commit_offset, fetch_offsets, fetch_offsets_of, group_broker, join_group, versions)


Group = OffsetFetchResponseData.OffsetFetchResponseGroup
COMMITTED = {"foo": {0: 100, 1: 101, 2: 102}}


def group_of(group_id: str, offsets: Mapping[str, Mapping[int, int]]) -> Group:
    return Group(group_id=group_id, topics=[
        OffsetFetchResponseData.OffsetFetchResponseTopics(name=topic, partitions=[
            OffsetFetchResponseData.OffsetFetchResponsePartitions(
                partition_index=partition, committed_offset=offset)
            for partition, offset in partitions.items()]) for topic, partitions in offsets.items()])


def join_and_commit(broker: BrokerServer, group_id: str, use_new_protocol: bool) -> tuple[str, int]:
    member_id, epoch = join_group(broker, group_id, use_new_protocol)
    for partition, offset in COMMITTED["foo"].items():
        commit_offset(broker, group_id, member_id, epoch, "foo", partition, offset, Errors.NONE,
                      ApiKeys.OFFSET_COMMIT.latest_version())
    return member_id, epoch


def check_members(
        broker: BrokerServer, member_id: str, epoch: int, partitions: dict[str, list[int]] | None,
        require_stable: bool, version: int) -> None:
    """A consumer group answers neither an unknown member nor one of another epoch."""
    for member, member_epoch, error in (
            ("", epoch, Errors.UNKNOWN_MEMBER_ID), (member_id, epoch + 1, Errors.STALE_MEMBER_EPOCH)):
        assert fetch_offsets(broker, "grp", member, member_epoch, partitions, require_stable, version) == (
            Group(group_id="grp", error_code=error.code))


def check_single_group_offset_fetch(
        folder: Path, use_new_protocol: bool, new_coordinator: bool, require_stable: bool) -> None:
    with group_broker(folder, new_coordinator) as broker:
        member_id, epoch = join_and_commit(broker, "grp", use_new_protocol)
        # Version 0 is for offsets in ZooKeeper. Partition 5 does not exist.
        for version in versions(ApiKeys.OFFSET_FETCH, 1):
            for group_id, offsets in (
                    ("grp", {"foo": {0: 100, 1: 101, 5: -1}}),
                    ("unknown", {"foo": {0: -1, 1: -1, 5: -1}}),
                    ("unknown", {"foo": {0: -1, 5: -1}, "foo-unknown": {1: -1}})):
                partitions = {topic: list(indexes) for topic, indexes in offsets.items()}
                assert fetch_offsets(
                    broker, group_id, member_id, epoch, partitions, require_stable, version) == (
                        group_of(group_id, offsets))
            if use_new_protocol and version >= 9:
                check_members(broker, member_id, epoch, {}, require_stable, version)


def test_single_group_offset_fetch_with_new_consumer_group_protocol_and_new_group_coordinator(
        tmp_path: Path) -> None:
    check_single_group_offset_fetch(
        tmp_path, use_new_protocol=True, new_coordinator=True, require_stable=True)


def test_single_group_offset_fetch_with_old_consumer_group_protocol_and_new_group_coordinator(
        tmp_path: Path) -> None:
    check_single_group_offset_fetch(
        tmp_path, use_new_protocol=False, new_coordinator=True, require_stable=False)


def test_single_group_offset_fetch_with_old_consumer_group_protocol_and_old_group_coordinator(
        tmp_path: Path) -> None:
    check_single_group_offset_fetch(
        tmp_path, use_new_protocol=False, new_coordinator=False, require_stable=True)


def check_single_group_all_offset_fetch(
        folder: Path, use_new_protocol: bool, new_coordinator: bool, require_stable: bool) -> None:
    with group_broker(folder, new_coordinator) as broker:
        member_id, epoch = join_and_commit(broker, "grp", use_new_protocol)
        # Version 1 cannot ask for all.
        for version in versions(ApiKeys.OFFSET_FETCH, 2):
            assert fetch_offsets(broker, "grp", member_id, epoch, None, require_stable, version) == (
                group_of("grp", COMMITTED))
            assert fetch_offsets(broker, "unknown", member_id, epoch, None, require_stable, version) == (
                group_of("unknown", {}))
            if use_new_protocol and version >= 9:
                check_members(broker, member_id, epoch, None, require_stable, version)


def test_single_group_all_offset_fetch_with_new_consumer_group_protocol_and_new_group_coordinator(
        tmp_path: Path) -> None:
    check_single_group_all_offset_fetch(
        tmp_path, use_new_protocol=True, new_coordinator=True, require_stable=True)


def test_single_group_all_offset_fetch_with_old_consumer_group_protocol_and_new_group_coordinator(
        tmp_path: Path) -> None:
    check_single_group_all_offset_fetch(
        tmp_path, use_new_protocol=False, new_coordinator=True, require_stable=False)


def test_single_group_all_offset_fetch_with_old_consumer_group_protocol_and_old_group_coordinator(
        tmp_path: Path) -> None:
    check_single_group_all_offset_fetch(
        tmp_path, use_new_protocol=False, new_coordinator=False, require_stable=True)


def check_multi_groups_offset_fetch(
        folder: Path, use_new_protocol: bool, new_coordinator: bool, require_stable: bool) -> None:
    with group_broker(folder, new_coordinator) as broker:
        for group_id in ("grp-0", "grp-1", "grp-2"):
            join_and_commit(broker, group_id, use_new_protocol)
        # Earlier versions ask for one group.
        for version in versions(ApiKeys.OFFSET_FETCH, 8):
            found = fetch_offsets_of(broker, {
                "grp-0": {"foo": [0, 1, 5]}, "grp-1": None, "grp-2": {}, "grp-3": {"foo": [0]},
                "grp-4": {"foo-unknown": [0], "foo": [5]}}, require_stable, version)
            assert sorted(found, key=lambda group: group.group_id) == [
                group_of("grp-0", {"foo": {0: 100, 1: 101, 5: -1}}), group_of("grp-1", COMMITTED),
                group_of("grp-2", {}), group_of("grp-3", {"foo": {0: -1}}),
                group_of("grp-4", {"foo": {5: -1}, "foo-unknown": {0: -1}})]


def test_multi_groups_offset_fetch_with_new_consumer_group_protocol_and_new_group_coordinator(
        tmp_path: Path) -> None:
    check_multi_groups_offset_fetch(
        tmp_path, use_new_protocol=True, new_coordinator=True, require_stable=True)


def test_multi_groups_offset_fetch_with_old_consumer_group_protocol_and_new_group_coordinator(
        tmp_path: Path) -> None:
    check_multi_groups_offset_fetch(
        tmp_path, use_new_protocol=False, new_coordinator=True, require_stable=False)


def test_multi_groups_offset_fetch_with_old_consumer_group_protocol_and_old_group_coordinator(
        tmp_path: Path) -> None:
    check_multi_groups_offset_fetch(
        tmp_path, use_new_protocol=False, new_coordinator=False, require_stable=True)
