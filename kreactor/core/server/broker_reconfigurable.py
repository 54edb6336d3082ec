# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.BrokerReconfigurable of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a broker part that takes new settings while the broker runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kreactor.core.server.kafka_config import KafkaConfig


class BrokerReconfigurable(ABC):
    """A part of the broker. It is reconfigured after ``KafkaConfig`` has the new values, so it may read them
    there.

    Plug-ins are ``Reconfigurable`` instead. They are reconfigured before ``KafkaConfig``, and stop the update
    by raising.

    :origin: kafka.server.BrokerReconfigurable
    """

    __slots__ = ()

    @abstractmethod
    def reconfigurable_configs(self) -> AbstractSet[str]:
        """Return the names of the settings that this part uses.

        :origin: kafka.server.BrokerReconfigurable#reconfigurableConfigs
        """

    @abstractmethod
    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        """Raise ConfigException if ``new_config`` is not acceptable. Changes nothing.

        :origin: kafka.server.BrokerReconfigurable#validateReconfiguration
        """

    @abstractmethod
    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        """Apply ``new_config``.

        :origin: kafka.server.BrokerReconfigurable#reconfigure
        """
