# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.PartitionReassignmentReplicasTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The replicas of a partition while it moves."""

from __future__ import annotations

import pytest

from kreactor.controller.partition_reassignment_replicas import PartitionReassignmentReplicas
from kreactor.image.cluster_image import PartitionState
from tests.metadata.placement.brokers import partition_assignment


def between(current: list[int], target: list[int]) -> PartitionReassignmentReplicas:
    return PartitionReassignmentReplicas.of(partition_assignment(*current), partition_assignment(*target))


def test_none_added_or_removed() -> None:
    replicas = between([3, 2, 1], [3, 2, 1])
    assert replicas.removing() == []
    assert replicas.adding() == []
    assert replicas.replicas() == [3, 2, 1]


def test_additions() -> None:
    replicas = between([3, 2, 1], [3, 6, 2, 1, 5])
    assert replicas.removing() == []
    assert replicas.adding() == [5, 6]
    assert replicas.replicas() == [3, 6, 2, 1, 5]


def test_removals() -> None:
    replicas = between([3, 2, 1, 0], [3, 1])
    assert replicas.removing() == [0, 2]
    assert replicas.adding() == []
    assert replicas.replicas() == [3, 1, 0, 2]


def test_additions_and_removals() -> None:
    replicas = between([3, 2, 1, 0], [7, 3, 1, 9])
    assert replicas.removing() == [0, 2]
    assert replicas.adding() == [7, 9]
    assert replicas.replicas() == [7, 3, 1, 9, 0, 2]


def test_rearrangement() -> None:
    replicas = between([3, 2, 1, 0], [0, 1, 3, 2])
    assert replicas.removing() == []
    assert replicas.adding() == []
    assert replicas.replicas() == [0, 1, 3, 2]


def test_does_not_complete_reassignment() -> None:
    replicas = between([0, 1, 2], [3, 4, 5])
    assert replicas.is_reassignment_in_progress()
    assert replicas.maybe_complete_reassignment([0, 1, 2, 3, 4]) is None


def test_does_not_complete_reassignment_if_none_ongoing() -> None:
    replicas = PartitionReassignmentReplicas([], [], [0, 1, 2])
    assert not replicas.is_reassignment_in_progress()
    assert replicas.maybe_complete_reassignment([0, 1, 2]) is None


def test_does_complete_reassignment_all_new_replicas() -> None:
    replicas = between([0, 1, 2], [3, 4, 5])
    assert replicas.is_reassignment_in_progress()
    completed_reassignment = replicas.maybe_complete_reassignment([0, 1, 2, 3, 4, 5])
    assert completed_reassignment is not None
    assert completed_reassignment.isr == [3, 4, 5]
    assert completed_reassignment.replicas == [3, 4, 5]


def test_does_complete_reassignment_some_new_replicas() -> None:
    replicas = between([0, 1, 2], [0, 1, 3])
    assert replicas.is_reassignment_in_progress()
    completed_reassignment = replicas.maybe_complete_reassignment([0, 1, 2, 3])
    assert completed_reassignment is not None
    assert completed_reassignment.isr == [0, 1, 3]
    assert completed_reassignment.replicas == [0, 1, 3]


@pytest.mark.parametrize(("removing", "adding", "expected"), [
    ((2,), (3,), True), ((2,), (), True), ((), (3,), True), ((), (), False)])
def test_is_reassignment_in_progress(
        removing: tuple[int, ...], adding: tuple[int, ...], expected: bool) -> None:
    state = PartitionState((0, 1, 3, 2), (0, 1, 3, 2), 0, 0, adding=adding, removing=removing)
    assert state.is_reassigning() is expected


def test_does_not_complete_reassignment_if_isr_does_not_have_all_target_replicas() -> None:
    replicas = between([0, 1, 2], [0, 1, 3])
    assert replicas.is_reassignment_in_progress()
    assert replicas.maybe_complete_reassignment([3]) is None


def test_original_replicas() -> None:
    assert between([0, 1, 2], [0, 1, 3]).original_replicas() == [0, 1, 2]
