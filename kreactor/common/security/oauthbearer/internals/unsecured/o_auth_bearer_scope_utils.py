# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerScopeUtils, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Parses a list of scopes in the format of RFC 6749."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_config_exception import (
    OAuthBearerConfigException,
)


class OAuthBearerScopeUtils:
    """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerScopeUtils"""

    _INDIVIDUAL_SCOPE_ITEM_PATTERN = re.compile(r"[\x23-\x5b\x5d-\x7e\x21]+")

    @staticmethod
    def is_valid_scope_item(scope_item: str) -> bool:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerScopeUtils#isValidScopeItem(
            String)
        """  # noqa: E501
        return OAuthBearerScopeUtils._INDIVIDUAL_SCOPE_ITEM_PATTERN.fullmatch(scope_item) is not None

    @staticmethod
    def parse_scope(space_delimited_scope: str) -> Sequence[str]:
        """Return the scopes in their order. Raises OAuthBearerConfigException for an invalid scope.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerScopeUtils#parseScope(String)
        """
        retval = []
        for individual_scope_item in space_delimited_scope.split(" "):
            if individual_scope_item:
                if not OAuthBearerScopeUtils.is_valid_scope_item(individual_scope_item):
                    raise OAuthBearerConfigException(f"Invalid scope value: {individual_scope_item}")
                retval.append(individual_scope_item)
        return tuple(retval)
