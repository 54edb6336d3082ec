# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.PartitionReassignmentReplicas of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The replicas of a partition during a reassignment and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kreactor.metadata.placement.partition_assignment import PartitionAssignment


class PartitionReassignmentReplicas:
    """The removed replicas, the added ones, and all of them. Immutable.

    :origin: controller.PartitionReassignmentReplicas
    """

    __slots__ = ("_removing", "_adding", "_replicas")

    def __init__(self, removing: Sequence[int], adding: Sequence[int], replicas: Sequence[int]) -> None:
        """
        :origin: controller.PartitionReassignmentReplicas#PartitionReassignmentReplicas(List<Integer>, List<Integer>, List<Integer>)
        """  # noqa: E501
        self._removing = removing
        self._adding = adding
        self._replicas = replicas

    @staticmethod
    def _calculate_difference(a: Sequence[int], b: Sequence[int]) -> list[int]:
        """Return the elements of ``a`` that are not in ``b``, in order.

        :origin: controller.PartitionReassignmentReplicas#calculateDifference(List<Integer>, List<Integer>)
        """
        return sorted(set(a) - set(b))

    @classmethod
    def of(cls, current_assignment: PartitionAssignment,
           target_assignment: PartitionAssignment) -> PartitionReassignmentReplicas:
        """Return the replicas at the start of a move from one assignment to another.

        :origin: controller.PartitionReassignmentReplicas#PartitionReassignmentReplicas(PartitionAssignment, PartitionAssignment)
        """  # noqa: E501
        removing = cls._calculate_difference(current_assignment.replicas(), target_assignment.replicas())
        adding = cls._calculate_difference(target_assignment.replicas(), current_assignment.replicas())
        return cls(removing, adding, [*target_assignment.replicas(), *removing])

    def removing(self) -> Sequence[int]:
        """:origin: controller.PartitionReassignmentReplicas#removing()"""
        return self._removing

    def adding(self) -> Sequence[int]:
        """:origin: controller.PartitionReassignmentReplicas#adding()"""
        return self._adding

    def replicas(self) -> Sequence[int]:
        """Return all replicas; the removed ones come last.

        :origin: controller.PartitionReassignmentReplicas#replicas()
        """
        return self._replicas

    def is_reassignment_in_progress(self) -> bool:
        """Return whether replicas are being added or removed.

        :origin: controller.PartitionReassignmentReplicas#isReassignmentInProgress()
        :origin: controller.PartitionReassignmentReplicas#isReassignmentInProgress(List<Integer>, List<Integer>)
        """  # noqa: E501
        return bool(self._removing) or bool(self._adding)

    def maybe_complete_reassignment(
            self, target_isr: Sequence[int]) -> PartitionReassignmentReplicas.CompletedReassignment | None:
        """Return the remaining replicas when all of them are in sync, None before that.

        :origin: controller.PartitionReassignmentReplicas#maybeCompleteReassignment(List<Integer>)
        """
        if not self.is_reassignment_in_progress():
            return None

        new_target_isr = list(target_isr)
        new_target_replicas = self._replicas
        if self._removing:
            new_target_isr = [replica for replica in target_isr if replica not in self._removing]
            if not new_target_isr:
                return None

            new_target_replicas = [replica for replica in self._replicas if replica not in self._removing]
            if not new_target_replicas:
                return None
        if not set(new_target_isr).issuperset(new_target_replicas):
            return None

        return self.CompletedReassignment(new_target_replicas, new_target_isr)

    class CompletedReassignment(NamedTuple):
        """The replicas after a completed reassignment.

        :origin: controller.PartitionReassignmentReplicas.CompletedReassignment
        :origin: controller.PartitionReassignmentReplicas.CompletedReassignment#CompletedReassignment(List<Integer>, List<Integer>)
        """  # noqa: E501

        replicas: Sequence[int]
        isr: Sequence[int]

    def original_replicas(self) -> list[int]:
        """Return the replicas without the added ones.

        :origin: controller.PartitionReassignmentReplicas#originalReplicas()
        """
        return [replica for replica in self._replicas if replica not in self._adding]

    def __eq__(self, other: object) -> bool:
        """:origin: controller.PartitionReassignmentReplicas#equals(Object)"""
        if not isinstance(other, PartitionReassignmentReplicas):
            return NotImplemented
        return (list(self._removing) == list(other._removing) and list(self._adding) == list(other._adding)
                and list(self._replicas) == list(other._replicas))

    def __str__(self) -> str:
        """:origin: controller.PartitionReassignmentReplicas#toString()"""
        return (f"PartitionReassignmentReplicas(removing={list(self._removing)}, "
                f"adding={list(self._adding)}, replicas={list(self._replicas)})")
