# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.tools.scripts import TOOLS, load

deviations = load("checks/deviations")


def test_marks_registry_and_page_agree() -> None:
    result = subprocess.run([sys.executable, TOOLS / "checks" / "deviations"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_page_has_each_row_once_below_its_kind() -> None:
    page = deviations.page([["D2", "kreactor/b.py", "fix", "two_"], ["D1", "kreactor/a.py", "python", "one"]])
    _, python, _, _, fix, _ = re.split(r"\n-+\n", page)
    assert "   * - D1\n     - ``a.py``\n     - one\n" in python
    assert "   * - D2\n     - ``b.py``\n     - two\\_\n" in fix
    assert page.count("* - D") == 2


def test_a_switch_stands_near_its_mark(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("# DEVIATION D1: faster\nif config.is_strict():\n    pass\n" + "\n" * 9
                      + "# DEVIATION D2: faster\n")
    assert deviations.is_switched(module, "D1")
    assert not deviations.is_switched(module, "D2")
    assert not deviations.is_switched(module, "D3")
