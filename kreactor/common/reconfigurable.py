# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Reconfigurable of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The face of a plug-in whose configuration may change while it runs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from kreactor.common.configurable import Configurable


class Reconfigurable(Configurable):
    """A ``Configurable`` that takes new values later, in two steps so that all can refuse first.

    :origin: common.Reconfigurable
    """

    __slots__ = ()

    @abstractmethod
    def reconfigurable_configs(self) -> AbstractSet[str]:
        """Return the names whose values may change.

        :origin: common.Reconfigurable#reconfigurableConfigs()
        """

    @abstractmethod
    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        """Look at ``configs``, complete and as they would become, and change nothing.

        Any exception refuses them; the message of a ConfigException reaches the client that asked.

        :origin: common.Reconfigurable#validateReconfiguration(Map<String,?>)
        """

    @abstractmethod
    def reconfigure(self, configs: Mapping[str, object]) -> None:
        """Take ``configs``, which ``validate_reconfiguration`` let pass.

        :origin: common.Reconfigurable#reconfigure(Map<String,?>)
        """
