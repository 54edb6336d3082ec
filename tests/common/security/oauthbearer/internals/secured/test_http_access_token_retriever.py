# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of HttpAccessTokenRetrieverTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tokens from a web server, which is a real one here."""

from __future__ import annotations

import base64
import io
import json
import os
import socket

import pytest

from kreactor.common.security.oauthbearer.internals.secured.http_access_token_retriever import (
    HttpAccessTokenRetriever,
)
from kreactor.common.security.oauthbearer.internals.secured.unretryable_exception import UnretryableException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.http import HttpURLConnection
from tests.common.security.oauthbearer.internals.secured.token_endpoint import TokenEndpoint

ERROR = b'{"error":"some_arg", "error_description":"some problem with arg"}'


def post(*response) -> str:
    with TokenEndpoint(response) as endpoint:
        con = HttpURLConnection(endpoint.url)
        try:
            return HttpAccessTokenRetriever.post(con, None, None, None, None)
        finally:
            con.disconnect()


def retriever(url: str, *, scope: str | None = None, backoff_ms: int = 1, backoff_max_ms: int = 60_000,
              read_timeout_ms: int | None = None) -> HttpAccessTokenRetriever:
    return HttpAccessTokenRetriever("id", "secret", scope, None, url, backoff_ms, backoff_max_ms, 10_000,
                                    read_timeout_ms)


def test() -> None:
    assert post(200, b"Hiya, buddy") == "Hiya, buddy"


def test_empty_response() -> None:
    with pytest.raises(OSError, match="unexpectedly empty despite response code 200"):
        post(200, b"")


def test_error_reading_response() -> None:
    with pytest.raises(OSError, match="unexpectedly empty despite response code 200"):
        post(200, b"dummy", 10)


def test_error_response_unretryable_code() -> None:
    with pytest.raises(UnretryableException) as raised:
        post(400, ERROR)
    assert '{"some_arg" - "some problem with arg"}' in str(raised.value)


@pytest.mark.parametrize("body, message", [
    (ERROR, '{"some_arg" - "some problem with arg"}'),
    (b'{"errorCode":"some_arg", "errorSummary":"some problem with arg"}',
     '{"some_arg" - "some problem with arg"}'),
    (b'{"err":"some_arg", "err_des":"some problem with arg"}',
     '{"err":"some_arg", "err_des":"some problem with arg"}'),
    (b"[1]", "[1]"), (b"  ", "{}"), (b'{"error": "e"}', '{"e" - }')])
def test_error_response_retryable_code(body: bytes, message: str) -> None:
    with pytest.raises(OSError) as raised:
        post(500, body)
    assert f"response code 500 and error message {message} was" in str(raised.value)


def test_error_response_is_invalid_json() -> None:
    with pytest.raises(OSError, match="{non json error output}"):
        post(500, b"non json error output")
    # Deeper than Python's stack.
    with pytest.raises(OSError, match=r"{\[\["):
        post(500, b"[" * 100_000)


def test_copy() -> None:
    expected = os.urandom(4096 + 1)
    out = io.BytesIO()
    HttpAccessTokenRetriever.copy(io.BytesIO(expected), out)
    assert out.getvalue() == expected


def test_copy_error() -> None:
    class Broken(io.BytesIO):
        def read(self, *args: object) -> bytes:
            raise OSError("no")

    with pytest.raises(OSError, match="no"):
        HttpAccessTokenRetriever.copy(Broken(), io.BytesIO())


def test_parse_access_token() -> None:
    assert HttpAccessTokenRetriever.parse_access_token('{"access_token": " abc "}') == "abc"


def test_parse_access_token_empty_access_token() -> None:
    with pytest.raises(IllegalArgumentException, match="must be non-empty"):
        HttpAccessTokenRetriever.parse_access_token('{"access_token": ""}')


@pytest.mark.parametrize("body", ['{"sub": "jdoe"}', '{"access_token": 5}', "[]", "5"])
def test_parse_access_token_missing_access_token(body: str) -> None:
    with pytest.raises(IllegalArgumentException, match="must be non-null"):
        HttpAccessTokenRetriever.parse_access_token(body)


def test_parse_access_token_invalid_json() -> None:
    for body in ("not valid JSON", "[" * 100_000):
        with pytest.raises(OSError):
            HttpAccessTokenRetriever.parse_access_token(body)


def test_format_authorization_header() -> None:
    check_authorization_header("id", "secret")


def test_format_authorization_header_encoding() -> None:
    check_authorization_header("SOME_RANDOM_LONG_USER_01234", "9Q|0`8i~ute-n9ksjLWb\\50\"AX@UUED5E")


def check_authorization_header(client_id: str, client_secret: str) -> None:
    expected = "Basic " + base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()
    assert HttpAccessTokenRetriever.format_authorization_header(client_id, client_secret) == expected


@pytest.mark.parametrize("client_id, client_secret", [
    (None, "secret"), ("id", None), (None, None), ("", "secret"), ("id", ""), ("", ""), ("  ", "secret"),
    ("id", "  "), ("  ", "  ")])
def test_format_authorization_header_missing_values(client_id: str | None, client_secret: str | None) -> None:
    with pytest.raises(IllegalArgumentException):
        HttpAccessTokenRetriever.format_authorization_header(client_id, client_secret)


def test_format_request_body() -> None:
    assert HttpAccessTokenRetriever.format_request_body("scope") == (
        "grant_type=client_credentials&scope=scope")


def test_format_request_body_with_escaped() -> None:
    for scope, encoded in (
            ("earth is great!", "earth+is+great%21"),
            ("what on earth?!?!?", "what+on+earth%3F%21%3F%21%3F"), ("a~*-_.ä", "a%7E*-_.%C3%A4")):
        assert HttpAccessTokenRetriever.format_request_body(scope) == (
            f"grant_type=client_credentials&scope={encoded}")


def test_format_request_body_missing_values() -> None:
    for scope in (None, "", "  "):
        assert HttpAccessTokenRetriever.format_request_body(scope) == "grant_type=client_credentials"


def test_the_request() -> None:
    with TokenEndpoint((200, b'{"access_token": "abc"}')) as endpoint:
        assert retriever(endpoint.url, scope="s 1").retrieve() == "abc"
    [(method, path, headers, body)] = endpoint.requests
    assert (method, path, body) == ("POST", "/token?tenant=1", b"grant_type=client_credentials&scope=s+1")
    assert headers["Authorization"] == "Basic aWQ6c2VjcmV0"
    assert headers["Accept"] == "application/json"
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert headers["Cache-Control"] == "no-cache"


def test_errors_that_pass_are_waited_out() -> None:
    with TokenEndpoint((500, ERROR), (503, b""), (201, b'{"access_token": "abc"}')) as endpoint:
        assert retriever(endpoint.url).retrieve() == "abc"
    assert len(endpoint.requests) == 3


def test_errors_that_stay_are_not() -> None:
    with TokenEndpoint((401, ERROR)) as endpoint:
        with pytest.raises(Exception, match="The response code 401") as raised:
            retriever(endpoint.url).retrieve()
    assert not isinstance(raised.value, OSError)
    assert len(endpoint.requests) == 1


def test_a_redirection_is_not_followed() -> None:
    with TokenEndpoint((302, b"")) as endpoint:
        with pytest.raises(OSError, match="The unexpected response code 302"):
            retriever(endpoint.url, backoff_max_ms=1).retrieve()
    assert {method for method, *_ in endpoint.requests} == {"POST"}


def test_nobody_listens() -> None:
    with socket.socket() as not_listening:
        not_listening.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{not_listening.getsockname()[1]}"
        with pytest.raises(ConnectionRefusedError):
            retriever(url, backoff_max_ms=1).retrieve()


def test_a_server_that_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(OSError, match="timed out"):
            retriever(url, backoff_max_ms=1, read_timeout_ms=50).retrieve()


@pytest.mark.parametrize("url", ["ftp://localhost/", "http:///path"])
def test_what_is_no_web_server(url: str) -> None:
    with pytest.raises(OSError, match="not an http or https URL"):
        retriever(url, backoff_max_ms=1).retrieve()


def test_the_error_of_a_response_is_one_of_its_own() -> None:
    assert json.loads(ERROR)["error"] == "some_arg"
    with TokenEndpoint((200, b"no JSON")) as endpoint:
        with pytest.raises(OSError, match="is not JSON"):
            retriever(endpoint.url).retrieve()
