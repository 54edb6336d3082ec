# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``Broker`` for a broker in another process: a child process, or any process with a control port.

Every call is an HTTP request to ``kreactor.testing.control``. Calls that need the broker's own process are
refused: ``server()``, and predicates for faults. The child process of ``ProcessBroker`` ends when its
standard input is closed, so it ends with its parent, in whatever way the parent ends.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import ApiException
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.floor import Floor
from kreactor.jdk.locks import Lock
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.secure_random import random_bytes
from kreactor.jdk.threads import Thread
from kreactor.testing.addresses import HOST
from kreactor.testing.broker import Broker, Snapshot
from kreactor.testing.control_json import (
    fault_from_json,
    fault_to_json,
    new_record_to_json,
    record_from_json,
)
from kreactor.testing.faults import Fault, Faults, Rule, api_key
from kreactor.testing.json_text import json_of, parse_json, utf8_of
from kreactor.testing.mock_time import MockTime
from kreactor.testing.received import Answer, ReceivedRequest
from kreactor.testing.record import Isolation, NewRecord, Record, check_count, check_isolation

if TYPE_CHECKING:
    from kreactor.testing.groups import Group
    from kreactor.testing.holds import Hold
    from kreactor.testing.instrumented_server import InstrumentedServer
    from kreactor.testing.seeds import SeedTopic
    from kreactor.testing.state import State

T = TypeVar("T")

# The slowest call is a stop, which waits for its requests.
_TIMEOUT_S = 120.0
_START_S = 60.0
_POLL_MS = 1000
_LOOK_AGAIN_MS = 20


class Connection:
    """Sends requests to a control port. Concurrent threads have a connection each; one connection is kept."""

    def __init__(self, url: str, token: str | None) -> None:
        """Raises ValueError if ``url`` is not an HTTP address."""
        parts = urlsplit(url)
        if parts.scheme != "http" or parts.hostname is None or parts.port is None or parts.path.strip("/"):
            raise ValueError(f"{url}: not an address such as http://127.0.0.1:8080")
        self._host, self._port = parts.hostname, parts.port
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._lock = Lock()
        # Guarded by the lock.
        self._idle: http.client.HTTPConnection | None = None
        self._is_closed = False

    def ask(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        """Return the broker's answer. Raises the broker's exception, or OSError."""
        query = urlencode({name: utf8_of(value, name) if isinstance(value, str) else json_of(value, name)
                           for name, value in parameters.items() if value is not None})
        data = None if body is None else _body(body)
        headers = self._headers if data is None else {**self._headers, "Content-Type": "application/json"}
        with self._lock:
            connection, self._idle = self._idle, None
        is_used = connection is not None
        if connection is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=_TIMEOUT_S)
        try:
            while True:
                try:
                    connection.request(method, f"{path}?{query}" if query else path, data, headers)
                    response = connection.getresponse()
                    answer = parse_json(response.read(), "the answer")
                    break
                except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                    # The port closes idle connections. It has not handled the request then, so the request is
                    # repeated.
                    if not is_used:
                        raise
                    is_used = False
                    connection.close()
        # An answer that is not JSON comes from another kind of server.
        except (http.client.HTTPException, ValueError) as e:
            connection.close()
            raise OSError(f"the control port: {e!r}") from e
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if self._idle is None and not self._is_closed:
                self._idle, connection = connection, None
        if connection is not None:
            connection.close()
        if response.status != 200:
            _raise(answer if isinstance(answer, dict) else {})
        return answer

    def close(self) -> None:
        """Close the kept connection. Later requests keep none."""
        with self._lock:
            self._is_closed = True
            connection, self._idle = self._idle, None
        if connection is not None:
            connection.close()


def _body(body: object) -> str:
    """Return a body as JSON. Raises ValueError, which names the field that JSON cannot hold."""
    try:
        return json.dumps(body, allow_nan=False)
    except (RecursionError, TypeError, ValueError):
        for name, value in body.items() if isinstance(body, dict) else ():
            json_of(value, name)
        raise


def _raise(answer: Mapping[str, str]) -> NoReturn:
    error, message = answer.get("error", ""), answer.get("message", "")
    if error in Errors.__members__:
        raise Errors[error].exception(message) or ApiException(message)
    kinds: dict[str, type[Exception]] = {
        "IllegalStateException": IllegalStateException, "TimeoutError": TimeoutError,
        "ValueError": ValueError, "ConfigException": ConfigException}
    raise kinds.get(error, OSError)(message)


class RemoteBroker(Broker):
    """A broker whose control port is at ``url``. ``close`` leaves the broker as it is."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """Raises ValueError for a bad address, OSError if nothing listens there."""
        super().__init__()
        self._connect(url, token)

    def _connect(self, url: str, token: str | None) -> None:
        self._connection = Connection(url, token)
        self.faults = RemoteFaults(self._ask)
        try:
            self._set_facts(self._ask("GET", "/broker"))
        except BaseException:
            self._connection.close()
            raise

    def _set_facts(self, facts: Mapping[str, Any]) -> None:
        self._address = None if facts["port"] is None else (facts["host"], facts["port"])
        self._remote_folder: str | None = facts["folder"]

    def _ask(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        return self._connection.ask(method, path, body, **parameters)

    # -- life --------------------------------------------------------------------------------------

    def start(self) -> Broker:
        self._set_facts(self._ask("POST", "/start"))
        return self

    def stop(self, drain_ms: int = 2_000) -> None:
        self._ask("POST", "/stop", {"drain_ms": drain_ms})

    def kill(self) -> None:
        self._ask("POST", "/kill")

    def restart(self) -> None:
        self._set_facts(self._ask("POST", "/restart"))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Broker:
        return self

    def pause(self) -> None:
        self._ask("POST", "/pause")

    def resume(self) -> None:
        self._ask("POST", "/resume")

    @property
    def folder(self) -> str | None:
        return self._remote_folder

    def is_running(self) -> bool:
        return bool(self._ask("GET", "/broker")["running"])

    def server(self) -> InstrumentedServer:
        raise IllegalStateException("the broker runs in another process: its objects are not here")

    def state(self) -> State:
        from kreactor.testing.state import State

        return State(self._ask("GET", "/state"))

    def hold(self, point: str, *, thread: str | None = None) -> Hold:
        raise IllegalStateException("the broker runs in another process: hold its threads there")

    def port_of(self, listener: str) -> int:
        raise IllegalStateException("the broker runs in another process: use bootstrap_servers")

    def reset(self) -> None:
        self._ask("POST", "/reset")

    def snapshot(self) -> Snapshot:
        return _RemoteSnapshot(self._ask("POST", "/snapshots")["id"])

    def restore(self, snapshot: Snapshot) -> None:
        if not isinstance(snapshot, _RemoteSnapshot):
            raise ValueError("the snapshot is not of this broker")
        self._set_facts(self._ask("POST", f"/snapshots/{snapshot.id}/restore"))

    # -- what arrived ------------------------------------------------------------------------------

    def requests(self, client_id: str | None = None, api: ApiKeys | str | None = None
                 ) -> list[ReceivedRequest]:
        name = None if api is None else api_key(api).name
        return [_RemoteRequest(each) for each in self._ask(
            "GET", "/requests", client_id=client_id, api=name, payload="true")]

    def forget_requests(self) -> None:
        self._ask("DELETE", "/requests")

    def connections(self) -> dict[str, str | None]:
        found: dict[str, str | None] = self._ask("GET", "/connections")
        return found

    def disconnect(self, client_id: str | None = None) -> None:
        self._ask("DELETE", "/connections", client_id=client_id)

    def wait_for(self, predicate: Callable[[], T], timeout_s: float = 10.0) -> T:
        return self._wait(predicate, timeout_s, _POLL_MS)

    def _wait_for_records(self, predicate: Callable[[], T], timeout_s: float) -> T:
        return self._wait(predicate, timeout_s, _LOOK_AGAIN_MS)

    def _wait(self, predicate: Callable[[], T], timeout_s: float, poll_ms: int) -> T:
        deadline = Clock.seconds() + timeout_s
        while True:
            result, seen, left_ms = self._evaluate(predicate, timeout_s, deadline)
            if result:
                return result
            self._changes(min(left_ms, poll_ms), seen)

    async def wait_for_async(self, predicate: Callable[[], T], timeout_s: float = 10.0) -> T:
        deadline = Clock.seconds() + timeout_s
        while True:
            result, seen, left_ms = self._evaluate(predicate, timeout_s, deadline)
            if result:
                return result
            await asyncio.to_thread(self._changes, min(left_ms, _POLL_MS), seen)

    def _evaluate(self, predicate: Callable[[], T], timeout_s: float, deadline: float) -> tuple[T, int, int]:
        """Return the result of ``predicate``, the number of changes before it, and the remaining
        milliseconds.

        Raises TimeoutError if the result is false and no time is left.
        """
        seen = self._changes(0)
        result = predicate()
        left_ms = int(1000 * (deadline - Clock.seconds()))
        if not result and left_ms <= 0:
            raise TimeoutError(f"not within {timeout_s} s; the last requests: {self.requests()[-10:]}")
        return result, seen, left_ms

    def _changes(self, timeout_ms: int, after: int | None = None) -> int:
        changes: int = self._ask("GET", "/changes", after=after, timeout_ms=timeout_ms)["changes"]
        return changes

    # -- topics and records ------------------------------------------------------------------------

    def create_topic(self, name: str, partitions: int | None = None,
                     configs: Mapping[str, object] | None = None) -> None:
        self._ask("POST", "/topics", {"name": name, "partitions": partitions, "configs": {
            key: str(value) for key, value in (configs or {}).items()}})

    def delete_topic(self, name: str) -> None:
        self._ask("DELETE", _topic_path(name))

    def compact(self, topic: str) -> None:
        self._ask("POST", _topic_path(topic, "compact"))

    def topics(self) -> dict[str, dict[int, int]]:
        return {name: {int(partition): offset for partition, offset in partitions.items()}
                for name, partitions in self._ask("GET", "/topics").items()}

    def end_offsets(self, topic: str) -> dict[int, int]:
        found = self.topics().get(topic)
        if found is None:
            raise Errors.UNKNOWN_TOPIC_OR_PARTITION.exception(f"There is no topic {topic}") or ApiException()
        return found

    def produce_records(self, topic: str, records: Sequence[tuple[int | None, NewRecord]]) -> list[Record]:
        if not records:
            return []
        return _records(self._ask("POST", _topic_path(topic, "records"), {
            "records": [new_record_to_json(*each) for each in records]}))

    def consume(self, topic: str, count: int | None = None, *, partition: int | None = None,
                timeout_s: float = 10.0, isolation: Isolation = "read_committed") -> list[Record]:
        check_isolation(isolation)
        check_count(count)
        deadline = Clock.seconds() + timeout_s
        while True:
            left_ms = max(0, int(1000 * (deadline - Clock.seconds())))
            try:
                return _records(self._ask("POST", _topic_path(topic, "consume"), {
                    "count": count, "partition": partition, "timeout_ms": min(left_ms, _POLL_MS),
                    "isolation": isolation}))
            except TimeoutError as e:
                if left_ms <= 0:
                    raise TimeoutError(f"{str(e).partition(' after')[0]} after {timeout_s} s, "
                                       f"not {count}") from None

    def records(self, topic: str, partition: int | None = None, *,
                isolation: Isolation = "read_uncommitted") -> list[Record]:
        return _records(self._ask("GET", _topic_path(topic, "records"), partition=partition,
                                  isolation=isolation))

    def load_topics(self, topics: Iterable[SeedTopic]) -> None:
        self._ask("POST", "/seeds", {"topics": {topic.name: {
            "partitions": topic.partitions,
            "configs": {key: str(each) for key, each in topic.configs.items()},
            "records": [new_record_to_json(*each) for each in topic.records]} for topic in topics}})

    def groups(self) -> dict[str, Group]:
        from kreactor.testing.groups import Group, Member

        def numbers(topics: Mapping[str, Mapping[str, int]]) -> dict[str, dict[int, int]]:
            return {topic: {int(partition): offset for partition, offset in partitions.items()}
                    for topic, partitions in topics.items()}

        return {id: Group(id, group["state"], group["protocol"],
                          [Member(**member) for member in group["members"]], numbers(group["offsets"]))
                for id, group in self._ask("GET", "/groups").items()}


class _RemoteSnapshot(Snapshot):
    def __init__(self, id: str) -> None:
        self.id = id


class ProcessBroker(RemoteBroker):
    """The result of ``Broker(process=True)``: a broker in a child process.

    The process ends with this object.
    """

    def __init__(self, **arguments: Any) -> None:
        """Store the arguments, which are those of ``Broker``; nothing is started yet.

        Raises as ``Broker``.
        """
        arguments.pop("process", None)
        # Checks the arguments before a process is started.
        Broker.__init__(self, **arguments)
        self._arguments = arguments
        self._child: subprocess.Popen[str] | None = None

    def forget_in_child(self) -> None:
        super().forget_in_child()
        child, self._child = self._child, None
        if child is not None:
            # Inherited copies of the descriptors would keep the broker running after the parent's end.
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    with suppress(OSError):
                        Floor.os.close(stream.fileno())

    def start(self) -> Broker:
        with self._lock:
            if self._child is not None:
                return super().start()
            token = random_bytes(32).hex()
            arguments = {name: value for name, value in self._arguments.items() if name != "time"}
            arguments["topics"] = self._topics
            arguments["properties"] = {name: str(value)
                                       for name, value in (arguments.get("properties") or {}).items()}
            clock = self.time if isinstance(self.time, MockTime) else None
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            # A Ctrl-C at the terminal signals only the parent, which then ends the child.
            self._child = subprocess.Popen(
                [sys.executable, "-m", "kreactor.testing.child"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment)
            try:
                self._start_child_broker(json.dumps({
                    "arguments": arguments, "token": token,
                    "now_ms": None if clock is None else clock.milliseconds()}), token)
            except BaseException:
                self.close()
                raise
            if clock is not None:
                clock.add_listener(self._move)
        return self

    def _start_child_broker(self, text: str, token: str) -> None:
        child = self._child
        assert child is not None and child.stdin is not None and child.stdout is not None
        try:
            child.stdin.write(text + "\n")
            child.stdin.flush()
        except OSError:
            pass  # the child has ended; the error is raised below
        line = _read_line(child.stdout)
        if not line:
            raise IllegalStateException(f"the broker's process ended with status {child.wait()}")
        told = json.loads(line)
        if "error" in told:
            _raise(told)
        self._connect(f"http://{HOST}:{told['control_port']}", token)
        if told["tls"] is not None:
            from kreactor.testing.tls import ClientFiles

            paths = dict(told["tls"])
            client_keystore = paths.pop("client_keystore")
            files = ClientFiles(paths["ca"], paths["certificate"], paths["key"])
            self._tls: Any = SimpleNamespace(
                **paths, client_keystore=lambda: client_keystore,
                ssl_context=lambda client_certificate=True: (
                    files if client_certificate else ClientFiles(files.ca)).ssl_context())

    def _move(self) -> None:
        now_ms = self._ask("GET", "/time")["now_ms"]
        self._ask("POST", "/time", {"advance_ms": max(0, self.time.milliseconds() - now_ms)})

    def _ask(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        if self._child is None:
            raise IllegalStateException("the broker does not run")
        return super()._ask(method, path, body, **parameters)

    def is_running(self) -> bool:
        return self._child is not None and super().is_running()

    def stop(self, drain_ms: int = 2_000) -> None:
        if self._child is not None:
            super().stop(drain_ms)

    def restart(self) -> None:
        with self._lock:
            if self._child is None:
                self.start()
            else:
                super().restart()

    @property
    def folder(self) -> str | None:
        return None if self._child is None else self._remote_folder

    def pid(self) -> int:
        """Return the id of the broker's process. Raises IllegalStateException if it does not run."""
        if self._child is None:
            raise IllegalStateException("the broker does not run")
        return self._child.pid

    def close(self) -> None:
        with self._lock:
            child, self._child = self._child, None
            if isinstance(self.time, MockTime):
                self.time.remove_listener(self._move)
            connection = self.__dict__.get("_connection")
            if connection is not None:
                connection.close()
            if child is None:
                return
            assert child.stdin is not None and child.stdout is not None
            with suppress(OSError):
                child.stdin.close()
            # Popen.wait with a time limit reads a clock of its own.
            waiting = Thread(target=child.wait, daemon=True)
            waiting.start()
            waiting.join(_START_S)
            if waiting.is_alive():
                child.kill()
                waiting.join()
            child.stdout.close()
            self._tls = None

    def __enter__(self) -> Broker:
        return self.start()


def _read_line(stream: IO[str]) -> str:
    """Return the first line, or an empty string if none comes within the time limit of a start."""
    lines: list[str] = []
    thread = Thread(target=lambda: lines.append(stream.readline()), daemon=True)
    thread.start()
    thread.join(_START_S)
    return lines[0] if lines else ""


class RemoteFaults(Faults):
    """The faults of a broker in another process."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        super().__init__(0)
        self._ask = ask

    def add(self, fault: Fault, *, api: ApiKeys | str | Iterable[ApiKeys | str] | None = None,
            client_id: str | None = None, first: int | None = None, after: int = 0, every: int = 1,
            when: Callable[[ReceivedRequest], object] | None = None, probability: float = 1.0) -> Rule:
        """As Faults.add. Also raises ValueError for a predicate."""
        if when is not None:
            raise ValueError("when: a predicate cannot be sent to the broker's process; use api, "
                             "client_id, first, after, every and probability")
        apis = None
        if api is not None:
            apis = [api_key(each).name for each in ([api] if isinstance(api, (str, ApiKeys)) else api)]
        id = self._ask("POST", "/faults", {
            **fault_to_json(fault), "api": apis, "client_id": client_id, "first": first, "after": after,
            "every": every, "probability": probability})["id"]
        return _RemoteRule(self._ask, id, fault)

    def clear(self) -> None:
        self._ask("DELETE", "/faults")


class _RemoteRule(Rule):
    def __init__(self, ask: Callable[..., Any], id: str, fault: Fault) -> None:
        self._ask = ask
        self._id = id
        self.fault = fault

    @property
    def hits(self) -> int:  # type: ignore[override]
        hits: int = self._ask("GET", f"/faults/{self._id}")["hits"]
        return hits

    def remove(self) -> None:
        self._ask("DELETE", f"/faults/{self._id}")


class _RemoteRequest(ReceivedRequest):
    """A request that the broker's process has reported. This process decodes it."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        from kreactor.common.requests.request_header import RequestHeader

        self._payload = base64.b64decode(told["payload_base64"])
        self._body = None
        buffer = ByteBuffer.wrap(bytearray(self._payload))
        self._header = RequestHeader.parse(buffer)
        self._body_offset = buffer.position()
        self.api_key = self._header.api_key()
        self.version = told["version"]
        self.client_id = told["client_id"]
        self.connection_id = told["connection_id"]
        self.time_ms = told["time_ms"]
        answer = told["answer"]
        self.answer = None if answer is None else Answer(**{**answer, "errors": tuple(answer["errors"])})
        self.faults = tuple(fault_from_json(each) for each in told["faults"])

    @property
    def header(self) -> Any:
        return self._header

    @cached_property
    def body(self) -> Any:
        """The decoded body, an object of ``kreactor.common.message``."""
        from kreactor.common.requests.abstract_request import AbstractRequest

        buffer = ByteBuffer.wrap(bytearray(self._payload))
        buffer.set_position(self._body_offset)
        return AbstractRequest.parse_request(self.api_key, self.version, buffer).request.data()


def _records(told: Sequence[Mapping[str, Any]]) -> list[Record]:
    return [record_from_json(each) for each in told]


def _topic_path(topic: str, *rest: str) -> str:
    return "/".join(("/topics", quote(topic, safe=""), *rest))
