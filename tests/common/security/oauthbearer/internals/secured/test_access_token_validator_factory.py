# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of AccessTokenValidatorFactoryTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A source of tokens that cannot be opened or closed."""

from __future__ import annotations

import logging

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.oauthbearer.internals.secured.access_token_retriever import AccessTokenRetriever
from kreactor.common.security.oauthbearer.internals.secured.access_token_validator_factory import (
    AccessTokenValidatorFactory,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_login_callback_handler import (
    OAuthBearerLoginCallbackHandler,
)
from tests.common.security.oauthbearer.test_o_auth_bearer_validator_callback_handler import sasl_configs


class Retriever(AccessTokenRetriever):
    def __init__(self, init: str = "", close: str = "") -> None:
        self._init, self._close = init, close

    def init(self) -> None:
        if self._init:
            raise OSError(self._init)

    def retrieve(self) -> str:
        return "dummy"

    def close(self) -> None:
        if self._close:
            raise OSError(self._close)


def test_configure_throws_exception_on_access_token_validator_init() -> None:
    handler = OAuthBearerLoginCallbackHandler()
    with pytest.raises(KafkaException, match="encountered an error when initializing"):
        handler.init(Retriever(init="no"), AccessTokenValidatorFactory.create_login(sasl_configs()))


def test_configure_throws_exception_on_access_token_validator_close(caplog) -> None:
    handler = OAuthBearerLoginCallbackHandler()
    handler.init(Retriever(close="no"), AccessTokenValidatorFactory.create_login(sasl_configs()))
    with caplog.at_level(logging.WARNING):
        handler.close()
    assert "could not be closed" in caplog.text
