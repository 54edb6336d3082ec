# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Regular expressions in linear time: RE2's syntax, its matches, and bounds for hostile expressions."""

from __future__ import annotations

import sys
import tracemalloc
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kreactor.jdk import regex
from kreactor.jdk.regex import Budget, MatchLimitException, Pattern, PatternSyntaxException

try:
    import re2
except ImportError:
    # The extra `test` has it where it has a wheel.
    re2 = None
needs_re2 = pytest.mark.skipif(
    re2 is None, reason="google-re2 has wheels for CPython 3.11 to 3.14 alone")


@pytest.mark.parametrize(("expression", "matched", "others"), [
    ("", [""], ["a"]),
    ("a", ["a"], ["", "aa", "b"]),
    ("a|b|", ["a", "b", ""], ["ab"]),
    ("a.c", ["abc", "a.c"], ["a\nc", "ac"]),
    ("(?s)a.c", ["a\nc"], []),
    ("a*", ["", "aaa"], ["b"]),
    ("a+b?", ["a", "aab"], ["b", ""]),
    ("a*?b+?c??", ["bc", "aab"], ["a"]),
    ("a{2}", ["aa"], ["a", "aaa"]),
    ("a{2,}", ["aa", "aaaa"], ["a"]),
    ("a{0,2}", ["", "a", "aa"], ["aaa"]),
    ("a{1,3}b{0}", ["a", "aaa"], ["b", "aaab", ""]),
    ("a{,2}", ["a{,2}"], ["a"]),
    ("a{02}{", ["a{02}{"], ["aa"]),
    ("(ab)*c", ["c", "ababc"], ["abab"]),
    ("(?P<one>a)(?<two>b)", ["ab"], ["a"]),
    ("[a-c]", ["a", "c"], ["d", "-"]),
    ("[^a-c]", ["d", "\n"], ["a"]),
    ("[]a]", ["]", "a"], ["b"]),
    ("[^]a]", ["b"], ["]", "a"]),
    ("[a-b-d]", ["a", "-", "d"], ["c"]),
    ("[-a]+[a-]", ["a-", "-a"], ["b"]),
    (r"[\d\-x\]]", ["1", "-", "x", "]"], ["\\", "d"]),
    (r"\d\D\s\S\w\W", ["1a b_ "], ["1a bb-x"]),
    (r"[[:alpha:][:^ascii:]]", ["a", "é"], ["1"]),
    ("[[:foo]", ["[", ":", "o"], ["a"]),
    (r"\pL\PL\p{Lu}\p{^Lu}\P{^Lu}", ["é1ÉaB"], ["11ÉaB"]),
    (r"\p{Any}", ["a", "\U0010ffff"], [""]),
    ("(?i)k", ["k", "K", "\u212a"], ["l"]),
    ("(?i)[^k]", ["l"], ["k", "K", "\u212a"]),
    ("(?i)(?-i:a)B", ["ab", "aB"], ["AB"]),
    ("(?i:a)b", ["Ab"], ["AB"]),
    ("(a(?i)b|c)d", ["aBd", "Cd"], ["ABd", "aBD"]),
    ("^a$", ["a"], ["a\n", "\na"]),
    (r"\Aa\z", ["a"], ["a\n"]),
    ("(?m)a$\n^b", ["a\nb"], ["ab"]),
    (r"a\b-\Bc?", ["a-"], ["a-c"]),
    (r"(\ba)*", ["", "a"], ["aa"]),
    (r"\Qa.*\E+", ["a.*", "a.***"], ["a."]),
    (r"\Qa\b", ["a\\b"], ["a"]),
    (r"\a\f\n\r\t\v\012\x41\x{1F600}\.\_", ["\a\f\n\r\t\v\nA\U0001f600._"], [""]),
    ("(|a)+", ["", "aaa"], ["b"]),
    ("(a*)*(?:^)*$*", ["", "aaa"], ["b"]),
    ("^*a", ["a"], [""]),
    ("(?U)a+b*?", ["ab"], ["b"]),
])
def test_matches(expression: str, matched: list[str], others: list[str]) -> None:
    assert Pattern(expression).select(matched + others) == matched
    assert all(Pattern(expression).matches(text) for text in matched)
    assert not any(Pattern(expression).matches(text) for text in others)


# The descriptions are those of RE2/J 1.8, which Kafka 4 sends to its clients.
@pytest.mark.parametrize(("expression", "description"), [
    ("(", "missing closing )"),
    ("a)", "unexpected )"),
    ("[", "missing closing ]"),
    ("[]", "missing closing ]"),
    ("[^]", "missing closing ]"),
    ("[a", "missing closing ]"),
    ("[a-", "missing closing ]"),
    ("\\", "trailing backslash at end of expression"),
    ("[\\", "trailing backslash at end of expression"),
    ("*a", "missing argument to repetition operator"),
    ("a|*", "missing argument to repetition operator"),
    ("(+)", "missing argument to repetition operator"),
    ("{2}", "missing argument to repetition operator"),
    ("a**", "invalid nested repetition operator"),
    ("a*+", "invalid nested repetition operator"),
    ("a*??", "invalid nested repetition operator"),
    ("a{2}{3}", "invalid nested repetition operator"),
    ("a{1001}", "invalid repeat count"),
    ("a{2,1}", "invalid repeat count"),
    ("a{99999999999999}", "invalid repeat count"),
    ("a{1,99999999999999}", "invalid repeat count"),
    ("a{" + "9" * 5000 + "}", "invalid repeat count"),
    ("((a{1000}){1000}){1000}", "invalid repeat count"),
    ("(a{100}){11}", "invalid repeat count"),
    ("[z-a]", "invalid character class range"),
    ("[a--]", "invalid character class range"),
    ("[[:foo:]]", "invalid character class range"),
    (r"\p", "invalid character class range"),
    (r"\pX", "invalid character class range"),
    (r"\p{L", "invalid character class range"),
    (r"\p{}", "invalid character class range"),
    (r"\p{Cn}", "invalid character class range"),
    (r"[a-\d]", "invalid escape sequence"),
    (r"\1", "invalid escape sequence"),
    (r"\8", "invalid escape sequence"),
    (r"\E", "invalid escape sequence"),
    (r"\C", "invalid escape sequence"),
    (r"\Z", "invalid escape sequence"),
    (r"\é", "invalid escape sequence"),
    (r"[\b]", "invalid escape sequence"),
    (r"\x1", "invalid escape sequence"),
    (r"\x{110000}", "invalid escape sequence"),
    (r"\x{}", "invalid escape sequence"),
    (r"\x{-1}", "invalid escape sequence"),
    (r"\x{41", "invalid escape sequence"),
    ("(?i", "invalid or unsupported Perl syntax"),
    ("(?-)", "invalid or unsupported Perl syntax"),
    ("(?i-)", "invalid or unsupported Perl syntax"),
    ("(?z)", "invalid or unsupported Perl syntax"),
    ("(?#a)", "invalid or unsupported Perl syntax"),
    ("(?=a)", "invalid or unsupported Perl syntax"),
    ("(?<=a)", "invalid or unsupported Perl syntax"),
    ("(?<!a)", "invalid or unsupported Perl syntax"),
    ("(?>a)", "invalid or unsupported Perl syntax"),
    ("(?P=a)", "invalid or unsupported Perl syntax"),
    ("(?P<a", "invalid named capture"),
    ("(?P<>a)", "invalid named capture"),
    ("(?P<a-b>c)", "invalid named capture"),
    ("(?P<é>c)", "invalid named capture"),
    ("(?P<a>b)(?<a>c)", "duplicate capture group name"),
    ("(" * 15_000 + ")" * 15_000, "expression nests too deeply"),
    ("(?:" * 15_000, "expression nests too deeply"),
    ("(a{1000}b)" * 30, "expression too large"),
    ("(()|){1000}" * 1000, "expression too large"),
    ("|" * 30_000, "expression too large"),
    (r"\pL" * 10_000, "expression too large"),
    (r"(?i)[\pL]" * 10_000, "expression too large"),
    ("(?i)" + "[a-é]" * 10_000, "expression too large"),
    (r"\Q" + "a" * 30_000, "expression too large"),
    ("(?i)" * 30_000, "expression too large"),
])
def test_a_bad_expression_is_refused(expression: str, description: str) -> None:
    with pytest.raises(PatternSyntaxException) as raised:
        Pattern(expression)
    assert raised.value.get_description() == description
    assert description in str(raised.value)


def test_groups_may_nest_deeper_than_python_recurses() -> None:
    depth = regex.MAX_DEPTH
    assert 3 * depth > sys.getrecursionlimit()
    for expression in ("(" * depth + "a" + ")" * depth, "(" * depth + "a" + "|b)*" * depth):
        assert Pattern(expression).matches("a")


def test_no_character_above_the_cases_has_another_case() -> None:
    text = "".join(map(chr, range(regex._CASES_END, 0x110000)))
    assert text.casefold() == text.lower() == text.upper() == text


def _steps(expression: str, *texts: str) -> int:
    """Return how many instructions a pattern visits."""
    budget = Budget()
    Pattern(expression).select(texts, budget)
    return regex.MAX_STEPS - budget.steps


@pytest.mark.parametrize("expression", [
    "(a+)+", "(a*)*", "(a|a)*", "(a|aa)+", "(.*)*b", "(a?){30}a{30}", "(.*a){20}", "(a*a*a*a*)*b",
    "((a+)+)+c", r"(\w+\s?)*$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "(a|b|ab)*c", r"(\b|a)*-?c"])
def test_the_steps_do_not_grow_faster_than_the_text(expression: str) -> None:
    texts = ["a" * length + "-" for length in (250, 500, 1000)]
    steps = [_steps(expression, text) for text in texts]
    assert steps[2] <= 2.5 * steps[1] <= 6.5 * steps[0], steps


def test_everyday_expressions_visit_few_instructions_for_many_texts() -> None:
    topics = [f"team-{number % 7}.orders.{number}" for number in range(3000)]
    for expression in ("team-[0-3]\\..*", "^(team-1|team-2).+$", ".*orders.*", r"(?i)TEAM-\d\..*5"):
        assert 0 < len(Pattern(expression).select(topics)) < 3000 or expression == ".*orders.*"
        assert _steps(expression, *topics) < 20_000


def test_a_match_that_needs_too_many_steps_ends() -> None:
    # Each number of letters is another set of instructions.
    pattern = Pattern("(x?){1000}" * 4)
    with pytest.raises(MatchLimitException, match="too many steps; use a shorter expression"):
        pattern.matches("x" * 10_000)
    assert pattern.matches("x" * 20)


def test_an_automaton_forgets_its_states_at_the_limit() -> None:
    pattern = Pattern("(.*a.{12}|.*b.{11})")
    texts = [f"{number:018b}".replace("0", "a").replace("1", "b") for number in range(0, 2 ** 18, 997)]
    limited = Pattern("(.*a.{12}|.*b.{11})")
    expected = [text for text in texts if text[-13] == "a" or text[-12] == "b"]
    assert pattern.select(texts) == expected
    original, regex.MAX_REMEMBERED = regex.MAX_REMEMBERED, 100  # type: ignore[misc]
    try:
        for text in texts:
            assert limited.matches(text) == (text in expected)
            assert limited._remembered <= 100 + 30
            assert len(limited._states) <= 10
    finally:
        regex.MAX_REMEMBERED = original  # type: ignore[misc]


def test_the_memory_of_a_pattern_is_bounded() -> None:
    Pattern("(?i)a")
    tracemalloc.start()
    try:
        Pattern("(x?){500}" * 2).matches("x" * 250)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    everything = Pattern(".*")
    everything.select([chr(char) for char in range(5000)])
    assert len(everything._numbers) == 1000


# Held against RE2 itself.

_TEXTS = st.text(st.sampled_from("abAKks-_ \n.1é\u212a\u017fß"), max_size=8)
_PIECES = st.sampled_from([
    "a", "b", "K", "s", "é", "ß", ".", "^", "$", "|", "(", ")", "(?:", "(?i)", "(?s)", "(?m)", "(?-s)",
    "(?i-m:", "(?U)", "*", "+", "?", "*?", "{2}", "{0,1}", "{1,}", "{,2}", "{", "}", "{02}", "[", "]", "[^",
    "-", "a-k", "[a-k]", "[^b]", "[]-]", "[[:alpha:]]", "[[:^word:]]", "[:", r"\d", r"\W", r"\s", r"[\w-]",
    r"\b", r"\B", r"\A", r"\z", r"\Q", r"\E", r"\pL", r"\PN", r"\p{Lu}", r"\p{^Ll}", r"\.", r"\n", r"\x41",
    r"\x{e9}", r"\101", r"\1", r"\_", "\\", ":", "=", "1", "(?P<", ">", "\n", " "])


def _expressions() -> st.SearchStrategy[str]:
    """Return expressions that are valid, with groups and repetitions within each other."""
    atoms = st.sampled_from([
        "a", "b", "K", "s", "é", "ß", "-", ".", "^", "$", r"\b", r"\B", r"\A", r"\z", r"\d", r"\w", r"\W",
        r"\s", "[a-k]", "[^b]", "[]-]", "[^[:upper:]_]", r"[\W\d]", r"\pL", r"\P{Lu}", r"\p{^L}", r"\Q.-\E",
        r"\x{212A}", ""])

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.lists(inner, min_size=2, max_size=4).map("".join),
            st.lists(inner, min_size=2, max_size=3).map("|".join).map("({})".format),
            st.builds("({}{}){}".format,
                      st.sampled_from(["", "?:", "?i:", "?s:", "?m:", "?-i:", "?ims:"]), inner,
                      st.sampled_from(["", "*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{0}"])))

    return st.recursive(atoms, extend, max_leaves=8)


def _re2(expression: str) -> Any:
    """Return RE2's pattern; None if it refuses the expression."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(expression, options)
    except re2.error:
        return None


@needs_re2
@given(_expressions(), st.lists(_TEXTS, min_size=1, max_size=12))
@example("(?m)(^a$\n)*", ["a\n", "a\na\n"])
@example("(?i)[^k]", ["K", "\u212a", "k"])
@example("(?i)ß", ["ß", "ẞ", "ss"])
def test_matches_are_those_of_re2(expression: str, texts: list[str]) -> None:
    pattern = _re2(expression)
    assert pattern is not None
    assert Pattern(expression).select(texts) == [
        text for text in texts if pattern.fullmatch(text) is not None]


@needs_re2
@given(st.lists(_PIECES, max_size=8).map("".join), st.lists(_TEXTS, min_size=1, max_size=4))
def test_what_re2_refuses_is_refused(expression: str, texts: list[str]) -> None:
    pattern = _re2(expression)
    try:
        ours = Pattern(expression)
    except PatternSyntaxException:
        assert pattern is None
    else:
        assert pattern is not None
        assert ours.select(texts) == [text for text in texts if pattern.fullmatch(text) is not None]


@needs_re2
@pytest.mark.parametrize("name", [
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "S", "Sc",
    "Sm", "Z", "Zs", "Zl", "C", "Cc", "Cf"])
def test_unicode_classes_are_those_of_re2(name: str) -> None:
    # Newer characters and changed categories are of the Unicode that the interpreter knows.
    chars = [char for char in map(chr, (*range(0x3000), *range(0xff00, 0xffff)))
             if unicodedata.category(char) != "Cn"]
    theirs = _re2(rf"\p{{{name}}}")
    found = set(Pattern(rf"\p{{{name}}}").select(chars))
    different = [char for char in chars if (char in found) != (theirs.fullmatch(char) is not None)]
    assert len(different) <= 3, different


@needs_re2
def test_cases_are_those_of_re2() -> None:
    chars = [chr(char) for char in range(0x2000) if chr(char).isalpha() and chr(char).swapcase() != chr(char)]
    for char in chars[::5]:
        others = sorted({char, char.lower(), char.upper(), char.casefold(), "k", "\u212a", "\u017f"})
        theirs = _re2(f"(?i){char}")
        assert Pattern(f"(?i){char}").select(others) == [
            other for other in others if theirs.fullmatch(other) is not None], char
