# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of AccessTokenRetriever, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a source of a client's tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.security.oauthbearer.internals.secured.initable import Initable


class AccessTokenRetriever(Initable, ABC):
    """Gets tokens. Called by the thread that logs in.

    :origin: common.security.oauthbearer.internals.secured.AccessTokenRetriever
    """

    @abstractmethod
    def retrieve(self) -> str | None:
        """Return a token in its serialized form. Raises OSError.

        :origin: common.security.oauthbearer.internals.secured.AccessTokenRetriever#retrieve()
        """

    def close(self) -> None:
        """Release the resources. Raises OSError.

        :origin: common.security.oauthbearer.internals.secured.AccessTokenRetriever#close()
        """
