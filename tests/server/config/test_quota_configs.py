# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Settings of quotas."""

from __future__ import annotations

from kreactor.server.config.quota_configs import QuotaConfigs


def test_quotas_of_users_and_clients() -> None:
    for name in ("producer_byte_rate", "consumer_byte_rate", "request_percentage",
                 "controller_mutation_rate"):
        assert QuotaConfigs.is_client_or_user_quota_config(name)
    assert not QuotaConfigs.is_client_or_user_quota_config(QuotaConfigs.IP_CONNECTION_RATE_OVERRIDE_CONFIG)
