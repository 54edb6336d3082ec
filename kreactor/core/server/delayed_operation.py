# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DelayedOperation of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests that cannot be answered yet. They hold no thread, and wait for an event or for their timeout.

A fetch waits for bytes, a produce for replicas, a join for members. ``try_complete_else_watch`` registers
such an operation under keys (a partition, for example). A thread that changes the object of a key calls
``check_and_complete(key)``. A timer completes operations that wait too long. All of these may happen at once;
``force_complete`` lets exactly one thread run ``on_complete``.

*No event is lost.* The operation is tried once before it is registered, which completes most operations at
once. It is tried a second time after it is registered under all keys. The second try sees an event that came
before it. A later event finds the operation under its key.

*Why the operation's lock is held during the registration.* Assume that it is not held. Thread A holds a lock
L for reading, registers the operation, and then needs the operation's lock for the second try. Thread B waits
to write L. Thread C has found the operation, holds its lock, and waits behind B to read L. This is a
deadlock. When A takes the operation's lock before the registration, C waits for that lock first and blocks no
thread. One duty remains with the caller: ``check_and_complete`` must not run under an exclusive lock that
``try_complete`` takes elsewhere.

*Completed operations stay under their other keys* until a thread walks those keys, or until the purge. The
reaper estimates how many completed operations are listed. Above ``purge_interval``, it purges all lists.

Locks, in the order in which they are taken: an operation's lock, the lock of a shard's watcher list, a
timer's lock. The gauges take none.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import Callable, ContextManager, Generic, Protocol, TypeVar

from kreactor.core.utils.logging import Logging
from kreactor.core.utils.pool import Pool
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.locks import Lock, ReentrantLock
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.shutdownable_thread import ShutdownableThread
from kreactor.server.util.timer.system_timer import SystemTimer
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask


# The lock of an operation is reentrant. A Lock of the floor is not.
OperationLock = ContextManager[bool]


class DelayedOperation(Logging, TimerTask):
    """An operation that is completed at once if possible, else by an event, and at the latest after
    ``delay_ms``.

    :origin: kafka.server.DelayedOperation
    """

    __slots__ = ("_completed", "_lock")

    def __init__(self, delay_ms: int, lock: OperationLock | None = None) -> None:
        """``lock`` guards the state that ``try_complete`` reads; by default the operation has a lock of its
        own.

        :origin: kafka.server.DelayedOperation#DelayedOperation
        """
        super().__init__(delay_ms)
        # Acquired at completion and never released. Acquiring it without waiting is the compare-and-set that
        # picks the completing thread.
        self._completed = Lock()
        self._lock: OperationLock = ReentrantLock() if lock is None else lock

    def force_complete(self) -> bool:
        """Complete the operation if no thread has; return whether this call completed it.

        :origin: kafka.server.DelayedOperation#forceComplete
        """
        if self._completed.acquire(blocking=False):
            # A completed operation needs no timeout.
            self.cancel()
            self.on_complete()
            return True
        return False

    def is_completed(self) -> bool:
        """Return whether a thread has completed the operation, or is completing it.

        :origin: kafka.server.DelayedOperation#isCompleted
        """
        return self._completed.locked()

    @abstractmethod
    def on_expiration(self) -> None:
        """Called after ``on_complete`` if the timeout completed the operation.

        :origin: kafka.server.DelayedOperation#onExpiration
        """

    @abstractmethod
    def on_complete(self) -> None:
        """Run the effect of the completion. Called once, by the thread that completes the operation.

        :origin: kafka.server.DelayedOperation#onComplete
        """

    @abstractmethod
    def try_complete(self) -> bool:
        """Call ``force_complete`` and return its result if the operation can complete, else return False.

        Called with the operation's lock held.

        :origin: kafka.server.DelayedOperation#tryComplete
        """

    def safe_try_complete_or_else(self, f: Callable[[], object]) -> bool:
        """Try to complete. Without success call ``f`` and try again, all with the lock held. Return the last
        result.

        :origin: kafka.server.DelayedOperation#safeTryCompleteOrElse
        """
        with self._lock:
            if self.try_complete():
                return True
            f()
            return self.try_complete()

    def safe_try_complete(self) -> bool:
        """Try to complete, with the lock held.

        :origin: kafka.server.DelayedOperation#safeTryComplete
        """
        with self._lock:
            return self.try_complete()

    def run(self) -> None:
        """Complete the operation because its time is over. Called by a thread of the timer.

        :origin: kafka.server.DelayedOperation#run
        """
        if self.force_complete():
            self.on_expiration()


T = TypeVar("T", bound=DelayedOperation)
# For nested classes: they cannot use the outer class's type variable.
U = TypeVar("U", bound=DelayedOperation)


class _NoOpTask(TimerTask):
    """A task that is due at once. It only ends the reaper's wait."""

    __slots__ = ()

    def run(self) -> None:
        """Do nothing."""


class DelayedOperationPurgatory(Logging, Generic[T]):
    """Holds waiting operations. Called by any thread; one more thread, the reaper, expires operations.

    :origin: kafka.server.DelayedOperationPurgatory
    :origin: kafka.server.DelayedOperationPurgatory
    """

    # The number of watcher lists, each with its own lock. A key's hash picks the list.
    _SHARDS = 512

    @staticmethod
    def apply(purgatory_name: str, broker_id: int = 0, purge_interval: int = 1000,
              reaper_enabled: bool = True, timer_enabled: bool = True,
              metrics_registry: MetricsRegistry | None = None) -> DelayedOperationPurgatory[T]:
        """Return a purgatory with a timer of its own.

        :origin: kafka.server.DelayedOperationPurgatory#apply
        """
        timer = SystemTimer(purgatory_name)
        return DelayedOperationPurgatory(purgatory_name, timer, broker_id, purge_interval, reaper_enabled,
                                         timer_enabled, metrics_registry)

    class WatcherList(Generic[U]):
        """The watchers of one shard's keys. ``_watchers_lock`` makes registration and removal of a key
        exclusive.

        :origin: kafka.server.DelayedOperationPurgatory.WatcherList
        """

        __slots__ = ("_watchers_by_key", "_watchers_lock")

        def __init__(self, purgatory: DelayedOperationPurgatory[U]) -> None:
            self._watchers_by_key: Pool[Hashable, DelayedOperationPurgatory.Watchers[U]] = Pool(
                lambda key: DelayedOperationPurgatory.Watchers(key, purgatory))
            self._watchers_lock = ReentrantLock()

        def all_watchers(self) -> list[DelayedOperationPurgatory.Watchers[U]]:
            """Return the current watchers; some may be removed before the caller visits them.

            :origin: kafka.server.DelayedOperationPurgatory.WatcherList#allWatchers
            """
            return self._watchers_by_key.values()

    def __init__(self, purgatory_name: str, timeout_timer: Timer, broker_id: int = 0,
                 purge_interval: int = 1000, reaper_enabled: bool = True, timer_enabled: bool = True,
                 metrics_registry: MetricsRegistry | None = None) -> None:
        """Own ``timeout_timer``. ``purge_interval`` is in operations.

        :origin: kafka.server.DelayedOperationPurgatory#DelayedOperationPurgatory
        """
        self._purgatory_name = purgatory_name
        self._timeout_timer = timeout_timer
        self._broker_id = broker_id
        self._purge_interval = purge_interval
        self._reaper_enabled = reaper_enabled
        self._timer_enabled = timer_enabled
        self._metrics_group = KafkaMetricsGroup(type(self), metrics_registry)
        self._watcher_lists: list[DelayedOperationPurgatory.WatcherList[T]] = [
            DelayedOperationPurgatory.WatcherList(self) for _ in range(self._SHARDS)]
        # How many operations were registered since the last purge, plus those that waited then.
        self._estimated_total_operations = AtomicInteger(0)
        self._expiration_reaper = DelayedOperationPurgatory.ExpiredOperationReaper(self)
        self._metrics_tags = {"delayedOperation": purgatory_name}
        self._metrics_group.new_gauge("PurgatorySize", self.watched, self._metrics_tags)
        self._metrics_group.new_gauge("NumDelayedOperations", self.num_delayed, self._metrics_tags)
        if reaper_enabled:
            self._expiration_reaper.start()

    def _watcher_list(self, key: Hashable) -> DelayedOperationPurgatory.WatcherList[T]:
        """Return the shard of ``key``.

        :origin: kafka.server.DelayedOperationPurgatory#watcherList
        """
        return self._watcher_lists[hash(key) % self._SHARDS]

    def try_complete_else_watch(self, operation: T, watch_keys: Sequence[Hashable]) -> bool:
        """Complete ``operation`` if it can complete now, else watch it under ``watch_keys``.

        Returns whether this call completed it.

        :origin: kafka.server.DelayedOperationPurgatory#tryCompleteElseWatch
        """
        assert watch_keys, "The watch key list can't be empty"

        def watch() -> None:
            for key in watch_keys:
                self._watch_for_operation(key, operation)
            self._estimated_total_operations.increment_and_get()

        if operation.safe_try_complete_or_else(watch):
            return True
        if not operation.is_completed():
            if self._timer_enabled:
                self._timeout_timer.add(operation)
            if operation.is_completed():
                # It was completed before it was in the timer, so its own cancel found nothing there.
                operation.cancel()
        return False

    def check_and_complete(self, key: Hashable) -> int:
        """Try all operations that wait for ``key``; return how many this call completed.

        Call it without an exclusive lock where possible; see the head of the module.

        :origin: kafka.server.DelayedOperationPurgatory#checkAndComplete
        """
        wl = self._watcher_lists[hash(key) % self._SHARDS]
        # A thread that registers an operation meanwhile tries that operation again afterwards.
        if not wl._watchers_by_key._pool:
            return 0
        with wl._watchers_lock:
            watchers = wl._watchers_by_key.get(key)
        num_completed = 0 if watchers is None else watchers.try_complete_watched()
        if num_completed > 0:
            self.debug("Request key %s unblocked %s %s operations", key, num_completed, self._purgatory_name)
        return num_completed

    def watched(self) -> int:
        """Return the number of entries in all lists. An operation counts once per key, completed or not.

        :origin: kafka.server.DelayedOperationPurgatory#watched
        """
        return sum(watchers.count_watched()
                   for watcher_list in self._watcher_lists for watchers in watcher_list.all_watchers())

    def num_delayed(self) -> int:
        """Return the number of operations in the timer.

        :origin: kafka.server.DelayedOperationPurgatory#numDelayed
        """
        return self._timeout_timer.size()

    def cancel_for_key(self, key: Hashable) -> list[T]:
        """Remove the operations that wait for ``key`` and return them, not completed.

        :origin: kafka.server.DelayedOperationPurgatory#cancelForKey
        """
        wl = self._watcher_list(key)
        with wl._watchers_lock:
            watchers = wl._watchers_by_key.remove(key)
            return watchers.cancel() if watchers is not None else []

    def _watch_for_operation(self, key: Hashable, operation: T) -> None:
        """Register ``operation`` under ``key``. The shard is locked, so no thread removes the key's list
        meanwhile.

        :origin: kafka.server.DelayedOperationPurgatory#watchForOperation
        """
        wl = self._watcher_list(key)
        with wl._watchers_lock:
            wl._watchers_by_key.get_and_maybe_put(key).watch(operation)

    def _remove_key_if_empty(self, key: Hashable, watchers: DelayedOperationPurgatory.Watchers[T]) -> None:
        """Remove ``key`` if its list is still ``watchers`` and is empty.

        :origin: kafka.server.DelayedOperationPurgatory#removeKeyIfEmpty
        """
        wl = self._watcher_list(key)
        with wl._watchers_lock:
            if wl._watchers_by_key.get(key) is not watchers:
                return
            if watchers.is_empty():
                wl._watchers_by_key.remove(key)

    def add_to_timer(self, task: TimerTask) -> None:
        """Have the timer run a task that is not an operation."""
        self._timeout_timer.add(task)

    def shutdown(self) -> None:
        """End the reaper and the timer. Waiting operations are not completed.

        :origin: kafka.server.DelayedOperationPurgatory#shutdown
        """
        if self._reaper_enabled:
            self._expiration_reaper.initiate_shutdown()
            # A task that is due ends the reaper's wait early.
            self._timeout_timer.add(_NoOpTask(0))
            self._expiration_reaper.await_shutdown()
        self._timeout_timer.close()
        self._metrics_group.remove_metric("PurgatorySize", self._metrics_tags)
        self._metrics_group.remove_metric("NumDelayedOperations", self._metrics_tags)

    class Watchers(Generic[U]):
        """The operations that wait for one key, in the order of their arrival.

        Called by any thread. The operations are in a dict by identity, whose single steps are atomic. A
        thread walks over a copy and removes completed operations. A thread that adds an operation meanwhile
        tries that operation itself.

        :origin: kafka.server.DelayedOperationPurgatory.Watchers
        """

        __slots__ = ("_key", "_operations", "_purgatory")

        def __init__(self, key: Hashable, purgatory: DelayedOperationPurgatory[U]) -> None:
            """:origin: kafka.server.DelayedOperationPurgatory.Watchers#Watchers"""
            self._key = key
            self._operations: dict[U, None] = {}
            self._purgatory = purgatory

        def count_watched(self) -> int:
            """Return the number of operations, completed or not.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#countWatched
            """
            return len(self._operations)

        def is_empty(self) -> bool:
            """Return whether there are no operations.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#isEmpty
            """
            return not self._operations

        def watch(self, t: U) -> None:
            """Add ``t``.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#watch
            """
            self._operations[t] = None

        def try_complete_watched(self) -> int:
            """Try all operations, remove the completed ones; return how many this call completed.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#tryCompleteWatched
            """
            completed = 0
            operations = self._operations
            for curr in list(operations):
                if curr.is_completed():
                    operations.pop(curr, None)
                elif curr.safe_try_complete():
                    operations.pop(curr, None)
                    completed += 1
            if not operations:
                self._purgatory._remove_key_if_empty(self._key, self)
            return completed

        def cancel(self) -> list[U]:
            """Remove all operations from the timer and from the list; return them.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#cancel
            """
            cancelled: list[U] = []
            for curr in list(self._operations):
                curr.cancel()
                self._operations.pop(curr, None)
                cancelled.append(curr)
            return cancelled

        def purge_completed(self) -> int:
            """Remove the completed operations; return how many were removed.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#purgeCompleted
            """
            purged = 0
            operations = self._operations
            for curr in list(operations):
                if curr.is_completed():
                    operations.pop(curr, None)
                    purged += 1
            if not operations:
                self._purgatory._remove_key_if_empty(self._key, self)
            return purged

    def advance_clock(self, timeout_ms: int) -> None:
        """Expire the operations that are due, waiting up to ``timeout_ms``. Purge the lists if the estimate
        is high enough.

        :origin: kafka.server.DelayedOperationPurgatory#advanceClock
        """
        self._timeout_timer.advance_clock(timeout_ms)
        if self._estimated_total_operations.get() - self.num_delayed() > self._purge_interval:
            # Set before the walk. An operation that completes during the walk makes the estimate too high,
            # never too low.
            self._estimated_total_operations.set(self.num_delayed())
            self.debug("Begin purging watch lists")
            purged = sum(watchers.purge_completed()
                         for watcher_list in self._watcher_lists for watchers in watcher_list.all_watchers())
            self.debug("Purged %s elements from watch lists", purged)

    class ExpiredOperationReaper(ShutdownableThread, Generic[U]):
        """The thread that expires operations.

        :origin: kafka.server.DelayedOperationPurgatory.ExpiredOperationReaper
        """

        _CONTINUES_AFTER_ERROR = True

        def __init__(self, purgatory: DelayedOperationPurgatory[U]) -> None:
            """
            :origin: kafka.server.DelayedOperationPurgatory.ExpiredOperationReaper#ExpiredOperationReaper
            """
            super().__init__(f"ExpirationReaper-{purgatory._broker_id}-{purgatory._purgatory_name}", False)
            self._purgatory = purgatory

        def do_work(self) -> None:
            """:origin: kafka.server.DelayedOperationPurgatory.ExpiredOperationReaper#doWork"""
            self._purgatory.advance_clock(200)


class NewPurgatory(Protocol):
    """Makes a purgatory of the type of operation that its caller uses."""

    def __call__(self, name: str, /) -> DelayedOperationPurgatory[T]: ...
