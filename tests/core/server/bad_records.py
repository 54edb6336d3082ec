# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Records that no client should send, and the error that Kafka 3.8.0 answers each with: a table of cases.

With ``acks=0`` an error closes the connection, and nothing else is heard of it.
"""

from __future__ import annotations

import gzip
import struct
from typing import Callable, NamedTuple

from crc32c import crc32c

from kreactor.common.compress.compression import Compression
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from tests.core.server.bench import produce, produce_request
from tests.core.server.conversation import records
from tests.core.server.wire import Closed, Wire
from tests.stepping import wait_until

NONE, UNKNOWN, CORRUPT = Errors.NONE, Errors.UNKNOWN_SERVER_ERROR, Errors.CORRUPT_MESSAGE
INVALID, TOO_LARGE = Errors.INVALID_RECORD, Errors.MESSAGE_TOO_LARGE
NOT_AUTHORIZED = Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED

# From 3 on a request has one batch of magic 2 for each partition; before, whatever a client made.
VERSIONS = (1, 2, 3, 9)


class Broken(NamedTuple):
    """A defect, records with it, and the error."""

    name: str
    data: bytes
    error: Errors
    # Told from version 8 on.
    message: str | None
    # The error before version 3.
    old_error: Errors


GOOD = records(b"one", b"two")
_LENGTH = len(GOOD) - 12
_RECORD = DefaultRecordBatch.RECORD_BATCH_OVERHEAD
_MAX_INT = 2**31 - 1


def at(offset: int, format_: str, value: int, data: bytes = GOOD) -> bytes:
    """Return a batch with another number in its header."""
    changed = bytearray(data)
    struct.pack_into(">" + format_, changed, offset, value)
    return bytes(changed)


def sealed(data: bytes) -> bytes:
    """Return a batch with the length that it has, and the checksum of what is in it."""
    data = at(8, "i", len(data) - 12, data)
    return at(17, "I", crc32c(data[21:]), data)


def _broken(name: str, data: bytes, error: Errors, message: str | None = None,
            old: Errors | None = None) -> Broken:
    return Broken(name, data, error, message, error if old is None else old)


def _in_record(offset: int, byte: int) -> bytes:
    return sealed(GOOD[:_RECORD + offset] + bytes((byte,)) + GOOD[_RECORD + offset + 1:])


# -- bytes that are no batch, or more than one -----------------------------------------------------------

# MemoryRecords sees no batch in them: ProduceRequest.validateRecords misses one, from version 3 on.
_FRAGMENTS = [_broken(f"the first {size} bytes of a batch", GOOD[:size], INVALID, old=NONE)
              for size in (0, 1, 11, 12, 16, 17, 18, 60, 61, len(GOOD) - 1)]

# A batch and what is none: ignored if it is no header, else the batch that it says it is.
_FOLLOWED = [
    _broken("a batch and a byte", GOOD + b"\0", NONE),
    _broken("a batch and the header of another", GOOD + GOOD[:61], NONE),
    _broken("a batch and zeros", GOOD + bytes(12), CORRUPT),
    _broken("a batch and garbage", GOOD + b"\xff" * 100, CORRUPT),
    _broken("two batches", GOOD + GOOD, INVALID),
    _broken("three batches", GOOD * 3, INVALID),
    _broken("two batches, the second corrupt", GOOD + at(17, "I", 0), INVALID, old=CORRUPT),
]

# -- the header of a batch -------------------------------------------------------------------------------

_CHECKSUMS = [
    _broken("a bit of a record", GOOD[:-1] + bytes((GOOD[-1] ^ 1,)), CORRUPT),
    _broken("checksum 0", at(17, "I", 0), CORRUPT),
]

_LENGTHS = [
    # ByteBufferLogInputStream.nextBatchSize.
    *(_broken(f"length {length}", at(8, "i", length), CORRUPT,
              f"Record size {length} is less than the minimum record overhead (14)")
      for length in (0, -1, -2**31, 13)),
    # Shorter than the header of a batch: not valid, and without the attributes that are looked at first.
    _broken("length 14", at(8, "i", 14), CORRUPT, old=UNKNOWN),
    *(_broken(f"length {length}", at(8, "i", length), CORRUPT) for length in (48, 49, _LENGTH - 1)),
    _broken("length one more", at(8, "i", _LENGTH + 1), INVALID, old=NONE),
    _broken(f"length {_MAX_INT - 12}", at(8, "i", _MAX_INT - 12), INVALID, old=NONE),
    # With the bytes before the length it is more than an int holds, and a slice of negative length.
    *(_broken(f"length {length}", at(8, "i", length), UNKNOWN) for length in (_MAX_INT - 11, _MAX_INT)),
    _broken("length one less, and a byte less", sealed(GOOD[:-1]), INVALID),
]

_MAGICS = [
    *(_broken(f"magic {magic}", at(16, "b", magic), CORRUPT, f"Invalid magic found in record: {magic}")
      for magic in (-1, -128, 3, 127)),
    *(_broken(f"magic {magic} on a batch of magic 2", at(16, "b", magic), INVALID, old=CORRUPT)
      for magic in (0, 1)),
    *(_broken(f"messages of magic {magic}", records(b"a", b"b", magic=magic), INVALID, old=NONE)
      for magic in (0, 1)),
    _broken("a message of magic 1 that is corrupt", records(b"a", magic=1)[:-1] + b"\xff", INVALID,
            old=CORRUPT),
]

_ATTRIBUTES = [
    *(_broken(f"codec {codec}, which there is not", sealed(at(21, "h", codec)), UNKNOWN)
      for codec in (5, 6, 7)),
    *(_broken(f"codec {codec}, of records that are not compressed", sealed(at(21, "h", codec)), UNKNOWN)
      for codec in (1, 2, 3, 4)),
    _broken("attribute: transactional", sealed(at(21, "h", 16)), NOT_AUTHORIZED),
    _broken("attribute: control", sealed(at(21, "h", 32)), INVALID),
    # Set anew, or of no meaning.
    *(_broken(f"attributes {attributes}", sealed(at(21, "h", attributes)), NONE)
      for attributes in (8, 64, -128)),
]

_NUMBERS = [
    *(_broken(f"{count} records", sealed(at(57, "i", count)), INVALID)
      for count in (0, 1, 3, -1, _MAX_INT, -2**31)),
    *(_broken(f"last offset delta {delta}", sealed(at(23, "i", delta)), INVALID)
      for delta in (0, 2, -1, -2**31, _MAX_INT)),
    *(_broken(f"{count} records, and offsets for them",
              sealed(at(57, "i", count, at(23, "i", count - 1))), INVALID)
      for count in (1, 3, 10, 1000)),
    *(_broken(f"base offset {offset}", at(0, "q", offset), INVALID) for offset in (5, -1, 2**63 - 1)),
    _broken("another leader epoch", at(12, "i", 77), NONE),
    _broken("a producer id without a sequence", sealed(at(43, "q", 9, at(51, "h", 0))), INVALID),
    _broken("producer id -2", sealed(at(43, "q", -2, at(51, "h", 0))), NONE),
    # Anything goes that is not too far in the future, and what the header says of it is counted anew.
    *(_broken(f"base timestamp {time}", sealed(at(27, "q", time)), NONE) for time in (-1, 0, -2**63)),
    *(_broken(f"max timestamp {time}", sealed(at(35, "q", time)), NONE) for time in (-1, 0, 2**63 - 1)),
]

# -- records within a batch ------------------------------------------------------------------------------

_RECORDS = [
    *(_broken(f"record length {length}", _in_record(0, length * 2 & 0xFF), INVALID)
      for length in (0, GOOD[_RECORD] // 2 + 1, GOOD[_RECORD] // 2 - 1, 63)),
    _broken("record length -1", _in_record(0, 1), INVALID),
    _broken("key length -1, and the key", _in_record(4, 1), INVALID),
    _broken("key length -2", _in_record(4, 3), INVALID),
    _broken("key length 63", _in_record(4, 126), INVALID),
    _broken("records of ones", sealed(GOOD[:_RECORD] + b"\xff" * 20), UNKNOWN),
    _broken("records of zeros", sealed(GOOD[:_RECORD] + bytes(20)), INVALID),
    _broken("no records", sealed(GOOD[:_RECORD]), INVALID),
    _broken("one record of two", sealed(GOOD[:_RECORD + 1 + GOOD[_RECORD] // 2]), INVALID),
    _broken("bytes behind the records", sealed(GOOD + b"abc"), INVALID),
    # A record's attributes, time and offset are not looked at.
    _broken("attributes of a record", _in_record(1, 0xFF), NONE),
    _broken("time of a record", _in_record(2, 126), NONE),
    _broken("offset of a record", _in_record(3, 2), NONE),
]


def _compressed(name: str, compression: Compression, empty: Errors, more: Errors) -> list[Broken]:
    batch = records(b"one" * 50, b"two" * 50, compression=compression)
    return [
        _broken(name, batch, NONE),
        _broken(f"{name}: garbage", sealed(batch[:_RECORD] + b"\xde\xad\xbe\xef" * 10), UNKNOWN),
        _broken(f"{name}: nothing", sealed(batch[:_RECORD]), empty),
        _broken(f"{name}: cut short", sealed(batch[:-5]), UNKNOWN),
        _broken(f"{name}: and more", sealed(batch + b"\0\1\2\3"), more),
        _broken(f"{name}: 3 records", sealed(at(57, "i", 3, batch)), INVALID),
        _broken(f"{name}: 3 records, and offsets for them",
                sealed(at(57, "i", 3, at(23, "i", 2, batch))), INVALID),
        _broken(f"{name}: 1 record, and an offset for it",
                sealed(at(57, "i", 1, at(23, "i", 0, batch))), INVALID),
    ]


_COMPRESSED = [
    *_compressed("gzip", Compression.gzip().build(), UNKNOWN, NONE),
    *_compressed("snappy", Compression.snappy().build(), UNKNOWN, UNKNOWN),
    *_compressed("lz4", Compression.lz4().build(), UNKNOWN, NONE),
]

# Of compressed records Kafka looks at lengths of keys and values, not of records, and at offsets.
_INSIDE = [
    _broken(f"gzip: {name}", sealed(at(21, "h", 1, GOOD[:_RECORD] + gzip.compress(
        GOOD[_RECORD:_RECORD + offset] + bytes((byte,)) + GOOD[_RECORD + offset + 1:]))), error)
    for name, offset, byte, error in (
        ("record length 31", 0, 62, NONE), ("record length -1", 0, 1, NONE), ("attributes", 1, 255, NONE),
        ("time", 2, 126, NONE), ("offset", 3, 2, UNKNOWN), ("key length -1", 4, 1, INVALID),
        ("key length 63", 4, 126, INVALID))
]

# In version 3 the codec alone is an error, as it is in all before 7.
_ZSTD = _compressed("zstd", Compression.zstd().build(), INVALID, UNKNOWN)

_SIZES = [
    _broken("larger than max.message.bytes", records(b"x" * 1_100_000), TOO_LARGE),
    _broken("zeros, compressed to little", records(bytes(3_000_000), compression=Compression.gzip().build()),
            NONE),
]

CASES = [*_FRAGMENTS, *_FOLLOWED, *_CHECKSUMS, *_LENGTHS, *_MAGICS, *_ATTRIBUTES, *_NUMBERS, *_RECORDS,
         *_COMPRESSED, *_INSIDE, *_ZSTD, *_SIZES]


def expected(case: Broken, version: int) -> Errors:
    """Return the error that a version is answered with."""
    if version < 3:
        return case.old_error
    if version < 7 and case.data[16:17] == b"\2" and case.data[22:23] == b"\4" and len(case.data) >= 61:
        return Errors.UNSUPPORTED_COMPRESSION_TYPE
    return case.error


def hold(connect: Callable[[], Wire], topic: str, case: Broken) -> dict[str, tuple[Errors, str | None]]:
    """Write the records in all ``VERSIONS``, and return what became of them; without an answer by the end."""
    outcome: dict[str, tuple[Errors, str | None]] = {}
    with connect() as wire:
        for version in VERSIONS:
            answer = produce(wire, topic, case.data, version)
            outcome[f"v{version}"] = Errors.for_code(answer.error_code), answer.error_message
    for version in VERSIONS:
        with connect() as wire:
            wire.send(ApiKeys.PRODUCE, version, produce_request(topic, case.data, acks=0))
            try:
                assert produce(wire, topic, GOOD).error_code == 0
            except Closed:
                outcome[f"v{version} without an answer"] = UNKNOWN, None
            else:
                outcome[f"v{version} without an answer"] = NONE, None
    return outcome


def expected_outcome(case: Broken) -> dict[str, tuple[Errors, str | None]]:
    """Return what ``hold`` should."""
    outcome: dict[str, tuple[Errors, str | None]] = {}
    for version in VERSIONS:
        error = expected(case, version)
        outcome[f"v{version}"] = error, case.message if version >= 8 else None
        outcome[f"v{version} without an answer"] = NONE if error is NONE else UNKNOWN, None
    return outcome


def new_topic(connect: Callable[[], Wire], name: str) -> None:
    """Create a topic, and wait until it can be written to: a controller may take its time."""
    with connect() as wire:
        wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
            CreateTopicsRequestData.CreatableTopic(name=name, num_partitions=1, replication_factor=1)]))
        wait_until(lambda: produce(wire, name, GOOD).error_code == 0)


def delete_topic(connect: Callable[[], Wire], name: str) -> None:
    with connect() as wire:
        wire.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(topic_names=[name], timeout_ms=60_000))
