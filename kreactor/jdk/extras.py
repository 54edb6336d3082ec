# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The extras of kreactor: what the user types where a package of one is missing.

A JVM has its libraries on the class path. In Python the packages of an extra may be absent, so each import
of such a package is lazy or guarded. The error names the extra. No index has kreactor, so the command is one
that works in a checkout.
"""

from __future__ import annotations

import sys
from pathlib import Path

# The file that tools/environment leaves in an environment that it has made.
_STAMP = "kreactor-installed"


def needs(what: str, extra: str) -> str:
    """Return one line: ``what`` needs ``extra``, and the command that installs it here."""
    return f"{what} needs the extra {extra}: {install_command(extra)}"


def install_command(extra: str) -> str:
    """Return the command that adds ``extra`` to this interpreter's environment."""
    if (Path(sys.prefix) / _STAMP).exists():
        return f"tools/environment {extra}"
    return f"pip install '.[{extra}]' in a checkout of kreactor"
