# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.RequestHandlerHelper of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How handlers respond: at once, with the throttle time in the response, while the connection is muted for
that time."""

from __future__ import annotations

from typing import Callable

from kreactor.common.errors import ClusterAuthorizationException
from kreactor.common.network.send import Send
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.client_quota_manager import ClientQuotaManager
from kreactor.core.server.controller_mutation_quota import ControllerMutationQuota
from kreactor.core.server.quota_factory import QuotaManagers
from kreactor.core.server.throttled_channel import ThrottleCallback


class RequestHandlerHelper:
    """For use by any thread.

    :origin: kafka.server.RequestHandlerHelper
    :origin: kafka.server.RequestHandlerHelper
    """

    __slots__ = ("_request_channel", "_quotas", "_time")

    def __init__(self, request_channel: RequestChannel, quotas: QuotaManagers, time: Time) -> None:
        """:origin: kafka.server.RequestHandlerHelper#RequestHandlerHelper"""
        self._request_channel = request_channel
        self._quotas = quotas
        self._time = time

    def throttle(self, quota_manager: ClientQuotaManager, request: RequestChannel.Request,
                 throttle_time_ms: int) -> None:
        """Mute the connection for ``throttle_time_ms``. Called before the response is sent.

        :origin: kafka.server.RequestHandlerHelper#throttle
        """
        quota_manager.throttle(
            request, _RequestThrottleCallback(self._request_channel, request), throttle_time_ms)

    def handle_error(self, request: RequestChannel.Request, e: BaseException) -> None:
        """Respond with the error, or close the connection if the request has no response.

        :origin: kafka.server.RequestHandlerHelper#handleError
        """
        may_throttle = (isinstance(e, ClusterAuthorizationException)
                        or not request.header().api_key().cluster_action)
        if may_throttle:
            self.send_error_response_maybe_throttle(request, e)
        else:
            self._send_error_response_exempt_throttle(request, e)

    def _send_error_or_close_connection(self, request: RequestChannel.Request, error: BaseException,
                                        throttle_ms: int) -> None:
        """:origin: kafka.server.RequestHandlerHelper#sendErrorOrCloseConnection"""
        request_body = request.body(AbstractRequest)  # type: ignore[type-abstract]  # asked for by its base
        response = request_body.get_error_response_throttle(throttle_ms, error)
        if response is None:
            self._request_channel.close_connection(request, request_body.error_counts(error))
        else:
            self._request_channel.send_response(request, response, None)

    def send_maybe_throttle(self, request: RequestChannel.Request, response: AbstractResponse) -> None:
        """Respond; the response gets the throttle time.

        :origin: kafka.server.RequestHandlerHelper#sendMaybeThrottle
        """
        throttle_time_ms = self.maybe_record_and_get_throttle_time_ms(request)
        if not request.is_forwarded():
            self.throttle(self._quotas.request, request, throttle_time_ms)
        response.maybe_set_throttle_time_ms(throttle_time_ms)
        self._request_channel.send_response(request, response, None)

    def send_response_maybe_throttle(self, request: RequestChannel.Request,
                                     create_response: Callable[[int], AbstractResponse]) -> None:
        """Respond with the result of ``create_response``, whose argument is the throttle time in
        milliseconds.

        :origin: kafka.server.RequestHandlerHelper#sendResponseMaybeThrottle
        """
        throttle_time_ms = self.maybe_record_and_get_throttle_time_ms(request)
        if not request.is_forwarded():
            self.throttle(self._quotas.request, request, throttle_time_ms)
        self._request_channel.send_response(request, create_response(throttle_time_ms), None)

    def send_error_response_maybe_throttle(self, request: RequestChannel.Request,
                                           error: BaseException) -> None:
        """Respond with an error, or close the connection if the request has no response.

        :origin: kafka.server.RequestHandlerHelper#sendErrorResponseMaybeThrottle
        """
        throttle_time_ms = self.maybe_record_and_get_throttle_time_ms(request)
        if isinstance(error, ClusterAuthorizationException) or not request.is_forwarded():
            self.throttle(self._quotas.request, request, throttle_time_ms)
        self._send_error_or_close_connection(request, error, throttle_time_ms)

    def maybe_record_and_get_throttle_time_ms(self, request: RequestChannel.Request) -> int:
        """Record the request; return the throttle time of its client in milliseconds.

        :origin: kafka.server.RequestHandlerHelper#maybeRecordAndGetThrottleTimeMs
        """
        throttle_time_ms = self._quotas.request.maybe_record_and_get_throttle_time_ms(
            request, self._time.milliseconds())
        request.api_throttle_time_ms = throttle_time_ms
        return throttle_time_ms

    def send_response_maybe_throttle_with_controller_quota(
            self, controller_mutation_quota: ControllerMutationQuota, request: RequestChannel.Request,
            response: AbstractResponse) -> None:
        """Respond; the longer of the two throttle times counts.

        :origin: kafka.server.RequestHandlerHelper#sendResponseMaybeThrottleWithControllerQuota
        """
        time_ms = self._time.milliseconds()
        controller_throttle_time_ms = controller_mutation_quota.throttle_time()
        request_throttle_time_ms = self._quotas.request.maybe_record_and_get_throttle_time_ms(
            request, time_ms)
        max_throttle_time_ms = max(controller_throttle_time_ms, request_throttle_time_ms)
        if max_throttle_time_ms > 0 and not request.is_forwarded():
            request.api_throttle_time_ms = max_throttle_time_ms
            if controller_throttle_time_ms > request_throttle_time_ms:
                self.throttle(self._quotas.controller_mutation, request, controller_throttle_time_ms)
            else:
                self.throttle(self._quotas.request, request, request_throttle_time_ms)
        response.maybe_set_throttle_time_ms(max_throttle_time_ms)
        self._request_channel.send_response(request, response, None)

    def send_response_exempt_throttle(self, request: RequestChannel.Request, response: AbstractResponse,
                                      on_complete: Callable[[Send], None] | None = None) -> None:
        """Respond to a broker, which is never throttled.

        :origin: kafka.server.RequestHandlerHelper#sendResponseExemptThrottle
        """
        self._quotas.request.maybe_record_exempt(request)
        self._request_channel.send_response(request, response, on_complete)

    def _send_error_response_exempt_throttle(self, request: RequestChannel.Request,
                                             error: BaseException) -> None:
        """:origin: kafka.server.RequestHandlerHelper#sendErrorResponseExemptThrottle"""
        self._quotas.request.maybe_record_exempt(request)
        self._send_error_or_close_connection(request, error, 0)

    def send_no_op_response_exempt_throttle(self, request: RequestChannel.Request) -> None:
        """Complete a request without sending a response.

        :origin: kafka.server.RequestHandlerHelper#sendNoOpResponseExemptThrottle
        """
        self._quotas.request.maybe_record_exempt(request)
        self._request_channel.send_no_op_response(request)


class _RequestThrottleCallback(ThrottleCallback):
    """Mutes the connection of a request. In Kafka this is an anonymous class."""

    __slots__ = ("_request_channel", "_request")

    def __init__(self, request_channel: RequestChannel, request: RequestChannel.Request) -> None:
        self._request_channel = request_channel
        self._request = request

    def start_throttling(self) -> None:
        self._request_channel.start_throttling(self._request)

    def end_throttling(self) -> None:
        self._request_channel.end_throttling(self._request)
