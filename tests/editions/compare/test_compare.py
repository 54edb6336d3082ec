# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Every script of ours through every edition, and the differences that it is there for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kreactor.cli import main
from kreactor.editions.compare.clients import request_bytes
from kreactor.editions.compare.facts import MEANINGS
from kreactor.editions.compare.rig import FACTS, Rig, run
from kreactor.editions.compare.script import ScriptException, load_script, own_scripts, read_script
from kreactor.editions.compare.table import Comparison, html
from kreactor.editions.registry import CURRENT, EDITIONS
from tests.editions.editions import nothing_left

OLD = ("0.10.1", "0.10.2")


@pytest.fixture(autouse=True)
def check_that_nothing_is_left():
    with nothing_left():
        yield


def polls(name: str, edition: str) -> list[dict[str, str | None]]:
    found, _ = run(load_script(name), edition)
    return [facts for rounds in found for facts in rounds]


def column(name: str, edition: str, fact: str) -> list[str | None]:
    return [facts[fact] for facts in polls(name, edition)]


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("name", own_scripts())
def test_a_script_comes_out_the_same_each_time(name, edition):
    first = polls(name, edition)
    assert first == polls(name, edition)
    assert all(facts.keys() == set(FACTS) for facts in first)
    assert any(facts["keys"] or facts["error"] for facts in first)


@pytest.mark.parametrize("name", own_scripts())
def test_the_editions_differ_in_each_script(name):
    assert any(polls(name, edition) != polls(name, CURRENT) for edition in OLD)


@pytest.mark.parametrize("edition", OLD)
def test_older_editions_stage_what_one_event_brings(edition):
    assert column("staged-receives", edition, "staged")[:2] == ["", "a2, a3"]
    assert column("staged-receives", edition, "read")[1] == "a 42"
    assert column("staged-receives", CURRENT, "staged")[:2] == [None, None]
    assert column("staged-receives", CURRENT, "read")[1] == "a 14"


def test_0_10_1_loses_requests_of_a_peer_that_closes():
    def handled(edition):
        return "".join(filter(None, column("acks-0-then-close", edition, "queue")))

    assert handled("0.10.1") == ""
    assert handled("0.10.2") == "a1, a2a3"
    assert handled(CURRENT) == "a1a2a3"


@pytest.mark.parametrize("edition", OLD)
def test_a_request_of_one_byte_ends_the_round(edition):
    assert column("one-byte-request", edition, "error")[2] == "BufferUnderflowException"
    assert column("one-byte-request", edition, "muted")[-1] == "a"
    assert not any(column("one-byte-request", CURRENT, "error"))
    assert column("one-byte-request", CURRENT, "closed")[2] == "b"
    assert column("one-byte-request", CURRENT, "clients")[-1] == "a2"


@pytest.mark.parametrize("edition", OLD)
def test_the_answer_to_a_throttled_client_waits_before_2_0(edition):
    assert column("throttled-client", edition, "clients")[2:5] == ["", "", "a1"]
    assert column("throttled-client", CURRENT, "clients")[2:5] == ["a1", "", ""]
    assert column("throttled-client", CURRENT, "automaton")[3] == "a MUTED_AND_THROTTLED"


def test_a_request_waits_for_memory():
    assert column("small-pool", CURRENT, "memory")[:5] == ["0", "200", "200", "200", "200"]
    assert column("small-pool", CURRENT, "completed")[2] == ""
    assert column("small-pool", "0.10.2", "completed")[2] == "b1"
    assert run(load_script("small-pool"), "0.10.2")[1] == ["queued.max.request.bytes"]


@pytest.mark.parametrize("edition", OLD)
def test_a_silent_connection_stays_before_2_1(edition):
    assert {*column("silent-connection", edition, "disconnected")} == {"", "b"}
    assert {*column("silent-connection", CURRENT, "disconnected")} == {"", "a", "b"}


@pytest.mark.parametrize("edition", OLD)
def test_ids_collide_before_1_0(edition):
    assert column("port-again", edition, "keys")[1] == "a=b, a=b"
    assert "b1" not in column("port-again", edition, "clients")
    assert column("port-again", CURRENT, "clients")[3] == "b1"


@pytest.mark.parametrize("edition", [*OLD, CURRENT])
def test_the_second_request_of_a_record_is_found(edition):
    assert column("two-requests-in-one-record", edition, "completed")[1:4] == ["a1", "", "a2"]


@pytest.mark.parametrize("edition", OLD)
def test_a_processor_whose_poll_fails_is_dead_before_1_0(edition):
    assert column("failing-poll", edition, "error")[1:3] == ["OSError", "ClosedSelectorException"]
    assert not any(column("failing-poll", CURRENT, "error"))
    assert column("failing-poll", CURRENT, "clients")[-1] == "a2, b1"


def test_memory_of_staged_receives_is_lost_before_2_5():
    assert column("lost-memory", "2.2", "memory")[-1] == "400"
    assert column("lost-memory", CURRENT, "memory")[-1] == "0"


def test_a_round_takes_up_20_new_connections_since_2_2():
    def numbers(edition):
        return [len((keys or "").split()) for keys in column("new-connections", edition, "keys")]

    for edition in ("0.10.1", "0.10.2", "1.0"):
        assert numbers(edition) == [22, 0, 0]
    for edition in ("2.2", CURRENT):
        assert numbers(edition) == [20, 2, 0]
        assert column("new-connections", edition, "automaton")[1] == "u, v MUTED_AND_RESPONSE_PENDING"


@pytest.mark.parametrize("edition", ["2.2", CURRENT])
def test_an_unmute_that_the_automaton_refuses_is_none(edition):
    assert column("throttled-client", edition, "unmuted")[2:5] == ["", "", "a"]
    assert column("throttled-client", edition, "muted")[2] == "a"


def test_a_line_for_several_clients():
    script = read_script("x", "a to c connect over TLS\na to c send 2 of 100 bytes\npoll\n")
    assert [(step.line, step.text) for step in script.steps] == [
        (1, "a to c connect over TLS"), (1, ""), (1, ""),
        (2, "a to c send 2 of 100 bytes"), (2, ""), (2, ""), (3, "poll")]
    assert [step.client for step in script.steps[:-1]] == [*"abcabc"]
    assert all(step.tls for step in script.steps[:3])


# The facts in which 2.2 and 3.8 differ: requests are staged there, and here they wait in the kernel.
STAGED = {
    "acks-0-then-close": {"automaton", "keys", "muted", "read", "staged"},
    "lost-memory": {"memory", "read", "staged"},
    "staged-receives": {"keys", "read", "staged"},
    "throttled-client": {"keys", "read", "staged"},
    "two-requests-in-one-record": {"staged"},
}


@pytest.mark.parametrize("name", own_scripts())
def test_2_2_stages_receives_and_else_is_as_today(name):
    pairs = zip(polls(name, "2.2"), polls(name, CURRENT), strict=True)
    assert {fact for old, new in pairs for fact in FACTS
            if (old[fact] or "") != (new[fact] or "")} == STAGED.get(name, set())


def test_the_queue_of_requests_is_bounded():
    script = read_script("full", "set queued.max.requests=1\na connects\nb connects\npoll\n"
                                 "a sends 1\nb sends 1\npoll\n")
    with pytest.raises(ScriptException, match="^full, edition 3.8, line 7: the queue of requests is full"):
        run(script, CURRENT)


def test_a_client_of_a_connection_that_has_ended():
    script = read_script("x", "a connects\npoll\na sends bytes ffffffff\npoll\n"
                              "a half-closes\na sends 1\npoll\na resets\npoll\n")
    for edition in EDITIONS:
        found, _ = run(script, edition)
        assert found[3][0]["disconnected"] == "a"
        assert found[6][0]["clients"] == "a cannot send"


def test_a_property_without_sense_is_refused():
    with pytest.raises(ScriptException, match="connections.max.idle.ms"):
        Rig(CURRENT, {"connections.max.idle.ms": "soon"})


@pytest.mark.parametrize("text, message", [
    ("a connects\n", "x: no line polls"),
    ("a connects\na connects\npoll\n", "x:2: a is connected already: use another name"),
    ("a sends 1\npoll\n", "x:1: a has not connected"),
    ("a connects\nb connects over TLS\npoll\n", "x: all clients connect over TLS, or none does"),
    ("a connects\nb connects from the port of c\npoll\n", "x:2: c has not connected"),
    ("a connects\na sends 0\npoll\n", "x:2: a sends 0: 0 is not between 1 and 10000"),
    ("a connects\na sends 1 of 9 bytes\npoll\n", "x:2: a sends 1 of 9 bytes: a request has 10 to 30000"),
    ("a connects\na sends bytes 012\npoll\n", "x:2: a sends bytes 012: "),
    ("set x\npoll\n", "x:1: set x: there is no ="),
    ("a waves\npoll\n", "x:1: a waves: no step is written so"),
    ("c to a connect\npoll\n", "x:1: c to a connect: c comes after a"),
    ("a to c connect\nb connects\npoll\n", "x:2: b is connected already"),
    ("a to c send 1\npoll\n", "x:1: a has not connected"),
])
def test_a_script_that_cannot_be_read(text, message):
    with pytest.raises(ScriptException) as caught:
        read_script("x", text)
    assert str(caught.value).startswith(message)


def test_a_page_stands_alone_and_escapes():
    script = read_script("x", "title <b>\na connects\npoll\n")
    found, without = zip(*(run(script, edition) for edition in ("0.10.2", CURRENT)), strict=True)
    page = html(Comparison(script, ("0.10.2", CURRENT), found, without))
    assert "&lt;b&gt;" in page and "<b>" not in page
    assert "http" not in page
    assert "0.10.2<br><small>Kafka 0.10.2.2</small>" in page
    assert "<dt>staged</dt><dd>requests that are read, and wait in the selector</dd>" in page


def test_the_command(tmp_path: Path):
    page, facts = tmp_path / "page.html", tmp_path / "facts.json"
    result = CliRunner().invoke(main, [
        "editions", "compare", "staged-receives", "--editions", "0.10.2,3.8", "--html", str(page), "--json",
        str(facts)])
    assert result.exit_code == 0, result.output
    assert "* staged" in result.output and "  completed" in result.output
    assert "a2, a3" in page.read_text(encoding="utf-8")
    assert json.loads(facts.read_text(encoding="utf-8"))["0.10.2"][3][0]["staged"] == "a2, a3"


def test_the_help_says_what_each_row_is():
    result = CliRunner().invoke(main, ["editions", "compare", "--help"], terminal_width=120)
    words = " ".join(result.output.split())
    for name, meaning in MEANINGS.items():
        assert f" {name} {' '.join(meaning.split())} " in f"{words} ", name


def test_lists():
    assert "0.10.1.1" in CliRunner().invoke(main, ["editions", "list"]).output
    listed = CliRunner().invoke(main, ["editions", "scripts"]).output
    assert [line.split()[0] for line in listed.splitlines()] == own_scripts()


@pytest.mark.parametrize("arguments, message", [
    (["nowhere.script"], "nowhere.script: No such file or directory; kreactor has the scripts acks-0-then"),
    (["staged-receives", "--editions", "0.9"], "--editions: there is no 0.9; there are 0.10.1,"),
])
def test_a_mistake_in_the_arguments(arguments, message):
    result = CliRunner().invoke(main, ["editions", "compare", *arguments])
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_a_file_that_cannot_be_written():
    result = CliRunner().invoke(main, [
        "editions", "compare", "staged-receives", "--editions", CURRENT, "--html", "/nowhere/page.html"])
    assert result.exit_code == 1
    assert "/nowhere/page.html: No such file or directory" in result.output


@pytest.mark.parametrize("acks, least", [(True, 10), (False, 20)])
@pytest.mark.parametrize("more", [None, 0, 1, 300])
def test_a_request_has_the_size_that_its_size_field_tells(acks: bool, least: int, more: int | None) -> None:
    size = least + (more or 0)
    request = request_bytes(7, None if more is None else size, acks)
    assert len(request) == 4 + size and request[:4] == size.to_bytes(4, "big")
    with pytest.raises(ScriptException):
        request_bytes(7, least - 1, acks)
