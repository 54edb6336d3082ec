# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of AccessTokenValidatorFactory, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Makes validators of tokens from properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.security.oauthbearer.internals.secured.access_token_validator import AccessTokenValidator
from kreactor.common.security.oauthbearer.internals.secured.configuration_utils import ConfigurationUtils
from kreactor.common.security.oauthbearer.internals.secured.login_access_token_validator import (
    LoginAccessTokenValidator,
)
from kreactor.common.security.oauthbearer.internals.secured.validator_access_token_validator import (
    ValidatorAccessTokenValidator,
)
from kreactor.jdk.jose import VerificationKeyResolver


class AccessTokenValidatorFactory:
    """:origin: common.security.oauthbearer.internals.secured.AccessTokenValidatorFactory"""

    @staticmethod
    def create_login(configs: Mapping[str, Any], sasl_mechanism: str | None = None) -> AccessTokenValidator:
        """Return the validator of a client, for its own tokens. Raises ValidateException.

        :origin: common.security.oauthbearer.internals.secured.AccessTokenValidatorFactory#create(
            Map<String,?>)
        :origin: common.security.oauthbearer.internals.secured.AccessTokenValidatorFactory#create(
            Map<String,?>, String)
        """
        cu = ConfigurationUtils(configs, sasl_mechanism)
        scope_claim_name = cu.get(SaslConfigs.SASL_OAUTHBEARER_SCOPE_CLAIM_NAME)
        sub_claim_name = cu.get(SaslConfigs.SASL_OAUTHBEARER_SUB_CLAIM_NAME)
        return LoginAccessTokenValidator(scope_claim_name, sub_claim_name)

    @staticmethod
    def create(configs: Mapping[str, Any], sasl_mechanism: str | None,
               verification_key_resolver: VerificationKeyResolver) -> AccessTokenValidator:
        """Return the validator of a broker. Raises ConfigException.

        :origin: common.security.oauthbearer.internals.secured.AccessTokenValidatorFactory#create(
            Map<String,?>, VerificationKeyResolver)
        :origin: common.security.oauthbearer.internals.secured.AccessTokenValidatorFactory#create(
            Map<String,?>, String, VerificationKeyResolver)
        """
        cu = ConfigurationUtils(configs, sasl_mechanism)
        audiences = cu.get(SaslConfigs.SASL_OAUTHBEARER_EXPECTED_AUDIENCE)
        expected_audiences = None if audiences is None else frozenset(audiences)
        clock_skew = cu.validate_integer(SaslConfigs.SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS, False)
        expected_issuer = cu.validate_string(SaslConfigs.SASL_OAUTHBEARER_EXPECTED_ISSUER, False)
        scope_claim_name = cu.validate_string(SaslConfigs.SASL_OAUTHBEARER_SCOPE_CLAIM_NAME)
        sub_claim_name = cu.validate_string(SaslConfigs.SASL_OAUTHBEARER_SUB_CLAIM_NAME)
        assert scope_claim_name is not None and sub_claim_name is not None
        return ValidatorAccessTokenValidator(
            clock_skew, expected_audiences, expected_issuer, verification_key_resolver, scope_claim_name,
            sub_claim_name)
