# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The deprecated name of OAuthBearerLoginCallbackHandler."""

from __future__ import annotations

from kreactor.common.security.oauthbearer import o_auth_bearer_login_callback_handler as handlers


class OAuthBearerLoginCallbackHandler(handlers.OAuthBearerLoginCallbackHandler):
    """:origin: common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler"""
