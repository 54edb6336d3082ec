# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The table of topics: a topic whose logs cannot be made is in no table and in no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.common.errors import ApiException, KafkaStorageException
from kreactor.embedded.topics import TopicRegistry
from kreactor.metadata.node_storage import NewTopic, Topic


@pytest.mark.parametrize("error", [KafkaStorageException, RuntimeError])
def test_a_topic_whose_logs_cannot_be_made_does_not_exist(tmp_path: Path, error: type[Exception]) -> None:
    path = str(tmp_path / "topics.json")
    registry = TopicRegistry(path, lambda topic: False)
    seen = []

    def make_logs(topic: Topic) -> None:
        # No other thread sees a topic before its logs.
        seen.append((topic.name, dict(registry.topics())))
        if topic.name == "second":
            raise error("the disk is full")

    topics = [NewTopic(name, 1, {}) for name in ("first", "second", "third")]
    if issubclass(error, ApiException):
        first, second, third = registry.create_all(topics, make_logs)
        assert isinstance(first, Topic) and isinstance(second, error) and isinstance(third, Topic)
        made = ["first", "third"]
    else:
        with pytest.raises(error):
            registry.create_all(topics, make_logs)
        made = ["first"]
    assert seen == [(name, {}) for name in ("first", "second", "third")[:len(seen)]]
    assert list(registry.topics()) == made
    assert list(TopicRegistry(path, lambda topic: False).topics()) == made
