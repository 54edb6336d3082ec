# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.FetchDataInfo of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of a read."""

from __future__ import annotations

from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.record.records import Records
from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata


class FetchDataInfo:
    """Records that are still in the file, and the offsets of the log at the moment of the read.

    ``records`` keep their file open while a reader holds them. ``first_entry_incomplete`` is True if the
    first batch does not fit. ``aborted_transactions`` are those that may overlap the records; None if they
    were not requested.

    :origin: storage.internals.log.FetchDataInfo
    """

    __slots__ = ("fetch_offset_metadata", "records", "first_entry_incomplete", "log_start_offset",
                 "high_watermark", "last_stable_offset", "log_end_offset", "aborted_transactions")

    def __init__(self, fetch_offset_metadata: LogOffsetMetadata, records: Records,
                 first_entry_incomplete: bool = False, log_start_offset: int = -1,
                 last_stable_offset: int = -1, log_end_offset: int = -1,
                 aborted_transactions: list[FetchResponseData.AbortedTransaction] | None = None,
                 high_watermark: int | None = None) -> None:
        """The default of ``high_watermark`` is the log end offset. LocalLog leaves the log's offsets to its
        caller.

        :origin: storage.internals.log.FetchDataInfo#FetchDataInfo(LogOffsetMetadata, Records)
        :origin: storage.internals.log.FetchDataInfo#FetchDataInfo(LogOffsetMetadata, Records, boolean, Optional<List<FetchResponseData.AbortedTransaction>>)
        :origin: storage.internals.log.FetchDataInfo#FetchDataInfo(LogOffsetMetadata, Records, boolean, Optional<List<FetchResponseData.AbortedTransaction>>, Optional<RemoteStorageFetchInfo>)
        """  # noqa: E501
        self.fetch_offset_metadata = fetch_offset_metadata
        self.records = records
        self.first_entry_incomplete = first_entry_incomplete
        self.log_start_offset = log_start_offset
        self.high_watermark = log_end_offset if high_watermark is None else high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_end_offset = log_end_offset
        self.aborted_transactions = aborted_transactions
