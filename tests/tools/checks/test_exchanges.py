# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Two ported functions that have each other's bodies are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.checks import exchanges, origins

FILE = "clients/src/main/java/org/apache/kafka/common/network/Mux.java"
MEMBERS = [origins.Member("network", FILE, line, kind, scope, name, "()" if scope else "")
           for line, kind, scope, name in ((10, "class", "", "Mux"), (20, "method", "Mux", "poll"),
                                           (30, "method", "Mux", "close"), (40, "method", "Mux", "equals"))]
CALLS = {
    (FILE, 20, "poll"): "select selectedKeys iterator nextReady recordThroughput",
    (FILE, 30, "close"): "wakeup cancel closeQuietly removeSensors releaseBuffers",
    (FILE, 40, "equals"): "getClass nextReady hashCode openIds",
}
POLL = "        for key in self._select().selected_keys():\n            self.record_throughput(key)\n"
CLOSE = "        self.wakeup()\n        self._drop()\n"
HELPER = ("    def _drop(self):\n        close_quietly(self.keys)\n        self.remove_sensors()\n"
          "        self.release_buffers()\n")


def told(poll: str, close: str, helper: str = HELPER, names: dict[str, str] | None = None) -> list[str]:
    """Return the problems of a class with these bodies."""
    source = 'class Mux:\n    """:origin: common.network.Mux"""\n' + "".join(
        f'    def {name}(self):\n        """:origin: common.network.Mux#{origin}()"""\n{body}'
        for name, origin, body in (("poll", "poll", poll), ("close", "close", close),
                                   ("__eq__", "equals", "        return self.keys == other.keys\n")))
    module = origins.read_module("kreactor/common/network/mux.py", source + helper)
    account = origins.Account(MEMBERS, [module])
    assert not account.problems
    calls = {place: frozenset(map(exchanges.bare, (names or {}).get(place[2], text).split()))
             for place, text in CALLS.items()}
    return exchanges.check_exchanged(account, calls)


def test_exchanged_bodies_are_told() -> None:
    assert told(POLL, CLOSE) == []
    assert told(CLOSE, POLL) == [
        "kreactor/common/network/mux.py:3: Mux.poll is more like common.network.Mux#close(), and Mux.close "
        "more like common.network.Mux#poll(): exchange their bodies, or register the deviation there."]


@pytest.mark.parametrize("poll, close", [
    (f"        # DEVIATION D01: it is turned round\n{CLOSE}", POLL),
    (CLOSE, f"        # DEVIATION D01: it is turned round\n{POLL}"),
])
def test_a_deviation_in_one_of_the_two_is_a_reason(poll: str, close: str) -> None:
    assert told(poll, close) == []


def test_a_method_with_few_names_is_not_compared() -> None:
    assert told(CLOSE, POLL, names={"poll": "select selectedKeys iterator"}) == []


def test_the_names_of_a_helper_are_those_of_its_caller() -> None:
    drops = "        self._drop()\n"
    assert told(drops, "        self.go()\n")
    assert told(drops, "        self.go()\n", HELPER.replace("_drop", "_other")) == []


def test_names_are_read_in_a_form_that_both_languages_have(tmp_path: Path) -> None:
    path = tmp_path / "calls.tsv"
    path.write_text(f"# Names.\nfile\tline\tname\tcalls\n{FILE}\t20\tpoll\tselectedKeys MAX_SIZE\n")
    assert exchanges.read_calls(path) == {(FILE, 20, "poll"): {"selectedkeys", "maxsize"}}
    assert exchanges.bare("_selected_keys") == "selectedkeys"


def test_the_list_has_the_names_of_the_ported_methods() -> None:
    calls = exchanges.read_calls()
    assert len(calls) > 3500 and all(names for names in calls.values())
