# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port raises what Kafka throws, and the comparison tells each kind of difference."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.tools.scripts import load
from tools.checks import origins

thrown = load("checks/thrown")

FILE = "core/src/main/scala/kafka/network/Mux.scala"
MODULE = "kreactor/core/network/mux.py"
MEMBERS = [origins.Member("network", FILE, line, kind, scope, name, "") for line, kind, scope, name in (
    (10, "class", "", "Mux"), (20, "method", "Mux", "send"), (30, "method", "Mux", "poll"),
    (40, "method", "Mux", "check"), (50, "method", "Mux", "limit"))]
HEAD = '''
from kreactor.common.errors import TimeoutException as KafkaTimeoutException
from kreactor.core.network.limits import check_limit

class Mux:
    """:origin: kafka.network.Mux"""

    limit = 1  # :origin: kafka.network.Mux#limit
    _ANSWERS = {Errors.NETWORK_EXCEPTION: Errors.NOT_COORDINATOR}

    def poll(self):
        """:origin: kafka.network.Mux#poll"""

    def _own(self):
        raise KafkaException("own")

    def _own_of_own(self):
        self._own()

    def send(self, PARAMETERS):
        """:origin: kafka.network.Mux#send"""
'''
OMITTED = [origins.Omission("3.8.0", "member", "kafka.network.Mux#check", "otherwise", MODULE,
                            "send makes the check")]
CODES = {"Errors.NOT_COORDINATOR": "NotCoordinatorException"}


def comparison(tmp_path: Path, body: str, origin: str, calls: tuple[str, ...] = (),
               parameters: str = "data: bytes, error=None", **others: str) -> Any:
    """Compare Mux.send of this body with the words of its origin; ``others`` are those of other members."""
    source = HEAD.replace("PARAMETERS", parameters)
    source += "".join(f"        {line}\n" for line in body.splitlines())
    files = {MODULE: source, "kreactor/core/network/limits.py": (
        'def check_limit():\n    raise LimitException()\n')}
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    account = origins.Account(MEMBERS, [origins.read_module(MODULE, source)], omissions=OMITTED)
    assert not account.problems
    lines = {member.name: member.line for member in MEMBERS}
    words = {(FILE, lines[name], name): (Counter(text.split(", ")) if text else Counter(), list(called))
             for name, text, called in (("send", origin, calls), *((*each, ()) for each in others.items()))}
    port = thrown.Port(tmp_path, (claim for module in account.port for claim in module.claims))
    return thrown.Comparison(account, words, port, CODES)


def told(tmp_path: Path, body: str, origin: str, calls: tuple[str, ...] = (), parameters: str = "data: bytes",
         **others: str) -> list[str]:
    """Return the differences of Mux.send."""
    found = comparison(tmp_path, body, origin, calls, parameters, **others).differences()
    assert {difference.function for difference in found} <= {f"{MODULE}::Mux.send"}
    return [difference.what for difference in found]


@pytest.mark.parametrize("body, origin, what", [
    ("pass", "throw KafkaException", "missing KafkaException"),
    ("raise KafkaException('')", "", "extra KafkaException"),
    ("raise KafkaException", "", "extra KafkaException"),
    ("raise errors.KafkaException('')", "", "extra KafkaException"),
    ("raise KafkaException('') from e", "throw KafkaException, throw KafkaException",
     "count KafkaException 2 1"),
    ("if error:\n raise IndexError\nraise IndexError", "throw IndexOutOfBoundsException",
     "count IndexError 1 2"),
    ("return KafkaException('')", "throw KafkaException", "made KafkaException"),
    ("raise KafkaException('')", "new KafkaException", "thrown KafkaException"),
    ("return Errors.NETWORK_EXCEPTION", "", "extra Errors.NETWORK_EXCEPTION"),
    ("pass", "Errors.NETWORK_EXCEPTION", "missing Errors.NETWORK_EXCEPTION"),
    ("self.then(lambda: fail(KafkaException('')))", "", "extra KafkaException"),
    ("def inner():\n raise KafkaException('')\nreturn inner", "", "extra KafkaException"),
    ("try:\n self.x()\nexcept KafkaException:\n pass", "throw KafkaException", "missing KafkaException"),
    ("raise KafkaTimeoutException()", "", "extra TimeoutException"),
    ("raise A('') if error else KafkaException('')", "", "extra KafkaException"),
    ("pass", "rethrow", "missing rethrow"),
    ("self._own()", "", "extra KafkaException"),
    ("self._own()", "throw KafkaException, throw KafkaException", "count KafkaException 2 1"),
    ("self._own_of_own()", "", "extra KafkaException"),
    ("self.then(self._own)", "", "extra KafkaException"),
    ("check_limit()", "", "extra LimitException"),
])
def test_a_difference_is_told(tmp_path: Path, body: str, origin: str, what: str) -> None:
    assert told(tmp_path, body, origin) == [what]


@pytest.mark.parametrize("body, origin, what", [
    ("raise IllegalArgumentException('')", "throw KafkaException",
     ["extra ValueError", "missing KafkaException"]),
    ("return Errors.NOT_COORDINATOR", "Errors.NETWORK_EXCEPTION",
     ["extra Errors.NOT_COORDINATOR", "missing Errors.NETWORK_EXCEPTION"]),
    ("raise Errors.NETWORK_EXCEPTION.exception()", "throw Errors.NOT_COORDINATOR",
     ["extra Errors.NETWORK_EXCEPTION", "missing NotCoordinatorException"]),
])
def test_another_class_or_code_is_told_from_both_sides(tmp_path: Path, body: str, origin: str,
                                                       what: list[str]) -> None:
    assert told(tmp_path, body, origin) == what


@pytest.mark.parametrize("body, origin", [
    ("raise KafkaException('')", "throw KafkaException"),
    ("raise OSError", "throw IOException"), ("raise ValueError", "throw IllegalArgumentException"),
    ("raise TypeError", ""), ("pass", "throw NullPointerException"),
    ("exception = KafkaException('')\nraise exception", "throw KafkaException"),
    ("raise KafkaException('')", "new KafkaException, rethrow"),
    ("raise NotCoordinatorException('')", "throw Errors.NOT_COORDINATOR"),
    ("return NotCoordinatorException(Errors.NOT_COORDINATOR.message())", "Errors.NOT_COORDINATOR"),
    ("raise Errors.NOT_COORDINATOR.exception()", "throw NotCoordinatorException"),
    ("return ApiError(1), ApiError(2)", "new ApiError"), ("return Errors.NONE", ""),
    ("return error is Errors.NETWORK_EXCEPTION", ""), ("return error in (Errors.NETWORK_EXCEPTION, 1)", ""),
    ("return error.code == Errors.NETWORK_EXCEPTION.code", ""),
    ("return error.is_(Errors.NETWORK_EXCEPTION)", ""),
    ("match error:\n case Errors.NETWORK_EXCEPTION: pass", ""), ("return {Errors.NETWORK_EXCEPTION: 1}", ""),
    ("try:\n self.x()\nexcept (KafkaException, OSError) as e:\n raise", "rethrow"),
    ("self._own()", "throw KafkaException"), ("self._own()\nself._own()", "throw KafkaException"),
    ("self.poll()", ""),
    ("check_limit()", "throw LimitException"),
    ("return self._ANSWERS[error]", "Errors.NOT_COORDINATOR"), ("return self._ANSWERS[error]", ""),
])
def test_what_is_the_same_is_not_told(tmp_path: Path, body: str, origin: str) -> None:
    assert told(tmp_path, body, origin) == []


def test_null_is_told_where_no_parameter_refuses_it(tmp_path: Path) -> None:
    assert told(tmp_path, "pass", "throw NullPointerException",
                parameters="data: bytes | None") == ["missing TypeError"]
    assert told(tmp_path, "raise TypeError", "throw NullPointerException", parameters="data: Any") == []


def test_the_words_of_an_omitted_member_may_be_here(tmp_path: Path) -> None:
    body = "raise KafkaException('')"
    assert told(tmp_path, body, "", ("check",), check="throw KafkaException") == []
    assert told(tmp_path, "pass", "", ("check",), check="throw KafkaException") == []
    assert told(tmp_path, body, "", (), check="throw KafkaException") == ["extra KafkaException"]
    # The port has poll, so send does not make its checks.
    found = comparison(tmp_path, body, "", ("poll",), poll="throw KafkaException").differences()
    assert [(difference.function.rpartition(".")[2], difference.what) for difference in found] == [
        ("poll", "missing KafkaException"), ("send", "extra KafkaException")]


def test_the_words_of_a_type_may_be_anywhere_in_its_class(tmp_path: Path) -> None:
    assert comparison(tmp_path, "pass", "", Mux="throw KafkaException").differences() == []
    [difference] = comparison(tmp_path, "pass", "", Mux="throw LimitException").differences()
    assert difference == thrown.Difference(f"{MODULE}::Mux", "missing LimitException", "kafka.network.Mux")


def test_a_method_that_is_an_attribute_here_has_no_words(tmp_path: Path) -> None:
    [difference] = comparison(tmp_path, "pass", "", limit="throw KafkaException").differences()
    assert (difference.function, difference.what) == (f"{MODULE}::Mux.limit", "missing KafkaException")


def problems(tmp_path: Path, what: str, reason: str, explanation: str, body: str = "",
             origin: str = "throw KafkaException") -> list[str]:
    """Return the problems of a difference of Mux.send that has this row."""
    compared = comparison(tmp_path, body or "pass  # DEVIATION D01", origin)
    return thrown.unnamed(compared.differences(), [[f"{MODULE}::Mux.send", what, reason, explanation]],
                          compared.port)


@pytest.mark.parametrize("reason, explanation, problem", [
    ("never", "nobody sends", ""), ("java", "a cast", ""), ("often", "a send", "often is none of joined,"),
    ("joined", "two are one", "joined explains another number, and this is none"),
    ("deviation", "D01", ""), ("deviation", "D02", "the function has no mark of D02"),
    ("deviation", "surely", "the function has no mark of a deviation"),
    ("moved", "core/network/mux.py::Mux._own", ""),
    ("moved", "core/network/mux.py::Mux.poll", "core/network/mux.py::Mux.poll has no KafkaException"),
    ("moved", "core/network/mux.py::Mux.other", "there is no core/network/mux.py::Mux.other"),
    ("moved", "core/network/other.py::Mux.poll", "there is no core/network/other.py::Mux.poll"),
    ("moved", "elsewhere", "the explanation names no function"),
])
def test_the_reason_of_a_difference_is_checked(tmp_path: Path, reason: str, explanation: str,
                                               problem: str) -> None:
    found = problems(tmp_path, "missing KafkaException", reason, explanation)
    assert len(found) == bool(problem) and problem in "".join(found)


def test_a_word_that_moved_here_is_missing_elsewhere(tmp_path: Path) -> None:
    body = "raise KafkaException('')"
    [problem] = problems(tmp_path, "extra KafkaException", "moved", "core/network/mux.py::Mux.poll", body, "")
    assert problem.endswith("Mux.poll has no less of KafkaException than its origin.")
    compared = comparison(tmp_path, body, "", poll="throw KafkaException")
    rows = [[f"{MODULE}::Mux.send", "extra KafkaException", "moved", "core/network/mux.py::Mux.poll"],
            [f"{MODULE}::Mux.poll", "missing KafkaException", "moved", "core/network/mux.py::Mux.send"]]
    assert thrown.unnamed(compared.differences(), rows, compared.port) == []


def test_a_difference_without_a_row_and_a_row_without_a_difference_are_problems(tmp_path: Path) -> None:
    assert problems(tmp_path, "extra OSError", "java", "a file") == [
        f"{MODULE}::Mux.send: kafka.network.Mux#send has KafkaException, and the port does not: mend it, or "
        "name it in thrown.tsv.",
        f"{MODULE}::Mux.send: no such difference as extra OSError: take the row out of thrown.tsv."]
    compared = comparison(tmp_path, "pass", "throw KafkaException")
    row = [f"{MODULE}::Mux.send", "missing KafkaException", "never", "nobody sends"]
    found = thrown.unnamed(compared.differences(), [row, row, row[:3]], compared.port)
    assert found == [f"{MODULE}::Mux.send: two rows for missing KafkaException: take one out.",
                     f"thrown.tsv: not four fields: {row[:3]}"]


@pytest.mark.parametrize("body, problem", [
    ("pass  # DEVIATION D01", ""), ("def inner():\n pass  # DEVIATION D01", ""),
    ("self._marked()", ""), ("self._calls_marked()", ""),
    # A mark of another function, of the class or of the module's head is about something else.
    ("pass", "the function has no mark of D01"), ("self.marked_port()", "the function has no mark of D01"),
])
def test_the_mark_of_a_deviation_is_in_its_function(tmp_path: Path, body: str, problem: str) -> None:
    others = """
def _marked(self):
    pass  # DEVIATION D01
def _calls_marked(self):
    self._marked()
def marked_port(self):
    ':origin: kafka.network.Mux#limit'
    # DEVIATION D01
"""
    head = f"# DEVIATION D01\n{HEAD}".replace("class Mux:", "class Mux:\n    # DEVIATION D01\n")
    head = head.replace("    limit = 1  # :origin: kafka.network.Mux#limit\n", "")
    indented = "".join(f"    {line}\n" for line in others.splitlines())
    source = head.replace("PARAMETERS", "data") + "".join(f"        {line}\n" for line in body.splitlines())
    (tmp_path / MODULE).parent.mkdir(parents=True)
    (tmp_path / MODULE).write_text(source + indented)
    module = origins.read_module(MODULE, source + indented)
    port = thrown.Port(tmp_path, module.claims)
    difference = thrown.Difference(f"{MODULE}::Mux.send", "missing KafkaException")
    said = thrown.wrong(difference, "deviation", "D01", port, [])
    assert said.removesuffix(".") == problem
    comment = "    # It is so.\n    # DEVIATION D02\n"
    above = (source + indented).replace("    def send(", f"{comment}    def send(")
    (tmp_path / MODULE).write_text(above)
    assert "D02" in thrown.Port(tmp_path, module.claims).marks(MODULE, "Mux.send")


@pytest.mark.parametrize("what, sentence", [
    ("missing A", "o has A, and the port does not"), ("extra A", "the port has A, and o does not"),
    ("count A 2 1", "o has A 2 times, and the port 1 times"),
    ("made A", "o throws A, and the port only makes it"),
    ("thrown A", "o only makes A, and the port raises it"),
])
def test_a_difference_is_said_as_a_sentence(what: str, sentence: str) -> None:
    assert thrown.sentence(thrown.Difference("", what, "o")) == sentence


def test_each_difference_of_the_port_from_kafka_is_named() -> None:
    compared = thrown.compared()
    differences = compared.differences()
    assert thrown.unnamed(differences, thrown.rows(thrown.NAMED), compared.port) == []
    assert compared.functions > 7000
    assert compared.codes["Errors.NOT_COORDINATOR"] == "NotCoordinatorException" and len(compared.codes) > 100
