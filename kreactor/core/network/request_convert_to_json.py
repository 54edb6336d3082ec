# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.RequestConvertToJson of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A request and its answer as one line of JSON, for the request log.

Kafka names a converter for each message; one converter that reads the ``SCHEMA`` serves them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.protocol.message_json_converter import (
    JsonNode,
    ObjectNode,
    PlainNode,
    write_json,
)
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.requests.produce_request import ProduceRequest

if TYPE_CHECKING:
    from kreactor.common.network.client_information import ClientInformation
    from kreactor.common.requests.abstract_request import AbstractRequest
    from kreactor.common.requests.abstract_response import AbstractResponse
    from kreactor.common.requests.request_context import RequestContext
    from kreactor.common.requests.request_header import RequestHeader
    from kreactor.network.session import Session


class RequestConvertToJson:
    """:origin: kafka.network.RequestConvertToJson"""

    @staticmethod
    def request(request: AbstractRequest) -> ObjectNode:
        """Return the body; a Produce request shows the sizes of its records.

        :origin: kafka.network.RequestConvertToJson#request
        """
        return write_json(request.data(), request.version(), not isinstance(request, ProduceRequest))

    @staticmethod
    def response(response: AbstractResponse, version: int) -> ObjectNode:
        """Return the body; a Fetch response shows the sizes of its records.

        :origin: kafka.network.RequestConvertToJson#response
        """
        return write_json(response.data(), version, not isinstance(response, FetchResponse))

    @staticmethod
    def request_header_node(header: RequestHeader) -> ObjectNode:
        """Return the header, with the name of the API, and whether the version is going away.

        :origin: kafka.network.RequestConvertToJson#requestHeaderNode
        """
        node = write_json(header.data(), header.header_version(), False)
        node["requestApiKeyName"] = str(header.api_key())
        if header.api_key().is_version_deprecated(header.api_version()):
            node["requestApiVersionDeprecated"] = True
        return node

    @staticmethod
    def request_desc(header: RequestHeader, request_node: JsonNode, is_forwarded: bool) -> ObjectNode:
        """Return header and body, which is None where there is nothing to show of it.

        :origin: kafka.network.RequestConvertToJson#requestDesc
        """
        return ObjectNode(
            isForwarded=is_forwarded,
            requestHeader=RequestConvertToJson.request_header_node(header),
            request="" if request_node is None else request_node)

    @staticmethod
    def client_info_node(client_info: ClientInformation) -> ObjectNode:
        """Return the client's software.

        :origin: kafka.network.RequestConvertToJson#clientInfoNode
        """
        return PlainNode(softwareName=client_info.software_name(),
                         softwareVersion=client_info.software_version())

    @staticmethod
    def request_desc_metrics(
            header: RequestHeader, request_node: JsonNode, response_node: JsonNode, context: RequestContext,
            session: Session, is_forwarded: bool, total_time_ms: float, request_queue_time_ms: float,
            api_local_time_ms: float, api_remote_time_ms: float, api_throttle_time_ms: int,
            response_queue_time_ms: float, response_send_time_ms: float, temporary_memory_bytes: int,
            message_conversions_time_ms: float) -> ObjectNode:
        """Return all that is known of a request that is done; times are in milliseconds.

        Its text is what stands in the log.

        :origin: kafka.network.RequestConvertToJson#requestDescMetrics
        """
        node = RequestConvertToJson.request_desc(header, request_node, is_forwarded)
        node["response"] = "" if response_node is None else response_node
        node["connection"] = context.connection_id
        node["totalTimeMs"] = float(total_time_ms)
        node["requestQueueTimeMs"] = float(request_queue_time_ms)
        node["localTimeMs"] = float(api_local_time_ms)
        node["remoteTimeMs"] = float(api_remote_time_ms)
        node["throttleTimeMs"] = api_throttle_time_ms
        node["responseQueueTimeMs"] = float(response_queue_time_ms)
        node["sendTimeMs"] = float(response_send_time_ms)
        node["securityProtocol"] = str(context.security_protocol)
        node["principal"] = str(session.principal)
        node["listener"] = context.listener_name.value()
        node["clientInformation"] = RequestConvertToJson.client_info_node(context.client_information)
        if temporary_memory_bytes > 0:
            node["temporaryMemoryBytes"] = temporary_memory_bytes
        if message_conversions_time_ms > 0:
            node["messageConversionsTime"] = float(message_conversions_time_ms)
        return node
