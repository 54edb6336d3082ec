# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Ingests growing logs below the folders of a fleet into a table, each line once.

``fleet.py`` finds the new lines, and the table knows the logs of its lines. So a follower that starts again,
or after an ingest of the same files, goes on where the table ends. One commit adds all lines of a look or
none. A follower that was killed leaves nothing of an unfinished commit in the table.

Spark's tasks compare the ranges that they read with what the look has found. If a file has changed or is
gone, nothing is committed, and the follower looks again at once.

Spark's own streams are no help here. They start a process for the list of files and give it 10 s. They also
have a record of their own of what was read, of which an ingest knows nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kreactor.pipeline.compression import open_log
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.fleet import Fleet, NewLines
from kreactor.pipeline.ingest import Ingested, Options, count, counts, write_lines
from kreactor.pipeline.manifest import Conflict, Taken, new_id
from kreactor.pipeline.ranges import CHANGED, Changed, Range, lines_of
from kreactor.pipeline.row_files import write_rows
from kreactor.pipeline.session import cancelled, is_remote
from kreactor.pipeline.store import check_shared

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kreactor.pipeline.manifest import State
    from kreactor.pipeline.table import Table

# The bytes of one commit, about: a follower that catches up commits what it has.
_COMMIT_BYTES = 1 << 30
# The number of looks at files that change before they are read, or are taken by another ingest. The next
# look follows after the interval.
_ATTEMPTS = 10
# With once: the most looks, of which each may leave something to the next.
_LOOKS = 3


def follow(spark: SparkSession, folders: Sequence[str], table: Table, options: Options, every_s: int,
           once: bool, say: Callable[[Ingested], None], tell: Callable[[str], None]) -> Fleet:
    """Add the new lines below folders to a table, until interrupted; with ``once``, only the lines of now.

    ``say`` gets each commit, and ``tell`` a sentence for each file that cannot be read or has vanished.
    Returns the fleet, which counts these files. Raises PipelineFailure, and KeyboardInterrupt after
    ``session.cancel_work``.
    """
    # Earlier work of this session may have been cancelled.
    cancelled.clear()
    # Before any file is read.
    options.times()
    for folder in folders:
        if not os.path.isdir(folder):
            raise PipelineFailure(f"{folder}: --follow takes folders of this machine")
        check_shared(spark, folder)
    table.check_writable(folders)
    fleet = Fleet(folders, table.state().seen, tell, options.broker_of, cancelled)
    failed, looks = 0, 0
    while True:
        state = table.state()
        new = fleet.look(table.known(state), _COMMIT_BYTES)
        if new:
            done = _commit(spark, new, state, fleet, table, options)
            if done is None:
                fleet.undo()
                failed += 1
                if failed < _ATTEMPTS:
                    continue
                if once:
                    raise PipelineFailure("the logs change faster than they are read; try again")
            else:
                fleet.done()
                say(done)
                if fleet.has_more:
                    continue
        failed = 0
        looks += 1
        if once and (looks == _LOOKS or not fleet.is_undecided()):
            if fleet.seen():
                _commit(spark, [], state, fleet, table, options)
            return fleet
        if cancelled.wait(0 if once else every_s):
            raise KeyboardInterrupt


def _commit(spark: SparkSession, new: Sequence[NewLines], state: State, fleet: Fleet, table: Table,
            options: Options) -> Ingested | None:
    """Commit new lines. Returns None if their files changed, or if another writer has committed such lines.
    """
    started = time.monotonic()
    id_ = new_id()
    lines = sum(each.scanned.new_lines for each in new)
    ranges = [part for each in new for part in each.ranges]
    brokers = {part.path: options.broker_of(part.path) for part in ranges}
    requests, reasons = 0, dict[str, int]()
    try:
        with table.staging(id_) as staged:
            if ranges:
                requests, reasons = _write(spark, table, ranges, brokers, options, staged, id_)
            written = requests + sum(reasons.values())
            if written != lines:
                raise AssertionError(f"{lines:,} lines were found, and {written:,} written")
            table.commit(staged, id_, {"requests": requests, "quarantine": sum(reasons.values())},
                         [Taken(each.scanned) for each in new], fleet.seen(), state)
    except (Changed, Conflict):
        return None
    except Exception as e:
        if cancelled.is_set():
            raise KeyboardInterrupt from None
        if CHANGED in str(e):
            return None
        raise
    table.compact_if_many()
    return Ingested(id_, len(brokers), lines, requests, reasons, time.monotonic() - started)


def _write(spark: SparkSession, table: Table, ranges: Sequence[Range], brokers: Mapping[str, str],
           options: Options, staged: str, id_: str) -> tuple[int, dict[str, int]]:
    """Write the rows of ranges. Returns the number of requests, and that of other lines by reason.

    Raises Changed, or an error of Spark with the text CHANGED.
    """
    if is_remote() or not table.store.is_local:
        write_lines(lines_of(spark, ranges), brokers, (partial(open_log, path) for path in brokers), options,
                    staged, id_)
        return count(spark, staged)
    counted, changed = write_rows(
        spark, ranges, brokers, options.times(), options.keep_json, staged, id_)
    if changed:
        raise Changed(f"{CHANGED}: {min(changed)}")
    return counts(counted)
