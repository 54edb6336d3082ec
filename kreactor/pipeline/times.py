# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads the times of log lines, in the layouts of log4j, syslog, journald and container runtimes.

A text may have several times, as when a container runtime puts its own before that of the broker. The last
one with a date counts, because it is the broker's. A time without a zone is of the zone that the user names.
A name of a zone counts if it has one meaning, or if the user's zone has that name at that time.

In the hour that a zone's clocks repeat, a time is the first that does not go back, in the order of the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

from kreactor.pipeline.failures import PipelineFailure

# The time in a text: microseconds since 1970 in UTC; a local date and time; a time of day; or why it
# cannot be read. None: there is no time.
Found = int | datetime | time | str | None

_EPOCH = datetime(1970, 1, 1)
_MICRO = timedelta(microseconds=1)
# Threads write lines a little out of order.
_DISORDER_US = 60_000_000
_HALF_DAY_S = 12 * 3600
# Only this much of the text before a request is searched.
_HEAD = 2000

_MONTHS = {name: number for number, name in enumerate(
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1)}
_MONTH = r"(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?"
_ZONE = (r"(?: ?(?P<offset>Z|[+-]\d\d:?\d\d)(?![\w:])|(?P<hours>[+-]\d\d)(?![\w:])"
         r"|(?: |(?=\[)) ?\[?(?P<zone>(?:UTC|GMT)[+-]\d{1,2}(?::?\d\d)?|[A-Z][A-Za-z]+(?:/[A-Za-z0-9_+-]+)+"
         r"|[A-Z]{2,5})(?![\w/])(?P<sure>\]|(?= +\[?(?:TRACE|DEBUG|INFO)\b))?)?")
_ISO = re.compile(
    rf"(?<!\d)(?P<year>\d{{4}})[-/.](?P<month>\d\d)[-/.](?P<day>\d\d)[ T]{_CLOCK}{_ZONE}")
_DAY_FIRST = re.compile(rf"(?<!\d)(?P<day>\d\d?)[ /-]{_MONTH}[ /-](?P<year>\d{{4}})[ :T]{_CLOCK}{_ZONE}")
_BASIC = re.compile(r"(?<!\d)(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)T(?P<hour>\d\d)(?P<minute>\d\d)"
                    rf"(?P<second>\d\d)(?:[.,](?P<part>\d{{1,9}}))?{_ZONE}")
_COMPACT = re.compile(r"(?<![\w.])(?P<year>20\d\d)(?P<month>\d\d)(?P<day>\d\d)(?P<hour>\d\d)(?P<minute>\d\d)"
                      r"(?P<second>\d\d)(?P<part>\d{3})(?![\w.])")
_DATED = (_ISO, _DAY_FIRST, _BASIC, _COMPACT)
_NO_YEAR = re.compile(rf"(?<![A-Za-z]){_MONTH} (?P<day> ?\d{{1,2}}) (?:(?P<year>\d{{4}}) )?{_CLOCK}"
                      r"(?: (?P<after>(?:19|20)\d\d)(?!\S))?")
_UNIX = re.compile(r"(?:^|[\[(| ])(?P<number>\d{13}|\d{10}(?:\.\d{1,9})?)(?=[\])| ]|$)")
_ORDER_UNKNOWN = re.compile(rf"(?<![\d.])\d\d?[/.-]\d\d?[/.-]\d\d(?:\d\d)?[ T]{_CLOCK}")
_TIME_OF_DAY = re.compile(rf"(?<![\d:.]){_CLOCK}(?![\d:])")

# Names of zones with one meaning in the whole world, and their hours east of Greenwich.
_NAMED = {"UTC": 0, "GMT": 0, "UT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3}
# Names that zones of the tz database have or had, most of them several zones.
_ABBREVIATIONS = frozenset(
    "ACDT ACST ADT AEDT AEST AKDT AKST AMT ART AST AWST BRT BST CAT CDT CLT COT CST CT EAT EDT EST ET HKT "
    "HST ICT IDT IRST IST JST KST MDT MEST MET MSD MSK MST MT NDT NPT NST NZDT NZST PDT PHT PKT PST PT PYT "
    "SAST SGT SST TRT UYT VET WAST WAT WIB WIT".split())
_REGIONS = frozenset("Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific Etc US "
                     "Canada".split())
_LEVELS = frozenset(("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"))

NO_TIME = "no date and time before it"
NO_DATE = "a time without a date; --date gives it"
NO_ORDER = "a date whose order of day and month is not known; --time-format gives it"
NO_SUCH_TIME = "a date and time that does not exist"


@dataclass(slots=True)
class Order:
    """The state after the earlier lines of one file."""

    # The time of the line before, in microseconds since 1970.
    last: int | None = None
    # The date of the last time of day, and this time in seconds.
    day: date | None = None
    seconds: int = 0
    # Whether a time was in an hour that comes twice.
    repeats: bool = False


class Times:
    """Reads times. Has no state, apart from caches; any thread may use it."""

    def __init__(self, zone: str = "UTC", day: str = "", pattern: str = "",
                 today: date | None = None) -> None:
        """Prepare to read times.

        ``zone`` is the zone of times without one, ``day`` the ISO date of the first time without a date,
        ``pattern`` the only pattern of times, in Java's letters or as a name of log4j, and ``today`` the
        date of a line that was written last. Raises PipelineFailure if one of these is wrong.
        """
        self.zone = check_zone(zone)
        self._zone = ZoneInfo(zone)
        self.is_utc = zone in ("UTC", "Etc/UTC")
        self.day = check_date(day) if day else None
        self.pattern = _java_pattern(pattern) if pattern else None
        self._today = today or datetime.now(timezone.utc).date()

    def in_text(self, text: str) -> Found:
        """Return the time in a text before a request."""
        text = text[-_HEAD:]
        if self.pattern is not None:
            found = _last(self.pattern, text)
            return self._moment(found, True) if found is not None else None
        at, best = -1, None
        for pattern in _DATED:
            found = _last(pattern, text)
            if found is not None and found.start() > at:
                at, best = found.start(), found
        if best is not None:
            return self._moment(best)
        found = _last(_NO_YEAR, text)
        if found is not None:
            return self._moment(found)
        found = _last(_UNIX, text)
        if found is not None:
            return _epoch(found["number"])
        if _ORDER_UNKNOWN.search(text):
            return NO_ORDER
        found = _last(_TIME_OF_DAY, text)
        return self._moment(found) if found is not None else None

    def of_field(self, value: object) -> Found:
        """Return the time that a member of a JSON object has as its value."""
        if isinstance(value, str):
            return _epoch(value) if re.fullmatch(r"\d{10,19}(?:\.\d{1,9})?", value) else self.in_text(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _epoch(repr(value) if isinstance(value, int) else f"{value:.9f}")
        if isinstance(value, dict):
            seconds = value.get("epochSecond", value.get("seconds"))
            nanos = value.get("nanoOfSecond", value.get("nanos", 0))
            if type(seconds) is int and type(nanos) is int and abs(seconds) < 1 << 36:
                return seconds * 1_000_000 + nanos // 1000
        return None

    def resolve(self, found: Found, order: Order) -> int | str:
        """Return microseconds since 1970 in UTC, or why there are none, after the lines of ``order``."""
        if isinstance(found, time):
            found = self._dated(found, order)
        if isinstance(found, datetime):
            local = (found - _EPOCH) // _MICRO
            early, late = (local - self._offset_us(found, fold) for fold in (0, 1))
            # In the hour that is skipped, the second is the earlier one.
            order.repeats |= early < late
            again = early < late and order.last is not None and early < order.last - _DISORDER_US
            found = late if again else early
        if isinstance(found, int):
            order.last = found
            return found
        return NO_TIME if found is None else found

    def _offset_us(self, local: datetime, fold: int) -> int:
        offset = self._zone.utcoffset(local.replace(fold=fold))
        return 0 if offset is None else offset // _MICRO

    def offsets_us(self, quarter: int) -> tuple[int, int]:
        """Return the zone's two offsets at a local time, in quarters of an hour since 1970."""
        local = _EPOCH + timedelta(minutes=15 * quarter)
        return self._offset_us(local, 0), self._offset_us(local, 1)

    def _dated(self, found: time, order: Order) -> datetime | str:
        if self.day is None:
            return NO_DATE
        seconds = found.hour * 3600 + found.minute * 60 + found.second
        day = order.day or self.day
        if order.day is not None and seconds < order.seconds - _HALF_DAY_S:
            day += timedelta(days=1)
        elif order.day is not None and seconds > order.seconds + _HALF_DAY_S:
            # A thread wrote its line after midnight, and had read the clock before.
            return datetime.combine(order.day - timedelta(days=1), found)
        order.day, order.seconds = day, seconds
        return datetime.combine(day, found)

    def _moment(self, match: re.Match[str], sure: bool = False) -> Found:
        """Return the time of a match; ``sure`` is whether a word in place of a zone is a zone."""
        groups = {name: text for name, text in match.groupdict().items() if text is not None}
        if "unix" in groups:
            return _epoch(groups["unix"])
        hour = int(groups.get("hour", 0))
        if "half" in groups:
            hour = hour % 12 + (12 if groups["half"].lower().startswith("p") else 0)
        part = groups.get("part", "")[:6]
        clock = (hour, int(groups.get("minute", 0)), int(groups.get("second", 0)), int(part.ljust(6, "0")))
        try:
            if "day" not in groups:
                return time(*clock)
            month = (_MONTHS[groups["name"][:3].lower()] if "name" in groups else int(groups["month"]))
            if "year" in groups or "after" in groups:
                year = int(groups.get("year") or groups["after"])
                year += 2000 if year < 100 else 0
                local = datetime(year, month, int(groups["day"]), *clock)
            else:
                local = self._with_year(month, int(groups["day"]), clock)
        except (ValueError, KeyError):
            return NO_SUCH_TIME
        offset = groups.get("offset") or groups.get("hours")
        if offset:
            return (local - _EPOCH) // _MICRO - _offset_us(offset)
        name = groups.get("zone")
        if not name:
            return local
        # In front of a level a longer word is rather a host.
        sure = sure or groups.get("sure") == "]" or "sure" in groups and len(name) < 5
        return self._named(local, name, sure)

    def _with_year(self, month: int, day: int, clock: tuple[int, int, int, int]) -> datetime:
        """Return a date in the year that is nearest to the user's day, or else the last one."""
        if self.day is not None:
            near = datetime.combine(self.day, time())
            years = (self.day.year, self.day.year - 1, self.day.year + 1)
            return min((at for at in (_date(year, month, day, clock) for year in years) if at is not None),
                       key=lambda at: abs(at - near))
        latest = datetime.combine(self._today, time()) + timedelta(days=2)
        # The day may be the 29th of February.
        for year in range(latest.year, latest.year - 9, -1):
            local = _date(year, month, day, clock)
            if local is not None and local < latest:
                return local
        raise ValueError

    def _named(self, local: datetime, name: str, sure: bool) -> Found:
        """Return the time in a zone with a name, or why not; the local time if it is no name of a zone."""
        us = (local - _EPOCH) // _MICRO
        if name in _NAMED:
            return us - _NAMED[name] * 3_600_000_000
        if name[:3] in ("UTC", "GMT") and name[3:4] in ("+", "-"):
            return us - _offset_us(name[3:])
        for fold in (0, 1):
            if self._zone.tzname(local.replace(fold=fold)) == name:
                return us - self._offset_us(local, fold)
        if "/" in name:
            zone = _zone(name)
            if zone is not None:
                return us - (zone.utcoffset(local) or timedelta()) // _MICRO
            known = name.partition("/")[0] in _REGIONS
        else:
            known = name in _ABBREVIATIONS
        if known or sure and name not in _LEVELS:
            return f"{name} is no time zone, or several; --zone names it, as in America/Chicago"
        return local


def check_zone(zone: str) -> str:
    """Return the name of a time zone. Raises PipelineFailure for an unknown name."""
    if _zone(zone) is None:
        raise PipelineFailure(f"--zone {zone}: unknown time zone; use Europe/Berlin, or UTC")
    return zone


def check_date(day: str) -> date:
    """Return a date. Raises PipelineFailure if it is not in ISO's form."""
    try:
        return date.fromisoformat(day)
    except ValueError:
        raise PipelineFailure(f"--date {day}: not a date such as 2026-11-21") from None


def repeated_days(zone: str) -> list[date]:
    """Return the days from 2000 to 2040 on which the clocks of a zone go back."""
    info = ZoneInfo(zone)
    at, days = datetime(2000, 1, 1), []
    before = info.utcoffset(at)
    while at.year < 2041:
        after = info.utcoffset(at + timedelta(days=1))
        if before is not None and after is not None and after < before:
            days.append(at.date())
        before, at = after, at + timedelta(days=1)
    return days


@lru_cache(64)
def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = None
    for found in pattern.finditer(text):
        pass
    return found


def _date(year: int, month: int, day: int, clock: tuple[int, int, int, int]) -> datetime | None:
    try:
        return datetime(year, month, day, *clock)
    except ValueError:
        return None


def _offset_us(text: str) -> int:
    """Return the microseconds of Z, +1, +01, +0100 or +01:00."""
    if text == "Z":
        return 0
    hours, minutes = text[1:].replace(":", ""), 0
    if len(hours) > 2:
        hours, minutes = hours[:-2], int(hours[-2:])
    us = (int(hours) * 60 + minutes) * 60_000_000
    return -us if text[0] == "-" else us


def _epoch(text: str) -> int | None:
    """Return microseconds since 1970, of a number of seconds, or of a smaller unit, by its size."""
    whole, _, part = text.partition(".")
    if not whole.isdecimal():
        return None
    number = int(whole)
    digits = math.floor(math.log10(number)) + 1 if number else 1
    for most, per_second in ((11, 1), (14, 1_000), (17, 1_000_000), (20, 1_000_000_000)):
        if digits <= most:
            us = number * 1_000_000 // per_second
            return us + (int(part[:6].ljust(6, "0")) if per_second == 1 and part else 0) or None
    return None


# The patterns of log4j 2 by their names.
_NAMED_PATTERNS = {
    "ABSOLUTE": "HH:mm:ss,SSS", "ABSOLUTE_MICROS": "HH:mm:ss,SSSSSS", "ABSOLUTE_NANOS": "HH:mm:ss,SSSSSSSSS",
    "ABSOLUTE_PERIOD": "HH:mm:ss.SSS", "COMPACT": "yyyyMMddHHmmssSSS", "DATE": "dd MMM yyyy HH:mm:ss,SSS",
    "DATE_PERIOD": "dd MMM yyyy HH:mm:ss.SSS", "DEFAULT": "yyyy-MM-dd HH:mm:ss,SSS",
    "DEFAULT_MICROS": "yyyy-MM-dd HH:mm:ss,SSSSSS", "DEFAULT_NANOS": "yyyy-MM-dd HH:mm:ss,SSSSSSSSS",
    "DEFAULT_PERIOD": "yyyy-MM-dd HH:mm:ss.SSS", "ISO8601": "yyyy-MM-dd'T'HH:mm:ss,SSS",
    "ISO8601_BASIC": "yyyyMMdd'T'HHmmss,SSS", "ISO8601_BASIC_PERIOD": "yyyyMMdd'T'HHmmss.SSS",
    "ISO8601_OFFSET_DATE_TIME_HH": "yyyy-MM-dd'T'HH:mm:ss,SSSX",
    "ISO8601_OFFSET_DATE_TIME_HHMM": "yyyy-MM-dd'T'HH:mm:ss,SSSXX",
    "ISO8601_OFFSET_DATE_TIME_HHCMM": "yyyy-MM-dd'T'HH:mm:ss,SSSXXX",
    "ISO8601_PERIOD": "yyyy-MM-dd'T'HH:mm:ss.SSS", "ISO8601_PERIOD_MICROS": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "US_MONTH_DAY_YEAR2_TIME": "MM/dd/yy HH:mm:ss.SSS", "US_MONTH_DAY_YEAR4_TIME": "MM/dd/yyyy HH:mm:ss.SSS",
}
_UNIX_PATTERNS = {"UNIX": re.compile(r"(?<!\d)(?P<unix>\d{10})(?!\d)"),
                  "UNIX_MILLIS": re.compile(r"(?<!\d)(?P<unix>\d{13})(?!\d)")}
# The groups of the letters that are numbers of one or two digits.
_LETTERS = {"d": "day", "H": "hour", "h": "hour", "m": "minute", "s": "second"}


def _java_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern for a pattern of Java, as in log4j's ``%d{...}``. Raises PipelineFailure."""
    if text in _UNIX_PATTERNS:
        return _UNIX_PATTERNS[text]
    parts, used = [], set()
    for token, is_text in _tokens(_NAMED_PATTERNS.get(text, text)):
        if is_text:
            parts.append(re.escape(token))
            continue
        group, pattern = _group(token[0], len(token))
        if not group:
            raise PipelineFailure(f"--time-format {text}: {token} is not known; the letters are y M d H h "
                                  "a m s S n E z Z X x V, as in dd.MM.yyyy HH:mm:ss,SSS")
        if group in used:
            raise PipelineFailure(f"--time-format {text}: has {token} twice")
        used.add(group)
        parts.append(f"(?P<{group}>{pattern})")
    if not {"hour", "minute"} <= used:
        raise PipelineFailure(
            f"--time-format {text}: has no hours and minutes, as in dd.MM.yyyy HH:mm:ss,SSS")
    dated = used & {"day", "month", "name"}
    if dated and not ("day" in used and dated & {"month", "name"}):
        raise PipelineFailure(f"--time-format {text}: has a part of a date only")
    # Text between the letters is escaped.
    expression = "".join(("(?<!\\d)", *parts, "(?!\\d)"))
    return re.compile(expression)


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a pattern of Java, and whether each is text: runs of a letter are not."""
    at = 0
    while at < len(text):
        end = at + 1
        if text[at] == "'":
            end = text.find("'", end)
            # Two quotes are a quote.
            while text.startswith("''", end):
                end = text.find("'", end + 2)
            if end < 0:
                raise PipelineFailure(f"--time-format {text}: a quote is not closed")
            yield text[at + 1:end].replace("''", "'") or "'", True
            end += 1
        elif text[at].isascii() and text[at].isalpha():
            while text[end:end + 1] == text[at]:
                end += 1
            yield text[at:end], False
        else:
            yield text[at], True
        at = end


def _group(letter: str, count: int) -> tuple[str, str]:
    """Return the group and the pattern of a letter that Java's pattern has ``count`` times."""
    if letter in _LETTERS:
        return _LETTERS[letter], r"[ \d]?\d" if count == 1 else r"\d\d"
    if letter in "yu":
        return "year", r"\d\d" if count == 2 else r"\d{4}"
    if letter in "ML":
        return ("month", r"\d\d?" if count == 1 else r"\d\d") if count < 3 else ("name", r"[A-Za-z]{3,9}\.?")
    return {
        "S": ("part", rf"\d{{{min(count, 9)}}}"), "a": ("half", r"[AaPp]\.?[Mm]\.?"),
        # The nanoseconds of a second as a number: with nine letters, a fraction.
        "n": ("part", r"\d{9}") if count == 9 else ("", ""),
        "E": ("weekday", r"[^\W\d]{2,12}\.?"), "z": ("zone", r"[A-Za-z][A-Za-z/_+0-9:-]+"),
        "V": ("zone", r"[A-Za-z][A-Za-z/_+0-9:-]+"),
        "Z": ("offset", r"[+-]\d\d:?\d\d"), "X": ("offset", r"Z|[+-]\d\d(?::?\d\d)?"),
        "x": ("offset", r"[+-]\d\d(?::?\d\d)?"),
    }.get(letter, ("", ""))
