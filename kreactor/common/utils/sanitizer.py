# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Sanitizer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Escapes names of users and clients for the names of metrics and files."""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from urllib.parse import quote, unquote_plus

from kreactor.jdk import object_name
from kreactor.jdk.exceptions import IllegalArgumentException

# PyPy loads the codec that `quote` needs from a file on first use. Loaded now, because a broker may have no
# free descriptor then.
codecs.lookup("ascii")


class Sanitizer:
    """Static methods only. Called by any thread.

    :origin: common.utils.Sanitizer
    """

    __slots__ = ()

    # Values that need no quotes in an MBean's name. `sanitize` returns only such values. The pattern is
    # stricter than JMX.
    _MBEAN_PATTERN = re.compile(r"[\w\-%. \t]*", re.ASCII)

    _BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")

    @staticmethod
    @lru_cache  # cached, because every request calls this with few different names
    def sanitize(name: str) -> str:
        """Return ``name`` with %-escapes for all characters except letters, digits, ``.``, ``-`` and ``_``.

        :origin: common.utils.Sanitizer#sanitize(String)
        """
        return quote(name, safe="", errors="replace").replace("~", "%7E")

    @staticmethod
    def desanitize(name: str) -> str:
        """Return the name from the result of ``sanitize``.

        Raises IllegalArgumentException for a broken escape.

        :origin: common.utils.Sanitizer#desanitize(String)
        """
        broken = Sanitizer._BROKEN_ESCAPE.search(name)
        if broken is not None:
            raise IllegalArgumentException(f"invalid %-escape at {broken.start()}: {name}")
        return unquote_plus(name)

    @staticmethod
    def jmx_sanitize(name: str) -> str:
        """Return ``name``, quoted if JMX requires it. A result of ``sanitize`` never needs quotes.

        :origin: common.utils.Sanitizer#jmxSanitize(String)
        """
        return name if Sanitizer._MBEAN_PATTERN.fullmatch(name) else object_name.quote(name)
