# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.EnvelopeRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A request in an envelope."""

from __future__ import annotations

from kreactor.common.message.envelope_request_data import EnvelopeRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.envelope_request import EnvelopeRequest
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.requests.sends import sent


def test_get_principal() -> None:
    kafka_principal = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "principal", True)
    kafka_principal_builder = DefaultKafkaPrincipalBuilder(None, None)
    request_builder = EnvelopeRequest.Builder(
        ByteBuffer.allocate(0), kafka_principal_builder.serialize(kafka_principal), b"client-address")
    request = request_builder.build_version(EnvelopeRequestData.HIGHEST_SUPPORTED_VERSION)
    principal = request.request_principal()
    assert principal is not None
    assert kafka_principal_builder.deserialize(principal) == kafka_principal


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
