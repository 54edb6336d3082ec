# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.NetworkReceiveTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A receive under every split of its bytes, every refusal of memory, and an end at every byte."""

from __future__ import annotations

import os
from itertools import product
from typing import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.invalid_receive_exception import InvalidReceiveException
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.utils.log_context import TRACE
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ScatteringByteChannel
from tests.common.network.network_test_utils import framed


class Parts(ScatteringByteChannel):
    """A channel whose bytes come in parts: a read never gets more than what is left of one.

    Between two parts one read finds nothing. After the last comes the end, or nothing if it ``waits``.
    """

    def __init__(self, parts: Sequence[bytes], waits: bool = False) -> None:
        self._parts = [bytes(part) for part in parts]
        self._waits = waits
        self._pause = False
        self.taken = 0

    def read(self, dst: ByteBuffer) -> int:
        if not dst.has_remaining():
            return 0
        if self._pause:
            self._pause = False
            return 0
        if not self._parts:
            return 0 if self._waits else -1
        part = self._parts.pop(0)
        count = min(len(part), dst.remaining())
        dst.put(part[:count])
        self.taken += count
        if count < len(part):
            self._parts.insert(0, part[count:])
        else:
            self._pause = True
        return count

    def read_buffers(self, dsts: Sequence[ByteBuffer]) -> int:
        raise AssertionError("a receive reads into one buffer")


class RefusingPool(MemoryPool):
    """Refuses so many times, then gives; keeps count of what is out."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.asked: list[int] = []
        self.out: list[ByteBuffer] = []

    def try_allocate(self, size_bytes: int) -> ByteBuffer | None:
        self.asked.append(size_bytes)
        if len(self.asked) <= self.refusals:
            return None
        self.out.append(ByteBuffer.allocate(size_bytes))
        return self.out[-1]

    def release(self, previously_allocated: ByteBuffer) -> None:
        [index] = [i for i, buffer in enumerate(self.out) if buffer is previously_allocated]
        del self.out[index]

    def size(self) -> int:
        return 1

    def available_memory(self) -> int:
        return 1

    def is_out_of_memory(self) -> bool:
        return False


def test_bytes_read():
    receive = NetworkReceive(128, "0")
    assert receive.bytes_read() == 0
    message = framed(os.urandom(128))
    channel = Parts([message[:4], message[4:68], message[68:]])

    assert receive.read_from(channel) == 4
    assert receive.bytes_read() == 4
    assert not receive.complete()

    assert receive.read_from(channel) == 64
    assert receive.bytes_read() == 68
    assert not receive.complete()

    receive.read_from(channel)  # the pause between two parts
    assert receive.read_from(channel) == 64
    assert receive.bytes_read() == 132
    assert receive.complete()


def splits(message: bytes) -> Iterator[list[bytes]]:
    """Give every way to cut ``message`` into parts that are not empty."""
    for cuts in product((False, True), repeat=len(message) - 1):
        ends = [i + 1 for i, cut in enumerate(cuts) if cut] + [len(message)]
        yield [message[start:end] for start, end in zip([0, *ends], ends)]


def read_whole(payload: bytes, parts: Sequence[bytes], refusals: int) -> None:
    """Read a message in ``parts`` and hold every stage against what is known of it."""
    channel, pool = Parts(parts, waits=True), RefusingPool(refusals)
    receive = NetworkReceive(len(payload), "source", pool)
    for _ in range(2 * len(parts) + refusals + 1):
        if receive.complete():
            break
        before = channel.taken
        assert receive.read_from(channel) == channel.taken - before
        assert receive.bytes_read() == channel.taken
        assert receive.required_memory_amount_known() is (channel.taken >= 4)
        refused = len(pool.asked) <= refusals and len(payload) > 0
        assert receive.memory_allocated() is (channel.taken >= 4 and not refused)
        assert channel.taken <= 4 or not refused
    assert receive.complete()
    assert channel.taken == receive.size() == 4 + len(payload)
    assert receive.source() == "source"
    assert pool.asked == [len(payload)] * (refusals + 1 if payload else 0)
    assert receive.payload().rewind().to_bytes() == payload
    receive.close()
    receive.close()
    assert not pool.out


@pytest.mark.parametrize("refusals", range(3))
@pytest.mark.parametrize("payload", [b"", b"a", b"ab", b"abc"])
def test_every_split_and_every_refusal(payload, refusals):
    for parts in splits(framed(payload)):
        read_whole(payload, parts, refusals)


@given(payload=st.binary(max_size=3000), refusals=st.integers(0, 5), data=st.data())
def test_any_split_of_any_message(payload, refusals, data):
    message = framed(payload)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(message) - 1), max_size=8)))
    read_whole(payload, [message[a:b] for a, b in zip([0, *cuts], [*cuts, len(message)])], refusals)


class PartsOfSocket(Parts):
    """Such a channel as a transport layer of plain text has below it."""

    def read_some(self, count: int) -> bytes | None:
        buffer = ByteBuffer.allocate(count)
        read = self.read(buffer)
        return buffer.flip().to_bytes() if read > 0 else b"" if read < 0 else None

    def read_into(self, memory: memoryview) -> int | None:
        read = self.read(ByteBuffer(memory, 0, len(memory)))
        return max(read, 0) if read else None


class SteadyParts(PartsOfSocket):
    """The same where something is there whenever one looks."""

    def read(self, dst: ByteBuffer) -> int:
        self._pause = False
        return super().read(dst)


@pytest.mark.parametrize("length", range(7))
@pytest.mark.parametrize("refusals", range(2))
def test_the_end_at_every_byte(length, refusals):
    """The stream ends before the message does: an error, and no memory is kept."""
    pool = RefusingPool(refusals)
    receive = NetworkReceive(NetworkReceive.UNLIMITED, "", pool)
    channel = Parts([framed(b"abc")[:length]] if length else [])
    with pytest.raises(EOFException):
        for _ in range(6):
            receive.read_from(channel)
    assert not receive.complete()
    receive.close()
    assert not pool.out


def test_a_refusal_is_traced(caplog):
    caplog.set_level(TRACE, "kreactor.common.network.network_receive.NetworkReceive")
    receive = NetworkReceive(NetworkReceive.UNLIMITED, "peer", RefusingPool(2))
    channel = Parts([framed(b"abc")[:4]], waits=True)
    for _ in range(5):
        receive.read_from(channel)
    assert receive.memory_allocated()
    assert caplog.messages == ["no memory for 3 bytes from peer"] * 2


def test_the_next_message_is_left_alone():
    channel = Parts([framed(b"first") + framed(b"second")])
    receive = NetworkReceive()
    receive.read_from(channel)
    assert receive.complete() and channel.taken == 9
    second = NetworkReceive()
    second.read_from(channel)
    assert second.payload().rewind().to_bytes() == b"second"


@pytest.mark.parametrize(("size", "max_size", "message"), [
    (-1, 100, r"Invalid receive \(size = -1\)"),
    (-(2**31), NetworkReceive.UNLIMITED, r"Invalid receive \(size = -2147483648\)"),
    (101, 100, r"Invalid receive \(size = 101 larger than 100\)"),
    (2**31 - 1, 100, r"Invalid receive \(size = 2147483647 larger than 100\)"),
    (1, 0, r"Invalid receive \(size = 1 larger than 0\)"),
])
def test_a_size_that_cannot_be(size, max_size, message):
    """Refused when the size is there, before any memory is asked for."""
    pool = RefusingPool(0)
    receive = NetworkReceive(max_size, "", pool)
    with pytest.raises(InvalidReceiveException, match=message):
        receive.read_from(Parts([size.to_bytes(4, "big", signed=True)]))
    assert not pool.asked and not receive.memory_allocated()


@pytest.mark.parametrize("size", [0, 99, 100])
def test_a_size_up_to_the_maximum(size):
    receive = NetworkReceive(100)
    receive.read_from(Parts([framed(bytes(size))]))
    assert receive.complete()


def test_a_payload_that_is_there_already():
    receive = NetworkReceive(source="0", buffer=ByteBuffer.wrap(b"payload"))
    assert receive.payload().to_bytes() == b"payload"
    assert receive.size() == 11 and receive.source() == "0" and receive.memory_allocated()
    assert not receive.complete()  # nothing has been read
