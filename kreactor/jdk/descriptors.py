# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The process's limit of descriptors, and the reserve for files.

The JVM raises the soft limit of its process to the hard one when it starts; ``raise_limit`` does that for a
process that is a broker. A broker in a test's process does not change the limit, because the limit belongs to
the user and is inherited by the user's child processes.

Fact: connections and files share one limit of descriptors. Consequence: idle connections up to the limit
would leave no descriptor for a log's next file, and other clients' writes would fail. Choice: the last eighth
of the limit is a reserve that no connection may use. Cost: an eighth fewer connections. A limit below 128 has
no reserve.

Fact: each partition keeps a descriptor. Consequence: new partitions up to the limit would leave no
descriptor for the files of topics and checkpoints, and no topic could be deleted. Choice: the last quarter of
the reserve is for existing partitions. Cost: 32 partitions fewer at a limit of 1024.

The kernel returns the lowest free number. Hence a number in the reserve means that all lower numbers are in
use, and no count is needed.
"""

from __future__ import annotations

import resource

from kreactor.jdk.floor import Floor

_LEAST_LIMIT = 128
_RESERVED_PART = 8
_LAST_PART = 32


def raise_limit() -> None:
    """Raise the soft limit of open descriptors to the hard one, if the host allows that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):
            pass  # the host allows less than the hard limit: the soft limit stays


def is_in_reserve(descriptor: int) -> bool:
    """Return whether ``descriptor`` is in the reserve for files."""
    return _is_in_last(_RESERVED_PART, descriptor)


def is_for_existing_partitions(descriptor: int) -> bool:
    """Return whether ``descriptor`` is in the part of the reserve that no new partition may use."""
    return _is_in_last(_LAST_PART, descriptor)


def _is_in_last(part: int, descriptor: int) -> bool:
    """Return whether ``descriptor`` is in the last ``part``-th of the limit, if there is a reserve."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit >= _LEAST_LIMIT and descriptor >= limit - limit // part


def is_next_in_reserve(descriptor: int) -> bool:
    """Return whether the next descriptor would be in the reserve for files.

    ``descriptor`` is any open descriptor. Raises OSError if it is closed.
    """
    try:
        following = Floor.os.dup(descriptor)
    except OSError:
        Floor.os.fstat(descriptor)
        return True
    Floor.os.close(following)
    return is_in_reserve(following)
