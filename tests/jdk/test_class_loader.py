# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which classes a loader finds, and what it imports while it looks."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from kreactor.common.uuid import Uuid
from kreactor.jdk.class_loader import (
    ClassLoader,
    NamedClassLoader,
    context_class_loader,
    use_class_loader,
)

UUID = "kreactor.common.uuid.Uuid"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a module that nobody has imported, with a class ``X`` in it."""
    name = "named_by_a_stranger"
    (tmp_path / f"{name}.py").write_text("class X:\n    class Nested:\n        pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


def test_any_class_is_found(module: str) -> None:
    assert ClassLoader().load_class(UUID) is Uuid
    assert ClassLoader().load_class(f"{module}.X").__module__ == module
    assert ClassLoader().load_class(f"{module}.X.Nested").__qualname__ == "X.Nested"
    for name in ("", "X", ".X", "no.such.module.X", f"{module}.Y", module, "kreactor.common.uuid"):
        with pytest.raises(ImportError):
            ClassLoader().load_class(name)


def test_classes_of_the_packages_are_found() -> None:
    assert NamedClassLoader(["kreactor.common"]).load_class(UUID) is Uuid


@pytest.mark.parametrize("name", [
    "named_by_a_stranger.X",
    "kreactor.core.server.kafka_config.KafkaConfig",
    "kreactor.common.__main__.X",
    "kreactor.common.uuid.__class__",
    "kreactor.common.utils.exit.logging.Logger",
    "kreactor.commonly.X",
    "kreactor.common",
    "",
])
def test_other_classes_are_not_looked_for(module: str, name: str) -> None:
    before = set(sys.modules)
    with pytest.raises(ImportError):
        NamedClassLoader(["kreactor.common"]).load_class(name)
    assert module not in sys.modules
    # The port's own may be looked into, with what they import in turn.
    assert all(new.startswith(("kreactor.common.", "kreactor.jdk.")) for new in set(sys.modules) - before)


def test_a_program_of_an_allowed_package_does_not_run(tmp_path: Path,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    package = "with_a_program"
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").touch()
    (tmp_path / package / "__main__.py").write_text("raise SystemExit('it runs')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match="is not allowed here"):
        NamedClassLoader([package]).load_class(f"{package}.__main__.X")


def test_classes_that_are_named_are_found(module: str) -> None:
    loader = NamedClassLoader(["kreactor.common"], [f"{module}.X"])
    assert loader.load_class(f"{module}.X").__module__ == module
    with pytest.raises(ImportError):
        loader.load_class(f"{module}.X.Nested")
    loader.add_allowed_names([f"{module}.X.Nested"])
    assert loader.load_class(f"{module}.X.Nested").__qualname__ == "X.Nested"
    assert loader.load_class(f"{module}.X").__module__ == module


def test_a_loader_is_in_force_on_its_thread_for_its_block() -> None:
    loader, seen = NamedClassLoader([]), []
    with pytest.raises(ZeroDivisionError), use_class_loader(loader):
        assert context_class_loader() is loader
        thread = threading.Thread(target=lambda: seen.append(context_class_loader()))
        thread.start()
        thread.join()
        raise ZeroDivisionError
    assert seen == [context_class_loader()]
    assert context_class_loader().load_class(UUID) is Uuid
