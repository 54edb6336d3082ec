# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The users of SCRAM, and what is kept of their passwords.

One file, ``scram.json``, replaced whole and made durable before a change is seen by anybody. Its owner alone
may read it: who can, may guess at passwords, and pass for the broker.

Locks: ``_lock`` lets one change happen at a time. Readers see a table that is replaced, and take no lock.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Mapping

from kreactor.common.errors import KafkaStorageException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.scram.internals.scram_credential_utils import ScramCredentialUtils
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.embedded.files import write_atomically

FILE_NAME = "scram.json"

_VERSION = 1
_OWNER_ONLY = 0o600

# A mechanism, and a user's name.
Key = tuple[ScramMechanism, str]


class ScramCredentialStore:
    """The credentials of a data folder. For use by any thread."""

    __slots__ = ("_path", "_lock", "_credentials", "_changes")

    def __init__(self, path: str) -> None:
        """Read the file, if it is there. Raises KafkaException if it cannot be read."""
        self._path = path
        self._lock = threading.Lock()
        # Replaced under the lock, read by any thread.
        self._credentials: Mapping[Key, ScramCredential] = {}
        self._changes = 0
        self._read()

    def credentials(self) -> Mapping[Key, ScramCredential]:
        """Return all, by mechanism and user."""
        return self._credentials

    def changes(self) -> int:
        """Return how often they were changed since the folder was made."""
        return self._changes

    def alter(self, removed: Collection[Key], changed: Mapping[Key, ScramCredential]) -> None:
        """Forget some and keep some, all or none of it. Raises KafkaStorageException."""
        with self._lock:
            credentials = {key: credential for key, credential in self._credentials.items()
                           if key not in removed}
            credentials.update(changed)
            content = {"version": _VERSION, "changes": self._changes + 1, "credentials": [
                {"user": user, "mechanism": mechanism.mechanism_name(),
                 "credential": ScramCredentialUtils.credential_to_string(credential)}
                for (mechanism, user), credential in credentials.items()]}
            try:
                write_atomically(self._path, json.dumps(content, indent=1).encode("ascii") + b"\n",
                                 mode=_OWNER_ONLY)
            except OSError as e:
                raise KafkaStorageException(f"{self._path} cannot be written: {e}", e) from e
            self._changes += 1
            self._credentials = credentials

    def _read(self) -> None:
        try:
            with open(self._path, encoding="ascii") as file:
                content = json.load(file)
            if content["version"] != _VERSION:
                raise KafkaException(
                    f"{self._path} has version {content['version']}, and {_VERSION} is known")
            self._changes = int(content["changes"])
            credentials = {}
            for entry in content["credentials"]:
                mechanism = ScramMechanism.for_mechanism_name(entry["mechanism"])
                if mechanism is None:
                    raise ValueError("a mechanism is not SCRAM")
                credentials[mechanism, str(entry["user"])] = (
                    ScramCredentialUtils.credential_from_string(entry["credential"]))
            self._credentials = credentials
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
            # What the file holds is not shown: an error of JSON has the whole of it, and says where.
            raise KafkaException(
                f"{self._path}, which keeps the users of SCRAM, cannot be read: {e}") from None
