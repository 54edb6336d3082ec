# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.stream_tokenizer import StreamTokenizer

EOF, NUMBER, WORD = StreamTokenizer.TT_EOF, StreamTokenizer.TT_NUMBER, StreamTokenizer.TT_WORD


def tokens(text, comments=True):
    tokenizer = StreamTokenizer(text)
    tokenizer.slash_slash_comments(comments)
    tokenizer.slash_star_comments(comments)
    found = []
    while tokenizer.next_token() != EOF:
        found.append((tokenizer.ttype, tokenizer.sval))
    return found


@pytest.mark.parametrize(("text", "expected"), [
    ("", []),
    (" \t\r\n", []),
    ("a1.b-c =;", [(WORD, "a1.b-c"), ("=", None), (";", None)]),
    ("1.5.2x", [(NUMBER, None), (NUMBER, None), (WORD, "x")]),
    ("-a -1 -.", [("-", None), (WORD, "a"), (NUMBER, None), (NUMBER, None)]),
    ("\u00e4\u4e2d", [(WORD, "\u00e4\u4e2d")]),
    ("'a\"b' \"c'd\"", [("'", 'a"b'), ('"', "c'd")]),
    ("'cut\nx", [("'", "cut"), (WORD, "x")]),
    (r"'\141\1\400\n\\\''", [("'", "a\x01\x200\n\\'")]),
    ("a /* b * / c */ d // e\nf", [(WORD, "a"), (WORD, "d"), (WORD, "f")]),
    ("a /*/ b", [(WORD, "a")]),
    ("a / b\nc", [(WORD, "a"), (WORD, "c")]),
])
def test_tokens(text, expected):
    assert tokens(text) == expected


def test_without_comments_a_slash_begins_one_all_the_same():
    assert tokens("a /* b\nc", comments=False) == [(WORD, "a"), (WORD, "c")]


@given(st.text())
def test_every_text_has_an_end(text):
    assert len(tokens(text)) <= len(text)
