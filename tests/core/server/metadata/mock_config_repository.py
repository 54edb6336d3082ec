# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.metadata.MockConfigRepository of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of things that a test gives."""

from __future__ import annotations

from kreactor.common.config.config_resource import ConfigResource
from kreactor.core.server.metadata.config_repository import ConfigRepository


class MockConfigRepository(ConfigRepository):
    """The settings that a test has made, and at first none."""

    def __init__(self) -> None:
        self._configs: dict[ConfigResource, dict[str, str]] = {}

    def config(self, config_resource: ConfigResource) -> dict[str, str]:
        return dict(self._configs.get(config_resource, {}))

    def set_config(self, config_resource: ConfigResource, key: str, value: str | None) -> None:
        """Set what one key has; None takes it away."""
        properties = self._configs.setdefault(config_resource, {})
        if value is None:
            properties.pop(key, None)
        else:
            properties[key] = value

    def set_topic_config(self, topic_name: str, key: str, value: str | None) -> None:
        self.set_config(ConfigResource(ConfigResource.Type.TOPIC, topic_name), key, value)
