# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of Initable, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of an object that must be initialized before its first use."""

from __future__ import annotations


class Initable:
    """:origin: common.security.oauthbearer.internals.secured.Initable"""

    def init(self) -> None:
        """Initialize the object. Raises OSError. The default does nothing.

        :origin: common.security.oauthbearer.internals.secured.Initable#init()
        """
