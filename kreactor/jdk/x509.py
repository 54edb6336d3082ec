# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.security.cert`` and ``javax.security.auth.x500``: what a certificate says of whom it names.

Only what is asked for here is read: the subject, as the name that Java gives it, and the alternative names.
Whether a certificate is to be believed is OpenSSL's to say, not this module's.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from kreactor.jdk.exceptions import IllegalArgumentException

_SEQUENCE, _SET, _OID = 0x30, 0x31, 0x06
_VERSION, _EXTENSIONS = 0xA0, 0xA3
_SUBJECT_ALT_NAME = "2.5.29.17"

# The attributes that have a name in RFC 2253; others are written as numbers, their values as bytes.
_KEYWORDS = {
    "2.5.4.3": "CN", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C",
    "2.5.4.9": "STREET", "0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID",
}
# By tag: UTF8String, NumericString, PrintableString, TeletexString, IA5String, UniversalString, BMPString.
_ENCODINGS = {
    0x0C: "utf-8", 0x12: "ascii", 0x13: "ascii", 0x14: "latin-1", 0x16: "ascii", 0x1C: "utf-32-be",
    0x1E: "utf-16-be",
}
_ESCAPED = frozenset(',+"\\<>;')


class X500Principal:
    """A distinguished name. Equal where the names are, whatever their case and the spaces in them."""

    __slots__ = ("_encoded", "_name")

    def __init__(self, encoded: bytes) -> None:
        """Take the name in DER. Raises IllegalArgumentException if it is none."""
        self._encoded = encoded
        self._name = _rfc_2253(encoded)

    def get_name(self) -> str:
        """Return the name as RFC 2253 has it: the most special part first."""
        return self._name

    def get_encoded(self) -> bytes:
        """Return the name in DER."""
        return self._encoded

    def _canonical(self) -> str:
        return " ".join(self._name.lower().split())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, X500Principal) and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def __str__(self) -> str:
        return self._name


class X509Certificate:
    """A certificate, by its bytes."""

    def __init__(self, encoded: bytes) -> None:
        """Take the certificate in DER, which is read when it is asked for something."""
        self._encoded = encoded

    def get_encoded(self) -> bytes:
        """Return the certificate in DER."""
        return self._encoded

    def get_subject_x500_principal(self) -> X500Principal:
        """Return whom it names. Raises IllegalArgumentException if it is no certificate."""
        return X500Principal(self._fields[5])

    def get_subject_alternative_names(self) -> frozenset[bytes]:
        """Return the other names of the subject, each in DER. Raises IllegalArgumentException."""
        for field in self._fields[7:]:
            if field[0] == _EXTENSIONS:
                for _, extensions in _elements(_value_of(field, _EXTENSIONS)):
                    for _, extension in _elements(_content(extensions)):
                        parts = [part for _, part in _elements(_content(extension))]
                        if _oid_text(_value_of(parts[0], _OID)) == _SUBJECT_ALT_NAME:
                            # A string of bytes that is a sequence of names in turn; a flag may be before it.
                            names = _value_of(_content(parts[-1]), _SEQUENCE)
                            return frozenset(name for _, name in _elements(names))
        return frozenset()

    @functools.cached_property
    def _fields(self) -> list[bytes]:
        """Return the fields of what is signed, with a place for a version that is left out."""
        certificate = _value_of(self._encoded, _SEQUENCE)
        signed = next(_elements(certificate), (0, b""))[1]
        fields = [field for _, field in _elements(_value_of(signed, _SEQUENCE))]
        if fields and fields[0][0] != _VERSION:
            fields.insert(0, b"")
        if len(fields) < 7:
            raise IllegalArgumentException("not a certificate")
        return fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, X509Certificate) and self._encoded == other._encoded

    def __hash__(self) -> int:
        return hash(self._encoded)


def _rfc_2253(name: bytes) -> str:
    relative_names = []
    for _, relative_name in _elements(_value_of(name, _SEQUENCE)):
        parts = []
        for _, attribute in _elements(_value_of(relative_name, _SET)):
            (_, kind), (tag, value) = _elements(_value_of(attribute, _SEQUENCE))
            oid = _oid_text(_value_of(kind, _OID))
            keyword, encoding = _KEYWORDS.get(oid), _ENCODINGS.get(tag)
            if keyword is None or encoding is None:
                parts.append(f"{keyword or oid}=#{value.hex()}")
            else:
                parts.append(f"{keyword}={_escaped(_content(value).decode(encoding, 'replace'))}")
        relative_names.append("+".join(parts))
    return ",".join(reversed(relative_names))


def _escaped(text: str) -> str:
    escaped = "".join(f"\\{character}" if character in _ESCAPED else character for character in text)
    if escaped[:1] in ("#", " "):
        escaped = "\\" + escaped
    if escaped.endswith(" ") and len(text) > 1:
        escaped = escaped[:-1] + "\\ "
    return escaped


def _oid_text(content: bytes) -> str:
    numbers: list[int] = []
    number = 0
    for byte in content:
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(number)
            number = 0
    if not numbers:
        raise IllegalArgumentException("an empty object identifier")
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, (first, numbers[0] - 40 * first, *numbers[1:])))


def _value_of(element: bytes, tag: int) -> bytes:
    """Return the content of ``element``. Raises IllegalArgumentException if it is of another kind."""
    if element[:1] != bytes((tag,)):
        raise IllegalArgumentException(f"an element of kind {element[:1].hex()} where {tag:02x} belongs")
    return _content(element)


def _content(element: bytes) -> bytes:
    start, end = _bounds(element, 0)
    return element[start:end]


def _elements(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the elements one after the other: the tag, and all of it. Raises IllegalArgumentException."""
    position = 0
    while position < len(content):
        _, end = _bounds(content, position)
        yield content[position], content[position:end]
        position = end


def _bounds(data: bytes, position: int) -> tuple[int, int]:
    """Return where the content of the element at ``position`` begins and ends."""
    if len(data) < position + 2:
        raise IllegalArgumentException("an element is cut short")
    length = data[position + 1]
    start = position + 2
    if length & 0x80:
        size = length & 0x7F
        if not 0 < size <= 4:
            raise IllegalArgumentException(f"a length of {size} bytes")
        length = int.from_bytes(data[start:start + size], "big")
        start += size
    if start + length > len(data):
        raise IllegalArgumentException("an element is cut short")
    return start, start + length
