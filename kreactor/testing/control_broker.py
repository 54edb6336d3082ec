# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The requests that the control port of a broker takes: ``ROUTES``. Any thread calls them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from kreactor import __version__
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.extras import needs
from kreactor.jdk.locks import Lock
from kreactor.testing.broker import Broker, Snapshot
from kreactor.testing.control_json import FAULTS, fault_to_json, record_to_json
from kreactor.testing.control_routes import Query, Refusal, Route, number_from, text_from
from kreactor.testing.faults import Rule
from kreactor.testing.mock_time import MockTime
from kreactor.testing.received import ReceivedRequest
from kreactor.testing.record import MAX_PARTITION, READ_UNCOMMITTED
from kreactor.testing.seeds import SeedTopic, record_of, seeds_of

if TYPE_CHECKING:
    from kreactor.testing.cluster import Cluster

# A long poll ends after this time; then the client sends another one.
_MAX_WAIT_S = 20.0
_MAX_ADVANCE_MS = 100 * 365 * 86_400_000
_CHOICE_FIELDS = ("api", "client_id", "first", "after", "every", "probability")


class DataCommands:
    """Routes that a broker and a cluster both have."""

    def __init__(self, target: Broker | Cluster) -> None:
        self.target = target

    def topics(self, query: Query) -> object:
        return self.target.topics()

    def delete_topic(self, query: Query) -> object:
        self.target.delete_topic(query.names["topic"])
        return {}

    def compact(self, query: Query) -> object:
        self.target.compact(query.names["topic"])
        return {}

    def records(self, query: Query) -> object:
        isolation: Any = query.text("isolation") or READ_UNCOMMITTED
        partition = query.number("partition", 0, MAX_PARTITION)
        found = self.target.records(query.names["topic"], partition, isolation=isolation)
        return [record_to_json(record) for record in found]

    def produce(self, query: Query) -> object:
        records = query.fields().get("records")
        if not isinstance(records, list):
            raise ValueError("records: not a list")
        made = [record_of(record, f"records[{number}]") for number, record in enumerate(records)]
        return [record_to_json(each) for each in self.target.produce_records(query.names["topic"], made)]

    def consume(self, query: Query) -> object:
        fields = query.fields()
        count, partition = fields.get("count"), fields.get("partition")
        isolation: Any = text_from("isolation", fields.get("isolation"), "read_committed")
        timeout_ms = number_from("timeout_ms", fields.get("timeout_ms", 0), 0, int(_MAX_WAIT_S * 1000))
        found = self.target.consume(
            query.names["topic"], None if count is None else number_from("count", count, 0, 1 << 31),
            partition=None if partition is None else number_from("partition", partition, 0, MAX_PARTITION),
            timeout_s=timeout_ms / 1000, isolation=isolation)
        return [record_to_json(record) for record in found]

    def seeds(self, query: Query) -> object:
        self.target.load_topics(seeds_of(query.body, "body"))
        return {}

    def groups(self, query: Query) -> object:
        return {group.id: {"state": group.state, "protocol": group.protocol, "offsets": group.offsets,
                           "members": [member.__dict__ for member in group.members]}
                for group in self.target.groups().values()}

    def requests(self, query: Query) -> object:
        with_payload = query.text("payload") == "true"
        return [_request_to_json(each, with_payload)
                for each in self.target.requests(query.text("client_id"), query.text("api"))]

    def time(self, query: Query) -> object:
        return {"now_ms": self.target.time.milliseconds(), "mock": isinstance(self.target.time, MockTime)}

    def advance(self, query: Query) -> object:
        fields = query.fields()
        clock = self.target.time
        if not isinstance(clock, MockTime):
            raise IllegalStateException("the broker uses the real time; give it a clock of its own")
        clock.advance(number_from("advance_ms", fields.get("advance_ms"), 0, _MAX_ADVANCE_MS))
        return self.time(query)


class Commands(DataCommands):
    """Routes of a single broker."""

    def __init__(self, broker: Broker, is_closing: Callable[[], bool]) -> None:
        """``is_closing`` returns whether the port closes, which ends waiting requests."""
        super().__init__(broker)
        self.broker = broker
        self._is_closing = is_closing
        self._snapshots: dict[str, Snapshot] = {}
        self._rules: dict[str, Rule] = {}
        # Guards the snapshots and the rules.
        self._lock = Lock()

    def close(self) -> None:
        """Wake the requests that wait for a change."""
        self.broker._requests.changed()

    def healthz(self, query: Query) -> object:
        if not self.broker.is_running():
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "NotRunning", "the broker does not run")
        return {"status": "running"}

    def metrics(self, query: Query) -> object:
        server = self.broker.server()
        try:
            from kreactor.embedded.prometheus import exposition
        except ImportError:
            raise Refusal(HTTPStatus.NOT_IMPLEMENTED, "NotInstalled",
                          needs("the page of metrics", "metrics")) from None
        return exposition(server)

    def facts(self, query: Query) -> object:
        broker = self.broker
        bootstrap_servers = port = None
        # A broker that has never started has no port.
        with suppress(IllegalStateException):
            bootstrap_servers, port = broker.bootstrap_servers, broker.port
        return {"running": broker.is_running(), "bootstrap_servers": bootstrap_servers,
                "host": broker.host, "port": port, "folder": broker.folder, "version": __version__}

    def state(self, query: Query) -> object:
        state = self.broker.state()
        return f"{state}\n" if query.text("format") == "text" else state

    def threads(self, query: Query) -> object:
        from kreactor.testing.state import threads

        return threads()

    def start(self, query: Query) -> object:
        self.broker.start()
        return self.facts(query)

    def stop(self, query: Query) -> object:
        drain_ms = query.fields().get("drain_ms", 2_000)
        self.broker.stop(number_from("drain_ms", drain_ms, 0, 3_600_000))
        return self.facts(query)

    def kill(self, query: Query) -> object:
        self.broker.kill()
        return self.facts(query)

    def restart(self, query: Query) -> object:
        self.broker.restart()
        return self.facts(query)

    def pause(self, query: Query) -> object:
        self.broker.pause()
        return {}

    def resume(self, query: Query) -> object:
        self.broker.resume()
        return {}

    def reset(self, query: Query) -> object:
        self.broker.reset()
        with self._lock:
            self._rules.clear()
        return {}

    def create_topic(self, query: Query) -> object:
        fields = query.fields()
        topic = topic_of(fields)
        self.broker.create_topic(topic.name, topic.partitions, topic.configs)
        return {}

    def forget_requests(self, query: Query) -> object:
        self.broker.forget_requests()
        return {}

    def changes(self, query: Query) -> object:
        """Wait until there are more changes than ``after``; return the number of changes."""
        after = query.number("after", 0, 1 << 62) or 0
        timeout_ms = query.number("timeout_ms", 0, 1 << 31) or 0
        requests = self.broker._requests
        try:
            requests.wait_for(lambda: requests.changes() != after or self._is_closing(),
                              min(timeout_ms / 1000, _MAX_WAIT_S))
        except TimeoutError:
            pass
        return {"changes": requests.changes()}

    def connections(self, query: Query) -> object:
        return self.broker.connections()

    def disconnect(self, query: Query) -> object:
        self.broker.disconnect(query.text("client_id"))
        return {}

    def all_faults(self, query: Query) -> object:
        with self._lock:
            return {id: _rule_to_json(rule) for id, rule in self._rules.items()}

    def add_fault(self, query: Query) -> object:
        fields = dict(query.fields())
        kind = FAULTS.get(text_from("fault", fields.pop("fault", None)) or "")
        if kind is None:
            raise ValueError(f"fault: must be one of {', '.join(FAULTS)}")
        choice = {name: fields.pop(name) for name in _CHOICE_FIELDS if name in fields}
        _check_fault(fields, choice)
        try:
            fault = kind(**fields)
        except TypeError:
            names = ", ".join(getattr(kind, "__dataclass_fields__"))
            raise ValueError(f"{kind.__name__} takes {names or 'nothing'}") from None
        rule = self.broker.faults.add(fault, **choice)
        with self._lock:
            id = str(len(self._rules) + 1)
            self._rules[id] = rule
        return {"id": id}

    def fault(self, query: Query) -> object:
        return _rule_to_json(self._rule(query.names["id"]))

    def remove_fault(self, query: Query) -> object:
        rule = self._rule(query.names["id"])
        rule.remove()
        return _rule_to_json(rule)

    def remove_faults(self, query: Query) -> object:
        self.broker.faults.clear()
        with self._lock:
            self._rules.clear()
        return {}

    def _rule(self, id: str) -> Rule:
        with self._lock:
            rule = self._rules.get(id)
        if rule is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "NotFound", f"there is no fault {id}")
        return rule

    def snapshot(self, query: Query) -> object:
        snapshot = self.broker.snapshot()
        with self._lock:
            id = str(len(self._snapshots) + 1)
            self._snapshots[id] = snapshot
        return {"id": id}

    def restore(self, query: Query) -> object:
        with self._lock:
            snapshot = self._snapshots.get(query.names["id"])
        if snapshot is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "NotFound", f"there is no snapshot {query.names['id']}")
        self.broker.restore(snapshot)
        return self.facts(query)


_RECORD = ("a value, or an object with key or key_base64; value, value_base64 or json; headers; partition; "
           "timestamp_ms")

# Routes of both a broker and a cluster.
DATA_ROUTES = (
    Route("GET", "/topics", "End offsets by topic and partition", DataCommands.topics),
    Route("DELETE", "/topics/{topic}", "Delete a topic", DataCommands.delete_topic),
    Route("POST", "/topics/{topic}/compact", "Compact a topic now", DataCommands.compact),
    Route("GET", "/topics/{topic}/records", "The records of a topic", DataCommands.records,
          ("partition", "isolation")),
    Route("POST", "/topics/{topic}/records", f"Append records, each {_RECORD}", DataCommands.produce,
          body={"records": "array"}),
    Route("POST", "/topics/{topic}/consume", "The records that no earlier call has returned",
          DataCommands.consume, body={
              "count": "integer", "partition": "integer", "timeout_ms": "integer", "isolation": "string"}),
    Route("POST", "/seeds", "Create topics and append records, as a file of seeds says",
          DataCommands.seeds, body={"topics": "object"}),
    Route("GET", "/groups", "Groups with their members and the offsets that they have committed",
          DataCommands.groups),
    Route("GET", "/requests", "The requests that arrived", DataCommands.requests,
          ("client_id", "api", "payload")),
    Route("GET", "/time", "The broker's time", DataCommands.time),
    Route("POST", "/time", "Move the clock of a broker that has one of its own", DataCommands.advance,
          body={"advance_ms": "integer"}),
)

ROUTES = (
    Route("GET", "/healthz", "Whether the broker runs: 200 or 503", Commands.healthz),
    Route("GET", "/metrics", "The broker's metrics, in the text format of Prometheus", Commands.metrics),
    Route("GET", "/broker", "Where the broker is, and whether it runs", Commands.facts),
    Route("GET", "/state", "The threads, queues, channels, memory pool and purgatories of the broker",
          Commands.state, ("format",)),
    Route("GET", "/threads", "The threads of the broker's process, each with its place and its request",
          Commands.threads),
    Route("POST", "/start", "Start after a stop or a kill, with the same port and data", Commands.start),
    Route("POST", "/stop", "Stop in order", Commands.stop, body={"drain_ms": "integer"}),
    Route("POST", "/kill", "Stop as by kill -9: connections are reset, nothing is flushed", Commands.kill),
    Route("POST", "/restart", "Stop if it runs, and start", Commands.restart),
    Route("POST", "/pause", "Accept, read and write nothing until /resume", Commands.pause),
    Route("POST", "/resume", "End a pause", Commands.resume),
    Route("POST", "/reset", "Be as after the first start: no records, groups, requests or faults",
          Commands.reset),
    Route("POST", "/topics", "Create a topic", Commands.create_topic,
          body={"name": "string", "partitions": "integer", "configs": "object"}),
    Route("DELETE", "/requests", "Forget the requests that arrived", Commands.forget_requests),
    Route("GET", "/changes", "How many changes there were; waits for one after the given number",
          Commands.changes, ("after", "timeout_ms")),
    Route("GET", "/connections", "The client ids of open connections", Commands.connections),
    Route("DELETE", "/connections", "Close the connections of a client, or all", Commands.disconnect,
          ("client_id",)),
    Route("GET", "/faults", "The faults, each with its number of hits", Commands.all_faults),
    Route("POST", "/faults", f"Add a fault, one of {', '.join(FAULTS)}", Commands.add_fault, body={
        "fault": "string", "ms": "integer", "handled": "boolean", "error": "string", "size": "integer",
        "pause_ms": "integer", "api": "string", "client_id": "string", "first": "integer",
        "after": "integer", "every": "integer", "probability": "number"}),
    Route("DELETE", "/faults", "Remove all faults", Commands.remove_faults),
    Route("GET", "/faults/{id}", "A fault with its number of hits", Commands.fault),
    Route("DELETE", "/faults/{id}", "Remove a fault; it can still be asked for its hits",
          Commands.remove_fault),
    Route("POST", "/snapshots", "Copy the data folder", Commands.snapshot),
    Route("POST", "/snapshots/{id}/restore", "Go back to a snapshot", Commands.restore),
    *DATA_ROUTES,
)


# -- JSON ------------------------------------------------------------------------------------------


def topic_of(fields: dict[str, Any]) -> SeedTopic:
    """Return the topic that a body's fields name. Raises ValueError."""
    topic, = seeds_of({"topics": {fields.pop("name", None): fields}}, "body")
    return topic


def _request_to_json(received: ReceivedRequest, with_payload: bool) -> dict[str, Any]:
    answer = received.answer
    made: dict[str, Any] = {
        "api": received.api, "version": received.version, "client_id": received.client_id,
        "connection_id": received.connection_id, "time_ms": received.time_ms, "size": received.size,
        "answer": None if answer is None else answer._asdict(),
        "faults": [fault_to_json(fault) for fault in received.faults]}
    if with_payload:
        made["payload_base64"] = base64.b64encode(received._payload).decode()
    return made


def _rule_to_json(rule: Rule) -> dict[str, Any]:
    return {**fault_to_json(rule.fault), "hits": rule.hits}


def _check_fault(fields: Mapping[str, Any], choice: Mapping[str, Any]) -> None:
    for name in ("ms", "size", "pause_ms", "first", "after", "every"):
        value = {**fields, **choice}.get(name, 0)
        if not (name == "first" and value is None):
            number_from(name, value, 0, 1 << 40)
    if not isinstance(fields.get("handled", True), bool):
        raise ValueError("handled: not true or false")
    if not isinstance(fields.get("error", ""), str):
        raise ValueError("error: not the name of an error of Kafka")
    text_from("client_id", choice.get("client_id"))
    apis = choice.get("api") or ""
    if not isinstance(apis, str) and not (
            isinstance(apis, list) and all(isinstance(each, str) for each in apis)):
        raise ValueError("api: neither a name nor a list of names")
    probability = choice.get("probability", 1)
    if not isinstance(probability, (int, float)) or isinstance(probability, bool):
        raise ValueError("probability: not a number from 0 to 1")
