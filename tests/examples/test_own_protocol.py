# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The example of a protocol of one's own."""

from __future__ import annotations

from tests.examples.test_examples import run


def test_own_protocol() -> None:
    assert run("own_protocol.py").splitlines() == [
        "set colour blue -> ok", "get colour -> blue", "get shape -> (nothing)", "3 requests served"]
