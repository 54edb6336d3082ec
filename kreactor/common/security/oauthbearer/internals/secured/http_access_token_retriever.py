# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of HttpAccessTokenRetriever, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A retriever that requests a token from a web server with client credentials (RFC 6749, section 4.4)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol
from urllib.parse import quote_plus

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.protocol.errors import ExecutionException
from kreactor.common.security.oauthbearer.internals.secured.access_token_retriever import AccessTokenRetriever
from kreactor.common.security.oauthbearer.internals.secured.retry import Retry
from kreactor.common.security.oauthbearer.internals.secured.unretryable_exception import UnretryableException
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.floor import Floor
from kreactor.jdk.http import ByteSource, HttpURLConnection
from kreactor.jdk.text import trim

log = LogContext().logger(f"{__name__}.HttpAccessTokenRetriever")


class _Sink(Protocol):
    """A stream that takes bytes."""

    def write(self, data: bytes, /) -> object:
        """Write ``data``."""


class HttpAccessTokenRetriever(AccessTokenRetriever):
    """Requests a token from the token endpoint; retries transient errors. Called by the thread that logs in.

    :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever
    """

    _UNRETRYABLE_HTTP_CODES = frozenset((
        HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_ACCEPTABLE,
        HTTPStatus.PROXY_AUTHENTICATION_REQUIRED, HTTPStatus.CONFLICT, HTTPStatus.GONE,
        HTTPStatus.LENGTH_REQUIRED, HTTPStatus.PRECONDITION_FAILED, HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.REQUEST_URI_TOO_LONG, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, HTTPStatus.NOT_IMPLEMENTED,
        HTTPStatus.HTTP_VERSION_NOT_SUPPORTED))

    AUTHORIZATION_HEADER = "Authorization"

    def __init__(self, client_id: str, client_secret: str, scope: str | None,
                 ssl_socket_factory: Floor.ssl.SSLContext | None, token_endpoint_url: str,
                 login_retry_backoff_ms: int, login_retry_backoff_max_ms: int,
                 login_connect_timeout_ms: int | None, login_read_timeout_ms: int | None) -> None:
        """Open no connection yet.

        Times are in milliseconds. Without a timeout a silent server blocks the login.

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#HttpAccessTokenRetriever(String, String, String, SSLSocketFactory, String, long, long, Integer, Integer)
        """  # noqa: E501
        self._client_id = client_id
        self._client_secret = client_secret
        self._scope = scope
        self._ssl_socket_factory = ssl_socket_factory
        self._token_endpoint_url = token_endpoint_url
        self._login_retry_backoff_ms = login_retry_backoff_ms
        self._login_retry_backoff_max_ms = login_retry_backoff_max_ms
        self._login_connect_timeout_ms = login_connect_timeout_ms
        self._login_read_timeout_ms = login_read_timeout_ms

    def retrieve(self) -> str:
        """Return the token of the response. Raises OSError, KafkaException, IllegalArgumentException.

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#retrieve()
        """
        authorization_header = self.format_authorization_header(self._client_id, self._client_secret)
        request_body = self.format_request_body(self._scope)
        retry: Retry[str] = Retry(self._login_retry_backoff_ms, self._login_retry_backoff_max_ms)
        headers = {self.AUTHORIZATION_HEADER: authorization_header}

        def call() -> str:
            con: HttpURLConnection | None = None
            try:
                con = HttpURLConnection(self._token_endpoint_url, self._ssl_socket_factory)
                return self.post(con, headers, request_body, self._login_connect_timeout_ms,
                                 self._login_read_timeout_ms)
            except OSError as e:
                raise ExecutionException(str(e)) from e
            finally:
                if con is not None:
                    con.disconnect()

        try:
            response_body = retry.execute(call)
        except ExecutionException as e:
            if isinstance(e.__cause__, OSError):
                raise e.__cause__ from e
            raise KafkaException(None, e.__cause__) from e

        return self.parse_access_token(response_body)

    @staticmethod
    def post(con: HttpURLConnection, headers: Mapping[str, str] | None, request_body: str | None,
             connect_timeout_ms: int | None, read_timeout_ms: int | None) -> str:
        """Send the request and return the body of the response. Raises OSError, or UnretryableException.

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#post(
            HttpURLConnection, Map<String,String>, String, Integer, Integer)
        """
        HttpAccessTokenRetriever._handle_input(
            con, headers, request_body, connect_timeout_ms, read_timeout_ms)
        return HttpAccessTokenRetriever.handle_output(con)

    @staticmethod
    def _handle_input(con: HttpURLConnection, headers: Mapping[str, str] | None, request_body: str | None,
                      connect_timeout_ms: int | None, read_timeout_ms: int | None) -> None:
        """:origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#handleInput(
            HttpURLConnection, Map<String,String>, String, Integer, Integer)
        """
        log.debug("requesting a token from %s", con.get_url())
        con.set_request_method("POST")
        con.set_request_property("Accept", "application/json")

        if headers is not None:
            for key, value in headers.items():
                con.set_request_property(key, value)

        con.set_request_property("Cache-Control", "no-cache")

        if request_body is not None:
            con.set_request_property("Content-Length", str(len(request_body)))
            # Java's connection adds this header to a request with a body.
            con.set_request_property("Content-Type", "application/x-www-form-urlencoded")

        if connect_timeout_ms is not None:
            con.set_connect_timeout(connect_timeout_ms)

        if read_timeout_ms is not None:
            con.set_read_timeout(read_timeout_ms)

        log.debug("connecting to %s", con.get_url())
        con.connect()

        if request_body is not None:
            log.debug("writing the request to %s", con.get_url())
            con.write(request_body.encode())

    @staticmethod
    def handle_output(con: HttpURLConnection) -> str:
        """Return the body of the response. Only the body of an error response is logged.

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#handleOutput(
            HttpURLConnection)
        """
        response_code = con.get_response_code()
        log.debug("response code %s", response_code)

        response_body: str | None = None
        error_response_body: str | None = None

        try:
            os = bytearray()
            log.debug("reading the response of %s", con.get_url())
            HttpAccessTokenRetriever.copy(con.get_input_stream(), _Bytes(os))
            response_body = os.decode("utf-8", "replace")
        except Exception as e:
            # An error response may have a description of the error.
            try:
                os = bytearray()
                log.debug("reading the error response of %s", con.get_url())
                HttpAccessTokenRetriever.copy(con.get_error_stream(), _Bytes(os))
                error_response_body = os.decode("utf-8", "replace")
            except Exception as e2:
                log.warn("the error response cannot be read", exc=e2)
            log.warn("the response cannot be read", exc=e)

        if response_code in (HTTPStatus.OK, HTTPStatus.CREATED):
            log.debug("response code %s, error response: %s", response_code, error_response_body)

            if not response_body:
                raise OSError(
                    "The token endpoint response was unexpectedly empty despite response code "
                    f"{response_code} from {con.get_url()} and error message "
                    f"{HttpAccessTokenRetriever.format_error_message(error_response_body)}")

            return response_body
        error_message = HttpAccessTokenRetriever.format_error_message(error_response_body)
        log.warn("response code %s, error response: %s", response_code, error_message)

        if response_code in HttpAccessTokenRetriever._UNRETRYABLE_HTTP_CODES:
            raise UnretryableException(OSError(
                f"The response code {response_code} and error response {error_message} was encountered "
                "reading the token endpoint response; will not attempt further retries"))
        raise OSError(f"The unexpected response code {response_code} and error message {error_message} was "
                      "encountered reading the token endpoint response")

    @staticmethod
    def copy(is_: ByteSource, os: _Sink) -> None:
        """Copy all bytes.

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#copy(
            InputStream, OutputStream)
        """
        while buf := is_.read(4096):
            os.write(buf)

    @staticmethod
    def format_error_message(error_response_body: str | None) -> str:
        """Return the body's error and its description, if the body has them (RFC 6749, section 5.2).

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#formatErrorMessage(
            String)
        """
        if error_response_body is None or not trim(error_response_body):
            return "{}"
        try:
            root_node = json.loads(error_response_body)
            if not isinstance(root_node, dict):
                return error_response_body
            for error, description in (("error", "error_description"), ("errorCode", "errorSummary")):
                if error in root_node:
                    found = [json.dumps(root_node[name]) if name in root_node else ""
                             for name in (error, description)]
                    return f"{{{found[0]} - {found[1]}}}"
            return error_response_body
        except (ValueError, RecursionError) as e:
            log.warn("the error response is not JSON", exc=e)
        return f"{{{error_response_body}}}"

    @staticmethod
    def parse_access_token(response_body: str) -> str:
        """Return the token of a response.

        Raises OSError for invalid JSON, IllegalArgumentException for a missing token.

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#parseAccessToken(
            String)
        """
        try:
            root_node = json.loads(response_body)
        except (ValueError, RecursionError) as e:
            raise OSError("The token endpoint response is not JSON") from e
        access_token_node = root_node.get("access_token") if isinstance(root_node, dict) else None

        return HttpAccessTokenRetriever._sanitize_string(
            "the token endpoint response's access_token JSON attribute",
            access_token_node if isinstance(access_token_node, str) else None)

    @staticmethod
    def format_authorization_header(client_id: str | None, client_secret: str | None) -> str:
        """Return the header's value (RFC 7617). Raises IllegalArgumentException for a missing id or secret.

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#formatAuthorizationHeader(String, String)
        """  # noqa: E501
        client_id = HttpAccessTokenRetriever._sanitize_string(
            "the token endpoint request client ID parameter", client_id)
        client_secret = HttpAccessTokenRetriever._sanitize_string(
            "the token endpoint request client secret parameter", client_secret)

        encoded = base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()
        return f"Basic {encoded}"

    @staticmethod
    def format_request_body(scope: str | None) -> str:
        """Return the form parameters of the request.

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#formatRequestBody(
            String)
        """
        request_parameters = "grant_type=client_credentials"

        if scope is not None and trim(scope):
            # As in Java's URLEncoder, a tilde is quoted and a star is not.
            encoded_scope = quote_plus(trim(scope), safe="*").replace("~", "%7E")
            request_parameters += f"&scope={encoded_scope}"

        return request_parameters

    @staticmethod
    def _sanitize_string(name: str, value: str | None) -> str:
        """Return the stripped value. Raises IllegalArgumentException for a blank one.

        :origin: common.security.oauthbearer.internals.secured.HttpAccessTokenRetriever#sanitizeString(
            String, String)
        """
        if value is None:
            raise IllegalArgumentException(f"The value for {name} must be non-null")

        if not value:
            raise IllegalArgumentException(f"The value for {name} must be non-empty")

        value = trim(value)

        if not value:
            raise IllegalArgumentException(f"The value for {name} must not contain only whitespace")

        return value


class _Bytes:
    """A sink that appends to a bytearray."""

    def __init__(self, target: bytearray) -> None:
        self._target = target

    def write(self, data: bytes, /) -> None:
        self._target.extend(data)
