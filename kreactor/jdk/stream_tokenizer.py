# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.io.StreamTokenizer``: splits a text into words, numbers and characters as Java does.

Only the needed parts are here: no end-of-line tokens, no push-back, and a number has no value.
"""

from __future__ import annotations

import string

_WHITESPACE, _DIGIT, _ALPHA, _QUOTE, _COMMENT = 1, 2, 4, 8, 16
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_OCTAL = "01234567"


class StreamTokenizer:
    """Reads a text from start to end. Owner: one thread.

    ``ttype`` is the type of the last token: one of the constants, or the character itself. ``sval`` is the
    text of a word or of a quoted string, whose ``ttype`` is the quote; None for other tokens.
    """

    TT_EOF = "end"
    TT_NUMBER = "number"
    TT_WORD = "word"

    __slots__ = ("_text", "_next", "_kinds", "_slash_slash_comments", "_slash_star_comments", "ttype", "sval")

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = 0
        self._kinds = {chr(code): _WHITESPACE for code in range(0x21)}
        self._kinds.update((chr(code), _ALPHA) for code in range(0xA0, 0x100))
        self._kinds.update((letter, _ALPHA) for letter in string.ascii_letters)
        self._kinds.update((digit, _DIGIT) for digit in "0123456789.-")
        self._kinds.update({"/": _COMMENT, '"': _QUOTE, "'": _QUOTE})
        self._slash_slash_comments = self._slash_star_comments = False
        self.ttype = ""
        self.sval: str | None = None

    def word_chars(self, chars: str) -> None:
        """Add characters that are parts of words."""
        for char in chars:
            self._kinds[char] = self._kinds.get(char, 0) | _ALPHA

    def slash_slash_comments(self, flag: bool) -> None:
        """Set whether ``//`` starts a comment up to the end of the line."""
        self._slash_slash_comments = flag

    def slash_star_comments(self, flag: bool) -> None:
        """Set whether ``/*`` starts a comment up to ``*/``."""
        self._slash_star_comments = flag

    def next_token(self) -> str:
        """Read the next token; return its ``ttype``."""
        self.sval = None
        self.ttype = self._token()
        return self.ttype

    def _token(self) -> str:
        while True:
            char = self._read()
            while char and self._kind(char) & _WHITESPACE:
                char = self._read()
            if not char:
                return self.TT_EOF
            kind = self._kind(char)
            if kind & _DIGIT:
                return self._number(char)
            if kind & _ALPHA:
                begin = self._next - 1
                while self._peek() and self._kind(self._peek()) & (_ALPHA | _DIGIT):
                    self._next += 1
                self.sval = self._text[begin:self._next]
                return self.TT_WORD
            if kind & _QUOTE:
                self.sval = self._quoted(char)
                return char
            if char == "/" and self._slash_star_comments and self._peek() == "*":
                end = self._text.find("*/", self._next + 1)
                if end < 0:
                    self._next = len(self._text)
                    return self.TT_EOF
                self._next = end + 2
            elif kind & _COMMENT or (
                    char == "/" and self._slash_slash_comments and self._peek() == "/"):
                if char == "/" and self._peek() != "/":
                    self._next += 1  # this character is read already, even if it ends the line
                while self._peek() not in ("", "\n", "\r"):
                    self._next += 1
            else:
                return char

    def _number(self, char: str) -> str:
        if char == "-":
            if self._peek() == "" or self._peek() not in ".0123456789":
                return char
            char = self._read()
        dots = char == "."
        while self._peek() != "" and (self._peek() in "0123456789" or (self._peek() == "." and not dots)):
            dots = dots or self._peek() == "."
            self._next += 1
        return self.TT_NUMBER

    def _quoted(self, quote: str) -> str:
        """Return the text up to the closing quote or the end of the line."""
        found = []
        while self._peek() not in ("", quote, "\n", "\r"):
            char = self._read()
            if char == "\\":
                char = self._read()
                if char != "" and char in _OCTAL:
                    # Three octal digits make a byte only if the first digit is at most 3.
                    digits = char
                    while (len(digits) < (3 if digits[0] <= "3" else 2)
                           and self._peek() != "" and self._peek() in _OCTAL):
                        digits += self._read()
                    char = chr(int(digits, 8))
                else:
                    char = _ESCAPES.get(char, char)
            found.append(char)
        if self._peek() == quote:
            self._next += 1
        return "".join(found)

    def _kind(self, char: str) -> int:
        return self._kinds.get(char, 0) if char < "\u0100" else _ALPHA

    def _peek(self) -> str:
        return self._text[self._next:self._next + 1]

    def _read(self) -> str:
        char = self._peek()
        self._next += 1
        return char
