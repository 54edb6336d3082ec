# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.SaslConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names and defaults of the SASL settings."""

from __future__ import annotations

from kreactor.common.config.config_def import ConfigDef


class SaslConfigs:
    """Names and defaults.

    :origin: common.config.SaslConfigs
    """

    SASL_MECHANISM = "sasl.mechanism"
    SASL_MECHANISM_DOC = "A client authenticates with this SASL mechanism."
    GSSAPI_MECHANISM = "GSSAPI"
    DEFAULT_SASL_MECHANISM = GSSAPI_MECHANISM
    SASL_JAAS_CONFIG = "sasl.jaas.config"
    SASL_JAAS_CONFIG_DOC = "This text names the login module and its options, such as a user and a password."
    SASL_CLIENT_CALLBACK_HANDLER_CLASS = "sasl.client.callback.handler.class"
    SASL_CLIENT_CALLBACK_HANDLER_CLASS_DOC = "This class gives a SASL client its credentials."
    SASL_LOGIN_CALLBACK_HANDLER_CLASS = "sasl.login.callback.handler.class"
    SASL_LOGIN_CALLBACK_HANDLER_CLASS_DOC = (
        "This class answers a login's questions, for example with a token.")
    SASL_LOGIN_CLASS = "sasl.login.class"
    SASL_LOGIN_CLASS_DOC = "This class logs in once for all connections and keeps the credentials."
    SASL_KERBEROS_SERVICE_NAME = "sasl.kerberos.service.name"
    SASL_KERBEROS_SERVICE_NAME_DOC = "In Kafka, Kerberos knows the brokers under this service name."
    SASL_KERBEROS_KINIT_CMD = "sasl.kerberos.kinit.cmd"
    SASL_KERBEROS_KINIT_CMD_DOC = "In Kafka, Kerberos tickets are renewed by the command at this path."
    DEFAULT_KERBEROS_KINIT_CMD = "/usr/bin/kinit"
    SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR = "sasl.kerberos.ticket.renew.window.factor"
    SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR_DOC = (
        "In Kafka, a Kerberos login is renewed after this fraction of its ticket's lifetime.")
    DEFAULT_KERBEROS_TICKET_RENEW_WINDOW_FACTOR = 0.8
    SASL_KERBEROS_TICKET_RENEW_JITTER = "sasl.kerberos.ticket.renew.jitter"
    SASL_KERBEROS_TICKET_RENEW_JITTER_DOC = (
        "In Kafka, the renewal of a Kerberos login varies at random by this fraction.")
    DEFAULT_KERBEROS_TICKET_RENEW_JITTER = 0.05
    SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN = "sasl.kerberos.min.time.before.relogin"
    SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN_DOC = (
        "In Kafka, two attempts to renew a Kerberos login are this many milliseconds apart.")
    DEFAULT_KERBEROS_MIN_TIME_BEFORE_RELOGIN = 1 * 60 * 1000
    SASL_LOGIN_REFRESH_WINDOW_FACTOR = "sasl.login.refresh.window.factor"
    SASL_LOGIN_REFRESH_WINDOW_FACTOR_DOC = (
        "A token is refreshed after this fraction of its lifetime, from 0.5 to 1.")
    DEFAULT_LOGIN_REFRESH_WINDOW_FACTOR = 0.8
    SASL_LOGIN_REFRESH_WINDOW_JITTER = "sasl.login.refresh.window.jitter"
    SASL_LOGIN_REFRESH_WINDOW_JITTER_DOC = (
        "The time of a token's refresh varies at random by up to this fraction of its lifetime, at most "
        "0.25.")
    DEFAULT_LOGIN_REFRESH_WINDOW_JITTER = 0.05
    SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS = "sasl.login.refresh.min.period.seconds"
    SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS_DOC = (
        "A token is refreshed no earlier than this many seconds after the last time, unless it expires "
        "first.")
    DEFAULT_LOGIN_REFRESH_MIN_PERIOD_SECONDS = 60
    SASL_LOGIN_REFRESH_BUFFER_SECONDS = "sasl.login.refresh.buffer.seconds"
    SASL_LOGIN_REFRESH_BUFFER_SECONDS_DOC = (
        "A token is refreshed this many seconds before it expires, if its lifetime allows that.")
    DEFAULT_LOGIN_REFRESH_BUFFER_SECONDS = 300
    SASL_LOGIN_CONNECT_TIMEOUT_MS = "sasl.login.connect.timeout.ms"
    SASL_LOGIN_CONNECT_TIMEOUT_MS_DOC = (
        "The connection to the token endpoint may take this many milliseconds; a null value means no limit.")
    SASL_LOGIN_READ_TIMEOUT_MS = "sasl.login.read.timeout.ms"
    SASL_LOGIN_READ_TIMEOUT_MS_DOC = (
        "The token endpoint may be silent for this many milliseconds; a null value means no limit.")
    SASL_LOGIN_RETRY_BACKOFF_MAX_MS = "sasl.login.retry.backoff.max.ms"
    DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MAX_MS = 10000
    SASL_LOGIN_RETRY_BACKOFF_MAX_MS_DOC = (
        "The pauses between requests for a token grow up to this many milliseconds.")
    SASL_LOGIN_RETRY_BACKOFF_MS = "sasl.login.retry.backoff.ms"
    DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MS = 100
    SASL_LOGIN_RETRY_BACKOFF_MS_DOC = (
        "A failed request for a token is repeated after this many milliseconds at first.")
    SASL_OAUTHBEARER_SCOPE_CLAIM_NAME = "sasl.oauthbearer.scope.claim.name"
    DEFAULT_SASL_OAUTHBEARER_SCOPE_CLAIM_NAME = "scope"
    SASL_OAUTHBEARER_SCOPE_CLAIM_NAME_DOC = "A token has its scope in the claim of this name."
    SASL_OAUTHBEARER_SUB_CLAIM_NAME = "sasl.oauthbearer.sub.claim.name"
    DEFAULT_SASL_OAUTHBEARER_SUB_CLAIM_NAME = "sub"
    SASL_OAUTHBEARER_SUB_CLAIM_NAME_DOC = (
        "A token has its subject, which becomes the principal, in the claim of this name.")
    SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL = "sasl.oauthbearer.token.endpoint.url"
    SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL_DOC = (
        "Clients request their tokens from this URL, or read them from a file: URL.")
    SASL_OAUTHBEARER_JWKS_ENDPOINT_URL = "sasl.oauthbearer.jwks.endpoint.url"
    SASL_OAUTHBEARER_JWKS_ENDPOINT_URL_DOC = "The keys that verify tokens are in the file of this file: URL."
    SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS = "sasl.oauthbearer.jwks.endpoint.refresh.ms"
    DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS = 60 * 60 * 1000
    SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS_DOC = (
        "In Kafka, the keys that verify tokens are fetched again every so many milliseconds.")
    SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS = (
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms")
    DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS = 10000
    SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS_DOC = (
        "In Kafka, the pauses between fetches of the keys grow up to this many milliseconds.")
    SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS = "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms"
    DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS = 100
    SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS_DOC = (
        "In Kafka, a failed fetch of the keys is repeated after this many milliseconds at first.")
    SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS = "sasl.oauthbearer.clock.skew.seconds"
    DEFAULT_SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS = 30
    SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS_DOC = (
        "The clocks of the issuer and the broker may differ by this many seconds.")
    SASL_OAUTHBEARER_EXPECTED_AUDIENCE = "sasl.oauthbearer.expected.audience"
    SASL_OAUTHBEARER_EXPECTED_AUDIENCE_DOC = "A token must be for one of these audiences, if any is set."
    SASL_OAUTHBEARER_EXPECTED_ISSUER = "sasl.oauthbearer.expected.issuer"
    SASL_OAUTHBEARER_EXPECTED_ISSUER_DOC = "A token must be from this issuer, if one is set."

    @staticmethod
    def add_client_sasl_support(config: ConfigDef) -> None:
        """Define the SASL settings of a client in ``config``.

        :origin: common.config.SaslConfigs#addClientSaslSupport(ConfigDef)
        """
        Type, Importance = ConfigDef.Type, ConfigDef.Importance
        config.define(SaslConfigs.SASL_KERBEROS_SERVICE_NAME, Type.STRING, None, Importance.MEDIUM,
                      SaslConfigs.SASL_KERBEROS_SERVICE_NAME_DOC)
        config.define(SaslConfigs.SASL_KERBEROS_KINIT_CMD, Type.STRING,
                      SaslConfigs.DEFAULT_KERBEROS_KINIT_CMD, Importance.LOW,
                      SaslConfigs.SASL_KERBEROS_KINIT_CMD_DOC)
        config.define(SaslConfigs.SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR, Type.DOUBLE,
                      SaslConfigs.DEFAULT_KERBEROS_TICKET_RENEW_WINDOW_FACTOR, Importance.LOW,
                      SaslConfigs.SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR_DOC)
        config.define(SaslConfigs.SASL_KERBEROS_TICKET_RENEW_JITTER, Type.DOUBLE,
                      SaslConfigs.DEFAULT_KERBEROS_TICKET_RENEW_JITTER, Importance.LOW,
                      SaslConfigs.SASL_KERBEROS_TICKET_RENEW_JITTER_DOC)
        config.define(SaslConfigs.SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN, Type.LONG,
                      SaslConfigs.DEFAULT_KERBEROS_MIN_TIME_BEFORE_RELOGIN, Importance.LOW,
                      SaslConfigs.SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN_DOC)
        config.define(SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR, Type.DOUBLE,
                      SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_FACTOR, ConfigDef.Range.between(0.5, 1.0),
                      Importance.LOW, SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR_DOC)
        config.define(SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER, Type.DOUBLE,
                      SaslConfigs.DEFAULT_LOGIN_REFRESH_WINDOW_JITTER, ConfigDef.Range.between(0.0, 0.25),
                      Importance.LOW, SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER_DOC)
        config.define(SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS, Type.SHORT,
                      SaslConfigs.DEFAULT_LOGIN_REFRESH_MIN_PERIOD_SECONDS, ConfigDef.Range.between(0, 900),
                      Importance.LOW, SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS_DOC)
        config.define(SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS, Type.SHORT,
                      SaslConfigs.DEFAULT_LOGIN_REFRESH_BUFFER_SECONDS, ConfigDef.Range.between(0, 3600),
                      Importance.LOW, SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS_DOC)
        config.define(SaslConfigs.SASL_MECHANISM, Type.STRING,
                      SaslConfigs.DEFAULT_SASL_MECHANISM, Importance.MEDIUM, SaslConfigs.SASL_MECHANISM_DOC)
        config.define(SaslConfigs.SASL_JAAS_CONFIG, Type.PASSWORD, None, Importance.MEDIUM,
                      SaslConfigs.SASL_JAAS_CONFIG_DOC)
        config.define(SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS, Type.CLASS,
                      None, Importance.MEDIUM, SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS_DOC)
        config.define(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS, Type.CLASS,
                      None, Importance.MEDIUM, SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS_DOC)
        config.define(SaslConfigs.SASL_LOGIN_CLASS, Type.CLASS, None, Importance.MEDIUM,
                      SaslConfigs.SASL_LOGIN_CLASS_DOC)
        config.define(SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS, Type.INT, None, Importance.LOW,
                      SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS_DOC)
        config.define(SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS, Type.INT, None, Importance.LOW,
                      SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS_DOC)
        config.define(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MAX_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MAX_MS, Importance.LOW,
                      SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MAX_MS_DOC)
        config.define(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MS, Importance.LOW,
                      SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MS_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_SCOPE_CLAIM_NAME, Type.STRING,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_SCOPE_CLAIM_NAME, Importance.LOW,
                      SaslConfigs.SASL_OAUTHBEARER_SCOPE_CLAIM_NAME_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_SUB_CLAIM_NAME, Type.STRING,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_SUB_CLAIM_NAME, Importance.LOW,
                      SaslConfigs.SASL_OAUTHBEARER_SUB_CLAIM_NAME_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL, Type.STRING,
                      None, Importance.MEDIUM, SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_URL, Type.STRING,
                      None, Importance.MEDIUM, SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_URL_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS, Importance.LOW,
                      SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS,
                      Importance.LOW, SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS, Type.LONG,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS,
                      Importance.LOW, SaslConfigs.SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS, Type.INT,
                      SaslConfigs.DEFAULT_SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS, Importance.LOW,
                      SaslConfigs.SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_EXPECTED_AUDIENCE, Type.LIST, None, Importance.LOW,
                      SaslConfigs.SASL_OAUTHBEARER_EXPECTED_AUDIENCE_DOC)
        config.define(SaslConfigs.SASL_OAUTHBEARER_EXPECTED_ISSUER, Type.STRING, None, Importance.LOW,
                      SaslConfigs.SASL_OAUTHBEARER_EXPECTED_ISSUER_DOC)
