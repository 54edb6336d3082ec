# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The set of batches that are not done."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from kreactor.clients.producer.internals.incomplete_batches import IncompleteBatches
from kreactor.jdk.exceptions import IllegalStateException


def test_batches_come_and_go_in_order() -> None:
    incomplete = IncompleteBatches()
    assert incomplete.is_empty()
    batches = [Mock() for _ in range(5)]
    for batch in batches:
        incomplete.add(batch)
    copy = incomplete.copy_all()
    assert list(copy) == batches
    assert list(incomplete.request_results()) == [batch.produce_future for batch in batches]
    for batch in reversed(batches):
        assert not incomplete.is_empty()
        incomplete.remove(batch)
    assert incomplete.is_empty()
    assert list(copy) == batches


def test_a_batch_is_removed_once() -> None:
    incomplete = IncompleteBatches()
    batch = Mock()
    incomplete.add(batch)
    incomplete.remove(batch)
    with pytest.raises(IllegalStateException):
        incomplete.remove(batch)
