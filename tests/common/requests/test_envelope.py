# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's EnvelopeRequestTest and EnvelopeResponseTest."""

from __future__ import annotations

from kreactor.common.message.envelope_request_data import EnvelopeRequestData
from kreactor.common.message.envelope_response_data import EnvelopeResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.envelope_request import EnvelopeRequest
from kreactor.common.requests.envelope_response import EnvelopeResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.requests.sends import sent

NOT_APPLICABLE = {"testGetPrincipal": "the principal is bytes to the request; its builder's test has it"}


def test_to_send() -> None:
    for version in ApiKeys.ENVELOPE.all_versions():
        header = RequestHeader.of(ApiKeys.ENVELOPE, version, "clientId", 15)
        memory = bytearray(b"foobar")
        builder = EnvelopeRequest.Builder(ByteBuffer.wrap(memory), b"principal", b"\x7f\0\0\1")
        request = builder.build_version(version)
        send = request.to_send(header)
        memory[0] = ord("F")
        buffer = ByteBuffer.wrap(sent(send))
        assert buffer.get_int() == send.size() - 4 == buffer.remaining()
        parsed_header = RequestHeader.parse(buffer)
        assert parsed_header.size() == header.size()
        assert parsed_header == header
        parsed = EnvelopeRequestData.read(buffer, version)
        assert parsed == request.data()
        assert parsed.request_data.to_bytes() == b"Foobar"
        assert request.request_principal() == b"principal"
        assert request.client_address() == b"\x7f\0\0\1"
        assert request.request_data().to_bytes() == b"Foobar"


def test_response_to_send() -> None:
    for version in ApiKeys.ENVELOPE.all_versions():
        header_version = ApiKeys.ENVELOPE.response_header_version(version)
        header = ResponseHeader.of(15, header_version)
        for data in (ByteBuffer.wrap(b"foobar"), None):
            response = EnvelopeResponse.of(data, Errors.NONE)
            send = response.to_send(header, version)
            buffer = ByteBuffer.wrap(sent(send))
            assert buffer.get_int() == send.size() - 4 == buffer.remaining()
            parsed_header = ResponseHeader.parse(buffer, header_version)
            assert parsed_header.size() == header.size()
            assert parsed_header == header
            assert EnvelopeResponseData.read(buffer, version) == response.data()
            assert response.error_counts() == {Errors.NONE: 1}
