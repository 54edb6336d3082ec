# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The dynamic settings of brokers and client metrics subscriptions; those of topics are in ``topics``.

The file ``configs.json`` is replaced as a whole, and is durable before any thread sees a change. Only its
owner may read it, because it contains passwords in clear text.

Locks: ``_lock`` admits one change at a time. Readers see a table that is replaced, never changed, and take no
lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kreactor.common.config.config_resource import ConfigResource
from kreactor.embedded.json_file import JsonFile
from kreactor.jdk.locks import Lock

FILE_NAME = "configs.json"

_NONE: Mapping[str, str] = MappingProxyType({})


class ConfigStore:
    """The dynamic settings of a data folder. For use by any thread."""

    __slots__ = ("_file", "_lock", "_configs", "_changes")

    def __init__(self, path: str) -> None:
        """Read the file, if it exists. Raises KafkaException if it cannot be read."""
        self._file = JsonFile(path, "the dynamic settings")
        self._lock = Lock()
        # Replaced under the lock, read by any thread.
        self._configs: Mapping[ConfigResource, Mapping[str, str]] = {}
        self._changes = 0
        self._file.read(self._take)

    def config(self, resource: ConfigResource) -> Mapping[str, str]:
        """Return the settings of a resource, possibly none."""
        return self._configs.get(resource, _NONE)

    def names(self, resource_type: ConfigResource.Type) -> list[str]:
        """Return the sorted names of all resources of a type that have settings."""
        return sorted(resource.name() for resource in self._configs if resource.type() is resource_type)

    def changes(self) -> int:
        """Return the number of changes since the folder was made."""
        return self._changes

    def replace_all(self, changes: Mapping[ConfigResource, Mapping[str, str]]) -> None:
        """Replace all settings of each resource with one write of the file.

        A resource without settings is removed. Raises KafkaStorageException; then nothing has changed.
        """
        with self._lock:
            changed = {resource: kept for resource, kept in self._configs.items() if resource not in changes}
            changed.update((resource, MappingProxyType(dict(configs)))
                           for resource, configs in changes.items() if configs)
            content = {"changes": self._changes + 1, "configs": [
                {"type": kept.type().name, "name": kept.name(), "configs": dict(values)}
                for kept, values in changed.items()]}
            self._file.write(content)
            self._changes += 1
            self._configs = changed

    def _take(self, content: Mapping[str, Any]) -> None:
        self._changes = int(content["changes"])
        self._configs = {
            ConfigResource(ConfigResource.Type[entry["type"]], entry["name"]):
            MappingProxyType({str(name): str(value) for name, value in entry["configs"].items()})
            for entry in content["configs"]}
