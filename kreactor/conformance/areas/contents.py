# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: the contents of responses, for each body of ``bodies`` to which Kafka 3.8.0 responds.

``contents.json`` has Kafka's responses, without the fields that differ between brokers. ``python -m
kreactor.conformance.areas.contents HOST:PORT`` writes the file, from a Kafka 3.8.0 without SASL.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from kreactor.conformance.areas.bodies import bodies_of
from kreactor.conformance.cases import (
    Case,
    Difference,
    Level,
    Trial,
    answered,
    good,
    is_response_to,
)
from kreactor.conformance.codec import encode, request, response_body
from kreactor.conformance.connection import Ending, NotTestable, Target
from kreactor.conformance.runner import ask_offer
from kreactor.conformance.samples import PREFIX, UNKNOWN_ID, has_sample, sample
from kreactor.conformance.schemas import Api, apis

_PACKAGE, _FILE = "kreactor.conformance", "contents.json"
_ASKED = 5
_POLL_S = 0.05

# A busy controller returns REQUEST_TIMED_OUT. A broker returns COORDINATOR_LOAD_IN_PROGRESS,
# COORDINATOR_NOT_AVAILABLE and NOT_COORDINATOR until it has created its coordinators' topic, which it does at
# the first request for a coordinator.
_NOT_YET = (7, 14, 15, 16)
_KEY_TYPES = (0, 1)
# Kafka 3.8.0 advertises these versions and refuses them with UNSUPPORTED_VERSION, unless a setting enables
# them.
_OF_KIP_848 = ("ConsumerGroupHeartbeat", "ConsumerGroupDescribe")
_UNSUPPORTED_VERSION = 35
# Before version 2 OffsetFetch has no field for the error.
_NO_COORDINATOR: tuple[str, Any] = ("OffsetFetch", {"topics": []})

# Offsets and epochs depend on the metadata log, folders and disks on the host. The advertised versions may
# differ between targets; the area versions checks their consistency.
_LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "ApiVersions": ("apiKeys", "finalizedFeaturesEpoch", "finalizedFeatures", "supportedFeatures",
                    "zkMigrationReady"),
    "DescribeConfigs": ("documentation",),
    "DescribeQuorum": ("leaderEpoch", "highWatermark", "logEndOffset", "lastFetchTimestamp",
                       "lastCaughtUpTimestamp", "replicaDirectoryId"),
    "DescribeLogDirs": ("logDir", "totalBytes", "usableBytes"),
}
# Arrays in random order: Kafka makes them from a map.
_ANY_ORDER = {
    ("AddPartitionsToTxn", "resultsByPartition"), ("AddPartitionsToTxn", "resultsByTopicV3AndBelow"),
    ("AddPartitionsToTxn", "resultsByTransaction"), ("AddPartitionsToTxn", "topicResults"),
    ("AlterReplicaLogDirs", "partitions"), ("AlterReplicaLogDirs", "results"),
    ("AlterUserScramCredentials", "results"), ("CreatePartitions", "results"), ("CreateTopics", "topics"),
    ("DeleteGroups", "results"), ("DeleteRecords", "partitions"), ("DeleteRecords", "topics"),
    ("DeleteTopics", "responses"), ("DescribeConfigs", "configs"), ("DescribeLogDirs", "partitions"),
    ("DescribeLogDirs", "topics"), ("DescribeProducers", "activeProducers"),
    ("DescribeTransactions", "partitions"), ("DescribeTransactions", "topics"),
    ("DescribeUserScramCredentials", "credentialInfos"), ("DescribeUserScramCredentials", "results"),
    ("ElectLeaders", "replicaElectionResults"), ("ListGroups", "groups"),
    ("ListTransactions", "transactionStates"), ("ListTransactions", "unknownStateFilters"),
    ("Metadata", "partitions"), ("Metadata", "topics"), ("Produce", "responses"),
    ("WriteTxnMarkers", "markers"), ("WriteTxnMarkers", "partitions"), ("WriteTxnMarkers", "topics"),
}
# Lists that have other users' objects if a request names none, and the field with the name.
_OF_ALL = {
    ("DescribeClientQuotas", "entries"): "entity", ("DescribeLogDirs", "topics"): "name",
    ("DescribeUserScramCredentials", "results"): "user", ("ElectLeaders", "replicaElectionResults"): "topic",
    ("ListGroups", "groups"): "groupId", ("ListTransactions", "transactionStates"): "transactionalId",
    ("Metadata", "topics"): "name",
}
# Whether the target wants a client's metrics depends on the time of that client's last request.
_OF_CLIENTS_METRICS = {
    # NONE, THROTTLING_QUOTA_EXCEEDED
    "GetTelemetrySubscriptions": (0, 89),
    # UNKNOWN_SUBSCRIPTION_ID, THROTTLING_QUOTA_EXCEEDED, INVALID_REQUEST
    "PushTelemetry": (117, 89, 42),
}
_TELEMETRY, _COORDINATOR = _WORDS = "TELEMETRY", "COORDINATOR"
# The target chooses numbers from these on; lower numbers mean that there is none.
_LOWEST_OF_THE_TARGET = {"port": 0, "nodeId": 0, "controllerId": 0, "producerId": 0, "sessionId": 1}
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIMES = re.compile(r"\[\d+, -?\d+\]")


def cleaned(api: Api, node: Any, key: str = "") -> Any:
    """Return a response as JSON values, without the fields that differ between brokers or runs."""
    name = api.name
    if isinstance(node, dict):
        if "errorCode" in node and node["errorCode"] in _OF_CLIENTS_METRICS.get(name, ()):
            return _TELEMETRY
        # Whether a group has a coordinator depends on earlier requests.
        if name == "FindCoordinator" and node.get("errorCode") in (0, 15):
            return _COORDINATOR
        left_out = _LEFT_OUT.get(name, ())
        return {field: cleaned(api, value, field) for field, value in node.items() if field not in left_out}
    if isinstance(node, (list, tuple)):
        if (name, key) in _OF_ALL:
            field = _OF_ALL[name, key]
            node = [each for each in node if _is_of_the_suite(each[field])]
        values = [cleaned(api, value, key) for value in node]
        return sorted(values, key=repr) if (name, key) in _ANY_ORDER else values
    if isinstance(node, bytes):
        if key == "topicId" and node not in (bytes(16), UNKNOWN_ID):
            return "ID"
        return node.hex()
    if isinstance(node, str):
        if key == "host" and node:
            return "HOST"
        if key == "rack":
            return "RACK"
        if key == "clusterId":
            return "CLUSTER"
        return _TIMES.sub("[TIME, TIME]", _UUID.sub("UUID", node))
    if key == "rack":
        return "RACK"
    lowest = _LOWEST_OF_THE_TARGET.get(key)
    return node if lowest is None or node < lowest else key.upper()


def _is_of_the_suite(name: Any) -> bool:
    """Return whether a name, or each entity of a quota, is empty or belongs to the samples."""
    if isinstance(name, list):
        return all(_is_of_the_suite(entity["entityName"]) for entity in name)
    return not name or str(name).startswith(PREFIX)


class _Contents:
    """One body of one version, and the expected response."""

    def __init__(self, api: Api, version: int, body: bytes, expected: Any) -> None:
        self._api = api
        self._version = version
        self._body = body
        self._expected = expected

    def __call__(self, trial: Trial) -> None:
        if trial.target.sasl is not None:
            raise NotTestable("needs a listener without SASL, like the recorded responses")
        came = settled_answer(trial, self._api, self._version, self._body, self._expected)
        if came != self._expected:
            if self._api.name in _OF_KIP_848 and _serves_kip_848(trial):
                raise NotTestable("needs a broker without the groups of KIP-848, like the responses")
            raise Difference(_shown(self._expected), _shown(came))


def settled_answer(trial: Trial, api: Api, version: int, body: bytes, expected: Any = None) -> Any:
    """Return the response. A transient error that is not ``expected`` repeats the request."""
    deadline = time.monotonic() + trial.target.timeout_s
    while True:
        came = answer_to(trial, api, version, body)
        passes = _may_change(came) or (api.name, came) == _NO_COORDINATOR
        if came == expected or not passes or time.monotonic() > deadline:
            return came
        find_coordinators(trial)
        trial.pause(_POLL_S)


def answer_to(trial: Trial, api: Api, version: int, body: bytes) -> Any:
    """Return the cleaned response, or a text if there is none."""
    with trial.connect() as connection:
        connection.send(request(api, version, _ASKED, body) + good(_ASKED + 1))
        response = connection.receive()
        if isinstance(response, Ending):
            return response.value
        if response[:4] != _ASKED.to_bytes(4, "big"):
            return f"no {answered(_ASKED)}"
        answer = cleaned(api, response_body(api, version, response))
        behind = connection.receive()
        if not is_response_to(behind, _ASKED + 1):
            came = behind.value if isinstance(behind, Ending) else behind[:32].hex(" ")
            return f"{answered(_ASKED)}, then {came} instead of {answered(_ASKED + 1)}"
        connection.check_nothing_came()
    return answer


def _serves_kip_848(trial: Trial) -> bool:
    api = apis()["ConsumerGroupHeartbeat"]
    body = encode(api.request, 0, sample(api, 0))
    answer = answer_to(trial, api, 0, body)
    return isinstance(answer, dict) and answer["errorCode"] != _UNSUPPORTED_VERSION


def find_coordinators(trial: Trial) -> None:
    """Request the coordinators of a group and of a transaction, so that the broker starts them."""
    api = apis()["FindCoordinator"]
    with trial.connect() as connection:
        for key_type in _KEY_TYPES:
            trial.ask(connection, api, {"key": PREFIX, "keyType": key_type},
                      version=min(trial.newest(api), 3))
    trial.transcripts.pop()


def _may_change(answer: Any) -> bool:
    """Return whether a response has a transient error."""
    if isinstance(answer, dict):
        return answer.get("errorCode") in _NOT_YET or any(map(_may_change, answer.values()))
    return isinstance(answer, list) and any(map(_may_change, answer))


def _shown(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, sort_keys=True)


def bodies_with_labels() -> Iterator[tuple[Api, int, str, bytes]]:
    """Yield each body of each version: those of the area bodies, and the valid one."""
    for api in apis().values():
        if "broker" not in api.listeners or not has_sample(api):
            continue
        for version in api.versions:
            yield api, version, "whole", encode(api.request, version, sample(api, version))
            for label, body, _ in bodies_of(api, version):
                yield api, version, label, body


@cache
def recorded() -> Mapping[str, Any]:
    """Return the recorded responses by case id, without the area."""
    text = resources.files(_PACKAGE).joinpath(_FILE).read_text(encoding="utf-8")
    return {f"{api}.v{version}.{label}": answer for answer, of in json.loads(text)
            for api, versions in of.items() for version, labels in versions.items() for label in labels}


def as_file(answers: Mapping[tuple[str, int, str], Any]) -> str:
    """Return the text of ``contents.json``: one line for each response, with the ids of all its cases."""
    lines: dict[str, dict[str, dict[int, list[str]]]] = {}
    for (api, version, label), answer in answers.items():
        of = lines.setdefault(json.dumps(answer, sort_keys=True), {})
        of.setdefault(api, {}).setdefault(version, []).append(label)
    return "[\n" + ",\n".join(f"[{answer}, {json.dumps(of)}]" for answer, of in lines.items()) + "\n]\n"


def cases() -> Iterator[Case]:
    answers = recorded()
    for api, version, label, body in bodies_with_labels():
        id_ = f"{api}.v{version}.{label}"
        if id_ in answers:
            yield Case(f"contents.{id_}",
                       f"{api} version {version} with the body {label} is answered as by Kafka 3.8.0.",
                       Level.MAY, f"KafkaApis, {api}", _Contents(api, version, body, answers[id_]),
                       (api.name, version), default=False)


def _record(host: str, port: int) -> None:
    """Write the responses of a Kafka 3.8.0 to the file."""
    target = Target(host, port)
    trial = Trial(target, ask_offer(target), "conformance-record-")
    answers = {}
    # Kafka serves the APIs of client metrics even while it does not advertise them.
    for api, version, label, body in bodies_with_labels():
        answer = settled_answer(trial, api, version, body)
        trial.transcripts.clear()
        # The area bodies has the requests that close the connection, and those with acks=0.
        if not isinstance(answer, str) or answer in _WORDS:
            answers[api.name, version, label] = answer
    (Path(__file__).parent.parent / _FILE).write_text(as_file(answers), encoding="utf-8")


if __name__ == "__main__":
    _host, _, _port = sys.argv[1].rpartition(":")
    _record(_host, int(_port))
