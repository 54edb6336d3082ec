# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's OffsetCheckpointFileWithFailureHandlerTest."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.common.errors import KafkaStorageException
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.server.checkpoints.offset_checkpoint_file import OffsetCheckpointFile


@pytest.fixture
def checkpoint(tmp_path: Path) -> OffsetCheckpointFile:
    return OffsetCheckpointFile(str(tmp_path / "checkpoint"))


def test_should_persist_and_overwrite_and_reload_file(checkpoint: OffsetCheckpointFile) -> None:
    for offsets in ({TopicPartition("foo", 1): 5, TopicPartition("bar", 2): 10},
                    {TopicPartition("foo", 2): 15, TopicPartition("bar", 3): 20}):
        checkpoint.write(offsets)
        assert checkpoint.read() == offsets


def test_should_handle_multiple_lines(checkpoint: OffsetCheckpointFile) -> None:
    offsets = {TopicPartition(topic, partition): partition * 5 for topic in ("foo", "bar")
               for partition in range(10)}
    checkpoint.write(offsets)
    assert checkpoint.read() == offsets


def test_should_return_empty_map_for_empty_file(checkpoint: OffsetCheckpointFile) -> None:
    assert checkpoint.read() == {}
    Path(checkpoint.file()).touch()
    assert checkpoint.read() == {}
    checkpoint.write({})
    assert checkpoint.read() == {}


def test_should_throw_if_version_is_not_recognised(checkpoint: OffsetCheckpointFile) -> None:
    Path(checkpoint.file()).write_text("1\n1\nfoo 5 10\n", encoding="ascii")
    with pytest.raises(KafkaStorageException, match="Unrecognised version"):
        checkpoint.read()


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(KafkaStorageException, match="writing to checkpoint file"):
        OffsetCheckpointFile(str(tmp_path / "gone" / "checkpoint")).write({})
