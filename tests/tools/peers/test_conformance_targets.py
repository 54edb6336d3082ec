# Licensed under the Apache License, Version 2.0; see LICENSE.
"""tools/peers/conformance_targets: what is known of other implementations, with a few cases of each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.scripts import TOOLS, load

ROOT = TOOLS.parent
KNOWN = ROOT / "tests" / "conformance" / "known"
targets = load("peers/conformance_targets")
# Cases of which none waits for a silence, so that a busy machine makes no difference.
SELECTORS = ("versions", "keys", "answers.Metadata", "answers.LeaveGroup", "headers.tags", "records.acks.two")


def run(target: str, *command: str) -> subprocess.CompletedProcess[str]:
    tool = str(TOOLS / "peers" / "conformance_targets")
    return subprocess.run([sys.executable, tool, target, "--", *command],
                          cwd=ROOT, timeout=600, capture_output=True, text=True)


@pytest.mark.parametrize("target", targets.TARGETS)
def test_what_is_known_holds(target: str) -> None:
    if target == "librdkafka":
        pytest.importorskip("confluent_kafka")
    else:
        kfake = targets.cache() / f"kfake-{targets.KFAKE}" / "kfake"
        if not kfake.exists():
            pytest.skip("tools/peers/conformance_targets kfake has not been run here, which builds it")
    done = run(target, sys.executable, "-m", "kreactor", "conformance", "{}", *SELECTORS, "--level", "should",
               "--timeout", "120", "--expect", str(KNOWN / f"{target}.expect"),
               "--skip", f"@{KNOWN / target}.skip")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "known failure" in done.stdout


def test_the_status_is_that_of_the_command() -> None:
    pytest.importorskip("confluent_kafka")
    done = run("librdkafka", sys.executable, "-c", "import sys; print(sys.argv[1]); sys.exit(7)", "at {}")
    assert done.returncode == 7
    assert done.stdout.startswith("at 127.0.0.1:")


def test_a_missing_toolchain_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert targets.main(["kfake", "--", "true"]) == 3
    assert capsys.readouterr().err == "kfake does not run here: go is not on PATH\n"


@pytest.mark.parametrize("args", [[], ["kfake"], ["kfake", "--"], ["nobody", "--", "true"]])
def test_usage(args: list[str]) -> None:
    assert targets.main(args) == 2
