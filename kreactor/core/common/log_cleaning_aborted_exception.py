# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.common.LogCleaningAbortedException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Raised to abort the cleaning of a log that another operation needs."""

from __future__ import annotations


class LogCleaningAbortedException(RuntimeError):
    """The cleaning of a log ends, and leaves the log unchanged.

    :origin: kafka.common.LogCleaningAbortedException
    """
