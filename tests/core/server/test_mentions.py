# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How often a request may mention the same thing."""

from __future__ import annotations

from kreactor.core.server.mentions import MAX_MENTIONS, limited_mentions


def test_each_key_has_its_own_limit() -> None:
    mentions = [*["a"] * (MAX_MENTIONS + 1), *["b"] * MAX_MENTIONS, "c", "a"]
    assert list(limited_mentions(mentions)) == [*["a"] * MAX_MENTIONS, *["b"] * MAX_MENTIONS, "c"]


def test_equal_keys_share_a_limit() -> None:
    mentions = list(range(2 * MAX_MENTIONS + 2))
    assert list(limited_mentions(mentions, lambda number: number % 2)) == mentions[:-2]
