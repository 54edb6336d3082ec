# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Large writes: both ways write the same bytes and raise the same errors."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kreactor.jdk import large_writes
from kreactor.jdk.nio_buffer import ByteBuffer, MappedMemory
from kreactor.jdk.nio_channels import FileChannel

Pwrite = Callable[[int, memoryview, int], int]


@pytest.fixture(params=["os", "by address"])
def pwrite(request: pytest.FixtureRequest) -> Iterator[Pwrite]:
    if request.param == "os":
        yield os.pwrite
        return
    pytest.importorskip("cffi")
    yield large_writes._by_address()


def test_writes_at_a_position(pwrite: Pwrite, tmp_path: Path) -> None:
    fd = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    memory = MappedMemory.of(100_000)
    memory[:] = bytes(range(250)) * 400
    with memoryview(memory) as view:
        assert pwrite(fd, view, 3) == 100_000
        assert pwrite(fd, view[10:20], 1 << 33) == 10
    assert pwrite(fd, memoryview(bytearray(b"abc")), 0) == 3
    assert os.pread(fd, 100_003, 0) == b"abc" + bytes(range(250)) * 400
    assert os.pread(fd, 100, 1 << 33) == bytes(range(10, 20))
    os.close(fd)
    memory.close()


def test_raises_as_the_system_says(pwrite: Pwrite, tmp_path: Path) -> None:
    fd = os.open(tmp_path / "file", os.O_RDONLY | os.O_CREAT)
    data = memoryview(bytearray(10))
    for bad, position, number in ((fd, 0, errno.EBADF), (-1, 0, errno.EBADF)):
        with pytest.raises(OSError) as raised:
            pwrite(bad, data, position)
        assert raised.value.errno == number
    os.close(fd)
    with pytest.raises(OSError) as raised:
        pwrite(fd, data, 0)
    assert raised.value.errno == errno.EBADF


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_a_channel_writes_large_blocks(kind: Callable[[bytes], bytes | bytearray], pwrite: Pwrite,
                                       tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(fd: int, data: memoryview, position: int) -> int:
        calls.append((len(data), position))
        # A short write, as the system may make one.
        return pwrite(fd, data[:30_000], position)

    monkeypatch.setattr(large_writes, "BY_ADDRESS", 32 << 10)
    monkeypatch.setattr(large_writes, "pwrite", counted)
    channel = FileChannel.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    data = bytes(range(250)) * 400
    assert channel.write(kind(data), 5) == 100_000
    # PyPy moves bytes, and keeps whatever was made of them by address.
    expected = [(100_000, 5), (70_000, 30_005), (40_000, 60_005), (10_000, 90_005)]
    assert calls == ([] if kind is bytes else expected)
    buffer = ByteBuffer.wrap(bytearray(data))
    assert channel.write(buffer, 100_005) == 100_000
    assert not buffer.has_remaining()
    assert (tmp_path / "file").read_bytes() == bytes(5) + data + data
    channel.close()


_FULL = """
import resource, signal, sys
from kreactor.jdk import large_writes
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open(sys.argv[1], "wb") as file:
    resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, 70_000))
    pwrite = large_writes._by_address()
    print(pwrite(file.fileno(), memoryview(bytearray(100_000)), 0))
    try:
        pwrite(file.fileno(), memoryview(bytearray(100_000)), 70_000)
    except OSError as e:
        print(e.errno)
"""


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    pytest.importorskip("cffi")
    done = subprocess.run([sys.executable, "-c", _FULL, str(tmp_path / "file")], capture_output=True,
                          text=True, timeout=60, cwd=Path(__file__).parents[2])
    assert (done.stdout, done.stderr) == (f"70000\n{errno.EFBIG}\n", "")


def test_by_address_on_pypy_only() -> None:
    on_pypy = sys.implementation.name == "pypy"
    assert (large_writes.pwrite is not os.pwrite, large_writes.BY_ADDRESS < sys.maxsize) == (on_pypy, on_pypy)
