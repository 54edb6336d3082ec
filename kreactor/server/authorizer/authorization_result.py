# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.authorizer.AuthorizationResult of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An authorizer's decision."""

from __future__ import annotations

from enum import Enum


class AuthorizationResult(Enum):
    """:origin: server.authorizer.AuthorizationResult"""

    ALLOWED = 0
    DENIED = 1
