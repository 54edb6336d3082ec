# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Turns a log's lines into rows of the table, with Spark's own functions; no Python code runs for a line.

A line has any prefix of the log's layout with a time, then ``Completed request:{`` with one JSON object, then
any suffix of the layout. In JSON a quote within a string has a backslash before it, so a search for
``"name":`` in the text finds fields, and never a client's text.

The JSON is parsed once, with types. Only if that fails, it is parsed again as text, field by field, because
some tools write numbers as strings. A line without the required fields gets a reason instead.
"""

from __future__ import annotations

from collections.abc import Mapping
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

# The fields that are read from the JSON, and their types. A request's field is left out if two APIs have it
# with different types, because the whole line would be parsed twice.
_FIELDS = {
    "isForwarded": "BOOLEAN", "requestHeader.requestApiKey": "INT", "requestHeader.requestApiVersion": "INT",
    "requestHeader.correlationId": "INT", "requestHeader.clientId": "STRING",
    "requestHeader.requestApiKeyName": "STRING", "request.acks": "INT", "request.maxWaitMs": "INT",
    "request.minBytes": "INT", "request.topics": "ARRAY<STRUCT<>>", "connection": "STRING",
    **dict.fromkeys(_NUMBERS, "DOUBLE"), "temporaryMemoryBytes": "DOUBLE", "securityProtocol": "STRING",
    "principal": "STRING", "listener": "STRING", "clientInformation.softwareName": "STRING",
    "clientInformation.softwareVersion": "STRING",
}

# Every column of the table, its type in Spark, and its meaning.
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


def _schema(fields: Mapping[str, str]) -> str:
    """Return the schema of an object with ``fields``, whose names may have two parts."""
    parts: dict[str, dict[str, str]] = {}
    for name, type_name in fields.items():
        outer, _, inner = name.partition(".")
        parts.setdefault(outer, {})[inner] = type_name
    return "STRUCT<" + ", ".join(
        f"{name}: {inner.get('') or _schema(inner)}" for name, inner in parts.items()) + ">"


def rows_of(lines: DataFrame, broker: str, zone: str, keep_json: bool) -> DataFrame:
    """Return a row for each of ``lines``: the columns of the table, with ``reason`` and ``text``.

    ``lines`` has file, line and value; ``zone`` is the time zone of times without a zone. In a row with a
    reason only the line's own columns and the time are valid.
    """
    from pyspark.sql import functions as f

    body = f.col("body")
    # Positions are in bytes, because Spark finds a character's position only by reading all characters before
    # it.
    found = lines.withColumn("head", f.substring_index("value", MARK + '{"', 1))
    length = f.octet_length("head")
    found = found.withColumn("body", f.when(length < f.octet_length("value"), f.substring(
        f.col("value").cast("binary"), length + len(MARK) + 1, f.octet_length("value")).cast("string")))
    options = {"columnNameOfCorruptRecord": "unread"}
    found = found.withColumn("typed", f.from_json(body, _schema({**_FIELDS, "unread": "STRING"}), options))
    found = found.withColumn("loose", f.from_json(
        f.when(f.col("typed.unread").isNotNull(), body),
        _schema(dict.fromkeys((*_FIELDS, "unread"), "STRING")), options))
    read = _read(found, zone)
    return _finish(read.withColumn("reason", _reason()), broker, keep_json)


def _read(found: DataFrame, zone: str) -> DataFrame:
    """Extract the fields of the JSON, and the time before it."""
    from pyspark.sql import functions as f

    stamp = f.regexp_extract("head", _TIME, 0)
    time = f.replace(stamp, f.lit(","), f.lit(".")).try_cast("timestamp")
    if zone != "UTC":
        time = f.when(stamp.rlike(r"(?:Z|[+-]\d\d:?\d\d)$"), time).otherwise(f.to_utc_timestamp(time, zone))
    fits = f.col("typed.unread").isNull()

    def field(name: str) -> Column:
        # A value that is null only after the cast has the wrong type.
        return f.when(fits, f.col(f"typed.{name}")).otherwise(
            f.col(f"loose.{name}").try_cast(_FIELDS[name]))

    fields = {
        "time": f.when(f.col("body").isNotNull(), time),
        "api_key": field("requestHeader.requestApiKey"),
        "api": field("requestHeader.requestApiKeyName"),
        "version": field("requestHeader.requestApiVersion"),
        "correlation_id": field("requestHeader.correlationId"),
        "client_id": field("requestHeader.clientId"),
        "connection": field("connection"),
        "listener": field("listener"),
        "security_protocol": field("securityProtocol"),
        "principal": field("principal"),
        "software_name": field("clientInformation.softwareName"),
        "software_version": field("clientInformation.softwareVersion"),
        "forwarded": f.coalesce(field("isForwarded"), f.lit(False)),
        **{name: field(json_name) for json_name, name in _NUMBERS.items()},
        "temporary_memory_bytes": field("temporaryMemoryBytes"),
        "acks": field("request.acks"),
        "max_wait_ms": field("request.maxWaitMs"),
        "min_bytes": field("request.minBytes"),
        "topics": f.when(fits, f.array_size("typed.request.topics")).otherwise(
            f.json_array_length("loose.request.topics")),
    }
    return found.select("file", "line", "value", "body", f.col("loose.unread").alias("unread"),
                        *(column.alias(name) for name, column in fields.items()))


def _reason() -> Column:
    """Return the reason why a line is not a request, or null if it is one."""
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
        .when(body.rlike(MARK + r'\{"'), "several requests in one line")
        .when(f.col("unread").isNotNull(), "JSON that is malformed or cut short")
        .when(f.col("time").isNull(), "no date and time before it")
        .otherwise(missing))


def _finish(rows: DataFrame, broker: str, keep_json: bool) -> DataFrame:
    """Add the columns that come from the line's text or from other columns."""
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
    # Each of these is searched only in lines that can have it. Patterns begin with a literal, for which
    # Java's regular expressions skip through a text; Spark's own search tries each first character.
    asked, answer = f.get_json_object(body, "$.request"), f.get_json_object(body, "$.response")
    sizes = f.regexp_extract_all(body, f.lit(r'"recordsSizeInBytes":(\d+)'), f.lit(1))
    errors = f.regexp_extract_all(
        f.substring_index(body, '"response":', -1), f.lit(r'rrorCode":"?(-?[1-9]\d*)'), f.lit(1))
    apis = f.from_json(
        body, "response STRUCT<apiKeys: ARRAY<STRUCT<apiKey: INT, minVersion: INT, maxVersion: INT>>>")
    advertised = apis.getField("response").getField("apiKeys")
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
        "answered": ~body.rlike('"response":"",'),
        "acks": f.when(is_produce, f.col("acks")),
        "fetch": f.when(is_fetch, f.struct(
            "max_wait_ms", "min_bytes", f.coalesce("topics", f.lit(0)).alias("topics"))),
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
