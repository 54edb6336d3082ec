# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.quota.ClientQuotaEntity of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The entity of a quota, as a plug-in gets it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum


class ClientQuotaEntity(ABC):
    """A user, a client id, or both. Immutable.

    :origin: server.quota.ClientQuotaEntity
    """

    __slots__ = ()

    class ConfigEntityType(Enum):
        """:origin: server.quota.ClientQuotaEntity.ConfigEntityType"""

        USER = 0
        CLIENT_ID = 1
        DEFAULT_USER = 2
        DEFAULT_CLIENT_ID = 3

    class ConfigEntity(ABC):
        """A user or a client id.

        :origin: server.quota.ClientQuotaEntity.ConfigEntity
        """

        __slots__ = ()

        @abstractmethod
        def name(self) -> str:
            """Return the name, ``<default>`` for a default.

            :origin: server.quota.ClientQuotaEntity.ConfigEntity#name()
            """

        @abstractmethod
        def entity_type(self) -> ClientQuotaEntity.ConfigEntityType:
            """:origin: server.quota.ClientQuotaEntity.ConfigEntity#entityType()"""

    @abstractmethod
    def config_entities(self) -> Sequence[ConfigEntity]:
        """Return the entity's parts.

        :origin: server.quota.ClientQuotaEntity#configEntities()
        """
