# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.tools.scripts import TOOLS, load
from tools.checks import origins

sidebyside = load("checks/sidebyside")

SCALA = "core/src/main/scala/kafka/network/Mux.scala"
MEMBERS = [origins.Member("server", SCALA, line, kind, scope, name, signature)
           for line, kind, scope, name, signature in (
    (10, "class", "", "Mux", ""), (11, "field", "Mux", "nextId", ""),
    (12, "method", "Mux", "send", "(to: Set[Id])"), (13, "method", "Mux", "flush", "()"),
    (14, "method", "Mux", "trace", "()"), (15, "method", "Mux", "login", "()"))]
OMITTED = [origins.Omission("3.8.0", "member", f"kafka.network.Mux#{name}", "unused", "", reason)
           for name, reason in (("trace", "nobody <reads> it"), ("login", "comes with TLS/SASL"))]
PORT = '''
def helper(): ...

# DEVIATION D01: of the module
class Mux:
    """:origin: kafka.network.Mux"""
    def __init__(self):
        self._next_id = 0
    def send(self, to):
        """:origin: kafka.network.Mux#send"""
        # DEVIATION D02: here
        def within(): ...
    def _own(self): ...
'''
VOID = {"meta", "col", "input", "br"}


class Balanced(HTMLParser):
    """Fails on a tag that is not closed, or refers to something outside of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        assert tag not in ("script", "link", "img", "iframe")
        for name, value in attrs:
            assert name not in ("src", "srcset") and (name != "href" or (value or "").startswith("#"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


READ_ONCE = functools.cache(sidebyside.read_port)


class Result(NamedTuple):
    """The result of a run of the script."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setattr(sidebyside, "read_port", READ_ONCE)

    def run_(*arguments: object) -> Result:
        return Result(sidebyside.main(list(map(str, arguments))), *capsys.readouterr())

    return run_


def text(html: str) -> list[str]:
    """Return the rows of the tables as text."""
    return [" | ".join(re.sub("<[^>]*>", "", cell) for cell in re.findall("<td[^>]*>(.*?)</td>", row))
            for row in re.findall("<tr[^>]*>(.*?)</tr>", html) if "<td" in row]


def test_all_of_it_is_one_page() -> None:
    result = subprocess.run([sys.executable, TOOLS / "checks" / "sidebyside"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    page = Balanced()
    page.feed(result.stdout)
    assert page.open == []
    assert "url(" not in result.stdout and "@import" not in result.stdout
    ids, links = re.findall(' id="([^"]+)"', result.stdout), re.findall(' href="#([^"]+)"', result.stdout)
    assert len(ids) == len(set(ids)) and set(links) < set(ids)
    for member in origins.members():
        assert f'<p class="module">{member.file}</p>' in result.stdout


def test_one_file(run: Run) -> None:
    rows = text(run("NetworkReceive.java").stdout)
    [read_from] = [row for row in rows if "readFrom" in row]
    assert re.fullmatch(r"81 \| readFrom\(ScatteringByteChannel channel\) \| \d+ \| read_from \| ", read_from)
    assert not any("Selector" in row for row in rows)


def test_no_such_file(run: Run) -> None:
    result = run("Selektor.java")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "not among the files of kafka-3.8.0/members.tsv: Selektor.java\n"


def test_what_a_row_says() -> None:
    account = origins.Account(MEMBERS, [origins.read_module("kreactor/core/network/mux.py", PORT)],
                              omissions=OMITTED)
    page = sidebyside.page(account, [SCALA])
    reasons = sidebyside.deviations()
    d01, d02 = (f"{id_} {sidebyside.escape(reasons[id_])}" for id_ in ("D01", "D02"))
    assert text(page) == [
        " |  |  | kreactor/core/network/mux.py",
        f"10 | class Mux | 5 | Mux | {d01}",
        " |  | 2 | helper | ",
        " |  | 7 | __init__ | ",
        "11 | nextId | 8 | _next_id | ",
        f"12 | send(to: Set[Id]) | 9 | send | {d02}",
        " |  | 13 | _own | ",
        "13 | flush() |  |  | missing",
        "14 | trace() |  |  | nobody &lt;reads&gt; it",
        "15 | login() |  |  | comes with TLS/SASL"]
    assert "3 ported, 1 omitted, 1 later, 1 missing" in page


def checkout(folder: Path, members: list[object]) -> Path:
    """Make files that name the members where they are said to stand."""
    lines: dict[str, dict[int, str]] = {}
    for member in members:
        at = lines.setdefault(member.file, {})
        at[member.line] = f"{at.get(member.line, '')} {member.name}"
    for file, names in lines.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(names.get(line, "") for line in range(1, max(names) + 1)))
    return folder


def test_lines_are_looked_up_in_a_checkout(tmp_path: Path, run: Run) -> None:
    members = [member for member in origins.members() if member.file.endswith("/NetworkReceive.java")]
    assert run("--origin", checkout(tmp_path, members), "NetworkReceive.java").returncode == 0
    path = tmp_path / members[0].file
    path.write_text("\n" + path.read_text())
    result = run("--origin", tmp_path, "NetworkReceive.java")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (f"{tmp_path} is not Kafka 3.8.0: line 31 of {members[0].file} does not name "
                             "NetworkReceive\n")


def test_a_folder_that_is_no_checkout(tmp_path: Path, run: Run) -> None:
    result = run("--origin", tmp_path)
    assert result.returncode == 1 and result.stderr.startswith(f"{tmp_path} is no checkout of Kafka: ")


KAFKA = """class Mux(val clock: Clock, out: Out) {
  private val nextId = 1
  def send(to: Set[Id]): Unit = {
    if (to.isEmpty)
      log.debug("nobody")
    else
      to.foreach { id =>
        out.write(id)
      }
  }
  def flush(): Unit = out.flush()
  def trace(): Unit = { out.trace(); flush() }
}
"""
OURS = '''
class Mux:
    """:origin: kafka.network.Mux"""
    def __init__(self, clock, out):
        self._clock = clock
        self._out = out
        self._next_id = 1
        self._sent: int
    def send(self, to):
        """:origin: kafka.network.Mux#send"""
        if not to:
            log.debug("nobody")
        for id_ in to:
            self._write(id_)
    def _write(self, id_):
        self._out.write(id_)
'''


def test_statements_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                capsys: pytest.CaptureFixture[str]) -> None:
    origin, port = tmp_path / "kafka", tmp_path / "port"
    for path, source in ((origin / SCALA, KAFKA), (port / "kreactor/mux.py", OURS)):
        path.parent.mkdir(parents=True)
        path.write_text(source)
    listed = [origins.Member("server", SCALA, line, kind, scope, name, signature)
              for line, kind, scope, name, signature in (
        (1, "class", "", "Mux", ""), (2, "field", "Mux", "nextId", ""),
        (3, "method", "Mux", "send", "(to: Set[Id])"),
        (11, "method", "Mux", "flush", "()"), (12, "method", "Mux", "trace", "()"))]
    monkeypatch.setattr(sidebyside, "members", lambda tag: listed)
    monkeypatch.setattr(sidebyside, "omissions", lambda tag, root: OMITTED[:1])
    monkeypatch.setattr(sidebyside, "STATEMENTS", {"kafka.network.Mux": frozenset()})
    arguments = ["--statements", "--origin", str(origin), "--port", str(port)]
    assert sidebyside.main(arguments) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines() if line] == [
        ["ours", "origin", "kafka.network.Mux"],
        ["3", "3", "Mux", "__init__"],
        ["4", "4", "send", "send"],
        ["-", "1", "-1", "flush", "missing"],
        ["-", "2", "-2", "trace", "left", "out"],
        ["1", "-", "+1", "_write,", "ours", "alone"],
        ["ours", "origin", "differ", "alone", "sums,", "with", "the", "types", "within"],
        ["8", "10", "-2", "4", "1", "kafka.network.Mux"],
        ["8", "10", "-2", "4", "1", "all"]]
    monkeypatch.setattr(sidebyside, "omissions", lambda tag, root: OMITTED[:1])
    monkeypatch.setattr(sidebyside, "STATEMENTS", {"kafka.network.Mux": frozenset({"send"})})
    assert sidebyside.main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[2:] for line in lines[1:3]] == [["send", "send"], []]


def test_statements_need_kafkas_sources(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("--statements")
    assert "--statements needs --origin" in capsys.readouterr().err


def test_statements_of_what_there_is() -> None:
    """Each type and method whose statements are counted is one of Kafka's, and ported."""
    account = origins.Account(origins.members(), READ_ONCE())
    for type_, methods in sidebyside.STATEMENTS.items():
        for name in methods or {""}:
            assert any(member.type == type_ and (member.name == name or not name) and claim.kind != "omitted"
                       for member, claim in account.claims.items())


def test_one_file_of_an_edition(run: Run) -> None:
    result = run("--tag", "0.10.2.2", "NetworkReceive.java")
    assert "<h1>Kafka 0.10.2.2 and kreactor, side by side</h1>" in result.stdout
    rows = text(result.stdout)
    assert any(re.fullmatch(r"70 \| readFrom\(ScatteringByteChannel channel\) \| \d+ \| read_from \| ", row)
               for row in rows)
    assert any(row.startswith("78 | readFromReadableChannel(ReadableByteChannel channel) |  |  | readFrom")
               for row in rows)


def test_lines_of_an_edition_are_looked_up_in_its_checkout(tmp_path: Path, run: Run) -> None:
    members = [member for member in origins.members("0.10.2.2")
               if member.file.endswith("/NetworkReceive.java")]
    folder = checkout(tmp_path, members)
    assert run("--tag", "0.10.2.2", "--origin", folder, "NetworkReceive.java").returncode == 0
    (folder / members[0].file).write_text("")
    result = run("--tag", "0.10.2.2", "--origin", folder, "NetworkReceive.java")
    assert result.returncode == 1 and f"{folder} is not Kafka 0.10.2.2: line" in result.stderr


@pytest.mark.parametrize("arguments, problem", [
    (["--tag", "0.9"], "there is no edition of 0.9: there are 0.10.1.1, 0.10.2.2, "),
    (["--editions", "3.8.0"], "--editions takes two releases"),
    (["--editions", "3.8.0,4.0"], "there is no edition of 4.0"),
    (["--tag", "0.10.2.2", "--statements", "--origin", "."], "--statements counts those of 3.8.0 only"),
])
def test_releases_that_are_none(run: Run, capsys: pytest.CaptureFixture[str], arguments: list[str],
                                problem: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(*arguments)
    assert problem in capsys.readouterr().err


def test_two_editions(run: Run) -> None:
    result = run("--editions", "0.10.2.2,3.8.0", "Selector.java")
    page = Balanced()
    page.feed(result.stdout)
    assert page.open == []
    rows = text(result.stdout)

    def row(title: str) -> str:
        [found] = [row for row in rows if row.startswith(title)]
        return found

    ours = r"kreactor/editions/v0_10_2/common/network/selector.py:\d+"
    current = r"kreactor/common/network/selector.py:\d+"
    for title, places in (
            ("wakeup()", f"{ours} \\| {current} \\| same"),
            ("poll(long timeout)", f"{ours} \\| {current} \\| differs"),
            ("addToStagedReceives(", f"{ours} \\|  \\| only in 0.10.2.2"),
            ("lowestPriorityChannel()", f"\\| {current} \\| only in 3.8.0"),
            # Overloads are told apart by their parameters.
            ("close(String id)", f"{ours} \\| {current} \\| differs"),
            ("muteAll()", f"{ours} \\| {current} \\| same")):
        assert re.search(f" {places}$", row(title)), row(title)
    # A member of the second release alone stands behind its neighbour there.
    titles = [row.partition("(")[0] for row in rows]
    assert titles[titles.index("closingChannel") + 1] == "lowestPriorityChannel"


def test_code_of_two_editions(run: Run) -> None:
    """A body is shown where it differs, without its docstring. Lines of one release alone are marked."""
    page = run("--editions", "0.10.2.2,3.8.0", "NetworkReceive.java").stdout
    changed = "".join(re.findall('<td class="changed"><pre>(.*?)</pre>', page))
    assert "self._buffer = ByteBuffer.allocate(receive_size)" in changed
    assert "self._memory_pool.try_allocate(self._requested_buffer_size)" in changed
    assert ":origin:" not in page


def test_a_member_that_an_edition_shares(run: Run) -> None:
    rows = text(run("--editions", "0.10.1.1,0.10.2.2", "SocketServer.scala").stdout)
    place = r"kreactor/editions/v0_10_2/core/network/socket_server.py:(\d+)"
    [accept] = [row for row in rows if row.startswith("accept(key: SelectionKey")]
    found = re.fullmatch(rf".* \| {place} \| {place} \| same; as in 0.10.2.2, .*", accept)
    assert found is not None and found[1] == found[2]


def test_a_file_that_only_one_edition_has(run: Run) -> None:
    result = run("--editions", "0.10.1.1,3.8.0", "RequestChannel.scala")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "not among the files of kafka-0.10.1.1/members.tsv: RequestChannel.scala\n"
