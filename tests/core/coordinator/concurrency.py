# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.AbstractCoordinatorConcurrencyTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Threads that race for the locks of a coordinator.

An append of a coordinator is not written; the thread that looks at it for the third time answers it. So
callbacks come late, on other threads, and in any order. The rest of the node is as it is.
"""

from __future__ import annotations

import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Generic, TypeVar

from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.core.server.delayed_operation import DelayedOperation, DelayedOperationPurgatory
from kreactor.jdk.atomic import AtomicInteger
from kreactor.storage.internals.log.verification_guard import VerificationGuard
from tests.core.server.node import Node

N_THREADS = 5
# How often random sequences are run; each time orderly ones follow. In the origin it is 11.
N_RANDOM = 3

M = TypeVar("M")


class DelayedProduce(DelayedOperation):
    """An append that is done when it was tried three times."""

    __slots__ = ("_attempts", "_callback")

    def __init__(self, callback: Callable[[], None], lock: Any) -> None:
        super().__init__(5, lock)
        self._attempts = AtomicInteger(0)
        self._callback = callback

    def try_complete(self) -> bool:
        return self._attempts.increment_and_get() >= 3 and self.force_complete()

    def on_complete(self) -> None:
        self._callback()

    def on_expiration(self) -> None:
        pass


class Action(ABC):
    """The action of a thread, and its expected result."""

    @abstractmethod
    def run(self) -> None:
        """On one of the threads."""

    @abstractmethod
    def wait(self) -> None:
        """When all have run: wait for what comes of it, and look at it."""


class Operation(ABC, Generic[M]):
    """Actions of members one after another."""

    @abstractmethod
    def run(self, member: M) -> None:
        """Begin the action."""

    @abstractmethod
    def await_and_verify(self, member: M) -> None:
        """Wait until the action is done, and check the result."""


class _OfMember(Action):
    def __init__(self, operation: Operation[Any], member: Any, wait: Callable[[], object] | None) -> None:
        self._operation = operation
        self._member = member
        self._wait = wait

    def run(self) -> None:
        self._operation.run(self._member)

    def wait(self) -> None:
        if self._wait is None:
            self._operation.await_and_verify(self._member)
        else:
            self._wait()


class Race:
    """A node and the threads that race in it. A context manager; ``node`` is entered already."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.random = random.Random()
        self.purgatory: DelayedOperationPurgatory[DelayedProduce] = DelayedOperationPurgatory(
            "Produce", node.timer, 1, reaper_enabled=False, metrics_registry=node.registry)
        self._watch_keys: dict[Hashable, None] = {}
        self._watch_keys_lock = threading.Lock()
        self.append_for_real = node.replica_manager.append_records
        setattr(node.replica_manager, "append_records", self._append_records)
        setattr(node.replica_manager, "try_complete_actions", self.try_complete_actions)
        setattr(node.replica_manager, "maybe_start_transaction_verification_for_partition",
                self._skip_verification)
        self._executor = ThreadPoolExecutor(N_THREADS)

    def __enter__(self) -> Race:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self._executor.shutdown()

    def _append_records(self, *, entries_per_partition: Mapping[Any, Any],
                        response_callback: Callable[[Mapping[Any, Any]], None],
                        delayed_produce_lock: Any = None, **_other: Any) -> None:
        if not entries_per_partition:
            return
        operation = DelayedProduce(
            lambda: response_callback({
                partition: ProduceResponse.PartitionResponse(Errors.NONE, 0, -1, 0)
                for partition in entries_per_partition}),
            delayed_produce_lock)
        keys = list(entries_per_partition)
        with self._watch_keys_lock:
            self._watch_keys.update(dict.fromkeys(keys))
        self.purgatory.try_complete_else_watch(operation, keys)

    def try_complete_actions(self) -> None:
        with self._watch_keys_lock:
            keys = list(self._watch_keys)
        for key in keys:
            self.purgatory.check_and_complete(key)

    @staticmethod
    def _skip_verification(topic_partition: Any, transactional_id: Any, producer_id: Any, producer_epoch: Any,
                           base_sequence: Any, callback: Callable[[tuple[Errors, VerificationGuard]], None],
                           _supported: Any) -> None:
        callback((Errors.NONE, VerificationGuard.SENTINEL))

    def enable_completion(self) -> None:
        """Have go on what waits for others."""
        self.try_complete_actions()
        self.node.scheduler.tick()

    def verify_concurrent_operations(self, create_members: Callable[[str], Iterable[M]],
                                     operations: Sequence[Operation[M]]) -> None:
        """All members do the same at the same time, one thing after the other."""
        self._run_in_order(list(create_members("verifyConcurrentOperations")), operations)

    def verify_concurrent_random_sequences(self, create_members: Callable[[str], Iterable[M]],
                                           operations: Sequence[Operation[M]]) -> None:
        """After any actions of members, others can go on in order."""
        for i in range(N_RANDOM):
            self._run_at_random(list(create_members(f"random{i}")), operations)
            self._run_in_order(list(create_members(f"ordered{i}")), operations)

    def verify_concurrent_actions(self, actions: Iterable[Action]) -> None:
        actions = list(actions)
        for future in [self._executor.submit(action.run) for action in actions]:
            future.result()
        self.enable_completion()
        for action in actions:
            action.wait()

    def action_no_verify(self, operation: Operation[M], member: M) -> Action:
        """One that may have to wait for others that never come."""
        return _OfMember(operation, member, lambda: self.node.timer.advance_clock(100))

    def _run_in_order(self, members: Sequence[M], operations: Sequence[Operation[M]]) -> None:
        for operation in operations:
            self.verify_concurrent_actions(_OfMember(operation, member, None) for member in members)

    def _run_at_random(self, members: Sequence[M], operations: Sequence[Operation[M]]) -> None:
        for _ in range(len(operations) + 1):
            self.verify_concurrent_actions(
                self.action_no_verify(self.random.choice(operations), member) for member in members)
