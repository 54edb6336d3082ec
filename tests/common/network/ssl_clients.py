# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Settings and selectors of clients that speak TLS, and have no certificate."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.network.mode import Mode
from kreactor.common.network.selector import Selector
from kreactor.common.network.ssl_channel_builder import SslChannelBuilder
from kreactor.common.utils.log_context import LogContext
from kreactor.testing.mock_time import MockTime
from tests.common.network.cert_stores import CertStores
from tests.common.network.network_test_utils import create_selector


def server_stores(folder: Path) -> CertStores:
    return CertStores(True, "server", folder, host_names=["localhost"], addresses=["127.0.0.1"])


def versions(tls_protocol: str) -> dict[str, Any]:
    return {SslConfigs.SSL_PROTOCOL_CONFIG: tls_protocol,
            SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG: [tls_protocol],
            BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG: "none"}


def client_configs_for(server_configs: dict[str, Any], tls_protocol: str) -> dict[str, Any]:
    """Return the settings of a client that believes the server's certificate."""
    return {name: value for name, value in server_configs.items()
            if "key" not in name} | versions(tls_protocol)


def configured(builder: SslChannelBuilder, configs: dict[str, Any]) -> SslChannelBuilder:
    builder.configure(configs)
    return builder


@contextlib.contextmanager
def client_selector(folder: Path, tls_protocol: str) -> Iterator[tuple[Selector, CertStores]]:
    """Give a selector, and what a server has that it believes."""
    stores = server_stores(folder)
    configs = client_configs_for(stores.get_untrusting_config(), tls_protocol)
    builder = configured(SslChannelBuilder(Mode.CLIENT, None, False, LogContext()), configs)
    selector = create_selector(builder, MockTime())
    try:
        yield selector, stores
    finally:
        selector.close()
