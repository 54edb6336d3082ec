# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import ast

import pytest

from tools.checks import statement_counts as statements


@pytest.mark.parametrize("body, count", [
    ("", 0), ("a();", 1), ("int a; final List<Map<A, B>> b;", 0), ("int a = 1;", 1), ("i++; return;", 2),
    ('// a();\n /* b(); */ c("; // }" + \'"\' + \'\\\'\');', 1),
    ("if (a) b(); else if (c) d(); else e();", 5), ("if (a) { b(); } else { c(); }", 3),
    ("for (int i = 0; i < n; i++) a(i);", 2), ("while (a) { b(); continue; }", 3),
    ("do { a(); } while (b); c();", 3),
    ("do { while (a) { b(); } } while (c);", 3),
    ("try (A a = b()) { c(); } catch (D | E e) { throw e; } finally { f(); }", 6),
    ("switch (a) { case X: case Y: b(); break; default: c(); }", 6), ("synchronized (a) { b(); }", 2),
    ("a(b -> { c(); d(); });", 3), ("a(b -> c());", 1), ("int[] a = {1, 2}; b();", 2),
    ("new A() { public void b() { c(); int d; } };", 2),
    ("log.info(a); if (log.isTraceEnabled()) log.trace(b);", 3),
])
def test_java(body: str, count: int) -> None:
    code = statements.tokens(f"class X {{\n void send(A a,\n B b) throws E {{\n{body}\n}}\n}}")
    assert statements.java(code, "send", 2) == count


def test_a_method_of_java_without_a_body() -> None:
    assert statements.java(statements.tokens("interface X { void send(A a); }"), "send", 1) == 0


@pytest.mark.parametrize("body, count", [
    (" = a", 1), (": A =\n  a.b\n   .c(d)", 1), (": Unit = { a\n b; c }", 3), (" {\n a\n}", 1),
    (": A = {}", 0),
    (' = { // a\n log(s"${b("}")} \\" c"); """d " e"""\n}', 2),
    (" = if (a) b else c", 3), (" = {\n if (a)\n  b\n else if (c) {\n  d\n }\n else e\n f }", 6),
    (" = { val a = if (b) c else d\n e }", 2), (" = { val a = if (b)\n c\n else\n d\n e }", 2),
    (" = while (a) { b }", 2), (" = { do { a } while (b)\n c }", 3), (" = for (a <- b) yield c", 2),
    (" = for { a <- b\n c <- d } { e }", 2),
    (" = try {\n a\n} catch {\n case e: B => c\n case _ => d\n} finally e", 7),
    (" = { val a = try b catch { case e: C => d }\n e }", 6),
    (" = a match {\n case B | C =>\n  d\n  e\n case D(f) if g => ()\n case _ =>\n}", 5),
    (" = a.foreach { b =>\n c\n d }", 3), (" = a.foreach { case (b, c) => d }", 2), (" = a.map(b => c)", 1),
    (" = a.fold { b } { c => d }", 3), (" = {\n def b(c: D): E = {\n f\n g }\n b(h) }", 3),
    (" = { val a = b +\n c &&\n d\n e(\n f,\n g)\n}", 2), (" = lock synchronized { a; b }", 3),
    (" = new A { override def b: C = { d; e } }", 3), (" = { @volatile var a = b\n throw c }", 2),
])
def test_scala(body: str, count: int) -> None:
    code = statements.tokens(
        f"class X {{\n def send(a: A => B)(implicit b: Map[C, D] = E){body}\n\n def next = {{ 1 }}\n}}")
    assert statements.scala(code, "send", 2) == count


def test_a_method_of_scala_without_a_body() -> None:
    assert statements.scala(statements.tokens("trait X {\n def send(): A\n def next = 1\n}"), "send", 2) == 0


@pytest.mark.parametrize("source, count", [
    ("class X", 0), ("class X(val a: A, b: Map[B, C] = d(e: F))", 2), ("class X extends Y\nclass Z(a: B)", 0),
    ("class X @Inject private[a] (b: C) extends D(b) with E {\n val f = g\n def h() = { i; j }\n k(l)\n}", 4),
    ("class X {\n private class Y(a: B) {\n c\n }\n this.d = e\n}", 1),
    ("class X {\n def this(a: B) = {\n this()\n c\n }\n}", 0),
])
def test_a_constructor_of_scala(source: str, count: int) -> None:
    assert statements.scala_constructor(statements.tokens(source), "X", 1) == count


@pytest.mark.parametrize("body, count", [
    ("pass", 0), ("'docstring'", 0), ("'docstring'\na()", 1), ("a: int\nb: int = 1\nc = d = 2", 2),
    ("global a\na += 1", 1), ("if a:\n b()\nelif c:\n d()\nelse:\n e()", 5),
    ("for a in b: c()\nelse: d()", 3), ("while a: break", 2),
    ("try: a()\nexcept B: raise\nelse: c()\nfinally: d()", 7), ("with a, b: c()", 2),
    ("match a:\n case 1: b()\n case 2 | 3: pass\n case _: c()", 5), ("a = [b for c in d if e]", 1),
    ("def a():\n return b\nreturn lambda: a()", 2), ("import a\nfrom b import c", 2), ("...", 0),
])
def test_python(body: str, count: int) -> None:
    [function] = ast.parse("def send():\n" + "\n".join(f" {line}" for line in body.splitlines())).body
    assert statements.python(function) == count


@pytest.mark.parametrize("source, why", [
    ("void send() { a(; }", "line 1: [{(] is not closed"),
    ("void other() {}", "line 1 does not declare send"),
    ("/* send", "line 1: /[*] has no end"), ("void send() {", "line 1: { is not closed"),
])
def test_what_is_no_source(source: str, why: str) -> None:
    with pytest.raises(statements.NotRead, match=why):
        statements.java(statements.tokens(source), "send", 1)
