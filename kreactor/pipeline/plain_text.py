# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Makes text that a client chose, such as its id, safe to show.

A terminal interprets escape characters, rich interprets ``[markup]``, and a spreadsheet computes a cell that
begins with ``=``. A client can put any of these into its id.
"""

from __future__ import annotations

# A spreadsheet treats a text that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@")


def plain(value: object) -> str:
    """Return ``value`` as text. An unprintable character is written as a Python escape."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else
                   character.encode("unicode_escape", "surrogatepass").decode("ascii") for character in text)


def cell(value: object) -> object:
    """Return ``value`` for a field of CSV: a text as by ``plain``, with a quote before a formula."""
    if not isinstance(value, str):
        return value
    text = plain(value)
    # A spreadsheet ignores leading blanks.
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
