# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A log is known by its content, whatever its name, and whatever came before it."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
from array import array
from itertools import permutations
from pathlib import Path

import pyarrow as pa
import pytest

from kreactor.pipeline.compression import open_log
from kreactor.pipeline.identity import HEAD, KEY, Content, Known, Log, Scanned, scan
from tests.pipeline.logs import line, request


def text(*ids: int) -> bytes:
    return "".join(f"{line(request(correlation_id=id_), id_)}\n" for id_ in ids).encode()


def take(data: bytes, known: Known) -> Scanned:
    """Scan a log, and make it known, as an ingest does."""
    scanned = scan(io.BytesIO(data), known)
    if not scanned.is_known:
        known.add(scanned.log, scanned.continues, scanned.marks)
    return scanned


def new_lines(data: bytes, scanned: Scanned) -> list[bytes]:
    """Return the lines that a reader finds where ``scanned`` says."""
    return data[scanned.begin:scanned.log.length].splitlines()[:scanned.new_lines]


def test_a_log_that_grew_is_read_on_where_it_ended() -> None:
    known = Known()
    assert take(text(1, 2), known).new_lines == 2
    longer = text(1, 2, 3, 4)
    scanned = take(longer, known)
    assert (scanned.before, scanned.begin, scanned.new_lines) == (2, len(text(1, 2)), 2)
    assert new_lines(longer, scanned) == text(3, 4).splitlines()
    assert take(longer, known).is_known and len(known) == 1


@pytest.mark.parametrize("size", [1, 3, 40], ids=["one line", "below the head", "above the head"])
def test_copies_of_any_age_in_any_order_are_one_log(size: int) -> None:
    copies = [text(*range(size)), text(*range(2 * size)), text(*range(3 * size))]
    assert (len(copies[0]) > HEAD) == (size == 40)
    for order in permutations(copies):
        known, taken = Known(), []
        for data in (*order, *order):
            taken += new_lines(data, take(data, known))
        assert taken == text(*range(3 * size)).splitlines()


@pytest.mark.parametrize("shared", [b"# the same first line of all\n", b"#" * KEY + b"\n", text(*range(50))],
                         ids=["a short line", "a long line", "a first block"])
def test_logs_that_begin_alike_and_then_differ_are_two(shared: bytes) -> None:
    one, other = shared + text(100, 101, 102), shared + text(200)
    for first, second in ((one, other), (other, one)):
        known = Known()
        assert new_lines(first, take(first, known)) == first.splitlines()
        assert new_lines(second, take(second, known)) == second.splitlines()
        grown = second + text(300)
        assert new_lines(grown, take(grown, known)) == text(300).splitlines()
        assert take(first, known).is_known and take(second, known).is_known
        assert len(known) == 2


def test_a_log_that_changed_in_one_byte_is_another() -> None:
    known = Known()
    data = text(*range(100))
    take(data, known)
    changed = data[:-30] + b"x" + data[-29:]
    assert take(changed, known).new_lines == 100
    # Also if it is shorter.
    changed = data[:len(text(*range(50))) - 30] + b"x" + data[len(text(*range(50))) - 29:]
    assert take(changed[:len(text(*range(50)))], known).new_lines == 50


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress,
                                  lambda data: pa.compress(data, "zstd", asbytes=True)],
                         ids=["gzip", "bzip2", "xz", "zstd"])
def test_a_compressed_log_is_the_same(tmp_path: Path, pack: object) -> None:
    known, log = Known(), tmp_path / "request.log"
    take(text(1, 2), known)
    log.write_bytes(pack(text(1, 2, 3)))  # type: ignore[operator]
    with open_log(str(log)) as source:
        scanned = scan(source, known)
    assert (scanned.begin, scanned.new_lines) == (len(text(1, 2)), 1)


def test_half_a_line_is_left_until_it_is_whole() -> None:
    known, data = Known(), text(1, 2, 3)
    for cut in (10, 150, len(text(3)) - 40):
        half = data[:len(text(1, 2)) + cut]
        scanned = take(half, known)
        assert (scanned.log.lines, scanned.rest) == (2, cut)
    assert new_lines(data, take(data, known)) == text(3).splitlines()
    assert take(text(1)[:60], Known()).is_known


@pytest.mark.parametrize("before", [0, 1, 30])
@pytest.mark.parametrize("missing", [1, 10])
def test_a_whole_request_needs_no_line_feed(before: int, missing: int) -> None:
    known, lines = Known(), range(before)
    data = text(*lines, 1000)[:-missing]
    assert take(data, known).new_lines == before + 1
    assert take(data, known).is_known
    # The missing bytes belong to the line that is known.
    whole = text(*lines, 1000)
    assert take(whole, known).is_known
    grown = text(*lines, 1000, 1001)
    scanned = take(grown, known)
    assert (scanned.before, new_lines(grown, scanned)) == (before + 1, text(1001).splitlines())
    # The older copies.
    assert take(whole, known).is_known
    assert take(data, known).is_known or before == 0 and missing > 1


def test_a_request_in_a_layout_of_json_needs_no_line_feed() -> None:
    layout = json.dumps({"level": "DEBUG", "message": f"Completed request:{json.dumps(request())}"}).encode()
    assert take(layout, Known()).new_lines == 1
    assert take(layout[:-1], Known()).new_lines == 0
    assert take(b'{} Completed request:{"x":', Known()).new_lines == 0


def test_what_is_no_utf_8_has_an_identity_too() -> None:
    known, data = Known(), b"\xff\xfe\n" * 3 + text(1) + b"\n\n" + b"\r\n"
    assert take(data, known).new_lines == 7
    assert take(data + b"x\n", known).new_lines == 1
    assert take(data, known).is_known


def test_an_empty_log_has_nothing_new_and_is_not_remembered() -> None:
    known = Known()
    assert take(b"", known).is_known and len(known) == 0


def test_a_log_is_stored_and_its_marks_are_asked_for() -> None:
    log = scan(io.BytesIO(text(*range(9))), Known())
    stored = Log.from_json(json.loads(json.dumps(log.log.as_json())))
    assert stored == log.log
    asked: list[int] = []

    def mark(of: Log, line: int) -> int:
        asked.append(line)
        assert of == stored
        return log.marks[line - 1]

    known = Known([stored], mark)
    assert take(text(*range(5)), known).is_known and asked == [5]
    assert not take(text(*range(4), 8), known).is_known
    assert Known([stored]).mark(stored, 1) is None


def test_the_size_of_the_pieces_does_not_matter() -> None:
    data = text(*range(30)) + b"\n\nhalf"
    whole = Content()
    whole.update(data)
    rng = random.Random(0)
    for _ in range(50):
        pieces, at = Content(), 0
        while at < len(data):
            size = rng.choice([1, 7, 100, 5000])
            pieces.update(data[at:at + size])
            at += size
        assert (pieces.log(), pieces.marks, pieces.rest, pieces.digest()) == (
            whole.log(), whole.marks, whole.rest, whole.digest())
    assert whole.log().length == len(data) - len(b"half") and whole.rest == len(b"half")
    assert isinstance(whole.marks, array) and whole.marks.itemsize == 4
