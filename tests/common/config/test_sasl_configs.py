# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.sasl_configs import SaslConfigs


def parse(properties: Mapping[str, str]) -> dict[str, Any]:
    return ConfigDef().with_client_sasl_support().parse(properties)


def test_sasl_login_refresh_defaults() -> None:
    values = parse({})
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR] == (
        SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_FACTOR)
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER] == (
        SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_JITTER)
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS] == (
        SaslConfigs.DEFAULT_LOGIN_REFRESH_MIN_PERIOD_SECONDS)
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS] == (
        SaslConfigs.DEFAULT_LOGIN_REFRESH_BUFFER_SECONDS)


def test_sasl_login_refresh_min_values_are_valid() -> None:
    values = parse({
        SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR: "0.5",
        SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER: "0.0",
        SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS: "0",
        SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS: "0",
    })
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR] == 0.5
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER] == 0.0
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS] == 0
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS] == 0


def test_sasl_login_refresh_max_values_are_valid() -> None:
    values = parse({
        SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR: "1.0",
        SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER: "0.25",
        SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS: "900",
        SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS: "3600",
    })
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR] == 1.0
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER] == 0.25
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS] == 900
    assert values[SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS] == 3600


def test_sasl_login_refresh_window_factor_min_value_is_really_minimum() -> None:
    with pytest.raises(ConfigException):
        parse({SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR: "0.499999"})


def test_sasl_login_refresh_window_factor_max_value_is_really_maximum() -> None:
    with pytest.raises(ConfigException):
        parse({SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR: "1.0001"})


def test_sasl_login_refresh_window_jitter_min_value_is_really_minimum() -> None:
    with pytest.raises(ConfigException):
        parse({SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER: "-0.000001"})


def test_sasl_login_refresh_window_jitter_max_value_is_really_maximum() -> None:
    with pytest.raises(ConfigException):
        parse({SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER: "0.251"})


def test_sasl_login_refresh_min_period_seconds_min_value_is_really_minimum() -> None:
    with pytest.raises(ConfigException):
        parse({SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS: "-1"})


def test_sasl_login_refresh_min_period_seconds_max_value_is_really_maximum() -> None:
    with pytest.raises(ConfigException):
        parse({SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS: "901"})


def test_sasl_login_refresh_buffer_seconds_min_value_is_really_minimum() -> None:
    with pytest.raises(ConfigException):
        parse({SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS: "-1"})


def test_sasl_login_refresh_buffer_seconds_max_value_is_really_maximum() -> None:
    with pytest.raises(ConfigException):
        parse({SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS: "3601"})
