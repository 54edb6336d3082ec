# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.common.LogCleaningAbortedException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Somebody wants a log that is being cleaned."""

from __future__ import annotations


class LogCleaningAbortedException(RuntimeError):
    """The cleaning of a log ends here, and leaves the log as it is.

    :origin: kafka.common.LogCleaningAbortedException
    """
