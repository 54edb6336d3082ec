# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port is held against lists of what Kafka has; and that this notices what it is there for."""

from __future__ import annotations

import ast
import dataclasses
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from tests.tools.scripts import TOOLS, load
from tools.checks import assertions, origins, reachable

fidelity = load("checks/fidelity")

FILE = "clients/src/main/java/org/apache/kafka/common/network/Mux.java"
MEMBERS = [origins.Member("network", FILE, line, kind, scope, name, signature)
           for line, kind, scope, name, signature in (
    (10, "class", "", "Mux", ""),
    (11, "constant", "Mux", "MAX_SIZE", ""),
    (12, "field", "Mux", "openIds", ""),
    (13, "method", "Mux", "Mux", "(int size, Map<String, List<Long>> ids)"),
    (20, "method", "Mux", "poll", "(long timeoutMs)"),
    (30, "method", "Mux", "poll", "()"),
    (40, "class", "Mux", "Slot", ""),
    (41, "field", "Mux.Slot", "id", ""),
)]
OMITTED = [origins.Omission("3.8.0", "member", "common.network.Mux.Slot", "unused", "", "nobody wants it")]
PORT = '''
class Mux:
    """:origin: common.network.Mux"""

    MAX_SIZE = 1

    def __init__(self, size):
        """:origin: common.network.Mux#Mux(
            int, Map<String, List<Long>>)
        """
        self._open_ids = {}

    def poll(self, timeout_ms):
        """:origin: common.network.Mux#poll(long)"""

    def poll_now(self):
        """:origin: common.network.Mux#poll()"""
'''


def account(source: str, members: list[object] = MEMBERS, omitted: list[object] | None = None) -> object:
    if omitted is None:
        omitted = OMITTED if MEMBERS[-1] in members else []
    module = origins.read_module("kreactor/common/network/mux.py", source)
    return origins.Account(members, [module], omissions=omitted)


def problems(source: str, omitted: list[object] = OMITTED) -> list[str]:
    """Return what is wrong with members and their order in a module."""
    found = account(source, omitted=omitted)
    return [*fidelity.check_members(found, fidelity.Table("")), *fidelity.check_order(found)]


@pytest.mark.time_limit(300)
def test_the_port_is_true() -> None:
    result = subprocess.run([sys.executable, TOOLS / "checks" / "fidelity"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    page = load("docs").counts_page(result.stdout)
    assert page.count("\nall  ") == 4 and len(page.splitlines()) > 50
    assert page == (TOOLS / "checks" / "fidelity.rst").read_text(encoding="utf-8"), "run tools/docs --write"


def emptied(source: str, *names: str) -> str:
    """Return a module whose functions of these names, or whose tests, have no bodies any more."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and (node.name in names if names else node.name[:5] == "test_"):
            docstring = ast.get_docstring(node)
            node.body = [ast.Expr(ast.Constant(docstring))] if docstring else [ast.Pass()]
    return ast.unparse(tree)


def second_claim(source: str) -> str:
    return f"{source}\n\ndef again(x):\n    ':origin: kafka.server.KafkaApis#handle'\n    return x\n"


def swapped(source: str, first: str, second: str) -> str:
    """Return a module with two of its functions in each other's place."""
    nodes = {node.name: node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}
    lines = source.splitlines(True)
    (a, b), (c, d) = ((nodes[name].lineno - 1, nodes[name].end_lineno) for name in (first, second))
    return "".join([*lines[:a], *lines[c:d], *lines[b:c], *lines[a:b], *lines[d:]])


# Changes to a copy of the tree: the file, the change, and a sentence that it must bring.
BREAKS: dict[str, tuple[str, Callable[[str], str], str]] = {
    "a body": (
        "kreactor/common/network/selector.py",
        lambda source: emptied(source, "_maybe_close_oldest_connection"),
        "Selector._maybe_close_oldest_connection does nothing, and "
        "common.network.Selector#maybeCloseOldestConnection(long) has 11 statements"),
    "a body of another group": (
        "kreactor/core/server/replica_manager.py", lambda source: emptied(source, "append_records"),
        "ReplicaManager.append_records does nothing, and kafka.server.ReplicaManager#appendRecords"),
    "a suite": (
        "tests/common/network/test_selector.py", emptied, "test_normal_operation asserts nothing"),
    "two places": (
        "kreactor/core/server/acl_apis.py", second_claim, "kafka.server.KafkaApis#handle is ported at"),
    "no member": (
        "kreactor/common/utils/exit.py", lambda source: source.replace("Exit#halt(int)", "Exit#halts(int)"),
        "Kafka has no common.utils.Exit#halts(int)"),
    "no type": (
        "kreactor/common/utils/timer.py", lambda source: source.replace("utils.Timer#", "utils.Tamer#"),
        "Kafka has no type common.utils.Tamer"),
    "no package": (
        "kreactor/common/cache/cache.py", lambda source: source.replace("common.cache.Cache", "attic.Cache"),
        "Kafka has no type attic.Cache"),
    "a reason gone": (
        "tools/checks/kafka-3.8.0/folders.tsv",
        lambda source: "".join(line for line in source.splitlines(True) if "/mock_time.py" not in line),
        "common.utils.MockTime is in kreactor/common/utils/: move it there, or give the reason"),
    "a reason too many": (
        "tools/checks/kafka-3.8.0/not_ported.tsv",
        lambda source: f"{source}core/src/main/scala/kafka/server/KafkaApis.scala\tno broker here\n",
        "KafkaApis.scala is ported in part"),
    "a body of an edition": (
        "kreactor/editions/v0_10_2/common/network/selector.py",
        lambda source: emptied(source, "_maybe_close_oldest_connection"),
        "Selector._maybe_close_oldest_connection does nothing, and "
        "common.network.Selector#maybeCloseOldestConnection(long) has 10 statements"),
    "the order of an edition": (
        "kreactor/editions/v0_10_2/common/network/kafka_channel.py",
        lambda source: swapped(source, "mute", "unmute"),
        "after what is line 98 of Kafka's KafkaChannel.java, but is its line 92: move it up"),
    "a member of an edition": (
        "kreactor/editions/v0_10_2/core/network/socket_server.py",
        lambda source: source.replace(":origin: 0.10.2.2 kafka.network.Acceptor#accept", ""),
        "0.10.2.2 kafka.network.Acceptor#accept (SocketServer.scala, line 338) is nowhere: port it"),
    "no member of an edition": (
        "kreactor/editions/v0_10_2/common/network/network_receive.py",
        lambda source: source.replace("NetworkReceive#payload()", "NetworkReceive#size()"),
        "Kafka 0.10.2.2 has no common.network.NetworkReceive#size(): correct the origin"),
    "a tag of another edition": (
        "kreactor/editions/v0_10_1/common/network/selector.py",
        lambda source: source.replace("0.10.1.1 common.network.Selector#wakeup",
                                      "0.10.2.2 common.network.Selector#wakeup"),
        'common.network.Selector#wakeup() is of 0.10.2.2, and origins here begin with "0.10.1.1 "'),
    "no tag": (
        "kreactor/editions/v0_10_1/common/network/kafka_channel.py",
        lambda source: source.replace("0.10.1.1 common.network.KafkaChannel#write",
                                      "common.network.KafkaChannel#write"),
        'common.network.KafkaChannel#write() is of 3.8.0, and origins here begin with "0.10.1.1 "'),
    "a tag in the port of 3.8.0": (
        "kreactor/common/network/network_send.py",
        lambda source: source.replace(":origin: common", ":origin: 0.10.2.2 common"),
        "common.network.NetworkSend is of 0.10.2.2, and origins here have no tag"),
    "a tag between the editions": (
        "kreactor/editions/bridge.py",
        lambda source: f"{source}\n\ndef again():\n    ':origin: 0.10.2.2 common.network.Selector#clear()'\n",
        "0.10.2.2 common.network.Selector#clear() is of 0.10.2.2, and origins here have no tag"),
    "what is not shared": (
        "tools/checks/omitted.tsv",
        lambda source: re.sub(r"(?m)^(0.10.1.1\t.*Selector#channel.*\t)a cast, .*$", r"\1as in 0.10.2.2",
                              source),
        "Selector#channel(SelectionKey) is said to be as in 0.10.2.2, and is not ported there"),
    "an omission of another edition": (
        "tools/checks/omitted.tsv",
        lambda source: re.sub(r"(?m)^0[.]10[.]2[.]2(\t.*NetworkReceive#readFromR)", r"3.4.0\1", source),
        "NetworkReceive#readFromReadableChannel(ReadableByteChannel): 3.4.0 is no release here"),
    "a kind of reason that there is not": (
        "tools/checks/omitted.tsv",
        lambda source: re.sub(r"(?m)^(3.8.0\tmember\tclients[.].*)\tunused\t\t", r"\1\tbananas\t\t", source,
                              count=1),
        "bananas is no kind of reason: it is one of python,"),
    "a reason without words": (
        "tools/checks/omitted.tsv",
        lambda source: re.sub(r"(?m)^(3.8.0\tmember\tcommon[.].*\tunused\t\t).*$", r"\1bananas", source,
                              count=1),
        "bananas is no reason: say why in words"),
    "a place that there is not": (
        "tools/checks/omitted.tsv",
        lambda source: re.sub(r"(?m)^(3.8.0\tmember\tkafka[.].*\telsewhere\t)[^\t]+", r"\1kreactor/attic.py",
                              source, count=1),
        "there is no kreactor/attic.py"),
    "an adapted function without a row": (
        "tools/checks/adapted.tsv",
        lambda source: re.sub(r"(?m)^.*\tcommon[.]protocol[.]ApiKeys#allVersions.*\n", "", source),
        "ApiKeys.all_versions has 1 statements, and common.protocol.ApiKeys#allVersions() (ApiKeys.java,"),
    "a row of a function with all statements": (
        "tools/checks/adapted.tsv",
        lambda source: (f"{source}3.8.0\tcommon.network.Selector#poll(long)\totherwise\t"
                        "kreactor/common/network/selector.py\tit is short\n"),
        "common.network.Selector#poll(long) has a third of its statements here, or a deviation: take the"),
    "a reason of an adapted function without words": (
        "tools/checks/adapted.tsv",
        lambda source: re.sub(r"(?m)^(.*\tcommon[.]acl[.]AclBinding#equals.*\t).*$", r"\1bananas", source),
        "common.acl.AclBinding#equals(Object): bananas is no reason: say why in words"),
    "a row of an adapted function of an edition that its release has not": (
        "tools/checks/adapted.tsv",
        lambda source: re.sub(r"(?m)^1[.]0[.]2(\t.*KafkaChannel#equals)", r"2.2.2\1", source),
        "KafkaChannel.__eq__ has 1 statements, and common.network.KafkaChannel#equals(Object) (KafkaCh"),
    "a case of an edition": (
        "tests/editions/v0_10_1/common/network/test_selector.py",
        lambda source: source.replace("    test_mute,\n", ""),
        "SelectorTest#testMute is nowhere: port it to tests/editions/v0_10_1/common/network/"),
    "a case of an edition that does nothing": (
        "tests/editions/v0_10_2/core/network/test_socket_server.py", emptied,
        ": test_broker_send_after_channel_closed_updates_request_metrics asserts nothing"),
    "a case that an edition's release has not": (
        "tools/checks/omitted.tsv",
        lambda source: (f"{source}0.10.2.2\tcase\tcommon.network.SslSelectorTest#testGone\tjvm\t\t"
                        "it went away\n"),
        "Kafka has no case common.network.SslSelectorTest#testGone: take the row out"),
    "an import of an edition": (
        "kreactor/core/server/acl_apis.py",
        lambda source: f"{source}\n\nfrom kreactor.editions import registry\n",
        "imports kreactor.editions.registry, which is on a floor above"),
}
# The suites that the editions pass, with their numbers of cases.
SUITES = {
    "0.10.1.1": {"SelectorTest": 12, "SslSelectorTest": 2, "SocketServerTest": 9},
    "0.10.2.2": {"SelectorTest": 12, "SslSelectorTest": 2, "SocketServerTest": 11,
                 "ThrottledResponseExpirationTest": 2},
    "1.0.2": {"SelectorTest": 19, "SslSelectorTest": 5, "SocketServerTest": 27,
              "ThrottledResponseExpirationTest": 2},
    "2.2.2": {"SelectorTest": 24, "SslSelectorTest": 4, "SocketServerTest": 34,
              "ThrottledChannelExpirationTest": 2},
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """The findings of tools/checks/fidelity in a copy of the tree with every defect."""
    copy, ignored = tmp_path_factory.mktemp("copy"), shutil.ignore_patterns("__pycache__")
    for name in ("kreactor", "tests", "tools"):
        shutil.copytree(TOOLS.parent / name, copy / name, ignore=ignored)
    for file, change, _ in BREAKS.values():
        source = (copy / file).read_text(encoding="utf-8")
        changed = change(source)
        assert changed != source, file
        (copy / file).write_text(changed, encoding="utf-8")
    command = [sys.executable, copy / "tools" / "checks" / "fidelity"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("name", BREAKS)
def test_what_breaks_a_copy(broken: subprocess.CompletedProcess[str], name: str) -> None:
    assert broken.returncode == 1, broken.stderr
    assert BREAKS[name][2] in broken.stdout


@pytest.mark.parametrize("tag", origins.edition_tags())
def test_the_suites_of_an_edition(tag: str) -> None:
    """The lists have each of the cases. That none is missing here is said by test_the_port_is_true."""
    assert Counter(PurePosixPath(file).stem for _, file, _ in origins.test_cases(tag)) == SUITES[tag]


def test_a_release_is_held_once_its_port_is_there(tmp_path: Path) -> None:
    for tag in ("2.2.2", "0.10.2.2", "1.0.2"):
        (tmp_path / "tools" / "checks" / f"kafka-{tag}").mkdir(parents=True)
    for folder in ("v0_10_2", "v2_2", "compare"):
        (tmp_path / "kreactor/editions" / folder).mkdir(parents=True)
    assert origins.edition_tags(tmp_path) == ["0.10.2.2", "2.2.2"]


def test_every_case_of_a_suite_that_was_emptied(broken: subprocess.CompletedProcess[str]) -> None:
    ours = fidelity.read_tests(TOOLS.parent / "tests/common/network/test_selector.py")
    ported = {fidelity.plain(name) for _, file, name in origins.test_cases()
              if file.endswith("/common/network/SelectorTest.java")}
    said = set(re.findall(r"tests/common/network/test_selector.py:\d+: (\w+) asserts nothing", broken.stdout))
    assert {fidelity.plain(name) for name in said} == ours & ported and len(said) == 34


@pytest.mark.parametrize("body, does", [
    ("pass", "EMPTY"), ("...", "EMPTY"), ("'Nothing.'", "EMPTY"), ("return", "EMPTY"),
    ("return None", "EMPTY"),
    ("raise NotImplementedError", "EMPTY"), ("raise NotImplementedError('no')", "EMPTY"),
    ("return False", "CONSTANT"), ("return -1", "CONSTANT"), ("return ()", "CONSTANT"),
    ("return {}", "CONSTANT"),
    ("return x", "WORKS"), ("return f()", "WORKS"), ("raise ValueError", "WORKS"), ("self.x = None", "WORKS"),
    ("x = 1; return x", "WORKS"),
])
def test_what_a_body_does(body: str, does: str) -> None:
    [node] = ast.parse(f"def f(x):\n  'Says it.'\n  {body}").body
    assert origins.body_of(node).name == does


def test_an_empty_body_where_the_origin_has_none_or_a_deviation_says_why() -> None:
    members = [dataclasses.replace(member, statements=statements) for member, statements in
               zip(MEMBERS, ("", "", "", "1", "1", "0", "", ""), strict=True)]
    poll = '":origin: common.network.Mux#poll(long)"""'.replace('":', '""":')
    for source, said in ((PORT, 1), (PORT.replace(poll, f"{poll}\n        # DEVIATION D01: no polls"), 0),
                         (PORT.replace(poll, f"{poll}\n        return timeout_ms"), 0)):
        found = fidelity.check_bodies(account(source, members))
        assert len(found) == said, found
        assert all("Mux.poll does nothing, and common.network.Mux#poll(long) has 1" in line for line in found)


def test_a_constant_is_enough_for_one_statement_only() -> None:
    source = PORT.replace("#poll()\"\"\"", "#poll()\"\"\"\n        return False")
    for statements, said in (("1", 0), ("2", 1)):
        members = [*MEMBERS[:5], dataclasses.replace(MEMBERS[5], statements=statements), *MEMBERS[6:]]
        assert len(fidelity.check_bodies(account(source, members))) == said


def test_folders() -> None:
    moved = origins.Account(MEMBERS, [origins.read_module("kreactor/common/mux.py", PORT)])
    [problem] = fidelity.check_folders(moved, {})
    assert "common.network.Mux is in kreactor/common/network/: move it there" in problem
    assert fidelity.check_folders(moved, {("kreactor/common/mux.py", "common.network"): "it is small"}) == []
    [problem] = fidelity.check_folders(account(PORT), {("kreactor/common/network/mux.py", "common"): "gone"})
    assert "ports nothing of common from another folder: take the row out" in problem
    edition = origins.read_module(
        "kreactor/editions/v0_10_2/common/mux.py", PORT.replace(":origin: ", ":origin: 0.10.2.2 "),
        "0.10.2.2")
    [problem] = fidelity.check_folders(origins.Account(MEMBERS, [edition], tag="0.10.2.2"), {})
    assert problem.endswith("Mux is in kreactor/editions/v0_10_2/common/network/: move it there.")
    assert fidelity.folder_of("kafka.server.metadata") == PurePosixPath("kreactor/core/server/metadata")


@pytest.mark.parametrize("body, asserts", [
    ("x = 1", False), ("assert x", True), ("pytest.raises(OSError, f)", True), ("pytest.fail('no')", True),
    ("mock.assert_called_once()", True), ("helper()", True), ("far()", True), ("Double().verify()", True),
    ("narrow()", False), ("loop()", False), ("elsewhere.run(Double())", True), ("unknown()", False),
    ("shared()", True),
])
def test_what_asserts(tmp_path: Path, body: str, asserts: bool) -> None:
    (tmp_path / "tests").mkdir()
    test, elsewhere = tmp_path / "tests" / "test_mux.py", tmp_path / "tests" / "elsewhere.py"
    test.write_text(f"""
from tests import elsewhere
from tests.elsewhere import far
def test_it(): {body}
def helper(): far()
def narrow():
    assert isinstance(1, int)
    assert x is not None
def loop(): loop()
class Double:
    def verify(self): assert x
""")
    elsewhere.write_text("def far(): check()\ndef check(): assert x\ndef run(double): double.verify()\n")
    (tmp_path / "tests" / "conftest.py").write_text("def shared(): assert x\n")
    tests = assertions.Tests(tmp_path)
    [case] = tests.cases(test)["test_it"]
    assert tests.asserts(test, case.node) is asserts


def test_numbers_that_are_allowed_only_fall(tmp_path: Path) -> None:
    path = tmp_path / "open.tsv"
    path.write_text("# Allowed.\ncheck\tkey\tnumber\nmembers\trecord\t2\ntests\trecord\t1\n")
    allowed = fidelity.read_allowed(path)
    assert allowed == {("members", "record"): 2, ("tests", "record"): 1}
    one, other, third = (origins.Problem("record", name) for name in ("one", "other", "third"))
    assert fidelity.beyond("members", [one, other], allowed) == []
    assert fidelity.beyond("members", [one], allowed) == [
        "open.tsv allows record 2 members, and 1 are left: run tools/checks/fidelity --lower."]
    assert fidelity.beyond("members", [one, other, third], allowed) == [
        "one", "other", "third", "open.tsv allows record 2 of these 3 members."]
    assert fidelity.beyond("order", [one], allowed) == ["one"]
    assert fidelity.beyond("members", ["anything"], {}) == ["anything"]
    fidelity.write_allowed(path, {("members", "record"): 1})
    assert path.read_text() == "# Allowed.\ncheck\tkey\tnumber\nmembers\trecord\t1\n"


def test_files_that_are_not_ported() -> None:
    file = "clients/src/main/java/org/apache/kafka/common/network/Slot.java"
    whole = origins.Member("network", file, 1, "file", "", "Slot", "(17 members)")
    later = origins.Member("network", file.replace("Slot", "Slut"), 3, "class", "", "Slut", "")
    rules = [origins.Unported(f"{file.rpartition('/')[0]}/*", "nobody wants it"),
             origins.Unported(later.file, "comes with the log")]
    module = origins.read_module("kreactor/common/network/mux.py", PORT)
    found, table = origins.Account(
        [*MEMBERS, whole, later], [module], rules, omissions=OMITTED), fidelity.Table("")
    assert fidelity.check_members(found, table) == []
    assert table.counts["network", "Slot.java"] == Counter(omitted=17)
    assert table.counts["network", "Slut.java"] == Counter(later=1)
    assert table.counts["network", "Mux.java"] == Counter(ported=6, omitted=2)
    [problem] = origins.Account(MEMBERS, [module], [origins.Unported(FILE, "no mux")]).problems
    assert f"{FILE} is ported in part (kreactor/common/network/mux.py:" in problem


def test_the_primary_constructor_of_a_scala_class() -> None:
    file = "core/src/main/scala/kafka/network/Mux.scala"
    members = [origins.Member("server", file, 10, "class", "", "Mux", "")]
    source = '''
class Mux:
    """:origin: kafka.network.Mux"""
    def __init__(self):
        """:origin: kafka.network.Mux#Mux"""
        self.open = True
'''
    assert account(source, members).problems == []
    again = "    def again(self):\n        ':origin: kafka.network.Mux#Mux'"
    [problem] = account(source + again, members).problems
    assert "kafka.network.Mux#Mux is ported at kreactor/common/network/mux.py:4 already" in problem
    [problem] = account(source.replace("#Mux", "#Max"), members).problems
    assert "Kafka has no kafka.network.Mux#Max" in problem


def test_arguments_that_are_none() -> None:
    command = [sys.executable, TOOLS / "checks" / "fidelity", "--write"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2 and "tools/checks/fidelity [--files | " in result.stderr


def test_a_module_that_is_complete() -> None:
    assert problems(PORT) == []
    table = fidelity.Table("members")
    fidelity.check_members(account(PORT), table)
    assert table.counts == {("network", "Mux.java"): Counter(ported=6, omitted=2)}


@pytest.mark.parametrize("old, new, problem", [
    ("#poll()", "#poll(long)", "common.network.Mux#poll(long) is ported at kreactor/common/network/mux.py:"),
    ("#poll()", "#pull()", "Kafka has no common.network.Mux#pull(): correct the origin."),
    ("network.Mux#poll()", "network.Max#poll()", "Kafka has no type common.network.Max: correct the origin"),
    ("_open_ids", "_ids", "common.network.Mux#openIds (Mux.java, line 12) is nowhere: port it"),
    ("MAX_SIZE", "SIZE", "common.network.Mux#MAX_SIZE (Mux.java, line 11) is nowhere: port it"),
])
def test_what_is_wrong_with_members(old: str, new: str, problem: str) -> None:
    found = problems(PORT.replace(old, new))
    assert any(problem in line for line in found), found


@pytest.mark.parametrize("origin, problem", [
    ("common.network.Mux.Slut", "Kafka has no common.network.Mux.Slut: take the row out"),
    ("common.network.Mux#poll()", "common.network.Mux#poll() is omitted, but"),
    ("common.network.Mux", "common.network.Mux is omitted, but ported"),
    ("common.network.Mux#pull()", "no common.network.Mux#pull(): take the row out"),
])
def test_what_is_wrong_with_omissions(origin: str, problem: str) -> None:
    found = problems(PORT, [dataclasses.replace(OMITTED[0], origin=origin)])
    assert any(problem in line for line in found), found


def test_a_single_omission_comes_before_a_pattern_and_a_pattern_before_a_type() -> None:
    members = [*MEMBERS, dataclasses.replace(MEMBERS[-1], line=42, name="idle"),
               dataclasses.replace(MEMBERS[-1], line=43, name="idles")]
    slot = "common.network.Mux.Slot"
    omitted = [*OMITTED, *(dataclasses.replace(OMITTED[0], origin=f"{slot}#{name}", reason=name)
                           for name in ("id*", "idle"))]
    found = account(PORT, members, omitted)
    assert found.problems == []
    reasons = {member.name: claim.reason for member, claim in found.claims.items()
               if claim.kind == "omitted"}
    assert reasons == {
        "idle": "idle", "id": "id*", "idles": "id*", "Slot": "nobody wants it"}


@pytest.mark.parametrize("kind, place, words, problem", [
    ("unused", "", "nobody wants it", ""),
    ("bananas", "", "nobody wants it", "bananas is no kind of reason: it is one of python,"),
    ("", "", "nobody wants it", "nothing is no kind of reason"),
    ("unused", "", " ", "nothing is no reason: say why in words"),
    ("unused", "", "bananas", "bananas is no reason: say why in words"),
    ("unused", "kreactor/common/uuid.py", "nobody wants it", "the kind unused has no place"),
    ("elsewhere", "", "another has it", "the kind elsewhere has a place"),
    ("elsewhere", "kreactor/attic.py", "another has it", "there is no kreactor/attic.py"),
    ("elsewhere", "kreactor/common/uuid.py:Uuid", "another has it", ""),
    ("elsewhere", "kreactor/common/uuid.py:Attic", "another has it", "there is no kreactor/common/uuid.py:"),
    ("deviation", "D01", "D01 does without", ""),
    ("deviation", "D00", "D00 does without", "there is no deviation D00"),
    ("release", "0.10.2.2", "as in 0.10.2.2", ""), ("release", "0.1", "as in 0.1", "there is no release 0.1"),
])
def test_a_reason_has_a_kind_a_place_and_words(kind: str, place: str, words: str, problem: str) -> None:
    row = dataclasses.replace(OMITTED[0], kind=kind, place=place, reason=words)
    adapted = origins.Adaptation("3.8.0", row.origin, kind, place, words)
    for found in (origins.reason_problem(row, {"D01"}), origins.reason_problem(adapted, {"D01"})):
        assert found.startswith(problem) and bool(found) is bool(problem)


def test_another_name_is_said_in_a_comment() -> None:
    other = PORT.replace("self._open_ids = {}", "self._ids = {}  # :origin: common.network.Mux#openIds")
    assert problems(other) == []


def test_a_member_that_stands_in_another_place() -> None:
    start, middle = PORT.index("    def poll("), PORT.index("    def poll_now(")
    [problem] = problems(f"{PORT[:start]}{PORT[middle:]}\n{PORT[start:middle]}")
    assert problem == ("kreactor/common/network/mux.py:16 stands after what is line 30 of Kafka's Mux.java, "
                       "but is its line 20: move it up.")


def test_constants_in_another_order() -> None:
    members = [*MEMBERS, origins.Member("network", FILE, 12, "constant", "Mux", "MIN_SIZE", "")]
    for order, problems_ in (("MAX_SIZE = MIN_SIZE = 1", 0), ("MAX_SIZE = 1; MIN_SIZE = 0", 0),
                             ("MIN_SIZE = 0\n    MAX_SIZE = 1", 1)):
        found = account(PORT.replace("MAX_SIZE = 1", order), members)
        assert len(fidelity.check_order(found)) == problems_


def test_a_companion_and_its_class_are_claimed_by_two_lines() -> None:
    file = "core/src/main/scala/kafka/network/Mux.scala"
    members = [origins.Member("server", file, line, kind, scope, name, signature)
               for line, kind, scope, name, signature in (
        (10, "object", "", "Mux", ""), (20, "class", "", "Mux", ""),
        (21, "field", "Mux", "nextId", ""), (22, "method", "Mux", "nextId", "()"),
        (23, "method", "Mux", "send", "(request: Channel.Request, done: Option[Send => Unit] = None)"),
        (24, "method", "Mux", "send", "(response: Channel.Response)"))]
    source = '''
class Mux:
    """
    :origin: kafka.network.Mux
    :origin: kafka.network.Mux
    """
    def next_id(self):
        """:origin: kafka.network.Mux#nextId"""
        self._next_id += 1
    def send(self, request, done):
        """:origin: kafka.network.Mux#send(Request, Option)"""
    def send_response(self, response):
        """:origin: kafka.network.Mux#send(Response)"""
'''
    assert account(source, members).problems == [] and account(source, members).missing() == []
    once = account(source.replace("kafka.network.Mux\n", "", 1), members)
    assert [member.kind for member in once.missing()] == ["class"]


def edge(module: str, imported: str, loaded: bool = True) -> tuple[str, str, int, bool]:
    return f"kreactor.{module}", f"kreactor.{imported}", 7, loaded


@pytest.mark.parametrize("edges, problem", [
    ([edge("common.a", "core.b")], "kreactor/common/a.py:7: kreactor.common.a imports kreactor.core.b,"),
    ([edge("common.a", "core.b", loaded=False)], "is on a floor above: turn it round, or move what is"),
    # The seam between the port and what is ours.
    *(([edge(f"{folder}.a", "embedded.b", loaded=False)], "imports kreactor.embedded.b, which is on a floor")
      for folder in ("storage", "core", "controller", "image", "metadata")),
    ([edge("core.a", "clients.b")], "and core and clients know nothing of each other"),
    ([edge("core.a", "attic.b")], "kreactor.attic is on no floor: give it one in tools/checks/fidelity."),
    ([edge("core.a", "core.b"), edge("core.b", "core.c"), edge("core.c", "core.a")],
     "core.a imports kreactor.core.b imports kreactor.core.c imports kreactor.core.a, which goes round"),
])
def test_imports_that_go_up_or_round(edges: list[tuple[str, str, int, bool]], problem: str) -> None:
    [found] = fidelity.check_floors(edges, knots=[])
    assert problem in found


def test_knots() -> None:
    knot = frozenset({"kreactor.common.a", "kreactor.common.b"})
    round_ = [edge("common.a", "common.b"), edge("common.b", "common.a")]
    assert fidelity.check_floors(round_, [knot]) == []
    more = [edge("common.b", "common.c"), edge("common.c", "common.a")]
    assert fidelity.check_floors(round_ + more, [knot])
    assert fidelity.check_floors(round_[:1], [knot]) == [
        "kreactor.common.a and kreactor.common.b do not import each other: take them out of KNOTS."]


def test_an_import_for_types_or_within_a_function_does_not_go_round() -> None:
    edges = [edge("core.a", "core.b"), edge("core.b", "core.a", loaded=False)]
    assert fidelity.check_floors(edges, []) == []


def test_imports_are_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('''
import os, kreactor.common.uuid
from kreactor.jdk import net
from kreactor.jdk.net import InetAddress
if TYPE_CHECKING:
    from kreactor.common.utils.time import Time
def later():
    import kreactor.cli
''')
    assert list(fidelity.imports(module)) == [
        ("kreactor.common.uuid", 2, True), ("kreactor.jdk.net", 3, True), ("kreactor.jdk.net", 4, True),
        ("kreactor.common.utils.time", 6, False), ("kreactor.cli", 8, False)]


@pytest.mark.parametrize("file, path", [
    ("clients/src/test/java/org/apache/kafka/common/metrics/stats/RateTest.java",
     "tests/common/metrics/stats/test_rate.py"),
    ("core/src/test/scala/unit/kafka/network/SocketServerTest.scala",
     "tests/core/network/test_socket_server.py"),
    ("core/src/test/scala/kafka/server/KafkaRequestHandlerTest.scala",
     "tests/core/server/test_kafka_request_handler.py"),
    ("core/src/test/java/kafka/utils/FileLockTest.java", "tests/core/utils/test_file_lock.py"),
])
def test_where_a_suite_stands(file: str, path: str) -> None:
    assert fidelity.mirror(file) == Path(path)


def test_cases_are_accounted_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fidelity, "ROOT", tmp_path)
    folder = "clients/src/test/java/org/apache/kafka/common/"
    (tmp_path / "tests/common").mkdir(parents=True)
    rows = (("case", "MuxTest#testSsl", "comes with TLS/SASL"), ("case", "MuxTest#testHeap", "no heap here"),
            ("case", "MuxTest#testGone", "it went"), ("suite", "SlotTest", "there are no slots"),
            ("case", "MuxTest#testPollKip35", "it is twice"))
    omitted = [origins.Omission("3.8.0", of, f"common.{name}", "unused", "", reason, line)
               for line, (of, name, reason) in enumerate(rows, 3)]
    (tmp_path / "tests/common/test_mux.py").write_text('''
class TestMux:
    def test_poll_kip_35(self): ...
''')
    cases = [("network", f"{folder}MuxTest.java", name)
             for name in ("testPollKip35", "testSsl", "testHeap", "testClose")]
    cases += [("network", f"{folder}SlotTest.java", "testFill")]
    table = fidelity.Table("test cases", ("ported", "omitted", "later", "missing"))
    assert fidelity.check_tests(cases, table, omissions=omitted) == [
        "tools/checks/omitted.tsv:7: common.MuxTest#testPollKip35 is omitted, but is in "
        "tests/common/test_mux.py: take one of the two out.",
        "MuxTest#testClose is nowhere: port it to tests/common/test_mux.py under its name, or give the "
        "reason in tools/checks/omitted.tsv.",
        "tools/checks/omitted.tsv:5: Kafka has no case common.MuxTest#testGone: take the row out."]
    assert table.counts == {("network", "MuxTest.java"): Counter(ported=1, omitted=1, later=1, missing=1),
                            ("network", "SlotTest.java"): Counter(omitted=1)}
    [line] = [line for line in table.lines() if line.startswith("all ")]
    assert line.split() == "all 1 2 1 1 5 80 % accounted for".split()


def test_a_suite_may_stand_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part names its suite: the next suite's file may begin with the same words."""
    monkeypatch.setattr(fidelity, "ROOT", tmp_path)
    folder = tmp_path / "tests/common"
    folder.mkdir(parents=True)
    (folder / "test_mux.py").write_text(
        "from kreactor.common import mux\ndef test_close(): assert mux.closed()")
    (folder / "test_mux_io.py").write_text('''
PART_OF = "MuxTest"
def test_poll(): ...
''')
    (folder / "test_mux_slot.py").write_text("def test_fill(): ...")
    file = "clients/src/test/java/org/apache/kafka/common/MuxTest.java"
    cases = [("network", file, name) for name in ("testClose", "testPoll", "testHeap", "testFill")]
    table = fidelity.Table("test cases")
    omitted = [origins.Omission("3.8.0", "case", "common.MuxTest#testHeap", "jvm", "", "no heap here")]
    assert fidelity.check_tests(cases, table, omissions=omitted) == [
        "MuxTest#testFill is nowhere: port it to tests/common/test_mux.py under its name, or give the "
        "reason in tools/checks/omitted.tsv."]
    assert table.counts == {("network", "MuxTest.java"): Counter(ported=2, omitted=1, missing=1)}
    problem, = fidelity.check_assertions(cases, fidelity.Tests(tmp_path))
    assert problem.startswith("tests/common/test_mux_io.py:3: test_poll asserts nothing")


def test_cases_that_are_taken_from_other_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that a module imports counts there, and so does one that it puts into its globals."""
    monkeypatch.setattr(fidelity, "ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_mux.py").write_text(
        "def test_poll(): ...\ndef test_close(): ...\ndef mux(): ...\n")
    for source, cases in (
            ("from tests.test_mux import mux, test_poll", {"poll"}),
            # A module is no case.
            ("from tests import test_mux", set()),
            ("from tests import test_mux as mux\nWITHOUT = ('test_close',)\n"
             "globals().update({name: value for name, value in vars(mux).items()\n"
             "                  if name.startswith('test_') and name not in WITHOUT or name == 'mux'})\n"
             "def test_more(): ...", {"poll", "more"}),
            ("from tests import test_mux\nSHARED = ('test_close', 'test_gone')\n"
             "globals().update({name: vars(test_mux)[name] for name in (*SHARED, 'mux')})", {"close"})):
        path = tmp_path / "tests/test_slot.py"
        path.write_text(source)
        assert fidelity.read_tests(path) == cases


def test_constants_are_read_without_being_imported() -> None:
    tree = origins.ast.parse('''
import nowhere
_WHY, _CLASS = "too old", "common.Mux"
OMITTED = {f"{_CLASS}#{name}": _WHY for name in ("a", "b")} | dict.fromkeys(["c"], _WHY)
OMITTED["d"] = "new"
OTHER = nowhere.value
''')
    assert origins.constant(tree, "OMITTED") == {
        "common.Mux#a": "too old", "common.Mux#b": "too old", "c": "too old", "d": "new"}
    assert origins.constant(tree, "NONE") is None


WORKING = '''
from kreactor.common import mux


class TestMux:
    def test_poll(self):
        """A poll returns what came."""
        found = mux.poll()
        assert found == [1]
'''
# Tricks with a ported test: a change of WORKING, and what is said about it.
TEST_TRICKS: dict[str, tuple[Callable[[str], str], str]] = {
    "none": (lambda source: source, ""),
    "assert True": (lambda source: source.replace("found == [1]", "True"), "asserts nothing"),
    "a comparison of constants": (lambda source: source.replace("found == [1]", "1 == 1"), "asserts nothing"),
    "an assertion of a text": (lambda source: source.replace("found == [1]", "'found'"), "asserts nothing"),
    "a skip first": (lambda source: source.replace("found = ", "pytest.skip('no')\n        found = "),
                     "skips itself"),
    "a mark that skips": (lambda source: source.replace("    def", "    @pytest.mark.skip\n    def"),
                          "is skipped"),
    "a condition that always skips": (
        lambda source: source.replace("    def", "    @pytest.mark.skipif(not False, reason='no')\n    def"),
        "is skipped"),
    "an expected failure that does not run": (
        lambda source: source.replace("    def", "    @pytest.mark.xfail(run=False)\n    def"), "is skipped"),
    "a nested function": (lambda source: source.replace("class TestMux:", "def helper():"),
                          "is inside the function helper"),
    "a class that is not collected": (lambda source: source.replace("TestMux", "Mux"),
                                      "is in the class Mux, which pytest does not collect"),
    "a class with a constructor": (
        lambda source: source.replace("    def", "    def __init__(self): ...\n    def"),
        "has a constructor"),
    "a return before the assertion": (lambda source: source.replace("assert", "return\n        assert"),
                                      "asserts nothing"),
    "a block that never runs": (lambda source: source.replace("assert", "if False: assert"),
                                "asserts nothing"),
    "a loop that never runs": (lambda source: source.replace("assert", "while 0: assert"),
                               "asserts nothing"),
    "a name that is bound again": (lambda source: f"{source}    def test_poll(self): ...\n",
                                   "is replaced in line 10"),
    "a name that is overwritten": (lambda source: f"{source}    test_poll = None\n",
                                   "is replaced in line 10"),
    "a failure that is hidden": (
        lambda source: source.replace("assert found == [1]",
                                      "try:\n            assert found == [1]\n        except: pass"),
        "asserts nothing"),
    "nothing of kreactor": (lambda source: source.replace("mux.poll()", "[1]"), "calls nothing of kreactor"),
}


@pytest.mark.parametrize("trick", TEST_TRICKS)
def test_a_trick_with_a_ported_test_is_refused(trick: str, tmp_path: Path) -> None:
    change, said = TEST_TRICKS[trick]
    path = tmp_path / "tests" / "common" / "test_mux.py"
    path.parent.mkdir(parents=True)
    path.write_text(change(WORKING), encoding="utf-8")
    tests = assertions.Tests(tmp_path)
    found = [fidelity.assertion_problem(tests, path, case) for case in tests.cases(path)["test_poll"]]
    assert found[0].startswith(said) or f" {said}" in found[0]
    assert any(found) is bool(said)
    if found[0] and "asserts" not in said and "calls" not in said and len(found) == 1:
        assert "poll" not in fidelity.read_tests(path)


LONG = "\n".join(f"        self.slots[{number}].close()" for number in range(9))
# Tricks with a ported body: the body, and what is said about it.
BODY_TRICKS = {
    "the attribute alone": ("        self.slots", "does nothing"),
    "an assignment that is not read": ("        now = 0", "does nothing"),
    "a constant": ("        return 0", "only gives a constant"),
    "a block that never runs": (f"        if False:\n{LONG.replace('        ', '            ')}",
                                "does nothing"),
    "a return first": (f"        return\n{LONG}", "does nothing"),
    "the body of a short function": ("        return self.slots.pop()", "has 1 statements"),
    "a tenth of the statements": ("        self.slots[0].close()\n        now = 0\n        self.slots",
                                  "has 1 statements"),
}


@pytest.mark.parametrize("trick", ["none", *BODY_TRICKS])
def test_a_trick_with_a_ported_body_is_refused(trick: str) -> None:
    body, said = BODY_TRICKS.get(trick, (LONG, ""))
    members = [dataclasses.replace(member, statements="9" if member.line == 20 else member.statements)
               for member in MEMBERS]
    poll = '"""' + ':origin: common.network.Mux#poll(long)"""'
    found = account(PORT.replace(poll, f"{poll}\n{body}"), members)
    problems_ = [*fidelity.check_bodies(found), *fidelity.check_adapted(found)]
    assert bool(problems_) is bool(said)
    assert not said or said in problems_[0]


ADAPTED = origins.Adaptation("3.8.0", "common.network.Mux#poll(long)", "python", "kreactor/common/uuid.py",
                             "the language has it", 3)


@pytest.mark.parametrize("lines, rows, said", [
    ("self.close()", [], "1 statements, and common.network.Mux#poll(long) (Mux.java, line 20) has 9: port"),
    ("self.close()", [ADAPTED], ""),
    ("self.close()", [dataclasses.replace(ADAPTED, release="1.0.2")], "has 1 statements, and"),
    ("self.close()  # DEVIATION D01: it is short", [], ""),
    ("self.close()  # DEVIATION D01: it is short", [ADAPTED], "has a third of its statements here, or a"),
    ("a(); b(); c()", [ADAPTED], "tools/checks/adapted.tsv:3: common.network.Mux#poll(long) has a third of"),
    ("self.close()", [ADAPTED, dataclasses.replace(ADAPTED, origin="common.network.Mux#pull(long)")],
     "no function here ports common.network.Mux#pull(long): take the row out"),
    ("self.close()", [ADAPTED, dataclasses.replace(ADAPTED, line=4)], "has another row in line 4"),
])
def test_an_adapted_function_has_a_deviation_or_a_row(
        lines: str, rows: list[origins.Adaptation], said: str) -> None:
    members = [dataclasses.replace(member, statements="9" if member.line == 20 else member.statements)
               for member in MEMBERS]
    poll = '"""' + ':origin: common.network.Mux#poll(long)"""'
    found = account(PORT.replace(poll, f"{poll}\n        {lines}"), members)
    problems_ = fidelity.check_adapted(found, rows)
    assert len(problems_) == bool(said)
    assert not said or said in problems_[0]


def test_the_list_of_adapted_functions_has_both_places_and_the_reason() -> None:
    members = [dataclasses.replace(member, statements="9" if member.line == 20 else member.statements)
               for member in MEMBERS]
    poll = '"""' + ':origin: common.network.Mux#poll(long)"""'
    for lines, reason in (("self.close()", "python: the language has it"),
                          ("self.close()  # DEVIATION D01: it is short", "D01")):
        found = account(PORT.replace(poll, f"{poll}\n        {lines}"), members)
        assert list(fidelity.list_adapted(found, [ADAPTED])) == [
            f"network: kreactor/common/network/mux.py:13 has 1, {FILE}:20 common.network.Mux#poll(long) has "
            f"9: {reason}"]


@pytest.mark.parametrize("use, statements", [
    ("self.each(close)", 3), ("return lambda: close()", 3), ("self.each()", 1), ("self.close = 0", 1),
    ("return\n    close()", 1),
])
def test_statements_of_an_inner_function_count_if_it_is_used(use: str, statements: int) -> None:
    source = f"def poll(self):\n    def close():\n        a()\n        close() or b()\n    {use}"
    [node] = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef)
    assert reachable.weight(node) == statements


HIDING = {
    "a pass": "try:\n    self.slots.close()\nexcept Exception:\n    pass",
    "a bare handler": "try:\n    self.slots.close()\nexcept:\n    pass",
    "a handler of all exceptions": "try:\n    self.slots.close()\nexcept (OSError, BaseException):\n    ...",
    "a part of the body": "self.open()\ntry:\n    self.slots.close()\nexcept Exception:\n    pass",
    "a suppress": "with contextlib.suppress(Exception):\n    self.slots.close()",
    "a log line": "try:\n    self.slots.close()\nexcept Exception as e:\n    log.debug('it failed')",
    "a constant": "try:\n    return self.slots.close()\nexcept Exception:\n    return False",
}


@pytest.mark.parametrize("trick", HIDING)
def test_a_ported_body_that_hides_its_failures_is_refused(trick: str) -> None:
    for mark, said in (("", 1), ("# DEVIATION D01: the slots never fail\n", 0)):
        [problem] = fidelity.check_hidden(polling(mark + HIDING[trick])) or [""]
        assert bool(problem) == said
        assert not said or "Mux.poll hides every exception, and common.network.Mux#poll(long)" in problem


@pytest.mark.parametrize("body", [
    "try:\n    self.slots.close()\nexcept OSError:\n    pass",
    "try:\n    self.slots.close()\nexcept Exception as e:\n    log.debug('%s', e)",
    "try:\n    self.slots.close()\nexcept BaseException:\n    self.fail()\n    raise",
    "self.open()\ntry:\n    self.slots.close()\nexcept Exception:\n    self.failures += 1",
])
def test_a_ported_body_with_a_catch_of_its_own_is_not_refused(body: str) -> None:
    assert fidelity.check_hidden(polling(body)) == []


def polling(body: str) -> object:
    """Return the account of PORT with a body of Mux.poll."""
    poll = '"""' + ':origin: common.network.Mux#poll(long)"""'
    lines = "".join(f"\n        {line}" for line in body.splitlines())
    return account(PORT.replace(poll, f"{poll}{lines}"))


@pytest.mark.parametrize("function, said", [
    # The member is ported, and a second function cannot port it.
    ("    def size(self):\n        ':origin: common.network.Mux#poll(long)'\n        return len(self.x)\n",
     "common.network.Mux#poll(long) is ported at kreactor/common/network/mux.py:13 already"),
    # The member is omitted.
    ("    def size(self):\n        ':origin: common.network.Mux.Slot'\n        return len(self.x)\n",
     "common.network.Mux.Slot is omitted, but ported or omitted at kreactor/common/network/mux.py:19 too"),
])
def test_an_origin_on_an_unrelated_function_is_refused(function: str, said: str) -> None:
    found = problems(f"{PORT}\n{function}")
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize("place", ["\nclass Mux", "    MAX_SIZE", "    def poll(", "    def poll_now("])
def test_the_mark_of_another_place_excuses_no_function(place: str) -> None:
    """A mark in the head of a module or class, above the function, or above the next one excuses nothing."""
    members = [dataclasses.replace(member, statements="9" if member.line == 20 else "")
               for member in MEMBERS]
    source = PORT.replace(place, f"{place[:-len(place.lstrip())]}# DEVIATION D01: no polls\n{place}")
    assert "DEVIATION" in source
    [problem] = fidelity.check_bodies(account(source, members))
    assert "Mux.poll does nothing, and common.network.Mux#poll(long) has 9" in problem


def test_an_origin_that_moves_to_an_unrelated_function_is_refused() -> None:
    """The true function without its origin is not counted, and the other one stands in another order."""
    origin = '"""' + ':origin: common.network.Mux#poll(long)"""'
    moved = PORT.replace(origin, "return self.ids.take(timeout_ms)") + (
        f"\n    def size(self):\n        {origin}\n        return len(self.ids)\n")
    [problem] = problems(moved)
    assert problem.startswith("kreactor/common/network/mux.py:19 stands after what is line 30")
    # In its origin's place, its few statements tell it.
    size = f"def size(self):\n        {origin}\n        return self.ids"
    above = PORT.replace(origin, f"return 1\n\n    {size}")
    members = [dataclasses.replace(member, statements="9" if member.line == 20 else "")
               for member in MEMBERS]
    [problem] = fidelity.check_adapted(account(above, members), [])
    assert re.search(r"Mux\.size has 1 statements, and common\.network\.Mux#poll\(long\) .* has 9", problem)


def test_statements_of_a_helper_and_of_a_comprehension_count() -> None:
    members = [dataclasses.replace(member, statements="9" if member.line == 20 else member.statements)
               for member in MEMBERS]
    poll = '"""' + ':origin: common.network.Mux#poll(long)"""'
    for body in ("        self._close_all()\n\n    def _close_all(self):\n        a()\n        b()",
                 "        return [slot.close() for slot in self.slots if slot.open]"):
        assert fidelity.check_adapted(account(PORT.replace(poll, f"{poll}\n{body}"), members)) == []
