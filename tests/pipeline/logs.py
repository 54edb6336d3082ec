# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Lines of a request log, as a broker writes them, and a broker that writes and rolls its log."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

BEGIN = datetime(2026, 11, 21, 10, 0, 0)
# A first line that all logs share.
HEADER = "# requests\n"
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


class Broker:
    """A broker that writes a log and rolls it in one of several ways."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.log = folder / "request.log"
        self.name = folder.name
        self.written: list[str] = []
        self.half = ""
        self.rolled = 0
        self.log.write_text(HEADER)

    def write(self, count: int) -> None:
        self.finish()
        for _ in range(count):
            said = request(correlation_id=len(self.written), listener=self.name)
            self.written.append(f"{line(said)}\n")
            self._append(self.written[-1])

    def write_half(self, missing: int) -> None:
        self.write(1)
        size = self.log.stat().st_size
        self.half = self.written[-1][-missing:]
        os.truncate(self.log, size - len(self.half))

    def restart(self) -> None:
        self.finish()
        self._append(HEADER)

    def finish(self) -> None:
        self._append(self.half)
        self.half = ""

    def roll(self, way: str) -> None:
        self.finish()
        self.rolled += 1
        to = self.log.with_name(f"request.log.{self.rolled}")
        if way == "rename":
            self.log.rename(to)
        elif way == "copy":
            shutil.copyfile(self.log, to)
            os.truncate(self.log, 0)
        else:
            to.with_name(f"{to.name}.gz").write_bytes(gzip.compress(self.log.read_bytes()))
            self.log.unlink()
        self._append(HEADER)

    def compress(self) -> None:
        for path in self.log.parent.glob("request.log.*[0-9]"):
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()

    def _append(self, text: str) -> None:
        with self.log.open("a") as stream:
            stream.write(text)
