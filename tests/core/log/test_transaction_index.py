# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.TransactionIndexTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The index of aborted transactions, in memory and in its file."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.storage.internals.log.aborted_txn import AbortedTxn
from kreactor.storage.internals.log.corrupt_index_exception import CorruptIndexException
from kreactor.storage.internals.log.transaction_index import TransactionIndex

FOUR = [AbortedTxn(0, 0, 10, 11), AbortedTxn(1, 5, 15, 13), AbortedTxn(2, 18, 35, 25),
        AbortedTxn(3, 32, 50, 40)]


@pytest.fixture
def index() -> TransactionIndex:
    return TransactionIndex(0)


def test_position_set_correctly_when_opened(index: TransactionIndex, tmp_path: Path) -> None:
    path = str(tmp_path / "x.txnindex")
    for txn in FOUR:
        index.append(txn)
    index.save(path, sync=False)
    reopened = TransactionIndex(0)
    reopened.load(path)
    another = AbortedTxn(3, 50, 60, 55)
    reopened.append(another)
    assert reopened.all_aborted_txns() == [*FOUR, another]
    reopened.save(path, sync=True)
    assert Path(path).read_bytes() == b"".join(struct.pack(">hqqqq", 0, *txn) for txn in [*FOUR, another])


def test_sanity_check(index: TransactionIndex, tmp_path: Path) -> None:
    path = tmp_path / "x.txnindex"
    for txn in FOUR:
        index.append(txn)
    index.save(str(path), sync=False)
    with pytest.raises(CorruptIndexException):
        TransactionIndex(100).load(str(path))
    data = path.read_bytes()
    for damaged in (data[:-1], b"\0\1" + data[2:], data + data[-34:]):
        path.write_bytes(damaged)
        with pytest.raises(CorruptIndexException):
            TransactionIndex(0).load(str(path))


def test_last_offset_must_increase(index: TransactionIndex) -> None:
    index.append(AbortedTxn(1, 5, 15, 13))
    with pytest.raises(IllegalArgumentException):
        index.append(AbortedTxn(0, 0, 15, 11))


def test_last_offset_cannot_decrease(index: TransactionIndex) -> None:
    index.append(AbortedTxn(1, 5, 15, 13))
    with pytest.raises(IllegalArgumentException):
        index.append(AbortedTxn(0, 0, 10, 11))


def test_collect_aborted_transactions(index: TransactionIndex) -> None:
    for txn in FOUR:
        index.append(txn)
    assert index.collect_aborted_txns(0, 100) == (FOUR, False)
    assert index.collect_aborted_txns(0, 32) == (FOUR[:3], True)
    assert index.collect_aborted_txns(0, 35) == (FOUR, True)
    assert index.collect_aborted_txns(10, 35) == (FOUR, True)
    assert index.collect_aborted_txns(11, 35) == (FOUR[1:], True)
    assert index.collect_aborted_txns(20, 41) == (FOUR[2:], False)


def test_aborted_txn_serde(index: TransactionIndex, tmp_path: Path) -> None:
    path = tmp_path / "x.txnindex"
    txn = AbortedTxn(983493, 137, 299, 200)
    index.append(txn)
    index.save(str(path), sync=False)
    assert path.read_bytes() == struct.pack(">hqqqq", 0, 983493, 137, 299, 200)
    told = txn.as_aborted_transaction()
    assert (told.producer_id, told.first_offset) == (983493, 137)


def test_a_file_only_where_there_is_something_to_say(index: TransactionIndex, tmp_path: Path) -> None:
    path = tmp_path / "x.txnindex"
    index.save(str(path), sync=False)
    assert not path.exists()
    index.append(FOUR[0])
    index.save(str(path), sync=False)
    empty = TransactionIndex(0)
    empty.save(str(path), sync=False)
    assert path.read_bytes() == b""


@given(txns=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 30), st.integers(0, 5)), max_size=20),
       start=st.integers(0, 200), length=st.integers(1, 50))
def test_what_is_collected_is_what_overlaps(txns: list[tuple[int, int, int]], start: int,
                                            length: int) -> None:
    """As going through all entries would find it."""
    index, last_offset, stable = TransactionIndex(0), 0, 0
    all_txns = []
    for step, size, open_since in txns:
        last_offset += step
        stable = max(stable, last_offset + 1 - 5 * open_since)
        all_txns.append(AbortedTxn(1, max(0, last_offset - size), last_offset, stable))
        index.append(all_txns[-1])
    expected = []
    complete = False
    for txn in all_txns:
        if txn.last_offset >= start and txn.first_offset < start + length:
            expected.append(txn)
        if txn.last_stable_offset >= start + length:
            complete = True
            break
    assert index.collect_aborted_txns(start, start + length) == (expected, complete)
