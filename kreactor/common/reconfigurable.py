# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Reconfigurable of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a plug-in whose settings may change while it runs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from kreactor.common.configurable import Configurable


class Reconfigurable(Configurable):
    """A ``Configurable`` that accepts new values later. All plug-ins validate them before any applies them.

    :origin: common.Reconfigurable
    """

    __slots__ = ()

    @abstractmethod
    def reconfigurable_configs(self) -> AbstractSet[str]:
        """Return the names of the settings that may change.

        :origin: common.Reconfigurable#reconfigurableConfigs()
        """

    @abstractmethod
    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        """Check ``configs``, the complete new settings, without applying them.

        Any exception refuses the settings. The client that changes them gets the message of a
        ConfigException.

        :origin: common.Reconfigurable#validateReconfiguration(Map<String,?>)
        """

    @abstractmethod
    def reconfigure(self, configs: Mapping[str, object]) -> None:
        """Apply ``configs``, which ``validate_reconfiguration`` has accepted.

        :origin: common.Reconfigurable#reconfigure(Map<String,?>)
        """
