# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The commands ``kreactor produce`` and ``kreactor consume``, with the options of kcat.

The settings of -X and -F have Kafka's names, as in Java's clients. Status 0: done; 1: a broker or the network
failed; 2: an error in the arguments; 130: Ctrl-C, which ends the command silently.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

from kreactor.cli import BadUsage, Failure, read_assignment, read_properties, sentence
from kreactor.jdk.interrupts import interruptible

if TYPE_CHECKING:
    from kreactor.clients.topic_reader import Fetched, TopicReader
    from kreactor.common.topic_partition import TopicPartition

_CHUNK_BYTES = 1 << 16
# The default of max.request.size: a longer message is refused before it is read to its end.
_MAX_MESSAGE_BYTES = 1 << 20
# The time that a failed or interrupted producer may take to send its queued records, or to abort.
_CLOSE_MS = 10_000
_SIZE_SETTING = "max.request.size"
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|.)", re.DOTALL)
_ESCAPED = {"n": b"\n", "r": b"\r", "t": b"\t", "0": b"\0"}
# The prefix of a client's log, and some of its texts.
_PREFIX = re.compile(r"^\[[^\]]*\] ")
_METADATA_ERRORS = re.compile(r"^Metadata request \d+ is answered with errors: (.*)")
_IS_CREATED = re.compile("=(LEADER_NOT_AVAILABLE|UNKNOWN_TOPIC_OR_PARTITION)")
_BOOTSTRAP = re.compile(r"bootstrap node .*\(id: (-?\d+) .*is disconnected")
_TOKENS = "sSRkKThtpo%"


@contextmanager
def _errors_as_sentences() -> Iterator[None]:
    """Turn an error into one sentence that ends the command. Ctrl-C in the block raises KeyboardInterrupt."""
    from kreactor.common.config.config_exception import ConfigException
    from kreactor.common.kafka_exception import KafkaException

    try:
        with interruptible(), _warned_once():
            yield
    except BrokenPipeError:
        raise
    except ConfigException as e:
        raise BadUsage(sentence(e)) from e
    except KafkaException as e:
        raise Failure(sentence(e)) from e
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None


class _Warnings(logging.Handler):
    """Prints the warnings of a client, each once. Called by any thread.

    A client warns at each attempt: of the connection, and again of the bootstrap broker. It also warns of a
    topic that is about to be created, which the next attempt finds; that is printed if the command fails.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._printed: set[str] = set()
        self._of_topic = ""

    def emit(self, record: logging.LogRecord) -> None:
        text = _PREFIX.sub("", " ".join(record.getMessage().split()))
        errors = _METADATA_ERRORS.search(text)
        bootstrap = _BOOTSTRAP.match(text)
        if errors is not None:
            if _IS_CREATED.search(errors[1]):
                self._of_topic = f"the broker answers for its topics: {errors[1]}"
        elif bootstrap is None or not any(f"node {bootstrap[1]} (" in told for told in self._printed):
            self._print(text)

    def close_after_failure(self) -> None:
        """Print what was kept for a failure."""
        if self._of_topic:
            self._print(self._of_topic)

    def _print(self, text: str) -> None:
        if text not in self._printed:
            self._printed.add(text)
            click.echo(f"Warning: {text}", err=True)


@contextmanager
def _warned_once() -> Iterator[None]:
    """Print the warnings of clients in the block."""
    from kreactor.common.kafka_exception import KafkaException

    warnings, log = _Warnings(), logging.getLogger()
    log.addHandler(warnings)
    try:
        yield
    except (Failure, KafkaException):
        warnings.close_after_failure()
        raise
    finally:
        log.removeHandler(warnings)


def _common_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of both commands."""
    for option in reversed((
            click.option("-b", "--brokers", required=True, metavar="HOST:PORT,...",
                         help="The bootstrap brokers."),
            click.option("-t", "--topic", required=True, metavar="TOPIC", help="The topic."),
            click.option("-p", "--partition", type=click.IntRange(min=0), metavar="N", help="The partition."),
            click.option("-D", "--delimiter", default="\\n", show_default=True, metavar="TEXT",
                         help=r"The delimiter of records; \n, \r, \t, \0 and \xNN are understood."),
            click.option("-K", "--key-delimiter", metavar="TEXT",
                         help="The delimiter of a key and its value."),
            click.option("-Z", "--null", "nulls", is_flag=True,
                         help="Empty keys and values are null, and null is written as NULL."),
            click.option("-c", "--count", type=click.IntRange(min=1), metavar="N",
                         help="End after this number of records."),
            click.option("-X", "--set", "settings", multiple=True, metavar="KEY=VALUE",
                         help="A setting under Kafka's name, as security.protocol=SSL; may be given more "
                              "than once."),
            click.option("-F", "--config", "file", metavar="FILE",
                         help="A file of such settings; -X overrides it."))):
        command = option(command)
    return command


def _settings(brokers: str, file: str | None, given: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a client. Raises BadUsage."""
    found: dict[str, Any] = {}
    if file is not None:
        found.update(read_properties(file))
    found.update(read_assignment("-X", text) for text in given)
    found["bootstrap.servers"] = brokers
    found.setdefault("client.id", "kreactor")
    return found


def _bytes(text: str) -> bytes:
    """Return a text in UTF-8, its escapes replaced. Raises BadUsage for an unknown one."""
    found, last = b"", 0
    for escape in _ESCAPE.finditer(text):
        found += text[last:escape.start()].encode(errors="surrogateescape")
        code = escape[1]
        if len(code) > 1:
            found += bytes([int(code[1:], 16)])
        elif code in _ESCAPED:
            found += _ESCAPED[code]
        elif code == "\\":
            found += b"\\"
        else:
            raise BadUsage(f"\\{code}: no escape; there are \\n, \\r, \\t, \\0, \\\\ and \\xNN")
        last = escape.end()
    return found + text[last:].encode(errors="surrogateescape")


# -- produce ---------------------------------------------------------------------------------------


@click.command()
@_common_options
@click.option("-k", "--key", metavar="TEXT", help="The key of every record without a key by -K.")
@click.option("-H", "--header", "headers", multiple=True, metavar="NAME=VALUE",
              help="A header of every record; may be repeated.")
@click.option("-z", "--compression", metavar="CODEC",
              type=click.Choice(["none", "gzip", "snappy", "lz4", "zstd"]), help="The codec of batches.")
@click.option("-l", "--lines", is_flag=True, help="Split the file as standard input is split.")
@click.option("-T", "--tee", is_flag=True, help="Write the records to standard output, too.")
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True), metavar="[FILE]...")
def produce(brokers: str, topic: str, partition: int | None, delimiter: str, key_delimiter: str | None,
            nulls: bool, count: int | None, settings: tuple[str, ...], file: str | None, key: str | None,
            headers: tuple[str, ...], compression: str | None, lines: bool, tee: bool,
            files: tuple[str, ...]) -> None:
    """Write records to a topic, from standard input or from files.

    Standard input is split at each delimiter. Each file is one record, unless -l splits it. Empty records are
    left out, unless -Z makes them null. With -X transactional.id=NAME all records are one transaction, which
    Ctrl-C or a failure aborts.
    """
    if lines and len(files) != 1:
        raise BadUsage("-l: takes one file")
    properties = _settings(brokers, file, settings)
    if compression is not None:
        properties["compression.type"] = compression
    size = str(properties.get(_SIZE_SETTING, _MAX_MESSAGE_BYTES))
    if not size.isdecimal():
        raise BadUsage(f"{_SIZE_SETTING}={size}: not a number")
    split = _bytes(delimiter)
    if not split:
        raise BadUsage("-D: must not be empty")
    messages = _messages(files, lines, split, int(size))
    key_split = None if key_delimiter is None else _bytes(key_delimiter)
    if key_split == b"":
        raise BadUsage("-K: must not be empty")
    with _errors_as_sentences():
        _produce(properties, topic, partition, _headers(headers), _first_messages(messages, count), key_split,
                 None if key is None else _bytes(key), nulls, split if tee else None)


def _headers(given: Sequence[str]) -> list[tuple[str, bytes]]:
    found = []
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadUsage(f"-H {text}: not NAME=VALUE")
        found.append((name, value.encode(errors="surrogateescape")))
    return found


def _messages(files: Sequence[str], lines: bool, delimiter: bytes, size: int) -> Iterator[bytes]:
    """Yield the records of standard input, or of files. Raises BadUsage."""
    if not files:
        yield from _split(sys.stdin.buffer, delimiter, size)
    for name in files:
        try:
            with click.open_file(name, "rb") as source:
                if lines:
                    yield from _split(source, delimiter, size)
                    continue
                message = source.read(size + 1)
        except OSError as e:
            raise BadUsage(f"{name}: {e.strerror}") from e
        if len(message) > size:
            raise Failure(f"{name}: longer than {_SIZE_SETTING}, {size} bytes")
        yield message


def _split(source: IO[bytes], delimiter: bytes, size: int) -> Iterator[bytes]:
    """Yield the text between delimiters as soon as it is read, and the rest at the end if there is one."""
    # A pipe returns the available bytes; a file returns all requested bytes.
    read = getattr(source, "read1", source.read)
    pending = bytearray()
    while chunk := read(_CHUNK_BYTES):
        begin = max(len(pending) - len(delimiter) + 1, 0)
        pending += chunk
        if pending.find(delimiter, begin) >= 0:
            *complete, rest = bytes(pending).split(delimiter)
            yield from complete
            pending = bytearray(rest)
        if len(pending) > size:
            raise Failure(f"a record is longer than {_SIZE_SETTING}, {size} bytes")
    if pending:
        yield bytes(pending)


def _first_messages(messages: Iterator[bytes], count: int | None) -> Iterator[bytes]:
    """Yield the first ``count`` messages, and do not wait for more."""
    if count is None:
        yield from messages
        return
    for _ in range(count):
        message = next(messages, None)
        if message is None:
            return
        yield message


def _produce(properties: Mapping[str, Any], topic: str, partition: int | None,
             headers: Sequence[tuple[str, bytes]], messages: Iterator[bytes], key_delimiter: bytes | None,
             fixed_key: bytes | None, nulls: bool, tee: bytes | None) -> None:
    """Write ``messages``. Raises Failure if the broker has not accepted all."""
    from kreactor.clients.producer.kafka_producer import KafkaProducer
    from kreactor.clients.producer.producer_record import ProducerRecord
    from kreactor.clients.producer.record_metadata import RecordMetadata
    from kreactor.common.header.internals.record_header import RecordHeader
    from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer

    # Set by the sender's thread, which has ended when this is read.
    failures: list[Exception] = []

    def note(metadata: RecordMetadata | None, exception: Exception | None) -> None:
        if exception is not None:
            failures.append(exception)

    producer = KafkaProducer[bytes, bytes](properties, ByteArraySerializer(), ByteArraySerializer())
    has_transaction = bool(properties.get("transactional.id"))
    try:
        if has_transaction:
            producer.init_transactions()
            producer.begin_transaction()
        sent = 0
        for message in messages:
            if failures:
                break
            if not message and not nulls:
                continue
            key, value = fixed_key, message
            if key_delimiter is not None and key_delimiter in message:
                key, _, value = message.partition(key_delimiter)
            producer.send(ProducerRecord(
                topic, None if nulls and not value else value, key=None if nulls and not key else key,
                partition=partition, headers=[RecordHeader(*header) for header in headers]), note)
            sent += 1
            if tee is not None:
                sys.stdout.buffer.write(message + tee)
                sys.stdout.buffer.flush()
        producer.flush()
        if has_transaction and not failures:
            producer.commit_transaction()
    except BaseException:
        # Aborts the transaction if there is one; otherwise the queued records are still sent.
        producer.close(_CLOSE_MS)
        raise
    producer.close(_CLOSE_MS if failures else None)
    if failures:
        raise Failure(f"{len(failures)} of {sent} records were not written: {failures[0]}")


# -- consume ---------------------------------------------------------------------------------------


@click.command(short_help="Write the records of a topic to standard output.")
@_common_options
@click.option("-o", "--offset", "offsets", multiple=True, metavar="OFFSET",
              help="Where to begin: beginning, end, an offset, -N for N before the end, s@MS for a time in "
                   "milliseconds since 1970; e@MS is where to end.")
@click.option("-e", "--exit", "leave", is_flag=True, help="End where the topic ends.")
@click.option("-f", "--format", "layout", metavar="FORMAT",
              help="How to write a record: %s value, %S its length, %R the length as four bytes, %k key, "
                   "%K its length, %T time, %h headers, %t topic, %p partition, %o offset.")
@click.option("-J", "--json", "as_json", is_flag=True, help="Write each record as a line of JSON.")
@click.option("-u", "--unbuffered", is_flag=True, help="Write each record at once.")
def consume(brokers: str, topic: str, partition: int | None, delimiter: str, key_delimiter: str | None,
            nulls: bool, count: int | None, settings: tuple[str, ...], file: str | None,
            offsets: tuple[str, ...], leave: bool, layout: str | None, as_json: bool,
            unbuffered: bool) -> None:
    """Write the records of a topic to standard output, of all its partitions or of one.

    There is no group, and no offset is kept. Without -e the command waits for new records until Ctrl-C.
    """
    properties = _settings(brokers, file, settings)
    begin, until_ms = _ends(offsets)
    if layout is None:
        layout = f"{'' if key_delimiter is None else '%k' + key_delimiter.replace('%', '%%')}%s" + (
            delimiter.replace("%", "%%"))
    as_told = _formatter(_format_parts(layout), b"NULL" if nulls else b"")
    from kreactor.clients.topic_reader import TopicReader

    with _errors_as_sentences(), closing(TopicReader(properties)) as reader:
        out = sys.stdout.buffer
        write = _as_json(reader) if as_json else as_told
        for at, record in _limited_records(
                reader, topic, partition, begin, until_ms, leave, count, out.flush):
            out.write(write(at, record))
            if unbuffered:
                out.flush()


def _ends(given: Sequence[str]) -> tuple[str, int | None]:
    """Return the start offset, and the time before which to end. Raises BadUsage."""
    begin, until_ms = "beginning", None
    for text in given:
        if re.fullmatch(r"e@\d+", text):
            until_ms = int(text[2:])
        elif re.fullmatch(r"beginning|end|earliest|latest|-?\d+|s@\d+", text):
            begin = text
        else:
            raise BadUsage(f"-o {text}: is beginning, end, an offset, -N, s@MS or e@MS")
    return begin, until_ms


def _limited_records(reader: TopicReader, topic: str, partition: int | None, begin: str, until_ms: int | None,
                     leave: bool, count: int | None,
                     flush: Callable[[], None]) -> Iterator[tuple[TopicPartition, Fetched]]:
    """Yield the records that the options select; flush before each wait for more."""
    from kreactor.common.isolation_level import IsolationLevel
    from kreactor.common.topic_partition import TopicPartition

    known = reader.partitions(topic)
    if partition is not None and partition not in known:
        raise BadUsage(f"{topic} has no partition {partition}")
    wanted = known if partition is None else [partition]
    first_offsets = _first_offsets(reader, topic, wanted, begin)
    positions = {TopicPartition(topic, each): at for each, at in first_offsets.items()}
    ends = {} if until_ms is None else reader.offsets(topic, dict.fromkeys(wanted, until_ms))
    # -1 means that all records are before that time; later records may be after it.
    last = {TopicPartition(topic, each): at for each, at in ends.items() if at >= 0}
    left = count
    while positions:
        for at, polled in reader.poll(positions).items():
            end = polled.high_watermark
            if reader.isolation() is IsolationLevel.READ_COMMITTED:
                end = polled.last_stable_offset
            for record in polled.records:
                if record.offset >= last.get(at, record.offset + 1):
                    break
                yield at, record
                if left is not None:
                    left -= 1
                    if left == 0:
                        return
            positions[at] = polled.next_offset
            if polled.next_offset >= last.get(at, polled.next_offset + 1) or (
                    leave and polled.next_offset >= end):
                del positions[at]
        flush()


def _first_offsets(reader: TopicReader, topic: str, partitions: Sequence[int], begin: str) -> dict[int, int]:
    """Return the first offset of each partition."""
    from kreactor.common.requests.list_offsets_request import ListOffsetsRequest

    earliest, latest = ListOffsetsRequest.EARLIEST_TIMESTAMP, ListOffsetsRequest.LATEST_TIMESTAMP
    if begin in ("beginning", "earliest"):
        return reader.offsets(topic, dict.fromkeys(partitions, earliest))
    ends = reader.offsets(topic, dict.fromkeys(partitions, latest))
    if begin in ("end", "latest"):
        return ends
    if begin.startswith("s@"):
        found = reader.offsets(topic, dict.fromkeys(partitions, int(begin[2:])))
        return {each: at if at >= 0 else ends[each] for each, at in found.items()}
    starts = reader.offsets(topic, dict.fromkeys(partitions, earliest))
    if begin.startswith("-"):
        return {each: max(end + int(begin), starts[each]) for each, end in ends.items()}
    return dict.fromkeys(partitions, int(begin))


def _as_json(reader: TopicReader) -> Callable[[TopicPartition, Fetched], bytes]:
    """Return a function that writes a record as a line of JSON, with kcat's names.

    Bytes that are not valid UTF-8 are escaped.
    """
    from kreactor.common.record.timestamp_type import TimestampType

    types = {TimestampType.CREATE_TIME: "create", TimestampType.LOG_APPEND_TIME: "logappend"}

    def write(at: TopicPartition, record: Fetched) -> bytes:
        said: dict[str, object] = {
            "topic": at.topic(), "partition": at.partition(), "offset": record.offset,
            "tstype": types.get(record.timestamp_type, "unknown"), "ts": record.timestamp,
            "broker": reader.leader(at).id()}
        if record.headers:
            said["headers"] = [text for name, value in record.headers for text in (name, _text(value))]
        said["key"], said["payload"] = _text(record.key), _text(record.value)
        return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    return write


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="backslashreplace")


def _format_parts(layout: str) -> list[bytes | str]:
    """Return the texts of a format, as bytes, and the letters of its tokens. Raises BadUsage."""
    found: list[bytes | str] = []
    for i, text in enumerate(re.split(r"%(.?)", layout, flags=re.DOTALL)):
        if i % 2 == 0:
            found.append(_bytes(text))
        elif text == "%":
            found.append(b"%")
        elif not text or text not in _TOKENS:
            raise BadUsage(f"-f %{text}: no token of a format")
        else:
            found.append(text)
    return found


def _formatter(parts: Sequence[bytes | str], null: bytes) -> Callable[[TopicPartition, Fetched], bytes]:
    """Return a function that writes a record in a format."""
    def write(at: TopicPartition, record: Fetched) -> bytes:
        found = b""
        for part in parts:
            if isinstance(part, bytes):
                found += part
            elif part in "sk":
                value = record.value if part == "s" else record.key
                found += null if value is None else value
            elif part in "SKR":
                value = record.key if part == "K" else record.value
                length = -1 if value is None else len(value)
                found += length.to_bytes(4, "big", signed=True) if part == "R" else b"%d" % length
            elif part == "h":
                found += b",".join(name.encode() + b"=" + (b"NULL" if value is None else value)
                                   for name, value in record.headers)
            elif part == "t":
                found += at.topic().encode()
            else:
                number = {"T": record.timestamp, "p": at.partition(), "o": record.offset}[part]
                found += b"%d" % number
        return found

    return write
