# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.SaslServerAuthenticator
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The server side of SASL: authenticates a client before its first request, and again later (KIP-368).

Owner: the network thread of the channel.

==============================  =======================================================  ====================
in state                        allowed message                                          then
==============================  =======================================================  ====================
INITIAL_REQUEST                 ApiVersions, SaslHandshake                               as the next one
HANDSHAKE_OR_VERSIONS_REQUEST   ApiVersions of an unknown version, any number of times   the same
                                ApiVersions of a known version, once                     HANDSHAKE_REQUEST
HANDSHAKE_OR_VERSIONS_REQUEST,  SaslHandshake                                            AUTHENTICATE
HANDSHAKE_REQUEST
AUTHENTICATE                    SaslAuthenticate after a handshake of version 1; bare    COMPLETE, at the end
                                tokens after one of version 0
REAUTH_PROCESS_HANDSHAKE        the SaslHandshake that the channel has received          AUTHENTICATE, or
                                                                                         REAUTH_BAD_MECHANISM
==============================  =======================================================  ====================

Any other request, and every failure, leads to FAILED. A state begins once the previous response is written.

Invariants: the authenticator reads nothing while a response is not fully written. Until the exchange ends,
the server holds at most one message and its response for a client. The message has at most
``sasl.server.max.receive.size`` bytes, outside the memory pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, cast

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.errors import (
    AuthenticationException,
    IllegalSaslStateException,
    InvalidRequestException,
    SaslAuthenticationException,
    UnsupportedSaslMechanismException,
    UnsupportedVersionException,
)
from kreactor.common.message.sasl_authenticate_response_data import SaslAuthenticateResponseData
from kreactor.common.message.sasl_handshake_response_data import SaslHandshakeResponseData
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.invalid_receive_exception import InvalidReceiveException
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.reauthentication_context import ReauthenticationContext
from kreactor.common.network.send import Send
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.sasl_authenticate_request import SaslAuthenticateRequest
from kreactor.common.requests.sasl_authenticate_response import SaslAuthenticateResponse
from kreactor.common.requests.sasl_handshake_request import SaslHandshakeRequest
from kreactor.common.requests.sasl_handshake_response import SaslHandshakeResponse
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
from kreactor.common.security.auth.sasl_authentication_context import SaslAuthenticationContext
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.sasl_internal_configs import SaslInternalConfigs
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.jdk.sasl import Sasl, SaslException, SaslServer

if TYPE_CHECKING:
    from kreactor.common.requests.api_versions_response import ApiVersionsResponse

log = LogContext().logger(f"{__name__}.SaslServerAuthenticator")


class SaslServerAuthenticator(Authenticator):
    """One exchange of one channel. A re-authentication gets a new authenticator.

    :origin: common.security.authenticator.SaslServerAuthenticator
    """

    __slots__ = (
        "_security_protocol", "_listener_name", "_connection_id", "_transport_layer", "_enabled_mechanisms",
        "_configs", "_principal_builder", "_callback_handlers", "_connections_max_reauth_ms_by_mechanism",
        "_time", "_reauth_info", "_metadata_registry", "_api_version_supplier", "_sasl_state",
        "_pending_sasl_state", "_pending_exception", "_sasl_server", "_sasl_mechanism",
        "_sasl_auth_request_max_receive_size", "_net_in_buffer", "_net_out_buffer",
        "_authentication_failure_send", "_enable_kafka_sasl_authenticate_headers",
    )

    class SaslState(Enum):
        """The states of an exchange; the module's docstring describes each.

        :origin: common.security.authenticator.SaslServerAuthenticator.SaslState
        """

        INITIAL_REQUEST = "INITIAL_REQUEST"
        HANDSHAKE_OR_VERSIONS_REQUEST = "HANDSHAKE_OR_VERSIONS_REQUEST"
        HANDSHAKE_REQUEST = "HANDSHAKE_REQUEST"
        AUTHENTICATE = "AUTHENTICATE"
        COMPLETE = "COMPLETE"
        FAILED = "FAILED"
        REAUTH_PROCESS_HANDSHAKE = "REAUTH_PROCESS_HANDSHAKE"
        REAUTH_BAD_MECHANISM = "REAUTH_BAD_MECHANISM"

    def __init__(
        self,
        configs: Mapping[str, Any],
        callback_handlers: Mapping[str, AuthenticateCallbackHandler],
        connection_id: str,
        listener_name: ListenerName,
        security_protocol: SecurityProtocol,
        transport_layer: TransportLayer,
        connections_max_reauth_ms_by_mechanism: Mapping[str, int],
        metadata_registry: ChannelMetadataRegistry,
        time: Time,
        api_version_supplier: Callable[[], ApiVersionsResponse],
    ) -> None:
        """Raises IllegalArgumentException if no mechanism is enabled, or an enabled one has no handler.

        :origin: common.security.authenticator.SaslServerAuthenticator#SaslServerAuthenticator(Map<String,?>,
            Map<String,AuthenticateCallbackHandler>, String, Map<String,Subject>, KerberosShortNamer,
            ListenerName, SecurityProtocol, TransportLayer, Map<String,Long>, ChannelMetadataRegistry, Time,
            Supplier<ApiVersionsResponse>)
        """
        # A circular import at module level: channel_builders imports the SASL builder, which imports this.
        from kreactor.common.network.channel_builders import ChannelBuilders

        self._callback_handlers = callback_handlers
        self._connection_id = connection_id
        self._listener_name = listener_name
        self._security_protocol = security_protocol
        # Whether SaslAuthenticate requests and responses carry the tokens.
        self._enable_kafka_sasl_authenticate_headers = False
        self._transport_layer = transport_layer
        self._connections_max_reauth_ms_by_mechanism = connections_max_reauth_ms_by_mechanism
        self._time = time
        self._reauth_info = ReauthInfo(self)
        self._metadata_registry = metadata_registry
        self._api_version_supplier = api_version_supplier
        self._sasl_state = SaslState.INITIAL_REQUEST
        # The state after the pending response is written, and the exception to raise then.
        self._pending_sasl_state: SaslState | None = None
        self._pending_exception: AuthenticationException | None = None
        self._sasl_server: SaslServer | None = None
        self._sasl_mechanism = ""
        self._net_in_buffer: NetworkReceive | None = None
        self._net_out_buffer: Send | None = None
        self._authentication_failure_send: Send | None = None

        self._configs = configs
        enabled_mechanisms = configs.get(BrokerSecurityConfigs.SASL_ENABLED_MECHANISMS_CONFIG)
        if not enabled_mechanisms:
            raise IllegalArgumentException("No SASL mechanisms are enabled")
        self._enabled_mechanisms = list(dict.fromkeys(enabled_mechanisms))
        for mechanism in self._enabled_mechanisms:
            if mechanism not in callback_handlers:
                raise IllegalArgumentException(
                    f"Callback handler not specified for SASL mechanism {mechanism}")

        self._principal_builder = ChannelBuilders.create_principal_builder(configs, None, None)

        max_receive_size = configs.get(BrokerSecurityConfigs.SASL_SERVER_MAX_RECEIVE_SIZE_CONFIG)
        self._sasl_auth_request_max_receive_size: int = (
            BrokerSecurityConfigs.DEFAULT_SASL_SERVER_MAX_RECEIVE_SIZE if max_receive_size is None
            else max_receive_size)

    def _create_sasl_server(self, mechanism: str) -> None:
        """Create the SASL server. Raises SaslException if no implementation serves ``mechanism``.

        :origin: common.security.authenticator.SaslServerAuthenticator#createSaslServer(String)
        """
        self._sasl_mechanism = mechanism
        failure = ("Kafka Server failed to create a SaslServer to interact with a client during session "
                   f"authentication with server mechanism {mechanism}")
        try:
            self._sasl_server = Sasl.create_sasl_server(
                mechanism, "kafka", self._server_address().get_host_name(), self._configs,
                self._callback_handlers[mechanism])
        except Exception as e:
            raise SaslException(failure, e) from e
        if self._sasl_server is None:
            raise SaslException(failure)

    def authenticate(self) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#authenticate()"""
        if self._sasl_state is not SaslState.REAUTH_PROCESS_HANDSHAKE:
            if self._net_out_buffer is not None and not self._flush_net_out_buffer_and_update_interest_ops():
                return

            if self._sasl_server is not None and self._sasl_server.is_complete():
                self._set_sasl_state(SaslState.COMPLETE)
                return

            # Not from the memory pool: only authenticated clients may use the pool.
            if self._net_in_buffer is None:
                self._net_in_buffer = NetworkReceive(
                    self._sasl_auth_request_max_receive_size, self._connection_id)

            try:
                self._net_in_buffer.read_from(self._transport_layer)
            except InvalidReceiveException as e:
                raise SaslAuthenticationException(
                    "Failing SASL authentication due to invalid receive size", e) from e
            if not self._net_in_buffer.complete():
                return
            self._net_in_buffer.payload().rewind()
        assert self._net_in_buffer is not None
        client_token = self._net_in_buffer.payload().to_bytes()
        # DEVIATION D176: the origin, and kreactor.fidelity=strict, never release the receive that began a
        # re-authentication, nor its memory.
        if not self._is_strict():
            self._net_in_buffer.close()
        self._net_in_buffer = None
        try:
            state = self._sasl_state
            if (state is SaslState.REAUTH_PROCESS_HANDSHAKE or state is SaslState.HANDSHAKE_REQUEST
                    or state is SaslState.HANDSHAKE_OR_VERSIONS_REQUEST):
                self._handle_kafka_request(client_token)
            elif state is SaslState.REAUTH_BAD_MECHANISM:
                raise SaslAuthenticationException(self._reauth_info.bad_mechanism_error_message)
            elif state is SaslState.AUTHENTICATE or (
                    # A client of version 0.9 begins with a GSSAPI token, without a handshake.
                    state is SaslState.INITIAL_REQUEST and not self._handle_kafka_request(client_token)):
                self._handle_sasl_token(client_token)
                if self._server().is_complete():
                    self._set_sasl_state(SaslState.COMPLETE)
        except AuthenticationException as e:
            # Raised at once, or when the pending response is written.
            self._set_sasl_state(SaslState.FAILED, e)
        except Exception as e:
            # The connection is lost, or the server has a fault. The client gets no response.
            self._sasl_state = SaslState.FAILED
            log.debug("Failed during %s: %s", self._reauth_info.authentication_or_reauthentication_text(), e)
            raise

    def principal(self) -> KafkaPrincipal:
        """Return the client's principal. Raises IllegalStateException before the exchange is complete.

        :origin: common.security.authenticator.SaslServerAuthenticator#principal()
        """
        # ``isinstance`` would import the TLS module, and so load OpenSSL, for SASL_PLAINTEXT too.
        ssl_session = getattr(self._transport_layer, "ssl_session", None)
        context = SaslAuthenticationContext(
            self._server(), self._security_protocol, self._client_address(), self._listener_name.value(),
            None if ssl_session is None else ssl_session())
        # DEVIATION D177: kreactor has no delegation tokens, so no principal is marked as authenticated by
        # one.
        return self._principal_builder.build(context)

    def principal_serde(self) -> KafkaPrincipalSerde | None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#principalSerde()"""
        builder = self._principal_builder
        return builder if isinstance(builder, KafkaPrincipalSerde) else None

    def complete(self) -> bool:
        """:origin: common.security.authenticator.SaslServerAuthenticator#complete()"""
        return self._sasl_state is SaslState.COMPLETE

    def handle_authentication_failure(self) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#handleAuthenticationFailure()"""
        self._send_authentication_failure_response()

    def close(self) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#close()"""
        if hasattr(self._principal_builder, "close"):
            Utils.close_quietly(self._principal_builder, "principal builder")
        if self._sasl_server is not None:
            self._sasl_server.dispose()

    def reauthenticate(self, reauthentication_context: ReauthenticationContext) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#reauthenticate(
            ReauthenticationContext)
        """
        sasl_handshake_receive = reauthentication_context.network_receive()
        if sasl_handshake_receive is None:
            raise IllegalArgumentException(
                "Invalid saslHandshakeReceive in server-side re-authentication context: null")
        previous_sasl_server_authenticator = reauthentication_context.previous_authenticator()
        assert isinstance(previous_sasl_server_authenticator, SaslServerAuthenticator)
        self._reauth_info.begin_reauthenticating(
            previous_sasl_server_authenticator._sasl_mechanism,
            previous_sasl_server_authenticator.principal(),
            reauthentication_context.reauthentication_begin_nanos())
        previous_sasl_server_authenticator.close()
        self._net_in_buffer = sasl_handshake_receive
        log.debug("Beginning re-authentication: %s", self)
        self._net_in_buffer.payload().rewind()
        self._set_sasl_state(SaslState.REAUTH_PROCESS_HANDSHAKE)
        self.authenticate()

    def server_session_expiration_time_nanos(self) -> int | None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#serverSessionExpirationTimeNanos()
        """
        return self._reauth_info.session_expiration_time_nanos

    def reauthentication_latency_ms(self) -> int | None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#reauthenticationLatencyMs()"""
        return self._reauth_info.reauthentication_latency_ms()

    def connected_client_supports_reauthentication(self) -> bool:
        """:origin: common.security.authenticator.SaslServerAuthenticator#connectedClientSupportsReauthentication()
        """  # noqa: E501
        return self._reauth_info.connected_client_supports_reauthentication

    def _set_sasl_state(self, sasl_state: SaslState,
                        exception: AuthenticationException | None = None) -> None:
        """Change the state and raise ``exception``, at once or when the pending send is written.

        :origin: common.security.authenticator.SaslServerAuthenticator#setSaslState(SaslState)
        :origin: common.security.authenticator.SaslServerAuthenticator#setSaslState(
            SaslState, AuthenticationException)
        """
        if self._net_out_buffer is not None and not self._net_out_buffer.completed():
            self._pending_sasl_state = sasl_state
            self._pending_exception = exception
        else:
            self._sasl_state = sasl_state
            log.debug("Set SASL server state to %s during %s", sasl_state.name,
                      self._reauth_info.authentication_or_reauthentication_text())
            self._pending_sasl_state = None
            self._pending_exception = None
            if exception is not None:
                raise exception

    def _flush_net_out_buffer_and_update_interest_ops(self) -> bool:
        """:origin: common.security.authenticator.SaslServerAuthenticator#flushNetOutBufferAndUpdateInterestOps()
        """  # noqa: E501
        flushed_completely = self._flush_net_out_buffer()
        if flushed_completely:
            self._transport_layer.remove_interest_ops(SelectionKey.OP_WRITE)
            if self._pending_sasl_state is not None:
                self._set_sasl_state(self._pending_sasl_state, self._pending_exception)
        else:
            self._transport_layer.add_interest_ops(SelectionKey.OP_WRITE)
        return flushed_completely

    def _flush_net_out_buffer(self) -> bool:
        """:origin: common.security.authenticator.SaslServerAuthenticator#flushNetOutBuffer()"""
        assert self._net_out_buffer is not None
        if not self._net_out_buffer.completed():
            self._net_out_buffer.write_to(self._transport_layer)
        return self._net_out_buffer.completed()

    def _server_address(self) -> InetAddress:
        """:origin: common.security.authenticator.SaslServerAuthenticator#serverAddress()"""
        return self._transport_layer.socket_channel().socket().get_local_address()

    def _client_address(self) -> InetAddress:
        """:origin: common.security.authenticator.SaslServerAuthenticator#clientAddress()"""
        address = self._transport_layer.socket_channel().socket().get_inet_address()
        assert address is not None, "an accepted connection has a peer"
        return address

    def _client_port(self) -> int:
        """:origin: common.security.authenticator.SaslServerAuthenticator#clientPort()"""
        return self._transport_layer.socket_channel().socket().get_port()

    def _is_strict(self) -> bool:
        """Return whether ``kreactor.fidelity`` is strict: a setting of ours."""
        return self._configs.get("kreactor.fidelity") == "strict"

    def _handle_sasl_token(self, client_token: bytes) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#handleSaslToken(byte[])"""
        sasl_server = self._server()
        if not self._enable_kafka_sasl_authenticate_headers:
            response = sasl_server.evaluate_response(client_token)
            if sasl_server.is_complete():
                self._reauth_info.calc_completion_times_and_return_session_lifetime_ms()
                if self._reauth_info.reauthenticating():
                    self._reauth_info.ensure_principal_unchanged(self.principal())
            if response is not None:
                self._net_out_buffer = ByteBufferSend.size_prefixed(ByteBuffer.wrap(response))
                self._flush_net_out_buffer_and_update_interest_ops()
            return
        request_buffer = ByteBuffer.wrap(client_token)
        header = RequestHeader.parse(request_buffer)
        api_key = header.api_key()
        version = header.api_version()
        request_context = self._request_context(header)
        request = request_context.parse_request(request_buffer).request
        if api_key is not ApiKeys.SASL_AUTHENTICATE:
            unexpected = IllegalSaslStateException(
                f"Unexpected Kafka request of type {api_key} during SASL authentication.")
            # A Produce request with acks=0 has no response.
            error_response = request.get_error_response(unexpected)
            if error_response is not None:
                self._build_response_on_authenticate_failure(request_context, error_response)
            raise unexpected
        if not api_key.is_version_supported(version):
            # No version fits for a response. A client knows the supported versions from ApiVersions.
            raise UnsupportedVersionException(f"Version {version} is not supported for apiKey {api_key}")
        # The first SaslAuthenticate request of version 1 or later decides.
        if not self._reauth_info.connected_client_supports_reauthentication:
            self._reauth_info.connected_client_supports_reauthentication = version > 0
        assert isinstance(request, SaslAuthenticateRequest)

        try:
            response_token = sasl_server.evaluate_response(bytes(request.data().auth_bytes))
            if self._reauth_info.reauthenticating() and sasl_server.is_complete():
                self._reauth_info.ensure_principal_unchanged(self.principal())
            session_lifetime_ms = (
                self._reauth_info.calc_completion_times_and_return_session_lifetime_ms()
                if sasl_server.is_complete() else 0)
            # The client gets a response even if the mechanism has no token for it.
            self._send_kafka_response(request_context, SaslAuthenticateResponse(SaslAuthenticateResponseData(
                error_code=Errors.NONE.code, auth_bytes=response_token or b"",
                session_lifetime_ms=session_lifetime_ms)))
        except SaslAuthenticationException as e:
            self._build_response_on_authenticate_failure(
                request_context, SaslAuthenticateResponse(SaslAuthenticateResponseData(
                    error_code=Errors.SASL_AUTHENTICATION_FAILED.code, error_message=e.get_message())))
            raise
        except SaslException as e:
            # The client does not get the mechanism's message, because it may reveal whether a user exists.
            error_message = (
                f"Authentication failed during {self._reauth_info.authentication_or_reauthentication_text()}"
                f" due to invalid credentials with SASL mechanism {self._sasl_mechanism}")
            self._build_response_on_authenticate_failure(
                request_context, SaslAuthenticateResponse(SaslAuthenticateResponseData(
                    error_code=Errors.SASL_AUTHENTICATION_FAILED.code, error_message=error_message)))
            raise SaslAuthenticationException(error_message, e) from e

    def _handle_kafka_request(self, request_bytes: bytes) -> bool:
        """Handle a first message that is a request. Return False if it has no request header.

        :origin: common.security.authenticator.SaslServerAuthenticator#handleKafkaRequest(byte[])
        """
        is_kafka_request = False
        client_mechanism: str | None = None
        try:
            request_buffer = ByteBuffer.wrap(request_bytes)
            header = RequestHeader.parse(request_buffer)
            api_key = header.api_key()

            # The message has a request header, so it is not a bare token.
            if self._sasl_state is SaslState.INITIAL_REQUEST:
                self._set_sasl_state(SaslState.HANDSHAKE_OR_VERSIONS_REQUEST)
            is_kafka_request = True

            # Checked before the body is parsed, because the client is not authenticated.
            if api_key is not ApiKeys.API_VERSIONS and api_key is not ApiKeys.SASL_HANDSHAKE:
                raise IllegalSaslStateException(
                    f"Unexpected Kafka request of type {api_key} during SASL handshake.")

            log.debug("Handling Kafka request %s during %s", api_key,
                      self._reauth_info.authentication_or_reauthentication_text())

            request_context = self._request_context(header)
            request = request_context.parse_request(request_buffer).request
            if isinstance(request, ApiVersionsRequest):
                self._handle_api_versions_request(request_context, request)
            else:
                assert isinstance(request, SaslHandshakeRequest)
                client_mechanism = self._handle_handshake_request(request_context, request)
        except InvalidRequestException as e:
            if self._sasl_state is not SaslState.INITIAL_REQUEST:
                raise
            # Without a header it may be the first token of a 0.9 client. A GSSAPI token begins with 0x60.
            log.debug("Received client packet of length %d, process as GSSAPI packet", len(request_bytes))
            if SaslConfigs.GSSAPI_MECHANISM not in self._enabled_mechanisms:
                raise UnsupportedSaslMechanismException(
                    "Exception handling first SASL packet from client, GSSAPI is not supported by server",
                    e) from e
            log.debug("First client packet is not a SASL mechanism request, using default mechanism GSSAPI")
            client_mechanism = SaslConfigs.GSSAPI_MECHANISM
        if client_mechanism is not None and (
                not self._reauth_info.reauthenticating()
                or self._reauth_info.sasl_mechanism_unchanged(client_mechanism)):
            self._create_sasl_server(client_mechanism)
            self._set_sasl_state(SaslState.AUTHENTICATE)
        return is_kafka_request

    def _request_context(self, header: RequestHeader) -> RequestContext:
        return RequestContext(
            header, self._connection_id, self._client_address(), KafkaPrincipal.ANONYMOUS,
            self._listener_name, self._security_protocol, ClientInformation.EMPTY, False,
            self._client_port())

    def _server(self) -> SaslServer:
        if self._sasl_server is None:
            raise IllegalStateException("Authentication exchange has not completed")
        return self._sasl_server

    def _handle_handshake_request(self, context: RequestContext,
                                  handshake_request: SaslHandshakeRequest) -> str:
        """Answer the handshake, and return the client's mechanism. Raises UnsupportedSaslMechanismException.

        :origin: common.security.authenticator.SaslServerAuthenticator#handleHandshakeRequest(
            RequestContext, SaslHandshakeRequest)
        """
        client_mechanism = handshake_request.data().mechanism
        version = context.header.api_version()
        if version >= 1:
            self._enable_kafka_sasl_authenticate_headers_flag(True)
        if client_mechanism in self._enabled_mechanisms:
            log.debug("Using SASL mechanism '%s' provided by client", client_mechanism)
            self._send_kafka_response(context, SaslHandshakeResponse(SaslHandshakeResponseData(
                error_code=Errors.NONE.code, mechanisms=self._enabled_mechanisms)))
            return client_mechanism
        log.debug("SASL mechanism '%s' requested by client is not supported", client_mechanism)
        self._build_response_on_authenticate_failure(
            context, SaslHandshakeResponse(SaslHandshakeResponseData(
                error_code=Errors.UNSUPPORTED_SASL_MECHANISM.code, mechanisms=self._enabled_mechanisms)))
        raise UnsupportedSaslMechanismException(f"Unsupported SASL mechanism {client_mechanism}")

    def _enable_kafka_sasl_authenticate_headers_flag(self, flag: bool) -> None:
        """Set the flag. Tests override this.

        :origin: common.security.authenticator.SaslServerAuthenticator#enableKafkaSaslAuthenticateHeaders(
            boolean)
        """
        self._enable_kafka_sasl_authenticate_headers = flag

    def _handle_api_versions_request(self, context: RequestContext,
                                     api_versions_request: ApiVersionsRequest) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#handleApiVersionsRequest(
            RequestContext, ApiVersionsRequest)
        """
        if self._sasl_state is not SaslState.HANDSHAKE_OR_VERSIONS_REQUEST:
            raise IllegalStateException("Unexpected ApiVersions request received during SASL authentication "
                                        f"state {self._sasl_state.name}")

        if api_versions_request.has_unsupported_request_version():
            self._send_kafka_response(context, api_versions_request.get_error_response_throttle(
                0, UnsupportedVersionException(Errors.UNSUPPORTED_VERSION.message())))
        elif not api_versions_request.is_valid():
            self._send_kafka_response(context, api_versions_request.get_error_response_throttle(
                0, InvalidRequestException(Errors.INVALID_REQUEST.message())))
        else:
            self._metadata_registry.register_client_information(ClientInformation(
                api_versions_request.data().client_software_name,
                api_versions_request.data().client_software_version))
            self._send_kafka_response(context, self._api_version_supplier())
            self._set_sasl_state(SaslState.HANDSHAKE_REQUEST)

    def _build_response_on_authenticate_failure(self, context: RequestContext,
                                                response: AbstractResponse) -> None:
        """Keep a response for ``handle_authentication_failure``.

        :origin: common.security.authenticator.SaslServerAuthenticator#buildResponseOnAuthenticateFailure(
            RequestContext, AbstractResponse)
        """
        self._authentication_failure_send = context.build_response_send(response)

    def _send_authentication_failure_response(self) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#sendAuthenticationFailureResponse()
        """
        if self._authentication_failure_send is None:
            return
        self._send(self._authentication_failure_send)
        self._authentication_failure_send = None

    def _send_kafka_response(self, context: RequestContext, response: AbstractResponse) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#sendKafkaResponse(
            RequestContext, AbstractResponse)
        """
        self._send(context.build_response_send(response))

    def _send(self, send: Send) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator#sendKafkaResponse(Send)"""
        self._net_out_buffer = send
        self._flush_net_out_buffer_and_update_interest_ops()


SaslState = SaslServerAuthenticator.SaslState


class ReauthInfo:
    """The end of the session, and the state that a re-authentication keeps.

    :origin: common.security.authenticator.SaslServerAuthenticator.ReauthInfo
    """

    __slots__ = (
        "_authenticator", "previous_sasl_mechanism", "previous_kafka_principal",
        "reauthentication_begin_nanos", "session_expiration_time_nanos",
        "connected_client_supports_reauthentication", "authentication_end_nanos",
        "bad_mechanism_error_message",
    )

    def __init__(self, authenticator: SaslServerAuthenticator) -> None:
        self._authenticator = authenticator
        self.previous_sasl_mechanism: str | None = None
        self.previous_kafka_principal: KafkaPrincipal | None = None
        self.reauthentication_begin_nanos = 0
        self.session_expiration_time_nanos: int | None = None
        self.connected_client_supports_reauthentication = False
        self.authentication_end_nanos = 0
        self.bad_mechanism_error_message = ""

    def begin_reauthenticating(self, previous_sasl_mechanism: str, previous_kafka_principal: KafkaPrincipal,
                               reauthentication_begin_nanos: int) -> None:
        """:origin: common.security.authenticator.SaslServerAuthenticator.ReauthInfo#reauthenticating(
            String, KafkaPrincipal, long)
        """
        self.previous_sasl_mechanism = previous_sasl_mechanism
        self.previous_kafka_principal = previous_kafka_principal
        self.reauthentication_begin_nanos = reauthentication_begin_nanos

    def reauthenticating(self) -> bool:
        """:origin: common.security.authenticator.SaslServerAuthenticator.ReauthInfo#reauthenticating()"""
        return self.previous_sasl_mechanism is not None

    def authentication_or_reauthentication_text(self) -> str:
        """:origin: common.security.authenticator.SaslServerAuthenticator.ReauthInfo#authenticationOrReauthenticationText()
        """  # noqa: E501
        return "re-authentication" if self.reauthenticating() else "authentication"

    def ensure_principal_unchanged(self, reauthenticated_kafka_principal: KafkaPrincipal) -> None:
        """Raises SaslAuthenticationException if the principal differs from the previous one.

        :origin: common.security.authenticator.SaslServerAuthenticator.ReauthInfo#ensurePrincipalUnchanged(
            KafkaPrincipal)
        """
        previous = self.previous_kafka_principal
        assert previous is not None
        if previous != reauthenticated_kafka_principal:
            raise SaslAuthenticationException(
                "Cannot change principals during re-authentication from "
                f"{previous.get_principal_type()}.{previous.get_name()}: "
                f"{reauthenticated_kafka_principal.get_principal_type()}."
                f"{reauthenticated_kafka_principal.get_name()}")

    def sasl_mechanism_unchanged(self, client_mechanism: str) -> bool:
        """Return whether the mechanism is unchanged. If not, the next message is refused and counted.

        :origin: common.security.authenticator.SaslServerAuthenticator.ReauthInfo#saslMechanismUnchanged(
            String)
        """
        if self.previous_sasl_mechanism == client_mechanism:
            return True
        self.bad_mechanism_error_message = (
            f"SASL mechanism '{client_mechanism}' requested by client is not supported for re-authentication "
            f"of mechanism '{self.previous_sasl_mechanism}'")
        log.debug(self.bad_mechanism_error_message)
        self._authenticator._set_sasl_state(SaslState.REAUTH_BAD_MECHANISM)
        return False

    def calc_completion_times_and_return_session_lifetime_ms(self) -> int:
        """Set the session's end. Return the session's lifetime in milliseconds, 0 if it has no end.

        :origin: common.security.authenticator.SaslServerAuthenticator.ReauthInfo#calcCompletionTimesAndReturnSessionLifetimeMs()
        """  # noqa: E501
        authenticator = self._authenticator
        session_lifetime_ms = 0
        authentication_end_ms = authenticator._time.milliseconds()
        self.authentication_end_nanos = authenticator._time.nanoseconds()
        credential_expiration_ms = cast("int | None", authenticator._server().get_negotiated_property(
            SaslInternalConfigs.CREDENTIAL_LIFETIME_MS_SASL_NEGOTIATED_PROPERTY_KEY))
        connections_max_reauth_ms = authenticator._connections_max_reauth_ms_by_mechanism.get(
            authenticator._sasl_mechanism) or 0
        lifetimes_ms = []
        if credential_expiration_ms is not None:
            lifetimes_ms.append(credential_expiration_ms - authentication_end_ms)
        if connections_max_reauth_ms > 0:
            lifetimes_ms.append(connections_max_reauth_ms)
        if lifetimes_ms:
            session_lifetime_ms = max(0, min(lifetimes_ms))
            self.session_expiration_time_nanos = (
                self.authentication_end_nanos + 1000 * 1000 * session_lifetime_ms)
        log.debug("Authentication complete; session max lifetime from broker config=%s ms, credential "
                  "expiration=%s, sending %d ms to client", connections_max_reauth_ms,
                  credential_expiration_ms, session_lifetime_ms)
        return session_lifetime_ms

    def reauthentication_latency_ms(self) -> int | None:
        """:origin: common.security.authenticator.SaslServerAuthenticator.ReauthInfo#reauthenticationLatencyMs()
        """  # noqa: E501
        if not self.reauthenticating():
            return None
        # Round any duration above 0 up to at least 1 ms.
        latency_nanos = self.authentication_end_nanos - self.reauthentication_begin_nanos
        return 0 if latency_nanos == 0 else max(1, (latency_nanos + 500_000) // 1_000_000)
