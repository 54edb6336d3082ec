# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.metadata.ConfigRepository of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The store of the dynamic settings of topics and brokers."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.config.config_resource import ConfigResource


class ConfigRepository(ABC):
    """For use by any thread. The returned properties are copies.

    :origin: kafka.server.metadata.ConfigRepository
    """

    __slots__ = ()

    def topic_config(self, topic_name: str) -> dict[str, str]:
        """Return a topic's own settings.

        :origin: kafka.server.metadata.ConfigRepository#topicConfig
        """
        return self.config(ConfigResource(ConfigResource.Type.TOPIC, topic_name))

    def broker_config(self, broker_id: int) -> dict[str, str]:
        """Return a broker's own settings.

        :origin: kafka.server.metadata.ConfigRepository#brokerConfig
        """
        return self.config(ConfigResource(ConfigResource.Type.BROKER, str(broker_id)))

    @abstractmethod
    def config(self, config_resource: ConfigResource) -> dict[str, str]:
        """Return the settings of a resource.

        :origin: kafka.server.metadata.ConfigRepository#config
        """
