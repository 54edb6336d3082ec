# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Sequence numbers in a circle."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kreactor.clients.producer.internals.sequence_order import Sequence, precedes
from kreactor.common.record.default_record_batch import DefaultRecordBatch

SEQUENCES = st.one_of(st.integers(0, 9), st.integers(2**31 - 9, 2**31 - 1), st.integers(0, 2**31 - 1))


@given(SEQUENCES, st.integers(1, 2**30 - 1))
def test_a_number_precedes_what_is_counted_on_from_it(sequence, increment):
    later = DefaultRecordBatch.increment_sequence(sequence, increment)
    assert precedes(sequence, later)
    assert not precedes(later, sequence)
    assert Sequence(sequence) < Sequence(later)
    assert not Sequence(later) < Sequence(sequence)


@given(SEQUENCES)
def test_a_number_does_not_precede_itself(sequence):
    assert not precedes(sequence, sequence)
    assert Sequence(sequence) == sequence


@given(SEQUENCES, st.permutations(range(5)))
def test_batches_are_sorted_across_zero(sequence, order):
    counted = [DefaultRecordBatch.increment_sequence(sequence, number) for number in range(5)]
    assert sorted(Sequence(counted[number]) for number in order) == counted
