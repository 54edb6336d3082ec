# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Times of log lines: without a date, without a year, in zones, in the user's own pattern, and in order."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.times import NO_DATE, Order, Times, check_date, check_zone, repeated_days


def resolved(times: Times, *texts: str) -> list[str]:
    """Return the times of texts in UTC, in the order of a file, or why there are none."""
    order, found = Order(), []
    for text in texts:
        one = times.resolve(times.in_text(text), order)
        found.append(one if isinstance(one, str) else
                     f"{datetime(1970, 1, 1) + timedelta(microseconds=one):%Y-%m-%d %H:%M:%S.%f}"[:-3])
    return found


def test_the_hour_that_comes_twice_is_resolved_by_the_order() -> None:
    times = Times("Europe/Berlin")
    clocks = ["01:59:59", "02:00:01", "02:30:00", "02:59:59", "02:00:00", "02:30:00", "02:59:59", "03:00:00"]
    assert resolved(times, *(f"[2026-10-25 {clock},000] DEBUG" for clock in clocks)) == [
        f"2026-10-{clock}.000" for clock in (
            "24 23:59:59", "25 00:00:01", "25 00:30:00", "25 00:59:59", "25 01:00:00", "25 01:30:00",
            "25 01:59:59", "25 02:00:00")]


def test_a_line_that_was_written_late_does_not_end_the_first_of_two_hours() -> None:
    texts = ["2026-10-25 02:10:00,500", "2026-10-25 02:10:00,499", "2026-10-25 02:09:30,000"]
    assert [text[11:13] for text in resolved(Times("Europe/Berlin"), *texts)] == ["00", "00", "00"]


def test_a_name_tells_the_first_of_two_hours_from_the_second() -> None:
    texts = ["2026-11-01 01:30:00,000 EDT", "2026-11-01 01:30:00,000 EST", "2026-11-01 01:30:00,000 EDT"]
    found = resolved(Times("America/New_York"), *texts)
    assert [text[11:16] for text in found] == ["05:30", "06:30", "05:30"]


def test_the_hour_that_is_skipped() -> None:
    assert resolved(Times("Europe/Berlin"), "2026-03-29 02:30:00,000", "2026-03-29 03:30:00,000") == [
        "2026-03-29 01:30:00.000", "2026-03-29 01:30:00.000"]


def test_times_without_a_date() -> None:
    texts = ["23:59:59,998 DEBUG", "00:00:00,001 DEBUG", "23:59:59,999 DEBUG", "00:00:00,002 DEBUG"]
    assert resolved(Times(day="2026-12-31"), *texts) == [
        "2026-12-31 23:59:59.998", "2027-01-01 00:00:00.001", "2026-12-31 23:59:59.999",
        "2027-01-01 00:00:00.002"]
    assert resolved(Times(), texts[0]) == [NO_DATE]


@pytest.mark.parametrize("day, today, year", [
    ("", date(2026, 11, 21), 2026), ("", date(2026, 11, 19), 2025), ("", date(2026, 11, 20), 2026),
    ("2024-12-01", date(2026, 11, 21), 2024), ("2025-02-01", date(2026, 11, 21), 2024)])
def test_times_without_a_year(day: str, today: date, year: int) -> None:
    assert resolved(Times(day=day, today=today), "Nov 21 03:03:12 kafka-0 ") == [f"{year}-11-21 03:03:12.000"]


def test_the_29th_of_february_without_a_year() -> None:
    times = Times(today=date(2026, 11, 21))
    assert resolved(times, "Feb 29 03:03:12 kafka-0 ") == ["2024-02-29 03:03:12.000"]


@pytest.mark.parametrize("text, found", [
    ("2026-11-21T03:03:12.288123456Z [2026-11-21 04:03:12,288] DEBUG", "2026-11-21 03:03:12.288"),
    ("2026-11-21 03:03:12,288 IST DEBUG", "IST is no time zone"),
    ("2026-11-21 03:03:12 CET", "2026-11-21 02:03:12"),
    ("Sun Nov  1 03:03:12 2020", "2020-11-01 02:03:12"),
    ("2026-11-21 03:03:12,288 KAFKA DEBUG", "2026-11-21 02:03:12.288"),
    ("1795230192 DEBUG", "2026-11-21 03:03:12"), ("1795230192.5 DEBUG", "2026-11-21 03:03:12.500"),
    ("thread 1795230192", "2026-11-21 03:03:12"), ("7951230192288999 DEBUG", "no date"),
])
def test_a_time_in_a_text(text: str, found: str) -> None:
    told, = resolved(Times("Europe/Berlin", today=date(2026, 11, 28)), text)
    assert told.startswith(found)


@pytest.mark.parametrize("value, found", [
    (1795230192288, "2026-11-21 03:03:12.288"), (1795230192288000, "2026-11-21 03:03:12.288"),
    (1795230192288000000, "2026-11-21 03:03:12.288"), (1795230192.288, "2026-11-21 03:03:12.288"),
    ("1795230192288", "2026-11-21 03:03:12.288"), ("2026-11-21T03:03:12.288Z", "2026-11-21 03:03:12.288"),
    ({"epochSecond": 1795230192, "nanoOfSecond": 288000000}, "2026-11-21 03:03:12.288"),
    ({"epochSecond": "x"}, None), (True, None), ([], None), (None, None), (-5, None), (0, None),
    (1e300, None), (10**30, None)])
def test_a_time_that_is_a_member_of_json(value: object, found: str | None) -> None:
    us = Times().of_field(value)
    assert us is None if found is None else us == 1795230192288000


@pytest.mark.parametrize("pattern, text", [
    ("dd.MM.yyyy HH:mm:ss,SSS", "[21.11.2026 03:03:12,288] DEBUG"),
    ("MM/dd/yyyy HH:mm:ss.SSS", "11/21/2026 03:03:12.288"),
    ("US_MONTH_DAY_YEAR2_TIME", "11/21/26 03:03:12.288"),
    ("d MMM yy h:mm:ss.SSS a", "21 Nov 26 3:03:12.288 AM"),
    ("MMMM d, yyyy HH:mm:ss.SSS", "November 21, 2026 03:03:12.288"),
    ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2026-11-21T04:03:12.288+01:00"),
    ("yyyy.MM.dd 'at' HH:mm:ss,SSS z", "2026.11.21 at 04:03:12,288 CET"),
    ("E, dd MMM yyyy HH:mm:ss,SSS Z", "Sat, 21 Nov 2026 04:03:12,288 +0100"),
    ("HH.mm.ss,SSS''", "03.03.12,288'"), ("HH:mm:ss,SSS 'o''clock'", "03:03:12,288 o'clock"),
    ("UNIX_MILLIS", "x1795230192288y"),
    ("DATE", "21 Nov 2026 03:03:12,288"),
    ("ss,nnnnnnnnn HH:mm", "12,288000000 03:03"), ("dd.MM HH:mm:ss,SSS", "21.11 03:03:12,288"),
])
def test_a_pattern_of_java(pattern: str, text: str) -> None:
    times = Times(pattern=pattern, day="2026-11-21")
    assert resolved(times, f"1999-01-01 00:00:00 {text}") == ["2026-11-21 03:03:12.288"]
    assert times.in_text("[2026/11-21 03:03:12,288]") is None


def test_a_zone_that_the_users_pattern_names_is_refused_if_unknown() -> None:
    times = Times(pattern="yyyy-MM-dd HH:mm:ss z")
    assert "XYZQ is no time zone" in resolved(times, "2026-11-21 03:03:12 XYZQ")[0]


@pytest.mark.parametrize("options, told", [
    ({"zone": "Mars/Olympus"}, "--zone Mars/Olympus: unknown time zone"),
    ({"zone": "../../etc/passwd"}, "unknown time zone"),
    ({"day": "21.11.2026"}, "--date 21.11.2026: not a date such as 2026-11-21"),
    ({"pattern": "yyyy-MM-dd QQ"}, "QQ is not known"), ({"pattern": "yyyy-MM-dd"}, "no hours and minutes"),
    ({"pattern": "HH:mm 'x"}, "a quote is not closed"), ({"pattern": "HH:mm ''x'"}, "not closed"),
    ({"pattern": "HH:mm HH"}, "has HH twice"), ({"pattern": "yyyy-MM HH:mm"}, "has a part of a date only"),
])
def test_a_wrong_option(options: dict[str, str], told: str) -> None:
    with pytest.raises(PipelineFailure, match="^[^\n]*$") as e:
        Times(options.get("zone", "UTC"), options.get("day", ""), options.get("pattern", ""))
    assert told in str(e.value)


def test_the_text_of_a_pattern_is_not_a_regular_expression() -> None:
    assert Times(pattern="'(.*' HH:mm:ss [").in_text("(.* 03:03:12 [") is not None
    assert Times(pattern="HH.mm.ss").in_text("03:03:12") is None


def test_the_names_and_days_of_zones() -> None:
    assert check_zone("Asia/Kolkata") == "Asia/Kolkata" and check_date("2026-02-28").day == 28
    assert repeated_days("UTC") == repeated_days("Asia/Kolkata") == []
    assert date(2026, 10, 25) in repeated_days("Europe/Berlin")
    assert date(2026, 11, 1) in repeated_days("America/New_York")
    assert all(day.month in (3, 4) for day in repeated_days("Australia/Lord_Howe"))
