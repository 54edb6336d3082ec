# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.quota.ClientQuotaType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The types of quotas, by what they limit."""

from __future__ import annotations

from enum import Enum


class ClientQuotaType(Enum):
    """:origin: server.quota.ClientQuotaType"""

    PRODUCE = 0
    FETCH = 1
    REQUEST = 2
    CONTROLLER_MUTATION = 3
