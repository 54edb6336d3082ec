# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.ProducerIdAndEpoch of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The identity of an idempotent producer."""

from __future__ import annotations

# The values of RecordBatch's constants, repeated because this package must not import that module.
_NO_PRODUCER_ID = -1
_NO_PRODUCER_EPOCH = -1


class ProducerIdAndEpoch:
    """A producer's id and epoch. Immutable.

    :origin: common.utils.ProducerIdAndEpoch
    """

    __slots__ = ("producer_id", "epoch")

    NONE: ProducerIdAndEpoch

    def __init__(self, producer_id: int, epoch: int) -> None:
        """Keep the id and the epoch.

        :origin: common.utils.ProducerIdAndEpoch#ProducerIdAndEpoch(long, short)
        """
        self.producer_id = producer_id
        self.epoch = epoch

    def is_valid(self) -> bool:
        """Return whether the id is a producer's id.

        :origin: common.utils.ProducerIdAndEpoch#isValid()
        """
        return self.producer_id > _NO_PRODUCER_ID

    def __str__(self) -> str:
        """Return the id and the epoch.

        :origin: common.utils.ProducerIdAndEpoch#toString()
        """
        return f"(producerId={self.producer_id}, epoch={self.epoch})"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """Compare the ids and the epochs.

        :origin: common.utils.ProducerIdAndEpoch#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, ProducerIdAndEpoch):
            return False
        return self.producer_id == other.producer_id and self.epoch == other.epoch

    def __hash__(self) -> int:
        """Hash the id and the epoch.

        :origin: common.utils.ProducerIdAndEpoch#hashCode()
        """
        return hash((self.producer_id, self.epoch))


ProducerIdAndEpoch.NONE = ProducerIdAndEpoch(_NO_PRODUCER_ID, _NO_PRODUCER_EPOCH)
