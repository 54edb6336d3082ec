# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.replica.ReplicaView of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""One replica, for the choice of the one that a consumer reads."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.node import Node


class ReplicaView(NamedTuple):
    """The leader's view of a replica. Immutable.

    :origin: common.replica.ReplicaView
    :origin: common.replica.ReplicaView#endpoint()
    :origin: common.replica.ReplicaView#logEndOffset()
    :origin: common.replica.ReplicaView#timeSinceLastCaughtUpMs()
    """

    endpoint: Node
    log_end_offset: int
    time_since_last_caught_up_ms: int

    def comparator(self) -> tuple[int, int, int]:
        """Return a sort key that is larger for a more caught-up replica.

        :origin: common.replica.ReplicaView#comparator()
        """
        return self.log_end_offset, -self.time_since_last_caught_up_ms, self.endpoint.id()
