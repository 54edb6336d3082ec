# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Sanitizer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Names from outside, of users and clients, made fit to stand in the names of metrics and of files."""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from urllib.parse import quote, unquote_plus

from kreactor.jdk import object_name
from kreactor.jdk.exceptions import IllegalArgumentException

# PyPy loads the codec that `quote` needs from a file, on first use. A broker may be out of descriptors then.
codecs.lookup("ascii")


class Sanitizer:
    """Static methods only, for use by any thread.

    :origin: common.utils.Sanitizer
    """

    __slots__ = ()

    # Values that need no quotes in an MBean's name. `sanitize` returns no others; more could go without.
    _MBEAN_PATTERN = re.compile(r"[\w\-%. \t]*", re.ASCII)

    _BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")

    @staticmethod
    @lru_cache  # asked for each request, of few names
    def sanitize(name: str) -> str:
        """Return ``name`` with all but letters, digits, ``.``, ``-`` and ``_`` as %-escapes.

        :origin: common.utils.Sanitizer#sanitize(String)
        """
        return quote(name, safe="", errors="replace").replace("~", "%7E")

    @staticmethod
    def desanitize(name: str) -> str:
        """Return what ``sanitize`` was given. Raises IllegalArgumentException for a broken escape.

        :origin: common.utils.Sanitizer#desanitize(String)
        """
        broken = Sanitizer._BROKEN_ESCAPE.search(name)
        if broken is not None:
            raise IllegalArgumentException(f"not a %-escape at {broken.start()}: {name}")
        return unquote_plus(name)

    @staticmethod
    def jmx_sanitize(name: str) -> str:
        """Return ``name``, in quotes if something in it needs them; what ``sanitize`` gives does not.

        :origin: common.utils.Sanitizer#jmxSanitize(String)
        """
        return name if Sanitizer._MBEAN_PATTERN.fullmatch(name) else object_name.quote(name)
