# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Routes of a control port, their input and their errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from kreactor.common.errors import ApiException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.protocol.errors import Errors
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.loggers import get_logger
from kreactor.testing.json_text import shown, utf8_of

log = get_logger(__name__)

# The message of an error may contain a value of the request, of any length.
_MAX_MESSAGE = 1000


class Refusal(Exception):
    """A request that gets an error. ``error`` is its name for programs, the message is for people."""

    def __init__(self, status: HTTPStatus, error: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error = error


class Query:
    """The input of a request: the names in its path, its parameters, its body, and the allowed fields."""

    def __init__(self, names: Mapping[str, str], parameters: Mapping[str, str], body: Any,
                 known: Collection[str]) -> None:
        self.names = names
        self.body = body
        self._parameters = parameters
        self._known = known

    def text(self, name: str) -> str | None:
        """Return a parameter, None if it is absent."""
        return self._parameters.get(name)

    def number(self, name: str, lowest: int, highest: int) -> int | None:
        """Return a parameter as a number in a range, None if it is absent. Raises ValueError."""
        text = self._parameters.get(name)
        if text is None:
            return None
        # A longer text is out of every range.
        is_number = re.fullmatch(r"-?[0-9]{1,20}", text) is not None
        return number_from(name, int(text) if is_number else text, lowest, highest)

    def fields(self) -> dict[str, Any]:
        """Return the body's fields. Raises ValueError if the body is not an object or has unknown fields."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise ValueError(f"the body is not an object with {', '.join(self._known) or 'no fields'}")
        for name in self.body:
            if name not in self._known:
                raise ValueError(f"{shown(name)} is not one of {', '.join(self._known) or 'no fields'}")
        return self.body


class Route(NamedTuple):
    """A method, a path with names in braces, a summary, a handler, its parameters, and the body's fields."""

    method: str
    path: str
    summary: str
    handle: Callable[[Any, Query], object]
    parameters: tuple[str, ...] = ()
    body: Mapping[str, str] | None = None
    # The operation's id in OpenAPI; None for the name of the handler.
    name: str | None = None


def number_from(name: str, value: object, lowest: int, highest: int) -> int:
    """Return ``value`` as a number in a range. Raises ValueError, which names the field."""
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise ValueError(f"{name}={shown(value)}: not a number from {lowest} to {highest}")
    return value


def text_from(name: str, value: object, default: str | None = None) -> str | None:
    """Return ``value`` as text, or ``default`` for None. Raises ValueError, which names the field."""
    if value is None:
        return default
    if not isinstance(value, str):
        raise ValueError(f"{name}={shown(value)}: not text")
    return utf8_of(value, name)


def answer_head(content_type: str | None, length: int, is_last: bool) -> list[tuple[str, str]]:
    """Return the headers of an answer, whose content type is that of JSON if it is None."""
    fields = [("Content-Type", content_type or "application/json"), ("Content-Length", str(length)),
              ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store")]
    return [*fields, ("Connection", "close")] if is_last else fields


def json_bytes(made: object) -> bytes:
    """Return a line of JSON."""
    return json.dumps(made).encode() + b"\n"


def error_to_json(e: Exception) -> dict[str, str]:
    """Return the JSON of an error."""
    refusal = refusal_of(e)
    return {"error": refusal.error, "message": str(refusal)[:_MAX_MESSAGE]}


def refusal_of(e: Exception) -> Refusal:
    """Return the error response for an exception."""
    if isinstance(e, Refusal):
        return e
    message = " ".join(str(e).split()) or type(e).__name__
    if isinstance(e, ApiException):
        error = Errors.for_exception(e)
        not_found = error in (Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.GROUP_ID_NOT_FOUND)
        return Refusal(HTTPStatus.NOT_FOUND if not_found else HTTPStatus.BAD_REQUEST, error.name, message)
    if isinstance(e, IllegalStateException):
        return Refusal(HTTPStatus.CONFLICT, "IllegalStateException", message)
    if isinstance(e, (ValueError, TypeError, IllegalArgumentException)):
        return Refusal(HTTPStatus.BAD_REQUEST, "ValueError", message)
    if isinstance(e, TimeoutError):
        return Refusal(HTTPStatus.GATEWAY_TIMEOUT, "TimeoutError", message)
    if not isinstance(e, (KafkaException, OSError)):
        log.error("the control port could not answer", exc_info=e)
    return Refusal(HTTPStatus.INTERNAL_SERVER_ERROR, type(e).__name__, message)
