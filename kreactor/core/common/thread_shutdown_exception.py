# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.common.ThreadShutdownException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A thread is told to end in the middle of its work."""

from __future__ import annotations


class ThreadShutdownException(RuntimeError):
    """The work of a thread ends here.

    :origin: kafka.common.ThreadShutdownException
    """
