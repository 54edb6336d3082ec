# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_marks_registry_and_readme_agree():
    result = subprocess.run([sys.executable, ROOT / "tools" / "deviations"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
