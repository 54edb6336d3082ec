# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.security.cert`` and ``javax.security.auth.x500``: the subject of a certificate.

Only the needed parts are read: the subject, in Java's text form, and the alternative names. OpenSSL decides
whether a certificate is trusted, not this module.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from kreactor.jdk.exceptions import IllegalArgumentException

_SEQUENCE, _SET, _OID = 0x30, 0x31, 0x06
_VERSION, _EXTENSIONS = 0xA0, 0xA3
_SUBJECT_ALT_NAME = "2.5.29.17"

# The attributes with a name in RFC 2253. Other attributes are written as numbers, their values as bytes.
_KEYWORDS = {
    "2.5.4.3": "CN", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C",
    "2.5.4.9": "STREET", "0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID",
}
# The string types that Java writes as text, all of them decoded as UTF-8: UTF8String, PrintableString,
# TeletexString, IA5String, GeneralString, BMPString. Other types are written as bytes. In comparisons all but
# the first two are written as bytes.
_COMPARED_STRINGS = frozenset((0x0C, 0x13))
_STRINGS = _COMPARED_STRINGS | {0x14, 0x16, 0x1B, 0x1E}
_ESCAPED = str.maketrans({character: f"\\{character}" for character in ',=+<>#;"\\'} | {"\0": "\\00"})
_TRIMMED = "".join(map(chr, range(0x21)))
_ESCAPED_COMPARED = str.maketrans({character: f"\\{character}" for character in ',+<>;"\\'})


class X500Principal:
    """A distinguished name. Equality ignores case and extra spaces."""

    __slots__ = ("_encoded", "_relative_names", "_name")

    def __init__(self, encoded: bytes) -> None:
        """Parse a name in DER. Raises IllegalArgumentException if ``der`` is not a name."""
        self._encoded = encoded
        self._relative_names = _relative_names(encoded)
        self._name = ",".join(
            "+".join(attribute.text() for attribute in attributes) for attributes in self._relative_names)

    def get_name(self) -> str:
        """Return the name in the form of RFC 2253: the most specific part first."""
        return self._name

    def get_encoded(self) -> bytes:
        """Return the name in DER."""
        return self._encoded

    def _canonical(self) -> str:
        text = ",".join("+".join(attribute.compared_text() for attribute in sorted(attributes))
                        for attributes in self._relative_names)
        return unicodedata.normalize("NFKD", text.upper().lower())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, X500Principal) and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def __str__(self) -> str:
        return self._name


class X509Certificate:
    """A certificate in DER."""

    def __init__(self, encoded: bytes) -> None:
        """Take a certificate in DER. It is parsed when a field is first read."""
        self._encoded = encoded

    def get_encoded(self) -> bytes:
        """Return the certificate in DER."""
        return self._encoded

    def get_subject_x500_principal(self) -> X500Principal:
        """Return the subject's name. Raises IllegalArgumentException if ``der`` is not a certificate."""
        return X500Principal(self._fields[5])

    def get_subject_alternative_names(self) -> frozenset[bytes]:
        """Return the subject's alternative names, each in DER. Raises IllegalArgumentException."""
        for field in self._fields[7:]:
            if field[0] == _EXTENSIONS:
                for _, extensions in _elements(_value_of(field, _EXTENSIONS)):
                    for _, extension in _elements(_content(extensions)):
                        parts = [part for _, part in _elements(_content(extension))]
                        if _oid_text(_value_of(parts[0], _OID)) == _SUBJECT_ALT_NAME:
                            # The extension's octet string is a sequence of names; a flag may precede it.
                            names = _value_of(_content(parts[-1]), _SEQUENCE)
                            return frozenset(name for _, name in _elements(names))
        return frozenset()

    @functools.cached_property
    def _fields(self) -> list[bytes]:
        """Return the fields of the signed part; a missing version gets an empty element."""
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


class _Attribute(NamedTuple):
    """One attribute of a name."""

    oid: str
    tag: int
    value: bytes

    def text(self) -> str:
        """Return the attribute in the form of RFC 2253."""
        keyword = _KEYWORDS.get(self.oid)
        if keyword is None or self.tag not in _STRINGS:
            return f"{keyword or self.oid}=#{self.value.hex()}"
        text = _content(self.value).decode(errors="replace")
        start, end = len(text) - len(text.lstrip(" \r")), len(text.rstrip(" \r"))
        before = "".join(f"\\{space}" for space in text[:start])
        after = "".join(f"\\{space}" for space in text[max(start, end):])
        return f"{keyword}={before}{text[start:end].translate(_ESCAPED)}{after}"

    def compared_text(self) -> str:
        """Return the canonical form: equal attributes differ at most in case."""
        keyword = _KEYWORDS.get(self.oid)
        if keyword is None or self.tag not in _COMPARED_STRINGS:
            return f"{keyword or self.oid}=#{self.value.hex()}"
        text = _content(self.value).decode(errors="replace")
        escaped = re.sub(" +", " ", text.translate(_ESCAPED_COMPARED))
        if text.startswith("#"):
            escaped = f"\\{escaped}"
        # Java's String.trim treats all these characters as spaces.
        return f"{keyword}={escaped.strip(_TRIMMED)}"

    def __lt__(self, other: tuple[object, ...]) -> bool:
        assert isinstance(other, _Attribute)
        return self._order() < other._order()

    def _order(self) -> tuple[bool, list[int] | str]:
        if self.oid in _KEYWORDS:
            return False, self.compared_text()
        return True, [int(number) for number in self.oid.split(".")]


def _relative_names(name: bytes) -> list[list[_Attribute]]:
    """Return the parts of a name, the most specific one first."""
    found = []
    for _, relative_name in _elements(_value_of(name, _SEQUENCE)):
        attributes = []
        for _, attribute in _elements(_value_of(relative_name, _SET)):
            (_, kind), (tag, value) = _elements(_value_of(attribute, _SEQUENCE))
            attributes.append(_Attribute(_oid_text(_value_of(kind, _OID)), tag, value))
        found.append(attributes)
    return found[::-1]


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
    """Return the content of ``element``. Raises IllegalArgumentException if its tag is another."""
    if element[:1] != bytes((tag,)):
        raise IllegalArgumentException(f"a DER element has tag {element[:1].hex()}, not {tag:02x}")
    return _content(element)


def _content(element: bytes) -> bytes:
    start, end = _bounds(element, 0)
    return element[start:end]


def _elements(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each element's tag and its bytes including the header. Raises IllegalArgumentException."""
    position = 0
    while position < len(content):
        _, end = _bounds(content, position)
        yield content[position], content[position:end]
        position = end


def _bounds(data: bytes, position: int) -> tuple[int, int]:
    """Return the start and the end of the content of the element at ``position``."""
    if len(data) < position + 2:
        raise IllegalArgumentException("a DER element is truncated")
    length = data[position + 1]
    start = position + 2
    if length & 0x80:
        size = length & 0x7F
        if not 0 < size <= 4:
            raise IllegalArgumentException(f"a DER length of {size} bytes is too long")
        length = int.from_bytes(data[start:start + size], "big")
        start += size
    if start + length > len(data):
        raise IllegalArgumentException("a DER element is truncated")
    return start, start + length
