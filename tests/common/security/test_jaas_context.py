# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.JaasContextTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""JAAS configurations in properties. There are no files of them here, which the origin compares them with."""

from __future__ import annotations

import pytest

from kreactor.common.config.types.password import Password
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.jaas_config import JaasConfig
from kreactor.common.security.jaas_context import JaasContext
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.login import LoginModuleControlFlag


def configuration_entry(jaas_config_prop):
    context = JaasContext.load(
        JaasContext.Type.CLIENT, "sasl.jaas.config", "CLIENT", Password(jaas_config_prop))
    [entry] = context.configuration_entries()
    return entry


def check_configuration(config, login_module, control_flag, options):
    check_entry(configuration_entry(config), login_module, control_flag, options)


def check_entry(entry, login_module, control_flag, options):
    assert entry.get_login_module_name() == login_module
    assert entry.get_control_flag() is control_flag
    assert entry.get_options() == options


def check_invalid_configuration(config, message):
    with pytest.raises(IllegalArgumentException, match=message):
        configuration_entry(config)


def test_config_no_options():
    check_configuration("test.testConfigNoOptions required;", "test.testConfigNoOptions",
                        LoginModuleControlFlag.REQUIRED, {})


@pytest.mark.parametrize("flag", LoginModuleControlFlag)
def test_control_flag(flag):
    check_configuration(f"test.testControlFlag {flag.value} propName=propValue;", "test.testControlFlag",
                        flag, {"propName": "propValue"})


def test_single_option():
    check_configuration("test.testSingleOption requisite propName=propValue;", "test.testSingleOption",
                        LoginModuleControlFlag.REQUISITE, {"propName": "propValue"})


def test_multiple_options():
    options = {f"propName{i}": f"propValue{i}" for i in range(10)}
    text = " ".join(f"{name}={value}" for name, value in options.items())
    check_configuration(f"test.testMultipleOptions sufficient {text};", "test.testMultipleOptions",
                        LoginModuleControlFlag.SUFFICIENT, options)


def test_quoted_option_value():
    check_configuration(
        'test.testQuotedOptionValue required propName="prop value" propName2="value1 = 1, value2 = 2";',
        "test.testQuotedOptionValue", LoginModuleControlFlag.REQUIRED,
        {"propName": "prop value", "propName2": "value1 = 1, value2 = 2"})


def test_quoted_option_name():
    check_configuration('test.testQuotedOptionName required "prop name"=propValue;',
                        "test.testQuotedOptionName", LoginModuleControlFlag.REQUIRED,
                        {"prop name": "propValue"})


def test_multiple_login_modules():
    text = " ".join(f"test.Module{i} required index=Index{i} module=Module{i};" for i in range(3))
    entries = JaasConfig("CLIENT", text).get_app_configuration_entry("CLIENT")
    assert len(entries) == 3
    for i, entry in enumerate(entries):
        check_entry(entry, f"test.Module{i}", LoginModuleControlFlag.REQUIRED,
                    {"index": f"Index{i}", "module": f"Module{i}"})
    assert JaasConfig("CLIENT", text).get_app_configuration_entry("SERVER") is None
    check_invalid_configuration(text, "contains 3 login modules, should be 1 module")


def test_missing_login_module():
    check_invalid_configuration("  required option1=value1;", "Invalid login module control flag 'option1'")
    check_invalid_configuration("", "Login module not specified")


def test_missing_control_flag():
    check_invalid_configuration("test.loginModule option1=value1;", "Invalid login module control flag")
    check_invalid_configuration("test.loginModule", "Login module control flag not specified")
    check_invalid_configuration("test.loginModule;", "Login module control flag is not available")


def test_missing_option_value():
    check_invalid_configuration("loginModule required option1;", "Value not specified")


def test_missing_semicolon():
    check_invalid_configuration("test.testMissingSemicolon required option1=value1",
                                "not terminated by semi-colon")


def test_numeric_option_without_quotes():
    check_invalid_configuration("test.testNumericOptionWithoutQuotes required option1=3;",
                                "Value not specified")


def test_invalid_control_flag():
    check_invalid_configuration("test.testInvalidControlFlag { option1=3;", "control flag is not available")


def test_numeric_option_with_quotes():
    check_configuration('test.testNumericOptionWithQuotes required option1="3";',
                        "test.testNumericOptionWithQuotes", LoginModuleControlFlag.REQUIRED, {"option1": "3"})


def test_load_for_server_with_wrong_listener_name():
    with pytest.raises(IllegalArgumentException) as e:
        JaasContext.load_server_context(ListenerName("plaintext"), "SOME-MECHANISM", {})
    assert str(e.value) == (
        "listener.name.plaintext.some-mechanism.sasl.jaas.config is not set, and the JAAS file that "
        "java.security.auth.login.config names in Java has no counterpart")


def test_comments_and_signs_in_words():
    check_configuration("/* a * b */ a.B$c_d-e // here\n required\n'it s'=\"\\101\\n\\\"\\q\"; // the end",
                        "a.B$c_d-e", LoginModuleControlFlag.REQUIRED, {"it s": 'A\n"q'})


@pytest.mark.deviation("D174")
def test_a_password_without_quotes_is_not_shown():
    # Cut where it has a sign that is none of a word, it leaves a piece where an option should be.
    with pytest.raises(IllegalArgumentException) as e:
        configuration_entry("m required password=top secret;")
    assert str(e.value) == "Value not specified for the option after the first 1 in JAAS config"
    entry = configuration_entry('m required password="top secret";')
    assert "secret" not in repr(entry) + str(entry)
