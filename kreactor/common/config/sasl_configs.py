# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.SaslConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names and defaults of the SASL settings."""

from __future__ import annotations

from kreactor.common.config.config_def import ConfigDef

OMITTED = {
    "common.config.SaslConfigs#*_DOC": "texts of Kafka's documentation are not ported",
    "common.config.SaslConfigs#*_NOTE": "texts of Kafka's documentation are not ported",
}


class SaslConfigs:
    """Names and defaults.

    :origin: common.config.SaslConfigs
    """

    SASL_MECHANISM = "sasl.mechanism"
    GSSAPI_MECHANISM = "GSSAPI"
    DEFAULT_SASL_MECHANISM = GSSAPI_MECHANISM
    SASL_JAAS_CONFIG = "sasl.jaas.config"
    SASL_CLIENT_CALLBACK_HANDLER_CLASS = "sasl.client.callback.handler.class"
    SASL_LOGIN_CALLBACK_HANDLER_CLASS = "sasl.login.callback.handler.class"
    SASL_LOGIN_CLASS = "sasl.login.class"
    SASL_KERBEROS_SERVICE_NAME = "sasl.kerberos.service.name"
    SASL_KERBEROS_KINIT_CMD = "sasl.kerberos.kinit.cmd"
    DEFAULT_KERBEROS_KINIT_CMD = "/usr/bin/kinit"
    SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR = "sasl.kerberos.ticket.renew.window.factor"
    DEFAULT_KERBEROS_TICKET_RENEW_WINDOW_FACTOR = 0.8
    SASL_KERBEROS_TICKET_RENEW_JITTER = "sasl.kerberos.ticket.renew.jitter"
    DEFAULT_KERBEROS_TICKET_RENEW_JITTER = 0.05
    SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN = "sasl.kerberos.min.time.before.relogin"
    DEFAULT_KERBEROS_MIN_TIME_BEFORE_RELOGIN = 1 * 60 * 1000
    SASL_LOGIN_REFRESH_WINDOW_FACTOR = "sasl.login.refresh.window.factor"
    DEFAULT_LOGIN_REFRESH_WINDOW_FACTOR = 0.8
    SASL_LOGIN_REFRESH_WINDOW_JITTER = "sasl.login.refresh.window.jitter"
    DEFAULT_LOGIN_REFRESH_WINDOW_JITTER = 0.05
    SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS = "sasl.login.refresh.min.period.seconds"
    DEFAULT_LOGIN_REFRESH_MIN_PERIOD_SECONDS = 60
    SASL_LOGIN_REFRESH_BUFFER_SECONDS = "sasl.login.refresh.buffer.seconds"
    DEFAULT_LOGIN_REFRESH_BUFFER_SECONDS = 300
    SASL_LOGIN_CONNECT_TIMEOUT_MS = "sasl.login.connect.timeout.ms"
    SASL_LOGIN_READ_TIMEOUT_MS = "sasl.login.read.timeout.ms"
    SASL_LOGIN_RETRY_BACKOFF_MAX_MS = "sasl.login.retry.backoff.max.ms"
    DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MAX_MS = 10000
    SASL_LOGIN_RETRY_BACKOFF_MS = "sasl.login.retry.backoff.ms"
    DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MS = 100
    SASL_OAUTHBEARER_SCOPE_CLAIM_NAME = "sasl.oauthbearer.scope.claim.name"
    DEFAULT_SASL_OAUTHBEARER_SCOPE_CLAIM_NAME = "scope"
    SASL_OAUTHBEARER_SUB_CLAIM_NAME = "sasl.oauthbearer.sub.claim.name"
    DEFAULT_SASL_OAUTHBEARER_SUB_CLAIM_NAME = "sub"
    SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL = "sasl.oauthbearer.token.endpoint.url"
    SASL_OAUTHBEARER_JWKS_ENDPOINT_URL = "sasl.oauthbearer.jwks.endpoint.url"
    SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS = "sasl.oauthbearer.jwks.endpoint.refresh.ms"
    DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS = 60 * 60 * 1000
    SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS = (
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms")
    DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS = 10000
    SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS = "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms"
    DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS = 100
    SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS = "sasl.oauthbearer.clock.skew.seconds"
    DEFAULT_SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS = 30
    SASL_OAUTHBEARER_EXPECTED_AUDIENCE = "sasl.oauthbearer.expected.audience"
    SASL_OAUTHBEARER_EXPECTED_ISSUER = "sasl.oauthbearer.expected.issuer"

    @staticmethod
    def add_client_sasl_support(config: ConfigDef) -> None:
        """Define the SASL settings of a client in ``config``.

        :origin: common.config.SaslConfigs#addClientSaslSupport(ConfigDef)
        """
        Type, Importance = ConfigDef.Type, ConfigDef.Importance
        config.define(SaslConfigs.SASL_KERBEROS_SERVICE_NAME, Type.STRING, None, Importance.MEDIUM, None)
        config.define(SaslConfigs.SASL_KERBEROS_KINIT_CMD, Type.STRING,
                      SaslConfigs.DEFAULT_KERBEROS_KINIT_CMD, Importance.LOW, None)
        config.define(SaslConfigs.SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR, Type.DOUBLE,
                      SaslConfigs.DEFAULT_KERBEROS_TICKET_RENEW_WINDOW_FACTOR, Importance.LOW, None)
        config.define(SaslConfigs.SASL_KERBEROS_TICKET_RENEW_JITTER, Type.DOUBLE,
                      SaslConfigs.DEFAULT_KERBEROS_TICKET_RENEW_JITTER, Importance.LOW, None)
        config.define(SaslConfigs.SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN, Type.LONG,
                      SaslConfigs.DEFAULT_KERBEROS_MIN_TIME_BEFORE_RELOGIN, Importance.LOW, None)
        config.define(SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR, Type.DOUBLE,
                      SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_FACTOR, ConfigDef.Range.between(0.5, 1.0),
                      Importance.LOW, None)
        config.define(SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER, Type.DOUBLE,
                      SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_JITTER, ConfigDef.Range.between(0.0, 0.25),
                      Importance.LOW, None)
        config.define(SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS, Type.SHORT,
                      SaslConfigs.DEFAULT_LOGIN_REFRESH_MIN_PERIOD_SECONDS, ConfigDef.Range.between(0, 900),
                      Importance.LOW, None)
        config.define(SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS, Type.SHORT,
                      SaslConfigs.DEFAULT_LOGIN_REFRESH_BUFFER_SECONDS, ConfigDef.Range.between(0, 3600),
                      Importance.LOW, None)
        config.define(SaslConfigs.SASL_MECHANISM, Type.STRING,
                      SaslConfigs.DEFAULT_SASL_MECHANISM, Importance.MEDIUM, None)
        config.define(SaslConfigs.SASL_JAAS_CONFIG, Type.PASSWORD, None, Importance.MEDIUM, None)
        config.define(SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS, Type.CLASS,
                      None, Importance.MEDIUM, None)
        config.define(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS, Type.CLASS,
                      None, Importance.MEDIUM, None)
        config.define(SaslConfigs.SASL_LOGIN_CLASS, Type.CLASS, None, Importance.MEDIUM, None)
        config.define(SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS, Type.INT, None, Importance.LOW, None)
        config.define(SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS, Type.INT, None, Importance.LOW, None)
        config.define(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MAX_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MAX_MS, Importance.LOW, None)
        config.define(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MS, Importance.LOW, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_SCOPE_CLAIM_NAME, Type.STRING,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_SCOPE_CLAIM_NAME, Importance.LOW, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_SUB_CLAIM_NAME, Type.STRING,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_SUB_CLAIM_NAME, Importance.LOW, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL, Type.STRING,
                      None, Importance.MEDIUM, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_URL, Type.STRING,
                      None, Importance.MEDIUM, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS, Importance.LOW, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS,
                      Importance.LOW, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS,
                      Importance.LOW, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS, Type.INT,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS, Importance.LOW, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_EXPECTED_AUDIENCE, Type.LIST, None, Importance.LOW, None)
        config.define(SaslConfigs.SASL_OAUTHBEARER_EXPECTED_ISSUER, Type.STRING, None, Importance.LOW, None)
