# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.TransactionResult of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The results of transactions: commit and abort."""

from __future__ import annotations

from enum import Enum


class TransactionResult(Enum):
    """:origin: common.requests.TransactionResult"""

    ABORT = False
    COMMIT = True

    def id(self) -> bool:
        """Return the value of the result in messages."""
        return self.value

    @staticmethod
    def for_id(id_: bool) -> TransactionResult:
        """Return the result with the id ``id_``.

        :origin: common.requests.TransactionResult#forId(boolean)
        """
        return TransactionResult.COMMIT if id_ else TransactionResult.ABORT
