# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DelayedOperation of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests that cannot be answered yet: they wait without a thread, for an event or for their time.

A fetch waits for bytes, a produce for replicas, a join for members. ``try_complete_else_watch`` files
such an operation under keys (a partition, say); a thread that changes the object of the key calls
``check_and_complete(key)``; and a timer completes operations that waited too long. All three may
meet: ``force_complete`` lets exactly one of them run ``on_complete``.

*No event is lost.* The operation is tried once before it is watched, which spares the filing of most, and
once after it is watched under all keys. An event before that second try is seen by the try, one after it
finds the operation under its key.

*Why the operation's lock is held while it is filed.* Let thread A hold a lock L for reading, file the
operation and then want the operation's lock for the second try; let B wait to write L; let C have found
the operation meanwhile, hold its lock, and wait behind B to read L. Nobody moves. With the operation's
lock held from before the filing, C waits for that lock first and blocks nobody. It remains the caller's
part not to hold an exclusive lock in ``check_and_complete`` that ``try_complete`` wants elsewhere.

*Completed operations stay under their other keys* until somebody looks there, or until the reaper finds
more than ``purge_interval`` of them by its estimate, and walks through all lists.

Locks, in the order they are taken: an operation's, the list of watchers of a shard, a timer's. The gauges
take none.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import Callable, ContextManager, Generic, Protocol, TypeVar

from kreactor.core.utils.logging import Logging
from kreactor.core.utils.pool import Pool
from kreactor.jdk.atomic import AtomicInteger
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.shutdownable_thread import ShutdownableThread
from kreactor.server.util.timer.system_timer import SystemTimer
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask


# A reentrant lock: threading.RLock is a function to the type checker.
Lock = ContextManager[bool]


class DelayedOperation(Logging, TimerTask):
    """Something to complete now if possible, on an event later, or after ``delay_ms`` at the latest.

    :origin: kafka.server.DelayedOperation
    """

    __slots__ = ("_completed", "_lock")

    def __init__(self, delay_ms: int, lock: Lock | None = None) -> None:
        """``lock`` guards what ``try_complete`` reads; the operation has one of its own by default.

        :origin: kafka.server.DelayedOperation#DelayedOperation
        """
        super().__init__(delay_ms)
        # Held from completion on, and never let go: to acquire it without waiting is the
        # compare-and-set that picks the one who completes.
        self._completed = threading.Lock()
        self._lock: Lock = threading.RLock() if lock is None else lock

    def force_complete(self) -> bool:
        """Complete the operation if nobody has; return whether it was this call that did.

        :origin: kafka.server.DelayedOperation#forceComplete
        """
        if self._completed.acquire(blocking=False):
            # It need not expire any more.
            self.cancel()
            self.on_complete()
            return True
        return False

    def is_completed(self) -> bool:
        """Return whether somebody has completed the operation, or is about to.

        :origin: kafka.server.DelayedOperation#isCompleted
        """
        return self._completed.locked()

    @abstractmethod
    def on_expiration(self) -> None:
        """Called after ``on_complete`` if it was time that completed the operation.

        :origin: kafka.server.DelayedOperation#onExpiration
        """

    @abstractmethod
    def on_complete(self) -> None:
        """Do what the operation waited for; called once, by the thread that completes it.

        :origin: kafka.server.DelayedOperation#onComplete
        """

    @abstractmethod
    def try_complete(self) -> bool:
        """Call ``force_complete`` and return its result if all is there, else return False.

        Called with the operation's lock held.

        :origin: kafka.server.DelayedOperation#tryComplete
        """

    def safe_try_complete_or_else(self, f: Callable[[], object]) -> bool:
        """Try; without success call ``f`` and try again, all with the lock held. Return the last result.

        :origin: kafka.server.DelayedOperation#safeTryCompleteOrElse
        """
        with self._lock:
            if self.try_complete():
                return True
            f()
            return self.try_complete()

    def safe_try_complete(self) -> bool:
        """Try with the lock held.

        :origin: kafka.server.DelayedOperation#safeTryComplete
        """
        with self._lock:
            return self.try_complete()

    def run(self) -> None:
        """Complete the operation because its time is up; called by a thread of the timer.

        :origin: kafka.server.DelayedOperation#run
        """
        if self.force_complete():
            self.on_expiration()


T = TypeVar("T", bound=DelayedOperation)
# For nested classes: a type variable cannot be an outer class's.
U = TypeVar("U", bound=DelayedOperation)


class _NoOpTask(TimerTask):
    """Due at once; its only use is to end the reaper's wait."""

    __slots__ = ()

    def run(self) -> None:
        """Nothing."""


class DelayedOperationPurgatory(Logging, Generic[T]):
    """Where operations wait. Any thread may use it; one, the reaper, lets them expire.

    :origin: kafka.server.DelayedOperationPurgatory
    :origin: kafka.server.DelayedOperationPurgatory
    """

    # Keys are spread over that many lists, each with its own lock.
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
        """The watchers of the keys of one shard. ``_watchers_lock`` keeps filing and removal of a key apart.

        :origin: kafka.server.DelayedOperationPurgatory.WatcherList
        """

        __slots__ = ("_watchers_by_key", "_watchers_lock")

        def __init__(self, purgatory: DelayedOperationPurgatory[U]) -> None:
            self._watchers_by_key: Pool[Hashable, DelayedOperationPurgatory.Watchers[U]] = Pool(
                lambda key: DelayedOperationPurgatory.Watchers(key, purgatory))
            self._watchers_lock = threading.RLock()

        def all_watchers(self) -> list[DelayedOperationPurgatory.Watchers[U]]:
            """Return the watchers of now; some may be gone when they are looked at.

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
        # How many operations were filed since the last purge, and waited then.
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
        """Complete ``operation`` if that can be done now, else watch it under ``watch_keys``.

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
                # Completed before it was in the timer, so that its own cancel found nothing there.
                operation.cancel()
        return False

    def check_and_complete(self, key: Hashable) -> int:
        """Try all operations that wait for ``key``; return how many this call completed.

        Prefer to call it without an exclusive lock; see the head of the module.

        :origin: kafka.server.DelayedOperationPurgatory#checkAndComplete
        """
        wl = self._watcher_lists[hash(key) % self._SHARDS]
        # A thread that files an operation meanwhile tries it once more after that.
        if not wl._watchers_by_key._pool:
            return 0
        with wl._watchers_lock:
            watchers = wl._watchers_by_key.get(key)
        num_completed = 0 if watchers is None else watchers.try_complete_watched()
        if num_completed > 0:
            self.debug("Request key %s unblocked %s %s operations", key, num_completed, self._purgatory_name)
        return num_completed

    def watched(self) -> int:
        """Return the number of entries in all lists: an operation counts once per key, done or not.

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
        """Forget the operations that wait for ``key`` and return them, not completed.

        :origin: kafka.server.DelayedOperationPurgatory#cancelForKey
        """
        wl = self._watcher_list(key)
        with wl._watchers_lock:
            watchers = wl._watchers_by_key.remove(key)
            return watchers.cancel() if watchers is not None else []

    def _watch_for_operation(self, key: Hashable, operation: T) -> None:
        """File ``operation`` under ``key``, with the shard locked so that the list is not on its way out.

        :origin: kafka.server.DelayedOperationPurgatory#watchForOperation
        """
        wl = self._watcher_list(key)
        with wl._watchers_lock:
            wl._watchers_by_key.get_and_maybe_put(key).watch(operation)

    def _remove_key_if_empty(self, key: Hashable, watchers: DelayedOperationPurgatory.Watchers[T]) -> None:
        """Forget ``key`` if its list is still ``watchers``, and empty.

        :origin: kafka.server.DelayedOperationPurgatory#removeKeyIfEmpty
        """
        wl = self._watcher_list(key)
        with wl._watchers_lock:
            if wl._watchers_by_key.get(key) is not watchers:
                return
            if watchers.is_empty():
                wl._watchers_by_key.remove(key)

    def add_to_timer(self, task: TimerTask) -> None:
        """Have the timer run a task that is no operation."""
        self._timeout_timer.add(task)

    def shutdown(self) -> None:
        """End the reaper and the timer. Waiting operations are not completed.

        :origin: kafka.server.DelayedOperationPurgatory#shutdown
        """
        if self._reaper_enabled:
            self._expiration_reaper.initiate_shutdown()
            # Something to do ends the reaper's wait before its time.
            self._timeout_timer.add(_NoOpTask(0))
            self._expiration_reaper.await_shutdown()
        self._timeout_timer.close()
        self._metrics_group.remove_metric("PurgatorySize", self._metrics_tags)
        self._metrics_group.remove_metric("NumDelayedOperations", self._metrics_tags)

    class Watchers(Generic[U]):
        """The operations that wait for one key, in the order they came.

        Any thread may use it. A dict by identity, each use of which is one operation: threads that walk do so
        over a copy, and remove completed operations. A thread that adds one meanwhile tries it itself.

        :origin: kafka.server.DelayedOperationPurgatory.Watchers
        """

        __slots__ = ("_key", "_operations", "_purgatory")

        def __init__(self, key: Hashable, purgatory: DelayedOperationPurgatory[U]) -> None:
            """:origin: kafka.server.DelayedOperationPurgatory.Watchers#Watchers"""
            self._key = key
            self._operations: dict[U, None] = {}
            self._purgatory = purgatory

        def count_watched(self) -> int:
            """Return the number of operations, done or not.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#countWatched
            """
            return len(self._operations)

        def is_empty(self) -> bool:
            """Return whether there are none.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#isEmpty
            """
            return not self._operations

        def watch(self, t: U) -> None:
            """Add ``t``.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#watch
            """
            self._operations[t] = None

        def try_complete_watched(self) -> int:
            """Try all, forget what is done; return how many this call completed.

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
            """Take all out of the timer and of the list; return them.

            :origin: kafka.server.DelayedOperationPurgatory.Watchers#cancel
            """
            cancelled: list[U] = []
            for curr in list(self._operations):
                curr.cancel()
                self._operations.pop(curr, None)
                cancelled.append(curr)
            return cancelled

        def purge_completed(self) -> int:
            """Forget what is done; return how many were.

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
        """Let expire what is due, waiting up to ``timeout_ms`` for it; purge the lists if that is worth it.

        :origin: kafka.server.DelayedOperationPurgatory#advanceClock
        """
        self._timeout_timer.advance_clock(timeout_ms)
        if self._estimated_total_operations.get() - self.num_delayed() > self._purge_interval:
            # Set before the walk: what completes during it makes the estimate too high, never too low.
            self._estimated_total_operations.set(self.num_delayed())
            self.debug("Begin purging watch lists")
            purged = sum(watchers.purge_completed()
                         for watcher_list in self._watcher_lists for watchers in watcher_list.all_watchers())
            self.debug("Purged %s elements from watch lists", purged)

    class ExpiredOperationReaper(ShutdownableThread, Generic[U]):
        """Lets operations expire.

        :origin: kafka.server.DelayedOperationPurgatory.ExpiredOperationReaper
        """

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
    """Makes a purgatory of the operations that its caller puts into it."""

    def __call__(self, name: str, /) -> DelayedOperationPurgatory[T]: ...
