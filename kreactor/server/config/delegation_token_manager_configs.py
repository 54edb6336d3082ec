# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.DelegationTokenManagerConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of delegation tokens."""

from __future__ import annotations


class DelegationTokenManagerConfigs:
    """Names and defaults.

    :origin: server.config.DelegationTokenManagerConfigs
    """

    DELEGATION_TOKEN_SECRET_KEY_CONFIG = "delegation.token.secret.key"
    DELEGATION_TOKEN_SECRET_KEY_DOC = (
        "In Kafka, this secret signs delegation tokens, and is the same on all nodes.")
    DELEGATION_TOKEN_SECRET_KEY_ALIAS_CONFIG = "delegation.token.master.key"
    DELEGATION_TOKEN_SECRET_KEY_ALIAS_DOC = "In Kafka, this is the old name of delegation.token.secret.key."
    DELEGATION_TOKEN_MAX_LIFETIME_CONFIG = "delegation.token.max.lifetime.ms"
    DELEGATION_TOKEN_MAX_LIFE_TIME_MS_DEFAULT = 7 * 24 * 60 * 60 * 1000
    DELEGATION_TOKEN_MAX_LIFE_TIME_DOC = (
        "In Kafka, no delegation token lives longer than this many milliseconds, renewals included.")
    DELEGATION_TOKEN_EXPIRY_TIME_MS_CONFIG = "delegation.token.expiry.time.ms"
    DELEGATION_TOKEN_EXPIRY_TIME_MS_DEFAULT = 24 * 60 * 60 * 1000
    DELEGATION_TOKEN_EXPIRY_TIME_MS_DOC = (
        "In Kafka, a delegation token expires after this many milliseconds unless it is renewed.")
    DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS_CONFIG = "delegation.token.expiry.check.interval.ms"
    DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS_DEFAULT = 60 * 60 * 1000
    DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_DOC = (
        "In Kafka, expired delegation tokens are removed every so many milliseconds.")
