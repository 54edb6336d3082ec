# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from pathlib import Path

from kreactor.core.log.log_manager import LogManagerConfig
from kreactor.storage.internals.log.log_config import MAX_LONG
from tests.core.server.brokers import broker_config


def test_the_background_looks_as_often_as_in_kafka(tmp_path: Path) -> None:
    ours, kafkas = LogManagerConfig(), broker_config(tmp_path)
    assert (
        ours.initial_task_delay_ms, ours.retention_check_ms, ours.flush_check_ms,
        ours.recovery_point_checkpoint_ms, ours.log_start_offset_checkpoint_ms,
        ours.max_transaction_timeout_ms,
        ours.transaction_verification_enabled, ours.producer_id_expiration_ms,
        ours.producer_id_expiration_check_ms,
    ) == (
        kafkas.log_initial_task_delay_ms(), kafkas.log_cleanup_interval_ms(),
        kafkas.log_flush_scheduler_interval_ms(), kafkas.log_flush_offset_checkpoint_interval_ms(),
        kafkas.log_flush_start_offset_checkpoint_interval_ms(), kafkas.transaction_max_timeout_ms(),
        kafkas.transaction_partition_verification_enable(), kafkas.producer_id_expiration_ms(),
        kafkas.producer_id_expiration_check_interval_ms(),
    ) == (30_000, 300_000, MAX_LONG, 60_000, 60_000, 900_000, True, 86_400_000, 600_000)
