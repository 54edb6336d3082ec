# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A process that acknowledges and is killed: what it acknowledged is there, in order, once."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.embedded.storage import Storage, StorageConfig
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import MockScheduler, values

_ROOT = Path(__file__).parents[2]

# Appends to two partitions, each batch with the number that is due, and says so once it is appended.
_CHILD = """
import sys, threading
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.core.log.log_manager import LogManagerConfig
from kreactor.embedded.storage import Storage, StorageConfig
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from tests.storage.internals.log.support import records

scheduler = KafkaScheduler(2)
scheduler.startup()
storage = Storage(StorageConfig(sys.argv[1], log_manager=LogManagerConfig(
    initial_task_delay_ms=5, recovery_point_checkpoint_ms=7, retention_check_ms=11)), scheduler, Time.SYSTEM)
storage.startup()
if storage.topics().topic("topic") is None:
    storage.create_topic("topic", 2, {
        "segment.bytes": "20000", "index.interval.bytes": "500", "retention.ms": "-1"})
lock = threading.Lock()

def run(partition):
    log = storage.partition_log(TopicPartition("topic", partition))
    producer_id = storage.generate_producer_id()
    sequence = 0
    while True:
        number = log.log_end_offset()
        info = log.append_as_leader(records(b"%d-%07d" % (partition, number) * 20, producer_id=producer_id,
                                            producer_epoch=0, base_sequence=sequence), 0)
        assert info.first_offset == number
        sequence += 1
        with lock:
            sys.stdout.write(f"{partition} {number} {producer_id}\\n")
            sys.stdout.flush()

threads = [threading.Thread(target=run, args=(partition,)) for partition in range(2)]
for thread in threads:
    thread.start()
"""


def start(directory: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", _CHILD, str(directory)], stdout=subprocess.PIPE, text=True,
                            cwd=_ROOT)


@pytest.mark.parametrize("seed", range(3))
def test_acknowledged_records_survive(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    acknowledged = {0: -1, 1: -1}
    producer_ids: set[int] = set()
    for _ in range(3):
        child = start(tmp_path)
        assert child.stdout is not None
        ids_of_child = set()
        with child.stdout as stdout:
            for _ in range(chance.randrange(50, 2000)):
                partition, number, producer_id = map(int, stdout.readline().split())
                assert number == acknowledged[partition] + 1, "the log went on where it had ended"
                acknowledged[partition] = number
                ids_of_child.add(producer_id)
            time.sleep(chance.random() * 0.01)
            child.send_signal(signal.SIGKILL)
            # Lines from before the end count too; the last line may be half.
            for line in stdout.read().split("\n")[:-1]:
                partition, number, producer_id = map(int, line.split())
                acknowledged[partition] = number
        child.wait()
        assert not ids_of_child & producer_ids, "a producer id came twice"
        producer_ids |= ids_of_child

        storage = Storage(StorageConfig(str(tmp_path)), MockScheduler(MockTime()), Time.SYSTEM)
        storage.startup()
        for partition in range(2):
            log = storage.partition_log(TopicPartition("topic", partition))
            assert log is not None
            count = log.log_end_offset()
            assert count > acknowledged[partition], "everything acknowledged is there"
            assert values(log) == [b"%d-%07d" % (partition, number) * 20 for number in range(count)]
            acknowledged[partition] = count - 1
        storage.shutdown()


def test_a_killed_process_holds_no_lock(tmp_path: Path) -> None:
    child = start(tmp_path)
    assert child.stdout is not None
    with child.stdout as stdout:
        stdout.readline()
        storage = Storage(StorageConfig(str(tmp_path)), MockScheduler(MockTime()), Time.SYSTEM)
        with pytest.raises(RuntimeError, match="another process or thread is using this directory"):
            storage.startup()
        child.kill()
    child.wait()
    storage.startup()
    storage.shutdown()
