# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.cache.LRUCacheTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The least recently used entry goes first."""

from __future__ import annotations

from kreactor.common.cache.lru_cache import LRUCache
from kreactor.common.cache.synchronized_cache import SynchronizedCache


def test_put_get() -> None:
    cache: LRUCache[str, str] = LRUCache(4)
    for key, value in zip("aceg", "bdfh"):
        assert cache.put(key, value) is None
    assert cache.size() == 4
    assert [cache.get(key) for key in "aceg"] == list("bdfh")


def test_remove() -> None:
    cache: LRUCache[str, str] = LRUCache(4)
    for key, value in zip("ace", "bdf"):
        cache.put(key, value)
    assert cache.size() == 3
    assert cache.remove("a")
    assert (cache.size(), cache.get("a"), cache.get("c"), cache.get("e")) == (2, None, "d", "f")
    assert not cache.remove("key-does-not-exist")
    assert cache.remove("c")
    assert (cache.size(), cache.get("c"), cache.get("e")) == (1, None, "f")
    assert cache.remove("e")
    assert (cache.size(), cache.get("e")) == (0, None)


def test_eviction() -> None:
    cache: SynchronizedCache[str, str] = SynchronizedCache(LRUCache(2))
    cache.put("a", "b")
    cache.put("c", "d")
    assert cache.size() == 2

    assert cache.put("e", "f") == "b"
    assert (cache.size(), cache.get("a"), cache.get("c"), cache.get("e")) == (2, None, "d", "f")

    cache.get("c")
    assert cache.put("g", "h") == "f"
    assert (cache.size(), cache.get("e"), cache.get("c"), cache.get("g")) == (2, None, "d", "h")
    # A key that is there takes nobody's place, and may have a new value.
    assert cache.put("c", "i") is None
    assert (cache.get("c"), cache.remove("g"), cache.size()) == ("i", True, 1)
