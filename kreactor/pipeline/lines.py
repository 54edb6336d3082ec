# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Turns a log's lines into rows of the table, with pyarrow; with Spark or without.

Most logs have each request as ``[<time>] DEBUG Completed request:{...} (kafka.request.logger)``. pyarrow
parses many such lines at once. Any other line, and any line that pyarrow does not parse, is parsed by itself,
as ``layouts`` describes, and gets a reason if it is not a request. Both ways make the same rows.

Spark's tasks run the same code: a row takes less processor time there than in Spark's own functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.pipeline.layouts import (
    MARK,
    TIME_FIELDS,
    Line,
    LineReader,
    integer,
    integers,
    is_part,
    needs_order,
    number,
    text,
)
from kreactor.pipeline.times import Times, repeated_days

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

_NUMBERS = {
    "totalTimeMs": "total_ms", "requestQueueTimeMs": "request_queue_ms", "localTimeMs": "local_ms",
    "remoteTimeMs": "remote_ms", "throttleTimeMs": "throttle_ms", "responseQueueTimeMs": "response_queue_ms",
    "sendTimeMs": "send_ms", "messageConversionsTime": "conversions_ms",
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
    "topics": ("array<struct<name:string,id:string,bytes:bigint>>",
               "of a Produce request and a Fetch answer: its topics, by name or id, with the bytes of their "
               "records; of a Metadata answer: the names of ids"),
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
_REASON_COLUMNS = {"reason": ("string", ""), "text": ("string", "")}
_TEXT_LENGTH = 4096

# A request has these, or it is not one.
_REQUIRED = ("api_key", "version", "correlation_id", "connection", "total_ms")
_NAMES = {api.id: str(api) for api in ApiKeys.values()}
_HOST_AND_PORT = re.compile(r"(.*):([^:]*)", re.DOTALL)
_NO_RESPONSE = '"response":"",'
_SIZE = re.compile(r'"recordsSizeInBytes":(\d+)')

# The head of a line that pyarrow parses: any text, the last time in it without a zone, and a level.
_HEAD = (r"^(?:.*[^\w.,:+-])?(?P<date>\d{4}-\d\d-\d\d)[ T](?P<clock>\d\d:\d\d:\d\d)[.,](?P<part>\d{3})"
         r"[\]) |-]*(?:TRACE|DEBUG|INFO)\b[^:\[]*$")
# The time of a layout of JSON that pyarrow parses.
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)")
_BODY = MARK + '{"'
_ERROR = r'rrorCode":"?-?[1-9]'
# Fewer lines than this are parsed one by one, if one of them is not as the others.
_FEW = 32
_QUARTER_US = 15 * 60 * 1_000_000


class _NotAlike(Exception):
    """These lines cannot be parsed at once."""


@lru_cache(1)
def schema() -> pa.Schema:
    """Return the columns of the table, then ``reason`` and ``text``, as a schema of Arrow."""
    import pyarrow as pa

    def fields(names: Iterable[str]) -> list[tuple[str, pa.DataType]]:
        return [(name, pa.int32()) for name in names]

    types = {
        "timestamp": pa.timestamp("us", "UTC"), "int": pa.int32(), "bigint": pa.int64(),
        "double": pa.float64(), "string": pa.string(), "boolean": pa.bool_(),
        "array<int>": pa.list_(pa.int32()),
        COLUMNS["fetch"][0]: pa.struct(fields(("max_wait_ms", "min_bytes", "topics"))),
        COLUMNS["advertised"][0]: pa.list_(pa.struct(fields(("api_key", "min_version", "max_version")))),
        COLUMNS["topics"][0]: pa.list_(
            pa.struct([("name", pa.string()), ("id", pa.string()), ("bytes", pa.int64())]))}
    return pa.schema([(name, types[type_name])
                      for name, (type_name, _) in {**COLUMNS, **_REASON_COLUMNS}.items()])


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _json(value: object) -> str | None:
    """Return a request or response as JSON; an empty text for a response that there was not."""
    if value is None or isinstance(value, str):
        return text(value)
    return text(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


@lru_cache(4096)
def _ends(connection: str) -> tuple[str | None, int | None, str | None, int | None, int | None]:
    """Return the two hosts and ports of ``host:port-host:port-index``, and the index.

    An IPv6 address has colons of its own.
    """
    local, _, rest = connection.partition("-")
    found: list[Any] = []
    for end in (local, rest.partition("-")[0]):
        match = _HOST_AND_PORT.fullmatch(end)
        found += [match[1], integer(match[2])] if match else [None, None]
    return (*found, integer(connection.rpartition("-")[2]))


def _error_codes(response: object) -> list[int]:
    return sorted({*integers(response, "rrorCode")} - {0})


def _advertised(response: object) -> list[dict[str, int | None]] | None:
    apis = _object(response).get("apiKeys")
    if not isinstance(apis, list):
        return None
    names = {"api_key": "apiKey", "min_version": "minVersion", "max_version": "maxVersion"}
    return [{name: integer(_object(api).get(json_name)) for name, json_name in names.items()} for api in apis]


# For each API whose requests or answers name topics: where they stand, the members for a topic's name and id,
# and that with its partitions. A Fetch request names only what is new in its session.
_TOPICS = {
    ApiKeys.PRODUCE.id: ("request", "topicData", "name", "topicId", "partitionData"),
    ApiKeys.FETCH.id: ("response", "responses", "topic", "topicId", "partitions"),
    ApiKeys.METADATA.id: ("response", "topics", "name", "topicId", ""),
}


def _topics(key: int | None, said: dict[str, Any]) -> list[dict[str, Any]] | None:
    if key not in _TOPICS:
        return None
    outer, member, name, id_, partitions = _TOPICS[key]
    topics = _object(said.get(outer)).get(member)
    if not isinstance(topics, list):
        return None
    found = []
    for topic in map(_object, topics):
        parts = topic.get(partitions)
        if partitions or topic.get(id_) is not None:
            found.append({"name": text(topic.get(name)), "id": text(topic.get(id_)), "bytes": sum(
                integer(_object(part).get("recordsSizeInBytes"), 64) or 0
                for part in (parts if isinstance(parts, list) else ())) if partitions else None})
    return found


class LogReader:
    """Turns batches of lines into batches of rows. Owner: one thread.

    A batch has the schema of ``schema``. In a row with a reason only the line's own columns and the time are
    valid. The rows of a batch are in any order.
    """

    def __init__(self, times: Times, broker: str = "", keep_json: bool = False,
                 columns: Sequence[str] | None = None) -> None:
        """Prepare to read. Only ``columns`` are filled, if given: some take time."""
        self._times = times
        self._broker = broker
        self._keep_json = keep_json
        self._columns = frozenset(COLUMNS if columns is None else columns)
        self._file = ""
        self._lines = LineReader(times)
        # Whether a time of the files that are finished was in an hour that comes twice.
        self.repeats = False

    def read(self, file: str, numbers: pa.Array, values: pa.Array) -> Iterator[pa.RecordBatch]:
        """Yield the rows of lines of a file: their numbers as int64, and the lines as binary, in their order.

        Lines of another file than before end the earlier file.
        """
        if file != self._file:
            yield from self.finish()
            self._file = file
        slow: list[tuple[int, bytes]] = []
        for batch in self._alike(numbers, values, slow):
            if batch.num_rows:
                yield batch
        if slow:
            slow.sort()
            read = self._lines.read
            found = [line for number_, raw in slow for line in read(number_, raw)]
            yield self._rows(found)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of lines whose end did not come; the next file is a new one."""
        found = self._lines.finish()
        if found:
            yield self._rows(found)
        self.repeats |= self._lines.order.repeats
        self._lines = LineReader(self._times)

    def _alike(self, numbers: pa.Array, values: pa.Array,
               slow: list[tuple[int, bytes]]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of lines that are alike, and add the other lines to ``slow``."""
        import pyarrow as pa

        if len(values) >= _FEW and self._times.pattern is None:
            try:
                yield self._common(numbers, values, slow)
                return
            except _NotAlike:
                pass
            except pa.ArrowInvalid:
                size = -(-len(values) // 4)
                for at in range(0, len(values), size):
                    yield from self._alike(numbers[at:at + size], values[at:at + size], slow)
                return
        slow += zip(numbers.to_pylist(), values.to_pylist(), strict=True)

    def _common(self, numbers: pa.Array, values: pa.Array, slow: list[tuple[int, bytes]]) -> pa.RecordBatch:
        """Return the rows of the lines in the usual layout, and add the other lines to ``slow``.

        Raises ArrowInvalid if pyarrow does not parse one of the lines, and _NotAlike if the lines have to be
        parsed one by one.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        others: list[tuple[int, bytes]] = []

        def keep(mask: pa.Array, *arrays: pa.Array) -> tuple[pa.Array, ...]:
            """Return the elements for which ``mask`` is true, and move the other lines to ``others``."""
            mask = pc.fill_null(mask, False)
            if pc.all(mask).as_py():
                return arrays
            out = pc.invert(mask)
            others.extend(zip(*(array.filter(out).to_pylist() for array in arrays[:2]), strict=True))
            kept = tuple(array.filter(mask) for array in arrays)
            if not len(kept[0]):
                raise _NotAlike
            return kept

        whole, around = values.cast(pa.string()), None
        if whole[0].as_py().startswith("{"):
            whole, around = self._unwrapped(whole)
            numbers, values, whole, around = keep(
                pc.and_(pc.is_valid(whole), pc.is_valid(around)), numbers, values, whole, around)
        parts = pc.split_pattern(whole, _BODY)
        alike = pc.equal(pc.list_value_length(parts), 2)
        if around is None:
            numbers, values, parts = keep(alike, numbers, values, parts)
        else:
            numbers, values, parts, around = keep(alike, numbers, values, parts, around)
        head, tail = pc.list_element(parts, 0), pc.list_element(parts, 1)
        first_tail = tail[0].as_py()
        end = first_tail.rfind("}")
        if end < 0:
            raise _NotAlike
        suffix = first_tail[end:]
        time = pc.extract_regex(head, _HEAD)
        if around is not None and not time[0].is_valid:
            alike, time = pc.match_substring_regex(head, "^[^0-9]*$"), around
        else:
            alike = pc.is_valid(time)
        numbers, values, time, tail = keep(
            pc.and_(alike, pc.ends_with(tail, suffix)), numbers, values, time, tail)
        stop = len(suffix.encode()) - 1
        body = pc.binary_slice(tail.view(pa.binary()), 0, -stop) if stop else tail.view(pa.binary())
        body = pc.binary_join_element_wise(b'{"', body, b"\n", b"")
        answered = pc.invert(pc.match_substring(body, _NO_RESPONSE))
        # Only without a text for a missing response do all responses have one type.
        parsed = body if pc.all(answered).as_py() else pc.replace_substring(
            body, _NO_RESPONSE, '"response":null,')
        said = self._parse(parsed, _json_schema("topics" in self._columns))
        if pa.types.is_struct(time.type):
            date, clock, part = time.flatten()
            time = pc.binary_join_element_wise(date, "T", clock, ".", part, "").cast(pa.timestamp("us"))
            micros = self._utc(time.cast(pa.int64()).to_numpy())
        else:
            micros = time.to_numpy()

        columns = self._parsed(said)
        columns["answered"] = answered
        good = None
        for name in _REQUIRED:
            valid = pc.is_valid(columns[name])
            good = valid if good is None else pc.and_(good, valid)
        for name in _NUMBERS.values():
            # Arrow reads NaN and Infinity, which JSON has not.
            good = pc.and_(good, pc.fill_null(pc.is_finite(columns[name]), True))
        columns["time"] = pa.array(micros).cast(pa.timestamp("us", "UTC"))
        names = [*columns]
        numbers, _, body, *arrays = keep(good, numbers, values, body, *columns.values())
        batch = self._completed(dict(zip(names, arrays, strict=True)), numbers, body.view(pa.string()))
        self._lines.order.last = batch["time"][-1].value
        if self._lines.has_part or any(is_part(raw) for _, raw in others):
            # The reader that joins parts has to see all lines.
            raise _NotAlike
        slow += others
        return batch

    def _unwrapped(self, lines: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Return the messages of lines of JSON, and their times in microseconds; null for another layout.

        Raises ArrowInvalid if one of the lines is not JSON, and _NotAlike for a layout that is not known.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        first = pc.index(pc.match_substring(lines, MARK), True).as_py()
        try:
            said = json.loads(lines[first].as_py()) if first >= 0 else None
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise _NotAlike
        member = next(
            (name for name, value in said.items() if isinstance(value, str) and _BODY in value), None)
        stamp = next((name for name in TIME_FIELDS if name in said), None)
        if member is None or stamp is None:
            raise _NotAlike
        type_: pa.DataType
        if isinstance(said[stamp], str) and _ISO.fullmatch(said[stamp]):
            type_ = pa.string()
        elif stamp == "timeMillis":
            type_ = pa.int64()
        elif stamp == "instant":
            type_ = pa.struct([("epochSecond", pa.int64()), ("nanoOfSecond", pa.int64())])
        else:
            raise _NotAlike
        lines = pc.binary_join_element_wise(lines, "\n", "")
        found = self._parse(lines, pa.schema([(member, pa.string()), (stamp, type_)]))
        message, time = found[member], found[stamp]
        if stamp == "timeMillis":
            time = pc.multiply(time, 1000)
        elif stamp == "instant":
            seconds, nanos = time.flatten()
            time = pc.add(pc.multiply(seconds, 1_000_000), pc.divide(nanos, 1000))
        else:
            time = time.cast(pa.timestamp("ns", "UTC")).cast(pa.timestamp("us", "UTC"), safe=False).cast(
                pa.int64())
        if member == "log":
            # Without a line feed at its end it may be a part of a line.
            message = pc.if_else(pc.ends_with(message, "\n"), message, pa.scalar(None, pa.string()))
            message = pc.binary_slice(message.view(pa.binary()), 0, -1).view(pa.string())
        return message, time

    @staticmethod
    def _parse(body: pa.Array, members: pa.Schema) -> dict[str, pa.Array]:
        """Return members of JSON objects that each end with a line feed. Raises ArrowInvalid."""
        import pyarrow as pa
        import pyarrow.json as pj

        _, offsets, data = body.buffers()
        ends = memoryview(offsets).cast("i")
        data = data.slice(ends[body.offset], ends[body.offset + len(body)] - ends[body.offset])
        read = pj.read_json(
            pa.BufferReader(data), pj.ReadOptions(use_threads=False, block_size=max(data.size + 1, 1024)),
            pj.ParseOptions(members, unexpected_field_behavior="ignore"))
        if read.num_rows != len(body):
            raise pa.ArrowInvalid("several objects in a line")
        return {name: read.column(name).combine_chunks() for name in read.column_names}

    def _utc(self, local: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return local times in microseconds, a numpy array, in UTC."""
        import numpy as np

        if self._times.is_utc:
            return local
        quarters, at = np.unique(local // _QUARTER_US, return_inverse=True)
        early, late = zip(*(self._times.offsets_us(int(quarter)) for quarter in quarters), strict=True)
        if any(first > second for first, second in zip(early, late, strict=True)):
            # The hour that comes twice: the order of the lines counts.
            raise _NotAlike
        return local - np.array(early, dtype=np.int64)[at]

    @staticmethod
    def _parsed(said: dict[str, pa.Array]) -> dict[str, pa.Array]:
        """Return the columns that are members of the JSON."""
        import pyarrow as pa
        import pyarrow.compute as pc

        def member(outer: str, name: str) -> pa.Array:
            return pc.struct_field(said[outer], name)

        return {
            "api_key": member("requestHeader", "requestApiKey"),
            "api": member("requestHeader", "requestApiKeyName"),
            "version": member("requestHeader", "requestApiVersion"),
            "correlation_id": member("requestHeader", "correlationId"),
            "client_id": member("requestHeader", "clientId"),
            "connection": said["connection"], "listener": said["listener"],
            "security_protocol": said["securityProtocol"], "principal": said["principal"],
            "software_name": member("clientInformation", "softwareName"),
            "software_version": member("clientInformation", "softwareVersion"),
            "forwarded": pc.fill_null(said["isForwarded"], False),
            **{name: said[json_name] for json_name, name in _NUMBERS.items()},
            "temporary_memory_bytes": pc.cast(said["temporaryMemoryBytes"], pa.int64()),
            "acks": member("request", "acks"), "max_wait_ms": member("request", "maxWaitMs"),
            "min_bytes": member("request", "minBytes"),
            "asked_topics": pc.fill_null(pc.list_value_length(member("request", "topics")), 0),
            **{name: said[name] for name in ("request", "response") if name in said},
        }

    def _completed(self, columns: dict[str, pa.Array], numbers: pa.Array, body: pa.Array) -> pa.RecordBatch:
        """Return a batch of the columns that were read, and those that come from these or from the text."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        whole, count = schema(), len(numbers)
        key = columns["api_key"]
        is_produce, is_fetch = (pc.equal(key, api.id) for api in (ApiKeys.PRODUCE, ApiKeys.FETCH))

        if columns["api"].null_count:
            names = pa.array([_NAMES.get(id_, f"API_{id_}") for id_ in key.to_pylist()], pa.string())
            columns["api"] = pc.coalesce(columns["api"], names)
        ends = ("local_host", "local_port", "remote_host", "remote_port", "connection_index")
        if not self._columns.isdisjoint(ends):
            connections = columns["connection"].dictionary_encode()
            parts = zip(*map(_ends, connections.dictionary.to_pylist()), strict=True)
            for name, values in zip(ends, parts, strict=True):
                columns[name] = pa.array(values, whole.field(name).type).take(connections.indices)
        if "records_bytes" in self._columns:
            has_records = pc.or_(is_produce, is_fetch)
            sizes = np.zeros(count, dtype=np.int64)
            mask = has_records.to_numpy(zero_copy_only=False)
            sizes[mask] = [
                sum(map(int, _SIZE.findall(one))) for one in body.filter(has_records).to_pylist()]
            columns["records_bytes"] = pa.array(sizes, mask=~mask)
        if "error_codes" in self._columns:
            columns["error_codes"] = _lists(
                pc.match_substring_regex(body, _ERROR), body, _error_codes, [],
                whole.field("error_codes").type)
        if "advertised" in self._columns:
            columns["advertised"] = _lists(pc.equal(key, ApiKeys.API_VERSIONS.id), body, _advertised, None,
                                           whole.field("advertised").type)
        if "topics" in self._columns:
            columns["topics"] = _topics_of(key, columns["request"], columns["response"])
        for name in ("request", "response"):
            columns.pop(name, None)
        fetch = whole.field("fetch").type
        columns["fetch"] = pa.StructArray.from_arrays(
            [columns[name] for name in ("max_wait_ms", "min_bytes", "asked_topics")], fields=[*fetch],
            mask=pc.invert(is_fetch))
        columns["acks"] = pc.if_else(is_produce, columns["acks"], pa.scalar(None, pa.int32()))
        if self._keep_json:
            said = [json.loads(one) for one in body.to_pylist()]
            for name in ("request", "response"):
                columns[name] = pa.array([_json(one.get(name)) for one in said], pa.string())
        columns["broker"] = pa.repeat(pa.scalar(self._broker, pa.string()), count)
        columns["file"] = pa.repeat(pa.scalar(self._file, pa.string()), count)
        columns["line"] = numbers
        return pa.record_batch(
            [columns[field.name] if field.name in columns else pa.nulls(count, field.type)
             for field in whole], schema=whole)

    def _rows(self, lines: Sequence[Line]) -> pa.RecordBatch:
        """Return the rows of lines that were read one by one."""
        import pyarrow as pa

        whole = schema()
        rows = [self._row(line) for line in lines]
        known = {name for row in rows for name in row}
        return pa.record_batch(
            [pa.array([row.get(field.name) for row in rows], field.type) if field.name in known
             else pa.nulls(len(rows), field.type) for field in whole], schema=whole)

    def _row(self, line: Line) -> dict[str, Any]:
        row: dict[str, Any] = {
            "time": line.time, "file": self._file, "line": line.number, "broker": self._broker}
        if line.request is not None and line.reason is None:
            row |= self._members(line.request)
            missing = next((name for name in _REQUIRED if row[name] is None), None)
            if missing is None:
                return row
            line = line._replace(reason=f"{missing} is missing, or not what it should be")
        return row | {"reason": line.reason, "text": text(line.text[:_TEXT_LENGTH])}

    def _members(self, said: dict[str, Any]) -> dict[str, Any]:
        """Return the columns of a request."""
        header, client = _object(said.get("requestHeader")), _object(said.get("clientInformation"))
        request, response = _object(said.get("request")), said.get("response")
        key, connection = integer(header.get("requestApiKey")), text(said.get("connection"))
        ends = _ends(connection) if connection is not None else (None,) * 5
        wanted = self._columns
        memory, topics = number(said.get("temporaryMemoryBytes")), request.get("topics")
        forwarded = said.get("isForwarded")
        return {
            "api_key": key, "version": integer(header.get("requestApiVersion")),
            "api": text(header.get("requestApiKeyName")) or (
                _NAMES.get(key, f"API_{key}") if key is not None else None),
            "correlation_id": integer(header.get("correlationId")), "client_id": text(header.get("clientId")),
            "connection": connection, "local_host": ends[0], "local_port": ends[1], "remote_host": ends[2],
            "remote_port": ends[3], "connection_index": ends[4], "listener": text(said.get("listener")),
            "security_protocol": text(said.get("securityProtocol")), "principal": text(said.get("principal")),
            "software_name": text(client.get("softwareName")),
            "software_version": text(client.get("softwareVersion")),
            "forwarded": forwarded is True or str(forwarded).lower() == "true",
            **{name: number(said.get(json_name)) for json_name, name in _NUMBERS.items()},
            "temporary_memory_bytes": None if memory is None else integer(float(int(memory)), 64),
            "records_bytes": sum(integers([said.get("request"), response], "recordsSizeInBytes"))
            if "records_bytes" in wanted and key in (ApiKeys.PRODUCE.id, ApiKeys.FETCH.id) else None,
            "error_codes": _error_codes(response) if "error_codes" in wanted else None,
            "answered": response != "",
            "acks": integer(request.get("acks")) if key == ApiKeys.PRODUCE.id else None,
            "fetch": {"max_wait_ms": integer(request.get("maxWaitMs")),
                      "min_bytes": integer(request.get("minBytes")),
                      "topics": len(topics) if isinstance(topics, list) else 0,
                      } if key == ApiKeys.FETCH.id else None,
            "advertised": _advertised(response) if key == ApiKeys.API_VERSIONS.id else None,
            "topics": _topics(key, said) if "topics" in wanted else None,
            "request": _json(said.get("request")) if self._keep_json else None,
            "response": _json(response) if self._keep_json else None,
        }


@lru_cache(2)
def _json_schema(with_topics: bool) -> pa.Schema:
    """Return the members of the JSON that pyarrow reads, and their types.

    A request's member is left out if two APIs have it with different types: its lines would be parsed one by
    one.
    """
    import pyarrow as pa

    number_, word = pa.int32(), pa.string()
    request = [("acks", number_), ("maxWaitMs", number_), ("minBytes", number_),
               ("topics", pa.list_(pa.struct([])))]
    response: list[tuple[str, pa.DataType]] = []
    if with_topics:
        sizes = pa.list_(pa.struct([("recordsSizeInBytes", pa.int64())]))
        for outer, member, name, id_, partitions in _TOPICS.values():
            parts = [(partitions, sizes)] if partitions else []
            (request if outer == "request" else response).append(
                (member, pa.list_(pa.struct([(name, word), (id_, word), *parts]))))
    return pa.schema([
        ("isForwarded", pa.bool_()),
        ("requestHeader", pa.struct([
            ("requestApiKey", number_), ("requestApiVersion", number_), ("correlationId", number_),
            ("clientId", word), ("requestApiKeyName", word)])),
        ("request", pa.struct(request)), *([("response", pa.struct(response))] if response else []),
        ("connection", word), *((name, pa.float64()) for name in _NUMBERS),
        ("temporaryMemoryBytes", pa.float64()), ("securityProtocol", word), ("principal", word),
        ("listener", word),
        ("clientInformation", pa.struct([("softwareName", word), ("softwareVersion", word)])),
    ])


def _topics_of(key: pa.Array, request: pa.Array, response: pa.Array) -> pa.Array:
    """Return the column ``topics`` of requests with these API keys, as ``_topics`` of each."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    type_ = schema().field("topics").type
    found = pa.nulls(len(key), type_)
    for api, (outer, member, name, id_, partitions) in _TOPICS.items():
        mine = pc.equal(key, api)
        if not pc.any(mine).as_py():
            continue
        lists = pc.struct_field(request if outer == "request" else response, member)
        lists = pc.if_else(mine, lists, pa.scalar(None, lists.type))
        topics = lists.flatten()
        rows = pc.list_parent_indices(lists)
        if partitions:
            parts = pc.struct_field(topics, partitions)
            sizes = pc.struct_field(parts.flatten(), "recordsSizeInBytes").fill_null(0).to_numpy()
            of = pc.list_parent_indices(parts).to_numpy()
            sums = np.zeros(len(topics), dtype=np.int64)
            np.add.at(sums, of, sizes)
            size = pa.array(sums)
        else:
            with_id = pc.is_valid(pc.struct_field(topics, id_))
            topics, rows = topics.filter(with_id), rows.filter(with_id)
            size = pa.nulls(len(topics), pa.int64())
        structs = pa.StructArray.from_arrays(
            [pc.struct_field(topics, name), pc.struct_field(topics, id_), size],
            fields=[*type_.value_type])
        ends = np.cumsum(np.bincount(rows.to_numpy(), minlength=len(key)))
        offsets = pa.array(np.concatenate(([0], ends)).astype(np.int32))
        mine_lists = pa.ListArray.from_arrays(offsets, structs, type=type_, mask=pc.is_null(lists))
        found = pc.if_else(mine, mine_lists, found)
    return found


def _lists(mask: pa.Array, body: pa.Array, read: Callable[[object], object], other: object,
           type_: pa.DataType) -> pa.Array:
    """Return what ``read`` makes of each response where ``mask`` is true, and ``other`` elsewhere."""
    import pyarrow as pa

    values = [other] * len(body)
    at = [i for i, is_true in enumerate(mask.to_pylist()) if is_true]
    for i, one in zip(at, body.filter(mask).to_pylist(), strict=True):
        values[i] = read(json.loads(one).get("response"))
    return pa.array(values, type_)


def read_batches(batches: Iterable[pa.RecordBatch], reader: LogReader) -> Iterator[pa.RecordBatch]:
    """Yield the rows of batches with the columns file, line and value, the lines of each file in order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        if not batch.num_rows:
            continue
        files, numbers, values = (batch.column(name) for name in ("file", "line", "value"))
        values = values.view(pa.binary())
        ends = pc.run_end_encode(files)
        begin = 0
        for file, end in zip(ends.values.to_pylist(), ends.run_ends.to_pylist(), strict=True):
            yield from reader.read(file, numbers[begin:end], values[begin:end])
            begin = end
    yield from reader.finish()


def rows_of(lines: DataFrame, times: Times, broker: str = "", keep_json: bool = False,
            in_order: bool = False) -> DataFrame:
    """Return a row for each of ``lines``: the columns of the table, with ``reason`` and ``text``.

    ``lines`` has file, line and value. With ``in_order``, one task reads each file from its first line to its
    last, as ``must_be_in_order`` asks for; this sorts the lines. Without, each task reads the lines that it
    has.
    """
    if in_order:
        # A hash of the file's name chooses the partition.
        lines = lines.repartition("file").sortWithinPartitions("file", "line")
    reader = LogReader(times, broker, keep_json)
    columns = {**COLUMNS, **_REASON_COLUMNS}
    return lines.select("file", "line", "value").mapInArrow(
        partial(read_batches, reader=reader),
        ", ".join(f"`{name}` {type_name}" for name, (type_name, _) in columns.items()))


def must_be_in_order(lines: DataFrame, heads: Iterable[bytes], times: Times) -> bool:
    """Return whether ``rows_of`` needs ``in_order`` for files that begin with ``heads``.

    Reads ``lines`` if clocks of the zone go back at times.
    """
    from pyspark.sql import functions as f

    if any(needs_order(head, times) for head in heads):
        return True
    days = [] if times.is_utc else repeated_days(times.zone)
    if not days:
        return False
    # In any layout. Another order of day, month and year makes the log slower to read, not wrong.
    written = "|".join(f"{day:%Y}.?{day:%m}.?{day:%d}|{day:%d}.{day:%b}.{day:%Y}|{day:%b} {{1,2}}0?{day.day} "
                       for day in days)
    return not lines.where(f.substring("value", 1, 200).rlike(written)).limit(1).isEmpty()
