# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.EnvelopeResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A response in an envelope."""

from __future__ import annotations

from kreactor.common.message.envelope_response_data import EnvelopeResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.envelope_response import EnvelopeResponse
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.requests.sends import sent


def test_to_send() -> None:
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
