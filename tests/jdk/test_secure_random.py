# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Random bytes of the system's."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from kreactor.jdk import secure_random


def test_random_bytes() -> None:
    assert secure_random.random_bytes(0) == b""
    first, second = secure_random.random_bytes(16), secure_random.random_bytes(16)
    assert len(first) == len(second) == 16 and first != second


def test_random_uuid() -> None:
    first, second = secure_random.random_uuid(), secure_random.random_uuid()
    assert first.version == 4 and first != second


def test_by_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getrandom", raising=False)
    descriptor = secure_random._open()
    if descriptor is None:
        pytest.skip("this system has no /dev/urandom")
    try:
        monkeypatch.setattr(secure_random, "_descriptor", descriptor)
        assert len(set(secure_random.random_bytes(4096))) > 200
    finally:
        os.close(descriptor)


def test_a_system_without_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getrandom", raising=False)
    monkeypatch.setattr(secure_random, "_DEVICE", "/dev/null/none")
    assert secure_random._open() is None


def test_a_process_without_descriptors() -> None:
    code = """if True:
        import os, resource
        from kreactor.common.uuid import Uuid
        from kreactor.jdk.secure_random import random_uuid
        number = os.dup(0)
        os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))
        print(len(str(random_uuid())), len(str(Uuid.random_uuid())))"""
    ran = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert ran.stdout == "36 22\n"
