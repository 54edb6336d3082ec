# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of FileTokenRetriever, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A retriever that reads the token from a file."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.security.oauthbearer.internals.secured.access_token_retriever import AccessTokenRetriever
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.text import trim


class FileTokenRetriever(AccessTokenRetriever):
    """Reads the file once.

    :origin: common.security.oauthbearer.internals.secured.FileTokenRetriever
    """

    def __init__(self, access_token_file: Path) -> None:
        """:origin: common.security.oauthbearer.internals.secured.FileTokenRetriever#FileTokenRetriever(Path)
        """
        self._access_token_file = access_token_file
        self._access_token: str | None = None

    def init(self) -> None:
        """Read the file and strip white space around the token. Raises OSError.

        :origin: common.security.oauthbearer.internals.secured.FileTokenRetriever#init()
        """
        self._access_token = trim(Utils.read_file_as_string(str(self._access_token_file)))

    def retrieve(self) -> str:
        """Return the token. Raises IllegalStateException before ``init``.

        :origin: common.security.oauthbearer.internals.secured.FileTokenRetriever#retrieve()
        """
        if self._access_token is None:
            raise IllegalStateException("Access token is null; please call init() first")

        return self._access_token
