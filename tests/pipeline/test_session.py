# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The settings of the JVM."""

from __future__ import annotations

import pytest

from kreactor.pipeline.session import _long_run


@pytest.mark.parametrize("memory, told", [
    ("2g", "-Xmn786432k"), ("512m", "-Xmn196608k"), ("512", "-Xmn196608k"), ("1048576k", "-Xmn393216k"),
    ("1GB", "-Xmn393216k"), ("much", "")])
def test_what_lives_short_has_a_part_of_the_heap(memory: str, told: str) -> None:
    assert _long_run(memory) == told
