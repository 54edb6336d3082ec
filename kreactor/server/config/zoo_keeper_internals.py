# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ZooKeeperInternals of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Names that ZooKeeper has left behind."""

from __future__ import annotations


class ZooKeeperInternals:
    """:origin: server.config.ZooKeeperInternals"""

    # In the place of a sanitized name, which it cannot be, for all that have no quota of their own.
    DEFAULT_STRING = "<default>"
