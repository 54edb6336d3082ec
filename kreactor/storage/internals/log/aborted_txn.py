# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.AbortedTxn of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An entry of the transaction index."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.message.fetch_response_data import FetchResponseData


class AbortedTxn(NamedTuple):
    """An aborted transaction. ``last_offset`` is its marker's offset.

    :origin: storage.internals.log.AbortedTxn
    """

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int

    def as_aborted_transaction(self) -> FetchResponseData.AbortedTransaction:
        """Return the entry for the response to a reader.

        :origin: storage.internals.log.AbortedTxn#asAbortedTransaction()
        """
        return FetchResponseData.AbortedTransaction(
            producer_id=self.producer_id, first_offset=self.first_offset)
