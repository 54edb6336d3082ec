# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.quota.ClientQuotaAlteration of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The changes of an entity's quotas."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
from kreactor.jdk.text import java_text


class ClientQuotaAlteration:
    """An entity and the changes of its quotas.

    :origin: common.quota.ClientQuotaAlteration
    """

    __slots__ = ("_entity", "_ops")

    class Op(NamedTuple):
        """The new value of a quota. None removes the quota.

        :origin: common.quota.ClientQuotaAlteration.Op
        """

        key: str
        value: float | None

        def __str__(self) -> str:
            """:origin: common.quota.ClientQuotaAlteration.Op#toString()"""
            return f"ClientQuotaAlteration.Op(key={self.key}, value={java_text(self.value)})"

    def __init__(self, entity: ClientQuotaEntity, ops: Collection[Op]) -> None:
        """:origin: common.quota.ClientQuotaAlteration#ClientQuotaAlteration(
            ClientQuotaEntity, Collection<Op>)
        """
        self._entity = entity
        self._ops = ops

    def entity(self) -> ClientQuotaEntity:
        """:origin: common.quota.ClientQuotaAlteration#entity()"""
        return self._entity

    def ops(self) -> Collection[Op]:
        """:origin: common.quota.ClientQuotaAlteration#ops()"""
        return self._ops

    def __str__(self) -> str:
        """:origin: common.quota.ClientQuotaAlteration#toString()"""
        return f"ClientQuotaAlteration(entity={self._entity}, ops={java_text(self._ops)})"
