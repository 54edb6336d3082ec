# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The options of topics as tables: those of Spark's own source for Kafka, with the same meaning.

=====================================  =====================================================================
option                                 what it is
=====================================  =====================================================================
``kafka.bootstrap.servers``            brokers, as ``host:port,host:port``
``kafka.*``                            settings of kreactor's reader or of the producer, in Kafka's words:
                                       ``kafka.security.protocol``, ``kafka.sasl.mechanism``, ...
``subscribe``, ``subscribePattern``,   what to read: topics with commas; a regular expression for whole
``assign``                             names; or partitions as ``{"orders": [0, 1]}``
``startingOffsets``                    ``earliest``, ``latest``, or JSON as ``{"orders": {"0": 23}}``, where
                                       -2 and -1 are these two, and so is a partition that is left out; of
                                       batches ``earliest`` if not given, of streams ``latest``
``startingTimestamp``,                 milliseconds since 1970, for all partitions or as JSON: the first
``startingOffsetsByTimestamp``         record that is not before this time, and all after it
``startingOffsetsByTimestampStrategy`` ``error`` or ``latest``: if there is no such record
``endingOffsets``, ``endingTimestamp`` the same for the end of a batch, which is not read
``endingOffsetsByTimestamp``           any more; ``latest`` if not given
``failOnDataLoss``                     ``true``: offsets that do not exist, or not any more, end the query
``minPartitions``                      the fewest tasks, so that several read a large partition
``maxRecordsPerPartition``             the most offsets that one task reads
``maxOffsetsPerTrigger``               of a stream: the most offsets of a micro-batch, shared fairly between
                                       partitions
``minOffsetsPerTrigger``,              of a stream: the fewest offsets of a micro-batch, and how long it may
``maxTriggerDelay``                    wait for these, as ``15m``
``kafkaConsumer.pollTimeoutMs``        how long a task waits for records; ``kafka.request.timeout.ms`` if not
                                       given
``includeHeaders``                     ``true``: there is a column ``headers``
``topic``                              the topic to write to; otherwise a column names it
=====================================  =====================================================================

No option is ignored: an option that is unknown, or has no meaning here, is refused. Case does not count, as
in Spark.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from kreactor.clients.producer.producer_config import ProducerConfig
from kreactor.clients.topic_reader import TopicReaderConfig
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.pipeline.failures import PipelineFailure

EARLIEST = ListOffsetsRequest.EARLIEST_TIMESTAMP
LATEST = ListOffsetsRequest.LATEST_TIMESTAMP

BATCH, STREAM, WRITE, STREAM_WRITE = "a batch", "a stream", "a write", "a stream's write"
_READS, _WRITES = {BATCH, STREAM}, {WRITE, STREAM_WRITE}

_OPTIONS = {
    "assign": _READS, "subscribe": _READS, "subscribePattern": _READS,
    "startingOffsets": _READS, "startingTimestamp": _READS, "startingOffsetsByTimestamp": _READS,
    "startingOffsetsByTimestampStrategy": _READS,
    "endingOffsets": {BATCH}, "endingTimestamp": {BATCH}, "endingOffsetsByTimestamp": {BATCH},
    "failOnDataLoss": _READS, "minPartitions": _READS, "maxRecordsPerPartition": _READS,
    "maxOffsetsPerTrigger": {STREAM}, "minOffsetsPerTrigger": {STREAM}, "maxTriggerDelay": {STREAM},
    "kafkaConsumer.pollTimeoutMs": _READS, "includeHeaders": _READS | _WRITES,
    "topic": _WRITES,
    # Spark itself uses these, and sends them on.
    "checkpointLocation": {STREAM_WRITE}, "queryName": {STREAM_WRITE},
}
_KAFKA = "kafka."
# Options of Spark and settings of Kafka without a meaning here, and what to do instead.
_NO_GROUP = "a read has no consumer group; leave it out"
_RETRIES = "requests are repeated until kafka.request.timeout.ms; set that"
_DECODE = "keys and values are bytes; convert the columns with Spark's functions"
_REFUSED = {
    "groupIdPrefix": _NO_GROUP, "kafka.group.id": _NO_GROUP,
    "fetchOffset.numRetries": _RETRIES, "fetchOffset.retryIntervalMs": _RETRIES,
    "kafka.auto.offset.reset": "set startingOffsets",
    "kafka.enable.auto.commit": "a stream's checkpoint has its offsets; leave it out",
    "kafka.interceptor.classes": "records are read and written as they are; leave it out",
    "kafka.key.deserializer": _DECODE, "kafka.value.deserializer": _DECODE,
    "kafka.key.serializer": _DECODE, "kafka.value.serializer": _DECODE,
    "kafka.transactional.id": "tasks write without transactions; leave it out",
    "path": "topics have no path; set subscribe or topic",
}
# How similar a name must be to be meant.
_CLOSE = 0.8
_UNITS_S = {"us": 1e-6, "ms": 1e-3, "": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_MAX_TRIGGER_DELAY = "15m"
_JSON_OFFSETS = '{"orders": {"0": 23}}'

# Offsets or times, by topic and partition.
ByPartition = Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class Bound:
    """Where a read begins or ends: an offset or a time, for all partitions or by partition.

    ``option`` is the name for users. EARLIEST and LATEST are offsets.
    """

    option: str
    at: int | ByPartition
    is_time: bool


class Options:
    """The checked options of one use. Raises PipelineFailure at the first that is wrong."""

    def __init__(self, given: Mapping[str, str], use: str) -> None:
        """Check the names for a use: BATCH, STREAM, WRITE or STREAM_WRITE."""
        self._given = {name.lower(): value for name, value in given.items()}
        self._use = use
        settings = ProducerConfig.config_names() if use in _WRITES else TopicReaderConfig.CONFIG.names()
        allowed = {name for name, uses in _OPTIONS.items() if use in uses}
        allowed |= {_KAFKA + name for name in settings}
        allowed -= {*_REFUSED}
        by_lower = {name.lower(): name for name in (*allowed, *_OPTIONS, *_REFUSED)}
        for name in self._given:
            known = by_lower.get(name, name)
            if known not in allowed:
                raise PipelineFailure(f"{known}: {self._refusal(known, allowed)}")
        # The settings of Kafka, with their values, some of which are secret.
        self.settings = {name: self._given[_KAFKA + name] for name in sorted(settings)
                         if _KAFKA + name in self._given}
        if not self.settings.get("bootstrap.servers"):
            raise PipelineFailure(
                "kafka.bootstrap.servers: missing; set option('kafka.bootstrap.servers', 'host:port')")
        self.flag("includeHeaders", False)

    def _refusal(self, name: str, allowed: Iterable[str]) -> str:
        if name in _REFUSED:
            return _REFUSED[name]
        if name in _OPTIONS:
            return f"not for {self._use}, but for {' or '.join(sorted(_OPTIONS[name]))}; leave it out"
        by_lower = {each.lower(): each for each in allowed}
        close = by_lower.get(_KAFKA + name) or next(
            (by_lower[each] for each in difflib.get_close_matches(name, by_lower, 1, _CLOSE)), None)
        if close:
            return f"unknown; is {close} meant?"
        if name.startswith(_KAFKA):
            return f"kreactor has no such setting for {self._use}; leave it out"
        return "unknown; leave it out"

    def has(self, name: str) -> bool:
        """Return whether an option is given."""
        return name.lower() in self._given

    def text(self, name: str) -> str | None:
        """Return an option without the spaces around it, or None."""
        value = self._given.get(name.lower())
        return None if value is None else value.strip()

    def number(self, name: str) -> int | None:
        """Return a number above 0, or None."""
        text = self.text(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdecimal()) or not int(text):
            raise PipelineFailure(f"{name} {text}: must be a number above 0")
        return int(text)

    def flag(self, name: str, default: bool) -> bool:
        """Return whether an option is true."""
        text = self.text(name)
        if text is None:
            return default
        if text.lower() not in ("true", "false"):
            raise PipelineFailure(f"{name} {text}: must be true or false")
        return text.lower() == "true"

    def check_reader(self) -> None:
        """Check the settings of kreactor's reader."""
        try:
            TopicReaderConfig(self.settings)
        except ConfigException as e:
            raise PipelineFailure(str(e)) from None

    def trigger_delay_s(self) -> float:
        """Return how long a micro-batch may wait for ``minOffsetsPerTrigger``."""
        text = self.text("maxTriggerDelay") or _MAX_TRIGGER_DELAY
        match = re.fullmatch(r"(\d+)\s*([a-z]*)", text.lower())
        if match is None or match[2] not in _UNITS_S:
            raise PipelineFailure(f"maxTriggerDelay {text}: must be a time such as 500ms, 30s or 15m")
        return int(match[1]) * _UNITS_S[match[2]]

    # -- what to read -------------------------------------------------------------------------------

    def subscription(self) -> tuple[list[str], re.Pattern[str] | None, Mapping[str, list[int]]]:
        """Return topics, a pattern of topics, or partitions by topic: one of these three."""
        given = self._one_of("assign", "subscribe", "subscribePattern")
        wanted = self.text(given) if given else None
        if wanted is None:
            raise PipelineFailure(
                "subscribe: missing; set option('subscribe', 'orders'), or subscribePattern or assign")
        if given == "assign":
            return [], None, self._json("assign", 'JSON as {"orders": [0, 1]}', _partitions)
        if given == "subscribePattern":
            try:
                return [], re.compile(wanted), {}
            except re.error as e:
                raise PipelineFailure(f"subscribePattern {wanted}: not a regular expression: {e}") from None
        topics = list(dict.fromkeys(name.strip() for name in wanted.split(",") if name.strip()))
        if not topics:
            raise PipelineFailure(f"subscribe {wanted}: names no topic")
        return topics, None, {}

    def starts(self) -> Bound:
        """Return where the read begins."""
        bound = self._bound("starting", "latest" if self._use == STREAM else "earliest")
        if self._use == BATCH and LATEST in _offsets(bound):
            raise PipelineFailure(
                f"{bound.option}: a batch cannot begin at latest; set an offset or earliest")
        return bound

    def ends(self) -> Bound:
        """Return where a batch ends."""
        bound = self._bound("ending", "latest")
        if EARLIEST in _offsets(bound):
            raise PipelineFailure(f"{bound.option}: a batch cannot end at earliest; set an offset or latest")
        return bound

    def latest_without_match(self) -> bool:
        """Return whether a partition without a record from ``startingTimestamp`` on begins at its end."""
        text = self.text("startingOffsetsByTimestampStrategy") or "error"
        if text.lower() not in ("error", "latest"):
            raise PipelineFailure(f"startingOffsetsByTimestampStrategy {text}: must be error or latest")
        if self.has("startingOffsetsByTimestampStrategy") and not self.starts().is_time:
            raise PipelineFailure("startingOffsetsByTimestampStrategy: needs startingTimestamp or "
                                  "startingOffsetsByTimestamp; leave it out")
        return text.lower() == "latest"

    def _bound(self, begin: str, default: str) -> Bound:
        offsets = f"{begin}Offsets"
        given = self._one_of(offsets, f"{begin}Timestamp", f"{begin}OffsetsByTimestamp") or offsets
        text = self.text(given) or default
        if given == offsets:
            named = {"earliest": EARLIEST, "latest": LATEST}.get(text.lower())
            return Bound(given, named if named is not None else self._by_partition(
                given, f"earliest, latest, or JSON as {_JSON_OFFSETS}", EARLIEST), False)
        if given == f"{begin}Timestamp":
            if not (text.isascii() and text.isdecimal()):
                raise PipelineFailure(f"{given} {text}: must be milliseconds since 1970")
            return Bound(given, int(text), True)
        return Bound(given, self._by_partition(given, 'JSON as {"orders": {"0": 1764374400000}}', 0), True)

    def _one_of(self, *names: str) -> str | None:
        given = [name for name in names if self.has(name)]
        if len(given) > 1:
            raise PipelineFailure(f"{' and '.join(given)}: give one of them")
        return given[0] if given else None

    def _by_partition(self, option: str, form: str, least: int) -> ByPartition:
        def offsets(partitions: Mapping[str, object]) -> dict[int, int]:
            found = {int(partition): _integer(at) for partition, at in partitions.items()}
            return found if min(found.values(), default=least) >= least else _fail()

        return self._json(option, form, offsets)

    def _json(self, option: str, form: str, read: Callable[[Any], Any]) -> dict[str, Any]:
        text = self.text(option) or ""
        try:
            return {topic: read(value) for topic, value in json.loads(text).items()} or _fail()
        except (ValueError, AttributeError, TypeError, RecursionError):
            raise PipelineFailure(f"{option} {text}: must be {form}") from None


def _integer(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else _fail()


def _partitions(value: object) -> list[int]:
    return sorted({*map(_integer, value)}) if isinstance(value, list) and value else _fail()


def _fail() -> NoReturn:
    raise ValueError


def _offsets(bound: Bound) -> set[int]:
    if bound.is_time:
        return set()
    return {bound.at} if isinstance(bound.at, int) else {
        at for partitions in bound.at.values() for at in partitions.values()}
