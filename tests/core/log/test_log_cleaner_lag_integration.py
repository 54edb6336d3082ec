# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's LogCleanerLagIntegrationTest."""

from __future__ import annotations

from kreactor.common.compress.compression import Compression
from kreactor.common.record.compression_type import CompressionType
from tests.core.log.cleaner_threads import ALL_COMPRESSIONS, Threads, read_from_log, threads, to_map

__all__ = ["threads"]

LAG_MS = 60 * 60 * 1000


@ALL_COMPRESSIONS
def test_cleaner_test(threads: Threads, type_: CompressionType) -> None:
    codec = Compression.of(type_).build()
    cleaner = threads.make(min_compaction_lag_ms=LAG_MS, segment_bytes=512)
    log, clock = threads.log(), threads.logs.time

    appends = threads.write_dups(100, 3, log, codec)
    start_size = log.size()
    active_seg_at_t0 = log.active_segment().base_offset()
    size_up_to_active = sum(segment.size() for segment in log.log_segments(0, active_seg_at_t0))
    cleaner.startup()

    clock.sleep(LAG_MS // 2)
    threads.wait_for_rounds()
    assert log.size() == start_size

    clock.sleep(LAG_MS // 2 + 1)
    appends += threads.write_dups(100, 3, log, codec)
    threads.check_last_cleaned(active_seg_at_t0)
    assert to_map(read_from_log(log)) == to_map(appends)
    assert sum(segment.size() for segment in log.log_segments(0, active_seg_at_t0)) < size_up_to_active
