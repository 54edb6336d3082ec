# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ConfigurationUtils, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Reads the properties of signed tokens. A property with the mechanism's prefix takes precedence."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.network.listener_name import ListenerName
from kreactor.jdk.floor import Floor
from kreactor.jdk.text import trim

# Java's URI refuses these in a path: white space, some punctuation, and % without two digits.
_ILLEGAL_IN_PATH = re.compile(r'[\s\x00-\x1f\x7f-\x9f"<>\\^`{|}\[\]]|%(?![0-9A-Fa-f]{2})')


class ConfigurationUtils:
    """Reads and checks properties. Each method raises ConfigException.

    :origin: common.security.oauthbearer.internals.secured.ConfigurationUtils
    """

    def __init__(self, configs: Mapping[str, Any], sasl_mechanism: str | None = None) -> None:
        """:origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#ConfigurationUtils(
            Map<String,?>)
        :origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#ConfigurationUtils(
            Map<String,?>, String)
        """
        self._configs = configs
        self._prefix = (ListenerName.sasl_mechanism_prefix(trim(sasl_mechanism))
                        if sasl_mechanism is not None and trim(sasl_mechanism) else "")

    def validate_file(self, name: str) -> Path:
        """Return the readable file that a URL names.

        :origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#validateFile(String)
        """
        url = self.validate_url(name)
        option = f"The OAuth configuration option {name}"
        illegal = _ILLEGAL_IN_PATH.search(url.path)
        if illegal is not None:
            raise ConfigException(name, url.geturl(), (
                f"{option} contains a URL ({url.geturl()}) that is malformed: character "
                f"{illegal.start()} of its path is not legal"))
        file = Path(os.path.abspath(url.path))
        if not file.exists():
            raise ConfigException(name, str(file), f"{option} contains a file ({file}) that doesn't exist")
        if not Floor.os.access(file, os.R_OK):
            raise ConfigException(
                name, str(file), f"{option} contains a file ({file}) that doesn't have read permission")
        if file.is_dir():
            raise ConfigException(name, str(file), f"{option} references a directory ({file}), not a file")
        return file

    def validate_integer(self, name: str, is_required: bool) -> int | None:
        """:origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#validateInteger(
            String, boolean)
        """
        value: int | None = self.get(name)
        if value is None and is_required:
            raise ConfigException(name, None, f"The OAuth configuration option {name} must be non-null")
        return value

    def validate_long(self, name: str, is_required: bool = True, min_: int | None = None) -> int | None:
        """:origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#validateLong(String)
        :origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#validateLong(
            String, boolean)
        :origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#validateLong(
            String, boolean, Long)
        """
        value: int | None = self.get(name)
        if value is None:
            if is_required:
                raise ConfigException(name, None, f"The OAuth configuration option {name} must be non-null")
            return None
        if min_ is not None and value < min_:
            raise ConfigException(
                name, value, f"The OAuth configuration option {name} value must be at least {min_}")
        return value

    def validate_url(self, name: str) -> SplitResult:
        """Return a URL whose scheme is http, https or file.

        :origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#validateUrl(String)
        """
        value = self.validate_string(name)
        assert value is not None
        option = f"The OAuth configuration option {name} contains a URL ({value})"
        try:
            url = urlsplit(value)
        except ValueError as e:
            raise ConfigException(name, value, f"{option} that is malformed: {e}") from e
        if not url.scheme:
            raise ConfigException(name, value, f"{option} that is malformed: no protocol: {value}")
        if url.scheme not in ("http", "https", "file"):
            raise ConfigException(
                name, value, f"{option} that contains an invalid protocol ({url.scheme}); only \"http\", "
                             "\"https\", and \"file\" protocol are supported")
        return url

    def validate_string(self, name: str, is_required: bool = True) -> str | None:
        """Return the stripped value, or None for a blank one.

        :origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#validateString(String)
        :origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#validateString(
            String, boolean)
        """
        value: str | None = self.get(name)
        if value is None:
            if is_required:
                raise ConfigException(f"The OAuth configuration option {name} value must be non-null")
            return None
        value = trim(value)
        if not value:
            if is_required:
                raise ConfigException(
                    f"The OAuth configuration option {name} value must not contain only whitespace")
            return None
        return value

    def get(self, name: str) -> Any:
        """:origin: common.security.oauthbearer.internals.secured.ConfigurationUtils#get(String)"""
        value = self._configs.get(self._prefix + name)
        return self._configs.get(name) if value is None else value
