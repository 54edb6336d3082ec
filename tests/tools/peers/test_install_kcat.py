# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.tools.scripts import TOOLS


def install_peers(path: Path, **commands: str) -> tuple[int, str, str]:
    """Run the script where PATH has these commands only. Return status, last line and apt-get's calls."""
    (path / "bin").mkdir()
    for name, body in commands.items():
        command = path / "bin" / name.replace("_", "-")
        command.write_text(f"#!/bin/sh\n{body}\n")
        command.chmod(0o755)
    calls = path / "calls"
    done = subprocess.run(["/bin/sh", TOOLS / "peers" / "install_kcat"],
                          capture_output=True, text=True, timeout=60,
                          env={"PATH": str(path / "bin"), "CALLS": str(calls)})
    return (done.returncode, "".join(done.stderr.splitlines()[-1:]),
            calls.read_text() if calls.exists() else "")


APT_GET = 'echo "$1" >> "$CALLS"'


@pytest.mark.parametrize("name", ["kcat", "kafkacat"])
def test_nothing_where_kcat_is_there(tmp_path, name):
    assert install_peers(tmp_path, **{name: ""}, apt_get=APT_GET, id="echo 0") == (0, "", "")


def test_it_installs(tmp_path):
    assert install_peers(tmp_path, apt_get=APT_GET, id="echo 0") == (0, "", "install\n")


def test_the_list_of_packages_is_fetched_where_it_has_no_kcat(tmp_path):
    apt_get = f'{APT_GET}; [ "$1" = update ] && : > "$CALLS.updated"; [ -e "$CALLS.updated" ]'
    assert install_peers(tmp_path, apt_get=apt_get, id="echo 0") == (0, "", "install\nupdate\ninstall\n")


@pytest.mark.parametrize("commands, why, calls", [
    ({"id": "echo 0"}, "this system has no apt-get", ""),
    ({"id": "echo 1000", "apt_get": APT_GET}, "apt-get needs root", ""),
    ({"id": "echo 0", "apt_get": f"{APT_GET}; exit 100"}, "apt-get could not, see above",
     "install\nupdate\n"),
], ids=["no apt-get", "not root", "apt-get fails"])
def test_it_says_why_not(tmp_path, commands, why, calls):
    assert install_peers(tmp_path, **commands) == (1, f"kcat is not installed: {why}", calls)
