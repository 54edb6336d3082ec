# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.quota.ClientQuotaEntity of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The entity of a quota: a user, a client id, both, or an address. Each is a certain one or the default."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.jdk.text import java_text


class ClientQuotaEntity:
    """Names by type. None means the default of the type. Immutable; compared by its names.

    :origin: common.quota.ClientQuotaEntity
    """

    __slots__ = ("_entries",)

    USER = "user"
    CLIENT_ID = "client-id"
    IP = "ip"

    # In the order of Java's HashMap, for error messages.
    _ORDER = (CLIENT_ID, USER, IP)

    @staticmethod
    def is_valid_entity_type(entity_type: str) -> bool:
        """:origin: common.quota.ClientQuotaEntity#isValidEntityType(String)"""
        return entity_type in ClientQuotaEntity._ORDER

    def __init__(self, entries: Mapping[str, str | None]) -> None:
        """:origin: common.quota.ClientQuotaEntity#ClientQuotaEntity(Map<String,String>)"""
        self._entries = entries

    def entries(self) -> Mapping[str, str | None]:
        """:origin: common.quota.ClientQuotaEntity#entries()"""
        return self._entries

    def __eq__(self, o: object) -> bool:
        """:origin: common.quota.ClientQuotaEntity#equals(Object)"""
        if self is o:
            return True
        if not isinstance(o, ClientQuotaEntity):
            return False
        return self._entries == o._entries

    def __hash__(self) -> int:
        """:origin: common.quota.ClientQuotaEntity#hashCode()"""
        return hash(frozenset(self._entries.items()))

    def __str__(self) -> str:
        """:origin: common.quota.ClientQuotaEntity#toString()"""
        known = {type_: self._entries[type_] for type_ in self._ORDER if type_ in self._entries}
        return f"ClientQuotaEntity(entries={java_text({**known, **self._entries})})"

    __repr__ = __str__
