# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How many descriptors the process may open, and which of them are for files alone.

The JVM raises the soft limit of its process to the hard one when it starts; ``raise_limit`` does that for a
process that is a broker. A broker in the process of somebody's tests leaves the limit alone: the limit is the
user's, and processes that the user starts inherit it.

Fact: connections and files take descriptors from one limit. Consequence: idle connections up to the limit
would leave no descriptor for a log's next file, and writes of other clients would fail. Choice: the last
eighth of the limit is a reserve that no connection may use. Cost: an eighth fewer connections. A limit below
128 has no reserve.

The kernel gives out the lowest number that is free. Hence a number in the reserve says that all below are in
use, and nobody has to count.
"""

from __future__ import annotations

import os
import resource

_LEAST_LIMIT = 128
_RESERVED_PART = 8


def raise_limit() -> None:
    """Raise the soft limit of open descriptors to the hard one, if the host allows that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):
            pass  # the host allows less than it says: the soft limit stays


def is_in_reserve(descriptor: int) -> bool:
    """Return whether ``descriptor`` is one that only files may have."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit >= _LEAST_LIMIT and descriptor >= limit - limit // _RESERVED_PART


def is_next_in_reserve(descriptor: int) -> bool:
    """Return whether the next descriptor that opens is one that only files may have.

    ``descriptor`` is any that is open. Raises OSError if it is not.
    """
    try:
        following = os.dup(descriptor)
    except OSError:
        os.fstat(descriptor)
        return True
    os.close(following)
    return is_in_reserve(following)
