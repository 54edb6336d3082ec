# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A receive tells how many bytes each read brought."""

from __future__ import annotations

from typing import Any, cast

import pytest

from kreactor.common.network.invalid_receive_exception import InvalidReceiveException
from kreactor.editions.v0_10_2.common.network.network_receive import NetworkReceive
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.nio_buffer import ByteBuffer


class Channel:
    """A channel that gives a part at each read, None is the end of the stream."""

    def __init__(self, *parts: bytes | None) -> None:
        self.parts = list(parts)

    def read(self, dst: ByteBuffer) -> int:
        if not self.parts:
            return 0
        part = self.parts.pop(0)
        if part is None:
            return -1
        dst.put(part)
        return len(part)


def read(receive: NetworkReceive, channel: Channel) -> int:
    return receive.read_from(cast(Any, channel))


def test_each_read_tells_its_bytes() -> None:
    receive, channel = NetworkReceive(), Channel(b"\0\0", b"", b"\0\3", b"a", b"bc")
    assert [read(receive, channel) for _ in range(2)] == [2, 0] and not receive.complete()
    # The payload's first bytes come with the end of the size.
    assert read(receive, channel) == 3 and not receive.complete()
    assert read(receive, channel) == 2 and receive.complete()
    assert receive.payload().flip().to_bytes() == b"abc"


@pytest.mark.parametrize("parts", [(None,), (b"\0\0", None), (b"\0\0\0\1", None)])
def test_the_end_of_the_stream(parts: tuple[bytes | None, ...]) -> None:
    receive, channel = NetworkReceive(), Channel(*parts)
    with pytest.raises(EOFException):
        for _ in parts:
            read(receive, channel)


@pytest.mark.parametrize("size, is_taken", [(-1, False), (10, True), (11, False)])
def test_a_size_beyond_the_limits(size: int, is_taken: bool) -> None:
    receive, channel = NetworkReceive(10), Channel(size.to_bytes(4, "big", signed=True))
    if is_taken:
        assert read(receive, channel) == 4
    else:
        with pytest.raises(InvalidReceiveException, match=rf"^Invalid receive \(size = {size}\b"):
            read(receive, channel)
