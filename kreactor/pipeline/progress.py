# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Shows Spark's progress on a terminal."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.console import Console

_EVERY_S = 0.3


@contextmanager
def progress(spark: SparkSession, what: str, console: Console) -> Iterator[None]:
    """Show the tasks of the stages that run, if ``console`` is a terminal."""
    if not console.is_terminal:
        yield
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    tracker = spark.sparkContext.statusTracker()
    ended = threading.Event()
    with Progress(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
                  console=console, transient=True) as bar:
        shown = bar.add_task(what, total=None)

        def look() -> None:
            while not ended.wait(_EVERY_S):
                stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
                tasks = [(stage.numTasks, stage.numCompletedTasks) for stage in stages if stage is not None]
                if tasks:
                    bar.update(shown, total=sum(total for total, _ in tasks),
                               completed=sum(done for _, done in tasks))

        thread = threading.Thread(target=look, name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
