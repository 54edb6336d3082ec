# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ExpiringCredentialRefreshConfigTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.expiring of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The properties that say when a credential is replaced."""

from __future__ import annotations

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential_refresh_config import (
    ExpiringCredentialRefreshConfig,
)


def test_from_good_config() -> None:
    expiring_credential_refresh_config = ExpiringCredentialRefreshConfig(
        ConfigDef().with_client_sasl_support().parse({}), True)
    assert (expiring_credential_refresh_config.login_refresh_window_factor()
            == SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_FACTOR)
    assert (expiring_credential_refresh_config.login_refresh_window_jitter()
            == SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_JITTER)
    assert (expiring_credential_refresh_config.login_refresh_min_period_seconds()
            == SaslConfigs.DEFAULT_LOGIN_REFRESH_MIN_PERIOD_SECONDS)
    assert (expiring_credential_refresh_config.login_refresh_buffer_seconds()
            == SaslConfigs.DEFAULT_LOGIN_REFRESH_BUFFER_SECONDS)
    assert expiring_credential_refresh_config.login_refresh_relogin_allowed_before_logout()
