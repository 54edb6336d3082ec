# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The names of files and folders."""

from __future__ import annotations

from kreactor.common.topic_partition import TopicPartition
from kreactor.storage.internals.log.log_file_utils import (
    deleted_folder,
    file_name,
    offset_of_file_name,
    partition_folder,
)


def test_names() -> None:
    assert file_name(37, ".log") == "00000000000000000037.log"
    assert offset_of_file_name("00000000000000000037.timeindex") == 37
    partition = TopicPartition("a-topic.with_all-0", 11)
    assert partition_folder(partition) == "a-topic.with_all-0-11"
    name = deleted_folder(TopicPartition("t" * 249, 123456))
    assert len(name) == 255 and name.endswith("-delete")
    assert deleted_folder(TopicPartition("t", 1)) != deleted_folder(TopicPartition("t", 1))
