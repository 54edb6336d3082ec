# Licensed under the Apache License, Version 2.0; see LICENSE.
"""From a line of a log to a row of the table, in Spark's own functions: no Python sees a line.

A line is whatever the layout of the log puts before ``Completed request:{``, a time in it, then one object
of JSON, then whatever the layout puts after it. In JSON a quote within a string stands behind a backslash, so
that what looks for ``"name":`` in the text finds fields and never what a client wrote.

The JSON is read once, with types. Where that fails, and only there, it is read again as text, field by field:
some tools write numbers as strings. A line that has not what makes it a request gets a reason instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.protocol.api_keys import ApiKeys

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MARK = "Completed request:"

_NUMBERS = {
    "totalTimeMs": "total_ms", "requestQueueTimeMs": "request_queue_ms", "localTimeMs": "local_ms",
    "remoteTimeMs": "remote_ms", "throttleTimeMs": "throttle_ms", "responseQueueTimeMs": "response_queue_ms",
    "sendTimeMs": "send_ms", "messageConversionsTime": "conversions_ms",
}

# Every column of the table, its type in Spark, and what it says.
COLUMNS: dict[str, tuple[str, str]] = {
    "time": ("timestamp", "when the answer was written and the request logged"),
    "api_key": ("int", "the API's number"),
    "api": ("string", "the API's name; API_<number> for one that nobody knows"),
    "version": ("int", "the version of the request"),
    "correlation_id": ("int", "the client's number for the request"),
    "client_id": ("string", "the client's name for itself"),
    "connection": ("string", "the broker's name for the connection"),
    "local_host": ("string", "the broker's end of it"),
    "local_port": ("int", ""),
    "remote_host": ("string", "the client's end of it"),
    "remote_port": ("int", ""),
    "connection_index": ("int", "the network thread's number for it"),
    "listener": ("string", "the listener's name"),
    "security_protocol": ("string", "PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL"),
    "principal": ("string", "who the client is, as type:name"),
    "software_name": ("string", "the client's library, where it told"),
    "software_version": ("string", ""),
    "forwarded": ("boolean", "whether a broker sent it on; ids and client are of the first request"),
    "total_ms": ("double", "from the last byte read to the last byte of the answer written"),
    "request_queue_ms": ("double", "waited for a handler"),
    "local_ms": ("double", "a handler worked"),
    "remote_ms": ("double", "waited in a purgatory, or for another broker"),
    "throttle_ms": ("double", "how long the channel is muted after the answer; not a part of the total"),
    "response_queue_ms": ("double", "the answer waited for the network thread"),
    "send_ms": ("double", "the answer was written"),
    "conversions_ms": ("double", "of the local time: batches were converted for an old client"),
    "temporary_memory_bytes": ("bigint", "memory that conversions took"),
    "records_bytes": ("bigint", "the records of a Produce request or of a Fetch answer"),
    "error_codes": ("array<int>", "the error codes in the answer that are not 0, each once"),
    "answered": ("boolean", "whether there was an answer: to Produce with acks=0 there is none"),
    "acks": ("int", "of a Produce request"),
    "fetch": ("struct<max_wait_ms:int,min_bytes:int,topics:int>",
              "what a Fetch request asks for, and how many topics it names"),
    "advertised": ("array<struct<api_key:int,min_version:int,max_version:int>>",
                   "what an answer to ApiVersions says that the broker serves"),
    "broker": ("string", "whose log it is, as ingest was told"),
    "file": ("string", "where the line stands"),
    "line": ("bigint", "its number there, from 1"),
    "request": ("string", "the request as JSON, with --keep-json"),
    "response": ("string", "the answer as JSON, with --keep-json"),
}
QUARANTINE_COLUMNS: dict[str, tuple[str, str]] = {
    "file": ("string", "where the line stands"),
    "line": ("bigint", "its number there, from 1"),
    "reason": ("string", "why it is no request"),
    "text": ("string", "how it begins"),
}
_TEXT_LENGTH = 4096

_TIME = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d)(?!\d))?"


def _schema(integer: str, double: str, boolean: str) -> str:
    # Of requests only what no two APIs have with different types: such a one would fail the whole line.
    numbers = ", ".join(f"{name}: {double}" for name in _NUMBERS)
    return (f"STRUCT<isForwarded: {boolean}, requestHeader: STRUCT<requestApiKey: {integer}, "
            f"requestApiVersion: {integer}, correlationId: {integer}, clientId: STRING, "
            f"requestApiKeyName: STRING>, request: STRUCT<acks: {integer}, maxWaitMs: {integer}, "
            f"minBytes: {integer}>, connection: STRING, {numbers}, temporaryMemoryBytes: {double}, "
            "securityProtocol: STRING, principal: STRING, listener: STRING, "
            "clientInformation: STRUCT<softwareName: STRING, softwareVersion: STRING>, unread: STRING>")


def rows_of(lines: DataFrame, broker: str, zone: str, keep_json: bool) -> DataFrame:
    """Return a row for each of ``lines``: the columns of the table, with ``reason`` and ``text``.

    ``lines`` has file, line and value; ``zone`` is that of times which name none. Of a row with a reason only
    its own columns and the time count.
    """
    from pyspark.sql import functions as f

    at, body = f.col("at"), f.col("body")
    options = {"columnNameOfCorruptRecord": "unread"}
    found = lines.withColumn("at", f.instr("value", MARK + '{"'))
    found = found.withColumn("body", f.when(at > 0, f.expr(f"substring(value, at + {len(MARK)})")))
    typed, loose = _schema("INT", "DOUBLE", "BOOLEAN"), _schema("STRING", "STRING", "STRING")
    found = found.withColumn("typed", f.from_json(body, typed, options))
    # What is null after the cast was there, but is not what it should be.
    found = found.withColumn("read", f.when(f.col("typed.unread").isNull(), f.col("typed")).otherwise(
        f.from_json(body, loose, options).try_cast(typed)))
    read = _read(found, zone)
    return _finish(read.withColumn("reason", _reason()), broker, keep_json)


def _read(found: DataFrame, zone: str) -> DataFrame:
    """Take the fields of the JSON, and the time before it."""
    from pyspark.sql import functions as f

    stamp = f.regexp_extract(f.expr("substring(value, 1, at - 1)"), _TIME, 0)
    time = f.translate(stamp, ",", ".").try_cast("timestamp")
    if zone != "UTC":
        time = f.when(stamp.rlike(r"(?:Z|[+-]\d\d:?\d\d)$"), time).otherwise(f.to_utc_timestamp(time, zone))
    fields = {
        "time": f.when(f.col("at") > 0, time),
        "api_key": f.col("read.requestHeader.requestApiKey"),
        "api": f.col("read.requestHeader.requestApiKeyName"),
        "version": f.col("read.requestHeader.requestApiVersion"),
        "correlation_id": f.col("read.requestHeader.correlationId"),
        "client_id": f.col("read.requestHeader.clientId"),
        "connection": f.col("read.connection"),
        "listener": f.col("read.listener"),
        "security_protocol": f.col("read.securityProtocol"),
        "principal": f.col("read.principal"),
        "software_name": f.col("read.clientInformation.softwareName"),
        "software_version": f.col("read.clientInformation.softwareVersion"),
        "forwarded": f.coalesce(f.col("read.isForwarded"), f.lit(False)),
        **{name: f.col(f"read.{json_name}") for json_name, name in _NUMBERS.items()},
        "temporary_memory_bytes": f.col("read.temporaryMemoryBytes"),
        "acks": f.col("read.request.acks"),
        "max_wait_ms": f.col("read.request.maxWaitMs"),
        "min_bytes": f.col("read.request.minBytes"),
    }
    return found.select("file", "line", "value", "body", f.col("read.unread").alias("unread"),
                        *(column.alias(name) for name, column in fields.items()))


def _reason() -> Column:
    """Return why a line is no request, null if it is one."""
    from pyspark.sql import functions as f

    value, body = f.col("value"), f.col("body")
    missing = f.lit(None)
    for name in ("total_ms", "connection", "correlation_id", "version", "api_key"):
        missing = f.when(
            f.col(name).isNull(), f.lit(f"{name} is missing, or not what it should be")).otherwise(missing)
    return (
        f.when(body.isNull(),
               f.when(f.trim(value) == "", "an empty line")
               .when(~f.is_valid_utf8(value), "not UTF-8")
               .when(f.contains(value, f.lit(MARK)),
                     "a request, but not as JSON (before Kafka 2.8) or cut short")
               .otherwise("not a request"))
        .when(~f.is_valid_utf8(value), "not UTF-8")
        .when(f.contains(body, f.lit(MARK + '{"')), "several requests in one line")
        .when(f.col("unread").isNotNull(), "JSON that is malformed or cut short")
        .when(f.col("time").isNull(), "no date and time before it")
        .otherwise(missing))


def _finish(rows: DataFrame, broker: str, keep_json: bool) -> DataFrame:
    """Add what is taken from the text of the line or made of other columns."""
    from pyspark.sql import functions as f

    body, good = f.col("body"), f.col("reason").isNull()
    key, name = f.col("api_key"), f.col("api")
    is_produce, is_fetch, is_api_versions = (
        good & (key == api.id) for api in (ApiKeys.PRODUCE, ApiKeys.FETCH, ApiKeys.API_VERSIONS))
    # The parts of "host:port-host:port-index"; an IPv6 address has colons of its own.
    rows = rows.withColumn("parts", f.split("connection", ":"))
    parts, ipv4 = f.col("parts"), f.size("parts") == 3
    local = f.substring_index("connection", "-", 1)
    remote = f.substring_index(f.substring_index("connection", "-", 2), "-", -1)

    def end(part: Column, whole: Column, pattern: str) -> Column:
        return f.when(ipv4, part).otherwise(f.regexp_extract(whole, pattern, 1))

    first, middle, last = (f.get(parts, f.lit(at)) for at in range(3))
    host, port = "^(.*):", ":([^:]*)$"
    # Each of these is looked for only in lines that can have it. Patterns begin with what is literal: for
    # that Java's regular expressions skip through a text; Spark's own search tries each first character.
    asked, answer = f.get_json_object(body, "$.request"), f.get_json_object(body, "$.response")
    sizes = f.regexp_extract_all(body, f.lit(r'"recordsSizeInBytes":(\d+)'), f.lit(1))
    errors = f.regexp_extract_all(
        f.substring_index(body, '"response":', -1), f.lit(r'rrorCode":"?(-?[1-9]\d*)'), f.lit(1))
    topics = f.json_array_length(f.get_json_object(body, "$.request.topics"))
    advertised = f.from_json(
        answer, "apiKeys ARRAY<STRUCT<apiKey: INT, minVersion: INT, maxVersion: INT>>").getField("apiKeys")
    names = f.create_map(*(f.lit(part) for api in ApiKeys.values() for part in (api.id, str(api))))
    columns = {
        "api": f.coalesce(name, names[key], f.concat(f.lit("API_"), key)),
        "local_host": end(first, local, host),
        "local_port": end(f.substring_index(middle, "-", 1), local, port).try_cast("int"),
        "remote_host": end(f.substring_index(middle, "-", -1), remote, host),
        "remote_port": end(f.substring_index(last, "-", 1), remote, port).try_cast("int"),
        "connection_index": f.substring_index("connection", "-", -1).try_cast("int"),
        "records_bytes": f.when(is_produce | is_fetch, f.aggregate(
            f.coalesce(sizes, f.array()), f.lit(0).cast("bigint"),
            lambda sum_, size: sum_ + size.cast("bigint"))),
        "error_codes": f.when(
            body.rlike('rrorCode":"?-?[1-9]'),
            f.array_sort(f.array_distinct(errors.cast("array<int>")))
        ).otherwise(f.array().cast("array<int>")),
        "answered": ~f.contains(body, f.lit('"response":"",')),
        "acks": f.when(is_produce, f.col("acks")),
        "fetch": f.when(is_fetch, f.struct(
            "max_wait_ms", "min_bytes", f.coalesce(topics, f.lit(0)).alias("topics"))),
        "advertised": f.when(is_api_versions, f.transform(
            advertised, lambda api: f.struct(
                api.getField("apiKey").alias("api_key"), api.getField("minVersion").alias("min_version"),
                api.getField("maxVersion").alias("max_version")))),
        "broker": f.lit(broker),
        "request": f.when(good, asked) if keep_json else f.lit(None),
        "response": f.when(good, answer) if keep_json else f.lit(None),
        "text": f.when(~good, f.make_valid_utf8(f.left("value", f.lit(_TEXT_LENGTH)))),
    }
    rows = rows.withColumns(columns)
    return rows.select(*(f.col(name).cast(type_name).alias(name) for name, (type_name, _) in COLUMNS.items()),
                       "reason", "text")
