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
    numbers = ", ".join(f"{name} {double}" for name in _NUMBERS)
    return (f"isForwarded {boolean}, requestHeader STRUCT<requestApiKey: {integer}, "
            f"requestApiVersion: {integer}, correlationId: {integer}, clientId: STRING, "
            f"requestApiKeyName: STRING>, connection STRING, {numbers}, temporaryMemoryBytes {double}, "
            "securityProtocol STRING, principal STRING, listener STRING, "
            "clientInformation STRUCT<softwareName: STRING, softwareVersion: STRING>, unread STRING")


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
    found = found.withColumn("typed", f.from_json(body, _schema("INT", "DOUBLE", "BOOLEAN"), options))
    found = found.withColumn("loose", f.when(
        f.col("typed.unread").isNotNull(), f.from_json(body, _schema("STRING", "STRING", "STRING"), options)))
    found = found.withColumn("read", f.when(f.col("loose").isNull(), f.col("typed")).otherwise(_cast_loose()))
    read = _read(found, zone)
    return _finish(read.withColumn("reason", _reason()), broker, keep_json)


def _cast_loose() -> Column:
    """Return what was read as text, with the types that it should have had, null where it has not."""
    from pyspark.sql import functions as f

    numbers = ", ".join(f"try_cast(loose.{name} AS DOUBLE) AS {name}"
                        for name in (*_NUMBERS, "temporaryMemoryBytes"))
    header = ", ".join(f"try_cast(loose.requestHeader.{name} AS INT) AS {name}"
                       for name in ("requestApiKey", "requestApiVersion", "correlationId"))
    return f.expr(
        "struct(try_cast(loose.isForwarded AS BOOLEAN) AS isForwarded, "
        f"struct({header}, loose.requestHeader.clientId AS clientId, "
        "loose.requestHeader.requestApiKeyName AS requestApiKeyName) AS requestHeader, "
        f"loose.connection AS connection, {numbers}, loose.securityProtocol AS securityProtocol, "
        "loose.principal AS principal, loose.listener AS listener, "
        "loose.clientInformation AS clientInformation, loose.unread AS unread)")


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
               .when(f.instr(value, MARK) > 0, "a request, but not as JSON (before Kafka 2.8) or cut short")
               .otherwise("not a request"))
        .when(~f.is_valid_utf8(value), "not UTF-8")
        .when(f.instr(body, MARK + '{"') > 0, "several requests in one line")
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
    # The ends of "host:port-host:port-index"; an IPv6 address has colons of its own.
    rows = rows.withColumn("ends", f.split("connection", "[-:]"))
    ends, ipv4 = f.col("ends"), f.size("ends") == 5
    local = f.substring_index("connection", "-", 1)
    remote = f.substring_index(f.substring_index("connection", "-", 2), "-", -1)

    def host(at: int, end: Column) -> Column:
        return f.when(ipv4, f.get(ends, f.lit(at))).otherwise(f.regexp_extract(end, "^(.*):", 1))

    def port(at: int, end: Column) -> Column:
        return f.when(ipv4, f.get(ends, f.lit(at))).otherwise(
            f.substring_index(end, ":", -1)).try_cast("int")

    # Each of these is looked for only in lines that can have it. Patterns begin with what is literal: for
    # that Java's regular expressions skip through a text; Spark's own search tries each first character.
    asked, answer = f.get_json_object(body, "$.request"), f.get_json_object(body, "$.response")
    sizes = f.regexp_extract_all(body, f.lit(r'"recordsSizeInBytes":(\d+)'), f.lit(1))
    errors = f.regexp_extract_all(
        f.substring_index(body, '"response":', -1), f.lit(r'rrorCode":"?(-?[1-9]\d*)'), f.lit(1))
    fetch = f.from_json(asked, "maxWaitMs INT, minBytes INT, topics ARRAY<STRUCT<topic: STRING>>")
    advertised = f.from_json(
        answer, "apiKeys ARRAY<STRUCT<apiKey: INT, minVersion: INT, maxVersion: INT>>").getField("apiKeys")
    names = f.create_map(*(f.lit(part) for api in ApiKeys.values() for part in (api.id, str(api))))
    acks = f.expr("""substring(body, instr(body, '"acks":') + 7, 6)""")
    columns = {
        "api": f.coalesce(name, names[key], f.concat(f.lit("API_"), key)),
        "local_host": host(0, local),
        "local_port": port(1, local),
        "remote_host": host(2, remote),
        "remote_port": port(3, remote),
        "connection_index": f.get(ends, f.size(ends) - 1).try_cast("int"),
        "records_bytes": f.when(is_produce | is_fetch, f.aggregate(
            f.coalesce(sizes, f.array()), f.lit(0).cast("bigint"),
            lambda sum_, size: sum_ + size.cast("bigint"))),
        "error_codes": f.when(
            body.rlike('rrorCode":"?-?[1-9]'),
            f.array_sort(f.array_distinct(errors.cast("array<int>")))
        ).otherwise(f.array().cast("array<int>")),
        "answered": ~body.rlike('"response":"",'),
        "acks": f.when(is_produce, f.regexp_extract(acks, r"^-?\d+", 0).try_cast("int")),
        "fetch": f.when(is_fetch, f.struct(
            fetch.getField("maxWaitMs").alias("max_wait_ms"), fetch.getField("minBytes").alias("min_bytes"),
            f.size(f.coalesce(fetch.getField("topics"), f.array().cast("array<struct<topic:string>>")))
            .alias("topics"))),
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
