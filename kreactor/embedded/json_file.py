# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A file with one JSON object, which includes the version of its format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from kreactor.common.errors import KafkaStorageException
from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.files import write_atomically
from kreactor.jdk.floor import Floor

T = TypeVar("T")

OWNER_ONLY = 0o600
EVERYBODY = 0o644

_VERSION = 1


class JsonFile:
    """The file at ``path``. For one thread at a time.

    ``content_name`` names the content in errors, as "the topics"; ``mode`` is the file's permission bits.
    """

    __slots__ = ("_path", "_content_name", "_mode")

    def __init__(self, path: str, what: str, mode: int = OWNER_ONLY) -> None:
        self._path = path
        self._content_name = what
        self._mode = mode

    def read(self, take: Callable[[Mapping[str, Any]], T]) -> T | None:
        """Return the result of ``take`` for the content, None if there is no file.

        Raises KafkaException if the file cannot be read or ``take`` fails. The exception contains nothing of
        the content.
        """
        try:
            with Floor.io.open(self._path, encoding="ascii") as file:
                content = json.load(file)
            if content["version"] != _VERSION:
                raise KafkaException(
                    f"{self._path} has version {content['version']}, and {_VERSION} is known")
            return take(content)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError,
                IllegalArgumentException) as e:
            # The exception is neither shown by repr nor set as the cause: those of a bad character and of bad
            # JSON contain the whole text.
            raise KafkaException(f"{self._path}, which holds {self._content_name}, cannot be read: "
                                 f"{type(e).__name__}: {e}") from None

    def write(self, content: Mapping[str, object]) -> None:
        """Replace the content durably. Raises KafkaStorageException; then the old content stays."""
        try:
            write_atomically(
                self._path, json.dumps({"version": _VERSION, **content}, indent=1).encode("ascii") + b"\n",
                mode=self._mode)
        except OSError as e:
            raise KafkaStorageException(f"{self._path} cannot be written: {e}", e) from e
