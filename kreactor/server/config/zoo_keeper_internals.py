# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ZooKeeperInternals of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Names from ZooKeeper that are still in use."""

from __future__ import annotations


class ZooKeeperInternals:
    """:origin: server.config.ZooKeeperInternals"""

    # The name of the default quota, for all entities without their own. It cannot be a sanitized name.
    DEFAULT_STRING = "<default>"
