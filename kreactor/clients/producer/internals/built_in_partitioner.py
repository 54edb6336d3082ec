# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.BuiltInPartitioner of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The partition for records without a key: one partition for a batch's worth of bytes, then another
(KIP-794).

An append has five steps. Steps 3 to 5 hold the lock of the partition's deque:

1. ``peek_current_partition_info`` names the partition, and with it the deque;
2. the thread takes the deque's lock;
3. ``is_partition_changed`` returns whether another thread has switched meanwhile; then the append goes back
   to step 1;
4. the record goes into a batch;
5. ``update_partition_info`` counts its bytes, and may switch.

Only a thread with the lock of the current partition's deque switches, and a switch makes a new object, so the
identity of the object decides step 3. The sender's thread replaces the partitions' load.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Callable, ClassVar

from kreactor.clients.producer.internals.key_hashes import positive_hash
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.atomic import AtomicReference
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import BytesLike
from kreactor.jdk.random_numbers import RANDOM

if TYPE_CHECKING:
    from kreactor.common.cluster import Cluster


class BuiltInPartitioner:
    """The sticky partition of one topic. Called by any thread. This class is not a Partitioner.

    :origin: clients.producer.internals.BuiltInPartitioner
    """

    # Tests replace this source of random numbers.
    mock_random: ClassVar[Callable[[], int] | None] = None

    def __init__(self, log_context: LogContext, topic: str, sticky_batch_size: int) -> None:
        """Keep a partition for ``sticky_batch_size`` bytes.

        Raises IllegalArgumentException if that is below 1.

        :origin: clients.producer.internals.BuiltInPartitioner#BuiltInPartitioner(LogContext, String, int)
        """
        self._log = log_context.logger(type(self))
        self._topic = topic
        if sticky_batch_size < 1:
            raise IllegalArgumentException(f"stickyBatchSize must be >= 1 but got {sticky_batch_size}")
        self._sticky_batch_size = sticky_batch_size
        self._partition_load_stats: BuiltInPartitioner._PartitionLoadStats | None = None
        self._sticky_partition_info: AtomicReference[BuiltInPartitioner.StickyPartitionInfo] = (
            AtomicReference(None))

    def _next_partition(self, cluster: Cluster) -> int:
        """Return a random partition with a leader, weighted by load if the load is known.

        :origin: clients.producer.internals.BuiltInPartitioner#nextPartition(Cluster)
        """
        mock_random = BuiltInPartitioner.mock_random
        random = mock_random() if mock_random is not None else RANDOM.getrandbits(31)

        # Read once: the sender's thread replaces it.
        partition_load_stats = self._partition_load_stats

        if partition_load_stats is None:
            available_partitions = cluster.available_partitions_for_topic(self._topic)
            if available_partitions:
                partition = available_partitions[random % len(available_partitions)].partition()
            else:
                # No partition has a leader; any partition may have one when the batch is sent.
                partitions = cluster.partitions_for_topic(self._topic)
                partition = random % len(partitions)
        else:
            assert partition_load_stats.length > 0

            cumulative_frequency_table = partition_load_stats.cumulative_frequency_table
            weighted_random = random % cumulative_frequency_table[partition_load_stats.length - 1]

            # Find the first entry above the number.
            partition_index = bisect_right(cumulative_frequency_table, weighted_random, 0,
                                           partition_load_stats.length)
            assert partition_index < partition_load_stats.length
            partition = partition_load_stats.partition_ids[partition_index]

        self._log.trace("Switching to partition %s in topic %s", partition, self._topic)
        return partition

    def load_stats_range_end(self) -> int:
        """Return the sum of all frequencies, for tests. The load must be known.

        :origin: clients.producer.internals.BuiltInPartitioner#loadStatsRangeEnd()
        """
        assert self._partition_load_stats is not None
        assert self._partition_load_stats.length > 0
        return self._partition_load_stats.cumulative_frequency_table[self._partition_load_stats.length - 1]

    def peek_current_partition_info(self, cluster: Cluster) -> StickyPartitionInfo:
        """Return the current partition; the first call chooses it.

        :origin: clients.producer.internals.BuiltInPartitioner#peekCurrentPartitionInfo(Cluster)
        """
        partition_info = self._sticky_partition_info.get()
        if partition_info is not None:
            return partition_info

        partition_info = self.StickyPartitionInfo(self._next_partition(cluster))
        if self._sticky_partition_info.compare_and_set(None, partition_info):
            return partition_info

        # Another thread has chosen a partition first.
        partition_info = self._sticky_partition_info.get()
        assert partition_info is not None
        return partition_info

    def is_partition_changed(self, partition_info: StickyPartitionInfo | None) -> bool:
        """Return whether another thread has switched.

        The None of a caller with a fixed partition never changes.

        The caller has the lock of the deque.

        :origin: clients.producer.internals.BuiltInPartitioner#isPartitionChanged(StickyPartitionInfo)
        """
        return partition_info is not None and self._sticky_partition_info.get() is not partition_info

    def bytes_until_switch(self, partition_info: StickyPartitionInfo | None) -> int:
        """Return how many bytes the next append may count before it switches from an unfinished batch.

        The caller has the lock of the deque. Ours; see append_all.
        """
        if partition_info is None:
            return 2**31 - 1
        return self._sticky_batch_size * 2 - partition_info.produced_bytes

    def update_partition_info(self, partition_info: StickyPartitionInfo | None, appended_bytes: int,
                              cluster: Cluster, enable_switch: bool = True) -> None:
        """Count the bytes of an append, and switch if there are enough. None is ignored.

        The caller has the lock of the deque. Without ``enable_switch`` a switch needs twice as many bytes.
        The caller sets ``enable_switch`` when the last batch is full, because a switch away from an
        unfinished batch leaves a small batch. The factor of two bounds the wait if records with keys keep
        opening new batches.

        :origin: clients.producer.internals.BuiltInPartitioner#updatePartitionInfo(StickyPartitionInfo, int, Cluster)
        :origin: clients.producer.internals.BuiltInPartitioner#updatePartitionInfo(StickyPartitionInfo, int, Cluster, boolean)
        """  # noqa: E501
        if partition_info is None:
            return

        assert partition_info is self._sticky_partition_info.get()
        produced_bytes = partition_info.produced_bytes + appended_bytes
        partition_info.produced_bytes = produced_bytes

        if produced_bytes >= self._sticky_batch_size * 2:
            self._log.trace("Produced %s bytes, twice the batch size of %s bytes, with switching %s",
                            produced_bytes, self._sticky_batch_size, enable_switch)

        if (produced_bytes >= self._sticky_batch_size and enable_switch
                or produced_bytes >= self._sticky_batch_size * 2):
            new_partition_info = self.StickyPartitionInfo(self._next_partition(cluster))
            self._sticky_partition_info.set(new_partition_info)

    def update_partition_load_stats(self, queue_sizes: list[int] | None, partition_ids: Sequence[int] | None,
                                    length: int) -> None:
        """Choose by load from now on: the first ``length`` partitions have these queue sizes; None is
        unknown.

        Partitions without a leader are not in the list. Partitions behind ``length`` are too slow to be
        chosen. This method takes over the list of sizes, and changes it. With sizes 0, 3 and 1 the
        frequencies are 4, 1 and 3 (the largest size and one, less the size), and the table of their sums is
        4, 5 and 8: a number of 0 to 3 means the first partition, 4 the second, 5 to 7 the third.

        :origin: clients.producer.internals.BuiltInPartitioner#updatePartitionLoadStats(int[], int[], int)
        """
        if queue_sizes is None or partition_ids is None:
            self._log.trace("The load of topic %s is not known, and does not count", self._topic)
            self._partition_load_stats = None
            return
        assert len(queue_sizes) == len(partition_ids)
        assert length <= len(queue_sizes)

        # A single remaining partition of several counts: the others are not chosen.
        if length < 1 or len(queue_sizes) < 2:
            self._log.trace("%s of %s partitions are too few for the load of topic %s to count", length,
                            len(queue_sizes), self._topic)
            self._partition_load_stats = None
            return

        max_size_plus1 = queue_sizes[0]
        all_equal = True
        for i in range(1, length):
            if queue_sizes[i] != max_size_plus1:
                all_equal = False
            if queue_sizes[i] > max_size_plus1:
                max_size_plus1 = queue_sizes[i]
        max_size_plus1 += 1

        if all_equal and length == len(queue_sizes):
            self._log.trace("All queues of topic %s are equally long, and their load does not count",
                            self._topic)
            self._partition_load_stats = None
            return

        queue_sizes[0] = max_size_plus1 - queue_sizes[0]
        for i in range(1, length):
            queue_sizes[i] = max_size_plus1 - queue_sizes[i] + queue_sizes[i - 1]
        self._log.trace("The load of topic %s: sums %s, partitions %s, length %s", self._topic, queue_sizes,
                        partition_ids, length)
        self._partition_load_stats = self._PartitionLoadStats(queue_sizes, partition_ids, length)

    class StickyPartitionInfo:
        """One sticky period of a partition, with its bytes.

        :origin: clients.producer.internals.BuiltInPartitioner.StickyPartitionInfo
        """

        __slots__ = ("_index", "produced_bytes")

        def __init__(self, index: int) -> None:
            """Start with no bytes.

            :origin: clients.producer.internals.BuiltInPartitioner.StickyPartitionInfo#StickyPartitionInfo(int)
            """  # noqa: E501
            self._index = index
            # Guarded by the lock of the partition's deque, so it need not be atomic.
            self.produced_bytes = 0

        def partition(self) -> int:
            """Return the number of the partition.

            :origin: clients.producer.internals.BuiltInPartitioner.StickyPartitionInfo#partition()
            """
            return self._index

    @staticmethod
    def partition_for_key(serialized_key: BytesLike, num_partitions: int) -> int:
        """Return the partition for a key's hash, as every Kafka client computes it.

        :origin: clients.producer.internals.BuiltInPartitioner#partitionForKey(byte[], int)
        """
        # DEVIATION D266: the hashes of repeated keys are cached.
        return positive_hash(serialized_key) % num_partitions

    class _PartitionLoadStats:
        """The probability of each partition. Immutable.

        :origin: clients.producer.internals.BuiltInPartitioner.PartitionLoadStats
        """

        __slots__ = ("cumulative_frequency_table", "partition_ids", "length")

        def __init__(self, cumulative_frequency_table: Sequence[int], partition_ids: Sequence[int],
                     length: int) -> None:
            """Store tables whose first ``length`` entries count.

            :origin: clients.producer.internals.BuiltInPartitioner.PartitionLoadStats#PartitionLoadStats(int[], int[], int)
            """  # noqa: E501
            assert len(cumulative_frequency_table) == len(partition_ids)
            assert length <= len(cumulative_frequency_table)
            self.cumulative_frequency_table = cumulative_frequency_table
            self.partition_ids = partition_ids
            self.length = length
