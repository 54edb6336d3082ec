# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.AuthenticateCallbackHandler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler of one SASL mechanism on one listener."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback


class AuthenticateCallbackHandler(ABC):
    """Answers callbacks. Each network thread makes its own handler and calls it on that thread only.

    :origin: common.security.auth.AuthenticateCallbackHandler
    """

    @abstractmethod
    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """Read the settings. The owner calls this before ``handle``.

        :origin: common.security.auth.AuthenticateCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """

    @abstractmethod
    def handle(self, callbacks: Sequence[Callback]) -> None:
        """Write answers into ``callbacks``. Raises UnsupportedCallbackException, OSError."""

    @abstractmethod
    def close(self) -> None:
        """Release the handler's resources.

        :origin: common.security.auth.AuthenticateCallbackHandler#close()
        """
