# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reports of a run as text, JSON, JUnit XML and one HTML page, all bounded in size."""

from __future__ import annotations

import html
import struct
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any
from xml.etree import ElementTree

from kreactor.conformance.codec import Malformed, decode, header_tags, response_body
from kreactor.conformance.connection import Transcript
from kreactor.conformance.runner import Status, Verdict
from kreactor.conformance.schemas import Api, apis_by_key

# Further verdicts are reported without their bytes; further bytes are only counted.
MAX_DETAILED = 400
MAX_SHOWN_BYTES = 256
MAX_DECODED = 600
MAX_LINES = 60
_MAX_SHORT = 40
_MAX_REASONS = 40
_BAD = (Status.FAILED, Status.FLAKY, Status.UNEXPECTED)
_UNTESTED = (Status.NOT_TESTABLE, Status.NOT_OFFERED)
_FORMAT = 1


def is_as_expected(verdicts: Iterable[Verdict]) -> bool:
    """Return whether no case failed, was flaky, or passed against the expectation file."""
    return not any(map(is_bad, verdicts))


def is_bad(verdict: Verdict) -> bool:
    """Return whether a case failed, was flaky, or passed against the expectation file."""
    return verdict.status in _BAD


def is_tested(verdicts: Iterable[Verdict]) -> bool:
    """Return whether any case could be tested."""
    return any(verdict.status not in _UNTESTED for verdict in verdicts)


def area_line(area: str, count: int, verdicts: Sequence[Verdict], took_s: float) -> str:
    """Return the line of progress behind an area of ``count`` cases."""
    numbers = Counter(verdict.status.value for verdict in verdicts)
    found = ", ".join(f"{numbers[status.value]} {status.value}" for status in Status if numbers[status.value])
    ran = "" if len(verdicts) == count else f"{len(verdicts)} of "
    ran += "1 case" if count == 1 else f"{count} cases"
    return f"{area}: {ran}, {took_s:.1f} s{': ' * bool(found)}{found}"


def reasons(verdicts: Iterable[Verdict]) -> dict[str, list[tuple[int, str]]]:
    """Return why cases were not testable or not offered, by status: a number of cases and the reason."""
    found: dict[Status, Counter[str]] = {status: Counter() for status in _UNTESTED}
    versions: dict[str, Counter[int]] = {}
    for verdict in verdicts:
        if verdict.status is Status.NOT_OFFERED and verdict.case.needs is not None:
            api, version = verdict.case.needs
            versions.setdefault(api, Counter())[version] += 1
        elif verdict.status in _UNTESTED:
            found[verdict.status][verdict.reason] += 1
    for api, numbers in versions.items():
        which = ", ".join(map(str, sorted(numbers)))
        plural = "s" * (len(numbers) > 1)
        found[Status.NOT_OFFERED][f"{api} version{plural} {which}"] = sum(numbers.values())
    return {status.value: [(number, reason) for reason, number in counter.most_common()]
            for status, counter in found.items() if counter}


def _reason_lines(grouped: Mapping[str, Sequence[tuple[int, str]]]) -> list[str]:
    lines = []
    for status, rows in grouped.items():
        lines.append(f"{status}: {sum(number for number, _ in rows)}")
        lines += [f"    {number:5}  {reason}" for number, reason in rows[:_MAX_REASONS]]
        if len(rows) > _MAX_REASONS:
            lines.append(f"           {len(rows) - _MAX_REASONS} more reasons")
    return lines


def repeat_command(target: str, case_id: str, options: Sequence[str] = ()) -> str:
    """Return the command that runs one case alone."""
    return " ".join(["kreactor conformance", target, *options, f"'{case_id}'" if "*" in case_id else case_id])


def counts(verdicts: Iterable[Verdict]) -> dict[str, Counter[str]]:
    """Return the numbers of each status, by area."""
    found: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.case.area, Counter())[verdict.status.value] += 1
    return found


def hex_of(data: bytes) -> str:
    shown = data[:MAX_SHOWN_BYTES].hex(" ")
    left = len(data) - MAX_SHOWN_BYTES
    return f"{shown} and {left} more" if left > 0 else shown


def decoded(transcript: Transcript) -> list[str]:
    """Return a transcript as text, one line for each message, in the order of requests, then of responses.

    A line says of each byte what it is, or which bytes cannot be read and why.
    """
    lines: list[str] = []
    asked: _Asked = {}
    for sent in (True, False):
        data = b"".join(part for from_us, part in transcript.parts if from_us is sent)
        lines += _lines(data, asked, sent)
    left = transcript.size - sum(len(part) for _, part in transcript.parts)
    if left > 0:
        lines.append(f"{left} more bytes are not kept")
    shown = [line if len(line) <= MAX_DECODED else line[:MAX_DECODED] + " ..." for line in lines[:MAX_LINES]]
    return shown + [f"and {len(lines) - MAX_LINES} more"] * (len(lines) > MAX_LINES)


# The requests that are sent and not answered yet, by correlation id.
_Asked = dict[int, deque[tuple[Api, int]]]


def _lines(data: bytes, asked: _Asked, sent: bool) -> Iterator[str]:
    verb, message = ("sent", "request") if sent else ("received", "response")
    while data:
        if len(data) < 4:
            yield f"{verb} {len(data)} bytes of a size: {data.hex(' ')}"
            return
        (size,) = struct.unpack_from(">i", data)
        frame = data[4:4 + max(size, 0)]
        if size < 0 or len(frame) < size:
            behind = len(data) - 4
            yield f"{verb} a size of {size}" + (
                f", and {behind} bytes behind it" if size < 0 else f", and {behind} bytes of that {message}")
            return
        yield _request_line(frame, asked) if sent else _response_line(frame, asked)
        data = data[4 + size:]


def _request_line(frame: bytes, asked: _Asked) -> str:
    if len(frame) < 8:
        return f"sent {len(frame)} bytes, no header"
    key, version, correlation_id = struct.unpack_from(">hhi", frame)
    api = apis_by_key().get(key)
    if api is None:
        return f"sent key {key} version {version}, correlation id {correlation_id}"
    line = f"sent {api} version {version}, correlation id {correlation_id}"
    known = version in api.versions
    asked.setdefault(correlation_id, deque()).append((api, version if known else 0))
    if not known:
        return f"{line}, a version without a schema, and {len(frame) - 8} bytes"
    at = 8
    try:
        if api.request_header_version(version) >= 1:
            client_id, at = _client_id(frame, at)
            line += f", client id {client_id}"
        if api.request_header_version(version) >= 2:
            tags, at = header_tags(api.request, version, frame, at)
            if tags:
                line += ", tags " + ", ".join(f"{tag & 0xFFFFFFFF}: {_short_hex(value) or 'empty'}"
                                              for tag, value in tags.items())
        message, end = decode(api.request, version, frame, at)
    except Malformed as e:
        return f"{line}, then not readable from byte {at} on: {e}"
    line = f"{line}: {message}"
    if end < len(frame):
        line += f", and {len(frame) - end} bytes behind it: {_short_hex(frame[end:])}"
    return line


def _client_id(frame: bytes, at: int) -> tuple[str, int]:
    """Return the client id at ``at`` as text, and its end. Raises Malformed."""
    if len(frame) < at + 2:
        raise Malformed(f"the length of the client id is cut short: {frame[at:].hex(' ') or 'nothing'}")
    (length,) = struct.unpack_from(">h", frame, at)
    if length < 0:
        return "null" if length == -1 else f"null (length {length})", at + 2
    data = frame[at + 2:at + 2 + length]
    if len(data) < length:
        raise Malformed(f"a client id of {length} bytes, of which there are {len(data)}")
    text = repr(data.decode("utf-8", "backslashreplace"))
    return text if length <= _MAX_SHORT else f"of {length} bytes", at + 2 + length


def _short_hex(data: bytes) -> str:
    return data[:_MAX_SHORT].hex(" ") + (" ..." if len(data) > _MAX_SHORT else "")


def _response_line(frame: bytes, asked: _Asked) -> str:
    if len(frame) < 4:
        return f"received {len(frame)} bytes, no header"
    (correlation_id,) = struct.unpack_from(">i", frame)
    if correlation_id not in asked:
        return f"received a response to {correlation_id}, which no request has: {_short_hex(frame)}"
    if not asked[correlation_id]:
        return f"received one more response to {correlation_id}: {_short_hex(frame)}"
    api, version = asked[correlation_id].popleft()
    try:
        return f"received {api} version {version}, correlation id {correlation_id}: " + str(
            response_body(api, version, frame))
    except Malformed as e:
        return f"received correlation id {correlation_id}, no {api} version {version}: {e}"


def as_json(target: str, verdicts: Sequence[Verdict], options: Sequence[str] = (), partial: str = "",
            selected: int | None = None) -> dict[str, Any]:
    """Return a run as JSON values: a summary, and a row for each case.

    The first failures have more details. ``partial`` says why the run is not whole, and is left out if it is;
    ``selected`` is the number of cases that were to run.
    """
    rows = []
    detailed = 0
    for verdict in verdicts:
        row: dict[str, Any] = {"id": verdict.case.id, "status": verdict.status.value,
                               "ms": round(verdict.duration_s * 1000, 1)}
        if verdict.reason:
            row["reason"] = verdict.reason
        if verdict.status in (*_BAD, Status.KNOWN) and detailed < MAX_DETAILED:
            detailed += 1
            row |= {key: value for key, value in (
                ("level", verdict.case.level.value), ("sentence", verdict.case.sentence),
                ("decided_by", verdict.case.decided_by), ("departs", verdict.case.departs),
                ("expected", verdict.expected), ("actual", verdict.actual)) if value}
            row["repeat"] = repeat_command(target, verdict.case.id, options)
            row["connections"] = [
                {"bytes": [("> " if sent else "< ") + hex_of(data) for sent, data in transcript.parts],
                 "decoded": decoded(transcript), "ending": transcript.ending.value}
                for transcript in verdict.transcripts]
        rows.append(row)
    made = datetime.now(timezone.utc).date().isoformat()
    return {"format": _FORMAT, "target": target, "made": made, **({"partial": partial} if partial else {}),
            "selected": len(rows) if selected is None else selected,
            "summary": Counter(row["status"] for row in rows), "areas": counts(verdicts),
            "reasons": reasons(verdicts), "cases": rows}


def as_text(target: str, verdicts: Sequence[Verdict], options: Sequence[str] = (),
            partial: str = "") -> list[str]:
    """Return a run as lines: each case that is not as expected, the numbers by area, and the reasons of the
    cases that were not tested.
    """
    lines = []
    bad = [verdict for verdict in verdicts if verdict.status in _BAD]
    for verdict in bad[:MAX_DETAILED]:
        lines += [*_case_lines(verdict), f"    alone: {repeat_command(target, verdict.case.id, options)}", ""]
    if len(bad) > MAX_DETAILED:
        lines += [f"{len(bad) - MAX_DETAILED} more failed", ""]
    by_area = counts(verdicts)
    present = [status for status in Status if any(numbers[status.value] for numbers in by_area.values())]
    lines.append("area".ljust(16) + "".join(status.value.rjust(len(status.value) + 3) for status in present))
    for area, numbers in [*by_area.items(), ("all", sum(by_area.values(), Counter[str]()))]:
        lines.append(area.ljust(16) + "".join(
            str(numbers[status.value]).rjust(len(status.value) + 3) for status in present))
    lines += _reason_lines(reasons(verdicts))
    if partial:
        lines.append(f"partial: {partial}")
    return lines


def _case_lines(verdict: Verdict) -> list[str]:
    """Return what was expected and what came, then the rule, then the bytes."""
    case = verdict.case
    lines = [f"{verdict.status.value}: {case.id} ({case.level.value}), {verdict.duration_s * 1000:.0f} ms"]
    if verdict.status is Status.UNEXPECTED:
        lines.append(f"    the expectation file says: {verdict.reason}")
    else:
        lines += [f"    expected: {verdict.expected}", f"    came:     {verdict.actual}"]
    lines += [f"    {case.sentence}", f"    decided by {case.decided_by}"]
    if case.departs:
        lines.append(f"    Kafka departs here: {case.departs}")
    for transcript in verdict.transcripts:
        lines += [f"    {'>' if sent else '<'} {hex_of(data)}" for sent, data in transcript.parts]
        lines += [f"    {line}" for line in decoded(transcript)]
    return lines


def as_junit(target: str, verdicts: Sequence[Verdict], partial: str = "") -> str:
    """Return a run as JUnit XML: one suite for each area, one test for each case.

    A partial run has one more suite, whose only test has the error ``partial``.
    """
    root = ElementTree.Element("testsuites", name=f"kreactor conformance {target}")
    suites: dict[str, ElementTree.Element] = {}
    for number, verdict in enumerate(verdicts):
        area = verdict.case.area
        suite = suites.get(area)
        if suite is None:
            suite = suites[area] = ElementTree.SubElement(root, "testsuite", name=area)
        test = ElementTree.SubElement(suite, "testcase", classname=area, name=verdict.case.id,
                                      time=f"{verdict.duration_s:.4f}")
        if verdict.status in _BAD:
            message = _xml(f"expected {verdict.expected}, came {verdict.actual}" if verdict.expected else
                           f"{verdict.status.value}: {verdict.reason}")
            ElementTree.SubElement(test, "failure", type=verdict.status.value, message=message)
        elif verdict.status is not Status.PASSED:
            ElementTree.SubElement(test, "skipped", message=_xml(f"{verdict.status.value}: {verdict.reason}"))
    for area, suite in suites.items():
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    if partial:
        suite = ElementTree.SubElement(root, "testsuite", name="run", tests="1", errors="1")
        test = ElementTree.SubElement(suite, "testcase", classname="run", name="run.is-whole")
        ElementTree.SubElement(test, "error", type="partial", message=_xml(partial))
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _xml(text: str) -> str:
    """Return text without the characters that XML forbids."""
    return "".join(c if c in "\t\n" or " " <= c < "\ufffe" and not "\ud800" <= c <= "\udfff" else "?"
                   for c in text)


_STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222}
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child{text-align:left}pre{background:#f5f5f5;padding:.6em;overflow-x:auto;
white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px}summary{cursor:pointer;padding:.2em 0}
.bad{color:#b00020}.quiet{color:#777}"""


def as_html(report: Mapping[str, Any]) -> str:
    """Return the HTML page of a run in the form of ``as_json``."""
    text = html.escape
    statuses = [status.value for status in Status if report["summary"].get(status.value)]
    rows = "".join(
        f"<tr><td>{text(area)}</td>" + "".join(f"<td>{numbers.get(status, 0)}</td>" for status in statuses)
        + "</tr>" for area, numbers in [*report["areas"].items(), ("all", report["summary"])])
    bad = [status.value for status in _BAD]
    details = "".join(_html_case(row) for row in report["cases"] if "repeat" in row)
    left = sum(row["status"] in bad and "repeat" not in row for row in report["cases"])
    if left:
        details += f"<p>{left} more failed.</p>"
    title = f"Conformance of {text(report['target'])}"
    partial = f"<p class=bad>Partial: {text(report['partial'])}.</p>" if "partial" in report else ""
    untested = "".join(f"{text(line)}\n" for line in _reason_lines(report["reasons"]))
    return (f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
            f"<h1>{title}</h1>{partial}<table><tr><th>area</th>"
            + "".join(f"<th>{text(status)}</th>" for status in statuses) + f"</tr>{rows}</table>"
            f"<h2>Cases that did not pass</h2>{details or '<p>None.</p>'}"
            + (f"<h2>Cases that were not tested</h2><pre>{untested}</pre>" if untested else "") + "</html>\n")


def _html_case(row: Mapping[str, Any]) -> str:
    text = html.escape
    lines = [f"{word}: {row[key]}" for key, word in (
        ("expected", "expected"), ("actual", "came"), ("reason", "reason"), ("decided_by", "decided by"),
        ("departs", "Kafka departs here"), ("repeat", "alone")) if key in row]
    for connection in row.get("connections", ()):
        lines += ["", *connection["bytes"], *connection["decoded"], f"ending: {connection['ending']}"]
    kind = "bad" if row["status"] in [status.value for status in _BAD] else "quiet"
    return (f"<details><summary><span class={kind}>{text(row['status'])}</span> <b>{text(row['id'])}</b> "
            f"({text(row['level'])}, {row['ms']} ms): {text(row['sentence'])}</summary>"
            f"<pre>{text(chr(10).join(lines))}</pre>"
            "</details>")


def matrix(reports: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return several runs side by side, as lines: the numbers by area, then the cases that differ."""
    names = [str(report["target"]) for report in reports]
    width = max(12, *(len(name) + 2 for name in names))
    areas = list(dict.fromkeys(area for report in reports for area in report["areas"]))
    lines = ["passed of those offered".ljust(26) + "".join(name.rjust(width) for name in names),
             "on".ljust(26) + "".join(str(report.get("made", "-")).rjust(width) for report in reports)]
    for area in areas:
        cells = []
        for report in reports:
            numbers = report["areas"].get(area, {})
            offered = sum(numbers.values()) - numbers.get(Status.NOT_OFFERED.value, 0) - numbers.get(
                Status.NOT_TESTABLE.value, 0)
            cells.append(f"{numbers.get(Status.PASSED.value, 0)}/{offered}" if offered else "-")
        if any(cell != "-" for cell in cells):
            lines.append(area.ljust(26) + "".join(cell.rjust(width) for cell in cells))
    lines += [f"{name} is partial: {report['partial']}" for name, report in zip(names, reports)
              if "partial" in report]
    statuses = [{row["id"]: row["status"] for row in report["cases"]} for report in reports]
    ids = dict.fromkeys(id_ for each in statuses for id_ in each)
    differing = [id_ for id_ in ids if len({each.get(id_, "not run") for each in statuses}) > 1]
    if differing:
        lines += ["", f"{len(differing)} cases differ:"]
    for id_ in differing[:MAX_DETAILED]:
        lines.append(f"{id_}: " + ", ".join(
            f"{name} {each.get(id_, 'not run')}" for name, each in zip(names, statuses)))
    if len(differing) > MAX_DETAILED:
        lines.append(f"... and {len(differing) - MAX_DETAILED} more")
    return lines
