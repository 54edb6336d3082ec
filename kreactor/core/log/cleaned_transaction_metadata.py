# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.CleanedTransactionMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The transactions that the cleaner meets in a log, and which of their markers it may discard."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.record_batch import RecordBatch
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.transaction_index import TransactionIndex


class CleanedTransactionMetadata:
    """Used by one cleaner thread, for one pass over a log.

    :origin: kafka.log.CleanedTransactionMetadata
    """

    __slots__ = ("_ongoing_committed_txns", "_ongoing_aborted_txns", "_aborted_transactions", "cleaned_index")

    def __init__(self) -> None:
        self._ongoing_committed_txns: set[int] = set()
        self._ongoing_aborted_txns: dict[int, AbortedTransactionMetadata] = {}
        # A heap with the earliest transaction on top.
        self._aborted_transactions: list[tuple[int, AbortedTxn]] = []
        # The transaction index of the new segment, for aborted transactions whose batches it still contains.
        self.cleaned_index: TransactionIndex | None = None

    def add_aborted_transactions(self, aborted_transactions: Iterable[AbortedTxn]) -> None:
        """Add the aborted transactions of the next part.

        :origin: kafka.log.CleanedTransactionMetadata#addAbortedTransactions
        """
        for aborted_txn in aborted_transactions:
            heapq.heappush(self._aborted_transactions, (aborted_txn.first_offset, aborted_txn))

    def on_control_batch_read(self, control_batch: RecordBatch) -> bool:
        """Process the next control batch; return whether it can be discarded.

        :origin: kafka.log.CleanedTransactionMetadata#onControlBatchRead
        """
        self._consume_aborted_txns_up_to(control_batch.last_offset())

        control_record = next(iter(control_batch), None)
        if control_record is None:
            # An earlier cleaning has left only the header of the marker's batch.
            return True
        key = control_record.key()
        assert key is not None, "a control record has a key"
        control_type = ControlRecordType.parse(key)
        producer_id = control_batch.producer_id()
        if control_type is ControlRecordType.ABORT:
            metadata = self._ongoing_aborted_txns.pop(producer_id, None)
            # The marker stays while batches of the transaction exist.
            if metadata is not None and metadata.last_observed_batch_offset is not None:
                if self.cleaned_index is not None:
                    self.cleaned_index.append(metadata.aborted_txn)
                return False
            return True
        if control_type is ControlRecordType.COMMIT:
            if producer_id in self._ongoing_committed_txns:
                self._ongoing_committed_txns.remove(producer_id)
                return False
            return True
        return False

    def _consume_aborted_txns_up_to(self, offset: int) -> None:
        """:origin: kafka.log.CleanedTransactionMetadata#consumeAbortedTxnsUpTo"""
        while self._aborted_transactions and self._aborted_transactions[0][0] <= offset:
            _, aborted_txn = heapq.heappop(self._aborted_transactions)
            if aborted_txn.producer_id not in self._ongoing_aborted_txns:
                self._ongoing_aborted_txns[aborted_txn.producer_id] = AbortedTransactionMetadata(aborted_txn)

    def on_batch_read(self, batch: RecordBatch) -> bool:
        """Process the next batch of records; return whether it belongs to an aborted transaction.

        :origin: kafka.log.CleanedTransactionMetadata#onBatchRead
        """
        self._consume_aborted_txns_up_to(batch.last_offset())
        if batch.is_transactional():
            aborted_transaction_metadata = self._ongoing_aborted_txns.get(batch.producer_id())
            if aborted_transaction_metadata is not None:
                aborted_transaction_metadata.last_observed_batch_offset = batch.last_offset()
                return True
            self._ongoing_committed_txns.add(batch.producer_id())
            return False
        return False


class AbortedTransactionMetadata:
    """An aborted transaction, and the last of its batches that the cleaner has met.

    :origin: kafka.log.AbortedTransactionMetadata
    """

    __slots__ = ("aborted_txn", "last_observed_batch_offset")

    def __init__(self, aborted_txn: AbortedTxn) -> None:
        self.aborted_txn = aborted_txn
        self.last_observed_batch_offset: int | None = None

    def __str__(self) -> str:
        """:origin: kafka.log.AbortedTransactionMetadata#toString"""
        return f"(txn: {self.aborted_txn}, lastOffset: {self.last_observed_batch_offset})"
