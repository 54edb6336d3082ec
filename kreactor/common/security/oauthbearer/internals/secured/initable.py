# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of Initable, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A part that needs something before its first use."""

from __future__ import annotations


class Initable:
    """:origin: common.security.oauthbearer.internals.secured.Initable"""

    def init(self) -> None:
        """Get what is needed. Raises OSError. Does nothing unless a subclass needs something.

        :origin: common.security.oauthbearer.internals.secured.Initable#init()
        """
