# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which tests of tools need not run, because nothing that they read changed since a commit that passed.

A test in tests/tools reads the files beside it that are no tests, and each tool that it names. It reads the
tools that these name, and all of kreactor if one of them has that word. A test that names no tool, and each
in READ_ALL, reads all files. A change outside of kreactor, tests and tools runs all tests.

pytest's cache keeps the commit, for each version of Python. Without the cache, without Git, or after a run of
changed files that are not committed, the commit is unknown, and all tests run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = "tests/tools"
# The tests of tools that read every file.
READ_ALL = {f"test_{name}" for name in (
    "deviations", "docs", "fidelity", "frameworks", "list_members", "mutate", "prose", "sidebyside",
    "statements")}
_KEY = f"kreactor/passed-{sys.implementation.name}-{sys.version_info[0]}.{sys.version_info[1]}"
# How a file names a tool: where it loads it, starts it, or imports it.
_NAMES = re.compile(r"""(?:load\(|TOOLS / |import_module\(|name\()"([\w./-]+)"|tools/([\w./-]+)"""
                    r"|^\s*(?:from|import) (\w+)", re.MULTILINE)


class Passed:
    """The commit that last passed, and what changed since. Used by the main thread."""

    def __init__(self, root: Path, cache: Any) -> None:
        self._root = root
        self._cache = cache
        found = None if cache is None else cache.get(_KEY, None)
        self.commit: str = found if isinstance(found, str) else ""

    def _git(self, *args: str) -> list[str] | None:
        """Return the lines that Git prints, None if it fails."""
        try:
            done = subprocess.run(["git", "-C", str(self._root), *args], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        except OSError:
            return None
        return done.stdout.splitlines() if done.returncode == 0 else None

    def remember(self) -> None:
        """Keep HEAD as the commit that passed, if the files are those of HEAD."""
        head = self._git("rev-parse", "HEAD")
        if self._cache is not None and head and self._git("status", "--porcelain") == []:
            self._cache.set(_KEY, head[0])

    def changed(self) -> set[str] | None:
        """Return the files that are not as in the commit that passed, None if that is unknown."""
        if not self.commit:
            return None
        differ = self._git("diff", "--name-only", "--no-renames", self.commit, "--")
        new = self._git("ls-files", "--others", "--exclude-standard")
        return None if differ is None or new is None else {*differ, *new}

    def unchanged_tests(self) -> set[str]:
        """Return the files with tests of tools that need not run."""
        changed = self.changed()
        if changed is None or any(not name.startswith(("kreactor/", "tests/", "tools/")) for name in changed):
            return set()
        paths = self._root.glob(f"{FOLDER}/**/test_*.py")
        found = {path.relative_to(self._root).as_posix() for path in paths}
        if not changed:
            return found
        # A file that is gone may have been read by any.
        if any(not (self._root / name).exists() for name in changed):
            return set()
        return {name for name in found
                if Path(name).stem not in READ_ALL and self._reads(name).isdisjoint(changed)}

    @cached_property
    def _tools(self) -> dict[str, set[str]]:
        """The files of tools/ by each word that names one: its stem, or a folder above it."""
        named: dict[str, set[str]] = {}
        for folder, below, files in os.walk(self._root / "tools"):
            below[:] = [each for each in below if each != "__pycache__"]
            for file in files:
                path = (Path(folder) / file).relative_to(self._root)
                for word in (path.stem, *path.parts[1:-1]):
                    named.setdefault(word, set()).add(path.as_posix())
        return named

    @cached_property
    def _of_all(self) -> set[str]:
        """What every test of a tool reads: the files that are no tests beside it, and in tests/."""
        paths = (path for folder in ("tests", FOLDER) for path in (self._root / folder).glob("*.py"))
        found = {path.relative_to(self._root).as_posix() for path in paths}
        return {name for name in found if not Path(name).name.startswith("test_")}

    def _files(self, folder: str) -> set[str]:
        paths = (self._root / folder).rglob("*")
        return {path.relative_to(self._root).as_posix() for path in paths
                if path.suffix != ".pyc" and path.is_file()}

    @cached_property
    def _kreactor(self) -> set[str]:
        return self._files("kreactor")

    def _reads(self, test: str) -> set[str]:
        """Return the files that a test of a tool reads, with itself."""
        found: set[str] = set()
        left = [test]
        while left:
            each = left.pop()
            if each in found:
                continue
            found.add(each)
            try:
                text = (self._root / each).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue
            named = {Path(word).stem for words in _NAMES.findall(text) for word in words if word}
            tools = {file for word in named for file in self._tools.get(word, ())}
            if each == test and not tools:
                return self._files("kreactor") | self._files("tests") | self._files("tools")
            left += tools
            if re.search(r"\bkreactor\b", text):
                found |= self._kreactor
        return found | self._of_all
