# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.VerificationStateEntry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The state of one producer whose transaction is being verified."""

from __future__ import annotations

from kreactor.storage.internals.log.verification_guard import VerificationGuard


class VerificationStateEntry:
    """A producer whose transaction is being verified. Guarded by the log's lock.

    The lowest sequence number that was seen keeps higher ones out. Otherwise a higher one could be verified
    and appended while the lower one is still to be retried. The lower one would then be out of order for
    ever.

    :origin: storage.internals.log.VerificationStateEntry
    """

    __slots__ = ("timestamp", "verification_guard", "lowest_sequence", "epoch")

    def __init__(self, timestamp: int, sequence: int, epoch: int) -> None:
        """:origin: storage.internals.log.VerificationStateEntry#VerificationStateEntry(long, int, short)"""
        # The start of the verification, in milliseconds.
        self.timestamp = timestamp
        self.verification_guard = VerificationGuard()
        self.lowest_sequence = sequence
        self.epoch = epoch

    def maybe_update_lowest_sequence_and_epoch(self, incoming_sequence: int, incoming_epoch: int) -> None:
        """Add another batch that is to be verified; a new epoch resets the entry.

        :origin: storage.internals.log.VerificationStateEntry#maybeUpdateLowestSequenceAndEpoch(int, short)
        """
        if incoming_epoch == self.epoch and incoming_sequence < self.lowest_sequence:
            self.lowest_sequence = incoming_sequence
        if incoming_epoch > self.epoch:
            self.epoch = incoming_epoch
            self.lowest_sequence = incoming_sequence
