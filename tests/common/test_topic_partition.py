# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import copy
import pickle

from kreactor.common.topic_partition import TopicPartition


def test_serialization_roundtrip() -> None:
    original = TopicPartition("mytopic", 5)
    for restored in (pickle.loads(pickle.dumps(original)), copy.copy(original)):
        assert restored == original
        assert (restored.topic(), restored.partition()) == ("mytopic", 5)


def test_equality_and_hash() -> None:
    assert TopicPartition("a", 0) == TopicPartition("a", 0)
    assert hash(TopicPartition("a", 0)) == hash(TopicPartition("a", 0))
    assert TopicPartition("a", 0) != TopicPartition("a", 1)
    assert TopicPartition("a", 0) != TopicPartition("b", 0)
    assert TopicPartition("a", 0) != ("a", 0)
    assert TopicPartition(None, 0) == TopicPartition(None, 0)


def test_to_string() -> None:
    assert str(TopicPartition("a-b", 12)) == "a-b-12"
    assert str(TopicPartition(None, 1)) == "null-1"
