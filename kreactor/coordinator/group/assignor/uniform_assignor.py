# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.UniformAssignor of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Spreads all partitions evenly over the members, and moves few partitions at a change."""

from __future__ import annotations


from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, GroupSpec, SubscribedTopicDescriber, SubscriptionType)
from kreactor.coordinator.group.api.assignor.partition_assignor import ConsumerGroupPartitionAssignor
from kreactor.coordinator.group.assignor.uniform_heterogeneous_assignment_builder import (
    UniformHeterogeneousAssignmentBuilder)
from kreactor.coordinator.group.assignor.uniform_homogeneous_assignment_builder import (
    UniformHomogeneousAssignmentBuilder)
from kreactor.jdk.loggers import get_logger

_LOG = get_logger(__name__)


class UniformAssignor(ConsumerGroupPartitionAssignor):
    """:origin: coordinator.group.assignor.UniformAssignor"""

    __slots__ = ()

    UNIFORM_ASSIGNOR_NAME = "uniform"

    def name(self) -> str:
        """:origin: coordinator.group.assignor.UniformAssignor#name()"""
        return self.UNIFORM_ASSIGNOR_NAME

    def assign(self, group_spec: GroupSpec,
               subscribed_topic_describer: SubscribedTopicDescriber) -> GroupAssignment:
        """Return the new target assignment. Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.UniformAssignor#assign(GroupSpec, SubscribedTopicDescriber)
        """
        if not group_spec.member_ids():
            return GroupAssignment({})

        if group_spec.subscription_type() is SubscriptionType.HOMOGENEOUS:
            _LOG.debug("All members subscribe to the same topics: the homogeneous algorithm assigns them")
            return UniformHomogeneousAssignmentBuilder(group_spec, subscribed_topic_describer).build()
        else:
            _LOG.debug("Members subscribe to different topics: the heterogeneous algorithm assigns them")
            return UniformHeterogeneousAssignmentBuilder(group_spec, subscribed_topic_describer).build()
