# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The SCRAM users and their stored credentials.

The file ``scram.json`` is replaced as a whole, and is durable before any thread sees a change. Only its owner
may read it: its reader could guess passwords, and impersonate the broker.

Locks: ``_lock`` admits one change at a time. Readers see a table that is replaced, never changed, and take no
lock.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

from kreactor.common.security.scram.internals.scram_credential_utils import ScramCredentialUtils
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.embedded.json_file import JsonFile
from kreactor.jdk.locks import Lock
from kreactor.jdk.secure_random import random_bytes
from kreactor.metadata.node_storage import ScramCredentialKey

FILE_NAME = "scram.json"


class ScramCredentialStore:
    """The credentials of a data folder. For use by any thread."""

    __slots__ = ("_file", "_lock", "_credentials", "_changes", "_secret")

    def __init__(self, path: str) -> None:
        """Read the file, if it exists. Raises KafkaException if it cannot be read."""
        self._file = JsonFile(path, "the SCRAM users")
        self._lock = Lock()
        # Replaced under the lock, read by any thread.
        self._credentials: Mapping[ScramCredentialKey, ScramCredential] = {}
        self._changes = 0
        self._secret = random_bytes(32)
        self._file.read(self._take)

    def secret(self) -> bytes:
        """Return the secret from which the salts of unknown users are derived. It is constant once a user
        exists."""
        return self._secret

    def credentials(self) -> Mapping[ScramCredentialKey, ScramCredential]:
        """Return all credentials, by mechanism and user."""
        return self._credentials

    def changes(self) -> int:
        """Return the number of changes since the folder was made."""
        return self._changes

    def alter(self, removed: Collection[ScramCredentialKey],
              changed: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        """Delete and store credentials, either all or none. Raises KafkaStorageException."""
        with self._lock:
            credentials = {key: credential for key, credential in self._credentials.items()
                           if key not in removed}
            credentials.update(changed)
            content = {"changes": self._changes + 1, "decoys": self._secret.hex(), "credentials": [
                {"user": user, "mechanism": mechanism.mechanism_name(),
                 "credential": ScramCredentialUtils.credential_to_string(credential)}
                for (mechanism, user), credential in credentials.items()]}
            self._file.write(content)
            self._changes += 1
            self._credentials = credentials

    def _take(self, content: Mapping[str, Any]) -> None:
        credentials = {}
        for entry in content["credentials"]:
            mechanism = ScramMechanism.for_mechanism_name(entry["mechanism"])
            if mechanism is None:
                raise ValueError("the mechanism of a credential is not SCRAM")
            credentials[mechanism, str(entry["user"])] = (
                ScramCredentialUtils.credential_from_string(entry["credential"]))
        if "decoys" in content:
            self._secret = bytes.fromhex(content["decoys"])
        else:
            # A file of an earlier version has no secret; a secret of its credentials is used until the next
            # change.
            self._secret = hashlib.sha256(json.dumps(content).encode()).digest()
        self._changes = int(content["changes"])
        self._credentials = credentials
