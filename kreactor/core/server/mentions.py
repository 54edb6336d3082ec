# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Limits how often a response describes what its request repeats. This module has no origin in Kafka.

The origin describes a group, a resource or a partition at each mention, and a mention takes a few bytes. A
request of 14 KB that mentions the broker 2,000 times in DescribeConfigs gets 46 MB.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

# No client needs more than one.
MAX_MENTIONS = 10


def limited_mentions(mentions: Iterable[T], key: Callable[[T], object] | None = None) -> Iterator[T]:
    """Yield mentions in their order, MAX_MENTIONS at most of those with an equal ``key``.

    ``key`` returns a hashable object. Without it the mentions themselves are compared.
    """
    # DEVIATION D405: the origin has no limit.
    counts: Counter[object] = Counter()
    for mention in mentions:
        mentioned = mention if key is None else key(mention)
        counts[mentioned] += 1
        if counts[mentioned] <= MAX_MENTIONS:
            yield mention
