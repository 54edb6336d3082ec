# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A connection to a broker, on a selector of its own: a request goes out, its answer comes back.

Ours, not a port. It begins with ApiVersions, and speaks the highest version of each API that both sides know.
For one thread. One request is in flight, so that the answers cannot be mixed up; whatever fails closes the
connection, which is not used again.
"""

from __future__ import annotations

from typing import TypeVar

from kreactor import __version__
from kreactor.clients.client_security import ClientSecurity
from kreactor.common.errors import DisconnectException, TimeoutException, UnsupportedVersionException
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.selectable import Selectable
from kreactor.common.network.selector import Selector
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.net import InetSocketAddress

T = TypeVar("T", bound=AbstractResponse)

# The one channel of the selector.
_ID = "broker"


class Connection:
    """A connection to the broker at ``host`` and ``port``."""

    def __init__(self, host: str, port: int, client_id: str, timeout_ms: int, security: ClientSecurity,
                 time: Time = Time.SYSTEM) -> None:
        """Connect, authenticate, and ask what the broker speaks; each takes ``timeout_ms`` at most.

        Raises OSError if the host is not known, DisconnectException if it refuses, TimeoutException,
        AuthenticationException if one end does not believe the other, UnsupportedVersionException,
        KafkaException for settings of ``security`` that cannot be.
        """
        self._address = f"{host}:{port}"
        self._client_id = client_id
        self._timeout_ms = timeout_ms
        self._time = time
        self._correlation_id = 0
        # The versions that the broker speaks: lowest and highest, by API.
        self._versions: dict[int, tuple[int, int]] = {}
        log_context = LogContext(f"[Connection to {self._address}] ")
        builder = security.channel_builder(time, log_context)
        self._metrics = Metrics(time=time)
        self._selector = Selector(
            Selector.NO_IDLE_TIMEOUT_MS, self._metrics, time, "connection", builder, log_context,
            metrics_per_connection=False)
        try:
            self._selector.connect(_ID, InetSocketAddress(host, port), Selectable.USE_DEFAULT_BUFFER_SIZE,
                                   Selectable.USE_DEFAULT_BUFFER_SIZE)
            deadline = time.milliseconds() + timeout_ms
            # A channel of plain text counts as ready before it is connected.
            connected = False
            while not (connected and self._selector.is_channel_ready(_ID)):
                self._poll(deadline)
                connected = connected or _ID in self._selector.connected()
            self._ask_versions()
        except BaseException:
            self.close()
            raise

    def _poll(self, deadline: int) -> None:
        left = deadline - self._time.milliseconds()
        if left <= 0:
            raise TimeoutException(f"{self._address} did not answer within {self._timeout_ms} ms")
        self._selector.poll(left)
        state = self._selector.disconnected().get(_ID)
        if state is not None:
            raise state.exception() or DisconnectException(
                f"{self._address} closed the connection, or refused it")

    def _ask_versions(self) -> None:
        version = ApiKeys.API_VERSIONS.latest_version()
        for _ in range(2):
            data = ApiVersionsRequestData(
                client_software_name="kreactor", client_software_version=__version__)
            response = self._exchange(ApiVersionsRequest(data, version), self._timeout_ms)
            assert isinstance(response, ApiVersionsResponse)
            answer = response.data()
            self._versions = {api.api_key: (api.min_version, api.max_version) for api in answer.api_keys}
            if Errors.for_code(answer.error_code) is not Errors.UNSUPPORTED_VERSION:
                break
            # It is an older broker, and says which version it understands.
            version = min(version, self._versions.get(ApiKeys.API_VERSIONS.id, (0, 0))[1])
        Errors.for_code(answer.error_code).maybe_throw()

    def send(self, builder: AbstractRequest.Builder[AbstractRequest], response_class: type[T],
             wait_ms: int = 0) -> T:
        """Send a request and return its answer, which is looked for ``wait_ms`` longer than the timeout.

        Raises UnsupportedVersionException if there is no version that both sides speak, DisconnectException,
        TimeoutException.
        """
        api = builder.api_key()
        lowest, highest = self._versions.get(api.id, (0, -1))
        version = min(highest, builder.latest_allowed_version())
        if version < max(lowest, builder.oldest_allowed_version()):
            raise UnsupportedVersionException(
                f"{self._address} speaks versions {lowest} to {highest} of {api}, and not "
                f"{builder.oldest_allowed_version()} to {builder.latest_allowed_version()}")
        response = self._exchange(builder.build_version(version), self._timeout_ms + wait_ms)
        assert isinstance(response, response_class)
        return response

    def _exchange(self, request: AbstractRequest, timeout_ms: int) -> AbstractResponse:
        try:
            self._correlation_id += 1
            header = RequestHeader.of(
                request.api_key(), request.version(), self._client_id, self._correlation_id)
            self._selector.send(NetworkSend(_ID, request.to_send(header)))
            deadline = self._time.milliseconds() + timeout_ms
            while True:
                self._poll(deadline)
                for receive in self._selector.completed_receives():
                    return AbstractResponse.parse_response(receive.payload(), header)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close it; again is nothing."""
        self._selector.close()
        self._metrics.close()
