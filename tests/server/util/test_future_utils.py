# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How one future follows another."""

from __future__ import annotations

import pytest

from kreactor.jdk.concurrent import CompletableFuture
from kreactor.server.util.future_utils import FutureUtils


def test_chain_future() -> None:
    source_future: CompletableFuture[int] = CompletableFuture()
    destination_future: CompletableFuture[int] = CompletableFuture()
    FutureUtils.chain_future(source_future, destination_future)
    assert not source_future.is_done()
    assert not destination_future.is_done()
    assert not source_future.is_completed_exceptionally()
    assert not destination_future.is_completed_exceptionally()
    source_future.complete(123)
    assert destination_future.get() == 123


def test_chain_future_exceptionally() -> None:
    source_future: CompletableFuture[int] = CompletableFuture()
    destination_future: CompletableFuture[int] = CompletableFuture()
    FutureUtils.chain_future(source_future, destination_future)
    source_future.complete_exceptionally(RuntimeError("source failed"))
    with pytest.raises(RuntimeError, match="source failed"):
        destination_future.get()


def test_chain_future_of_none() -> None:
    source_future: CompletableFuture[None] = CompletableFuture()
    destination_future: CompletableFuture[None] = CompletableFuture()
    FutureUtils.chain_future(source_future, destination_future)
    source_future.complete(None)
    assert destination_future.is_done()
