# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import http.client
from unittest.mock import Mock

import pytest

from kreactor.jdk.http import HttpURLConnection


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(("timeout_ms", "timeout_s"), [(0, None), (250, 0.25)])
def test_a_connect_has_its_own_timeout(monkeypatch: pytest.MonkeyPatch, scheme: str, timeout_ms: int,
                                       timeout_s: float | None) -> None:
    seen: list[tuple[str, int | None, float | None]] = []

    def connect(connection: http.client.HTTPConnection) -> None:
        seen.append((connection.host, connection.port, connection.timeout))
        raise OSError("not reached")

    monkeypatch.setattr(http.client.HTTPConnection, "connect", connect)
    connection = HttpURLConnection(f"{scheme}://host.invalid:1234/path")
    connection.set_connect_timeout(timeout_ms)
    connection.set_read_timeout(7000)
    with pytest.raises(OSError, match="not reached"):
        connection.connect()
    assert seen == [("host.invalid", 1234, timeout_s)]


def test_the_headers_and_the_body_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []
    monkeypatch.setattr(http.client.HTTPConnection, "connect",
                        lambda connection: setattr(connection, "sock", Mock(sendall=sent.append)))
    connection = HttpURLConnection("http://host.invalid/path?a=b")
    connection.set_request_method("POST")
    connection.set_request_property("Name", "value")
    connection.set_read_timeout(7000)
    connection.connect()
    connection.write(b"body")
    head, _, body = b"".join(sent).partition(b"\r\n\r\n")
    request, *headers = head.split(b"\r\n")
    assert (request, body) == (b"POST /path?a=b HTTP/1.1", b"body")
    assert b"Name: value" in headers and b"Host: host.invalid" in headers
    assert connection._connection is not None
    connection._connection.sock.settimeout.assert_called_once_with(7.0)  # type: ignore[attr-defined]
