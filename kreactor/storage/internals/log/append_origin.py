# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.AppendOrigin of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The origin of an append, which decides how much of it is validated."""

from __future__ import annotations

from enum import Enum

OMITTED = {
    **dict.fromkeys((f"storage.internals.log.AppendOrigin#{name}" for name in (
        "REPLICATION",)),
        "brokers do not fetch from each other: all replicas share one log"),
    **dict.fromkeys((f"storage.internals.log.AppendOrigin#{name}" for name in (
        "RAFT_LEADER",)),
        "there is no raft quorum"),
}


class AppendOrigin(Enum):
    """The names are Kafka's, which has more: nobody replicates here.

    :origin: storage.internals.log.AppendOrigin
    """

    # A coordinator of this node: epochs are judged, sequence numbers are not; may write control records.
    COORDINATOR = "coordinator"
    # Anybody: all is judged.
    CLIENT = "client"
