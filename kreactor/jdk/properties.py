# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.Properties``: the format of Kafka's configuration files.

A logical line is a key and a value, separated by ``=``, ``:`` or white space. A backslash at the end of a
line continues the logical line with the next line, without its leading white space. A line whose first
character is ``#`` or ``!`` is a comment, which is never continued. Key and value may have escapes, such as
``\\uXXXX``. For a duplicate key, the last value counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kreactor.jdk.exceptions import IllegalArgumentException

_LINE_END = re.compile(r"\r\n|\r|\n")
_BLANK = " \t\f"
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_ESCAPED = {"t": "\t", "r": "\r", "n": "\n", "f": "\f"}


def load_properties(source: bytes | str) -> dict[str, str]:
    """Return the keys and values of a file's content; bytes are decoded as ISO-8859-1.

    Raises IllegalArgumentException for a ``\\u`` without four hexadecimal digits.
    """
    text = source if isinstance(source, str) else source.decode("iso-8859-1")
    properties = {}
    for line in _logical_lines(text):
        key = _KEY.match(line).group()  # type: ignore[union-attr]  # it matches the empty text
        separator = _SEPARATOR.match(line, len(key))
        value = line[separator.end():] if separator is not None else ""
        properties[_unescape(key)] = _unescape(value)
    return properties


def _logical_lines(text: str) -> Iterator[str]:
    """Yield the logical lines that are neither blank nor comments."""
    # The part so far of a continued line. An empty part is the same as a new line.
    line = ""
    continued = False
    *parts, last = _LINE_END.split(text)
    for part in parts:
        part = part.lstrip(_BLANK)
        if not line and (not part or part[0] in "#!"):
            continued = False
            continue
        continued = _is_continued(part)
        if continued:
            line += part[:-1]
        else:
            yield line + part
            line = ""
    if last == "" and continued:
        # The file ends with a continuation, which counts as a line even if it is empty.
        yield line
        return
    last = last.lstrip(_BLANK)
    if line or last and last[0] not in "#!":
        yield line + (last[:-1] if _is_continued(last) else last)


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_unescape_one, text)
    # Two escapes can be a surrogate pair.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _unescape_one(escape: re.Match[str]) -> str:
    code = escape.group(1)
    if code[0] != "u":
        return _ESCAPED.get(code, code)
    if len(code) == 1:
        raise IllegalArgumentException("Malformed \\uxxxx encoding.")
    return chr(int(code[1:], 16))
