# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A map that makes what it misses."""

from __future__ import annotations

import threading
import time

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.core.utils.pool import Pool


def test_remove_all() -> None:
    pool: Pool[int, str] = Pool()
    pool.put(1, "1")
    pool.put(2, "2")
    pool.put(3, "3")
    assert pool.size() == 3
    pool.remove_all([1, 2])
    assert pool.size() == 1
    assert pool.get(3) == "3"
    pool.remove_all([3])
    assert pool.size() == 0


def test_a_missing_value_is_made_once() -> None:
    made: list[int] = []

    def make(key: int) -> list[int]:
        time.sleep(0.001)
        made.append(key)
        return [key]

    pool: Pool[int, list[int]] = Pool(make)
    got: list[list[int]] = []
    threads = [threading.Thread(target=lambda: got.append(pool.get_and_maybe_put(7))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [7]
    assert all(value is got[0] for value in got)


def test_without_a_factory() -> None:
    pool: Pool[int, str] = Pool()
    with pytest.raises(KafkaException, match="Empty value factory in pool."):
        pool.get_and_maybe_put(1)
    assert pool.get_and_maybe_put_create_value(1, lambda: "one") == "one"
    assert pool.get_and_maybe_put_create_value(1, lambda: "two") == "one"


def test_operations() -> None:
    pool: Pool[int, str] = Pool()
    assert pool.put_if_not_exists(1, "a") is None
    assert pool.put_if_not_exists(1, "b") == "a"
    assert pool.put(1, "c") == "a"
    pool.put_all({2: "d", 3: "e"})
    assert pool.contains(2) and not pool.contains(4)
    assert not pool.remove_value(2, "x") and pool.remove_value(2, "d")
    assert pool.remove(2) is None and pool.remove(3) == "e"
    assert pool.keys() == [1] and pool.values() == ["c"]
    assert list(pool) == [(1, "c")]
    for key, _ in pool:
        pool.put(key + 1, "while iterating")
    pool.clear()
    assert pool.size() == 0
