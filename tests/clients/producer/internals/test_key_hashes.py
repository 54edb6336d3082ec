# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The table of the keys' hashes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.clients.producer.internals import key_hashes
from kreactor.clients.producer.internals.key_hashes import positive_hash
from kreactor.common.utils.utils import Utils


@given(st.binary(max_size=100))
def test_a_kept_hash_is_that_of_the_key(key: bytes) -> None:
    expected = Utils.to_positive(Utils.murmur2(key))
    assert positive_hash(key) == positive_hash(key) == expected
    assert positive_hash(bytearray(key)) == positive_hash(memoryview(key)) == expected


def test_the_table_is_bounded_in_keys_and_in_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[bytes, int] = {}
    monkeypatch.setattr(key_hashes, "_hashes", kept)
    monkeypatch.setattr(key_hashes, "_MAX_KEYS", 3)
    for number in range(10):
        positive_hash(b"%d" % number)
        assert len(kept) <= 3
    positive_hash(bytes(65))
    assert set(kept) == {b"9"}
