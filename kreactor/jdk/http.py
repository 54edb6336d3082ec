# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.net.HttpURLConnection``: one request over HTTP or HTTPS, and its response.

Owner: one thread, once. Python's exception for a response that is no HTTP becomes an OSError. There is no
proxy, as in a JVM without the properties that name one.
"""

from __future__ import annotations

import http.client
import ssl
from typing import Protocol
from urllib.parse import urlsplit


class ByteSource(Protocol):
    """A source of bytes."""

    def read(self, count: int, /) -> bytes:
        """Return at most ``count`` bytes, none at the end. Raises OSError."""


class HttpURLConnection:
    """A request, from its method to the last byte of its response."""

    def __init__(self, url: str, ssl_context: ssl.SSLContext | None = None) -> None:
        """Connect to nobody yet. ``ssl_context`` is for a URL of https, None for Python's own.

        Raises OSError if the URL is of neither http nor https.
        """
        self._url = url
        self._parts = urlsplit(url)
        if self._parts.scheme not in ("http", "https") or not self._parts.hostname:
            raise OSError(f"{url} is no URL of a web server")
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
        """Send another method than GET."""
        self._method = method

    def set_request_property(self, key: str, value: str) -> None:
        """Send a header."""
        self._properties[key] = value

    def set_connect_timeout(self, timeout_ms: int) -> None:
        """Raise OSError if the server takes longer to be connected to; 0 waits for ever."""
        self._connect_timeout_ms = timeout_ms

    def set_read_timeout(self, timeout_ms: int) -> None:
        """Raise OSError if the server is silent for longer; 0 waits for ever."""
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
        """Return the status of the response, for which it waits. Raises OSError."""
        # DEVIATION D276: that of a redirection too, which is not followed.
        if self._response is None:
            assert self._connection is not None, "connect() comes first"
            try:
                self._response = self._connection.getresponse()
            except http.client.HTTPException as e:
                raise OSError(f"{type(e).__name__}: {e}") from e
        return self._response.status

    def get_input_stream(self) -> ByteSource:
        """Return the body of a response without an error. Raises OSError for one with an error."""
        code = self.get_response_code()
        if code >= 400:
            raise OSError(f"Server returned HTTP response code: {code} for URL: {self._url}")
        return _Body(self._response)

    def get_error_stream(self) -> ByteSource:
        """Return the body of a response with an error."""
        self.get_response_code()
        return _Body(self._response)

    def disconnect(self) -> None:
        """Close the connection."""
        if self._response is not None:
            self._response.close()
        if self._connection is not None:
            self._connection.close()


class _Body:
    """A body that raises OSError where it is cut short."""

    def __init__(self, response: http.client.HTTPResponse | None) -> None:
        assert response is not None
        self._response = response

    def read(self, count: int, /) -> bytes:
        try:
            data = self._response.read(count)
        except http.client.HTTPException as e:
            raise OSError(f"{type(e).__name__}: {e}") from e
        # Python takes the end of the connection for that of a body whose length says otherwise.
        if not data and self._response.length:
            raise OSError("Premature EOF")
        return data
