# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Folders of a test's brokers, which last no longer than the process that made them."""

from __future__ import annotations

import shutil
import tempfile

from kreactor.jdk.forks import owned_by_process


class TemporaryFolder:
    """A new folder of this process. ``remove`` removes it with all that is in it."""

    def __init__(self, prefix: str, parent: str | None = None) -> None:
        """Make the folder in ``parent``, or where the system has such folders. Raises OSError."""
        self.path = tempfile.mkdtemp(prefix=prefix, dir=parent)
        self._is_owned = True
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Leave the folder to the parent, in a forked child."""
        self._is_owned = False

    def remove(self) -> None:
        """Remove the folder. A second call does nothing, and neither does one in a forked child."""
        is_owned, self._is_owned = self._is_owned, False
        if is_owned:
            shutil.rmtree(self.path, ignore_errors=True)
