# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which tests of tools need not run, because nothing that they read changed since a commit that passed.

A test in tests/tools reads the files beside it that are no tests, and each tool that it names. It reads the
tools that these name, and all of kreactor if one of them has that word. A test that names no tool, and each
in READ_ALL, reads all files. A change outside of kreactor, tests and tools runs all tests.

pytest's cache keeps the commit, for each version of Python. Without the cache, without Git, or after a run of
changed files that are not committed, the commit is unknown, and all tests run.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = "tests/tools"
# The tests of tools that read every file.
READ_ALL = {f"test_{name}" for name in (
    "deviations", "docs", "fidelity", "frameworks", "mutants", "sentences", "sidebyside",
    "statement_counts")}
_KEY = f"kreactor/passed-{sys.implementation.name}-{sys.version_info[0]}.{sys.version_info[1]}"
# A line in which a file may name a tool: one that loads it, starts it, or imports it.
_NAMES = re.compile(r"^.*(?:load\(|script\(|TOOLS|tools|import |with_name).*$", re.MULTILINE)


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
        """The files of tools/ by each word that names one: its stem, or a folder of Kafka's lists."""
        named: dict[str, set[str]] = {}
        for file in self._files("tools"):
            path = Path(file)
            for word in (path.stem, *(part for part in path.parts[1:-1] if part.startswith("kafka-"))):
                named.setdefault(word, set()).add(file)
        return named

    @cached_property
    def _of_all(self) -> set[str]:
        """Return what all tests of tools read: the files in tests/ and tests/tools that are no tests."""
        found = {path.relative_to(self._root).as_posix() for path in (self._root / "tests").glob("*.py")}
        return {name for name in found | self._files(FOLDER) if not Path(name).name.startswith("test_")}

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
            words = {word for line in _NAMES.findall(text) for word in re.findall(r"[\w-][\w.-]*", line)}
            tools = {file for word in words for name in (word, Path(word).stem, *word.split("."))
                     for file in self._tools.get(name, ())}
            if each == test and not tools:
                return self._kreactor | self._files("tests") | self._files("tools")
            left += tools
            if re.search(r"\bkreactor\b", text):
                found |= self._kreactor
        return found | self._of_all
