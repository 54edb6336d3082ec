# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The command, as its user runs it: a process, its output, its signals and its status."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from kreactor import cli
from kreactor.cli import main
from kreactor.common.compress.compression import Compression
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.jdk.extras import needs
from tests.core.server.scram_conversation import description
from tests.core.server.wire import Closed, Wire
from tests.warm_command import WarmCommand, warm_command

ROOT = Path(__file__).parents[1]
RunWarm = Callable[..., tuple[int, str, str]]
PLAINTEXT = "listeners=PLAINTEXT://127.0.0.1:0"
# More than one is warned of.
ONE_THREAD = "num.network.threads=1"
# It ends with another status if it takes longer to stop: it is told to be patient on a busy machine.
PATIENT = ("--stop-within", "60")
# Serves, and once told to stop it says so and is at it for ever.
STOPS_FOR_EVER = """if True:
    import sys, threading
    from kreactor.cli import main
    from kreactor.embedded.broker_server import BrokerServer

    def shutdown(*_):
        print("stopping", file=sys.stderr, flush=True)
        threading.Event().wait()

    BrokerServer.shutdown = shutdown
    main()
    """


def start(*args: str | Path, code: str | None = None,
          stdout: int = subprocess.PIPE, stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start the command, or Python ``code`` that ends in it."""
    return subprocess.Popen(
        # Deprecation warnings, which some clients cause, are for their authors.
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning",
         *(("-m", "kreactor") if code is None else ("-c", code)), *args],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, text=True,
        # The tests may run where hang-ups are ignored, which the command would go on with.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmCommand]:
    with warm_command("-W", "error", "-W", "ignore::DeprecationWarning") as command:
        yield command


@pytest.fixture
def run_warm(warm: WarmCommand) -> RunWarm:
    """Give what runs the command in a fork: for the tests that are not of its start."""
    return lambda *args: warm.run([str(arg) for arg in args], {**os.environ, "COLUMNS": "100"})


def run(*args: str | Path, code: str | None = None) -> tuple[int, str, str]:
    """Run the command to its end; return its status and what it said."""
    with start(*args, code=code) as process:
        out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@contextmanager
def serving(*args: str | Path, code: str | None = None) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Have ``kreactor serve`` run; give the process and its port."""
    given = ("--override", PLAINTEXT, "--override", ONE_THREAD, *PATIENT, *args)
    with start("serve", *given, code=code) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            match = re.fullmatch(r"Listening on PLAINTEXT://127\.0\.0\.1:(\d+)\n", said)
            if match is None:
                process.kill()
                raise AssertionError((said, process.communicate()))
            yield process, int(match[1])
        finally:
            process.kill()


def read_dump(process: subprocess.Popen[str]) -> str:
    """Return what the command prints up to the thread that prints the dump."""
    assert process.stdout is not None
    said = ""
    while "thread_dump.thread_dump(" not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    return said


def is_answered(wire: Wire) -> bool:
    return wire.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData()).error_code == 0


def fetch_request(max_wait_ms: int, min_bytes: int) -> FetchRequestData:
    return FetchRequestData(
        replica_id=-1, max_wait_ms=max_wait_ms, min_bytes=min_bytes, max_bytes=2**31 - 1,
        topics=[FetchRequestData.FetchTopic(topic="t", partitions=[
            FetchRequestData.FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=2**31 - 1)])])


def fill(wire: Wire, value: bytes, times: int) -> None:
    """Make topic ``t`` and append ``value`` to it."""
    created = wire.ask(ApiKeys.CREATE_TOPICS, 4, CreateTopicsRequestData(
        timeout_ms=60_000, topics=[CreateTopicsRequestData.CreatableTopic(
            name="t", num_partitions=1, replication_factor=1)]))
    assert created.topics[0].error_code == 0
    for _ in range(times):
        records = MemoryRecords.with_records(Compression.NONE, SimpleRecord(value=value))
        answer = wire.ask(ApiKeys.PRODUCE, 3, ProduceRequestData(
            acks=-1, timeout_ms=60_000,
            topic_data=[ProduceRequestData.TopicProduceData(name="t", partition_data=[
                ProduceRequestData.PartitionProduceData(index=0, records=records)])]))
        assert answer.responses[0].partition_responses[0].error_code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=str)
def test_serves_until_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    with serving("--data", tmp_path / "data") as (process, port):
        with Wire("127.0.0.1", port) as wire:
            assert is_answered(wire)
            process.send_signal(number)
            out, err = process.communicate(timeout=120)
            assert (process.returncode, out, err) == (0, "", "")
            with pytest.raises(Closed):
                wire.receive_bytes()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
    assert (tmp_path / "data" / ".kafka_cleanshutdown").exists()


def test_a_signal_that_another_thread_takes(tmp_path: Path) -> None:
    # One for a process goes to any of its threads, as it does when the process is stopped and goes on.
    code = """if True:
        import os, signal, threading, time
        from kreactor.cli import main

        def take():
            started = lambda: {thread.name for thread in threading.enumerate()}
            while "start" not in started():
                time.sleep(0.01)
            while "start" in started():
                time.sleep(0.01)
            time.sleep(0.2)  # the main thread waits again
            os.kill(os.getpid(), signal.SIGTERM)

        threading.Thread(target=take, daemon=True).start()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        main()
        """
    with serving("--data", tmp_path, code=code) as (process, _):
        process.communicate(timeout=120)
        assert process.returncode == 0


@pytest.mark.parametrize("brokers", [(), ("--brokers", "2")], ids=("broker", "cluster"))
def test_sigquit_prints_the_stacks_of_all_threads(tmp_path: Path, brokers: tuple[str, ...]) -> None:
    with serving("--data", tmp_path, *brokers) as (process, port), Wire("127.0.0.1", port) as wire:
        said = ""
        for _ in range(2):
            process.send_signal(signal.SIGQUIT)
            dump = read_dump(process)
            assert "Full thread dump kreactor" in dump
            assert '"MainThread" #1 ' in dump and "kreactor.core.network.processor.Processor.run(" in dump
            assert is_answered(wire)
            said += dump
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        said += process.stdout.read()
        assert process.wait(120) == 0
    # The state of each broker ends each dump.
    assert said.count("Broker: RUNNING\nThreads:\n") == 2 * (2 if "2" in brokers else 1)


# During the configuration on the main thread, and during the start on another thread.
EARLY_SIGNALS = """if True:
    import os, signal
    from kreactor import cli
    from kreactor.embedded.broker_server import BrokerServer
    def after_a_signal(method):
        def call(*args):
            os.kill(os.getpid(), signal.SIGQUIT)
            return method(*args)
        return call
    cli._read_config = after_a_signal(cli._read_config)
    BrokerServer.startup = after_a_signal(BrokerServer.startup)
    cli.main()
    """


def test_sigquit_during_the_start(tmp_path: Path) -> None:
    with start("serve", "--override", PLAINTEXT, *PATIENT, "--data", tmp_path, code=EARLY_SIGNALS) as process:
        try:
            said = read_dump(process) + read_dump(process)
            while "Listening on PLAINTEXT" not in said:
                assert process.stdout is not None
                line = process.stdout.readline()
                assert line, said
                said += line
            process.send_signal(signal.SIGTERM)
            assert process.wait(120) == 0
        finally:
            process.kill()


def test_what_is_in_flight_is_answered_before_the_end(tmp_path: Path) -> None:
    with serving("--data", tmp_path) as (process, port), Wire("127.0.0.1", port) as wire:
        fill(wire, b"value", 1)
        # Waits for more than there is, and for longer than the test may take.
        fetch = wire.send(ApiKeys.FETCH, 4, fetch_request(600_000, min_bytes=1_000_000))
        with Wire("127.0.0.1", port) as other:  # the handlers have come to the first by the time of this
            for _ in range(20):
                assert is_answered(other)
        process.send_signal(signal.SIGTERM)
        answer = wire.receive(ApiKeys.FETCH, 4, fetch)
        assert isinstance(answer, FetchResponseData)
        assert answer.responses[0].partitions[0].high_watermark == 1
        with pytest.raises(Closed):
            wire.receive_bytes()
        process.communicate(timeout=120)
        assert process.returncode == 0


@contextmanager
def slow_to_stop(folder: Path, *args: str, code: str | None = None) -> Iterator[subprocess.Popen[str]]:
    """Have a broker run that has begun an answer which nobody reads."""
    with serving("--data", folder, *args, code=code) as (process, port), Wire("127.0.0.1", port) as wire:
        fill(wire, bytes(900_000), 20)
        wire.send(ApiKeys.FETCH, 4, fetch_request(0, min_bytes=1))
        assert wire.socket.recv(1)
        yield process


def test_a_client_that_does_not_read_cannot_keep_it(tmp_path: Path) -> None:
    with slow_to_stop(tmp_path) as process:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        assert process.returncode == 0


def test_one_that_is_not_waited_for(tmp_path: Path) -> None:
    with slow_to_stop(tmp_path, "--stop-within", "0.1") as process:
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
        assert process.returncode == 1
        assert err == ("Error: the broker does not stop in time and is left as it is; "
                       "the next one on its data folder will recover the logs\n")


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with slow_to_stop(tmp_path, "--stop-within", "86400", code=STOPS_FOR_EVER) as process:
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None and process.stderr.readline() == "stopping\n"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        assert process.returncode == 128 + signal.SIGINT
    # The next one is none the worse for it.
    with serving("--data", tmp_path) as (process, port), Wire("127.0.0.1", port) as wire:
        answer = wire.ask(ApiKeys.FETCH, 4, fetch_request(0, min_bytes=1))
        assert answer.responses[0].partitions[0].high_watermark == 20


def test_settings_come_from_the_file_then_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text(f"# Kafka's format\nlog.dirs = {tmp_path / 'of file'}\nnum.io.threads : x\nbroker.id=5\n"
                    "num.partitions=\\\n   3\nnot.a.setting=1\nzookeeper.connect=localhost:2181\n")
    args = ["--config", file, "--override", "num.io.threads=2", "--data", tmp_path / "data"]
    with serving(*args) as (process, port), Wire("127.0.0.1", port) as wire:
        assert is_answered(wire)
        process.terminate()
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0
        assert err == "Warning: not.a.setting is not a setting of Kafka 3.8.0\n"
    assert "node.id=5" in (tmp_path / "data" / "meta.properties").read_text()
    assert not (tmp_path / "of file").exists()


@pytest.mark.parametrize(("args", "message"), [
    (["--override", "num.io.threads=x"],
     "Invalid value x for configuration num.io.threads: Not a number of type INT"),
    (["--override", "num.io.threads=0"],
     "Invalid value 0 for configuration num.io.threads: Value must be at least 1"),
    (["--override", "broker.id=-7"],
     "requirement failed: broker.id must be greater than or equal to -1 and not greater than "
     "reserved.broker.max.id"),
    (["--override", "listeners=PLAINTEXT://127.0.0.1:99999"], "listeners: port 99999 is above 65535"),
    (["--override", "listeners=PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:65536"],
     "listeners: port 65536 is above 65535"),
    (["--override", "listeners=PLAINTEXT://127.0.0.1:-1"], "listeners: port -1 is below 0"),
    (["--config", "port.properties"], "listeners: port 99999 is above 65535"),
    (["--override", "listeners=nonsense"],
     "Error creating broker listeners from 'nonsense': Unable to parse nonsense to a broker endpoint"),
    (["--override", "listeners=SSL://127.0.0.1:0", "--override", "security.inter.broker.protocol=SSL"],
     "A client SSLEngine created with the provided settings can't connect to a server SSLEngine created with "
     "those settings: No shared cipher"),
    (["--override", "listeners=SASL_SSL://127.0.0.1:0", "--override",
      "security.inter.broker.protocol=SASL_SSL"],
     "listener.name.sasl_ssl.gssapi.sasl.jaas.config is not set, and the JAAS file that "
     "java.security.auth.login.config names in Java has no counterpart"),
    (["--override", "process.roles=controller", "--override", "node.id=1",
      "--override", "controller.quorum.voters=1@127.0.0.1:9093",
      "--override", "controller.listener.names=CONTROLLER",
      "--override", "listeners=CONTROLLER://127.0.0.1:9093"],
     "listeners: none is for clients, which a broker needs; add one for clients"),
    (["--override", "nothing"], "--override nothing: not KEY=VALUE"),
    (["--racks", "a,b"], "--racks a,b: must have one rack for each of 1 brokers"),
    (["--brokers", "2", "--racks", "a,"], "--racks a,: a rack has no name"),
    (["--config", "missing.properties"], "missing.properties: No such file or directory"),
    (["--config", "malformed.properties"], "malformed.properties: Malformed \\uxxxx encoding."),
])
def test_a_bad_value_is_one_line_and_status_2(
        run_warm: RunWarm, tmp_path: Path, args: list[str], message: str) -> None:
    (tmp_path / "malformed.properties").write_text("a=\\u00zz")
    (tmp_path / "port.properties").write_text("listeners=PLAINTEXT://127.0.0.1:99999")
    args = [str(tmp_path / arg) if arg.endswith(".properties") else arg for arg in args]
    status, out, err = run_warm("serve", "--data", tmp_path / "data", *args)
    assert (status, out) == (2, "")
    assert err.replace(f"{tmp_path}/", "") == f"Error: {message}\n"


def test_the_brokers_of_a_cluster_have_racks(tmp_path: Path) -> None:
    with start("serve", "--override", PLAINTEXT, "--override", ONE_THREAD, *PATIENT, "--data",
               tmp_path / "data", "--brokers", "2", "--racks", "a, b") as process:
        try:
            assert process.stdout is not None
            ports = [int(process.stdout.readline().rpartition(":")[2]) for _ in range(2)]
            with Wire("127.0.0.1", ports[1]) as wire:
                brokers = wire.ask(ApiKeys.METADATA, 12, MetadataRequestData()).brokers
            assert sorted((each.port, each.rack) for each in brokers) == sorted(zip(ports, "ab", strict=True))
        finally:
            process.kill()


@pytest.mark.parametrize("threads", [None, 2, 1])
def test_it_warns_of_network_threads_that_wait_for_each_other(tmp_path: Path, threads: int | None) -> None:
    given = [] if threads is None else ["--override", f"num.network.threads={threads}"]
    expected = "" if threads != 2 else (
        f"Warning: num.network.threads is {threads}: threads take Python's interpreter lock from each "
        "other, and the broker answers fewer requests than with one. Set num.network.threads=1\r\n")
    near, far = os.openpty()
    try:
        with start("serve", "--override", PLAINTEXT, "--data", tmp_path, *given, stderr=far) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline().startswith("Listening on PLAINTEXT")
                process.send_signal(signal.SIGTERM)
                out, _ = process.communicate(timeout=120)
            finally:
                process.kill()
        # The mark ends what there is to read, and shows that nothing else was said.
        os.write(far, b"end")
        said = b""
        while not said.endswith(b"end"):
            said += os.read(near, 65536)
    finally:
        os.close(near)
        os.close(far)
    assert (process.returncode, out, said.decode()) == (0, "", expected + "end")


@pytest.mark.parametrize("threads", [None, 2])
def test_one_network_thread_is_the_default(tmp_path: Path, threads: int | None) -> None:
    """Under an interpreter lock; the log says so."""
    given = [] if threads is None else ["--override", f"num.network.threads={threads}"]
    with start("serve", "--verbose", "--override", PLAINTEXT, "--data", tmp_path, *given) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("Listening on PLAINTEXT")
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=120)
        finally:
            process.kill()
    line = "num.network.threads is 1, and not 3 as in Kafka, because Python's interpreter lock is on"
    assert err.count(line) == (threads is None)


def test_a_script_is_not_warned_of_network_threads(tmp_path: Path) -> None:
    with start("serve", "--override", PLAINTEXT, "--data", tmp_path) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("Listening on PLAINTEXT")
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize(("given", "message"), [
    ("listeners=PLAINTEXT://..:0", "Socket server failed to bind to ..:0: ../<unresolved>:0."),
    (f"listeners=PLAINTEXT://{'a' * 70}:0",
     f"Socket server failed to bind to {'a' * 70}:0: {'a' * 70}/<unresolved>:0."),
    ("log.dirs=/a\\u0000b", "The data folder '/a\\x00b' cannot be used: embedded null byte"),
    ("metric.reporters=x", "Class x cannot be found: class x is not allowed here"),
])
def test_a_value_that_the_start_refuses_is_one_line(
        run_warm: RunWarm, tmp_path: Path, given: str, message: str) -> None:
    """From a file, in which a value may have any character."""
    file = tmp_path / "server.properties"
    file.write_text(f"listeners=PLAINTEXT://127.0.0.1:0\nlog.dirs={tmp_path / 'data'}\n{given}\n")
    status, out, err = run_warm("serve", "--config", file)
    assert status in (1, 2) and out == ""
    assert "Traceback" not in err
    assert err.splitlines()[-1] == f"Error: {message}"


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, out, err = run(
            "serve", "--data", tmp_path, "--override", f"listeners=PLAINTEXT://127.0.0.1:{port}")
    assert (status, out) == (1, "")
    assert "Traceback" not in err
    assert err == f"Error: Socket server failed to bind to 127.0.0.1:{port}: Address already in use.\n"


@pytest.mark.parametrize("args", [
    ("--control", "127.0.0.1:{}", "--override", PLAINTEXT),
    ("--control", "127.0.0.1:{}", "--brokers", "2", "--override", PLAINTEXT),
    ("--control", "127.0.0.1:0", "--override", "listeners=PLAINTEXT://127.0.0.1:{}"),
    ("--edition", "2.2", "--override", "listeners=PLAINTEXT://127.0.0.1:{}"),
], ids=["control", "control of a cluster", "broker with control", "edition"])
def test_another_port_that_is_taken(run_warm: RunWarm, tmp_path: Path, args: tuple[str, ...]) -> None:
    """The error has the address, and comes once."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, out, err = run_warm("serve", "--data", tmp_path, *(arg.format(port) for arg in args))
    what = "Control port" if args[1].endswith("{}") else "Socket server"
    assert (status, out, err) == (
        1, "", f"Error: {what} failed to bind to 127.0.0.1:{port}: Address already in use.\n")


# Sends this process SIGINT at the n-th event of a kind: an import, a bind.
INTERRUPTS = """if True:
    import os, signal, sys
    left = {number}
    def hook(event, args):
        global left
        if event == {event!r} and left > 0:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGINT)
    from kreactor.__main__ import main
    sys.addaudithook(hook)
    main()"""


@pytest.mark.parametrize(("args", "event", "number"), [
    *((("serve", "--override", PLAINTEXT), "import", number) for number in (1, 60, 400)),
    (("serve", "--override", PLAINTEXT), "socket.bind", 1),
    (("serve", "--override", PLAINTEXT, "--control", "127.0.0.1:0"), "socket.bind", 2),
    *((("quickstart",), "import", number) for number in (100, 500)), (("quickstart",), "socket.bind", 1),
    *((("editions", "compare", "staged-receives"), "import", number) for number in (80, 500)),
    *((("produce", "-b", "127.0.0.1:1", "-t", "t"), "import", number) for number in (80, 300)),
    (("consume", "-b", "127.0.0.1:1", "-t", "t"), "socket.connect", 1),
    (("editions", "compare", "staged-receives"), "socket.connect", 3),
    (("conformance", "127.0.0.1:1"), "import", 50), (("pipeline", "latency", "x"), "import", 50),
], ids=lambda each: " ".join(each[:2]) if isinstance(each, tuple) else str(each))
def test_ctrl_c_while_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...],
                                event: str, number: int) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    more = ("--data", str(tmp_path / "data")) if args[0] == "serve" else ()
    status, out, err = run(*args, *more, code=INTERRUPTS.format(event=event, number=number))
    # Another thread may bind, and the broker may serve before the main thread has seen the signal. Then the
    # signal ends it as any Ctrl-C ends a broker that serves.
    assert (status, err) == (130, "") or (status, err, "Listening on " in out) == (0, "", True)
    assert all(line.startswith(("Listening on ", "Control on ")) for line in out.splitlines()), out
    assert [path for path in tmp_path.iterdir() if path.name != "data"] == []


def test_ctrl_c_that_is_ignored_stays_ignored_while_it_starts(tmp_path: Path) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + INTERRUPTS.format(
        event="import", number=60).replace("if True:", "if True:", 1)
    assert run("editions", "list", code=code)[::2] == (0, "")


@pytest.mark.parametrize("args", [
    ("--help",), ("serve", "--help"), ("conformance", "--list"), ("editions", "compare", "staged-receives"),
    ("serve", "--override", PLAINTEXT, "--override", ONE_THREAD)], ids=" ".join)
def test_a_full_disk_is_one_line(tmp_path: Path, args: tuple[str, ...]) -> None:
    more = ("--data", str(tmp_path / "data")) if "--override" in args else ()
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        with start(*args, *more, stdout=full) as process:
            _, err = process.communicate(timeout=120)
    finally:
        os.close(full)
    assert process.returncode == 1
    assert re.fullmatch("Error: (the output: |.Errno 28. )No space left on device\n", err)


@pytest.mark.parametrize("group", [(), ("editions",), ("pipeline",)], ids=" ".join)
def test_no_summary_is_cut(monkeypatch: pytest.MonkeyPatch, group: tuple[str, ...]) -> None:
    command = main
    for name in group:
        found = command.get_command(click.Context(command), name)
        assert isinstance(found, click.Group)
        command = found
    text = command.get_help(click.Context(command, max_content_width=80, terminal_width=80))
    assert "..." not in text.partition("Commands:")[2] and "Commands:" in text


def commands(group: click.Group) -> Iterator[click.Command]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from commands(command)


@pytest.mark.parametrize("command", list(commands(main)), ids=lambda each: each.name)
def test_no_line_of_a_help_is_long_or_broken(command: click.Command) -> None:
    """A line that click has not wrapped is longer; one that it has wrapped wrongly has a gap."""
    context = click.Context(command, max_content_width=80, terminal_width=80)
    for line in command.get_help(context).splitlines():
        assert len(line) <= 80
        assert not re.search(r"[a-z]\.? {4,}[a-z]", line.strip()) or re.match(r"  \S.*? {2,}\S|  +-", line)


def test_a_folder_that_is_taken(tmp_path: Path) -> None:
    with serving("--data", tmp_path) as (_, port):
        status, out, err = run("serve", "--data", tmp_path, "--override", PLAINTEXT)
        assert (status, out) == (1, "")
        assert err == (f"Error: Failed to acquire lock on file .lock in {tmp_path}. A Kafka instance in "
                       "another process or thread is using this directory.\n")
        with Wire("127.0.0.1", port) as wire:
            assert is_answered(wire)


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, out, err = run("serve", "--data", tmp_path / "file" / "data", "--override", PLAINTEXT)
    assert (status, out) == (1, "")
    assert err == f"Error: The data folder {tmp_path / 'file' / 'data'} cannot be used: Not a directory\n"


def test_quickstart_shows_what_the_broker_measured_and_leaves_nothing(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    status, out, err = run("quickstart", "--exit")
    assert (status, err) == (0, "")
    assert re.match(r"kafka-python wrote 10000 records in [\d.]+ s, and read the same bytes back in ", out)
    rows = {cells[0]: [int(cell.replace(",", "")) for cell in cells[1:]]
            for line in out.splitlines() if line.startswith("│")
            for cells in [[cell.strip() for cell in line.strip("│").split("│")]]}
    assert {"ApiVersions", "Metadata", "CreateTopics", "Produce", "ListOffsets", "Fetch"} <= set(rows)
    for count, median, percentile_99 in rows.values():
        assert count >= 1 and 0 <= median <= percentile_99
    assert rows["CreateTopics"][0] == 1
    assert "Ctrl-C" not in out
    assert not list(tmp_path.iterdir())


def test_quickstart_goes_on_serving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with start("quickstart") as process:
        assert process.stdout is not None
        for line in process.stdout:
            match = re.match(r"The broker is at 127\.0\.0\.1:(\d+) and keeps its data in (\S+) ", line)
            if match is not None:
                break
        assert match is not None
        assert Path(match[2]).parent == tmp_path and Path(match[2]).is_dir()
        with Wire("127.0.0.1", int(match[1])) as wire:
            process.send_signal(signal.SIGQUIT)
            read_dump(process)
            assert is_answered(wire)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
    assert not list(tmp_path.iterdir())


# Output to a reader that has left ends the command, from whichever part it comes.
TABLE = """
from rich.console import Console
from kreactor.pipeline import cli
@cli.pipeline.command()
def table():
    with cli._errors_as_sentences():
        for _ in range(10_000):
            Console().print("a line of a table")
from kreactor.__main__ import main; main()"""


@pytest.mark.parametrize(("args", "code"), [
    (["--help"], None), (["--version"], None), (["serve", "--help"], None), (["pipeline", "--help"], None),
    (["quickstart", "--exit"], None), (["quickstart"], None), (["pipeline", "table"], TABLE),
    (["serve", "--override", PLAINTEXT, "--override", ONE_THREAD, "--data", "data"], None),
], ids=lambda each: " ".join(each[:2]) if isinstance(each, list) else "")
def test_a_reader_that_has_left_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str],
                                        code: str | None) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    args = [str(tmp_path / arg) if arg == "data" else arg for arg in args]
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        with start(*args, code=code, stdout=write_end) as process:
            try:
                _, err = process.communicate(timeout=120)
            finally:
                process.kill()
    finally:
        os.close(write_end)
    assert (process.returncode, err) == (141, "")
    if "--data" in args:
        assert (tmp_path / "data" / ".kafka_cleanshutdown").exists()
    else:
        assert not list(tmp_path.iterdir())


def test_a_reader_of_the_first_lines() -> None:
    with start("quickstart", "--exit") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("kafka-python wrote")
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (141, "")


def test_quickstart_that_is_ended_twice_leaves_nothing(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second signal ends it at once: a stop that never comes to its end is not waited for."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code = """if True:
        import os, signal, threading
        from kreactor.embedded.broker_server import BrokerServer
        def shutdown(self):
            os.kill(os.getpid(), signal.SIGTERM)
            threading.Event().wait()
        BrokerServer.shutdown = shutdown
        from kreactor.__main__ import main; main()"""
    with start("quickstart", code=code) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("The broker is at"):
                break
        assert list(tmp_path.iterdir())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())


FORKS = """if True:
    import multiprocessing, os, signal, sys, threading
    from kreactor import cli
    def tell(broker):
        context = multiprocessing.get_context("fork")
        ours, childs = context.Pipe()
        def wait():
            childs.send("ready")
            threading.Event().wait()
        child = context.Process(target=wait)
        child.start()
        ours.recv()
        child.terminate()
        child.join()
        print(child.exitcode, flush=True)
    cli._print_listeners = tell
    from kreactor.__main__ import main; main()"""


def test_a_child_of_the_command_ends_by_a_signal(tmp_path: Path) -> None:
    with start("serve", "--override", PLAINTEXT, "--data", tmp_path, code=FORKS) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == f"{-signal.SIGTERM:d}\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(120) == 0
        finally:
            process.kill()


def test_quickstart_without_the_client() -> None:
    status, out, err = run(
        "quickstart",
        code="import sys; sys.modules['kafka'] = None; from kreactor.__main__ import main; main()")
    assert (status, out) == (1, "")
    assert err == f"Error: {needs('quickstart', 'demo')}\n"


def test_quickstart_that_is_interrupted_has_not_succeeded() -> None:
    """The client is one that never gets anywhere."""
    status, out, err = run("quickstart", "--exit", code="""if True:
        import os, signal, sys, threading
        def client(name):
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait()
        module = sys.modules["kafka"] = type(sys)("kafka")
        module.__getattr__ = client
        from kreactor.__main__ import main; main()""")
    assert (status, out, err) == (130, "", "Error: interrupted\n")


def test_users_of_scram_from_a_file(tmp_path: Path) -> None:
    users = tmp_path / "users.txt"
    users.write_text("# the first ones\n\nSCRAM-SHA-256=[name=alice,password=alice-sEcret]\n"
                     "SCRAM-SHA-512=[name=alice,password=alice-sEcret,iterations=8192]\n")
    kept = []
    for password in ("alice-sEcret", "another-sEcret"):
        # At the second start the user is known: the stored credential, perhaps changed meanwhile, stays.
        users.write_text(users.read_text().replace("alice-sEcret", password))
        with serving("--data", tmp_path / "data", "--add-scram", users, "--verbose") as (process, port):
            with Wire("127.0.0.1", port) as wire:
                result, = wire.ask(ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, 0, description("alice")).results
                assert {info.mechanism: info.iterations for info in result.credential_infos} == {
                    1: 4096, 2: 8192}
            process.terminate()
            out, err = process.communicate(timeout=120)
            assert process.returncode == 0 and "sEcret" not in out + err
        content = (tmp_path / "data" / "scram.json").read_text()
        assert "sEcret" not in content
        kept.append(content)
    assert kept[0] == kept[1]


@pytest.mark.parametrize(("content", "message"), [
    ("SCRAM-SHA-256=[name=alice,password=sEcret,sEcret]", "no value has a comma"),
    (None, "No such file or directory"), ("SCRAM-SHA-256=[name=\xff]", "not valid UTF-8")])
def test_users_of_scram_that_cannot_be(
        run_warm: RunWarm, tmp_path: Path, content: str | None, message: str) -> None:
    users = tmp_path / "users.txt"
    if content is not None:
        users.write_bytes(content.encode("latin-1"))
    status, out, err = run_warm("serve", "--data", tmp_path / "data", "--add-scram", users)
    assert status == 2 and message in err and "sEcret" not in out + err
    assert "Traceback" not in err


def test_the_reader_of_a_pipe_is_gone_when_its_end_is_closed() -> None:
    reader, writer = os.pipe()
    try:
        assert not cli._is_reader_gone(writer)
        os.close(reader)
        assert cli._is_reader_gone(writer)
    finally:
        os.close(writer)


def test_held_errors_are_logged_except_the_one_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    logged = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            logged.append(record.getMessage())

    root, handler = logging.Logger("root", logging.WARNING), Handler()
    root.addHandler(handler)
    monkeypatch.setattr(logging, "getLogger", lambda name=None: root)
    monkeypatch.setattr(cli.log, "isEnabledFor", lambda level: False)
    cause = ConfigException("bad listeners")
    told = KafkaException(cause=cause)
    told.__cause__ = cause
    held = cli._HeldErrors()
    for text, error in (("cause", cause), ("told", told), ("another", ConfigException("bad port"))):
        root.error(text, exc_info=error)
    root.error("without an exception")
    assert logged == ["without an exception"]
    held.release(told)
    assert logged == ["without an exception", "another"]
    root.error("afterwards", exc_info=cause)
    assert logged[2:] == ["afterwards"]
