# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Text that a client chose, its id above all, in a form that only shows.

A terminal obeys escape characters, rich reads ``[markup]``, and a spreadsheet computes a cell that begins
with ``=``. A client puts any of them into its id.
"""

from __future__ import annotations

# A spreadsheet takes a text that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@")


def plain(value: object) -> str:
    """Return ``value`` as text. A character that does not print is written as Python escapes it."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else
                   character.encode("unicode_escape", "surrogatepass").decode("ascii") for character in text)


def cell(value: object) -> object:
    """Return ``value`` for a field of CSV: a text as ``plain``, behind a quote if it would be a formula."""
    if not isinstance(value, str):
        return value
    text = plain(value)
    # A spreadsheet passes over blanks in front.
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
