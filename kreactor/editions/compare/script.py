# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Scripts: the steps of clients, handlers, the clock and one network thread, one step on each line.

::

    title Three requests in one segment
    set connections.max.idle.ms=1000     # a property of the broker
    a connects                           # or: over TLS; or: from the port of b; or: a to v connect
    a sends 3                            # or: 3 of 100 bytes; or: 3 with acks=0; or: a to v send 1
    a sends bytes 0000000141
    a closes                             # or: resets; or: half-closes
    poll 2                               # or: poll fails
    handlers answer 1                    # at most; all of them without a number; or: handlers close 1
    handlers throttle 1 for 100 ms
    100 ms pass

A client is a lower-case word. A request is an ApiVersions of version 0, or a Produce with acks=0. Its name is
the client's name with a number, as in ``a1``; the number is the correlation id, too. A ``#`` begins a
comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from kreactor.common.kafka_exception import KafkaException

_SUFFIX = ".script"
MAX_REQUEST_BYTES = 30_000
_MAX_COUNT = 10_000
# The size of an ApiVersions request with an empty client id.
MIN_REQUEST_BYTES = 10


class ScriptException(KafkaException):
    """A script cannot be parsed, or a step cannot be run."""


@dataclass(frozen=True)
class Step:
    """One step of a script; a step without text belongs to the line of the previous step."""

    line: int
    text: str


@dataclass(frozen=True)
class Connect(Step):
    """A client connects, from the port of another client if one is named."""

    client: str
    tls: bool = False
    port_of: str | None = None


@dataclass(frozen=True)
class SendRequests(Step):
    """A client sends requests in one segment; ``size`` is in bytes, without the size field."""

    client: str
    count: int
    size: int | None = None
    acks: bool = True


@dataclass(frozen=True)
class SendBytes(Step):
    """A client sends these bytes."""

    client: str
    data: bytes


@dataclass(frozen=True)
class End(Step):
    """A client ends its connection: closes, resets or half-closes."""

    client: str
    how: str


@dataclass(frozen=True)
class Poll(Step):
    """The network thread runs ``count`` rounds; the select of the first round may fail."""

    count: int = 1
    fails: bool = False


@dataclass(frozen=True)
class Handle(Step):
    """The handlers take up to ``count`` requests, or all; they respond, respond with a throttle, or close."""

    how: str
    count: int | None = None
    throttle_ms: int = 0


@dataclass(frozen=True)
class Pass(Step):
    """The clock moves."""

    milliseconds: int


@dataclass(frozen=True)
class Script:
    """A parsed script."""

    name: str
    title: str
    about: str
    properties: Mapping[str, str]
    steps: tuple[Step, ...]

    @property
    def tls(self) -> bool:
        """Return whether the listener uses TLS, because a client does."""
        return any(isinstance(step, Connect) and step.tls for step in self.steps)


def _count(text: str) -> int:
    if not 1 <= int(text) <= _MAX_COUNT:
        raise ValueError(f"{text} is not between 1 and {_MAX_COUNT}")
    return int(text)


def _size(text: str | None) -> int | None:
    if text is not None and not MIN_REQUEST_BYTES <= int(text) <= MAX_REQUEST_BYTES:
        raise ValueError(f"a request has {MIN_REQUEST_BYTES} to {MAX_REQUEST_BYTES} bytes, and not {text}")
    return None if text is None else int(text)


_FORMS: tuple[tuple[str, Callable[..., Mapping[str, Any]], type[Step]], ...] = (
    (r"([a-z]+) connects( over TLS)?(?: from the port of ([a-z]+))?",
     lambda client, tls, other: {"client": client, "tls": bool(tls), "port_of": other}, Connect),
    (r"([a-z]+) sends (\d+)(?: of (\d+) bytes)?( with acks=0)?",
     lambda client, count, size, acks: {
         "client": client, "count": _count(count), "size": _size(size), "acks": not acks}, SendRequests),
    (r"([a-z]+) sends bytes ([0-9a-fA-F ]+)",
     lambda client, digits: {"client": client, "data": bytes.fromhex(digits)}, SendBytes),
    (r"([a-z]+) (closes|resets|half-closes)", lambda client, how: {"client": client, "how": how}, End),
    (r"poll fails", lambda: {"fails": True}, Poll),
    (r"poll(?: (\d+))?", lambda count: {"count": _count(count or "1")}, Poll),
    (r"handlers (answer|close)(?: (\d+))?",
     lambda how, count: {"how": how, "count": _count(count) if count else None}, Handle),
    (r"handlers (throttle)(?: (\d+))? for (\d+) ms",
     lambda how, count, ms: {"how": how, "count": _count(count) if count else None, "throttle_ms": int(ms)},
     Handle),
    (r"(\d+) ms pass", lambda ms: {"milliseconds": int(ms)}, Pass),
)


def read_script(name: str, text: str) -> Script:
    """Parse ``text``. Raises ScriptException, which names the wrong line."""
    title, about = name, []
    properties: dict[str, str] = {}
    steps: list[Step] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = " ".join(raw.partition("#")[0].split())
        word, _, rest = line.partition(" ")
        if not line:
            if raw.startswith("#") and not steps:
                about.append(raw.lstrip("# "))
        elif word == "title":
            title = rest
        elif word == "set":
            key, equals, value = rest.partition("=")
            if not equals:
                raise ScriptException(f"{name}:{number}: set {rest}: there is no =")
            properties[key.strip()] = value.strip()
        else:
            steps += [replace(_read_step(name, number, each), text=line if first else "")
                      for first, each in _each(name, number, line)]
    if not any(isinstance(step, Poll) for step in steps):
        raise ScriptException(f"{name}: no line polls")
    _check_clients(name, steps)
    return Script(name, title, " ".join(about), properties, tuple(steps))


def _each(name: str, number: int, line: str) -> list[tuple[bool, str]]:
    """Yield the line, or one line for each client of "a to v connect", and whether it is the first."""
    found = re.fullmatch(r"([a-z]) to ([a-z]) (connect|send)\b(.*)", line)
    if found is None:
        return [(True, line)]
    first, last = map(ord, found.group(1, 2))
    if first > last:
        raise ScriptException(f"{name}:{number}: {line}: {found[1]} comes after {found[2]}")
    return [(at == first, f"{chr(at)} {found[3]}s{found[4]}") for at in range(first, last + 1)]


def _read_step(name: str, number: int, line: str) -> Step:
    for pattern, read, step in _FORMS:
        found = re.fullmatch(pattern, line)
        if found is not None:
            try:
                return step(number, line, **read(*found.groups()))
            except ValueError as e:
                raise ScriptException(f"{name}:{number}: {line}: {e}") from e
    raise ScriptException(
        f"{name}:{number}: {line}: no step is written so; see `kreactor editions compare --help`")


def _check_clients(name: str, steps: list[Step]) -> None:
    connected: set[str] = set()
    tls = [step.tls for step in steps if isinstance(step, Connect)]
    if len(set(tls)) > 1:
        raise ScriptException(f"{name}: all clients connect over TLS, or none does: there is one listener")
    for step in steps:
        client = getattr(step, "client", None)
        if isinstance(step, Connect):
            if client in connected:
                raise ScriptException(f"{name}:{step.line}: {client} is connected already: use another name")
            if step.port_of is not None and step.port_of not in connected:
                raise ScriptException(f"{name}:{step.line}: {step.port_of} has not connected")
            connected.add(step.client)
        elif client is not None and client not in connected:
            raise ScriptException(f"{name}:{step.line}: {client} has not connected")


def own_scripts() -> list[str]:
    """Return the names of the scripts that come with kreactor."""
    return sorted(file.name.removesuffix(_SUFFIX) for file in _folder().iterdir()
                  if file.name.endswith(_SUFFIX))


def load_script(name_or_path: str) -> Script:
    """Return one of kreactor's scripts by its name, or the script of a file. Raises ScriptException."""
    if name_or_path in own_scripts():
        text = (_folder() / f"{name_or_path}{_SUFFIX}").read_text(encoding="utf-8")
        return read_script(name_or_path, text)
    try:
        return read_script(name_or_path, Path(name_or_path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as e:
        raise ScriptException(
            f"{name_or_path}: {getattr(e, 'strerror', None) or 'not valid UTF-8'}; kreactor has the scripts "
            f"{', '.join(own_scripts())}") from e


def _folder() -> Any:
    return resources.files(__package__) / "scripts"
