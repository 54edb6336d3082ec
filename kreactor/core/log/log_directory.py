# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The protocol through which LogManager reaches its directory. Not a port.

``kreactor.embedded.data_folder`` implements it, and the node's storage hands the implementation in.
"""

from __future__ import annotations

from typing import Protocol


class LogDirectory(Protocol):
    """A directory that this process has locked."""

    def path(self) -> str:
        """Return the absolute path of the directory."""

    def file(self, name: str) -> str:
        """Return the path of a file or folder in the directory."""

    def take_clean_shutdown_mark(self) -> bool:
        """Return whether the last shutdown was clean, and remove the mark.

        Raises KafkaException if the mark cannot be removed.
        """

    def mark_clean_shutdown(self) -> None:
        """Write the mark of a clean shutdown: all logs are closed and durable."""
