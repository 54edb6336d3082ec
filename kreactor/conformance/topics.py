# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Topics that a case creates and deletes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kreactor.conformance.cases import Trial, granted, only
from kreactor.conformance.codec import Malformed
from kreactor.conformance.connection import Connection
from kreactor.conformance.schemas import apis

_NOT_LEADER = 6
_LATEST = -1
# From this version of Metadata on, topics have ids.
_WITH_IDS = 10
_LEADER_NOT_AVAILABLE = 5
_UNKNOWN = 3
_NOT_YET = {0, _UNKNOWN, _LEADER_NOT_AVAILABLE, _NOT_LEADER}
_POLL_S = 0.02


@dataclass(frozen=True)
class Topic:
    """A topic of one partition. ``id`` is zero if the target has no topic ids."""

    name: str
    id: bytes


@contextmanager
def new_topic(trial: Trial, connection: Connection) -> Iterator[Topic]:
    """Create a topic over ``connection``, yield it, and delete it. Raises NotTestable after a refusal.

    The transcript of the connection has these requests only if one of them fails.
    """
    name = trial.prefix + "topic"
    try:
        topic = _create(trial, connection, name)
        connection.transcript.parts.clear()
        connection.transcript.size = 0
        yield topic
    finally:
        trial.clean_up(lambda: _delete(trial, name))


def _create(trial: Trial, connection: Connection, name: str) -> Topic:
    body = {"timeoutMs": 5000, "topics": [{"name": name, "numPartitions": 1, "replicationFactor": 1}]}
    created = only(trial.ask(connection, apis()["CreateTopics"], body)["topics"], "topics of CreateTopics")
    granted("CreateTopics", created["errorCode"])
    deadline = time.monotonic() + trial.target.timeout_s
    version = trial.newest(apis()["Metadata"])
    while True:
        topic = only(trial.ask(connection, apis()["Metadata"], {
            "topics": [{"name": name}], "allowAutoTopicCreation": False})["topics"], "topics of Metadata")
        errors = {topic["errorCode"], *(each["errorCode"] for each in topic["partitions"])}
        if errors == {0} and topic["partitions"]:
            # A broker returns a leader a moment before it leads.
            errors = {_leads(trial, connection, name)}
            if errors == {0}:
                return Topic(name, topic["topicId"] if version >= _WITH_IDS else bytes(16))
        if time.monotonic() > deadline or not errors <= _NOT_YET:
            granted("a request for the new topic", max(errors, default=0))
            raise Malformed("a new topic without partitions")
        trial.pause(_POLL_S)


def _leads(trial: Trial, connection: Connection, name: str) -> int:
    """Return the error of a request that only a leader accepts."""
    body = {"replicaId": -1, "topics": [
        {"name": name, "partitions": [{"partitionIndex": 0, "timestamp": _LATEST}]}]}
    topic = only(trial.ask(connection, apis()["ListOffsets"], body)["topics"], "topics of ListOffsets")
    error: int = only(topic["partitions"], "partitions of ListOffsets")["errorCode"]
    return error


def _delete(trial: Trial, name: str) -> None:
    api = apis()["DeleteTopics"]
    body: dict[str, Any] = {"timeoutMs": 5000}
    body |= {"topics": [{"name": name}]} if trial.newest(api) >= 6 else {"topicNames": [name]}
    with trial.connect() as connection:
        answer = trial.ask(connection, api, body)
        only(answer["responses"], "responses of DeleteTopics")
    trial.transcripts.pop()
