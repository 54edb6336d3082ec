# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.common.ThreadShutdownException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Raised in a thread that is shut down during its work."""

from __future__ import annotations


class ThreadShutdownException(RuntimeError):
    """The work of a thread ends.

    :origin: kafka.common.ThreadShutdownException
    """
