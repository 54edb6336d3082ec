# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of JaasOptionsUtilsTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The options of a login module."""

from __future__ import annotations

import ssl
from urllib.parse import urlsplit

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.security.jaas_config import JaasConfig
from kreactor.common.security.oauthbearer.internals.secured.jaas_options_utils import JaasOptionsUtils
from kreactor.jdk.exceptions import IllegalArgumentException


def test_ssl_client_config() -> None:
    options = {SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG: "test.keystore.jks",
               SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG: "$3cr3+",
               SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG: "test.truststore.jks"}
    found = JaasOptionsUtils(options).get_ssl_client_config()
    assert found[SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG] == "test.keystore.jks"
    assert found[SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG] == "test.truststore.jks"
    assert found[SslConfigs.SSL_PROTOCOL_CONFIG] == SslConfigs.DEFAULT_SSL_PROTOCOL


def test_should_use_ssl_client_config() -> None:
    utils = JaasOptionsUtils({})
    assert not utils.should_create_ssl_socket_factory(urlsplit("http://example.com"))
    assert utils.should_create_ssl_socket_factory(urlsplit("https://example.com"))
    assert not utils.should_create_ssl_socket_factory(urlsplit("file:///tmp/test.txt"))


def test_the_servers_name_is_checked() -> None:
    context = JaasOptionsUtils({}).create_ssl_socket_factory()
    assert context.check_hostname and context.verify_mode is ssl.CERT_REQUIRED


def test_texts() -> None:
    utils = JaasOptionsUtils({"a": " b ", "blank": "  "})
    assert utils.validate_string("a") == "b"
    assert utils.validate_string("blank", False) is utils.validate_string("missing", False) is None
    with pytest.raises(ConfigException, match="option blank value must not contain only whitespace"):
        utils.validate_string("blank")
    with pytest.raises(ConfigException, match="option missing value must be non-null"):
        utils.validate_string("missing")


def test_the_entry() -> None:
    entries = JaasConfig("c", 'OAuthBearerLoginModule required a="b";').get_app_configuration_entry("c")
    assert JaasOptionsUtils.get_options("OAUTHBEARER", entries) == {"a": "b"}
    with pytest.raises(IllegalArgumentException, match="Unexpected SASL mechanism: PLAIN"):
        JaasOptionsUtils.get_options("PLAIN", entries)
    with pytest.raises(IllegalArgumentException, match=r"\(size was 0\)"):
        JaasOptionsUtils.get_options("OAUTHBEARER", [])
