# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Uuid of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The 128-bit identifiers of topics, log directories and broker incarnations."""

from __future__ import annotations

import base64
import re
import struct

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.secure_random import random_bytes

_LONGS = struct.Struct(">qq")
_SALTED_LONGS = struct.Struct(">Qqq")
_SALT = int.from_bytes(random_bytes(8), "big")

# Matches base64url, without padding or with complete padding.
_BASE64_URL = re.compile(r"(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}(?:==)?|[A-Za-z0-9_-]{3}=?)?")


class Uuid:
    """Two signed 64-bit halves. Immutable; ordered by the halves as signed numbers.

    :origin: common.Uuid
    """

    __slots__ = ("_most_significant_bits", "_least_significant_bits")

    ONE_UUID: Uuid
    METADATA_TOPIC_ID: Uuid
    ZERO_UUID: Uuid
    RESERVED: frozenset[Uuid]

    def __init__(self, most_sig_bits: int, least_sig_bits: int) -> None:
        """Keep both halves, given as signed 64-bit numbers.

        :origin: common.Uuid#Uuid(long, long)
        """
        self._most_significant_bits = most_sig_bits
        self._least_significant_bits = least_sig_bits

    @staticmethod
    def from_bytes(data: bytes | bytearray | memoryview) -> Uuid:
        """Return the identifier of 16 bytes in wire format."""
        return Uuid(*_LONGS.unpack(data))

    @staticmethod
    def _unsafe_random_uuid() -> Uuid:
        """Return a random identifier of version 4, which may be a reserved one.

        :origin: common.Uuid#unsafeRandomUuid()
        """
        most, least = _LONGS.unpack(random_bytes(16))
        most = most & ~0xF000 | 0x4000
        least = least & 0x3FFFFFFFFFFFFFFF | -0x8000000000000000
        return Uuid(most, least)

    @staticmethod
    def random_uuid() -> Uuid:
        """Return a random identifier. It is never a reserved one, and never starts with a dash.

        :origin: common.Uuid#randomUuid()
        """
        uuid = Uuid._unsafe_random_uuid()
        while uuid in Uuid.RESERVED or str(uuid).startswith("-"):
            uuid = Uuid._unsafe_random_uuid()
        return uuid

    def get_most_significant_bits(self) -> int:
        """Return the first half as a signed number.

        :origin: common.Uuid#getMostSignificantBits()
        """
        return self._most_significant_bits

    def get_least_significant_bits(self) -> int:
        """Return the second half as a signed number.

        :origin: common.Uuid#getLeastSignificantBits()
        """
        return self._least_significant_bits

    def __eq__(self, other: object) -> bool:
        """Compare both halves.

        :origin: common.Uuid#equals(Object)
        """
        if not isinstance(other, Uuid):
            return False
        return (self._most_significant_bits == other._most_significant_bits
                and self._least_significant_bits == other._least_significant_bits)

    def __hash__(self) -> int:
        """Hash both halves with a random number of this process.

        :origin: common.Uuid#hashCode()
        """
        # DEVIATION D260: clients choose the ids of a request. A dict of 16,000 ids that collide in Java's
        # hash takes 41 s. The hash of bytes is keyed, but PYTHONHASHSEED may fix its key.
        return hash(_SALTED_LONGS.pack(_SALT, self._most_significant_bits, self._least_significant_bits))

    def __str__(self) -> str:
        """Return the 22 characters of base64url, unpadded.

        :origin: common.Uuid#toString()
        """
        return base64.urlsafe_b64encode(self.to_bytes())[:22].decode("ascii")

    def __repr__(self) -> str:
        return f"Uuid({self})"

    @staticmethod
    def from_string(text: str) -> Uuid:
        """Return the identifier of a text of ``str``. Padding is allowed.

        Raises IllegalArgumentException for an invalid text.

        :origin: common.Uuid#fromString(String)
        """
        if len(text) > 24:
            raise IllegalArgumentException(
                f"Input string with prefix `{text[:24]}` is too long to be decoded as a base64 UUID")
        if not _BASE64_URL.fullmatch(text):
            raise IllegalArgumentException(f"Input string `{text}` is not base64url")
        uuid_bytes = base64.urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
        if len(uuid_bytes) != 16:
            raise IllegalArgumentException(
                f"Input string `{text}` decoded as {len(uuid_bytes)} bytes, which is not equal to the "
                "expected 16 bytes of a base64-encoded UUID")
        return Uuid.from_bytes(uuid_bytes)

    def to_bytes(self) -> bytes:
        """Return the 16 bytes of the identifier on the wire, big-endian.

        :origin: common.Uuid#getBytesFromUuid()
        """
        return _LONGS.pack(self._most_significant_bits, self._least_significant_bits)

    def __lt__(self, other: Uuid) -> bool:
        """Order by the first half, then the second, both as signed numbers.

        :origin: common.Uuid#compareTo(Uuid)
        """
        if self._most_significant_bits != other._most_significant_bits:
            return self._most_significant_bits < other._most_significant_bits
        return self._least_significant_bits < other._least_significant_bits


Uuid.ONE_UUID = Uuid(0, 1)
Uuid.METADATA_TOPIC_ID = Uuid.ONE_UUID
Uuid.ZERO_UUID = Uuid(0, 0)
Uuid.RESERVED = frozenset((Uuid.METADATA_TOPIC_ID, Uuid.ZERO_UUID, Uuid.ONE_UUID))
