# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The limit of changes that one request may make. Not a port: Kafka's BoundedList keeps the records.

In Kafka each change is a record of the metadata log. Here a count is enough. Its cost does not grow with the
numbers that a request names.
"""

from __future__ import annotations

from kreactor.common.errors import PolicyViolationException

# Kafka's limit of records in one change of its metadata log.
MAX_RECORDS_PER_USER_OP = 10_000


class UserOpRecords:
    """Counts the changes of one request. For use by one thread."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def room(self) -> int:
        """Return how many changes may follow."""
        return MAX_RECORDS_PER_USER_OP - self._count

    def add(self, number: int) -> None:
        """Count changes. Raises PolicyViolationException above the limit; then the count stays."""
        if number > self.room():
            raise PolicyViolationException("Unable to perform excessively large batch operation.")
        self._count += number
