# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of AccessTokenRetrieverFactory, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Makes AccessTokenRetrievers from settings and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.security.oauthbearer.internals.secured.access_token_retriever import AccessTokenRetriever
from kreactor.common.security.oauthbearer.internals.secured.configuration_utils import ConfigurationUtils
from kreactor.common.security.oauthbearer.internals.secured.file_token_retriever import FileTokenRetriever
from kreactor.common.security.oauthbearer.internals.secured.http_access_token_retriever import (
    HttpAccessTokenRetriever,
)
from kreactor.common.security.oauthbearer.internals.secured.jaas_options_utils import JaasOptionsUtils

# :origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#CLIENT_ID_CONFIG
CLIENT_ID_CONFIG = "clientId"
# :origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#CLIENT_SECRET_CONFIG
CLIENT_SECRET_CONFIG = "clientSecret"
# :origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#SCOPE_CONFIG
SCOPE_CONFIG = "scope"


class AccessTokenRetrieverFactory:
    """:origin: common.security.oauthbearer.internals.secured.AccessTokenRetrieverFactory"""

    @staticmethod
    def create(configs: Mapping[str, Any], sasl_mechanism: str | None,
               jaas_config: Mapping[str, Any]) -> AccessTokenRetriever:
        """Return a retriever for the URL of the token endpoint.

        A file URL gives a FileTokenRetriever, any other an HttpAccessTokenRetriever. Raises ConfigException.

        :origin: common.security.oauthbearer.internals.secured.AccessTokenRetrieverFactory#create(
            Map<String,?>, Map<String,Object>)
        :origin: common.security.oauthbearer.internals.secured.AccessTokenRetrieverFactory#create(
            Map<String,?>, String, Map<String,Object>)
        """
        cu = ConfigurationUtils(configs, sasl_mechanism)
        token_endpoint_url = cu.validate_url(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL)

        if token_endpoint_url.scheme == "file":
            return FileTokenRetriever(cu.validate_file(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL))
        jou = JaasOptionsUtils(jaas_config)
        client_id = jou.validate_string(CLIENT_ID_CONFIG)
        client_secret = jou.validate_string(CLIENT_SECRET_CONFIG)
        scope = jou.validate_string(SCOPE_CONFIG, False)

        ssl_socket_factory = None

        if jou.should_create_ssl_socket_factory(token_endpoint_url):
            ssl_socket_factory = jou.create_ssl_socket_factory()

        retry_backoff_ms = cu.validate_long(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MS)
        retry_backoff_max_ms = cu.validate_long(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MAX_MS)
        assert client_id is not None and client_secret is not None
        assert retry_backoff_ms is not None and retry_backoff_max_ms is not None
        return HttpAccessTokenRetriever(
            client_id, client_secret, scope, ssl_socket_factory, token_endpoint_url.geturl(),
            retry_backoff_ms, retry_backoff_max_ms,
            cu.validate_integer(SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS, False),
            cu.validate_integer(SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS, False))
