# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``com.google.re2j``: regular expressions that a stranger may write, because they match in linear time.

Python's ``re`` and ``java.util.regex`` try one path through an expression after another. ``(a+)+`` takes
years to refuse a text of 50 letters, and Python holds the interpreter's lock meanwhile. Here an expression
becomes an automaton. The automaton reads each character once, and follows all paths at the same time.

The syntax is RE2's, as RE2/J reads it: without look-around, back-references and possessive repetitions. A
Unicode class names a general category. The stdlib knows no scripts, so ``\\p{Greek}`` is refused.

Three bounds hold for any expression and any text:

* A program has at most ``MAX_SIZE`` instructions, and groups nest at most ``MAX_DEPTH`` deep. The parser
  stops at the limit, so ``((a{1000}){1000}){1000}`` takes no memory. Neither the parser nor the compiler
  recurses.
* The states that an automaton remembers have at most ``MAX_REMEMBERED`` instructions together. An automaton
  that reaches the limit forgets all its states, as RE2's does.
* A call of ``matches`` or ``select`` visits at most ``MAX_STEPS`` instructions unless it gets another budget,
  and raises at the limit. An everyday expression visits a few thousand for any number of texts, because its
  states repeat.

Any thread may use a pattern. When two threads compute the same state, the pattern keeps one of the two.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NoReturn, TypeAlias

from kreactor.jdk.exceptions import IllegalArgumentException

MAX_SIZE: Final = 20_000
MAX_DEPTH: Final = 1000
MAX_REPEAT: Final = 1000
MAX_LENGTH: Final = 100_000
MAX_REMEMBERED: Final = 100_000
MAX_STEPS: Final = 500_000

# A set of characters: where it begins and ends in turn. A character is in the set if an odd number of bounds
# is at or below it.
CharClass: TypeAlias = tuple[int, ...]

_END: Final = 0x110000
# No character from here on has another case.
_CASES_END: Final = 0x1F000
_INVALID_RANGE = "invalid character class range"
_INVALID_ESCAPE = "invalid escape sequence"
_INVALID_NAME = "invalid named capture"
_INVALID_PERL = "invalid or unsupported Perl syntax"
_INVALID_REPEAT = "invalid nested repetition operator"
_INVALID_COUNT = "invalid repeat count"
_MISSING_ARGUMENT = "missing argument to repetition operator"
_TOO_LARGE = "expression too large"

_DIGITS = "0123456789"
_OCTAL = "01234567"
_HEXADECIMAL = "0123456789abcdefABCDEF"
_ESCAPES = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}

# The kinds of the characters beside a place in the text, and the edges of the text.
_OTHER, _WORD, _NEWLINE, _EDGE = range(4)


class PatternSyntaxException(IllegalArgumentException):
    """``com.google.re2j.PatternSyntaxException``."""

    def __init__(self, description: str, part: str = "") -> None:
        super().__init__(f"error parsing regexp: {description}" + (f": `{part}`" if part else ""))
        self._description = description

    def get_description(self) -> str:
        """Return what is wrong, without the expression."""
        return self._description


class MatchLimitException(Exception):
    """A match needs more steps than its budget has."""


class Budget:
    """The steps that matches may take together. Owner: one thread."""

    __slots__ = ("steps",)

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.steps = steps

    def spend(self, steps: int) -> None:
        """Raises MatchLimitException."""
        self.steps -= steps
        if self.steps < 0:
            raise MatchLimitException(
                "matching takes too many steps; use a shorter expression, or fewer repetitions")


def compile_trusted(expression: str) -> re.Pattern[str]:
    """Compile an expression of the broker's owner for Python's ``re``. Raises PatternSyntaxException.

    Unlike RE2, ``re`` has Java's look-around and back-references. A match may take for ever, so an expression
    of a client must not come here.
    """
    try:
        return re.compile(expression)
    except (re.error, OverflowError, RecursionError) as e:
        # re raises the latter two for a count above 32 bits, and for groups nested too deeply.
        raise PatternSyntaxException(str(e), _shortened(expression)) from e


def predicate_of(expression: str) -> Callable[[str], bool]:
    """Return a test whether an expression of the broker's owner matches all of a text.

    A text may have parts that a client chose, so the match takes linear time where RE2 knows the expression's
    syntax. Other expressions go to ``re``. Raises PatternSyntaxException.
    """
    try:
        pattern = Pattern(expression)
    except PatternSyntaxException:
        trusted = compile_trusted(expression)
        return lambda text: trusted.fullmatch(text) is not None
    return lambda text: pattern.matches(text, Budget(sys.maxsize))


def _shortened(text: str) -> str:
    return text if len(text) <= 100 else text[:97] + "..."


def _class_of(ranges: Iterable[tuple[int, int]]) -> CharClass:
    """Return the set of the characters in any of the ranges, whose ends are part of them."""
    bounds: list[int] = []
    for low, high in sorted(ranges):
        if bounds and low <= bounds[-1]:
            bounds[-1] = max(bounds[-1], high + 1)
        else:
            bounds += (low, high + 1)
    return tuple(bounds)


def _ranges_of(chars: CharClass) -> list[tuple[int, int]]:
    return [(chars[i], chars[i + 1] - 1) for i in range(0, len(chars), 2)]


def _negated(chars: CharClass) -> CharClass:
    """Return the set of all other characters."""
    start = chars[1:] if chars[:1] == (0,) else (0, *chars)
    return start[:-1] if start[-1:] == (_END,) else (*start, _END)


def _contains(chars: CharClass, char: int) -> bool:
    return bisect_right(chars, char) & 1 == 1


_ANY: CharClass = (0, _END)
_ANY_BUT_NEWLINE: CharClass = (0, 10, 11, _END)
_PERL: dict[str, CharClass] = {
    "d": _class_of([(48, 57)]),
    "s": _class_of([(9, 10), (12, 13), (32, 32)]),
    "w": _class_of([(48, 57), (65, 90), (95, 95), (97, 122)]),
}
_POSIX: dict[str, CharClass] = {
    "alnum": _class_of([(48, 57), (65, 90), (97, 122)]),
    "alpha": _class_of([(65, 90), (97, 122)]),
    "ascii": _class_of([(0, 127)]),
    "blank": _class_of([(9, 9), (32, 32)]),
    "cntrl": _class_of([(0, 31), (127, 127)]),
    "digit": _PERL["d"],
    "graph": _class_of([(33, 126)]),
    "lower": _class_of([(97, 122)]),
    "print": _class_of([(32, 126)]),
    "punct": _class_of([(33, 47), (58, 64), (91, 96), (123, 126)]),
    "space": _class_of([(9, 13), (32, 32)]),
    "upper": _class_of([(65, 90)]),
    "word": _PERL["w"],
    "xdigit": _class_of([(48, 57), (65, 70), (97, 102)]),
}


@functools.cache
def _categories() -> dict[str, CharClass]:
    """Return Unicode's general categories, and each group of them, as this interpreter knows them."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    start, last = 0, unicodedata.category(chr(0))
    for char in range(1, _END + 1):
        category = "" if char == _END else unicodedata.category(chr(char))
        if category != last:
            for name in {last, last[0]}:
                # RE2's tables have no unassigned characters.
                if last != "Cn":
                    ranges.setdefault(name, []).append((start, char - 1))
            start, last = char, category
    return {name: _class_of(found) for name, found in ranges.items()} | {"Any": _ANY}


@functools.cache
def _orbits() -> dict[int, tuple[int, ...]]:
    """Return the characters that differ only in case from each character that has such."""
    by_fold: dict[int, list[int]] = {}
    for char in range(_CASES_END):
        text = chr(char)
        folded = text.casefold()
        if len(folded) != 1:
            folded = text.lower()
        if len(folded) == 1 and folded != text:
            by_fold.setdefault(ord(folded), [ord(folded)]).append(char)
    return {char: tuple(orbit) for orbit in by_fold.values() for char in orbit}


def _folded(chars: CharClass) -> CharClass:
    """Return the set with all characters that differ only in case from one of it."""
    orbits = _orbits()
    ranges = _ranges_of(chars)
    found: Iterable[int]
    if sum(high - low + 1 for low, high in ranges) < len(orbits):
        found = (char for low, high in ranges for char in range(low, high + 1) if char in orbits)
    else:
        found = (char for char in orbits if _contains(chars, char))
    return _class_of([*ranges, *((other, other) for char in found for other in orbits[char])])


class _Node:
    """A part of an expression. ``size`` is an upper bound of its instructions.

    ``repeats`` is the largest product of the counts of repetitions within each other. Kinds: "empty"; "class"
    of ``chars``; "assert" of ``name``; "cat" and "alt" of ``children``; "repeat" of one child, from
    ``low`` to ``high`` times, where -1 is no limit.
    """

    __slots__ = ("kind", "chars", "name", "children", "low", "high", "size", "repeats")

    def __init__(self, kind: str, *, chars: CharClass = (), name: str = "", children: Sequence[_Node] = (),
                 low: int = 0, high: int = 0) -> None:
        self.kind = kind
        self.chars = chars
        self.name = name
        self.children = children
        self.low, self.high = low, high
        self.repeats: int = max((child.repeats for child in children), default=1)
        self.size: int
        if kind == "repeat":
            times = max(low, high, 1)
            self.repeats *= times
            self.size = (children[0].size + 1) * times + 1
        else:
            # RE2 needs instructions for each range, too: its programs read bytes.
            self.size = 1 + sum(child.size for child in children) + len(chars) // 16


class _Group:
    """An open group: its alternatives before the last ``|``, the parts since then, the flags outside."""

    __slots__ = ("alternatives", "parts", "flags")

    def __init__(self, flags: frozenset[str]) -> None:
        self.alternatives: list[_Node] = []
        self.parts: list[_Node] = []
        self.flags = flags

    def close_alternative(self) -> None:
        parts = self.parts
        self.alternatives.append(parts[0] if len(parts) == 1 else _Node("cat", children=parts) if parts
                                 else _Node("empty"))
        self.parts = []

    def node(self) -> _Node:
        self.close_alternative()
        return self.alternatives[0] if len(self.alternatives) == 1 else _Node(
            "alt", children=self.alternatives)


class _Parser:
    """Reads an expression once, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._flags: frozenset[str] = frozenset()
        self._groups = [_Group(self._flags)]
        self._names: set[str] = set()
        self._size = 0
        self._classes: dict[CharClass, CharClass] = {}

    def parse(self) -> _Node:
        """Raises PatternSyntaxException."""
        text = self._text
        if len(text) > MAX_LENGTH:
            raise PatternSyntaxException(_TOO_LARGE)
        repeated_from: int | None = None
        while self._at < len(text):
            at, char = self._at, text[self._at]
            last_repeat, repeated_from = repeated_from, None
            if char in "*+?" or char == "{" and self._count() is not None:
                self._parse_repetition(at if last_repeat is None else last_repeat, last_repeat is not None)
                repeated_from = at
            elif char == "(":
                self._parse_group()
            elif char == ")":
                self._at += 1
                if len(self._groups) == 1:
                    raise PatternSyntaxException("unexpected )", text)
                group = self._groups.pop()
                self._flags = group.flags
                self._add(group.node())
            elif char == "|":
                self._at += 1
                self._groups[-1].close_alternative()
                self._grow(1)
            elif char == "[":
                self._add_class(self._parse_class())
            elif char == "\\":
                self._parse_escape()
            else:
                self._at += 1
                if char == ".":
                    self._add_class(_ANY if "s" in self._flags else _ANY_BUT_NEWLINE)
                elif char == "^":
                    self._assert("line start" if "m" in self._flags else "start")
                elif char == "$":
                    self._assert("line end" if "m" in self._flags else "end")
                else:
                    self._add_literal(ord(char))
        if len(self._groups) > 1:
            raise PatternSyntaxException("missing closing )", text)
        return self._groups[0].node()

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MAX_SIZE:
            raise PatternSyntaxException(_TOO_LARGE)

    def _add(self, node: _Node) -> None:
        self._groups[-1].parts.append(node)

    def _add_class(self, chars: CharClass) -> None:
        node = _Node("class", chars=self._classes.setdefault(chars, chars))
        self._grow(node.size)
        self._add(node)

    def _assert(self, name: str) -> None:
        self._grow(1)
        self._add(_Node("assert", name=name))

    def _add_literal(self, char: int) -> None:
        if "i" in self._flags:
            self._add_class(_class_of((other, other) for other in _orbits().get(char, (char,))))
        else:
            self._add_class((char, char + 1))

    # Repetitions.

    def _count(self) -> tuple[int, int, int] | None:
        """Return the limits of ``{…}`` here, -1 for none, and its end; None if it is no count."""
        text, at = self._text, self._at + 1

        def number() -> int | None:
            nonlocal at
            start = at
            while at < len(text) and text[at] in _DIGITS:
                at += 1
            if at == start or text[start] == "0" and at - start > 1:
                return None
            # A greater number is as wrong as this one.
            return int(text[start:at]) if at - start < 9 else 10**9

        low = high = number()
        if low is None:
            return None
        if text[at:at + 1] == ",":
            at += 1
            high = -1 if text[at:at + 1] == "}" else number()
        if high is None or text[at:at + 1] != "}":
            return None
        return low, high, at + 1

    def _parse_repetition(self, operators_from: int, is_repeated: bool) -> None:
        """Parse an operator. ``operators_from`` is where the first of operators next to each other begins."""
        text, at = self._text, self._at
        char = text[at]
        if char == "{":
            count = self._count()
            assert count is not None, "the caller has looked"
            low, high, self._at = count
        else:
            low, high = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[char]
            self._at += 1
        operator_end = self._at
        # Lazy or not, the expression matches the same texts.
        if text[self._at:self._at + 1] == "?":
            self._at += 1
        if is_repeated:
            raise PatternSyntaxException(_INVALID_REPEAT, text[operators_from:self._at])
        if low > MAX_REPEAT or high > MAX_REPEAT or 0 <= high < low:
            raise PatternSyntaxException(_INVALID_COUNT, text[at:operator_end])
        parts = self._groups[-1].parts
        if not parts:
            raise PatternSyntaxException(_MISSING_ARGUMENT, text[at:self._at])
        child = parts.pop()
        node = _Node("repeat", children=(child,), low=low, high=high)
        if node.repeats > MAX_REPEAT and max(low, high) >= 2:
            raise PatternSyntaxException(_INVALID_COUNT, text[at:operator_end])
        self._grow(node.size - child.size)
        self._add(node)

    # Groups.

    def _parse_group(self) -> None:
        text, at = self._text, self._at
        self._grow(1)
        if text[at + 1:at + 2] != "?":
            self._at += 1
            self._open(self._flags)
        elif text.startswith("(?P<", at) or (
                text.startswith("(?<", at) and text[at + 3:at + 4] not in ("=", "!")):
            start = text.index("<", at) + 1
            end = text.find(">", start)
            name = text[start:end]
            if end < 0:
                raise PatternSyntaxException(_INVALID_NAME, text[at:])
            if not name.isascii() or not name.replace("_", "a").isalnum():
                raise PatternSyntaxException(_INVALID_NAME, text[at:end + 1])
            if name in self._names:
                raise PatternSyntaxException("duplicate capture group name", name)
            self._names.add(name)
            self._at = end + 1
            self._open(self._flags)
        else:
            self._parse_flags()

    def _open(self, flags: frozenset[str]) -> None:
        """Open a group in which ``flags`` hold."""
        if len(self._groups) > MAX_DEPTH:
            raise PatternSyntaxException("expression nests too deeply")
        self._groups.append(_Group(self._flags))
        self._flags = flags

    def _parse_flags(self) -> None:
        """Parse ``(?flags)`` or ``(?flags:``."""
        text, start = self._text, self._at
        flags = set(self._flags)
        is_negative = has_flag = False
        for at in range(start + 2, len(text)):
            char = text[at]
            if char in "imsU":
                has_flag = True
                (flags.discard if is_negative else flags.add)(char)
            elif char == "-" and not is_negative:
                is_negative, has_flag = True, False
            elif char in ":)" and (has_flag or not is_negative):
                self._at = at + 1
                if char == ":":
                    self._open(frozenset(flags))
                else:
                    self._flags = frozenset(flags)
                return
            else:
                raise PatternSyntaxException(_INVALID_PERL, text[start:at + 1])
        raise PatternSyntaxException(_INVALID_PERL, text[start:])

    # Escapes and classes.

    def _parse_escape(self) -> None:
        """Parse a backslash outside of a class."""
        text, at = self._text, self._at
        char = text[at + 1:at + 2]
        if char == "Q":
            end = text.find("\\E", at + 2)
            for literal in text[at + 2:len(text) if end < 0 else end]:
                self._add_literal(ord(literal))
            self._at = len(text) if end < 0 else end + 2
        elif char and char in "AzbB":
            self._at += 2
            self._assert({"A": "start", "z": "end", "b": "word edge", "B": "no word edge"}[char])
        else:
            chars = self._parse_named_class()
            if chars is None:
                self._add_literal(self._parse_char_escape())
            else:
                self._add_class(chars)

    def _parse_named_class(self) -> CharClass | None:
        """Parse ``\\d`` and the like or ``\\p{…}``; return None, and read nothing, for anything else."""
        text, at = self._text, self._at
        char = text[at + 1:at + 2]
        if char and char in "dswDSW":
            self._at += 2
            return self._in_case(_PERL[char.lower()], char.isupper())
        if char not in ("p", "P"):
            return None
        first = text[at + 2:at + 3]
        end = at + 3
        name = first
        if first == "{":
            end = text.find("}", at) + 1
            if not end:
                raise PatternSyntaxException(_INVALID_RANGE, text[at:])
            name = text[at + 3:end - 1]
        is_negated = char == "P"
        if first == "{" and name.startswith("^"):
            is_negated, name = not is_negated, name[1:]
        chars = _categories().get(name)
        if chars is None:
            raise PatternSyntaxException(_INVALID_RANGE, text[at:end])
        self._at = end
        return self._in_case(chars, is_negated)

    def _in_case(self, chars: CharClass, is_negated: bool) -> CharClass:
        """Return a set with the characters of the other case if these flags hold, or what is not in it."""
        if "i" in self._flags:
            if len(chars) > 40 or chars[-1] - chars[0] > 128:
                # It takes as long as that many other parts.
                self._grow(100)
            chars = _folded(chars)
        return _negated(chars) if is_negated else chars

    def _parse_char_escape(self) -> int:
        """Parse an escape of one character."""
        text, start = self._text, self._at
        at = start + 1
        if at == len(text):
            raise PatternSyntaxException("trailing backslash at end of expression")
        char = text[at]
        at += 1

        def bad() -> NoReturn:
            raise PatternSyntaxException(_INVALID_ESCAPE, text[start:at])

        value = -1
        if char in _OCTAL and (char == "0" or text[at:at + 1] and text[at] in _OCTAL):
            while at < len(text) and at < start + 4 and text[at] in _OCTAL:
                at += 1
            value = int(text[start + 1:at], 8)
        elif char == "x" and text[at:at + 1] == "{":
            end = text.find("}", at)
            digits = text[at + 1:end].lstrip("0") if end >= 0 else ""
            if end <= at + 1 or len(digits) > 6 or any(digit not in _HEXADECIMAL for digit in digits):
                at = end + 1 if end >= 0 else len(text)
                bad()
            at = end + 1
            value = int(digits or "0", 16)
        elif char == "x":
            digits = text[at:at + 2]
            at += len(digits)
            if len(digits) < 2 or any(digit not in _HEXADECIMAL for digit in digits):
                bad()
            value = int(digits, 16)
        elif char in _ESCAPES:
            value = _ESCAPES[char]
        elif char.isascii() and not char.isalnum():
            value = ord(char)
        if not 0 <= value < _END:
            bad()
        self._at = at
        return value

    def _parse_class_char(self, start: int) -> int:
        """Parse a character of a class that begins at ``start``."""
        if self._at == len(self._text):
            raise PatternSyntaxException("missing closing ]", self._text[start:])
        if self._text[self._at] == "\\":
            return self._parse_char_escape()
        self._at += 1
        return ord(self._text[self._at - 1])

    def _parse_class(self) -> CharClass:
        text, start = self._text, self._at
        self._at += 1
        is_negated = text[self._at:self._at + 1] == "^"
        if is_negated:
            self._at += 1
        first = self._at
        # Ranges that case folding has not seen yet, and those that it must not see.
        ranges: list[tuple[int, int]] = []
        folded: list[tuple[int, int]] = []
        while text[self._at:self._at + 1] != "]" or self._at == first:
            at = self._at
            if text.startswith("[:", at) and (end := text.find(":]", at + 2)) >= 0:
                name = text[at + 2:end]
                chars = _POSIX.get(name.removeprefix("^"))
                if chars is None:
                    raise PatternSyntaxException(_INVALID_RANGE, text[at:end + 2])
                self._at = end + 2
                folded += _ranges_of(self._in_case(chars, name.startswith("^")))
                continue
            if text.startswith("\\", at):
                named = self._parse_named_class()
                if named is not None:
                    folded += _ranges_of(named)
                    self._grow(len(named) // 16)
                    continue
            low = high = self._parse_class_char(start)
            # A minus before the bracket is itself.
            if text.startswith("-", self._at) and not text.startswith("-]", self._at):
                self._at += 1
                high = self._parse_class_char(start)
                if high < low:
                    raise PatternSyntaxException(_INVALID_RANGE, text[at:self._at])
            ranges.append((low, high))
        self._at += 1
        chars = _class_of(ranges)
        if chars:
            folded += _ranges_of(self._in_case(chars, False))
        chars = _class_of(folded)
        return _negated(chars) if is_negated else chars


# Instructions: a set of characters and the next instruction; two next instructions; an assertion and the next
# one; the match.
_CHARS, _SPLIT, _ASSERT, _MATCH = range(4)
_Instruction: TypeAlias = tuple[int, CharClass | str | int, int]


def _compile(root: _Node) -> tuple[list[_Instruction], int]:
    """Return the program, and the number of its first instruction.

    The compiler begins at the expression's end, because an instruction has the number of the next one.
    ``entry`` is the first instruction of the part compiled so far. The last task in the list is the next one.
    """
    program: list[_Instruction] = [(_MATCH, 0, 0)]
    entry = 0
    tasks: list[tuple[str, _Node | None, int]] = [("node", root, 0)]
    ends: list[int] = []
    entries: list[list[int]] = []
    while tasks:
        task, node, number = tasks.pop()
        if task == "set":
            entry = ends[-1]
        elif task == "collect":
            entries[-1].append(entry)
        elif task == "alt":
            ends.pop()
            # The first alternative was compiled last.
            first, *others = entries.pop()
            entry = first
            for other in others:
                program.append((_SPLIT, other, entry))
                entry = len(program) - 1
        elif task == "loop":
            # The loop's end was compiled before it.
            program[number] = (_SPLIT, entry, ends.pop())
            entry = number
        elif task == "loop once":
            program[number] = (_SPLIT, entry, ends.pop())
        elif task == "optional":
            program.append((_SPLIT, entry, ends[-1]))
            entry = len(program) - 1
        elif task == "end":
            ends.pop()
        else:
            assert node is not None, "only other tasks have none"
            if node.kind == "class":
                program.append((_CHARS, node.chars, entry))
                entry = len(program) - 1
            elif node.kind == "assert":
                program.append((_ASSERT, node.name, entry))
                entry = len(program) - 1
            elif node.kind == "cat":
                tasks += [("node", child, 0) for child in node.children]
            elif node.kind == "alt":
                ends.append(entry)
                entries.append([])
                tasks.append(("alt", None, 0))
                for child in node.children:
                    tasks += [("collect", None, 0), ("node", child, 0), ("set", None, 0)]
            elif node.kind == "repeat":
                child = node.children[0]
                ends.append(entry)
                tasks += [("node", child, 0)] * (node.low - (node.high < 0 < node.low))
                if node.high < 0:
                    program.append((_SPLIT, 0, 0))
                    loop = len(program) - 1
                    tasks += [("loop once" if node.low else "loop", None, loop), ("node", child, 0)]
                    entry = loop
                else:
                    tasks.append(("end", None, 0))
                    tasks += [("optional", None, 0), ("node", child, 0)] * (node.high - node.low)
    return program, entry


class _State:
    """The instructions at which a match can be after some text, and the kind of the text's last character."""

    __slots__ = ("seeds", "before", "next", "is_match")

    def __init__(self, seeds: tuple[int, ...], before: int) -> None:
        self.seeds = seeds
        self.before = before
        self.next: dict[int, _State] = {}
        self.is_match: bool | None = None


class Pattern:
    """``com.google.re2j.Pattern``. Any thread may use it."""

    __slots__ = ("_pattern", "_program", "_entry", "_bounds", "_contexts", "_numbers", "_states",
                 "_remembered", "_start")

    def __init__(self, pattern: str) -> None:
        """Raises PatternSyntaxException."""
        self._pattern = pattern
        self._program, self._entry = _compile(_Parser(pattern).parse())
        names = {argument for code, argument, _ in self._program if code == _ASSERT}
        classes = {argument for code, argument, _ in self._program if isinstance(argument, tuple)}
        has_words = not names.isdisjoint(("word edge", "no word edge"))
        has_lines = not names.isdisjoint(("line start", "line end"))
        if has_words:
            classes.add(_PERL["w"])
        if has_lines:
            classes.add((10, 11))
        # Characters between the same bounds are in the same sets. Each such kind of characters has a number.
        self._bounds = sorted({0, _END}.union(*classes))
        self._contexts = [
            _WORD if has_words and _contains(_PERL["w"], char) else _NEWLINE if has_lines and char == 10
            else _OTHER for char in self._bounds]
        self._numbers: dict[str, int] = {}
        self._states: dict[tuple[tuple[int, ...], int], _State] = {}
        self._remembered = 0
        self._start = _State((self._entry,), _EDGE)

    def pattern(self) -> str:
        """Return the expression."""
        return self._pattern

    def __repr__(self) -> str:
        return f"Pattern({_shortened(self._pattern)!r})"

    def matches(self, text: str, budget: Budget | None = None) -> bool:
        """Return whether the expression matches all of the text. Raises MatchLimitException."""
        return bool(self.select((text,), budget))

    def size(self) -> int:
        """Return the number of instructions."""
        return len(self._program)

    def select(self, texts: Iterable[str], budget: Budget | None = None) -> list[str]:
        """Return the texts that the expression matches as a whole. Raises MatchLimitException.

        The budget holds for all texts together.
        """
        budget = budget or Budget()
        numbers = self._numbers
        found = []
        for text in texts:
            state = self._start
            for char in text:
                number = numbers.get(char)
                if number is None:
                    number = self._number_of(char)
                following = state.next.get(number)
                if following is None:
                    following = self._step(state, number, budget)
                state = following
                if not state.seeds:
                    break
            if state.is_match is None:
                state.is_match = any(
                    self._program[at][0] == _MATCH for at in self._closure(state, _EDGE, budget))
            if state.is_match:
                found.append(text)
        return found

    def _number_of(self, char: str) -> int:
        """Return the number of a character's kind."""
        number = bisect_right(self._bounds, ord(char)) - 1
        # A text of a stranger must not fill the memory.
        if len(self._numbers) < 1000:
            self._numbers[char] = number
        return number

    def _step(self, state: _State, number: int, budget: Budget) -> _State:
        """Return the state after a character of a kind, and remember it."""
        char = self._bounds[number]
        context = self._contexts[number]
        program = self._program
        seeds: dict[int, None] = {}
        for at in self._closure(state, context, budget):
            _, chars, following = program[at]
            if isinstance(chars, tuple) and bisect_right(chars, char) & 1:
                seeds[following] = None
        key = tuple(sorted(seeds)), context
        found = self._states.get(key)
        if found is None:
            self._remembered += len(seeds) + 10
            if self._remembered > MAX_REMEMBERED:
                self._states, self._remembered = {}, len(seeds) + 10
                # The caller's state is reachable only from the caller now.
                self._start = _State((self._entry,), _EDGE)
            self._states[key] = found = _State(*key)
        if self._states.get((state.seeds, state.before)) is state or state is self._start:
            state.next[number] = found
        return found

    def _closure(self, state: _State, after: int, budget: Budget) -> list[int]:
        """Return the instructions that need a character, and the match, before a character of a kind.

        ``after`` is ``_EDGE`` at the end of the text.
        """
        program = self._program
        before = state.before
        seen = set(state.seeds)
        waiting = list(seen)
        reached = []
        while waiting:
            at = waiting.pop()
            code, argument, following = program[at]
            if code == _SPLIT:
                assert isinstance(argument, int), "a split has two instructions"
                if argument not in seen:
                    seen.add(argument)
                    waiting.append(argument)
            elif code != _ASSERT:
                reached.append(at)
                continue
            elif not _holds(argument, before, after):
                continue
            if following not in seen:
                seen.add(following)
                waiting.append(following)
        budget.spend(len(seen))
        return reached


def _holds(name: object, before: int, after: int) -> bool:
    """Return whether an assertion holds between two kinds of characters."""
    if name == "start":
        return before == _EDGE
    elif name == "end":
        return after == _EDGE
    elif name == "line start":
        return before in (_EDGE, _NEWLINE)
    elif name == "line end":
        return after in (_EDGE, _NEWLINE)
    return ((before == _WORD) == (after == _WORD)) == (name == "no word edge")
