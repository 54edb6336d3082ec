# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Counts the statements of a method in Java, in Scala and in Python, by the same rules.

A statement counts 1, and so does the header of a block: if, for, while, try, catch or except, finally, switch
or match, each case of one, synchronized or with. A block adds the statements within it, wherever it stands: a
lambda with a block in an argument, a class without a name, a function in a function. A log call is a
statement like any other, in all three languages.

These count 0: comments, docstrings and strings; ``else``, ``default`` and ``case _``; a declaration
without a value; ``pass``, Scala's ``()``, ``global`` and ``nonlocal``; the header of a function or class
within a method; a conditional expression, and a lambda or comprehension of an expression.

Java ends a statement by ``;``. Scala ends one by the end of a line that its grammar takes as such; the
value of a block or of a branch is a statement, as a ``return`` is in Python. The parameters of a Scala
class are its fields: a primary constructor has a statement for each, and those of the body of its class.

The counts are a comparison, not a proof: ``x += 1`` against ``x.incrementAndGet()`` is 1 against 1, ``a = b =
c`` in one language may be two statements in another.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_JAVA_HEADERS = {"if", "for", "while", "try", "catch", "finally", "switch", "case", "synchronized"}
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_WORD = re.compile(r"[^\W\d][\w$]*")
_NUMBER = re.compile(r"\d[\w.]*")
_OPERATOR = re.compile(r"=>|<-|->|::|[-+*/%&|^!<>=~?:#@]+|.")
# In Scala the end of a line ends a statement unless one of these is before or behind it.
_GOES_ON_AFTER = {"catch", "else", "extends", "finally", "match", "with", "yield", "if", "while", "for",
                  "new", "try", "throw", "val", "var", "def", "case", "do", "lazy", "private", "override",
                  "final", "implicit"}
_GOES_ON_BEFORE = {"catch", "else", "extends", "finally", "match", "with", "yield", ",", ".", ":", "=", "=>",
                   "<-", ")", "]", "}"}

_MODIFIERS = {"@", "private", "protected", "override", "final", "implicit", "lazy", "sealed", "abstract"}


class NotRead(ValueError):
    """A source has a form that the counter does not support."""


@dataclass(frozen=True)
class Token:
    """A word, a literal (its text is ``""``), an operator or a bracket."""

    text: str
    line: int
    # Whether the token is the first of its line.
    begins: bool


def tokens(source: str) -> list[Token]:
    """Return the tokens of a source in Java or Scala, without comments. Raises NotRead."""
    found: list[Token] = []
    at, line, begins = 0, 1, True
    while at < len(source):
        character = source[at]
        if character == "\n":
            at, line, begins = at + 1, line + 1, True
            continue
        if character.isspace():
            at += 1
            continue
        end, text = _skip(source, at), ""
        if source.startswith(("//", "/*"), at):
            line, at = line + source.count("\n", at, end), end
            continue
        if end == at:
            match = _WORD.match(source, at) or _NUMBER.match(source, at) or _OPERATOR.match(source, at)
            assert match is not None
            text, end = match[0], match.end()
            comment = min((place for place in (text.find("//"), text.find("/*")) if place > 0), default=0)
            if comment:
                text, end = text[:comment], at + comment
            if text[0].isdigit():
                text = ""
            elif source.startswith('"', end) and _WORD.fullmatch(text):
                # The prefix of an interpolated string.
                end, text = _interpolated(source, end), ""
        found.append(Token(text, line, begins))
        line, at, begins = line + source.count("\n", at, end), end, False
    return found


def _skip(source: str, at: int) -> int:
    """Return the end of the comment or literal that begins here; ``at`` if none does."""
    if source.startswith("//", at):
        end = source.find("\n", at)
        return len(source) if end < 0 else end
    for begin, close in (("/*", "*/"), ('"""', '"""')):
        if source.startswith(begin, at):
            end = source.find(close, at + len(begin))
            if end < 0:
                raise NotRead(f"line {source.count(chr(10), 0, at) + 1}: {begin} has no end")
            return end + len(close)
    literal = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\[^\n]+?|[^\'\\\n])\'').match(source, at)
    return literal.end() if literal else at


def _interpolated(source: str, at: int) -> int:
    """Return the end of Scala's interpolated string, which may have strings in its expressions."""
    quote = '"""' if source.startswith('"""', at) else '"'
    at += len(quote)
    while at < len(source):
        if source.startswith(quote, at):
            return at + len(quote)
        if source.startswith("${", at):
            depth, at = 1, at + 2
            while depth:
                end = _skip(source, at)
                if end == at:
                    depth += {"{": 1, "}": -1}.get(source[at], 0)
                    end += 1
                at = end
        else:
            at += 2 if source[at] == "\\" and quote == '"' else 1
    raise NotRead("an interpolated string has no end")


def closing(code: list[Token], at: int) -> int:
    """Return the place where the bracket that opens at ``at`` is closed. Raises NotRead."""
    opened = []
    for place in range(at, len(code)):
        text = code[place].text
        if text in _PAIRS:
            opened.append(_PAIRS[text])
        elif text in (")", "]", "}"):
            if opened.pop() != text:
                break
            if not opened:
                return place
    raise NotRead(f"line {code[at].line}: {code[at].text} is not closed")


def find(code: list[Token], name: str, line: int) -> int:
    """Return the place behind a name that is declared in a line. Raises NotRead."""
    for place, token in enumerate(code):
        if token.line == line and token.text == name and code[place - 1].text != ".":
            return place + 1
    raise NotRead(f"line {line} does not declare {name}")


# Java

def java(code: list[Token], name: str, line: int) -> int:
    """Return the number of a method's statements, 0 for a method without a body. Raises NotRead."""
    at = closing(code, find(code, name, line)) + 1
    while code[at].text not in ("{", ";"):
        at += 1
    return 0 if code[at].text == ";" else java_body(code[at + 1:closing(code, at)])


def java_body(code: list[Token]) -> int:
    """Return the number of statements inside a block."""
    count = 0
    # For each open bracket, the words of its unfinished statement.
    opened: list[tuple[str, list[str]]] = [("{", [])]
    loops = 0
    for at, token in enumerate(code):
        text = token.text
        around, words = opened[-1]
        if text in _PAIRS:
            opened.append((text, []))
            words.append(text)
        elif text in (")", "]"):
            opened.pop()
            opened[-1][1].append(text)
        elif text == "}":
            opened.pop()
            # A block ends its statement, unless it is part of an expression.
            if not _in_expression(opened[-1][1]):
                opened[-1][1].clear()
        elif around == "{" and text == ";":
            count += _counts(words)
            words.clear()
        elif text == "do":
            count += 1
            loops += 1
        elif text == "while" and loops and at and code[at - 1].text == "}" and _ends(code, at):
            loops -= 1
            words.append("do")
        elif text in _JAVA_HEADERS and around == "{":
            count += 1
            words.clear()
            words.append(text)
        elif text in ("else", "default") and around == "{":
            words.clear()
            words.append(text)
        else:
            words.append(text)
            if text in (":", "->") and words[0] in ("case", "default"):
                words.clear()
            elif len(words) > 2 and words[0] in _JAVA_HEADERS and words[-2] == ")":
                # The statement of a header without a block begins here.
                del words[:-1]
            elif words[0] == "else":
                del words[:-1]
    return count


def _ends(code: list[Token], at: int) -> bool:
    """Return whether the while at ``at`` belongs to a do, and so has no body."""
    end = closing(code, at + 1) + 1
    return end < len(code) and code[end].text == ";"


def _in_expression(words: list[str]) -> bool:
    """Return whether the block behind these words is part of an expression: a lambda, a class, an array."""
    before = words[:-1]  # without the brace itself
    return bool({"->", "=", "new", "return"} & set(before)) and before[:1] != ["case"]


def _counts(words: list[str]) -> bool:
    """Return whether these words are a statement, not the end of a loop or a declaration without a value."""
    if not words or words[0] == "do":
        return False
    if words[0] in ("return", "break", "continue", "throw", "assert"):
        return True
    declared = [word for word in words if word != "final" and not re.fullmatch(r"[][<>,.?]+", word)]
    if {"(", "="} & set(words):
        return True
    return len(declared) < 2 or not all(map(_WORD.fullmatch, declared))


# Scala

def scala(code: list[Token], name: str, line: int) -> int:
    """Return the number of a method's statements, 0 for a method without a body. Raises NotRead."""
    at = find(code, name, line)
    reader = _Scala(code, at, len(code))
    reader.skip_header()
    if reader.text() == "=":
        reader.at += 1
        return reader.body()
    return reader.body() if reader.text() == "{" else 0


def scala_constructor(code: list[Token], name: str, line: int) -> int:
    """Return the number of statements of a class's primary constructor. Raises NotRead."""
    reader = _Scala(code, find(code, name, line), len(code))
    count = reader.parameters()
    while reader.text() not in ("{", None) and not reader.ends():
        if reader.text() == "(":
            # The call of the superclass's constructor counts.
            count += reader.at + 1 < closing(code, reader.at)
            reader.at = closing(code, reader.at)
        reader.at += 1
    if reader.text() != "{":
        return count
    return count + _Scala(code, reader.at + 1, closing(code, reader.at)).statements(methods=False)


class _Scala:
    """Reads tokens from ``at`` up to ``end``."""

    def __init__(self, code: list[Token], at: int, end: int) -> None:
        self._code, self.at, self._end = code, at, end

    def text(self, ahead: int = 0) -> str | None:
        """Return the current token, None behind the last one."""
        return self._code[self.at + ahead].text if self.at + ahead < self._end else None

    def ends(self) -> bool:
        """Return whether a statement that has begun ends in front of this token."""
        text = self.text()
        if text is None or text in ("}", ";"):
            return True
        before = self._code[self.at - 1].text
        return (self._code[self.at].begins and text not in _GOES_ON_BEFORE and before not in _GOES_ON_AFTER
                and not self._operator(before))

    @staticmethod
    def _operator(text: str) -> bool:
        return bool(text) and text not in (")", "]", "}", "_") and not _WORD.fullmatch(text)

    def skip(self) -> None:
        """Skip a bracket."""
        self.at = closing(self._code, self.at) + 1

    def skip_header(self) -> None:
        """Skip the parameters and the type of a function."""
        while self.text() not in ("=", "{", None) and not self.ends():
            if self.text() in ("(", "["):
                self.skip()
            else:
                self.at += 1

    def parameters(self) -> int:
        """Skip the parameters of a class; return their number."""
        count = 0
        while self.text() in ("(", "[", "private", "protected", "@"):
            if self.text() != "(":
                self.skip() if self.text() == "[" else self._next()
                continue
            end = closing(self._code, self.at)
            depth = 0
            for token in self._code[self.at:end]:
                depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
                count += token.text == ":" and depth == 1
            self.at = end + 1
        return count

    def _next(self) -> None:
        self.at += 1

    def statements(self, methods: bool = True) -> int:
        """Return the number of statements up to the end, or up to the next case."""
        count = 0
        while (text := self.text()) is not None and text != "case":
            if text == ";":
                self.at += 1
                continue
            begin = self.at
            count += self.statement(methods)
            if self.at == begin:
                raise NotRead(f"line {self._code[begin].line}: no statement begins with {text}")
        return count

    def block(self, of_match: bool = False) -> int:
        """Skip a block; return its number of statements."""
        end = closing(self._code, self.at)
        inside = _Scala(self._code, self.at + 1, end)
        self.at = end + 1
        if inside.text() != "case":
            inside.skip_lambda()
            return inside.statements()
        count = cases = catch_all = 0
        while inside.text() == "case" and inside.text(1) not in ("class", "object"):
            catch_all += inside.text(1) == "_" and inside.text(2) == "=>"
            cases += 1
            while inside.text() != "=>":
                if inside.text() in _PAIRS:
                    inside.skip()
                else:
                    inside.at += 1
            inside.at += 1
            count += inside.statements()
        # A lambda that takes its argument apart has a single case.
        return count + (cases - catch_all if of_match or cases > 1 else 0)

    def skip_lambda(self) -> None:
        """Skip the parameters of a lambda, if the block is one."""
        at = self.at
        while at < self._end and not (self._code[at].begins and at > self.at):
            text = self._code[at].text
            if text == "=>":
                self.at = at + 1
                return
            if text in ("{", "=", ";"):
                return
            at = closing(self._code, at) + 1 if text in ("(", "[") else at + 1

    def body(self) -> int:
        """Skip the block or statement here; return its number of statements."""
        if self.text() != "{":
            return self.statement()
        count = self.block()
        # A block may be the begin of an expression.
        return count if self.ends() else count + self.expression()

    def statement(self, methods: bool = True) -> int:
        """Skip a statement; return its number of statements, including inner ones."""
        while self.text() in _MODIFIERS:
            annotation = self.text() == "@"
            self.at += 2 if annotation else 1
            if self.text() in ("(", "["):
                self.skip()
        text = self.text()
        if text in ("if", "while", "for"):
            return 1 + self._headed(text)
        if text == "do":
            self.at += 1
            count = 1 + (self.block() if self.text() == "{" else self.statement())
            self.at += 1
            return count + self.inside()
        if text == "def":
            return self._local_function(methods)
        if text in ("class", "object", "trait") or text == "case" and self.text(1) in ("class", "object"):
            self._local_class()
            return 0
        if text == "{":
            return self.body()
        if text == "try":
            return self.expression()
        if text == "(" and self.text(1) == ")":
            self.at += 2
            return self.expression()
        return 1 + self.expression()

    def _headed(self, keyword: str) -> int:
        """Skip an if, a while or a for; return its number of inner statements."""
        self.at += 1
        count = 0
        if self.text() == "(":
            count = self.inside()
        else:
            self.skip()
        if self.text() == "yield":
            self.at += 1
        count += self.body()
        if keyword == "if":
            if self.text() == ";" and self.text(1) == "else":
                self.at += 1
            if self.text() == "else":
                self.at += 1
                count += self.body()
        return count

    def _local_function(self, methods: bool) -> int:
        self.at += 1
        if self.text() == "this":
            methods = False
        self.skip_header()
        if self.text() == "=":
            self.at += 1
        elif self.text() != "{":
            return 0
        count = self.body()
        return count if methods else 0

    def _local_class(self) -> None:
        self.at += 1
        while self.text() != "{" and not self.ends():
            self.skip() if self.text() in ("(", "[") else self._next()
        if self.text() == "{":
            self.skip()

    def inside(self) -> int:
        """Skip parentheses; return the number of statements of the blocks in them."""
        end = closing(self._code, self.at)
        inner = _Scala(self._code, self.at + 1, end)
        count = 0
        while inner.text() is not None:
            count += inner.piece()
        self.at = end + 1
        return count

    def piece(self) -> int:
        """Skip a token or a bracket; return its number of inner statements."""
        text = self.text()
        if text in ("(", "["):
            return self.inside()
        if text == "{":
            return self.block(self._code[self.at - 1].text in ("match", "catch"))
        self.at += 1
        return text == "try"

    def expression(self) -> int:
        """Skip an expression, or the part up to its else; return the number of statements of its blocks."""
        count, first = 0, True
        while self.text() is not None and (first or not self.ends()):
            text, first = self.text(), False
            if text in ("else", "catch", "finally"):
                break
            if text == "if":
                self.at += 1
                count += self.inside() + self._branch()
                if self.text() == "else":
                    self.at += 1
                    count += self._branch()
            elif text == "try":
                self.at += 1
                count += 1 + self.body()
                if self.text() == "catch":
                    self.at += 1
                    count += self.block(of_match=True) if self.text() == "{" else self.body()
                if self.text() == "finally":
                    self.at += 1
                    count += 1 + self.body()
            elif text == "for":
                self.at += 1
                if self.text() == "(":
                    count += self.inside()
                else:
                    self.skip()
            else:
                count += self.piece()
        return count

    def _branch(self) -> int:
        """Skip a branch of a conditional expression."""
        return self.block() if self.text() == "{" else self.expression()


# Python

_NO_STATEMENTS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass, ast.Global, ast.Nonlocal)


def python(node: ast.AST) -> int:
    """Return the number of a function's statements."""
    count = 0
    for inner in ast.walk(node):
        if isinstance(inner, _NO_STATEMENTS):
            continue
        if isinstance(inner, ast.AnnAssign):
            count += inner.value is not None
        elif isinstance(inner, ast.Expr):
            count += not isinstance(inner.value, ast.Constant)
        elif isinstance(inner, ast.stmt):
            count += 1
            count += bool(getattr(inner, "finalbody", None))
        elif isinstance(inner, ast.ExceptHandler):
            count += 1
        elif isinstance(inner, ast.match_case):
            count += not (isinstance(inner.pattern, ast.MatchAs) and inner.pattern.pattern is None
                          and inner.pattern.name is None and inner.guard is None)
    return count
