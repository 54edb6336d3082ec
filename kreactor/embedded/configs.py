# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Settings that were changed while the node runs, of all things but topics: brokers, clients' metrics.

One file, ``configs.json``, replaced whole and made durable before a change is seen by anybody. Its owner
alone may read it: passwords stand in it as they are.

Locks: ``_lock`` lets one change happen at a time. Readers see a table that is replaced, and take no lock.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kreactor.common.config.config_resource import ConfigResource
from kreactor.embedded.json_file import JsonFile

FILE_NAME = "configs.json"

_NONE: Mapping[str, str] = MappingProxyType({})


class ConfigStore:
    """The changed settings of a data folder. For use by any thread."""

    __slots__ = ("_file", "_lock", "_configs", "_changes")

    def __init__(self, path: str) -> None:
        """Read the file, if it is there. Raises KafkaException if it cannot be read."""
        self._file = JsonFile(path, "what settings were changed")
        self._lock = threading.Lock()
        # Replaced under the lock, read by any thread.
        self._configs: Mapping[ConfigResource, Mapping[str, str]] = {}
        self._changes = 0
        self._file.read(self._take)

    def config(self, resource: ConfigResource) -> Mapping[str, str]:
        """Return the settings of a thing, none if it has none."""
        return self._configs.get(resource, _NONE)

    def names(self, resource_type: ConfigResource.Type) -> list[str]:
        """Return the names of all things of a kind that have settings, sorted."""
        return sorted(resource.name() for resource in self._configs if resource.type() is resource_type)

    def changes(self) -> int:
        """Return how often the settings were changed since the folder was made."""
        return self._changes

    def replace(self, resource: ConfigResource, configs: Mapping[str, str]) -> None:
        """Set all settings of a thing; without any it is forgotten. Raises KafkaStorageException."""
        with self._lock:
            changed = {other: kept for other, kept in self._configs.items() if other != resource}
            if configs:
                changed[resource] = MappingProxyType(dict(configs))
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
