# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of VerificationKeyResolverFactory, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Makes resolvers of keys from properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.security.oauthbearer.internals.secured.closeable_verification_key_resolver import (
    CloseableVerificationKeyResolver,
)
from kreactor.common.security.oauthbearer.internals.secured.configuration_utils import ConfigurationUtils
from kreactor.common.security.oauthbearer.internals.secured.jwks_file_verification_key_resolver import (
    JwksFileVerificationKeyResolver,
)


class VerificationKeyResolverFactory:
    """:origin: common.security.oauthbearer.internals.secured.VerificationKeyResolverFactory"""

    @staticmethod
    def create(configs: Mapping[str, Any],
               sasl_mechanism: str | None = None) -> CloseableVerificationKeyResolver:
        """Return a resolver for the URL of the keys. Raises ConfigException.

        :origin: common.security.oauthbearer.internals.secured.VerificationKeyResolverFactory#create(
            Map<String,?>, Map<String,Object>)
        :origin: common.security.oauthbearer.internals.secured.VerificationKeyResolverFactory#create(
            Map<String,?>, String, Map<String,Object>)
        """
        name = SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_URL
        cu = ConfigurationUtils(configs, sasl_mechanism)
        url = cu.validate_url(name)
        # DEVIATION D193: kreactor reads keys from a file, and not over HTTP.
        if url.scheme != "file":
            raise ConfigException(
                name, url.geturl(), "kreactor reads keys from a file only: give a file:/// URL")
        return JwksFileVerificationKeyResolver(cu.validate_file(name))
