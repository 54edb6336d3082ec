# Licensed under the Apache License, Version 2.0; see LICENSE.
"""kcat: librdkafka from the command line. A process writes or reads one partition."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from typing import IO

import pytest

from tests.clients.client import (
    DEADLINE_S,
    FETCH_WAIT_MS,
    RECONNECT_MS,
    Client,
    Metadata,
    OnAck,
    Read,
    Record,
)

KCAT = shutil.which("kcat") or shutil.which("kafkacat")
needs_kcat = pytest.mark.skipif(
    KCAT is None, reason="kcat is not installed: tools/peers/install_kcat installs it")

# Between key and value, and after each record. No key or value may contain them.
_KEY_END = b"|kcat:key|"
_RECORD_END = b"|kcat:record|"
_FORMAT = rf"%p %o %T %K %S\n%k%s%h{_RECORD_END.decode()}"

_DELIVERED = re.compile(r"% Message delivered to partition (\d+) \(offset (-?\d+)\)")
_AT_END = re.compile(r"% Reached end of topic \S+ \[\d+\] at offset \d+")


class KcatClient(Client):
    name = "kcat"
    lacks = {
        "create topic": "it can only have the broker create what it writes to",
        "timestamp": "it has no option for it",
        "NUL in a header": "it takes headers as arguments, which end at a NUL",
        "null key and empty value": "it skips what is empty",
        "empty key and null value": "what makes an empty value null makes an empty key null",
    }

    def metadata(self) -> Metadata:
        done = subprocess.run(
            [*self._command("-L"), "-J"], capture_output=True, timeout=DEADLINE_S, check=True)
        found = json.loads(done.stdout)
        brokers = {}
        for broker in found["brokers"]:
            host, _, port = broker["name"].rpartition(":")
            brokers[broker["id"]] = (host, int(port))
        return Metadata(brokers, {topic["topic"]: sorted(each["partition"] for each in topic["partitions"])
                                  for topic in found["topics"]})

    def create_topic(self, topic: str, partitions: int) -> None:
        raise NotImplementedError(self.lacks["create topic"])

    def produce(self, topic: str, records: Sequence[Record], *, codec: str = "none", idempotent: bool = False,
                on_ack: OnAck = lambda index, offset: None) -> None:
        by_partition: dict[int, list[int]] = {}
        for index, record in enumerate(records):
            by_partition.setdefault(record.partition, []).append(index)
        for partition, indexes in by_partition.items():
            # Options that hold for all records of a process.
            for (headers, is_null), run in groupby(
                    indexes, lambda index: (records[index].headers, records[index].value is None)):
                options = [option for name, value in headers for option in (b"-H", _header(name, value))]
                if is_null:
                    options.append(b"-Z")
                self._produce(topic, partition, options, codec, idempotent, [
                    (index, records[index]) for index in run], on_ack)

    def _produce(self, topic: str, partition: int, options: list[bytes], codec: str, idempotent: bool,
                 records: list[tuple[int, Record]], on_ack: OnAck) -> None:
        command: list[str | bytes] = [
            *self._command("-P"), "-t", topic, "-p", str(partition), *options,
            "-K", _KEY_END, "-D", _RECORD_END,
            # It names each delivery from this verbosity on, and does not give up when the broker is away.
            "-vvv", "-E",
            "-X", "acks=all", "-X", f"compression.codec={codec}",
            "-X", f"enable.idempotence={'true' if idempotent else 'false'}", "-X", "linger.ms=5",
            # More, and a batch that is sent again may come after its successor.
            "-X", f"max.in.flight={5 if idempotent else 1}"]
        with tempfile.TemporaryFile() as stdin:
            stdin.writelines(_encode(record) for _, record in records)
            stdin.seek(0)
            with _started(command, stdin=stdin) as process:
                assert process.stderr is not None
                indexes = iter(records)
                said = []
                # In the order of the partition: no batch overtakes another.
                for line in process.stderr:
                    if delivered := _DELIVERED.match(line):
                        assert int(delivered[1]) == partition
                        on_ack(next(indexes)[0], int(delivered[2]))
                    else:
                        said.append(line)
                assert process.wait() == 0, "".join(said)
                assert next(indexes, None) is None, "".join(said)

    def read(self, topic: str, partitions: Sequence[int], since_ms: int | None = None) -> list[Read]:
        start = "beginning" if since_ms is None else f"s@{since_ms}"
        found: list[Read] = []
        for partition in partitions:
            done = subprocess.run(
                [*self._command("-C"), *self._consumer(topic, partition), "-o", start, "-e", "-q"],
                capture_output=True, timeout=DEADLINE_S)
            assert done.returncode == 0, done.stderr
            found += _decode(done.stdout)
        return found

    @contextmanager
    def tail(self, topic: str, counts: Mapping[int, int]) -> Iterator[Callable[[], list[Read]]]:
        with ExitStack() as stack:
            processes = []
            for partition, count in counts.items():
                stdout = stack.enter_context(tempfile.TemporaryFile())
                process = stack.enter_context(_started(
                    [*self._command("-C"), *self._consumer(topic, partition), "-o", "end", "-c", str(count)],
                    stdout=stdout))
                assert process.stderr is not None
                assert any(_AT_END.match(line) for line in process.stderr), "it did not find the end"
                processes.append((process, stdout))

            def take() -> list[Read]:
                found: list[Read] = []
                for process, stdout in processes:
                    assert process.stderr is not None
                    # It says each time that it is at the end, and waits until that is read.
                    said = process.stderr.read()
                    assert process.wait() == 0, said
                    stdout.seek(0)
                    found += _decode(stdout.read())
                return found

            yield take

    def _command(self, mode: str) -> list[str]:
        assert KCAT is not None
        return [KCAT, mode, "-b", self.address, "-m", str(int(DEADLINE_S)),
                "-X", f"reconnect.backoff.ms={RECONNECT_MS}",
                "-X", f"reconnect.backoff.max.ms={RECONNECT_MS}"]

    @staticmethod
    def _consumer(topic: str, partition: int) -> list[str]:
        return ["-t", topic, "-p", str(partition), "-f", _FORMAT, "-X", f"fetch.wait.max.ms={FETCH_WAIT_MS}"]


@contextmanager
def _started(command: Sequence[str | bytes], stdin: IO[bytes] | None = None,
             stdout: IO[bytes] | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a command that is killed when it takes too long, or when nobody waits for its end any more."""
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True) as process:
        killer = threading.Timer(DEADLINE_S, process.kill)
        killer.start()
        try:
            yield process
        finally:
            killer.cancel()
            killer.join()
            process.kill()


def _header(name: str, value: bytes | None) -> bytes:
    return name.encode() if value is None else b"%s=%s" % (name.encode(), value)


def _encode(record: Record) -> bytes:
    """Return a record as kcat takes it; what is empty means null where the value is null."""
    assert _KEY_END not in (record.key or b"") and _RECORD_END not in (record.value or b"")
    if record.key is None and record.value is not None:
        return record.value + _RECORD_END
    return (record.key or b"") + _KEY_END + (record.value or b"") + _RECORD_END


def _decode(output: bytes) -> list[Read]:
    """Return what kcat printed by _FORMAT."""
    found, position = [], 0
    while position < len(output):
        line_end = output.index(b"\n", position)
        partition, offset, timestamp, key_size, value_size = map(int, output[position:line_end].split())
        value_start = line_end + 1 + max(key_size, 0)
        value_end = value_start + max(value_size, 0)
        end = output.index(_RECORD_END, value_end)
        found.append(Read(
            partition, offset,
            None if key_size < 0 else output[line_end + 1:value_start],
            None if value_size < 0 else output[value_start:value_end],
            tuple(_decode_header(header) for header in output[value_end:end].split(b",") if header),
            timestamp))
        position = end + len(_RECORD_END)
    return found


def _decode_header(header: bytes) -> tuple[str, bytes | None]:
    name, _, value = header.partition(b"=")
    return name.decode(), None if value == b"NULL" else value
