# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.ConvertedRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Converted records with the statistics of their conversion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from kreactor.common.record.record_validation_stats import RecordValidationStats
    from kreactor.common.record.records import Records

T_co = TypeVar("T_co", bound="Records", covariant=True)


class ConvertedRecords(Generic[T_co]):
    """A pair of records and statistics.

    :origin: common.record.ConvertedRecords
    """

    __slots__ = ("_records", "_record_validation_stats")

    def __init__(self, records: T_co, record_validation_stats: RecordValidationStats) -> None:
        """:origin: common.record.ConvertedRecords#ConvertedRecords(T, RecordValidationStats)"""
        self._records = records
        self._record_validation_stats = record_validation_stats

    def records(self) -> T_co:
        """Return the records.

        :origin: common.record.ConvertedRecords#records()
        """
        return self._records

    def record_conversion_stats(self) -> RecordValidationStats:
        """Return the statistics of the conversion.

        :origin: common.record.ConvertedRecords#recordConversionStats()
        """
        return self._record_validation_stats
