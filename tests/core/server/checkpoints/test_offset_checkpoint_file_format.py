# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The functions that read and write Kafka's checkpoint files."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.common.topic_partition import TopicPartition
from kreactor.core.server.checkpoints.offset_checkpoint_file import (
    read_offset_checkpoint,
    write_offset_checkpoint,
)


def test_offset_checkpoints_are_kafkas(tmp_path: Path) -> None:
    path = str(tmp_path / "recovery-point-offset-checkpoint")
    offsets = {TopicPartition("a-topic", 0): 17, TopicPartition("b", 12): 0}
    write_offset_checkpoint(path, offsets)
    assert Path(path).read_text() == "0\n2\na-topic 0 17\nb 12 0\n"
    assert read_offset_checkpoint(path) == offsets
    assert read_offset_checkpoint(path + ".none") == {}


@pytest.mark.parametrize("content", [
    "1\n0\n", "0\n2\na 0 1\n", "0\n1\na 0\n", "0\n1\na x 1\n", "0\nx\n", "\xff\xfe"])
def test_damaged_checkpoints(tmp_path: Path, content: str) -> None:
    path = tmp_path / "checkpoint"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(OSError):
        read_offset_checkpoint(str(path))


def test_empty_checkpoints(tmp_path: Path) -> None:
    """As Kafka makes them before it has anything to write."""
    path = tmp_path / "checkpoint"
    path.write_bytes(b"")
    assert read_offset_checkpoint(str(path)) == {}
