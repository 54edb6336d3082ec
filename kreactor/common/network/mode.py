# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Mode of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The end of a connection: client or server."""

from enum import Enum


class Mode(Enum):
    """The role in a TLS handshake and in SASL.

    :origin: common.network.Mode
    """

    CLIENT = "CLIENT"
    SERVER = "SERVER"
