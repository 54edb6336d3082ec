# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's DeleteTopicsRequestTest."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.delete_topics_request import DeleteTopicsRequest
from kreactor.common.uuid import Uuid

VERSIONS = ApiKeys.DELETE_TOPICS.all_versions()
NAMES = ["topic1", "topic2"]
State = DeleteTopicsRequestData.DeleteTopicState


def build(data: DeleteTopicsRequestData, version: int) -> DeleteTopicsRequest:
    return DeleteTopicsRequest.Builder(data).build_version(version)


def parsed(request: DeleteTopicsRequest) -> DeleteTopicsRequest:
    return DeleteTopicsRequest.parse(request.serialize(), request.version())


@pytest.mark.parametrize("version", VERSIONS)
def test_topic_normalization(version: int) -> None:
    request = build(DeleteTopicsRequestData(topic_names=NAMES), version)
    for each in (request, parsed(request)):
        assert each.topic_names() == NAMES
        if version < 6:
            assert each.data().topic_names == NAMES
        else:
            assert [topic.name for topic in each.data().topics] == NAMES
        assert [topic.name for topic in each.topics()] == NAMES


@pytest.mark.parametrize("version", VERSIONS)
def test_new_topics_field(version: int) -> None:
    request = build(DeleteTopicsRequestData(topics=[State(name=name) for name in NAMES]), version)
    if version >= 6:
        assert request.topic_names() == NAMES
        assert parsed(request).topic_names() == NAMES
    else:
        with pytest.raises(UnsupportedVersionException):
            request.serialize()


@pytest.mark.parametrize("version", VERSIONS)
def test_topic_ids_field(version: int) -> None:
    ids = [Uuid.random_uuid(), Uuid.random_uuid()]
    request = build(DeleteTopicsRequestData(topics=[State(topic_id=topic_id) for topic_id in ids]), version)
    if version >= 6:
        for each in (request, parsed(request)):
            assert each.topic_ids() == ids
            assert [topic.name for topic in each.data().topics] == [None, None]
    else:
        assert request.topic_ids() == []
        with pytest.raises(UnsupportedVersionException):
            request.serialize()


@pytest.mark.parametrize("version", VERSIONS)
def test_delete_topics_request_num_topics(version: int) -> None:
    request = build(DeleteTopicsRequestData(topic_names=NAMES, timeout_ms=1000), version)
    assert request.number_of_topics() == 2
    assert parsed(request).number_of_topics() == 2


@pytest.mark.parametrize("version", VERSIONS)
def test_error_response(version: int) -> None:
    request = build(DeleteTopicsRequestData(topic_names=NAMES), version)
    exception = Errors.TOPIC_DELETION_DISABLED.exception()
    assert exception is not None
    response = request.get_error_response_throttle(9, exception)
    assert response.error_counts() == {Errors.TOPIC_DELETION_DISABLED: 2}
    assert response.throttle_time_ms() == (9 if version >= 1 else 0)
    response.serialize(version)
