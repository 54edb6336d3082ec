# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerConfigException, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of invalid options for unsigned tokens."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException


class OAuthBearerConfigException(KafkaException):
    """An option of a login module has an invalid value.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerConfigException
    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerConfigException#OAuthBearerConfigException(
        String)
    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerConfigException#OAuthBearerConfigException(
        String, Throwable)
    """  # noqa: E501
