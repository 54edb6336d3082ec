# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.nio.charset.Charset``: encodings by name, which encode and decode any input.

As in Java, a character outside an encoding becomes a question mark, and invalid bytes become U+FFFD. Java
writes UTF-16 in big-endian order with a byte order mark, and UTF-32 in big-endian order without a mark.
Python's codecs of these names use the machine's byte order.
"""

from __future__ import annotations

import codecs

from kreactor.jdk.nio_buffer import BytesLike

# The encodings whose byte order a mark can set.
_UTF_16 = "utf-16"
_UTF_32 = "utf-32"


class UnsupportedCharsetException(ValueError):
    """The name of an encoding is unknown."""


class Charset:
    """An encoding. Immutable."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        """Take Python's name of a known encoding."""
        self._name = name

    @staticmethod
    def for_name(charset_name: str) -> Charset:
        """Return the encoding of a name. Raises UnsupportedCharsetException."""
        try:
            info = codecs.lookup(charset_name)
        except (LookupError, ValueError) as e:
            raise UnsupportedCharsetException(charset_name) from e
        # Python also has codecs from bytes to bytes.
        if not getattr(info, "_is_text_encoding", True):
            raise UnsupportedCharsetException(charset_name)
        return Charset(info.name)

    def encode(self, text: str) -> bytes:
        """Return the bytes of ``text``."""
        if self._name == _UTF_16:
            return codecs.BOM_UTF16_BE + text.encode("utf-16-be", "replace")
        if self._name == _UTF_32:
            return text.encode("utf-32-be", "replace")
        return text.encode(self._name, "replace")

    def decode(self, data: BytesLike) -> str:
        """Return the text of ``data``."""
        name = self._name
        if name == _UTF_16 and data[:2] not in (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE):
            name = "utf-16-be"
        elif name == _UTF_32 and data[:4] not in (codecs.BOM_UTF32_BE, codecs.BOM_UTF32_LE):
            name = "utf-32-be"
        return codecs.decode(data, name, "replace")


UTF_8 = Charset("utf-8")
