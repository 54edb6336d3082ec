# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DynamicConfigTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Values of settings of brokers that are refused while brokers run."""

from __future__ import annotations

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.core.server.dynamic_config import DynamicConfig
from kreactor.server.config.quota_configs import QuotaConfigs


def fails(name: str) -> None:
    assert DynamicConfig.Broker.validate({name: "100"})[name] == 100
    with pytest.raises(ConfigException):
        DynamicConfig.Broker.validate({name: "-100"})


def test_should_fail_leader_configs_with_invalid_values() -> None:
    fails(QuotaConfigs.LEADER_REPLICATION_THROTTLED_RATE_CONFIG)


def test_should_fail_follower_configs_with_invalid_values() -> None:
    fails(QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_RATE_CONFIG)
