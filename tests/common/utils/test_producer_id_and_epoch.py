# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch


def test_producer_id_and_epoch() -> None:
    producer = ProducerIdAndEpoch(5, 2)
    assert producer.is_valid()
    assert not ProducerIdAndEpoch.NONE.is_valid()
    assert ProducerIdAndEpoch(0, 0).is_valid()
    assert producer == ProducerIdAndEpoch(5, 2)
    assert hash(producer) == hash(ProducerIdAndEpoch(5, 2))
    assert producer not in (ProducerIdAndEpoch(5, 3), ProducerIdAndEpoch(6, 2), (5, 2))
    assert str(producer) == "(producerId=5, epoch=2)"
    assert ProducerIdAndEpoch.NONE == ProducerIdAndEpoch(-1, -1)
