# Licensed under the Apache License, Version 2.0; see LICENSE.
"""tools/checks/sentences finds the forms that it is there for, where they stand, and no others."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.tools.scripts import load

prose = load("checks/sentences")


def test_the_tree_keeps_the_rules() -> None:
    texts = [text for path in prose.tracked() for text in prose.of_file(path)]
    assert len(texts) > 10_000
    assert [str(found) for text in texts for found in prose.findings(text)] == []


def rules(source: str, path: str = "kreactor/common/mux.py") -> list[tuple[int, str, str]]:
    """Return line, rule and form of what is found in a Python file."""
    return [(found.text.line, found.rule, found.form)
            for text in prose.of_python(path, textwrap.dedent(source)) for found in prose.findings(text)]


def rst(source: str) -> list[tuple[int, str, str]]:
    return [(line, found.rule, found.form)
            for line, words in prose._paragraphs(textwrap.dedent(source), 1)
            for found in prose.findings(prose.Text("README.rst", line, words))]


@pytest.mark.parametrize(("sentence", "form"), [
    ("Who has read too much waits.", "Who"),
    ("The key is cancelled. What is left of it goes.", "What"),
    ("Whoever frees a slot notifies.", "Whoever"),
    ("One lock: That which guards the map is an RLock.", "That which"),
    ("Of those the first is closed.", "Of those"),
])
def test_a_sentence_without_a_subject(sentence: str, form: str) -> None:
    assert rules(f'"""{sentence}"""\n') == [(1, "opening", form)]
    assert rules(f"x = 1\n# {sentence}\n") == [(2, "opening", form)]
    assert rules(f'raise OSError("{sentence}")\n') == [(1, "opening", form)]
    assert rst(f"A title\n=======\n\n{sentence}\n") == [(4, "opening", form)]


@pytest.mark.parametrize("sentence", [
    "What closes a connection?",
    "The selector knows what it waits for and who woke it.",
    "``Who`` is a name, and \"What is it\" a text.",
    "Whole segments are deleted, whatever their size.",
])
def test_questions_and_names_are_no_such_sentence(sentence: str) -> None:
    assert rules(f'"""{sentence}"""\n') == [] == rst(sentence)


@pytest.mark.parametrize(("sentence", "form"), [
    ("-1 stands for null.", "stands for"),
    ("Where no PyPy is to be had, the tool says so.", "is to be had"),
    ("Five seconds go by.", "go by"),
    ("The fault befalls a request.", "befalls"),
])
def test_an_idiom(sentence: str, form: str) -> None:
    assert rules(f'"""{sentence}"""\n') == [(1, "idiom", form)]


def test_a_peer_is_no_person() -> None:
    assert rules("# The peer and his port.\n") == [(1, "person", "his")]
    assert rules("# This is the history of a peer.\n") == []


@pytest.mark.parametrize(("docstring", "form"), [
    ("Return whether it is muted.", "it"),
    ("Close it.", "it"),
    ("Give them all back.", "them"),
    ("Return its key.", "its"),
])
def test_a_pronoun_without_a_noun(docstring: str, form: str) -> None:
    assert rules(f'def f():\n    """{docstring}"""\n') == [(2, "pronoun", form)]


@pytest.mark.parametrize("docstring", [
    "Return the key, None before it is registered.",
    "Close the channel and its key.",
    "``key``: its value.",
    'Return the size.\n\n    They say that it counts."""\n    """',
])
def test_a_pronoun_with_a_noun_or_in_a_longer_docstring(docstring: str) -> None:
    assert rules(f'def f():\n    """{docstring}"""\n') == []


def test_a_class_may_be_described_by_a_noun() -> None:
    assert rules('class C:\n    """Connections by their last use."""\n') == []
    assert rules('class C:\n    """Holds it."""\n') == [(2, "pronoun", "it")]


def test_the_origin_and_code_are_not_read() -> None:
    assert rules('def f():\n    """Return the key.\n\n    :origin: a.Who#What(it)\n    """\n') == []
    assert rst("Text::\n\n    What is this. Who knows.\n\nMore text.\n") == []


def test_the_content_of_a_directive_is_read_but_code_is_not() -> None:
    table = ".. list-table::\n\n   * - D1\n     - A lock is held. What is queued waits.\n"
    assert rst(table) == [(4, "opening", "What")]
    assert rst(".. code-block:: text\n\n    What is queued waits.\n") == []


def test_texts_of_tests_are_data() -> None:
    source = 'x = "What a client sent us."\n'
    assert rules(source, "tests/common/test_mux.py") == []
    assert rules(source) == [(1, "opening", "What")]


def test_comments_of_a_shell_script() -> None:
    found = list(prose.of_shell("tools/x", "#!/bin/sh\n# Who asks is told.\n\necho 'What is it.'\n"))
    assert ["Who asks is told." in text.words for text in found] == [True]


def test_only_known_kinds_of_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    for name, source in (("a.py", "# What is it.\n"),
                         ("b.rst", "What is it.\n"),
                         ("c.tsv", "What is it.\n"),
                         ("d", "#!/usr/bin/env python3\n# What is it.\n"),
                         ("e", "#!/bin/sh\n\n# What is it.\n")):
        (tmp_path / name).write_text(source)
        found = [finding for text in prose.of_file(name) for finding in prose.findings(text)]
        assert len(found) == (0 if name == "c.tsv" else 1), name
