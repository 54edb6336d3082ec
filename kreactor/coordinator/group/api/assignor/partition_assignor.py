# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor and its siblings of
# Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of assignors, and the exception of a failed assignment."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.errors import ApiException
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, GroupSpec, SubscribedTopicDescriber)


class PartitionAssignor(ABC):
    """:origin: coordinator.group.api.assignor.PartitionAssignor"""

    __slots__ = ()

    @abstractmethod
    def name(self) -> str:
        """Return the name under which members request the assignor.

        :origin: coordinator.group.api.assignor.PartitionAssignor#name()
        """

    @abstractmethod
    def assign(self, group_spec: GroupSpec,
               subscribed_topic_describer: SubscribedTopicDescriber) -> GroupAssignment:
        """Return the new target assignment. Raises PartitionAssignorException.

        :origin: coordinator.group.api.assignor.PartitionAssignor#assign(GroupSpec, SubscribedTopicDescriber)
        """


class ConsumerGroupPartitionAssignor(PartitionAssignor):
    """:origin: coordinator.group.api.assignor.ConsumerGroupPartitionAssignor"""

    __slots__ = ()


class PartitionAssignorException(ApiException):
    """
    :origin: coordinator.group.api.assignor.PartitionAssignorException
    :origin: coordinator.group.api.assignor.PartitionAssignorException#PartitionAssignorException(String)
    """
