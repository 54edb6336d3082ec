# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.net.HttpURLConnection``: one request over HTTP or HTTPS, and its response.

Owner: one thread, for one request. Python's exception for a response that is not HTTP becomes an OSError. No
proxy is used, as in a JVM without proxy properties.
"""

from __future__ import annotations

import http.client
import ssl
from typing import Protocol
from urllib.parse import urlsplit


class ByteSource(Protocol):
    """A source of bytes."""

    def read(self, count: int, /) -> bytes:
        """Return at most ``count`` bytes; empty at the end. Raises OSError."""


class HttpURLConnection:
    """A request, from its method to the last byte of its response."""

    def __init__(self, url: str, ssl_context: ssl.SSLContext | None = None) -> None:
        """Prepare a request; nothing is connected yet.

        ``ssl_context`` is for https, None for Python's default.

        Raises OSError if the URL has a scheme other than http and https.
        """
        self._url = url
        self._parts = urlsplit(url)
        if self._parts.scheme not in ("http", "https") or not self._parts.hostname:
            raise OSError(f"{url}: not an http or https URL")
        self._ssl_context = ssl_context
        self._method = "GET"
        self._properties: dict[str, str] = {}
        self._connect_timeout_ms = 0
        self._read_timeout_ms = 0
        self._connection: http.client.HTTPConnection | None = None
        self._response: http.client.HTTPResponse | None = None

    def get_url(self) -> str:
        """Return the URL."""
        return self._url

    def set_request_method(self, method: str) -> None:
        """Set a method other than GET."""
        self._method = method

    def set_request_property(self, key: str, value: str) -> None:
        """Set a header."""
        self._properties[key] = value

    def set_connect_timeout(self, timeout_ms: int) -> None:
        """Set the milliseconds that a connect may take before it raises OSError; 0 waits without limit."""
        self._connect_timeout_ms = timeout_ms

    def set_read_timeout(self, timeout_ms: int) -> None:
        """Set the milliseconds that the server may be silent before a read raises OSError; 0 waits without
        limit."""
        self._read_timeout_ms = timeout_ms

    def connect(self) -> None:
        """Connect, and send the method and the headers. Raises OSError."""
        host, port = self._parts.hostname or "", self._parts.port
        timeout = self._connect_timeout_ms / 1000 or None
        if self._parts.scheme == "https":
            self._connection = http.client.HTTPSConnection(
                host, port, timeout=timeout, context=self._ssl_context)
        else:
            self._connection = http.client.HTTPConnection(host, port, timeout=timeout)
        try:
            self._connection.connect()
            self._connection.sock.settimeout(self._read_timeout_ms / 1000 or None)
            path = self._parts.path or "/"
            self._connection.putrequest(
                self._method, f"{path}?{self._parts.query}" if self._parts.query else path)
            for key, value in self._properties.items():
                self._connection.putheader(key, value)
            self._connection.endheaders()
        except (http.client.HTTPException, ValueError) as e:
            raise OSError(f"{type(e).__name__}: {e}") from e

    def write(self, body: bytes) -> None:
        """Send the body. Raises OSError."""
        assert self._connection is not None, "connect() comes first"
        self._connection.send(body)

    def get_response_code(self) -> int:
        """Wait for the response and return its status. Raises OSError."""
        # DEVIATION D276: a redirection's status is returned too, because it is not followed.
        if self._response is None:
            assert self._connection is not None, "connect() comes first"
            try:
                self._response = self._connection.getresponse()
            except http.client.HTTPException as e:
                raise OSError(f"{type(e).__name__}: {e}") from e
        return self._response.status

    def get_input_stream(self) -> ByteSource:
        """Return the response's body. Raises OSError for an error status."""
        code = self.get_response_code()
        if code >= 400:
            raise OSError(f"Server returned HTTP response code: {code} for URL: {self._url}")
        return _Body(self._response)

    def get_error_stream(self) -> ByteSource:
        """Return the body of a response with an error status."""
        self.get_response_code()
        return _Body(self._response)

    def disconnect(self) -> None:
        """Close the connection."""
        if self._response is not None:
            self._response.close()
        if self._connection is not None:
            self._connection.close()


class _Body:
    """A response's body; a truncated body raises OSError."""

    def __init__(self, response: http.client.HTTPResponse | None) -> None:
        assert response is not None
        self._response = response

    def read(self, count: int, /) -> bytes:
        try:
            data = self._response.read(count)
        except http.client.HTTPException as e:
            raise OSError(f"{type(e).__name__}: {e}") from e
        # Python treats the end of the connection as the end of the body, even before the announced length.
        if not data and self._response.length:
            raise OSError("Premature EOF")
        return data
