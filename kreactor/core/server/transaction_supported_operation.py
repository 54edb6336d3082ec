# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AddPartitionsToTxnManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What a client understands when the verification of its transaction fails."""

from __future__ import annotations

from enum import Enum


class TransactionSupportedOperation(Enum):
    """:origin: kafka.server.TransactionSupportedOperation"""

    DEFAULT_ERROR = "defaultError"
    GENERIC_ERROR = "genericError"
    ADD_PARTITION = "addPartition"
