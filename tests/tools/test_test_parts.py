# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.scripts import load

test_parts = load("test_parts.py")


def part(folder: Path, name: str, text: str) -> tuple[str, ...]:
    path = folder / f"test_{name}.py"
    path.write_text(text)
    return "-p", "no:cacheprovider", "-c", str(folder / "none.ini"), str(path)


@pytest.mark.parametrize("failing", [
    "def test_it():\n    assert False\n", "import nothing_of_this_name\n", "", "import os\nos.abort()\n",
])
def test_one_part_that_fails_fails_all(tmp_path, capfdbinary, failing):
    (tmp_path / "none.ini").write_text("[pytest]\n")
    right = part(tmp_path, "right", "def test_it():\n    pass\n")
    wrong = part(tmp_path, "wrong", failing)
    assert test_parts.run({"a": right, "b": right}) == 0
    assert capfdbinary.readouterr().out.endswith(b"all parts passed\n")
    for parts in ({"a": wrong, "b": right}, {"b": right, "a": wrong}):
        assert test_parts.run(parts) == 1
        output = capfdbinary.readouterr().out
        assert output.endswith(b"failed: a\n") and b"1 passed" in output


def test_every_test_is_in_one_part():
    root = Path(test_parts.__file__).parent.parent
    named = test_parts.SERVER + test_parts.NETWORK
    assert len(set(named)) == len(named) and all((root / folder).is_dir() for folder in named)
    assert test_parts.PARTS["the rest"] == ("tests", *(f"--ignore={folder}" for folder in named))
