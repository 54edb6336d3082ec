# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.AppendOrigin of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The origin of an append, which decides what is validated."""

from __future__ import annotations

from enum import Enum


class AppendOrigin(Enum):
    """The names are Kafka's. Its origin of replication is missing, because nothing is replicated.

    :origin: storage.internals.log.AppendOrigin
    """

    # A coordinator of this node. Its epochs are checked, its sequence numbers are not. It may write control
    # records.
    COORDINATOR = "coordinator"
    # A client. Everything is checked.
    CLIENT = "client"
