# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Shows Spark's progress on a terminal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from kreactor.pipeline.session import is_remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo
    from rich.console import Console

_EVERY_S = 0.3


@contextmanager
def progress(spark: SparkSession, what: str, console: Console) -> Iterator[None]:
    """Show the tasks of the stages that run, if ``console`` is a terminal."""
    if not console.is_terminal:
        yield
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    with Progress(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
                  console=console, transient=True) as bar:
        shown = bar.add_task(what, total=None)

        def show(tasks: Sequence[tuple[int, int]]) -> None:
            if tasks:
                bar.update(shown, total=sum(total for total, _ in tasks),
                           completed=sum(done for _, done in tasks))

        with (_told if is_remote() else _looked_at)(spark, show):
            yield


@contextmanager
def _told(spark: SparkSession, show: Callable[[Sequence[tuple[int, int]]], None]) -> Iterator[None]:
    """Call ``show`` when a server of Spark Connect tells of the tasks and the finished ones of stages."""
    def handle(stages: Iterable[StageInfo] | None, inflight_tasks: int, operation_id: str | None,
               done: bool) -> None:
        show([(stage.num_tasks, stage.num_completed_tasks) for stage in stages or () if not stage.done])

    # Spark takes any function, and its types only a subclass.
    handler = cast("ProgressHandler", handle)
    spark.registerProgressHandler(handler)
    try:
        yield
    finally:
        spark.removeProgressHandler(handler)


@contextmanager
def _looked_at(spark: SparkSession, show: Callable[[Sequence[tuple[int, int]]], None]) -> Iterator[None]:
    """Call ``show`` at intervals, with the tasks and the finished ones of the stages that run."""
    tracker = spark.sparkContext.statusTracker()
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_EVERY_S):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            show([(stage.numTasks, stage.numCompletedTasks) for stage in stages if stage is not None])

    thread = threading.Thread(target=look, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
