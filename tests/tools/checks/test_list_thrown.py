# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The exceptions and error codes of a member are read from Java and Scala."""

from __future__ import annotations


import pytest

from tests.tools.scripts import load
from tools.checks import origins

for _name in ("tree_sitter", "tree_sitter_java", "tree_sitter_scala"):
    pytest.importorskip(_name)
list_thrown = load("checks/list_thrown")


def words(suffix: str, body: str, imports: str = "") -> tuple[dict[str, int], set[str]]:
    """Return the words of the method ``send`` with this body, and the names that it calls."""
    head = "void send()" if suffix == ".java" else "def send() ="
    source = f"{imports}\nclass Mux {{\n {head} {{\n{body}\n}}\n}}"
    member = origins.Member("network", f"Mux{suffix}", 3, "method", "Mux", "send", "()")
    root = list_thrown.PARSERS[suffix].parse(source.encode()).root_node
    assert not root.has_error
    found = list_thrown.Source(root, [member], {"NONE", "NOT_COORDINATOR"}).found[member]
    return dict(found.words), found.calls


@pytest.mark.parametrize("body, found", [
    ("throw new AException();", {"throw AException": 1}),
    ("if (b) throw new a.b.AException(new BException()); throw new AException();",
     {"throw AException": 2, "new BException": 1}),
    ("future.completeExceptionally(new AException());", {"new AException": 1}),
    ("list.forEach(a -> { throw new AException(); });", {"throw AException": 1}),
    ("return a.orElseThrow(() -> new AException());", {"throw AException": 1}),
    ("return a.orElseThrow(AException::new);", {"throw AException": 1}),
    ("try { a(); } catch (AException e) { throw e; }", {"rethrow": 1}),
    ("throw (AException) b.getCause();", {"rethrow": 1}), ("throw a(b);", {"rethrow": 1}),
    ("throw Errors.NONE.exception();", {"throw Errors.NONE": 1}),
    ("a(Errors.NONE); b(NOT_COORDINATOR.code()); c(OTHER);",
     {"Errors.NONE": 1, "Errors.NOT_COORDINATOR": 1}),
    ("if (a == Errors.NONE || Errors.NONE.code() != b || Errors.NONE.equals(c)) a();", {}),
    ("if (a.equals(Errors.NONE) || b.containsKey(Errors.NONE)) a();", {}),
    ("switch (a) { case NOT_COORDINATOR: b(); }", {}),
    ("a(Errors.forException(e));", {"Errors.forException": 1}),
    ("new A(Errors.NONE.message());", {}), ("requireNonNull(a);", {"throw NullPointerException": 1}),
    ("Objects.requireNonNull(a);", {"throw NullPointerException": 1}), ("new Aerror();", {}),
    ("new A() { void b() { throw new AException(); } };", {"throw AException": 1}),
])
def test_java(body: str, found: dict[str, int]) -> None:
    imports = "import static org.apache.kafka.common.protocol.Errors.NOT_COORDINATOR;"
    assert words(".java", body, imports)[0] == found


@pytest.mark.parametrize("body, found", [
    ("throw new AException(s\"a\")", {"throw AException": 1}),
    ("a.getOrElse(throw new AException(new BException))", {"throw AException": 1, "new BException": 1}),
    ("throw AException(1)", {"throw AException": 1}), ("Left(Errors.NONE)", {"Errors.NONE": 1}),
    ("a match {\n case Errors.NONE | Errors.B => Errors.C\n case _ => throw e\n}",
     {"Errors.C": 1, "rethrow": 1}),
    ("if (a == Errors.NONE || b.contains(Errors.NONE)) c", {}),
    ("require(a, b)", {"throw IllegalArgumentException": 1}),
    ("def a() = throw new AException\na()", {"throw AException": 1}),
    ("a(Errors.forException(e))", {"Errors.forException": 1}),
    ("throw new JTimeoutException(a)", {"throw TimeoutException": 1}),
    ("a(NOT_COORDINATOR)", {"Errors.NOT_COORDINATOR": 1}),
])
def test_scala(body: str, found: dict[str, int]) -> None:
    imports = ("import java.util.concurrent.{TimeoutException => JTimeoutException}\n"
               "import org.apache.kafka.common.protocol.Errors._").replace("\n", ";")
    assert words(".scala", body, imports)[0] == found


def test_the_names_that_a_member_calls() -> None:
    java, scala = (words(suffix, body)[1] for suffix, body in (
        (".java", "a(); this.b(c); D.e(); f.g(); list.forEach(this::h);"),
        (".scala", "a(); this.b(c); f.g(); d.foreach(h)")))
    assert java == {"a", "b", "e", "h"}
    assert scala >= {"a", "h"} and "g" not in scala
