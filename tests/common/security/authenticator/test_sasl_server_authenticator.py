# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.SaslServerAuthenticatorTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The authenticator alone, with a transport layer that gives it what a test says."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.errors import IllegalSaslStateException, SaslAuthenticationException
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.default_channel_metadata_registry import DefaultChannelMetadataRegistry
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.common.requests.sasl_authenticate_request import SaslAuthenticateRequest
from kreactor.common.requests.sasl_authenticate_response import SaslAuthenticateResponse
from kreactor.common.requests.sasl_handshake_request import SaslHandshakeRequest
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.sasl_server_authenticator import SaslServerAuthenticator
from kreactor.common.security.authenticator.sasl_server_callback_handler import SaslServerCallbackHandler
from kreactor.core.server.api_version_manager import SimpleApiVersionManager
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.sasl import Sasl, SaslServer
from kreactor.testing.mock_time import MockTime

MECHANISM = "OAUTHBEARER"


class Transport:
    """Gives bytes from a list, keeps what is written."""

    def __init__(self) -> None:
        self.to_read = b""
        self.written = bytearray()
        self.layer = Mock(spec=TransportLayer)
        self.layer.read.side_effect = self.read
        self.layer.write.side_effect = self.write
        self.layer.write_buffers.side_effect = lambda buffers: sum(map(self.write, buffers))
        self.layer.has_pending_writes.return_value = False
        address = InetAddress.get_by_name("127.0.0.1")
        self.layer.socket_channel().socket().get_inet_address.return_value = address
        self.layer.socket_channel().socket().get_local_address.return_value = address

    def read(self, dst: ByteBuffer) -> int:
        part = self.to_read[:dst.remaining()]
        self.to_read = self.to_read[len(part):]
        dst.put(part)
        return len(part)

    def write(self, src: ByteBuffer) -> int:
        data = src.to_bytes()
        src.set_position(src.limit())
        self.written += data
        return len(data)

    def request(self, request, version: int) -> None:
        header = RequestHeader.of(request.api_key(), version, "clientId", 0)
        data = request.serialize_with_header(header).to_bytes()
        self.to_read += len(data).to_bytes(4, "big") + data


def setup_authenticator(transport, mechanism="SCRAM-SHA-256", registry=None, time=None, max_reauth=None):
    configs = {BrokerSecurityConfigs.SASL_ENABLED_MECHANISMS_CONFIG: [mechanism]}
    manager = SimpleApiVersionManager(ListenerType.ZK_BROKER, None)
    return SaslServerAuthenticator(
        configs, {mechanism: SaslServerCallbackHandler()}, "node", ListenerName("ssl"),
        SecurityProtocol.SASL_SSL, transport.layer, {} if max_reauth is None else {mechanism: max_reauth},
        registry or DefaultChannelMetadataRegistry(), time or MockTime(),
        lambda: manager.api_version_response(throttle_time_ms=0))


def test_oversize_request():
    transport = Transport()
    transport.to_read = (BrokerSecurityConfigs.DEFAULT_SASL_SERVER_MAX_RECEIVE_SIZE + 1).to_bytes(4, "big")
    with pytest.raises(SaslAuthenticationException):
        setup_authenticator(transport).authenticate()
    assert transport.layer.read.call_count == 1


def test_unexpected_request_type():
    transport = Transport()
    header = RequestHeader.of(ApiKeys.METADATA, 0, "clientId", 13243)
    # The header alone: nothing is to be parsed beyond it.
    data = RequestUtils.serialize(
        header.data(), header.header_version(), MetadataRequestData(topics=[]), 0).to_bytes()[:-4]
    transport.to_read = len(data).to_bytes(4, "big") + data
    with pytest.raises(IllegalSaslStateException):
        setup_authenticator(transport).authenticate()
    assert transport.layer.read.call_count == 2


@pytest.fixture
def check_api_versions_request():
    def check(version, name, software_version):
        transport, registry = Transport(), DefaultChannelMetadataRegistry()
        transport.request(ApiVersionsRequest.Builder().build_version(version), version)
        setup_authenticator(transport, registry=registry).authenticate()
        assert registry.client_information().software_name() == name
        assert registry.client_information().software_version() == software_version
        assert transport.layer.read.call_count == 2
    return check


def test_oldest_api_versions_request(check_api_versions_request):
    unknown = ClientInformation.UNKNOWN_NAME_OR_VERSION
    check_api_versions_request(ApiKeys.API_VERSIONS.oldest_version(), unknown, unknown)


def test_latest_api_versions_request(check_api_versions_request):
    version = ApiKeys.API_VERSIONS.latest_version()
    data = ApiVersionsRequest.Builder().build_version(version).data()
    check_api_versions_request(version, data.client_software_name, data.client_software_version)


def check_session(monkeypatch, time, expiration_ms, max_reauth_ms, expected_ms):
    sasl_server = Mock(spec=SaslServer)
    sasl_server.evaluate_response.return_value = b""
    sasl_server.get_negotiated_property.return_value = time.milliseconds() + expiration_ms
    monkeypatch.setattr(Sasl, "create_sasl_server", lambda *args: sasl_server)
    transport = Transport()
    authenticator = setup_authenticator(transport, MECHANISM, time=time, max_reauth=max_reauth_ms)

    version = ApiKeys.SASL_HANDSHAKE.latest_version()
    transport.request(SaslHandshakeRequest(SaslHandshakeRequestData(mechanism=MECHANISM), version), version)
    authenticator.authenticate()
    transport.written.clear()

    sasl_server.is_complete.side_effect = [False, True, True]
    version = ApiKeys.SASL_AUTHENTICATE.latest_version()
    transport.request(SaslAuthenticateRequest(SaslAuthenticateRequestData(auth_bytes=b""), version), version)
    authenticator.authenticate()

    assert authenticator.complete()
    assert (authenticator.server_session_expiration_time_nanos()
            == time.nanoseconds() + expected_ms * 1_000_000)
    response = ByteBuffer.wrap(bytes(transport.written[4:]))
    ResponseHeaderData.read(response, 1)
    assert SaslAuthenticateResponse.parse(response, version).session_lifetime_ms() == expected_ms


def test_session_expires_at_token_expiry_despite_no_reauth_is_set(monkeypatch):
    check_session(monkeypatch, MockTime(), 1_000, 0, 1_000)


def test_session_expires_at_max_reauth_time(monkeypatch):
    check_session(monkeypatch, MockTime(0, 1, 1000), 1_000, 100, 100)


def test_session_expires_at_token_expiry(monkeypatch):
    check_session(monkeypatch, MockTime(0, 1, 1000), 2_000, 4_000, 2_000)


def test_a_session_whose_token_has_expired_already(monkeypatch):
    check_session(monkeypatch, MockTime(), -5, 100, 0)
