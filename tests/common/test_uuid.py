# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import base64
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalArgumentException

longs = st.integers(-2**63, 2**63 - 1)


def test_significant_bits() -> None:
    id_ = Uuid(34, 98)
    assert id_.get_most_significant_bits() == 34
    assert id_.get_least_significant_bits() == 98


def test_uuid_equality() -> None:
    id1, id2, id3 = Uuid(12, 13), Uuid(12, 13), Uuid(24, 38)
    assert Uuid.ZERO_UUID == Uuid(0, 0)
    assert id1 == id2
    assert id1 != id3
    assert hash(id1) == hash(id2)
    assert hash(id1) != hash(id3)
    assert id1 != (12, 13)


@pytest.mark.deviation("D260")
def test_ids_that_collide_in_java_do_not_collide() -> None:
    # All have the same difference between their halves, which is all that Java's hash looks at.
    assert len({hash(Uuid(i, i ^ 0x1234)) for i in range(1000)}) > 990


def test_the_hash_is_another_one_in_each_process() -> None:
    # Also where the key of Python's own hashes is fixed.
    program = "from kreactor.common.uuid import Uuid; print(hash(Uuid(12, 13)))"
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    one, other = (subprocess.run([sys.executable, "-c", program], env=environment, check=True,
                                 stdout=subprocess.PIPE).stdout for _ in range(2))
    assert one != other


def test_string_conversion() -> None:
    id_ = Uuid.random_uuid()
    assert Uuid.from_string(str(id_)) == id_
    assert str(Uuid.ZERO_UUID) == "A" * 22
    assert Uuid.from_string(str(Uuid.ZERO_UUID)) == Uuid.ZERO_UUID


def test_random_uuid() -> None:
    for _ in range(100):
        random_id = Uuid.random_uuid()
        assert random_id not in Uuid.RESERVED
        assert not str(random_id).startswith("-")
        # Version 4 and the variant of RFC 4122 have their bits at these places.
        assert random_id.to_bytes()[6] >> 4 == 4
        assert random_id.to_bytes()[8] >> 6 == 2


def test_a_random_uuid_that_reads_like_an_option_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([Uuid.ZERO_UUID, Uuid.from_bytes(b"\xfb" + bytes(15)), Uuid(5, 6)])
    monkeypatch.setattr(Uuid, "_unsafe_random_uuid", staticmethod(lambda: next(drawn)))
    assert Uuid.random_uuid() == Uuid(5, 6)


def test_compare_uuids() -> None:
    id00, id01, id10 = Uuid(0, 0), Uuid(0, 1), Uuid(1, 0)
    for id_ in (id00, id01, id10):
        assert not id_ < id_
    assert id00 < id01 < id10
    assert id00 < id10
    assert not id01 < id00
    assert not id10 < id01
    assert sorted([id10, Uuid(-1, 0), Uuid(0, -1), id00]) == [Uuid(-1, 0), Uuid(0, -1), id00, id10]


def test_from_string_with_invalid_input() -> None:
    with pytest.raises(IllegalArgumentException, match="is too long to be decoded as a base64 UUID"):
        Uuid.from_string(base64.urlsafe_b64encode(bytes(32)).decode().rstrip("="))
    with pytest.raises(IllegalArgumentException,
                       match="decoded as 4 bytes, which is not equal to the expected 16"):
        Uuid.from_string(base64.urlsafe_b64encode(bytes(4)).decode().rstrip("="))


@pytest.mark.parametrize("text",
                         ["A" * 21 + "+", "A" * 21 + "/", "A" * 21 + " ", "A" * 21 + "=", "A" * 21, "é" * 22])
def test_from_string_of_what_is_no_base64url(text: str) -> None:
    with pytest.raises(IllegalArgumentException):
        Uuid.from_string(text)


@given(longs, longs)
def test_all_forms_lead_back(most: int, least: int) -> None:
    uuid = Uuid(most, least)
    assert Uuid.from_string(str(uuid)) == uuid
    assert Uuid.from_string(str(uuid) + "==") == uuid
    assert Uuid.from_bytes(uuid.to_bytes()) == uuid
    assert Uuid.from_bytes(memoryview(uuid.to_bytes())) == uuid
    assert len(uuid.to_bytes()) == 16
    assert str(uuid) == base64.urlsafe_b64encode(uuid.to_bytes()).decode().rstrip("=")


def test_reserved() -> None:
    assert Uuid.METADATA_TOPIC_ID == Uuid.ONE_UUID == Uuid(0, 1)
    assert Uuid.RESERVED == {Uuid(0, 0), Uuid(0, 1)}
