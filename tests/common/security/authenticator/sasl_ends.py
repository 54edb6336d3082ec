# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Both ends of SASL, each a selector of the port: an echo server, and clients of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.channel_builders import ChannelBuilders
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.selector import Selector
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.credential_cache import CredentialCache
from kreactor.common.security.authenticator.login_manager import LoginManager
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.core.server.api_version_manager import SimpleApiVersionManager
from kreactor.jdk.net import InetSocketAddress
from kreactor.testing.certificates import new_certificate
from tests.common.network.network_test_utils import (
    BUFFER_SIZE,
    check_client_connection,
    create_selector,
    wait_for_channel_close,
)
from tests.common.network.nio_echo_server import NioEchoServer
from tests.common.network.test_channel_builders import SecurityConfig

USER, PASSWORD = "myuser", "mypassword"
PACKAGE = "org.apache.kafka.common.security"
SASL_PLAINTEXT, SASL_SSL = SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.SASL_SSL


def jaas(mechanism: str, **options: str) -> str:
    """Return a JAAS configuration."""
    module = {"PLAIN": "plain.PlainLoginModule",
              "OAUTHBEARER": "oauthbearer.OAuthBearerLoginModule"}.get(mechanism, "scram.ScramLoginModule")
    pairs = "".join(f' {name}="{value}"' for name, value in options.items())
    return f"{PACKAGE}.{module} required{pairs};"


class Ends:
    """One server and one client selector; ``close`` ends them."""

    def __init__(self, protocol: SecurityProtocol = SASL_PLAINTEXT, mechanisms: Sequence[str] = ("PLAIN",),
                 client_mechanism: str | None = None, time: Time = Time.SYSTEM) -> None:
        self.protocol = protocol
        self.time = time
        self.listener = ListenerName.for_security_protocol(protocol)
        self.credentials = CredentialCache()
        self.server_props: dict[str, Any] = {"sasl.enabled.mechanisms": ",".join(mechanisms)}
        for mechanism in mechanisms:
            self.set_server_jaas(mechanism, **({f"user_{USER}": PASSWORD} if mechanism == "PLAIN" else {}))
        client_mechanism = client_mechanism or mechanisms[0]
        self.client_props: dict[str, Any] = {"sasl.mechanism": client_mechanism}
        if client_mechanism == "OAUTHBEARER":
            self.set_client_jaas(unsecuredLoginStringClaim_sub=USER)
        else:
            self.set_client_jaas(username=USER, password=PASSWORD)
        if protocol is SASL_SSL:
            authority = new_certificate("authority")
            server = new_certificate("server", ["localhost"], ["127.0.0.1"], signed_by=authority)
            self.server_props |= {"ssl.keystore.type": "PEM", "ssl.keystore.key": server.private_key_pem(),
                                  "ssl.keystore.certificate.chain": server.chain_pem()}
            self.client_props |= {"ssl.truststore.type": "PEM",
                                  "ssl.truststore.certificates": authority.certificate_pem()}
        self.server: NioEchoServer | None = None
        self.selector: Selector | None = None
        # Applied to the server's or a client's builder before it is used.
        self.prepare_server: Callable[[Any], None] = lambda builder: None
        self.prepare_client: Callable[[Any], None] = lambda builder: None

    def set_server_jaas(self, mechanism: str, **options: str) -> None:
        name = f"{self.listener.config_prefix()}{mechanism.lower()}.sasl.jaas.config"
        self.server_props[name] = jaas(mechanism, **options)

    def set_client_jaas(self, **options: str) -> None:
        self.client_props["sasl.jaas.config"] = jaas(self.client_props["sasl.mechanism"], **options)

    def add_scram_user(self, user: str = USER, password: str = PASSWORD, iterations: int = 4096) -> None:
        for mechanism in ScramMechanism:
            self.credentials.create_cache(mechanism.mechanism_name(), ScramCredential).put(
                user, ScramFormatter(mechanism).generate_credential(password, iterations))

    def start(self, failed_authentication_delay_ms: int = 0) -> NioEchoServer:
        versions = SimpleApiVersionManager(ListenerType.BROKER, None)
        builder = ChannelBuilders.server_channel_builder(
            self.listener, False, self.protocol, SecurityConfig(self.server_props), self.time, LogContext(),
            lambda: versions.api_version_response(throttle_time_ms=0), self.credentials)
        self.prepare_server(builder)
        self.server = NioEchoServer(builder, self.time, failed_authentication_delay_ms)
        self.server.start()
        return self.server

    def connect(self, node: str = "0", **options: Any) -> Selector:
        """Have a new selector connect."""
        assert self.server is not None
        self.close_client()
        builder = ChannelBuilders.client_channel_builder(
            self.protocol, SecurityConfig(self.client_props), None, self.time, LogContext())
        self.prepare_client(builder)
        self.selector = create_selector(builder, self.time, Metrics(), **options)
        self.selector.connect(
            node, InetSocketAddress("localhost", self.server.port), BUFFER_SIZE, BUFFER_SIZE)
        return self.selector

    def check_success(self, messages: int = 10) -> None:
        """Connect, and have messages sent back."""
        check_client_connection(self.connect(), "0", 100, messages)

    def check_failure(self) -> ChannelState:
        """Connect, and be refused; return the end's state."""
        return wait_for_channel_close(self.connect(), "0", ChannelState.State.AUTHENTICATION_FAILED)

    def close_client(self) -> None:
        if self.selector is not None:
            self.selector.close()
            self.selector = None

    def close(self) -> None:
        self.close_client()
        if self.server is not None:
            self.server.close()
        assert not LoginManager._DYNAMIC_INSTANCES
