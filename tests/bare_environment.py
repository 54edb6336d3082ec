# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Environments as a user makes them: kreactor with chosen extras, and no package of the tests.

The packages are links to those of the environment that runs the tests, so that no network is needed.
"""

from __future__ import annotations

import configparser
import importlib.metadata
import re
import venv
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
_SCRIPT = "#!{0}/bin/python\nimport sys\nfrom kreactor.__main__ import main\nsys.exit(main())\n"


def requirements(extras: Iterable[str] = ()) -> list[str]:
    """Return the packages that setup.cfg installs with these extras; of an extra, those of its own lines."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    in_extras = setup["options.extras_require"]
    lines = [setup["options"]["install_requires"], *(in_extras[each] for each in extras)]
    found = (re.match(r"[\w.-]+", line) for line in "\n".join(lines).splitlines()
             if '== "PyPy"' not in line)
    return [match[0] for match in found if match is not None]


def _distributions(names: Iterable[str]) -> dict[str, importlib.metadata.Distribution]:
    """Return the distributions of these names and all that they need, by their names."""
    found: dict[str, importlib.metadata.Distribution] = {}
    todo = list(names)
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name not in found:
            found[name] = importlib.metadata.distribution(name)
            for needed in found[name].requires or ():
                match = re.match(r"[\w.-]+", needed)
                assert match is not None
                with suppress(importlib.metadata.PackageNotFoundError):
                    if "extra ==" not in needed and importlib.metadata.distribution(match[0]):
                        todo.append(match[0])
    return found


def make(folder: Path, *extras: str) -> Path:
    """Make an environment with kreactor and these extras; return its folder of programs."""
    venv.create(folder, with_pip=False, symlinks=True)
    site, = folder.glob("lib/*/site-packages")
    for distribution in _distributions(requirements(extras)).values():
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    (site / "kreactor.pth").write_text(f"{ROOT}\n")
    script = folder / "bin" / "kreactor"
    script.write_text(_SCRIPT.format(folder))
    script.chmod(0o755)
    return script.parent
