# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The artifacts that tools/peers/kafka_release fetches, and its errors. No release is fetched."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kreactor.editions.registry import EDITIONS
from tests.tools.scripts import TOOLS, load

release = load("peers/kafka_release")
JAXB, LOGGER, ZOOKEEPER = "jaxb-api", "slf4j-simple", "zookeeper"


@pytest.mark.parametrize(("version", "expected"), [
    ("0.10.1.0", ["kafka_2.11", JAXB]), ("0.10.1.1", ["kafka_2.11", JAXB]),
    ("0.10.2.0", ["kafka_2.12", JAXB]),
    ("0.10.2.2", ["kafka_2.12", JAXB]), ("0.11.0.3", ["kafka_2.12", JAXB]), ("1.0.2", ["kafka_2.12"]),
    ("1.1.1", ["kafka_2.12", LOGGER]), ("2.0.1", ["kafka_2.12", ZOOKEEPER]),
    ("2.2.2", ["kafka_2.12", ZOOKEEPER]), ("2.3.1", ["kafka_2.12", ZOOKEEPER]),
    ("2.4.1", ["kafka_2.13", LOGGER]), ("2.8.2", ["kafka_2.13", LOGGER]), ("3.0.2", ["kafka_2.13", LOGGER]),
    ("3.8.0", ["kafka_2.13", LOGGER]), ("4.0.0", ["kafka_2.13", LOGGER]), ("4.1.0", ["kafka_2.13", LOGGER]),
    ("10.2.0", ["kafka_2.13", LOGGER])])
def test_the_artifacts_of_a_release(version: str, expected: list[str]) -> None:
    artifacts = release.artifacts(version)
    assert [name for _, name, _ in artifacts] == expected
    assert artifacts[0] == ("org.apache.kafka", expected[0], version)


def test_each_edition_can_be_fetched() -> None:
    assert [release.bad_usage([edition.tag, "--", "true"]) for edition in EDITIONS.values()] == [""] * len(
        EDITIONS)


@pytest.mark.parametrize(("version", "kraft"), [
    ("0.10.1.1", False), ("2.8.2", False), ("3.2.3", False), ("3.3.0", True), ("4.1.0", True),
    ("3.10.0", True)])
def test_kraft_or_zookeeper(version: str, kraft: bool) -> None:
    properties = release.properties(version, Path("/folder"), 1, 2)
    assert ("process.roles" in properties) == kraft == ("zookeeper.connect" not in properties)


@pytest.mark.parametrize(("output", "expected"), [
    ("", "it says nothing"), ("\nlast line\n\n", "last line"),
    ("FATAL Fatal error during KafkaServer startup.\njava.lang.NoClassDefFoundError: a/b\n\tat kafka.Kafka",
     "java.lang.NoClassDefFoundError: a/b"),
    ("Exception in thread \"main\" java.lang.UnsupportedClassVersionError: x has been compiled\n\tat y",
     "Exception in thread \"main\" java.lang.UnsupportedClassVersionError: x has been compiled"),
    ("\x1b[1;31m[ERROR]\x1b[0m Failed to execute goal: Could not find artifact a:b:jar:9 in central\n",
     "Could not find artifact a:b:jar:9"),
    ("[main] ERROR kafka.Kafka$ - no configuration\n", "] ERROR kafka.Kafka$ - no configuration")])
def test_the_reason_is_one_line(output: str, expected: str) -> None:
    assert release.reason(output) == expected
    assert len(release.reason("x" * 1000)) == 300


@pytest.mark.parametrize(("args", "said"), [
    (["3.8", "--", "true"], "3.8: not a release of Kafka, such as 0.10.1.1 or 3.8.0"),
    (["0.10.1", "--", "true"], "0.10.1: not a release of Kafka, such as 0.10.1.1 or 3.8.0"),
    (["0.9.0.1", "--", "true"], "0.9.0.1: the releases from 0.10.1.0 on can be run"),
    (["3.8.0", "x", "--", "true"], "x: not KEY=VALUE"), (["3.8.0", "--"], "the command after -- is missing"),
    (["3.8.0", "a=b"], "the command after -- is missing")])
def test_mistakes(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(args) == 2
    assert capsys.readouterr() == ("", f"Error: {said}; --help shows the usage\n")


def fetching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, maven: str) -> Path:
    """Have this script be Maven, and the cache be empty; return the folder of the release."""
    program = tmp_path / "bin" / "mvn"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{maven}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kreactor" / "kafka" / "1.0.2"


def test_jars_are_fetched_once(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = fetching(tmp_path, monkeypatch, "echo jar > kafka.jar")
    assert release.jars_of("1.0.2") == folder and (folder / "kafka.jar").exists()
    assert capsys.readouterr().err == "Fetching the jars of Kafka 1.0.2, once ...\n"
    fetching(tmp_path, monkeypatch, "exit 1")
    assert release.jars_of("1.0.2") == folder
    # Jars that an earlier version of the tool has chosen are fetched anew.
    (folder / "complete").write_text("")
    with pytest.raises(release.NotToBeHad):
        release.jars_of("1.0.2")


def test_a_release_that_maven_does_not_bring(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fetching(tmp_path, monkeypatch, "echo '[ERROR] Could not find artifact x:y:jar:1 in central'; exit 1")
    assert release.main(["1.0.2", "--", "true"]) == 3
    assert capsys.readouterr().err.splitlines()[1:] == [
        "Kafka 1.0.2 does not run here: Maven does not bring its jars: Could not find artifact x:y:jar:1"]


def test_the_help_is_no_error() -> None:
    done = subprocess.run([TOOLS / "peers" / "kafka_release", "--help"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "tools/peers/kafka_release VERSION" in done.stdout
