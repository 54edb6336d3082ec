# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Every tool in a fresh checkout, on a Python without packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.scripts import TOOLS, names

# The tools that make an environment on their first use, with the arguments of a short use. Each other tool
# needs no package, or tells the packages that it needs.
MAKE_AN_ENVIRONMENT: dict[str, tuple[str, ...]] = {
    "bench/broker": (), "bench/pipeline": (), "bench/producer": (), "bench/profile": (), "bench/startup": (),
    "checks/mutants": ("--seed", "1", "--modules", "common/memory"), "docs": (),
    "load/cluster_chaos": (), "load/fault_sweep": (),
    "load/idle_connections": (), "load/leaks": (), "load/quota_rate": (), "load/request_growth": (),
    "peers/editions_jvm": (), "peers/frameworks": (), "peers/kafka_tools": (), "peers/producer_wire": (),
    "peers/suites": (), "test": (),
}
MADE = 9


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout whose tools/environment only tells that it was called."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(TOOLS, folder / "tools", ignore=shutil.ignore_patterns("kafka-*", "*.rst", "__pycache__"))
    for name in ("kreactor", "tests", "setup.cfg", "pyproject.toml"):
        (folder / name).symlink_to(TOOLS.parent / name)
    environment = folder / "tools" / "environment"
    environment.write_text(f"#!/bin/sh\necho asked for an environment >&2\nexit {MADE}\n")
    return folder


def run(checkout: Path, name: str, *arguments: str) -> tuple[int, str, str]:
    """Run a tool; no package can be imported."""
    path = checkout / "tools" / name
    is_python = "python" in path.read_text().partition("\n")[0]
    # -S leaves out the folders of packages. The child processes of a tool have them.
    command = [sys.executable, "-S", "-B", str(path)] if is_python else [str(path)]
    done = subprocess.run(
        [*command, *arguments], cwd=checkout, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "HOME": str(checkout)}, timeout=120)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", sorted(set(names()) - {"environment", "kreactor"}))
def test_help_needs_no_package_and_no_environment(checkout: Path, name: str) -> None:
    """tools/kreactor passes --help on to the command, in an environment."""
    status, told, errors = run(checkout, name, "--help")
    assert (status, errors) == (0, "")
    assert len(told.split()) > 20


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="some tools run on Linux only")
@pytest.mark.parametrize("name", MAKE_AN_ENVIRONMENT)
def test_the_first_use_makes_an_environment(checkout: Path, name: str) -> None:
    status, _, errors = run(checkout, name, *MAKE_AN_ENVIRONMENT[name])
    assert errors.splitlines()[-1:] == ["asked for an environment"]
    assert status == MADE
