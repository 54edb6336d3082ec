# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Maps that are copied when they change."""

from __future__ import annotations

import threading

from kreactor.common.utils.copy_on_write_map import CopyOnWriteMap


def test_reads_and_changes() -> None:
    map_ = CopyOnWriteMap({"a": 1})
    assert map_.get("a") == 1 and map_.get("b") is None
    assert "a" in map_ and "b" not in map_
    assert (map_.put("b", 2), map_.put("b", 3)) == (None, 2)
    assert (map_.put_if_absent("b", 4), map_.put_if_absent("c", 4)) == (3, None)
    assert dict(map_.items()) == {"a": 1, "b": 3, "c": 4}
    assert (map_.remove("a"), map_.remove("a")) == (1, None)
    assert list(map_) == list(map_.keys()) == ["b", "c"] and list(map_.values()) == [3, 4]
    assert len(map_) == 2 and not map_.is_empty()
    map_.clear()
    assert map_.is_empty()


def test_a_view_never_changes() -> None:
    map_: CopyOnWriteMap[str, int] = CopyOnWriteMap({"a": 1})
    seen = []
    for key in map_.keys():
        map_.put(f"{key}2", 2)
        map_.remove(key)
        seen.append(key)
    assert seen == ["a"]
    assert list(map_) == ["a2"]


def test_threads_that_compute_a_value_get_the_same() -> None:
    map_: CopyOnWriteMap[str, object] = CopyOnWriteMap()
    start = threading.Barrier(8)
    found: list[object] = []

    def compute() -> None:
        def make(key: str) -> object:
            start.wait()
            return object()
        found.append(map_.compute_if_absent("k", make))

    threads = [threading.Thread(target=compute) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [map_.get("k")] * 8


def test_no_change_of_another_thread_is_lost() -> None:
    map_: CopyOnWriteMap[int, int] = CopyOnWriteMap()
    threads = [threading.Thread(target=lambda i=i: [map_.put(i * 100 + j, j) for j in range(100)])
               for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(map_) == 400
