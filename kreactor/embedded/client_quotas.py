# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The quotas of users, clients and addresses that were set while the node runs.

The file ``client_quotas.json`` is replaced as a whole, and is durable before any thread sees a change.

Locks: ``_lock`` admits one change at a time. Readers see a table that is replaced, never changed, and take no
lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
from kreactor.embedded.json_file import EVERYBODY, JsonFile
from kreactor.jdk.locks import Lock
from kreactor.metadata.node_storage import QuotaChanges

FILE_NAME = "client_quotas.json"


class ClientQuotaStore:
    """The quotas of a data folder. For use by any thread."""

    __slots__ = ("_file", "_lock", "_quotas", "_changes")

    def __init__(self, path: str) -> None:
        """Read the file, if it exists. Raises KafkaException if it cannot be read."""
        self._file = JsonFile(path, "the quotas", EVERYBODY)
        self._lock = Lock()
        # Replaced under the lock, read by any thread.
        self._quotas: Mapping[ClientQuotaEntity, Mapping[str, float]] = MappingProxyType({})
        self._changes = 0
        self._file.read(self._take)

    def quotas(self) -> Mapping[ClientQuotaEntity, Mapping[str, float]]:
        """Return the current quotas, by entity and key."""
        return self._quotas

    def changes(self) -> int:
        """Return the number of changes since the folder was made."""
        return self._changes

    def update(self, changes: Mapping[ClientQuotaEntity, QuotaChanges]) -> None:
        """Set and remove quotas. Raises KafkaStorageException; then nothing has changed."""
        with self._lock:
            quotas = dict(self._quotas)
            for entity, values in changes.items():
                changed = {**quotas.get(entity, {}), **values}
                kept = {key: value for key, value in changed.items() if value is not None}
                if kept:
                    quotas[entity] = MappingProxyType(kept)
                else:
                    quotas.pop(entity, None)
            content = {"changes": self._changes + 1, "quotas": [
                {"entity": dict(entity.entries()), "values": dict(values)}
                for entity, values in quotas.items()]}
            self._file.write(content)
            self._changes += 1
            self._quotas = MappingProxyType(quotas)

    def _take(self, content: Mapping[str, Any]) -> None:
        self._changes = int(content["changes"])
        self._quotas = MappingProxyType({
            ClientQuotaEntity({str(type_): None if name is None else str(name)
                               for type_, name in entry["entity"].items()}):
            MappingProxyType({str(key): float(value) for key, value in entry["values"].items()})
            for entry in content["quotas"]})
