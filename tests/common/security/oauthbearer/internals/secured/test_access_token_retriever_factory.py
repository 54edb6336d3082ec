# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of AccessTokenRetrieverFactoryTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tokens from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.security.oauthbearer.internals.secured.access_token_retriever import AccessTokenRetriever
from kreactor.common.security.oauthbearer.internals.secured.access_token_retriever_factory import (
    AccessTokenRetrieverFactory,
)
from kreactor.jdk.exceptions import IllegalStateException


def create(path: Path) -> AccessTokenRetriever:
    return AccessTokenRetrieverFactory.create(
        {SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: path.as_uri()}, None, {})


def test_configure_refreshing_file_access_token_retriever(tmp_path) -> None:
    (tmp_path / "token.json").write_text("{}")
    retriever = create(tmp_path / "token.json")
    with pytest.raises(IllegalStateException, match="please call init"):
        retriever.retrieve()
    retriever.init()
    assert retriever.retrieve() == "{}"
    retriever.close()


def test_configure_refreshing_file_access_token_retriever_with_invalid_directory(tmp_path) -> None:
    with pytest.raises(ConfigException, match="that doesn't exist"):
        create(tmp_path / "none" / "foo.json")


def test_configure_refreshing_file_access_token_retriever_with_invalid_file(tmp_path) -> None:
    with pytest.raises(ConfigException, match="that doesn't exist"):
        create(tmp_path / "this-file-does-not-exist.json")
