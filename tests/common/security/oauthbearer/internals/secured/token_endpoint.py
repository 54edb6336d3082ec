# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A web server that gives tokens, on loopback."""

from __future__ import annotations

import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer


class TokenEndpoint:
    """Gives the responses in their order, the last one again and again; keeps the requests.

    A response is a status and a body, and may say that the body is longer than it is.
    """

    def __init__(self, *responses: tuple[int, bytes] | tuple[int, bytes, int],
                 context: ssl.SSLContext | None = None) -> None:
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        remaining = list(responses)
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                endpoint.requests.append((self.command, self.path, dict(self.headers), body))
                status, content, *length = remaining[0] if len(remaining) == 1 else remaining.pop(0)
                self.send_response(status)
                if status in range(300, 400):
                    self.send_header("Location", endpoint.url)
                self.send_header("Content-Length", str(length[0] if length else len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"http{'s' if context else ''}://localhost:{self._server.server_port}/token?tenant=1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> TokenEndpoint:
        self._thread.start()
        return self

    def __exit__(self, *args: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
