# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ReplicaManagerConcurrencyTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""No case of ReplicaManagerConcurrencyTest applies."""

from __future__ import annotations
