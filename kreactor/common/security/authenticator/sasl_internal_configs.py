# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.SaslInternalConfigs
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A property that SASL servers negotiate."""

from __future__ import annotations


class SaslInternalConfigs:
    """:origin: common.security.authenticator.SaslInternalConfigs"""

    # The time at which the credential expires, in milliseconds since 1970.
    CREDENTIAL_LIFETIME_MS_SASL_NEGOTIATED_PROPERTY_KEY = "CREDENTIAL.LIFETIME.MS"
