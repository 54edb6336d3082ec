# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The limit of open descriptors, and the part of it that connections may not use."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from kreactor.jdk import descriptors
from kreactor.jdk.descriptors import is_for_existing_partitions, is_in_reserve, is_next_in_reserve

ROOT = Path(__file__).parents[2]


def test_the_reserve_is_an_eighth_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, first in ((128, 112), (256, 224), (1024, 896), (1_048_576, 917_504)):
        monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
        assert not is_in_reserve(first - 1)
        assert is_in_reserve(first)


def test_the_last_quarter_of_the_reserve_is_for_existing_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, first in ((128, 124), (256, 248), (1024, 992), (1_048_576, 1_015_808)):
        monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
        assert not is_for_existing_partitions(first - 1)
        assert is_for_existing_partitions(first)


def test_no_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (20, 127, resource.RLIM_INFINITY):
        monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
        assert not is_in_reserve(max(limit, 1_000_000) - 1)
        assert not is_for_existing_partitions(max(limit, 1_000_000) - 1)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=120, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_limit_is_raised() -> None:
    assert run("""
import resource
from kreactor.jdk.descriptors import raise_limit
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 200))
for _ in range(2):
    raise_limit()
    print(resource.getrlimit(resource.RLIMIT_NOFILE))
""") == "(200, 200)\n(200, 200)\n"


def test_a_host_that_allows_less(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 200))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    descriptors.raise_limit()


def test_whether_the_next_one_is_in_the_reserve() -> None:
    assert run("""
import os, resource
from kreactor.jdk.descriptors import is_next_in_reserve
resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))
numbers = []
while not is_next_in_reserve(0):
    numbers.append(os.dup(0))
print(numbers[-1])
while numbers[-1] < 159:
    numbers.append(os.dup(0))
print(is_next_in_reserve(0))
os.close(numbers[0])
print(is_next_in_reserve(0))
""") == "139\nTrue\nFalse\n"


def test_a_descriptor_that_is_closed() -> None:
    number = os.dup(0)
    os.close(number)
    with pytest.raises(OSError):
        is_next_in_reserve(number)
