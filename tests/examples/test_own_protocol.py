# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The example of a protocol of one's own."""

from __future__ import annotations

from pathlib import Path

from tests.examples.test_examples import run


def test_own_protocol(tmp_path: Path) -> None:
    assert run("own_protocol.py", tmp_path).splitlines() == [
        "set colour blue -> ok", "get colour -> blue", "get shape -> (nothing)", "3 requests served"]
