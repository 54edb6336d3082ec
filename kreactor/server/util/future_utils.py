# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.FutureUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Functions on futures. Safe for use by any thread."""

from __future__ import annotations

from typing import TypeVar

from kreactor.jdk.concurrent import CompletableFuture

T = TypeVar("T")


class FutureUtils:
    """Functions on futures.

    :origin: server.util.FutureUtils
    """

    @staticmethod
    def chain_future(source_future: CompletableFuture[T], destination_future: CompletableFuture[T]) -> None:
        """Complete ``destination_future`` with the value or the exception of ``source_future``.

        :origin: server.util.FutureUtils#chainFuture(CompletableFuture<? extends T>, CompletableFuture<T>)
        """
        def complete(value: T | None, exception: BaseException | None) -> None:
            if exception is not None:
                destination_future.complete_exceptionally(exception)
            else:
                destination_future.complete(value)  # type: ignore[arg-type]  # None is a value of T then

        source_future.when_complete(complete)
