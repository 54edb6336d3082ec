# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The response to ApiVersions, encoded once for each version.

*Fact.* A broker advertises some sixty APIs, so the response has 400 bytes. It changes only when a receiver of
client telemetry is configured.

*Consequence.* Each connection begins with the request, and its encoding takes longer than any other part.

*Choice (D106).* Requests that are not throttled share a response, which encodes its body once for each
version. Only the header differs.

*Cost.* Up to two bodies for each version stay in memory.
"""

from __future__ import annotations

import struct
from typing import Any

from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.send import Send
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.core.server.api_version_manager import DefaultApiVersionManager
from kreactor.jdk.nio_buffer import ByteBuffer

_SIZE_AND_CORRELATION_ID = struct.Struct(">ii")


class SharedApiVersionsResponse(ApiVersionsResponse):
    """A response that many requests share. Its data must not change. For use by any thread."""

    __slots__ = ("_encoded", "_shared_error_counts")

    def __init__(self, data: ApiVersionsResponseData) -> None:
        super().__init__(data)
        # The encoded bodies by version. Two threads may both encode the same body.
        self._encoded: dict[int, bytes] = {}
        self._shared_error_counts = super().error_counts()

    def error_counts(self) -> dict[Errors, int]:
        return self._shared_error_counts

    def to_send(self, header: ResponseHeader, version: int) -> Send:
        # DEVIATION D106: the responses of one version differ only in their headers.
        encoded = self._encoded.get(version)
        if encoded is None:
            encoded = self._encoded[version] = bytes(self.data().write(bytearray(), version, []))
        # The header always has version 0 (KIP-511).
        size = len(encoded) + 4
        content = _SIZE_AND_CORRELATION_ID.pack(size, header.correlation_id()) + encoded
        return ByteBufferSend(ByteBuffer(memoryview(content), 0, size + 4), size=size + 4)


class FastApiVersionManager(DefaultApiVersionManager):
    """Hands out shared responses."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As the base class."""
        super().__init__(*args, **kwargs)
        # The shared responses, by whether a receiver of telemetry is configured.
        self._shared: dict[bool, ApiVersionsResponse] = {}

    def api_version_response(self, throttle_time_ms: int) -> ApiVersionsResponse:
        if throttle_time_ms:
            return super().api_version_response(throttle_time_ms)
        has_receiver = self._client_metrics_manager.is_telemetry_receiver_configured()
        shared = self._shared.get(has_receiver)
        if shared is None:
            shared = self._shared[has_receiver] = SharedApiVersionsResponse(
                super().api_version_response(0).data())
        return shared
