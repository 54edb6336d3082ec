# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Checks whether the broker that wrote a log kept its rules, as far as a log shows it.

A line has the time at which a request was complete; its begin is that time minus its total. The wall clock is
truncated to a millisecond, the totals to a microsecond. The network thread writes the line a little after the
clock was read for the total, and before it unmutes the channel. So the connection's next request begins after
the line. The delay of the write can hide an overlap, but cannot feign one. A clock that is set back can feign
one.

Rules about one line are checked line by line. Rules about two lines are checked between a request and the
previous request of its connection, by time, then by file and line. A connection's name is reused only after
its broker has restarted; the broker's name, as passed to ingest, distinguishes these. Requests in an envelope
have the ids and names of the first sender, and are left out where these count.

A log may be filtered or sampled before ingest, and no line tells. So a log without some of its lines must not
violate a rule that the whole log keeps: a missing line can hide a violation, but cannot feign one. Two rules
would need the missing lines. They are judged only where the log proves that none is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Kafka's connections.max.idle.ms.
DEFAULT_IDLE_MS = 600_000.0

# The resolution of the wall clock.
_GRAIN_MS = 1.0
# Each of five stages is truncated to a microsecond; half a microsecond more allows for the sum of floats.
_CUT_MS = 0.0055
# The time by which a line may be written after its request, because it has the response as JSON. This time is
# less than any relevant throttle time. A handler may be interrupted for as long. A selector checks for idle
# connections between its polls.
_WRITING_MS = 50.0
_POLL_MS = 1_000.0

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a broker, and its origin; ``undecidable`` says why a log cannot show it."""

    name: str
    sentence: str
    source: str
    # The cases that the log leaves open, even if no violation is found.
    limits: str = ""
    undecidable: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a rule: the number of checks, the number of violations, and some of the violations."""

    rule: Rule
    checked: int = 0
    violated: int = 0
    examples: Sequence[Mapping[str, Any]] = field(default=())

    @property
    def word(self) -> str:
        """Return the verdict."""
        if self.violated:
            return "violated"
        return "holds" if self.checked else "not decidable"


ONE_IN_FLIGHT = Rule(
    "one-in-flight", "A request in flight mutes its connection: the next begins after it is answered.",
    "kafka.network.Processor#processCompletedReceives",
    "Overlaps shorter than 1 ms and the time to write a line are not seen.")
STAGES_ADD_UP = Rule(
    "stages-add-up", "The five stages are the total; the throttle time is none of them.",
    "kafka.network.RequestChannel.Request#updateRequestMetrics",
    "Where another thread answers before the handler is done, a stage that would be negative is 0, and the "
    "sum may exceed the total: not checked upwards for APIs that can wait, where the remote time is 0.")
SASL_PRINCIPAL = Rule(
    "sasl-principal", "On a SASL listener no request gets past the authenticator without a principal.",
    "common.security.authenticator.SaslServerAuthenticator#authenticate",
    "Responses and refusals of an authenticator are not in the log; a principal builder of one's own may "
    "name somebody User:ANONYMOUS.")
SASL_TOO_LATE = Rule(
    "sasl-too-late",
    "SaslHandshake and SaslAuthenticate, once authenticated, are answered ILLEGAL_SASL_STATE.",
    "kafka.server.KafkaApis#handleSaslHandshakeRequest, #handleSaslAuthenticateRequest")
ADVERTISED = Rule(
    "advertised-versions", "A request that is served has a version that ApiVersions advertises.",
    "kafka.server.ApiVersionManager#apiVersionResponse; common.requests.RequestContext#parseRequest",
    "Against all that the listener advertised in the log; not for connections whose ApiVersions are not in "
    "it, as with SASL, or in a log that was filtered.")
UNSUPPORTED = Rule(
    "unsupported-api-versions",
    "ApiVersions in a version that is not advertised is answered UNSUPPORTED_VERSION.",
    "KIP-511; common.requests.RequestContext#isUnsupportedApiVersionsRequest",
    "Where the listener advertised a range in the log.")
SILENCE = Rule(
    "throttle-silence", "A connection that was throttled is muted for the throttle time after its answer.",
    "KIP-219; kafka.server.ThrottledChannel; kafka.network.Processor#processNewResponses",
    f"Throttle times up to {_WRITING_MS:.0f} ms are within the time to write a line, and not checked; nor is "
    "a connection that sends nothing more, or an envelope.")
IDLE = Rule(
    "idle-close", "A connection that was idle for longer than connections.max.idle.ms is closed.",
    "common.network.IdleExpiryManager#pollExpiredConnection",
    "Bytes of an unfinished request, and of a TLS or SASL exchange, keep a connection awake and are not in "
    "the log: a longer gap is a violation only if there were none. Between two requests whose ids are not "
    "consecutive there may be others that a filter left out, so such a gap is not checked.")
ONE_PRINCIPAL = Rule(
    "one-principal", "The principal of a connection does not change, not even by re-authentication.",
    "common.security.authenticator.SaslServerAuthenticator.ReauthInfo#ensurePrincipalUnchanged")
WAITED = Rule(
    "waited-is-remote",
    "A fetch that got nothing although it would wait was in the purgatory: it has remote time.",
    "kafka.server.ReplicaManager#fetchMessages; kafka.network.RequestChannel.Request#updateRequestMetrics",
    "Of other requests the log does not say whether they had to wait. Left out: fetches that were throttled, "
    "had an error, or named no topics, which get nothing at once. Once a broker has quotas, all requests "
    "have some remote time.")
AT_ONCE = Rule(
    "at-once-is-local",
    "A response that the handler makes itself does not wait: it has no remote time of note.",
    "kafka.network.RequestChannel#sendResponse; kafka.network.RequestChannel.Request#requestThreadTimeNanos",
    "For ApiVersions, Metadata, DescribeCluster, SaslHandshake, SaslAuthenticate; Produce with acks 0 or 1. "
    "Once a broker has quotas, the local time ends where it asks for the throttle time, and what the handler "
    f"does after that is remote: up to {_WRITING_MS:.0f} ms of it are no violation.")
NO_ANSWER = Rule(
    "acks-0-no-answer", "Produce with acks=0 has no answer; every other request that is logged has one.",
    "kafka.server.KafkaApis#handleProduceRequest",
    "A request whose connection is closed for an answer, as for acks=0 with an error, counts as having none.")
IN_ORDER = Rule(
    "answers-in-order", "The answers of a connection come in the order of its requests, each with their id.",
    "common.requests.ResponseHeader; kafka.network.Processor",
    undecidable="A line has the id of its request, not that of the answer, and is written when the answer is."
                " Clients choose their ids freely; those of librdkafka and Java's go down at times.")
UNAUTHENTICATED = Rule(
    "unauthenticated-refused", "Before its authentication a connection may send ApiVersions and SASL only.",
    "common.security.authenticator.SaslServerAuthenticator#handleKafkaRequest",
    undecidable="Earlier requests reach the authenticator alone, which writes no request log.")

RULES = (ONE_IN_FLIGHT, STAGES_ADD_UP, SASL_PRINCIPAL, SASL_TOO_LATE, ADVERTISED, UNSUPPORTED, SILENCE, IDLE,
         ONE_PRINCIPAL, WAITED, AT_ONCE, NO_ANSWER, IN_ORDER, UNAUTHENTICATED)

_ANSWERED_AT_ONCE = (ApiKeys.API_VERSIONS, ApiKeys.METADATA, ApiKeys.DESCRIBE_CLUSTER, ApiKeys.SASL_HANDSHAKE,
                     ApiKeys.SASL_AUTHENTICATE)
# Only the handler answers these requests, so a remote time of 0 is not negative.
_NEVER_WAIT = _ANSWERED_AT_ONCE
_SHOWN = ("file", "line", "api", "connection")


def check(requests: DataFrame, max_idle_ms: float = DEFAULT_IDLE_MS,
          chosen: Column | None = None) -> list[Verdict]:
    """Return the verdict of each of RULES on the requests of a table.

    ``chosen`` is a condition on the table's columns: only these requests are judged, each beside the previous
    request of its connection, chosen or not.
    """
    from pyspark.sql import functions as f

    judged = _judge(requests, max_idle_ms, f.lit(True) if chosen is None else chosen)
    rules = [rule for rule in RULES if not rule.undecidable]
    # A column for each rule: null if the rule does not apply to a request, else whether the request violates
    # it.
    counts = judged.agg(*(
        expression for rule in rules for expression in (
            f.count(f"`{rule.name}`").alias(f"checked {rule.name}"),
            f.count(f.when(f.col(f"`{rule.name}`"), 1)).alias(f"violated {rule.name}")))).collect()[0]
    verdicts = []
    for rule in RULES:
        if rule.undecidable:
            verdicts.append(Verdict(rule))
            continue
        violated = counts[f"violated {rule.name}"]
        examples: list[Mapping[str, Any]] = []
        if violated:
            examples = [row.asDict() for row in judged.where(f.col(f"`{rule.name}`")).select(
                *_SHOWN, "previous_file", "previous_line").orderBy("file", "line").limit(EXAMPLES).collect()]
        verdicts.append(Verdict(rule, counts[f"checked {rule.name}"], violated, examples))
    return verdicts


def _judge(requests: DataFrame, max_idle_ms: float, chosen: Column) -> DataFrame:
    """Return the chosen requests, with a column for each rule that a log can decide."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    def stage(name: str) -> Column:
        return f.coalesce(name, f.lit(0.0))

    end = f.unix_micros("time") / 1000.0
    rows = requests.select(
        *_SHOWN, chosen.alias("chosen"), "correlation_id", "time", "broker", "api_key", "version", "listener",
        "security_protocol", "principal", "forwarded", "total_ms", "remote_ms", "throttle_ms", "error_codes",
        "answered", "acks", "fetch", "records_bytes",
        (stage("request_queue_ms") + stage("local_ms") + stage("remote_ms") + stage("response_queue_ms")
         + stage("send_ms")).alias("sum_ms"),
        f.col("request_queue_ms").isNotNull().alias("staged"), _tells().alias("tells"),
        end.alias("end_ms"), (end - f.col("total_ms")).alias("start_ms"),
        # The earliest possible begin of the throttling: during the work of the handler, or of the responding
        # thread.
        (end - stage("send_ms") - stage("response_queue_ms") - stage("local_ms")).alias("throttled_from_ms"))
    # The sort of a window spills to disk, and only the previous line is in memory.
    before = Window.partitionBy("broker", "connection").orderBy("time", "file", "line")
    for name in ("end_ms", "throttle_ms", "throttled_from_ms", "principal", "forwarded", "correlation_id",
                 "file", "line"):
        rows = rows.withColumn(f"previous_{name}", f.lag(name).over(before))
    # Whether an earlier line of the connection, or this line, has all versions that its broker advertises.
    rows = rows.withColumn("told", f.max("tells").over(before)).where("chosen")
    rows = rows.join(f.broadcast(_advertised(requests)), ["broker", "listener", "api_key"], "left").join(
        f.broadcast(_advertising(requests)), ["broker", "listener"], "left")

    key = f.col("api_key")
    first = f.col("previous_end_ms").isNull()
    at_once = key.isin([api.id for api in _ANSWERED_AT_ONCE]) | (
        (key == ApiKeys.PRODUCE.id) & f.col("acks").isin(0, 1))
    excess = f.col("sum_ms") - f.col("total_ms")
    may_wait = ~key.isin([api.id for api in _NEVER_WAIT])
    clamped = may_wait & (f.col("remote_ms") == 0)
    is_sasl = f.col("security_protocol").startswith("SASL_")
    supported = f.col("version").between(f.col("lowest"), f.col("highest"))
    is_api_versions = key == ApiKeys.API_VERSIONS.id
    throttled = f.col("previous_throttle_ms") > _WRITING_MS
    consecutive = ~f.col("previous_forwarded") & ~f.col("forwarded") & (
        f.col("correlation_id").cast("bigint") == f.col("previous_correlation_id").cast("bigint") + 1)
    in_vain = ((key == ApiKeys.FETCH.id) & (f.col("fetch.max_wait_ms") > 0) & (f.col("fetch.min_bytes") > 0)
               & (f.col("fetch.topics") > 0) & (f.col("records_bytes") == 0) & (f.size("error_codes") == 0)
               & (f.col("throttle_ms") == 0) & f.col("answered"))
    judgements: dict[Rule, tuple[Column, Column]] = {
        # The rule's condition, where it applies, and its violation.
        ONE_IN_FLIGHT: (~first, f.col("start_ms") < f.col("previous_end_ms") - _GRAIN_MS),
        STAGES_ADD_UP: (f.col("staged") & ~(clamped & (excess > _CUT_MS)), f.abs(excess) > _CUT_MS),
        SASL_PRINCIPAL: (is_sasl & ~f.col("forwarded"), f.col("principal") == "User:ANONYMOUS"),
        SASL_TOO_LATE: (key.isin(ApiKeys.SASL_HANDSHAKE.id, ApiKeys.SASL_AUTHENTICATE.id),
                        ~f.array_contains("error_codes", f.lit(Errors.ILLEGAL_SASL_STATE.code))),
        ADVERTISED: (f.col("told") & ~is_api_versions, ~f.coalesce(supported, f.lit(False))),
        UNSUPPORTED: (f.col("advertises") & is_api_versions & ~supported,
                      ~f.array_contains("error_codes", f.lit(Errors.UNSUPPORTED_VERSION.code))),
        SILENCE: (throttled & ~f.col("previous_forwarded") & ~f.col("forwarded"),
                  f.col("start_ms") - f.col("previous_throttled_from_ms")
                  < f.col("previous_throttle_ms") - _WRITING_MS),
        IDLE: (consecutive, f.col("start_ms") - f.col("previous_end_ms") > max_idle_ms + _POLL_MS),
        ONE_PRINCIPAL: (~first & ~f.col("forwarded") & ~f.col("previous_forwarded"),
                        ~f.col("principal").eqNullSafe(f.col("previous_principal"))),
        WAITED: (in_vain, f.col("remote_ms") == 0),
        AT_ONCE: (at_once, f.col("remote_ms") > _WRITING_MS),
        NO_ANSWER: (f.lit(True), f.when((key == ApiKeys.PRODUCE.id) & (f.col("acks") == 0), f.col("answered"))
                    .otherwise(~f.col("answered"))),
    }
    return rows.withColumns({rule.name: f.when(asked, violates)
                             for rule, (asked, violates) in judgements.items()})


def _advertised(requests: DataFrame) -> DataFrame:
    """Return the advertised versions of each API, by listener."""
    from pyspark.sql import functions as f

    # A response that refuses the version of ApiVersions has only that API, with its range.
    each = requests.where(f.col("advertised").isNotNull()).select(
        "broker", "listener", f.explode("advertised").alias("one"))
    return each.groupBy("broker", "listener", f.col("one.api_key").alias("api_key")).agg(
        f.min("one.min_version").alias("lowest"), f.max("one.max_version").alias("highest"))


def _tells() -> Column:
    """Return whether a response has all APIs of its listener."""
    from pyspark.sql import functions as f

    return (f.size(f.coalesce("advertised", f.array())) > 0) & (f.size("error_codes") == 0)


def _advertising(requests: DataFrame) -> DataFrame:
    """Return the listeners that have advertised all their APIs."""
    from pyspark.sql import functions as f

    return requests.where(_tells()).select(
        "broker", "listener", f.lit(True).alias("advertises")).distinct()
