# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.SaslAuthenticatorTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client and a server of the port, each with a selector, over loopback."""

from __future__ import annotations

import logging
import socket
import struct
from collections.abc import Iterator
from copy import copy
from typing import Any

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    SaslAuthenticationException,
    SslAuthenticationException,
    UnsupportedSaslMechanismException,
)
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.message.list_offsets_response_data import ListOffsetsResponseData
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.requests.correlation_id_mismatch_exception import CorrelationIdMismatchException
from kreactor.common.requests.list_offsets_response import ListOffsetsResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_builder import KafkaPrincipalBuilder
from kreactor.common.security.authenticator.default_login import DefaultLogin
from kreactor.common.security.authenticator.sasl_client_authenticator import SaslClientAuthenticator
from kreactor.common.security.authenticator.sasl_server_authenticator import SaslServerAuthenticator
from kreactor.common.security.plain.internals.plain_server_callback_handler import PlainServerCallbackHandler
from kreactor.common.security.plain.plain_login_module import PlainLoginModule
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.security.scram.scram_login_module import ScramLoginModule
from kreactor.common.utils.log_context import TRACE
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.login import LoginContext, LoginException, Subject
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.sasl import NameCallback, PasswordCallback, SaslException, UnsupportedCallbackException
from kreactor.jdk.ssl_exceptions import SSLPeerUnverifiedException
from kreactor.testing.certificates import new_certificate
from kreactor.testing.mock_time import MockTime
from tests.common.network.network_test_utils import (
    check_client_connection,
    framed,
    wait_for_channel_close,
    wait_for_channel_ready,
    wait_for_condition,
)
from tests.common.security.authenticator.sasl_ends import PASSWORD, SASL_PLAINTEXT, SASL_SSL, USER, Ends

CONNECTIONS_MAX_REAUTH_MS_VALUE = 100
MORE_THAN_A_SESSION_MS = 110


@pytest.fixture(autouse=True)
def no_secrets(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No password is in the log, at any level."""
    caplog.set_level(TRACE)
    yield
    assert PASSWORD not in "".join(
        logging.Formatter().format(record) for record in caplog.get_records("call"))


@pytest.fixture
def new_ends() -> Iterator[Any]:
    made: list[Ends] = []

    def new(*args: Any, **kwargs: Any) -> Ends:
        made.append(Ends(*args, **kwargs))
        return made[-1]

    yield new
    for ends in made:
        ends.close()


def let_in(ends: Ends) -> None:
    ends.add_scram_user()
    server = ends.start()
    ends.check_success()
    server.verify_authentication_metrics(1, 0)


def check_authentication_and_reauthentication(new_ends: Any, protocol: Any, mechanism: str,
                                              **server_props: str) -> Ends:
    """Have a client let in, and let in again when its session has passed."""
    ends = new_sessions(new_ends, protocol, mechanism)
    ends.server_props |= server_props
    server = ends.start()
    ends.check_success()
    server.verify_authentication_metrics(1, 0)
    ends.time.sleep(MORE_THAN_A_SESSION_MS)
    server.verify_reauthentication_metrics(0, 0)
    check_client_connection(ends.selector, "0", 100, 10)
    server.verify_reauthentication_metrics(1, 0)
    return ends


def new_sessions(new_ends: Any, protocol: Any, mechanism: str) -> Any:
    """Return ends whose sessions last as long as in the origin, by a clock that stands still."""
    ends = new_ends(protocol, [mechanism], time=MockTime())
    ends.add_scram_user()
    ends.server_props["connections.max.reauth.ms"] = CONNECTIONS_MAX_REAUTH_MS_VALUE
    return ends


def refused(ends: Ends, message: str) -> None:
    """Have a client refused with ``message``; that is counted as no second authentication."""
    server = ends.start()
    check_refused(ends, message)
    server.verify_authentication_metrics(0, 1)
    server.verify_reauthentication_metrics(0, 0)


def check_refused(ends: Ends, message: str) -> Exception:
    exception = ends.check_failure().exception()
    assert isinstance(exception, SaslAuthenticationException)
    assert exception.get_message() == message
    return exception


def invalid(mechanism: str) -> str:
    return ("Authentication failed during authentication due to invalid credentials with SASL mechanism "
            f"{mechanism}")


def test_valid_sasl_plain_over_ssl(new_ends: Any) -> None:
    check_authentication_and_reauthentication(new_ends, SASL_SSL, "PLAIN")


def test_valid_sasl_plain_over_plaintext(new_ends: Any) -> None:
    check_authentication_and_reauthentication(new_ends, SASL_PLAINTEXT, "PLAIN")


def test_repeated_valid_sasl_plain_over_ssl(new_ends: Any) -> None:
    ends = new_sessions(new_ends, SASL_SSL, "PLAIN")
    # 85 % of a session is more than a second, before which no server authenticates anybody again.
    ends.server_props["connections.max.reauth.ms"] = session_ms = int(1.1 * 1000 / 0.85)
    server = ends.start()
    ends.check_success()
    server.verify_authentication_metrics(1, 0)
    server.verify_reauthentication_metrics(0, 0)
    for count in range(1, 6):
        ends.time.sleep(session_ms)
        check_client_connection(ends.selector, "0", 100, 10)
        server.verify_reauthentication_metrics(count, 0)
    server.verify_authentication_metrics(1, 0)


def test_invalid_password_sasl_plain(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL)
    ends.set_client_jaas(username=USER, password="invalidpassword")
    refused(ends, "Authentication failed: Invalid username or password")


def test_invalid_username_sasl_plain(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL)
    ends.set_client_jaas(username="invaliduser", password=PASSWORD)
    refused(ends, "Authentication failed: Invalid username or password")


def check_no_channel_is_made(ends: Ends, cause: str) -> None:
    ends.start()
    with pytest.raises(OSError) as e:
        ends.connect()
    assert cause in [str(each) for each in causes(e.value)]
    assert ends.selector is not None
    assert not ends.selector.channels()
    assert not [key for key in ends.selector.keys() if key.is_valid()]


def causes(e: BaseException) -> list[BaseException]:
    found = [e]
    while found[-1].__cause__ is not None:
        found.append(found[-1].__cause__)
    return found


def test_missing_username_sasl_plain(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL)
    ends.set_client_jaas(password=PASSWORD)
    check_no_channel_is_made(ends, "PLAIN: authorization ID and password must be specified")


def test_missing_password_sasl_plain(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL)
    ends.set_client_jaas(username=USER)
    check_no_channel_is_made(ends, "Cannot get userid/password")


def test_empty_username_and_empty_password(new_ends: Any) -> None:
    """The client sends what is empty, and the server says what is missing."""
    ends = new_ends(SASL_SSL)
    ends.set_client_jaas(username="", password=PASSWORD)
    refused(ends, "Authentication failed: username not specified")
    ends.set_client_jaas(username=USER, password="")
    check_refused(ends, "Authentication failed: password not specified")


class InvalidScramServerCallbackHandler(AuthenticateCallbackHandler):
    """Fails with what a test says."""

    error: BaseException | None = None

    def configure(self, configs: Any, sasl_mechanism: str, jaas_config_entries: Any) -> None:
        """Needs nothing."""

    def handle(self, callbacks: Any) -> None:
        assert self.error is not None
        raise self.error

    def close(self) -> None:
        """Nothing is held."""


def test_client_exception_does_not_contain_sensitive_data(
        new_ends: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = new_ends(SASL_PLAINTEXT, ["SCRAM-SHA-256"])
    prefix = ends.listener.sasl_mechanism_config_prefix("SCRAM-SHA-256")
    ends.server_props[f"{prefix}sasl.server.callback.handler.class"] = InvalidScramServerCallbackHandler
    ends.start()
    for error, message in (
            (OSError("Could not connect to password database localhost:8000"), invalid("SCRAM-SHA-256")),
            (SaslException(f"Password for existing user {USER} is invalid"), invalid("SCRAM-SHA-256")),
            (SaslAuthenticationException("Credential verification failed"),
             "Credential verification failed")):
        monkeypatch.setattr(InvalidScramServerCallbackHandler, "error", error)
        check_refused(ends, message)


def test_client_exception_does_not_contain_the_password(new_ends: Any) -> None:
    ends = new_ends(mechanisms=["SCRAM-SHA-256"])
    ends.add_scram_user()
    ends.set_client_jaas(username=USER, password="sEcret")
    ends.start()
    exception = check_refused(ends, invalid("SCRAM-SHA-256"))
    assert "sEcret" not in "".join(repr(each) + str(each) for each in causes(exception))


def test_valid_sasl_scram_sha256(new_ends: Any) -> None:
    check_authentication_and_reauthentication(new_ends, SASL_SSL, "SCRAM-SHA-256")


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
@pytest.mark.parametrize("protocol", [SASL_PLAINTEXT, SASL_SSL])
def test_valid_sasl_scram_mechanisms(new_ends: Any, protocol: Any, mechanism: str) -> None:
    let_in(new_ends(protocol, ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], mechanism))


def test_invalid_password_sasl_scram(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL, ["SCRAM-SHA-256"])
    ends.add_scram_user()
    ends.set_client_jaas(username=USER, password="invalidpassword")
    refused(ends, invalid("SCRAM-SHA-256"))


@pytest.mark.parametrize("password", [PASSWORD, "invalidpassword"])
def test_unknown_user_sasl_scram(new_ends: Any, password: str) -> None:
    ends = new_ends(SASL_SSL, ["SCRAM-SHA-256"])
    ends.add_scram_user()
    ends.set_client_jaas(username="unknownUser", password=password)
    refused(ends, invalid("SCRAM-SHA-256"))


def test_user_credentials_unavailable_for_scram_mechanism(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL, ["SCRAM-SHA-256", "SCRAM-SHA-512"])
    ends.add_scram_user()
    ends.credentials.cache("SCRAM-SHA-256", ScramCredential).remove(USER)
    server = ends.start()
    check_refused(ends, invalid("SCRAM-SHA-256"))
    server.verify_authentication_metrics(0, 1)

    ends.client_props["sasl.mechanism"] = "SCRAM-SHA-512"
    ends.check_success()
    server.verify_authentication_metrics(1, 1)
    server.verify_reauthentication_metrics(0, 0)


def test_scram_username_with_special_characters(new_ends: Any) -> None:
    username = "special user= test,scram"
    password = f"{username}-password"
    ends = new_ends(SASL_SSL, ["SCRAM-SHA-256"])
    ends.add_scram_user(username, password)
    ends.set_client_jaas(username=username, password=password)
    ends.start()
    ends.check_success()


def test_invalid_login_module(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL)
    ends.client_props["sasl.jaas.config"] = "invalid.Module required username=a;"
    ends.start()
    with pytest.raises(KafkaException):
        ends.connect()


def test_disabled_mechanism(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL, mechanisms=["SCRAM-SHA-256"], client_mechanism="PLAIN")
    server = ends.start()
    exception = ends.check_failure().exception()
    assert isinstance(exception, UnsupportedSaslMechanismException)
    assert exception.get_message() == (
        "Client SASL mechanism 'PLAIN' not enabled in the server, enabled mechanisms are [SCRAM-SHA-256]")
    server.verify_authentication_metrics(0, 1)
    server.verify_reauthentication_metrics(0, 0)


def test_invalid_mechanism(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL, client_mechanism="INVALID")
    server = ends.start()
    with pytest.raises(OSError) as e:
        ends.connect()
    server.verify_authentication_metrics(0, 0)
    server.verify_reauthentication_metrics(0, 0)
    underlying_cause = causes(e.value)[3]
    assert type(underlying_cause) is SaslAuthenticationException
    assert underlying_cause.get_message() == "Failed to create SaslClient with mechanism INVALID"


def test_valid_sasl_oauth_bearer_mechanism(new_ends: Any) -> None:
    let_in(new_ends(SASL_SSL, ["OAUTHBEARER"]))


def test_a_token_that_is_not_believed(new_ends: Any) -> None:
    ends = new_ends(mechanisms=["OAUTHBEARER"])
    ends.set_client_jaas(unsecuredLoginStringClaim_sub=USER, unsecuredLoginLifetimeSeconds="-10")
    refused(ends, '{"status":"invalid_token"}')


# -- ends that know nothing of SaslAuthenticate --------------------------------------------------------


class OldServerAuthenticator(SaslServerAuthenticator):
    """Tells of no SaslAuthenticate, and takes none."""

    __slots__ = ()

    def _enable_kafka_sasl_authenticate_headers_flag(self, flag: bool) -> None:
        """Do nothing."""


class OldClientAuthenticator(SaslClientAuthenticator):
    """Knows of no SaslAuthenticate."""

    def _set_sasl_authenticate_and_handshake_versions(self, response: ApiVersionsResponse) -> None:
        """Stay with version 0 of the handshake."""


def old_server(ends: Ends) -> None:
    supplier: Any = None

    def prepare(builder: Any) -> None:
        nonlocal supplier
        supplier = builder._api_version_supplier

        def without_authenticate() -> ApiVersionsResponse:
            data = supplier().data()
            old = copy(data)
            old.api_keys = [key for key in data.api_keys if key.api_key != ApiKeys.SASL_AUTHENTICATE.id]
            return ApiVersionsResponse(old)

        builder._build_server_authenticator = lambda id, transport_layer, registry: OldServerAuthenticator(
            builder._configs, builder._sasl_callback_handlers, id, builder._listener_name,
            builder._security_protocol, transport_layer, builder._connections_max_reauth_ms_by_mechanism,
            registry, builder._time, without_authenticate)

    ends.prepare_server = prepare


def old_client(ends: Ends) -> None:
    def prepare(builder: Any) -> None:
        builder._build_client_authenticator = (
            lambda handler, id, host, principal, transport_layer, subject: OldClientAuthenticator(
                builder._configs, handler, id, subject, principal, host, builder._client_sasl_mechanism,
                True, transport_layer, builder._time, builder._log_context))

    ends.prepare_client = prepare


def check_old(new_ends: Any, protocol: Any, mechanism: str, old: Any, *, fails: bool) -> None:
    ends = new_ends(protocol, [mechanism])
    ends.add_scram_user()
    old(ends)
    if not fails:
        let_in(ends)
        return
    ends.set_client_jaas(username=USER, password="invalidpassword")
    server = ends.start()
    # Without a header around it, nobody says what is wrong; nor is it counted where SCRAM says no.
    wait_for_channel_close(ends.connect(), "0", ChannelState.State.AUTHENTICATE)
    server.verify_authentication_metrics(0, 1 if mechanism == "PLAIN" else 0)


def test_old_sasl_plain_plaintext_server_without_sasl_authenticate_header(new_ends: Any) -> None:
    check_old(new_ends, SASL_PLAINTEXT, "PLAIN", old_server, fails=False)


def test_old_sasl_plain_plaintext_client_without_sasl_authenticate_header(new_ends: Any) -> None:
    check_old(new_ends, SASL_PLAINTEXT, "PLAIN", old_client, fails=False)


def test_old_sasl_scram_plaintext_server_without_sasl_authenticate_header(new_ends: Any) -> None:
    check_old(new_ends, SASL_PLAINTEXT, "SCRAM-SHA-256", old_server, fails=False)


def test_old_sasl_scram_plaintext_client_without_sasl_authenticate_header(new_ends: Any) -> None:
    check_old(new_ends, SASL_PLAINTEXT, "SCRAM-SHA-256", old_client, fails=False)


def test_old_sasl_plain_ssl_server_without_sasl_authenticate_header(new_ends: Any) -> None:
    check_old(new_ends, SASL_SSL, "PLAIN", old_server, fails=False)


def test_old_sasl_plain_ssl_client_without_sasl_authenticate_header(new_ends: Any) -> None:
    check_old(new_ends, SASL_SSL, "PLAIN", old_client, fails=False)


def test_old_sasl_scram_ssl_server_without_sasl_authenticate_header(new_ends: Any) -> None:
    check_old(new_ends, SASL_SSL, "SCRAM-SHA-512", old_server, fails=False)


def test_old_sasl_scram_ssl_client_without_sasl_authenticate_header(new_ends: Any) -> None:
    check_old(new_ends, SASL_SSL, "SCRAM-SHA-512", old_client, fails=False)


def test_old_sasl_plain_plaintext_server_without_sasl_authenticate_header_failure(new_ends: Any) -> None:
    check_old(new_ends, SASL_PLAINTEXT, "PLAIN", old_server, fails=True)


def test_old_sasl_plain_plaintext_client_without_sasl_authenticate_header_failure(new_ends: Any) -> None:
    check_old(new_ends, SASL_PLAINTEXT, "PLAIN", old_client, fails=True)


def test_old_sasl_scram_plaintext_server_without_sasl_authenticate_header_failure(new_ends: Any) -> None:
    check_old(new_ends, SASL_PLAINTEXT, "SCRAM-SHA-256", old_server, fails=True)


def test_old_sasl_scram_plaintext_client_without_sasl_authenticate_header_failure(new_ends: Any) -> None:
    check_old(new_ends, SASL_PLAINTEXT, "SCRAM-SHA-256", old_client, fails=True)


def test_old_sasl_plain_ssl_server_without_sasl_authenticate_header_failure(new_ends: Any) -> None:
    check_old(new_ends, SASL_SSL, "PLAIN", old_server, fails=True)


def test_old_sasl_plain_ssl_client_without_sasl_authenticate_header_failure(new_ends: Any) -> None:
    check_old(new_ends, SASL_SSL, "PLAIN", old_client, fails=True)


def test_old_sasl_scram_ssl_server_without_sasl_authenticate_header_failure(new_ends: Any) -> None:
    check_old(new_ends, SASL_SSL, "SCRAM-SHA-512", old_server, fails=True)


def test_old_sasl_scram_ssl_client_without_sasl_authenticate_header_failure(new_ends: Any) -> None:
    check_old(new_ends, SASL_SSL, "SCRAM-SHA-512", old_client, fails=True)


# -- re-authentication ---------------------------------------------------------------------------------


def start_sessions(new_ends: Any, mechanism: str = "PLAIN") -> tuple[Ends, MockTime]:
    time = MockTime()
    ends = new_ends(mechanisms=["PLAIN", "SCRAM-SHA-256"], client_mechanism=mechanism, time=time)
    ends.add_scram_user()
    ends.server_props["connections.max.reauth.ms"] = 4_000
    ends.set_server_jaas("PLAIN", user_myuser=PASSWORD, user_other="other-password")
    ends.start()
    return ends, time


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_a_client_authenticates_again_in_time(new_ends: Any, mechanism: str) -> None:
    ends, time = start_sessions(new_ends, mechanism)
    ends.check_success()
    assert ends.server is not None and ends.selector is not None
    for count in (1, 2):
        # More than 95 % of the session: the next request goes after the new exchange.
        time.sleep(3_900)
        check_client_connection(ends.selector, "0", 100, 3)
        ends.server.wait_for_metric("successful-reauthentication", count)
    ends.server.wait_for_metric("failed-reauthentication", 0)


def test_cannot_reauthenticate_with_different_principal(new_ends: Any) -> None:
    """In the origin a token of another name takes the place of the first; here another name and password."""
    ends, time = start_sessions(new_ends)
    ends.check_success()
    selector = ends.selector
    assert ends.server is not None and selector is not None
    subject = selector.channel("0")._authenticator._subject
    subject.get_public_credentials()[:] = ["other"]
    subject.get_private_credentials()[:] = ["other-password"]
    ends.server.verify_authentication_metrics(1, 0)
    ends.server.verify_reauthentication_metrics(0, 0)
    time.sleep(3_900)
    with pytest.raises(AssertionError):
        check_client_connection(selector, "0", 100, 1)
    ends.server.verify_reauthentication_metrics(0, 1)


def test_cannot_reauthenticate_with_different_mechanism(new_ends: Any) -> None:
    ends, time = start_sessions(new_ends)
    ends.check_success()
    selector = ends.selector
    assert ends.server is not None and selector is not None
    builder = selector._channel_builder
    assert ScramLoginModule.TOKEN_AUTH_CONFIG == "tokenauth", "or there were no client of SCRAM"
    builder._client_sasl_mechanism = "SCRAM-SHA-256"
    builder._sasl_callback_handlers["SCRAM-SHA-256"] = builder._sasl_callback_handlers["PLAIN"]
    builder._subjects["SCRAM-SHA-256"] = builder._subjects["PLAIN"]
    channel = selector.channel("0")
    login = builder._login_managers["PLAIN"]
    channel._authenticator_creator = lambda: builder._build_client_authenticator(
        builder._sasl_callback_handlers["PLAIN"], "0", "localhost", login.service_name(),
        channel._transport_layer, builder._subjects["PLAIN"])
    ends.server.verify_authentication_metrics(1, 0)
    ends.server.verify_reauthentication_metrics(0, 0)
    time.sleep(3_900)
    with pytest.raises(AssertionError):
        check_client_connection(selector, "0", 100, 1)
    ends.server.verify_authentication_metrics(1, 0)
    ends.server.verify_reauthentication_metrics(0, 1)


def test_cannot_reauthenticate_again_faster_than_one_second(new_ends: Any) -> None:
    ends = check_authentication_and_reauthentication(new_ends, SASL_SSL, "OAUTHBEARER")
    assert ends.server is not None and ends.selector is not None
    ends.server.verify_authentication_metrics(1, 0)
    ends.time.sleep(MORE_THAN_A_SESSION_MS)
    # Within the second, a handshake is a request as any: the echo server sends it back.
    with pytest.raises(AssertionError, match=r"(?s)<\w-0>.*<.*OAUTHBEARER.*>"):
        check_client_connection(ends.selector, "0", 1, 1)
    ends.server.verify_reauthentication_metrics(1, 0)


def test_correlation_id(new_ends: Any) -> None:
    ends = new_ends()
    ends.start()
    selector = ends.connect()
    wait_for_channel_ready(selector, "0")
    authenticator = selector.channel("0")._authenticator
    assert isinstance(authenticator, SaslClientAuthenticator)
    lowest = SaslClientAuthenticator.MIN_RESERVED_CORRELATION_ID
    highest = SaslClientAuthenticator.MAX_RESERVED_CORRELATION_ID
    ids = {authenticator._next_correlation_id() for _ in range((highest - lowest) * 2)}
    assert ids == set(range(lowest, highest + 1)) and len(ids) == 8
    assert all(SaslClientAuthenticator.is_reserved(each) for each in ids)
    assert not SaslClientAuthenticator.is_reserved(SaslClientAuthenticator.MIN_RESERVED_CORRELATION_ID - 1)
    assert AbstractResponse.DEFAULT_THROTTLE_TIME == 0


# -- handlers and logins of one's own -------------------------------------------------------------------


class ServerCallbackHandler(PlainServerCallbackHandler):
    """Knows one user."""

    def _authenticate(self, username: str | None, password: str) -> bool:
        return username == "handler-user" and password == "handler-password"


class ClientCallbackHandler(AuthenticateCallbackHandler):
    """Has one answer, for a mechanism or for a login."""

    def __init__(self, username: str = USER, password: str = PASSWORD) -> None:
        self.username, self.password = username, password
        self.configured = False

    def configure(self, configs: Any, sasl_mechanism: str, jaas_config_entries: Any) -> None:
        assert not self.configured
        self.configured = True

    def handle(self, callbacks: Any) -> None:
        assert self.configured
        for callback in callbacks:
            if isinstance(callback, NameCallback):
                callback.set_name(self.username)
            elif isinstance(callback, PasswordCallback):
                callback.set_password(self.password)
            else:
                raise UnsupportedCallbackException(callback)

    def close(self) -> None:
        """Nothing is held."""


class CountingLogin(DefaultLogin):
    """Has the right password, whatever the configuration says."""

    count = 0

    def login(self) -> LoginContext:
        context = super().login()
        CountingLogin.count += 1
        self.subject().get_public_credentials()[:] = [USER]
        self.subject().get_private_credentials()[:] = [PASSWORD]
        return context


class AskingLoginModule(PlainLoginModule):
    """Asks a handler for what others have in their options."""

    def initialize(self, subject: Subject, callback_handler: Any, shared_state: Any, options: Any) -> None:
        name, password = NameCallback("name:"), PasswordCallback("password:")
        callback_handler.handle([name, password])
        subject.get_public_credentials().append(name.get_name())
        subject.get_private_credentials().append(password.get_password())


def test_client_authenticate_callback_handler(new_ends: Any) -> None:
    ends = new_ends()
    ends.client_props["sasl.client.callback.handler.class"] = ClientCallbackHandler
    ends.set_client_jaas()
    ends.start()
    ends.check_success()
    ends.close()
    ends.set_server_jaas("PLAIN", **{f"user_{USER}": "invalid-password"})
    ends.start()
    ends.check_failure()


def test_server_authenticate_callback_handler(new_ends: Any) -> None:
    ends = new_ends()
    ends.set_server_jaas("PLAIN")
    prefix = ends.listener.sasl_mechanism_config_prefix("PLAIN")
    ends.server_props[f"{prefix}sasl.server.callback.handler.class"] = ServerCallbackHandler
    ends.set_client_jaas(username="handler-user", password="handler-password")
    ends.start()
    ends.check_success()
    ends.set_client_jaas(username=USER, password="invalid-password")
    ends.check_failure()


def test_client_login_override(new_ends: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CountingLogin, "count", 0)
    ends = new_ends()
    ends.set_client_jaas(username="invaliduser", password="invalidpassword")
    ends.start()
    ends.client_props["sasl.login.class"] = CountingLogin
    ends.check_success()
    assert CountingLogin.count == 1
    del ends.client_props["sasl.login.class"]
    ends.check_failure()
    assert CountingLogin.count == 1


def test_client_login_callback_override(new_ends: Any) -> None:
    ends = new_ends()
    ends.start()
    ends.client_props["sasl.jaas.config"] = f"{__name__}.AskingLoginModule required;"
    ends.client_props["sasl.login.callback.handler.class"] = ClientCallbackHandler
    ends.check_success()
    del ends.client_props["sasl.login.callback.handler.class"]
    with pytest.raises(KafkaException) as e:
        ends.connect()
    assert isinstance(e.value.__cause__, LoginException)


def test_insufficient_scope_sasl_oauth_bearer_mechanism(new_ends: Any) -> None:
    ends = new_ends(SASL_SSL, ["OAUTHBEARER"])
    ends.set_server_jaas("OAUTHBEARER", unsecuredValidatorRequiredScope="LOGIN_TO_KAFKA")
    refused(ends, '{"status":"insufficient_scope", "scope":"[LOGIN_TO_KAFKA]"}')


def test_a_login_that_stumbles(new_ends: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any exception of a module is an error of the login, and nothing of the module is left."""
    aborted: list[object] = []
    monkeypatch.setattr(PlainLoginModule, "commit", lambda self: {}["missing"])
    monkeypatch.setattr(PlainLoginModule, "abort", lambda self: aborted.append(self))
    ends = new_ends()
    ends.start()
    with pytest.raises(KafkaException) as e:
        ends.connect()
    assert isinstance(e.value.__cause__, LoginException) and len(aborted) == 1


# -- versions, and sizes ---------------------------------------------------------------------------------


def test_for_broken_sasl_handshake_version_bump() -> None:
    assert ApiKeys.SASL_HANDSHAKE.latest_version() == 1


def test_convert_list_offset_response_to_sasl_handshake_response(new_ends: Any) -> None:
    """The response to a request of before is none to the handshake, whose id is a reserved one.

    The origin asks NetworkClient, of which the authenticator has what it needs.
    """
    ends = new_ends()
    ends.start()
    selector = ends.connect()
    wait_for_channel_ready(selector, "0")
    authenticator = selector.channel("0")._authenticator
    version = ApiKeys.LIST_OFFSETS.latest_version()
    header = authenticator._next_request_header(ApiKeys.LIST_OFFSETS, version)
    response = ListOffsetsResponse(ListOffsetsResponseData(topics=[
        ListOffsetsResponseData.ListOffsetsTopicResponse(name="topic", partitions=[
            ListOffsetsResponseData.ListOffsetsPartitionResponse(
                partition_index=0, leader_epoch=ListOffsetsResponse.UNKNOWN_EPOCH, offset=0, timestamp=0)])]))

    def serialized(correlation_id: int) -> ByteBuffer:
        return response.serialize_with_header(ResponseHeader.of(
            correlation_id, ApiKeys.LIST_OFFSETS.response_header_version(version)), version)

    with pytest.raises(SchemaException, match="unrelated to Sasl request"):
        authenticator._parse_response(serialized(0), header)
    # Another of the reserved ids is a fault of the server.
    with pytest.raises(CorrelationIdMismatchException):
        authenticator._parse_response(serialized(header.correlation_id() - 1), header)
    ordinary = RequestHeader.of(ApiKeys.LIST_OFFSETS, version, "id", 1)
    with pytest.raises(IllegalStateException):
        AbstractResponse.parse_response(serialized(0), ordinary)


def test_sasl_unsupported_client_versions(new_ends: Any) -> None:
    """A broker that has later versions than the client knows of."""
    ends = new_ends(SASL_SSL, ["SCRAM-SHA-512"])

    def prepare(builder: Any) -> None:
        builder._api_version_supplier = lambda: ApiVersionsResponse(ApiVersionsResponseData(api_keys=[
            ApiVersionsResponseData.ApiVersion(api_key=key.id, min_version=0, max_version=100)
            for key in (ApiKeys.SASL_HANDSHAKE, ApiKeys.SASL_AUTHENTICATE)]))

    ends.prepare_server = prepare
    let_in(ends)


def test_sasl_authentication_max_receive_size(new_ends: Any) -> None:
    ends = check_authentication_and_reauthentication(
        new_ends, SASL_PLAINTEXT, "PLAIN", **{"sasl.server.max.receive.size": "1024"})
    server = ends.server
    assert server is not None

    def sent(*requests: bytes) -> bytes:
        """Return what is answered before the end."""
        with socket.create_connection(("127.0.0.1", server.port), timeout=120) as peer:
            answers = b""
            for request in requests:
                peer.sendall(framed(request))
                # An answer; or nothing, and the end.
                answers += peer.recv(4096)
            return answers

    def handshake(mechanism: bytes) -> bytes:
        return b"\0\x11\0\x01\0\0\0\x07\xff\xff" + struct.pack(">h", len(mechanism)) + mechanism

    def authenticate(token: bytes) -> bytes:
        return b"\0\x24\0\0\0\0\0\x08\xff\xff" + struct.pack(">i", len(token)) + token

    assert sent(handshake(b"m" * 1024)) == b""
    server.verify_authentication_metrics(1, 1)
    agreed = sent(handshake(b"PLAIN"))
    assert agreed[4:10] == b"\0\0\0\x07\0\0"
    token = b"\0" + USER.encode() + b"\0"
    assert sent(handshake(b"PLAIN"), authenticate(token + b"p" * 1024)) == agreed
    server.verify_authentication_metrics(1, 2)


# -- certificates beside passwords -----------------------------------------------------------------------


class SaslSslPrincipalBuilder(KafkaPrincipalBuilder):
    """Has both names in one."""

    def build(self, context: Any) -> KafkaPrincipal:
        assert context.ssl_session() is not None
        try:
            ssl_principal = context.ssl_session().get_peer_principal().get_name()
        except SSLPeerUnverifiedException:
            ssl_principal = KafkaPrincipal.ANONYMOUS.get_name()
        return KafkaPrincipal(
            KafkaPrincipal.USER_TYPE, f"{context.server().get_authorization_id()}:{ssl_principal}")


def check_client_auth(new_ends: Any, *, prefixed: bool, configured: str) -> None:
    ends = new_ends(SASL_SSL)
    client, untrusted = new_certificate("client"), new_certificate("untrusted")
    ends.server_props |= {
        f"{ends.listener.config_prefix() if prefixed else ''}ssl.client.auth": configured,
        "principal.builder.class": SaslSslPrincipalBuilder,
        "ssl.truststore.type": "PEM", "ssl.truststore.certificates": client.certificate_pem()}
    server = ends.start()
    expected = configured if prefixed else "none"

    def present(certificate: Any) -> None:
        ends.client_props |= {"ssl.keystore.type": "PEM", "ssl.keystore.key": certificate.private_key_pem(),
                              "ssl.keystore.certificate.chain": certificate.chain_pem()}

    def let_in_as(name: str) -> None:
        assert not server.selector.channels()
        selector = ends.connect()
        wait_for_channel_ready(selector, "0")
        check_client_connection(selector, "0", 100, 1)
        [channel] = server.selector.channels()
        assert channel.principal() == KafkaPrincipal("User", f"{USER}:{name}")
        ends.close_client()
        wait_for_condition(lambda: not server.selector.channels(), "not closed")

    def kept_out() -> None:
        assert type(ends.check_failure().exception()) is SslAuthenticationException
        ends.close_client()
        wait_for_condition(lambda: not server.selector.channels(), "not closed")

    present(client)
    let_in_as("ANONYMOUS" if expected == "none" else "CN=client")
    for name in ("ssl.keystore.type", "ssl.keystore.key", "ssl.keystore.certificate.chain"):
        del ends.client_props[name]
    if expected == "required":
        kept_out()
    else:
        let_in_as("ANONYMOUS")
    present(untrusted)
    if expected == "none":
        let_in_as("ANONYMOUS")
    else:
        kept_out()


def test_ssl_client_auth_disabled_for_sasl_ssl_listener(new_ends: Any) -> None:
    check_client_auth(new_ends, prefixed=True, configured="none")


def test_ssl_client_auth_requested_for_sasl_ssl_listener(new_ends: Any) -> None:
    check_client_auth(new_ends, prefixed=True, configured="requested")


def test_ssl_client_auth_required_for_sasl_ssl_listener(new_ends: Any) -> None:
    check_client_auth(new_ends, prefixed=True, configured="required")


def test_ssl_client_auth_requested_overridden_for_sasl_ssl_listener(new_ends: Any) -> None:
    check_client_auth(new_ends, prefixed=False, configured="requested")


def test_ssl_client_auth_required_overridden_for_sasl_ssl_listener(new_ends: Any) -> None:
    check_client_auth(new_ends, prefixed=False, configured="required")


def test_invalid_jaas_of_a_client(new_ends: Any) -> None:
    ends = new_ends()
    del ends.client_props["sasl.jaas.config"]
    ends.start()
    with pytest.raises(ConfigException, match="sasl.jaas.config is not set"):
        ends.connect()
