# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Lines of a request log, as a broker writes them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

BEGIN = datetime(2026, 11, 21, 10, 0, 0)
CONNECTION = "127.0.0.1:9092-127.0.0.1:50000-7"


def request(api: int = 3, name: str | None = "METADATA", version: int = 12, correlation_id: Any = 1,
            request: Any = None, response: Any = None, stages: tuple[float, ...] = (1.0, 2.0, 0.0, 0.5, 0.5),
            **fields: Any) -> dict[str, Any]:
    """Return what a line says; the total is the sum of the stages if it is not among ``fields``."""
    header = {"requestApiKey": api, "requestApiVersion": version, "correlationId": correlation_id,
              "clientId": "a client", **({"requestApiKeyName": name} if name else {})}
    names = ("requestQueueTimeMs", "localTimeMs", "remoteTimeMs", "responseQueueTimeMs", "sendTimeMs")
    times = dict(zip(names, stages, strict=True))
    return {
        "isForwarded": False, "requestHeader": header, "request": {} if request is None else request,
        "response": {"throttleTimeMs": 0, "errorCode": 0} if response is None else response,
        "connection": CONNECTION, "totalTimeMs": sum(stages), **times, "throttleTimeMs": 0,
        "securityProtocol": "PLAINTEXT", "principal": "User:ANONYMOUS", "listener": "PLAINTEXT",
        "clientInformation": {"softwareName": "test", "softwareVersion": "1"}, **fields}


def line(said: dict[str, Any] | str, at_ms: float = 0) -> str:
    """Return a line of the log, ``at_ms`` after BEGIN."""
    time = (BEGIN + timedelta(milliseconds=at_ms)).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
    text = said if isinstance(said, str) else json.dumps(said, separators=(",", ":"))
    return f"[{time}] DEBUG Completed request:{text} (kafka.request.logger)"
