# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A file that holds one thing as JSON, with the version of its format beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from kreactor.common.errors import KafkaStorageException
from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.files import write_atomically

T = TypeVar("T")

OWNER_ONLY = 0o600
EVERYBODY = 0o644

_VERSION = 1


class JsonFile:
    """The file at ``path``. For one thread at a time.

    ``what`` it says goes into errors, as "what topics there are"; ``mode`` says who may read it.
    """

    __slots__ = ("_path", "_content_name", "_mode")

    def __init__(self, path: str, what: str, mode: int = OWNER_ONLY) -> None:
        self._path = path
        self._content_name = what
        self._mode = mode

    def read(self, take: Callable[[Mapping[str, Any]], T]) -> T | None:
        """Return what ``take`` makes of the content, None if there is no file.

        Raises KafkaException, which shows nothing of the content, if it cannot be read or ``take`` fails.
        """
        try:
            with open(self._path, encoding="ascii") as file:
                content = json.load(file)
            if content["version"] != _VERSION:
                raise KafkaException(
                    f"{self._path} has version {content['version']}, and {_VERSION} is known")
            return take(content)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IllegalArgumentException) as e:
            # Neither its repr nor itself as the cause: a bad character's and bad JSON's have all of the text.
            raise KafkaException(f"{self._path}, which says {self._content_name}, cannot be read: "
                                 f"{type(e).__name__}: {e}") from None

    def write(self, content: Mapping[str, object]) -> None:
        """Replace the content, durably. Raises KafkaStorageException; the old one stays then."""
        try:
            write_atomically(
                self._path, json.dumps({"version": _VERSION, **content}, indent=1).encode("ascii") + b"\n",
                mode=self._mode)
        except OSError as e:
            raise KafkaStorageException(f"{self._path} cannot be written: {e}", e) from e
