# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.SecurityConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The security setting that clients and brokers share."""

from __future__ import annotations


class SecurityConfig:
    """The name of the setting.

    :origin: common.config.SecurityConfig
    """

    SECURITY_PROVIDERS_CONFIG = "security.providers"
    SECURITY_PROVIDERS_DOC = (
        "In Kafka, these classes create Java security providers, which is where algorithms come from.")
