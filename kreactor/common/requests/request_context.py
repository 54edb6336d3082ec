# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.RequestContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The facts of a request besides its body: header, principal, address, listener."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.errors import InvalidRequestException
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message import CountedBuffer
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.request_and_size import RequestAndSize
from kreactor.jdk.text import java_text

if TYPE_CHECKING:
    from kreactor.common.network.client_information import ClientInformation
    from kreactor.common.network.listener_name import ListenerName
    from kreactor.common.network.send import Send
    from kreactor.common.requests.abstract_response import AbstractResponse
    from kreactor.common.requests.request_header import RequestHeader
    from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
    from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
    from kreactor.common.security.auth.security_protocol import SecurityProtocol
    from kreactor.jdk.net import InetAddress
    from kreactor.jdk.nio_buffer import ByteBuffer

_API_VERSIONS = ApiKeys.API_VERSIONS
_UNLIMITED = 2**31 - 1


class RequestContext:
    """The context of a request. Immutable. The network thread creates it, the handler thread reads it.

    :origin: common.requests.RequestContext
    """

    __slots__ = ("header", "connection_id", "client_address", "client_port", "principal",
                 "listener_name", "security_protocol", "client_information", "from_privileged_listener",
                 "principal_serde", "max_elements")

    def __init__(self, header: RequestHeader, connection_id: str, client_address: InetAddress,
                 principal: KafkaPrincipal, listener_name: ListenerName, security_protocol: SecurityProtocol,
                 client_information: ClientInformation, from_privileged_listener: bool,
                 client_port: int | None = None, principal_serde: KafkaPrincipalSerde | None = None,
                 max_elements: int = _UNLIMITED) -> None:
        """:origin: common.requests.RequestContext#RequestContext(RequestHeader, String, InetAddress,
            Optional<Integer>, KafkaPrincipal, ListenerName, SecurityProtocol, ClientInformation, boolean,
            Optional<KafkaPrincipalSerde>)
        :origin: common.requests.RequestContext#RequestContext(RequestHeader, String, InetAddress,
            Optional<Integer>, KafkaPrincipal, ListenerName, SecurityProtocol, ClientInformation, boolean)
        :origin: common.requests.RequestContext#RequestContext(RequestHeader, String, InetAddress,
            KafkaPrincipal, ListenerName, SecurityProtocol, ClientInformation, boolean)
        """
        self.header = header
        self.connection_id = connection_id
        self.client_address = client_address
        self.client_port = client_port
        self.principal = principal
        self.listener_name = listener_name
        self.security_protocol = security_protocol
        self.client_information = client_information
        self.from_privileged_listener = from_privileged_listener
        self.principal_serde = principal_serde
        # The maximum number of elements of all arrays of the request together.
        self.max_elements = max_elements

    def parse_request(self, buffer: ByteBuffer) -> RequestAndSize:
        """Return the request whose body is at the position of ``buffer``.

        An ApiVersions request of an unsupported version becomes a request of version 0 that records this; its
        body is ignored (KIP-511). Raises InvalidRequestException for every error.

        :origin: common.requests.RequestContext#parseRequest(ByteBuffer)
        """
        if self._is_unsupported_api_versions_request():
            api_versions_request = ApiVersionsRequest(ApiVersionsRequestData(), 0, self.header.api_version())
            return RequestAndSize(api_versions_request, 0)
        api_key = self.header.api_key()
        api_version = self.header.api_version()
        # DEVIATION D263: each element has at least one byte, so most requests are too small to need the
        # count.
        if buffer.limit() > self.max_elements:
            buffer = CountedBuffer(buffer, self.max_elements)
        try:
            return AbstractRequest.parse_request(api_key, api_version, buffer)
        except Exception as ex:
            raise InvalidRequestException(
                f"Error getting request for apiKey: {api_key}, apiVersion: {api_version}, "
                f"connectionId: {self.connection_id}, listenerName: {self.listener_name}, "
                f"principal: {self.principal}", ex)

    def build_response_send(self, body: AbstractResponse) -> Send:
        """Return a send of the response, preceded by its size and header. Raises as ``Message.write``.

        :origin: common.requests.RequestContext#buildResponseSend(AbstractResponse)
        """
        return body.to_send(self.header.to_response_header(), self.api_version())

    def build_response_envelope_payload(self, body: AbstractResponse) -> ByteBuffer:
        """Return the response with its header and without a size, for an EnvelopeResponse.

        :origin: common.requests.RequestContext#buildResponseEnvelopePayload(AbstractResponse)
        """
        return body.serialize_with_header(self.header.to_response_header(), self.api_version())

    def _is_unsupported_api_versions_request(self) -> bool:
        """Return whether this is an ApiVersions request of an unsupported version.

        :origin: common.requests.RequestContext#isUnsupportedApiVersionsRequest()
        """
        api_key = self.header.api_key()
        return api_key is _API_VERSIONS and not api_key.is_version_supported(self.header.api_version())

    def api_version(self) -> int:
        """Return the version of the response.

        :origin: common.requests.RequestContext#apiVersion()
        """
        # The response to an unsupported version of ApiVersions has version 0 (KIP-511).
        if self._is_unsupported_api_versions_request():
            return 0
        return self.header.api_version()

    def request_type(self) -> int:
        """Return the id of the API.

        :origin: common.requests.RequestContext#requestType()
        """
        return self.header.api_key().id

    def request_version(self) -> int:
        """Return the version of the request.

        :origin: common.requests.RequestContext#requestVersion()
        """
        return self.header.api_version()

    def client_id(self) -> str | None:
        """Return the client id.

        :origin: common.requests.RequestContext#clientId()
        """
        return self.header.client_id()

    def correlation_id(self) -> int:
        """Return the correlation id.

        :origin: common.requests.RequestContext#correlationId()
        """
        return self.header.correlation_id()

    def __str__(self) -> str:
        """:origin: common.requests.RequestContext#toString()"""
        serde = "Optional.empty" if self.principal_serde is None else f"Optional[{self.principal_serde}]"
        return (f"RequestContext(header={self.header}, connectionId='{self.connection_id}', "
                f"clientAddress={self.client_address}, principal={self.principal}, "
                f"listenerName={self.listener_name}, securityProtocol={self.security_protocol}, "
                f"clientInformation={self.client_information}, "
                f"fromPrivilegedListener={java_text(self.from_privileged_listener)}, "
                f"principalSerde={serde})")
