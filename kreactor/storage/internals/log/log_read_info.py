# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogReadInfo of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of a read from one partition's log."""

from __future__ import annotations

from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.storage.internals.log.fetch_data_info import FetchDataInfo


class LogReadInfo:
    """The records of a read, and the log's offsets at that moment. Immutable.

    :origin: storage.internals.log.LogReadInfo
    """

    __slots__ = ("fetched_data", "diverging_epoch", "high_watermark", "log_start_offset", "log_end_offset",
                 "last_stable_offset")

    def __init__(self, fetched_data: FetchDataInfo, diverging_epoch: FetchResponseData.EpochEndOffset | None,
                 high_watermark: int, log_start_offset: int, log_end_offset: int,
                 last_stable_offset: int) -> None:
        """
        :origin: storage.internals.log.LogReadInfo#LogReadInfo(FetchDataInfo, Optional<EpochEndOffset>, long, long, long, long)
        """  # noqa: E501
        self.fetched_data = fetched_data
        self.diverging_epoch = diverging_epoch
        self.high_watermark = high_watermark
        self.log_start_offset = log_start_offset
        self.log_end_offset = log_end_offset
        self.last_stable_offset = last_stable_offset
