# Licensed under the Apache License, Version 2.0; see LICENSE.
"""CRC-32C, by whichever functions an interpreter calls."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path

import crc32c as package
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk import checksums
from kreactor.jdk.nio_buffer import MappedMemory

WAYS = [checksums.crc32c, checksums._checksum_of_copies]


@pytest.mark.parametrize("crc32c", WAYS)
@given(data=st.binary(max_size=300), cut=st.integers(0, 300))
def test_as_the_package_has_it(crc32c: Callable[..., int], data: bytes, cut: int) -> None:
    expected = package.crc32c(data)
    for kind in (bytes, bytearray, memoryview):
        assert crc32c(kind(data)) == expected
        assert crc32c(kind(data[cut:]), crc32c(kind(data[:cut]))) == expected
    assert crc32c(memoryview(bytearray(data))[cut:]) == package.crc32c(data[cut:])


@pytest.mark.parametrize("crc32c", WAYS)
def test_large_and_mapped(crc32c: Callable[..., int]) -> None:
    data = bytes(range(256)) * 1000
    memory = MappedMemory.of(len(data))
    memory[:] = data
    with memoryview(memory) as view:
        assert crc32c(view) == crc32c(data) == package.crc32c(data)
    memory.close()


@pytest.mark.parametrize("crc32c", WAYS)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no resident memory is told here")
def test_what_was_looked_at_is_freed(crc32c: Callable[..., int]) -> None:
    """400 MB, in pieces that nobody has any more."""
    def resident_pages() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    for number in range(8_000):
        if number == 1_000:
            gc.collect()
            before = resident_pages()
        crc32c(memoryview(bytearray(50_000))[7:])
    gc.collect()
    assert (resident_pages() - before) * 4096 < 150 << 20


@pytest.mark.skipif(sys.implementation.name != "pypy", reason="by address on PyPy only")
def test_pypy_takes_no_copies() -> None:
    assert checksums.crc32c not in (checksums._checksum_of_copies, package.crc32c)


def test_a_package_without_these_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    class Implementation:
        name = "pypy"

    monkeypatch.setattr(sys, "implementation", Implementation)
    monkeypatch.setattr(checksums, "_DECLARATIONS", "int no_such_function(void);")
    assert checksums._choose() is checksums._checksum_of_copies
