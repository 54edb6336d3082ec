# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.FetchPartitionData of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of a fetch for one partition, for its response."""

from __future__ import annotations

from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.records import Records


class FetchPartitionData:
    """Immutable. A field of None is not in the response.

    :origin: storage.internals.log.FetchPartitionData
    """

    __slots__ = ("error", "high_watermark", "log_start_offset", "records", "diverging_epoch",
                 "last_stable_offset", "aborted_transactions", "preferred_read_replica",
                 "is_reassignment_fetch")

    def __init__(self, error: Errors, high_watermark: int, log_start_offset: int, records: Records,
                 diverging_epoch: FetchResponseData.EpochEndOffset | None, last_stable_offset: int | None,
                 aborted_transactions: list[FetchResponseData.AbortedTransaction] | None,
                 preferred_read_replica: int | None, is_reassignment_fetch: bool) -> None:
        """
        :origin: storage.internals.log.FetchPartitionData#FetchPartitionData(Errors, long, long, Records, Optional<EpochEndOffset>, OptionalLong, Optional<List<AbortedTransaction>>, OptionalInt, boolean)
        """  # noqa: E501
        self.error = error
        self.high_watermark = high_watermark
        self.log_start_offset = log_start_offset
        self.records = records
        self.diverging_epoch = diverging_epoch
        self.last_stable_offset = last_stable_offset
        self.aborted_transactions = aborted_transactions
        self.preferred_read_replica = preferred_read_replica
        self.is_reassignment_fetch = is_reassignment_fetch
