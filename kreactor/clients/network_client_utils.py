# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.NetworkClientUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Blocking waits for a connection or a response, on top of a non-blocking KafkaClient.

Called by the thread that polls the client.
"""

from __future__ import annotations

from kreactor.clients.client_request import ClientRequest
from kreactor.clients.client_response import ClientResponse
from kreactor.clients.kafka_client import KafkaClient
from kreactor.common.errors import DisconnectException
from kreactor.common.node import Node
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException

_LONG_MAX_VALUE = (1 << 63) - 1


class NetworkClientUtils:
    """Static methods only.

    :origin: clients.NetworkClientUtils
    """

    @staticmethod
    def is_ready(client: KafkaClient, node: Node, current_time: int) -> bool:
        """Return whether a request can be sent to ``node``, after a poll that notices disconnections.

        :origin: clients.NetworkClientUtils#isReady(KafkaClient, Node, long)
        """
        client.poll(0, current_time)
        return client.is_ready(node, current_time)

    @staticmethod
    def await_ready(client: KafkaClient, node: Node, time: Time, timeout_ms: int) -> bool:
        """Return whether a request can be sent to ``node``, after up to ``timeout_ms`` milliseconds.

        Raises OSError if the connection fails, even an earlier one; AuthenticationException if the node
        refuses it; IllegalArgumentException if the timeout is negative.

        :origin: clients.NetworkClientUtils#awaitReady(KafkaClient, Node, Time, long)
        """
        if timeout_ms < 0:
            raise IllegalArgumentException("Timeout needs to be greater than 0")
        start_time = time.milliseconds()

        if NetworkClientUtils.is_ready(client, node, start_time) or client.ready(node, start_time):
            return True

        attempt_start_time = time.milliseconds()
        while not client.is_ready(node, attempt_start_time) and attempt_start_time - start_time < timeout_ms:
            if client.connection_failed(node):
                raise OSError(f"Connection to {node} failed.")
            poll_timeout = timeout_ms - (attempt_start_time - start_time)
            client.poll(poll_timeout, attempt_start_time)
            authentication_exception = client.authentication_exception(node)
            if authentication_exception is not None:
                raise authentication_exception
            attempt_start_time = time.milliseconds()
        return client.is_ready(node, attempt_start_time)

    @staticmethod
    def send_and_receive(client: KafkaClient, request: ClientRequest, time: Time) -> ClientResponse:
        """Send a request; return its response.

        Raises OSError if the connection is closed, or if the client is closed meanwhile;
        UnsupportedVersionException if the node supports no version of the request.

        :origin: clients.NetworkClientUtils#sendAndReceive(KafkaClient, ClientRequest, Time)
        """
        try:
            client.send(request, time.milliseconds())
            while client.active():
                responses = client.poll(_LONG_MAX_VALUE, time.milliseconds())
                for response in responses:
                    if response.request_header().correlation_id() == request.correlation_id():
                        if response.was_disconnected():
                            raise OSError(f"Connection to {response.destination()} was disconnected before "
                                          "the response was read")
                        version_mismatch = response.version_mismatch()
                        if version_mismatch is not None:
                            raise version_mismatch
                        return response
            raise OSError("Client was shutdown before response was read")
        except DisconnectException as e:
            if client.active():
                raise
            raise OSError("Client was shutdown before response was read") from e

    @staticmethod
    def is_unavailable(client: KafkaClient, node: Node, time: Time) -> bool:
        """Return whether there is no connection to ``node``, and its backoff is not over.

        :origin: clients.NetworkClientUtils#isUnavailable(KafkaClient, Node, Time)
        """
        return client.connection_failed(node) and client.connection_delay(node, time.milliseconds()) > 0

    @staticmethod
    def maybe_throw_auth_failure(client: KafkaClient, node: Node) -> None:
        """Raises AuthenticationException if ``node`` refused the last connection.

        :origin: clients.NetworkClientUtils#maybeThrowAuthFailure(KafkaClient, Node)
        """
        exception = client.authentication_exception(node)
        if exception is not None:
            raise exception
