# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Settings of quotas."""

from __future__ import annotations

from kreactor.server.config.quota_configs import QuotaConfigs


def test_what_can_be_set() -> None:
    config_def = QuotaConfigs.user_and_client_quota_configs()
    assert config_def.default_values() == {
        "producer_byte_rate": 2**63 - 1, "consumer_byte_rate": 2**63 - 1,
        "request_percentage": 2.0**31 - 1, "controller_mutation_rate": 2.0**31 - 1}
    assert [key.type().name for key in config_def.config_keys().values()] == [
        "LONG", "LONG", "DOUBLE", "DOUBLE"]
    ip_configs = QuotaConfigs.ip_configs()
    assert ip_configs.default_values() == {"connection_creation_rate": 2**31 - 1}
    assert [key.type().name for key in ip_configs.config_keys().values()] == ["INT"]
