# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import re

import pytest

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.topic_options import (
    BATCH,
    EARLIEST,
    LATEST,
    STREAM,
    STREAM_WRITE,
    WRITE,
    Bound,
    Options,
)

WHERE = {"kafka.bootstrap.servers": "h:1"}


def options(use: str = BATCH, /, **given: str) -> Options:
    return Options({**WHERE, **given}, use)


def test_names_are_those_of_spark_in_any_case() -> None:
    given = Options({"KAFKA.Bootstrap.Servers": "h:1", "kafka.isolation.level": "read_committed",
                     "SubScribe": " a, b,a ", "FAILONDATALOSS": "False"}, BATCH)
    assert given.settings == {"bootstrap.servers": "h:1", "isolation.level": "read_committed"}
    assert given.subscription() == (["a", "b"], None, {})
    assert not given.flag("failOnDataLoss", True)
    assert options(WRITE, **{"kafka.linger.ms": "5"}).settings["linger.ms"] == "5"
    options(STREAM_WRITE, checkpointLocation="x", queryName="q", topic="t", includeHeaders="true")


@pytest.mark.parametrize("use, name, told", [
    (BATCH, "bootstrap.servers", "bootstrap.servers: unknown; is kafka.bootstrap.servers meant?"),
    (BATCH, "startingofsets", "startingofsets: unknown; is startingOffsets meant?"),
    (BATCH, "color", "color: unknown; leave it out"),
    (BATCH, "topic", "topic: not for a batch, but for a stream's write or a write; leave it out"),
    (BATCH, "maxOffsetsPerTrigger", "maxOffsetsPerTrigger: not for a batch, but for a stream; leave it out"),
    (STREAM, "endingTimestamp", "endingTimestamp: not for a stream, but for a batch; leave it out"),
    (WRITE, "subscribe", "subscribe: not for a write, but for a batch or a stream; leave it out"),
    (BATCH, "kafka.acks", "kafka.acks: kreactor has no such setting for a batch; leave it out"),
    (BATCH, "kafka.fetch.max.bytes",
     "kafka.fetch.max.bytes: kreactor has no such setting for a batch; leave it out"),
    (BATCH, "kafka.group.id", "kafka.group.id: a read has no consumer group; leave it out"),
    (BATCH, "groupidprefix", "groupIdPrefix: a read has no consumer group; leave it out"),
    (STREAM, "fetchOffset.numRetries",
     "fetchOffset.numRetries: requests are repeated until kafka.request.timeout.ms; set that"),
    (BATCH, "kafka.auto.offset.reset", "kafka.auto.offset.reset: set startingOffsets"),
    (WRITE, "kafka.value.serializer",
     "kafka.value.serializer: keys and values are bytes; convert the columns with Spark's functions"),
    (BATCH, "path", "path: topics have no path; set subscribe or topic"),
])
def test_other_options_are_refused(use: str, name: str, told: str) -> None:
    with pytest.raises(PipelineFailure, match=f"^{re.escape(told)}$"):
        options(use, **{name: "x"})


def test_where_and_what_is_missing() -> None:
    with pytest.raises(PipelineFailure, match="^kafka.bootstrap.servers: missing; set option"):
        Options({"subscribe": "t"}, BATCH)
    with pytest.raises(PipelineFailure, match="^subscribe: missing; set option"):
        options().subscription()
    with pytest.raises(PipelineFailure, match="^Invalid value none for configuration isolation.level"):
        options(**{"kafka.isolation.level": "none"}).check_reader()


def test_topics_a_pattern_or_partitions() -> None:
    assert options(subscribePattern="a.*").subscription() == ([], re.compile("a.*"), {})
    assert options(assign='{"a": [1, 0, 1]}').subscription() == ([], None, {"a": [0, 1]})
    for given, told in (
            ({"subscribe": " ,"}, "subscribe ,: names no topic"),
            ({"subscribe": "a", "assign": "{}"}, "assign and subscribe: give one of them"),
            ({"subscribePattern": "(a"}, "subscribePattern (a: not a regular expression: "),
            *(({"assign": wrong}, f'assign {wrong}: must be JSON as {{"orders": [0, 1]}}')
              for wrong in ("{}", "a", '{"a": 0}', '{"a": ["0"]}', '{"a": []}', "[1]"))):
        with pytest.raises(PipelineFailure, match=f"^{re.escape(told)}"):
            options(**given).subscription()


def test_where_a_read_begins_and_ends() -> None:
    assert options().starts() == Bound("startingOffsets", EARLIEST, False)
    assert options(STREAM).starts() == Bound("startingOffsets", LATEST, False)
    assert options().ends() == Bound("endingOffsets", LATEST, False)
    assert options(startingoffsets=' {"a": {"0": 23, "1": -2}} ').starts() == Bound(
        "startingOffsets", {"a": {0: 23, 1: EARLIEST}}, False)
    assert options(endingTimestamp="17").ends() == Bound("endingTimestamp", 17, True)
    assert options(STREAM, startingOffsetsByTimestamp='{"a": {"0": 17}}').starts() == Bound(
        "startingOffsetsByTimestamp", {"a": {0: 17}}, True)


@pytest.mark.parametrize("given, told", [
    ({"startingOffsets": "soon"}, "startingOffsets soon: must be earliest, latest, or JSON as {"),
    ({"startingOffsets": '{"a": {"0": 1.5}}'}, 'startingOffsets {"a": {"0": 1.5}}: must be earliest'),
    ({"startingOffsets": '{"a": {"0": -3}}'}, 'startingOffsets {"a": {"0": -3}}: must be earliest'),
    ({"startingOffsets": "latest"}, "startingOffsets: a batch cannot begin at latest"),
    ({"startingOffsets": '{"a": {"0": -1}}'}, "startingOffsets: a batch cannot begin at latest"),
    ({"startingTimestamp": "-1"}, "startingTimestamp -1: must be milliseconds since 1970"),
    ({"startingTimestamp": "1", "startingOffsets": "earliest"},
     "startingOffsets and startingTimestamp: give one of them"),
    ({"startingOffsetsByTimestamp": '{"a": {"0": -1}}'},
     'startingOffsetsByTimestamp {"a": {"0": -1}}: must be JSON as {'),
    ({"endingOffsets": "earliest"}, "endingOffsets: a batch cannot end at earliest"),
    ({"endingOffsets": '{"t": 3}'}, 'endingOffsets {"t": 3}: must be earliest, latest, or JSON as {'),
    ({"startingOffsetsByTimestampStrategy": "first", "startingTimestamp": "1"},
     "startingOffsetsByTimestampStrategy first: must be error or latest"),
    ({"startingOffsetsByTimestampStrategy": "latest"},
     "startingOffsetsByTimestampStrategy: needs startingTimestamp or"),
])
def test_bounds_that_are_wrong(given: dict[str, str], told: str) -> None:
    wrong = options(**given)
    with pytest.raises(PipelineFailure, match=f"^{re.escape(told)}"):
        wrong.starts()
        wrong.latest_without_match()
        wrong.ends()


def test_numbers_flags_and_times() -> None:
    assert options(minPartitions=" 7 ").number("minPartitions") == 7
    for wrong in ("0", "-1", "x", "", "٣"):
        with pytest.raises(PipelineFailure, match=f"^minPartitions {wrong}: must be a number above 0$"):
            options(minPartitions=wrong).number("minPartitions")
    with pytest.raises(PipelineFailure, match="^includeHeaders yes: must be true or false$"):
        options(includeHeaders="yes")
    for text, seconds in (("15m", 900), ("5", 0.005), ("2 min", 120), ("1h", 3600), ("3D", 259_200)):
        assert options(STREAM, maxTriggerDelay=text).trigger_delay_s() == pytest.approx(seconds)
    assert options(STREAM).trigger_delay_s() == 900
    with pytest.raises(PipelineFailure, match="^maxTriggerDelay soon: must be a time such as 500ms, 30s or"):
        options(STREAM, maxTriggerDelay="soon").trigger_delay_s()
