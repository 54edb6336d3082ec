# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DeleteTopicsRequestWithDeletionDisabledTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""No topic is deleted where deletion is switched off."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.broker_requests import ask
from tests.core.server.brokers import new_broker


def test_delete_records_request(tmp_path: Path) -> None:
    """It is topics that are to be deleted: the name is Kafka's."""
    with new_broker(tmp_path, {"delete.topic.enable": "false"}) as broker:
        state = DeleteTopicsRequestData.DeleteTopicState(name="topic-1")
        for version, data, error in (
                (ApiKeys.DELETE_TOPICS.latest_version(), DeleteTopicsRequestData(
                    timeout_ms=60_000, topics=[state]), Errors.TOPIC_DELETION_DISABLED),
                (2, DeleteTopicsRequestData(timeout_ms=60_000, topic_names=["topic-1"]),
                 Errors.INVALID_REQUEST)):
            result, = ask(broker, ApiKeys.DELETE_TOPICS, version, data).responses
            assert (result.name, result.error_code) == ("topic-1", error.code)
