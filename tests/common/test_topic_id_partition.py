# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid

TOPIC_ID_0 = Uuid(-4883993789924556279, -5960309683534398572)
TOPIC_ID_1 = Uuid(7759286116672424028, -5081215629859775948)

PARTITION_0 = TopicIdPartition(TOPIC_ID_0, TopicPartition("a_topic_name", 1))
PARTITION_1 = TopicIdPartition.of(TOPIC_ID_0, 1, "a_topic_name")
PARTITION_2 = TopicIdPartition.of(TOPIC_ID_1, 1, "another_topic_name")
WITHOUT_TOPIC_0 = TopicIdPartition.of(TOPIC_ID_0, 1, None)
WITHOUT_TOPIC_1 = TopicIdPartition(TOPIC_ID_0, TopicPartition(None, 1))
WITHOUT_TOPIC_2 = TopicIdPartition(TOPIC_ID_1, TopicPartition(None, 1))


def test_equals() -> None:
    assert PARTITION_0 == PARTITION_1
    assert PARTITION_1 == PARTITION_0
    assert WITHOUT_TOPIC_0 == WITHOUT_TOPIC_1
    assert PARTITION_0 != PARTITION_2
    assert PARTITION_2 != PARTITION_0
    assert PARTITION_0 != WITHOUT_TOPIC_0
    assert WITHOUT_TOPIC_0 != WITHOUT_TOPIC_2


def test_hash_code() -> None:
    assert hash(PARTITION_0) == hash(PARTITION_1)
    assert hash(WITHOUT_TOPIC_0) == hash(WITHOUT_TOPIC_1)
    assert hash(PARTITION_0) != hash(PARTITION_2)
    assert hash(PARTITION_0) != hash(WITHOUT_TOPIC_0)
    assert hash(WITHOUT_TOPIC_0) != hash(WITHOUT_TOPIC_2)


def test_to_string() -> None:
    assert str(PARTITION_0) == "vDiRhkpVQgmtSLnsAZx7lA:a_topic_name-1"
    assert str(WITHOUT_TOPIC_0) == "vDiRhkpVQgmtSLnsAZx7lA:null-1"


def test_parts() -> None:
    assert PARTITION_0.topic_id() == TOPIC_ID_0
    assert PARTITION_0.topic() == "a_topic_name"
    assert WITHOUT_TOPIC_0.topic() is None
    assert PARTITION_0.partition() == 1
    assert PARTITION_0.topic_partition() == TopicPartition("a_topic_name", 1)
