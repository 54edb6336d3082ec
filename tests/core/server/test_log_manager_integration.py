# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The test of Kafka's LogManagerIntegrationTest."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.core.log.log_manager import PARTITION_METADATA_FILE
from kreactor.testing import Broker, Cluster

TOPIC, PARTITION = "foo", 0


def partition_metadata_file(folder: str | None) -> Path:
    assert folder is not None
    found = Path(folder, f"{TOPIC}-{PARTITION}", PARTITION_METADATA_FILE)
    assert found.exists()
    return found


def check_topic_works(cluster: Broker | Cluster) -> None:
    cluster.produce(TOPIC, "bar", partition=PARTITION)
    record, = cluster.records(TOPIC, PARTITION)
    assert record.value == b"bar"


def test_restart_broker_no_error_if_missing_partition_metadata(caplog: pytest.LogCaptureFixture) -> None:
    """The brokers of a cluster share a log, which stays open. A broker on its own loads it anew."""
    with Cluster(3) as cluster:
        cluster.create_topic(TOPIC, 1, replication_factor=3)
        file = partition_metadata_file(cluster.folder())
        cluster.stop(1)
        assert len(cluster.partition(TOPIC, PARTITION).isr) == 2
        file.unlink()
        cluster.restart(1)
        assert len(cluster.partition(TOPIC, PARTITION).isr) == 3
        check_topic_works(cluster)

    with Broker() as broker:
        broker.create_topic(TOPIC, 1)
        file = partition_metadata_file(broker.folder)
        content = file.read_bytes()
        broker.stop()
        file.unlink()
        broker.restart()
        assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]
        check_topic_works(broker)
        # The topic's id is kept elsewhere.
        assert file.read_bytes() == content
