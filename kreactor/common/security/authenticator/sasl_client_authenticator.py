# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.SaslClientAuthenticator
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The client side of SASL: authenticates before the first request, and re-authenticates later (KIP-368).

Owner: the network thread of the channel.

==========================================  ==============================================================
in state                                    action, then the next state
==========================================  ==============================================================
SEND_APIVERSIONS_REQUEST                    sends ApiVersions: RECEIVE_APIVERSIONS_RESPONSE
RECEIVE_APIVERSIONS_RESPONSE                SEND_HANDSHAKE_REQUEST, at once
SEND_HANDSHAKE_REQUEST                      sends the mechanism's name: RECEIVE_HANDSHAKE_RESPONSE
RECEIVE_HANDSHAKE_RESPONSE                  INITIAL, at once
INITIAL                                     sends the first token: INTERMEDIATE
INTERMEDIATE                                answers tokens; when the mechanism is complete,
                                            CLIENT_COMPLETE, or COMPLETE if no response is due
CLIENT_COMPLETE                             waits for the last response: COMPLETE
REAUTH_PROCESS_ORIG_APIVERSIONS_RESPONSE    the versions are known: REAUTH_SEND_HANDSHAKE_REQUEST, at once
REAUTH_SEND_HANDSHAKE_REQUEST               sends the name: REAUTH_RECEIVE_HANDSHAKE_OR_OTHER_RESPONSE
REAUTH_RECEIVE_HANDSHAKE_OR_OTHER_RESPONSE  keeps responses to earlier requests; then
                                            REAUTH_INITIAL, at once
REAUTH_INITIAL                              as INITIAL
==========================================  ==============================================================

Every failure leads to FAILED. A state begins once the previous send is written.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from enum import Enum
from typing import Any

from kreactor.common.errors import (
    IllegalSaslStateException,
    SaslAuthenticationException,
    UnsupportedSaslMechanismException,
)
from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.reauthentication_context import ReauthenticationContext
from kreactor.common.network.send import Send
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.correlation_id_mismatch_exception import CorrelationIdMismatchException
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.sasl_authenticate_request import SaslAuthenticateRequest
from kreactor.common.requests.sasl_authenticate_response import SaslAuthenticateResponse
from kreactor.common.requests.sasl_handshake_request import SaslHandshakeRequest
from kreactor.common.requests.sasl_handshake_response import SaslHandshakeResponse
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import BufferUnderflowException, IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import Subject
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.jdk.random_numbers import RANDOM
from kreactor.jdk.sasl import Sasl, SaslClient

_CLIENT_ID_CONFIG = "client.id"
_INT_MAX = 2**31 - 1


class SaslClientAuthenticator(Authenticator):
    """One exchange of one channel. A re-authentication gets a new authenticator.

    :origin: common.security.authenticator.SaslClientAuthenticator
    """

    class SaslState(Enum):
        """The states of an exchange; the module's docstring describes each.

        :origin: common.security.authenticator.SaslClientAuthenticator.SaslState
        """

        SEND_APIVERSIONS_REQUEST = "SEND_APIVERSIONS_REQUEST"
        RECEIVE_APIVERSIONS_RESPONSE = "RECEIVE_APIVERSIONS_RESPONSE"
        SEND_HANDSHAKE_REQUEST = "SEND_HANDSHAKE_REQUEST"
        RECEIVE_HANDSHAKE_RESPONSE = "RECEIVE_HANDSHAKE_RESPONSE"
        INITIAL = "INITIAL"
        INTERMEDIATE = "INTERMEDIATE"
        CLIENT_COMPLETE = "CLIENT_COMPLETE"
        COMPLETE = "COMPLETE"
        FAILED = "FAILED"
        REAUTH_PROCESS_ORIG_APIVERSIONS_RESPONSE = "REAUTH_PROCESS_ORIG_APIVERSIONS_RESPONSE"
        REAUTH_SEND_HANDSHAKE_REQUEST = "REAUTH_SEND_HANDSHAKE_REQUEST"
        REAUTH_RECEIVE_HANDSHAKE_OR_OTHER_RESPONSE = "REAUTH_RECEIVE_HANDSHAKE_OR_OTHER_RESPONSE"
        REAUTH_INITIAL = "REAUTH_INITIAL"

    DISABLE_KAFKA_SASL_AUTHENTICATE_HEADER = -1
    # Needs no secure generator: a guess reveals only a slightly earlier or later time.
    RNG = RANDOM
    # Seven of the last ids are reserved for these requests. A response to another request has an id outside
    # this range.
    MAX_RESERVED_CORRELATION_ID = _INT_MAX
    MIN_RESERVED_CORRELATION_ID = MAX_RESERVED_CORRELATION_ID - 7

    @staticmethod
    def is_reserved(correlation_id: int) -> bool:
        """Return whether the id is reserved for SASL requests.

        :origin: common.security.authenticator.SaslClientAuthenticator#isReserved(int)
        """
        return correlation_id >= SaslClientAuthenticator.MIN_RESERVED_CORRELATION_ID

    def __init__(
        self,
        configs: Mapping[str, Any],
        callback_handler: AuthenticateCallbackHandler,
        node: str,
        subject: Subject,
        service_principal: str,
        host: str,
        mechanism: str,
        handshake_request_enable: bool,
        transport_layer: TransportLayer,
        time: Time,
        log_context: LogContext,
    ) -> None:
        """Create the exchange. Raises SaslAuthenticationException if no SASL client implements ``mechanism``.

        :origin: common.security.authenticator.SaslClientAuthenticator#SaslClientAuthenticator(
            Map<String,?>, AuthenticateCallbackHandler, String, Subject, String, String, String, boolean,
            TransportLayer, Time, LogContext)
        """
        self._node = node
        self._subject = subject
        self._callback_handler = callback_handler
        self._host = host
        self._service_principal = service_principal
        self._mechanism = mechanism
        self._correlation_id = 0
        self._transport_layer = transport_layer
        self._configs = configs
        # Tokens are sent without a header until the broker's ApiVersions response offers SaslAuthenticate.
        self._sasl_authenticate_version = self.DISABLE_KAFKA_SASL_AUTHENTICATE_HEADER
        self._sasl_handshake_version = 0
        self._time = time
        self._log = log_context.logger(f"{__name__}.SaslClientAuthenticator")
        self._reauth_info = ReauthInfo(self)
        self._net_in_buffer: NetworkReceive | None = None
        self._net_out_buffer: Send | None = None
        # The next state, which begins once ``_net_out_buffer`` is written.
        self._pending_sasl_state: SaslState | None = None
        self._sasl_state = SaslState.INITIAL
        self._current_request_header: RequestHeader | None = None

        try:
            self._set_sasl_state(
                SaslState.SEND_APIVERSIONS_REQUEST if handshake_request_enable else SaslState.INITIAL)
            self._sasl_client = self._create_sasl_client()
        except Exception as e:
            raise SaslAuthenticationException("Failed to configure SaslClientAuthenticator", e) from e

    def _create_sasl_client(self) -> SaslClient:
        """:origin: common.security.authenticator.SaslClientAuthenticator#createSaslClient()"""
        failure = f"Failed to create SaslClient with mechanism {self._mechanism}"

        def create() -> SaslClient:
            mechs = [self._mechanism]
            self._log.debug("Creating SaslClient: service=%s;serviceHostname=%s;mechs=%s",
                            self._service_principal, self._host, mechs)
            sasl_client = Sasl.create_sasl_client(
                mechs, None, self._service_principal, self._host, self._configs, self._callback_handler)
            if sasl_client is None:
                raise SaslAuthenticationException(failure)
            return sasl_client

        try:
            return Subject.do_as(self._subject, create)
        except OSError as e:
            raise SaslAuthenticationException(failure, e) from e

    def authenticate(self) -> None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#authenticate()"""
        if self._net_out_buffer is not None and not self._flush_net_out_buffer_and_update_interest_ops():
            return

        if self._sasl_state is SaslState.SEND_APIVERSIONS_REQUEST:
            # A broker treats a request that it cannot parse as a token. It can parse version 0.
            api_versions_request = ApiVersionsRequest.Builder().build_version(0)
            self._send(api_versions_request.to_send(
                self._next_request_header(ApiKeys.API_VERSIONS, api_versions_request.version())))
            self._set_sasl_state(SaslState.RECEIVE_APIVERSIONS_RESPONSE)
            return
        if self._sasl_state is SaslState.RECEIVE_APIVERSIONS_RESPONSE:
            api_versions_response = self._receive_kafka_response()
            if api_versions_response is None:
                return
            assert isinstance(api_versions_response, ApiVersionsResponse)
            self._set_sasl_authenticate_and_handshake_versions(api_versions_response)
            self._reauth_info.api_versions_response_received_from_broker = api_versions_response
            self._set_sasl_state(SaslState.SEND_HANDSHAKE_REQUEST)
        if self._sasl_state is SaslState.SEND_HANDSHAKE_REQUEST:
            self._send_handshake_request(self._sasl_handshake_version)
            self._set_sasl_state(SaslState.RECEIVE_HANDSHAKE_RESPONSE)
            return
        if self._sasl_state is SaslState.RECEIVE_HANDSHAKE_RESPONSE:
            handshake_response = self._receive_kafka_response()
            if handshake_response is None:
                return
            assert isinstance(handshake_response, SaslHandshakeResponse)
            self._handle_sasl_handshake_response(handshake_response)
            self._set_sasl_state(SaslState.INITIAL)
        if self._sasl_state is SaslState.INITIAL:
            self._send_initial_token()
            self._set_sasl_state(SaslState.INTERMEDIATE)
            return
        if self._sasl_state is SaslState.REAUTH_PROCESS_ORIG_APIVERSIONS_RESPONSE:
            original = self._reauth_info.api_versions_response_from_original_authentication
            assert original is not None
            self._set_sasl_authenticate_and_handshake_versions(original)
            self._set_sasl_state(SaslState.REAUTH_SEND_HANDSHAKE_REQUEST)
        if self._sasl_state is SaslState.REAUTH_SEND_HANDSHAKE_REQUEST:
            self._send_handshake_request(self._sasl_handshake_version)
            self._set_sasl_state(SaslState.REAUTH_RECEIVE_HANDSHAKE_OR_OTHER_RESPONSE)
            return
        if self._sasl_state is SaslState.REAUTH_RECEIVE_HANDSHAKE_OR_OTHER_RESPONSE:
            handshake_response = self._receive_kafka_response()
            if handshake_response is None:
                return
            assert isinstance(handshake_response, SaslHandshakeResponse)
            self._handle_sasl_handshake_response(handshake_response)
            self._set_sasl_state(SaslState.REAUTH_INITIAL)
        if self._sasl_state is SaslState.REAUTH_INITIAL:
            self._send_initial_token()
            self._set_sasl_state(SaslState.INTERMEDIATE)
            return
        if self._sasl_state is SaslState.INTERMEDIATE:
            server_token = self._receive_token()
            no_responses_pending = (
                server_token is not None and not self._send_sasl_client_token(server_token, False))
            # Without a header, the client's last token gets no response. With one, every token gets a
            # response.
            if self._sasl_client.is_complete():
                if (self._sasl_authenticate_version == self.DISABLE_KAFKA_SASL_AUTHENTICATE_HEADER
                        or no_responses_pending):
                    self._set_sasl_state(SaslState.COMPLETE)
                else:
                    self._set_sasl_state(SaslState.CLIENT_COMPLETE)
            return
        if self._sasl_state is SaslState.CLIENT_COMPLETE:
            if self._receive_token() is not None:
                self._set_sasl_state(SaslState.COMPLETE)
            return
        if self._sasl_state is SaslState.FAILED:
            raise IllegalStateException("SASL handshake has already failed")

    def _send_handshake_request(self, version: int) -> None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#sendHandshakeRequest(short)"""
        handshake_request = self._create_sasl_handshake_request(version)
        self._send(handshake_request.to_send(
            self._next_request_header(ApiKeys.SASL_HANDSHAKE, handshake_request.version())))

    def _send_initial_token(self) -> None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#sendInitialToken()"""
        self._send_sasl_client_token(b"", True)

    def reauthenticate(self, reauthentication_context: ReauthenticationContext) -> None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#reauthenticate(
            ReauthenticationContext)
        """
        previous_sasl_client_authenticator = reauthentication_context.previous_authenticator()
        assert isinstance(previous_sasl_client_authenticator, SaslClientAuthenticator)
        api_versions_response = previous_sasl_client_authenticator._reauth_info.api_versions_response()
        previous_sasl_client_authenticator.close()
        assert api_versions_response is not None, "it has authenticated"
        self._reauth_info.begin_reauthenticating(
            api_versions_response, reauthentication_context.reauthentication_begin_nanos())
        self._net_in_buffer = reauthentication_context.network_receive()
        self._set_sasl_state(SaslState.REAUTH_PROCESS_ORIG_APIVERSIONS_RESPONSE)
        self.authenticate()

    def poll_response_received_during_reauthentication(self) -> NetworkReceive | None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#pollResponseReceivedDuringReauthentication()
        """  # noqa: E501
        return self._reauth_info.poll_response_received_during_reauthentication()

    def client_session_reauthentication_time_nanos(self) -> int | None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#clientSessionReauthenticationTimeNanos()
        """  # noqa: E501
        return self._reauth_info.client_session_reauthentication_time_nanos

    def reauthentication_latency_ms(self) -> int | None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#reauthenticationLatencyMs()"""
        return self._reauth_info.reauthentication_latency_ms()

    def _next_correlation_id(self) -> int:
        """:origin: common.security.authenticator.SaslClientAuthenticator#nextCorrelationId()"""
        if not self.is_reserved(self._correlation_id):
            self._correlation_id = self.MIN_RESERVED_CORRELATION_ID
        correlation_id = self._correlation_id
        # Overflow as Java's int does. A negative id is not reserved, so the next call starts again at the
        # minimum.
        self._correlation_id = correlation_id + 1 if correlation_id < _INT_MAX else -_INT_MAX - 1
        return correlation_id

    def _next_request_header(self, api_key: ApiKeys, version: int) -> RequestHeader:
        """:origin: common.security.authenticator.SaslClientAuthenticator#nextRequestHeader(ApiKeys, short)
        """
        self._current_request_header = RequestHeader(
            RequestHeaderData(
                request_api_key=api_key.id, request_api_version=version,
                client_id=self._configs.get(_CLIENT_ID_CONFIG), correlation_id=self._next_correlation_id()),
            api_key.request_header_version(version))
        return self._current_request_header

    def _create_sasl_handshake_request(self, version: int) -> SaslHandshakeRequest:
        """Return the SaslHandshake request. Tests override this.

        :origin: common.security.authenticator.SaslClientAuthenticator#createSaslHandshakeRequest(short)
        """
        return SaslHandshakeRequest.Builder(
            SaslHandshakeRequestData(mechanism=self._mechanism)).build_version(version)

    def _set_sasl_authenticate_and_handshake_versions(
            self, api_versions_response: ApiVersionsResponse) -> None:
        """Set both versions from the broker's ApiVersions. Tests override this.

        :origin: common.security.authenticator.SaslClientAuthenticator#setSaslAuthenticateAndHandshakeVersions(
            ApiVersionsResponse)
        """  # noqa: E501
        authenticate_version = api_versions_response.api_version(ApiKeys.SASL_AUTHENTICATE.id)
        if authenticate_version is not None:
            self._sasl_authenticate_version = min(
                authenticate_version.max_version, ApiKeys.SASL_AUTHENTICATE.latest_version())
        handshake_version = api_versions_response.api_version(ApiKeys.SASL_HANDSHAKE.id)
        if handshake_version is not None:
            self._sasl_handshake_version = min(
                handshake_version.max_version, ApiKeys.SASL_HANDSHAKE.latest_version())

    def _set_sasl_state(self, sasl_state: SaslState) -> None:
        """Change the state, at once or when the pending send is written.

        :origin: common.security.authenticator.SaslClientAuthenticator#setSaslState(
            SaslClientAuthenticator.SaslState)
        """
        if self._net_out_buffer is not None and not self._net_out_buffer.completed():
            self._pending_sasl_state = sasl_state
        else:
            self._pending_sasl_state = None
            self._sasl_state = sasl_state
            self._log.debug("Set SASL client state to %s", sasl_state.name)
            if sasl_state is SaslState.COMPLETE:
                self._reauth_info.set_authentication_end_and_session_reauthentication_times(
                    self._time.nanoseconds())
                if not self._reauth_info.reauthenticating():
                    self._transport_layer.remove_interest_ops(SelectionKey.OP_WRITE)
                else:
                    # The channel's own send, which waited for the re-authentication, continues.
                    self._transport_layer.add_interest_ops(SelectionKey.OP_WRITE)

    def _send_sasl_client_token(self, server_token: bytes, is_initial: bool) -> bool:
        """Send the mechanism's next token. Return whether there was one.

        :origin: common.security.authenticator.SaslClientAuthenticator#sendSaslClientToken(byte[], boolean)
        """
        if not self._sasl_client.is_complete():
            sasl_token = self._create_sasl_token(server_token, is_initial)
            if sasl_token is not None:
                if self._sasl_authenticate_version == self.DISABLE_KAFKA_SASL_AUTHENTICATE_HEADER:
                    send: Send = ByteBufferSend.size_prefixed(ByteBuffer.wrap(sasl_token))
                else:
                    request = SaslAuthenticateRequest.Builder(SaslAuthenticateRequestData(
                        auth_bytes=sasl_token)).build_version(self._sasl_authenticate_version)
                    send = request.to_send(self._next_request_header(
                        ApiKeys.SASL_AUTHENTICATE, self._sasl_authenticate_version))
                self._send(send)
                return True
        return False

    def _send(self, send: Send) -> None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#send(Send)"""
        try:
            self._net_out_buffer = send
            self._flush_net_out_buffer_and_update_interest_ops()
        except OSError:
            self._set_sasl_state(SaslState.FAILED)
            raise

    def _flush_net_out_buffer_and_update_interest_ops(self) -> bool:
        """:origin: common.security.authenticator.SaslClientAuthenticator#flushNetOutBufferAndUpdateInterestOps()
        """  # noqa: E501
        flushed_completely = self._flush_net_out_buffer()
        if flushed_completely:
            self._transport_layer.remove_interest_ops(SelectionKey.OP_WRITE)
            if self._pending_sasl_state is not None:
                self._set_sasl_state(self._pending_sasl_state)
        else:
            self._transport_layer.add_interest_ops(SelectionKey.OP_WRITE)
        return flushed_completely

    def _receive_response_or_token(self) -> bytes | None:
        """Return the received bytes, or None if the message is not complete.

        :origin: common.security.authenticator.SaslClientAuthenticator#receiveResponseOrToken()
        """
        if self._net_in_buffer is None:
            self._net_in_buffer = NetworkReceive(source=self._node)
        self._net_in_buffer.read_from(self._transport_layer)
        server_packet = None
        if self._net_in_buffer.complete():
            self._net_in_buffer.payload().rewind()
            server_packet = self._net_in_buffer.payload().to_bytes()
            self._net_in_buffer = None
        return server_packet

    def principal(self) -> KafkaPrincipal:
        """Raises IllegalStateException, because only the broker builds the client's principal.

        :origin: common.security.authenticator.SaslClientAuthenticator#principal()
        """
        raise IllegalStateException("Principal name cannot be null")

    def principal_serde(self) -> KafkaPrincipalSerde | None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#principalSerde()"""
        return None

    def complete(self) -> bool:
        """:origin: common.security.authenticator.SaslClientAuthenticator#complete()"""
        return self._sasl_state is SaslState.COMPLETE

    def close(self) -> None:
        """:origin: common.security.authenticator.SaslClientAuthenticator#close()"""
        self._sasl_client.dispose()

    def _receive_token(self) -> bytes | None:
        """Return a token, or None if it is not complete. Raises the exception of the broker's error code.

        :origin: common.security.authenticator.SaslClientAuthenticator#receiveToken()
        """
        if self._sasl_authenticate_version == self.DISABLE_KAFKA_SASL_AUTHENTICATE_HEADER:
            return self._receive_response_or_token()
        response = self._receive_kafka_response()
        if response is None:
            return None
        assert isinstance(response, SaslAuthenticateResponse)
        exception = response.error().exception(response.error_message())
        if exception is not None:
            self._set_sasl_state(SaslState.FAILED)
            raise exception
        session_lifetime_ms = response.session_lifetime_ms()
        if session_lifetime_ms > 0:
            self._reauth_info.positive_session_lifetime_ms = session_lifetime_ms
        return bytes(response.sasl_auth_bytes())

    def _create_sasl_token(self, sasl_token: bytes, is_initial: bool) -> bytes | None:
        """Return the mechanism's answer. Raises SaslAuthenticationException if it refuses ``sasl_token``.

        :origin: common.security.authenticator.SaslClientAuthenticator#createSaslToken(byte[], boolean)
        """
        try:
            if is_initial and not self._sasl_client.has_initial_response():
                return sasl_token
            return Subject.do_as(self._subject, lambda: self._sasl_client.evaluate_challenge(sasl_token))
        except OSError as e:
            raise SaslAuthenticationException(
                f"An error: ({type(e).__name__}: {e}) occurred when evaluating SASL token received from the "
                "Kafka Broker. Kafka Client will go to AUTHENTICATION_FAILED state.", e) from e

    def _flush_net_out_buffer(self) -> bool:
        """:origin: common.security.authenticator.SaslClientAuthenticator#flushNetOutBuffer()"""
        assert self._net_out_buffer is not None
        if not self._net_out_buffer.completed():
            self._net_out_buffer.write_to(self._transport_layer)
        return self._net_out_buffer.completed()

    def _receive_kafka_response(self) -> AbstractResponse | None:
        """Return the response, or None if it is not complete. Raises IllegalSaslStateException.

        :origin: common.security.authenticator.SaslClientAuthenticator#receiveKafkaResponse()
        """
        if self._net_in_buffer is None:
            self._net_in_buffer = NetworkReceive(source=self._node)
        receive = self._net_in_buffer
        try:
            response_bytes = self._receive_response_or_token()
            if response_bytes is None:
                return None
            assert self._current_request_header is not None
            response = self._parse_response(ByteBuffer.wrap(response_bytes), self._current_request_header)
            self._current_request_header = None
            return response
        except (BufferUnderflowException, SchemaException, IllegalArgumentException) as e:
            if self._reauth_info.reauthenticating():
                # A response to an earlier request; the channel gets it after the re-authentication.
                receive.payload().rewind()
                self._reauth_info.pending_authenticated_receives.append(receive)
                return None
            self._log.debug("Invalid SASL mechanism response, server may be expecting only GSSAPI tokens")
            self._set_sasl_state(SaslState.FAILED)
            raise IllegalSaslStateException("Invalid SASL mechanism response, server may be expecting a "
                                            "different protocol", e) from e

    def _parse_response(self, response_buffer: ByteBuffer, request_header: RequestHeader) -> AbstractResponse:
        """Parse a response. Raises SchemaException for a response to an ordinary request.

        In Kafka this method is in NetworkClient, which this package must not import.
        """
        try:
            return AbstractResponse.parse_response(response_buffer, request_header)
        except CorrelationIdMismatchException as e:
            if self.is_reserved(e.response_correlation_id()):
                raise
            raise SchemaException("The response is unrelated to Sasl request since its correlation id is "
                                  f"{e.response_correlation_id()} and the reserved range for Sasl request is "
                                  f"[ {self.MIN_RESERVED_CORRELATION_ID},"
                                  f"{self.MAX_RESERVED_CORRELATION_ID}]") from e

    def _handle_sasl_handshake_response(self, response: SaslHandshakeResponse) -> None:
        """Check the error code. Raises UnsupportedSaslMechanismException or IllegalSaslStateException.

        :origin: common.security.authenticator.SaslClientAuthenticator#handleSaslHandshakeResponse(
            SaslHandshakeResponse)
        """
        error = response.error()
        if error is Errors.NONE:
            return
        self._set_sasl_state(SaslState.FAILED)
        enabled = f"enabled mechanisms are [{', '.join(response.enabled_mechanisms())}]"
        if error is Errors.UNSUPPORTED_SASL_MECHANISM:
            raise UnsupportedSaslMechanismException(
                f"Client SASL mechanism '{self._mechanism}' not enabled in the server, {enabled}")
        if error is Errors.ILLEGAL_SASL_STATE:
            raise IllegalSaslStateException(
                f"Unexpected handshake request with client mechanism {self._mechanism}, {enabled}")
        raise IllegalSaslStateException(
            f"Unknown error code {error.name}, client mechanism is {self._mechanism}, {enabled}")


SaslState = SaslClientAuthenticator.SaslState


class ReauthInfo:
    """The time of the re-authentication, and the responses read during it.

    :origin: common.security.authenticator.SaslClientAuthenticator.ReauthInfo
    """

    __slots__ = (
        "_authenticator", "api_versions_response_from_original_authentication",
        "reauthentication_begin_nanos", "pending_authenticated_receives",
        "api_versions_response_received_from_broker", "positive_session_lifetime_ms",
        "authentication_end_nanos", "client_session_reauthentication_time_nanos",
    )

    def __init__(self, authenticator: SaslClientAuthenticator) -> None:
        self._authenticator = authenticator
        self.api_versions_response_from_original_authentication: ApiVersionsResponse | None = None
        self.reauthentication_begin_nanos = 0
        self.pending_authenticated_receives: deque[NetworkReceive] = deque()
        self.api_versions_response_received_from_broker: ApiVersionsResponse | None = None
        self.positive_session_lifetime_ms: int | None = None
        self.authentication_end_nanos = 0
        self.client_session_reauthentication_time_nanos: int | None = None

    def begin_reauthenticating(self, api_versions_response_from_original_authentication: ApiVersionsResponse,
                               reauthentication_begin_nanos: int) -> None:
        """:origin: common.security.authenticator.SaslClientAuthenticator.ReauthInfo#reauthenticating(
            ApiVersionsResponse, long)
        """
        self.api_versions_response_from_original_authentication = (
            api_versions_response_from_original_authentication)
        self.reauthentication_begin_nanos = reauthentication_begin_nanos

    def reauthenticating(self) -> bool:
        """:origin: common.security.authenticator.SaslClientAuthenticator.ReauthInfo#reauthenticating()"""
        return self.api_versions_response_from_original_authentication is not None

    def api_versions_response(self) -> ApiVersionsResponse | None:
        """:origin: common.security.authenticator.SaslClientAuthenticator.ReauthInfo#apiVersionsResponse()
        """
        if self.reauthenticating():
            return self.api_versions_response_from_original_authentication
        return self.api_versions_response_received_from_broker

    def poll_response_received_during_reauthentication(self) -> NetworkReceive | None:
        """:origin: common.security.authenticator.SaslClientAuthenticator.ReauthInfo#pollResponseReceivedDuringReauthentication()
        """  # noqa: E501
        receives = self.pending_authenticated_receives
        return receives.popleft() if receives else None

    def set_authentication_end_and_session_reauthentication_times(self, now_nanos: int) -> None:
        """Pick a random time at 85 to 95 % of the session, so that channels do not re-authenticate at once.

        :origin: common.security.authenticator.SaslClientAuthenticator.ReauthInfo#setAuthenticationEndAndSessionReauthenticationTimes(
            long)
        """  # noqa: E501
        authenticator = self._authenticator
        self.authentication_end_nanos = now_nanos
        if self.positive_session_lifetime_ms is not None:
            pct_to_use = 0.85 + authenticator.RNG.random() * 0.10
            session_lifetime_ms_to_use = int(self.positive_session_lifetime_ms * pct_to_use)
            self.client_session_reauthentication_time_nanos = (
                self.authentication_end_nanos + 1000 * 1000 * session_lifetime_ms_to_use)
            authenticator._log.debug(
                "Finished %s with session expiration in %d ms and session re-authentication on or after %d "
                "ms", self._authentication_or_reauthentication_text(), self.positive_session_lifetime_ms,
                session_lifetime_ms_to_use)
        else:
            authenticator._log.debug(
                "Finished %s with no session expiration and no session re-authentication",
                self._authentication_or_reauthentication_text())

    def reauthentication_latency_ms(self) -> int | None:
        """:origin: common.security.authenticator.SaslClientAuthenticator.ReauthInfo#reauthenticationLatencyMs()
        """  # noqa: E501
        if not self.reauthenticating():
            return None
        return (self.authentication_end_nanos - self.reauthentication_begin_nanos + 500_000) // 1_000_000

    def _authentication_or_reauthentication_text(self) -> str:
        """:origin: common.security.authenticator.SaslClientAuthenticator.ReauthInfo#authenticationOrReauthenticationText()
        """  # noqa: E501
        return "re-authentication" if self.reauthenticating() else "authentication"
