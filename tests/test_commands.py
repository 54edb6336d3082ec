# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Each command that a page or a help text shows runs in the environment which the page tells one to make.

A command is in one of the tables below, or this file fails. RUN and SERVED are started for real, without the
packages of the tests. CHECKED are those that need minutes, a JVM, the network, root, or other people's
software: their options are checked.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kreactor.cli import main
from kreactor.testing import Broker
from tests import bare_environment
from tests.bare_environment import ROOT
from tests.tools.scripts import TOOLS

PAGES = [ROOT / "README.rst", *sorted((ROOT / "kreactor").rglob("*.rst")), *sorted(TOOLS.glob("*.rst"))]
WAIT_S = 300
# A port that is surely free, and a folder of the test's own.
OWN = "--override listeners=PLAINTEXT://127.0.0.1:0 --override num.network.threads=1"
LISTENING = "Listening on PLAINTEXT://"

RUN = {
    "kreactor produce -b localhost:9092 -t orders -K : < orders.txt",
    "kreactor consume -b localhost:9092 -t orders -o beginning -e -J",
    "kreactor conformance --list",
    "kreactor editions scripts",
    "kreactor settings cleaner",
}
SERVED = {
    "tools/kreactor quickstart": "The broker is at ",
    "tools/kreactor serve --config server.properties --override num.io.threads=4 --data /var/lib/kreactor":
        LISTENING,
    "tools/kreactor serve --fast": LISTENING,
    "kreactor serve": LISTENING,
    "kreactor serve --add-scram users.txt": LISTENING,
    "kreactor serve --edition 1.0": LISTENING,
    "kreactor serve --edition 2.2": LISTENING,
    "kreactor serve --brokers 3 --racks a,b,c": LISTENING,
    "kreactor serve --control 127.0.0.1:8080": LISTENING,
    "kreactor serve --brokers 3 --control 127.0.0.1:8080": LISTENING,
}
_MINUTES, _SPARK, _PIP = "takes minutes", "needs Spark and a JVM: tests/pipeline", "needs a package index"
CHECKED = {
    "pip install .": _PIP, "pip install '.[oauth]'": _PIP, "pip install '.[tls]'": _PIP,
    "kreactor quickstart": "names the command, which tools/kreactor runs with its extra",
    "kreactor conformance": "names the command", "kreactor pipeline": "names the group",
    "kreactor editions": "names the group", "kreactor pipeline ingest": "names the command",
    "tools/kreactor pipeline": "names the group",
    "kreactor conformance localhost:9092": _MINUTES, "kreactor conformance HOST:PORT": _MINUTES,
    "kreactor conformance localhost:9093 --tls-ca ca.pem --sasl SCRAM-SHA-256:alice:alice-secret": _MINUTES,
    "kreactor conformance localhost:9092 --limit 200 --fail-fast": "tests/conformance has a target for it",
    "kreactor conformance localhost:9092 framing 'bodies.Fetch.*' --level must": _MINUTES,
    "kreactor conformance compare NAME=FILE...": "tests/conformance compares reports",
    "kreactor conformance compare A.json B.json": "tests/conformance compares reports",
    "python -m kreactor.conformance.areas.contents HOST:PORT": "needs a Kafka 3.8.0",
    "tools/test": "is this run", "tools/test --all": "is this run", "tools/test --lint": _MINUTES,
    "tools/test tests/common/network/test_selector_metrics.py": "is a part of this run",
    "tools/test tests/common/network tests/core/network": "is a part of this run",
    "tools/checks/deviations --write": "changes the checkout", "tools/checks/mutants --changed": _MINUTES,
    "tools/peers/suites kafka-python": "needs a package index",
    "tools/peers/frameworks --rst": "installs frameworks", "tools/docs --write": "changes the checkout",
    "tools/peers/kafka_release 4.1.0 -- kreactor conformance {} --all --level should":
        "needs a JVM and Maven",
    "tools/peers/kafka_release 1.0.2 -- kreactor conformance {} framing protocols ordering endings slow":
        "needs a JVM and Maven",
    "tools/bench/broker --ladder": _MINUTES,
    "tools/bench/broker --editions": _MINUTES, "tools/bench/broker --jvm BROKER_SH --python PYPY": _MINUTES,
    "tools/bench/producer --loads 100,100-key,pings,idle --rounds 1": _MINUTES,
    "tools/bench/profile --of send": "needs valgrind",
    "tools/kreactor pipeline ingest tests/pipeline/kafka-3.8.0.log.gz --to requests": _SPARK,
    "tools/kreactor pipeline compact requests": _SPARK,
    "tools/kreactor pipeline ingest --follow /logs/host1 /logs/host2 --to requests "
    "--broker-from '/(kafka-[0-9]+)/'": _SPARK,
    "tools/kreactor pipeline latency requests": _SPARK, "tools/kreactor pipeline check requests": _SPARK,
    "tools/kreactor pipeline report requests --html requests.html": _SPARK,
    "tools/kreactor pipeline latency tests/pipeline/kafka-3.8.0.log.gz": "tests/pipeline/test_small_logs.py",
    "tools/kreactor pipeline latency request.log --time-format 'dd.MM.yyyy HH:mm:ss,SSS' --zone "
    "Europe/Berlin": "tests/pipeline/test_small_logs.py",
    "tools/kreactor pipeline ingest tests/pipeline/kafka-3.8.0-throttled.log.gz --to requests": _SPARK,
    "kreactor pipeline ingest tests/pipeline/kafka-3.8.0.log.gz --to requests "
    "--master spark://127.0.0.1:7077": "tests/pipeline/test_cluster.py",
    "kreactor pipeline archive kreactor-pipeline.py": "tests/pipeline/test_cluster.py",
    "kreactor pipeline ingest tests/pipeline/kafka-3.8.0.log.gz --to requests --remote sc://127.0.0.1":
        "tests/pipeline/test_connect.py",
    "kreactor pipeline latency requests --remote sc://127.0.0.1": "tests/pipeline/test_connect.py",
    "kreactor pipeline latency s3a://bucket/requests "
    "--conf spark.jars.packages=org.apache.hadoop:hadoop-aws:3.5.0": "needs S3",
    "tools/kreactor pipeline report requests --html days.html --day 2026-11-21 --day 2026-11-22": _SPARK,
}
# The scripts of these compare an edition over TLS, for which their page names the extra.
WITH_TLS = {"two-requests-in-one-record"}


def shown(text: str) -> set[str]:
    """Return the commands in a page, or in a help text."""
    blocks = re.findall(r"^ +(?:\$ )?((?:kreactor|tools/[\w/]+|pip|python) \S.*|tools/[\w/]+)$", text,
                        re.MULTILINE)
    literals = (" ".join(literal.split()) for literal in re.findall(r"`{1,2}([^`]+)`{1,2}", text))
    found = {re.split(r"  +#", block)[0].strip() for block in blocks} | {
        literal for literal in literals if re.match(r"(kreactor|pip|python -m) \S|tools/[\w/]+ \S", literal)}
    return {command for command in found if not command.startswith("kreactor: ")}


def compared(command: str) -> bool:
    return command.startswith("kreactor editions compare ")


def helps(group: click.Group, name: str = "kreactor") -> Iterator[str]:
    """Yield the help texts of all commands."""
    for each in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), each)
        assert command is not None
        yield command.help or ""
        if isinstance(command, click.Group):
            yield from helps(command)


COMMANDS = {command for page in PAGES for command in shown(page.read_text(encoding="utf-8"))} | {
    re.sub(r"^Begin with: ", "", line) for text in helps(main)
    for line in [*re.findall(r"Begin with: .*", text), *re.findall(r"`(kreactor [^`]+)`", text)]}


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The programs of ``pip install .``, of tools/kreactor, and of ``pip install '.[tls]'``."""
    folder = tmp_path_factory.mktemp("environments")
    return {name: bare_environment.make(folder / (name or "core"), *name.split())
            for name in ("", "demo", "tls")}


@pytest.fixture
def start(environments: dict[str, Path], tmp_path: Path) -> object:
    """A function that starts a command, in a folder with the files that the pages name."""
    (tmp_path / "orders.txt").write_text("anna:one\nbert:two\n")
    (tmp_path / "users.txt").write_text("SCRAM-SHA-256=[name=alice,password=alice-secret]\n")
    (tmp_path / "server.properties").write_text("num.partitions=1\n")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "kreactor").write_bytes((TOOLS / "kreactor").read_bytes())
    (tmp_path / "tools" / "environment").write_text(f"#!/bin/sh\necho {environments['demo']}\n")
    for name in ("kreactor", "environment"):
        (tmp_path / "tools" / name).chmod(0o755)

    def started(command: str, extra: str = "") -> subprocess.Popen[str]:
        inherited = {name: os.environ[name] for name in ("LANG", "HOME") if name in os.environ}
        return subprocess.Popen(
            f"exec {command}", shell=True, cwd=tmp_path, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**inherited, "PATH": f"{environments[extra]}:{os.environ['PATH']}", "TMPDIR": str(tmp_path),
                 "PYTHONDONTWRITEBYTECODE": "1"})

    return started


def test_each_command_is_in_a_table() -> None:
    known = RUN | set(SERVED) | set(CHECKED)
    assert {command for command in COMMANDS if not compared(command)} - known == set()
    assert known - COMMANDS == set(), "no page shows these any more"
    assert len([command for command in COMMANDS if compared(command)]) >= 10


def test_commands_of_pages_run(start, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with Broker() as broker:
        # Records are written before they are read.
        for command in sorted(RUN, key=lambda command: "consume" in command):
            process = start(command.replace("localhost:9092", broker.bootstrap_servers))
            out, err = process.communicate(timeout=WAIT_S)
            assert (process.returncode, err) == (0, ""), command
            assert "produce" in command or out


@pytest.mark.parametrize("command", sorted(filter(compared, COMMANDS)))
def test_comparisons_of_pages_run(start, command: str) -> None:  # type: ignore[no-untyped-def]
    """One over TLS says in one line what is missing, and runs with it."""
    needs_tls = command.split()[3] in WITH_TLS
    process = start(command)
    out, err = process.communicate(timeout=WAIT_S)
    if needs_tls:
        assert (process.returncode, out) == (2, "") and err.count("\n") == 1
        assert err.endswith(" needs the extra tls: pip install '.[tls]' in a checkout of kreactor\n")
        process = start(command, "tls")
        out, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, err) == (0, "") and "poll 1" in out


@pytest.mark.parametrize("command", sorted(SERVED))
def test_commands_of_pages_serve_until_ctrl_c(  # type: ignore[no-untyped-def]
        start, tmp_path: Path, command: str) -> None:
    own = command.replace("/var/lib/kreactor", str(tmp_path / "data")).replace(":8080", ":0")
    if " serve" in command:
        own += f" {OWN} --stop-within 60" + ("" if "--data" in command else f" --data {tmp_path / 'data'}")
    with start(own) as process:
        try:
            said = ""
            while SERVED[command] not in said:
                said = process.stdout.readline()
                assert said, process.stderr.read()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=WAIT_S)
        finally:
            process.kill()
    assert (process.returncode, err) == (0, "")


def leaf(args: list[str]) -> None:
    """Have click parse the arguments of a command, without running it. Raises click.ClickException."""
    command: click.Command = main
    context = None
    name = "kreactor"
    while True:
        context = command.make_context(name, args, parent=context)
        if not isinstance(command, click.Group):
            return
        args = [*context._protected_args, *context.args]
        found, below, args = command.resolve_command(context, args)
        assert found is not None and below is not None
        name, command = found, below


@pytest.mark.parametrize("command", sorted(CHECKED))
def test_commands_that_are_not_run_have_options_that_exist(command: str) -> None:
    first, *args = shlex.split(command)
    if first in ("pip", "python"):
        extra = re.search(r"\.\[(\w+)\]", command)
        assert extra is None or bare_environment.requirements([extra[1]])
        return
    if first.startswith("tools/") and first != "tools/kreactor":
        text = (ROOT / first).read_text(encoding="utf-8")
        more = (TOOLS / "servers.py").read_text(encoding="utf-8")
        before = args[:args.index("--")] if "--" in args else args
        assert [option for option in before if option.startswith("--") and option not in text + more] == []
        args = args[args.index("--") + 2:] if "--" in args else []
    if CHECKED[command].startswith("names") or not args:
        return
    leaf([arg for arg in args if arg != "{}"] if first.startswith("tools/kafka") else args)


@pytest.mark.parametrize(("command", "extra"), [
    ("quickstart", "demo"), ("pipeline latency x", "spark"), ("pipeline report x --html y", "spark"),
    *((f"produce -b {{}} -t t -z {codec} orders.txt", "compression") for codec in ("lz4", "snappy", "zstd")),
    ("produce -b {} -t t -X security.protocol=SSL -X ssl.truststore.type=PKCS12 "
     "-X ssl.truststore.location=orders.txt orders.txt", "tls"),
    ("serve --data data --override listeners=SSL://127.0.0.1:0 --override ssl.keystore.type=PKCS12 "
     "--override security.inter.broker.protocol=SSL --override ssl.keystore.location=orders.txt "
     "--override ssl.keystore.password=x", "tls"),
])
def test_a_missing_extra_is_one_line(start, command: str, extra: str) -> None:  # type: ignore[no-untyped-def]
    with Broker(topics={"t": 1}) as broker:
        process = start(f"kreactor {command.format(broker.bootstrap_servers)}")
        out, err = process.communicate(timeout=WAIT_S)
    assert process.returncode in (1, 2) and out == "" and err.count("\n") == 1, err
    assert err.endswith(f" needs the extra {extra}: pip install '.[{extra}]' in a checkout of kreactor\n")


@pytest.mark.parametrize(("module", "extra"), [
    ("kreactor.testing.certificates", "tls"), ("kreactor.testing.tls", "tls"),
    ("kreactor.embedded.prometheus", "metrics"), ("kreactor.pipeline.topics", "spark"),
    ("kreactor.pipeline.follow", "spark")])
def test_a_module_names_its_extra(start, module: str, extra: str) -> None:  # type: ignore[no-untyped-def]
    _, err = start(f"python -c 'import {module}'").communicate(timeout=WAIT_S)
    assert f" needs the extra {extra}: pip install '.[{extra}]'" in err.splitlines()[-1]
