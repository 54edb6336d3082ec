# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A name without a user looks as the names of users do."""

from __future__ import annotations

from collections import Counter

import pytest

from kreactor.common.security.authenticator.credential_cache import CredentialCache
from kreactor.common.security.scram.internals.scram_decoys import ScramDecoys
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential

KEY = b"k" * 32
NAMES = [f"nobody{number}" for number in range(400)]
Users = CredentialCache.Cache[ScramCredential]


@pytest.fixture
def users() -> Users:
    return CredentialCache.Cache(ScramCredential)


def user(salt: bytes, iterations: int) -> ScramCredential:
    return ScramCredential(salt, bytes(32), bytes(32), iterations)


def decoys(users: Users | None, key: bytes = KEY) -> list[tuple[bytes, int]]:
    made = ScramDecoys(ScramMechanism.SCRAM_SHA_256, key, users)
    return [(credential.salt(), credential.iterations()) for credential in map(made.credential, NAMES)]


def test_a_name_looks_the_same_after_a_restart_and_to_nobody_with_another_key(users: Users) -> None:
    users.put("alice", user(b"x" * 64, 8192))
    assert decoys(users) == decoys(users)
    assert not {salt for salt, _ in decoys(users)} & {salt for salt, _ in decoys(users, b"other")}
    assert len({salt for salt, _ in decoys(users)}) == len(NAMES)


def test_without_users_it_is_as_kafka_s_tools_make_them(users: Users) -> None:
    for cache in (None, users):
        for salt, iterations in decoys(cache):
            assert iterations == 4096 and int(salt, 36) < 1 << 130 and len(salt) <= 26


def test_shapes_are_those_of_users_in_proportion(users: Users) -> None:
    made = ScramFormatter.secure_random_bytes
    for number in range(30):
        users.put(f"a{number}", user(made(), 4096))
    for number in range(10):
        users.put(f"b{number}", user(b"\xff" * 64, 16384))
    shapes = Counter((len(salt) > 26, iterations) for salt, iterations in decoys(users))
    assert set(shapes) == {(False, 4096), (True, 16384)}
    assert 60 <= shapes[True, 16384] <= 140
    assert {len(salt) for salt, iterations in decoys(users) if iterations == 16384} == {64}


def test_a_change_of_a_user_leaves_nearly_all_names_as_they_were(users: Users) -> None:
    for number in range(50):
        users.put(f"a{number}", user(ScramFormatter.secure_random_bytes(), 4096))
    before = decoys(users)
    users.put("a50", user(ScramFormatter.secure_random_bytes(), 4096))
    assert decoys(users) == before
    users.put("b", user(b"\xff" * 32, 8192))
    assert sum(new != old for new, old in zip(decoys(users), before, strict=True)) < 40
    users.remove("b")
    assert decoys(users) == before
