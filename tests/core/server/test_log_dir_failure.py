# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.LogDirFailureTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A folder that fails: what is to be appended is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.common.protocol.errors import Errors
from tests.core.server.broker_requests import create_topic, fetch, produce
from tests.core.server.brokers import new_broker


def test_produce_error_from_failure_on_log_roll(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with new_broker(tmp_path) as broker:
        # Each batch needs a segment of its own.
        create_topic(broker, "topic", segment_bytes="150")
        value = b"x" * 50
        assert produce(broker, value, topic="topic") is Errors.NONE
        folder, aside = tmp_path / "topic-0", tmp_path / "aside"
        folder.rename(aside)
        folder.write_bytes(b"")
        assert produce(broker, value, topic="topic") is Errors.KAFKA_STORAGE_ERROR
        # Ours: once the folder is there again, the log goes on. Kafka's is offline until the next start.
        folder.unlink()
        aside.rename(folder)
        assert produce(broker, value, topic="topic") is Errors.NONE
        assert fetch(broker, "topic") == [value, value]
    # The log records hold an exception, whose frames hold the file.
    caplog.clear()
