# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ExpiringCredentialRefreshConfig, of the package
# org.apache.kafka.common.security.oauthbearer.internals.expiring of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The refresh times of a credential: the properties ``sasl.login.refresh.*``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.common.config.sasl_configs import SaslConfigs


class ExpiringCredentialRefreshConfig:
    """The values of the properties. Immutable.

    :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshConfig
    """

    __slots__ = ("_login_refresh_window_factor", "_login_refresh_window_jitter",
                 "_login_refresh_min_period_seconds", "_login_refresh_buffer_seconds",
                 "_login_refresh_relogin_allowed_before_logout")

    def __init__(self, configs: Mapping[str, Any], client_relogin_allowed_before_logout: bool) -> None:
        """``client_relogin_allowed_before_logout`` says that a subject may briefly hold two credentials.

        In this case the old credential stays in use while the login for the new one fails.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshConfig#ExpiringCredentialRefreshConfig(
            Map<String,?>, boolean)
        """  # noqa: E501
        self._login_refresh_window_factor: float = configs[SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR]
        self._login_refresh_window_jitter: float = configs[SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER]
        self._login_refresh_min_period_seconds: int = configs[
            SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS]
        self._login_refresh_buffer_seconds: int = configs[SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS]
        self._login_refresh_relogin_allowed_before_logout = client_relogin_allowed_before_logout

    def login_refresh_window_factor(self) -> float:
        """Return the fraction of a credential's lifetime after which the login replaces the credential.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshConfig#loginRefreshWindowFactor(
            )
        """  # noqa: E501
        return self._login_refresh_window_factor

    def login_refresh_window_jitter(self) -> float:
        """Return the largest random part that is added to the factor.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshConfig#loginRefreshWindowJitter(
            )
        """  # noqa: E501
        return self._login_refresh_window_jitter

    def login_refresh_min_period_seconds(self) -> int:
        """Return the minimum seconds between two logins.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshConfig#loginRefreshMinPeriodSeconds(
            )
        """  # noqa: E501
        return self._login_refresh_min_period_seconds

    def login_refresh_buffer_seconds(self) -> int:
        """Return the minimum seconds that a credential has left at its replacement.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshConfig#loginRefreshBufferSeconds(
            )
        """  # noqa: E501
        return self._login_refresh_buffer_seconds

    def login_refresh_relogin_allowed_before_logout(self) -> bool:
        """Return whether the next login precedes the logout of the previous one.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshConfig#loginRefreshReloginAllowedBeforeLogout(
            )
        """  # noqa: E501
        return self._login_refresh_relogin_allowed_before_logout
