# Licensed under the Apache License, Version 2.0; see LICENSE.
"""tools/kreactor asks tools/environment for the extras of the command that it runs."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.processes import children, wait_until_ended
from tests.tools.scripts import TOOLS, load

JAVA = 'echo \'openjdk version "{}" 2026-01-20\' >&2'


def write_command(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def tree(tmp_path):
    """A tree whose environment tells what it was asked for, and whose command tells its arguments."""
    (tmp_path / "tools").mkdir()
    shutil.copy(TOOLS / "kreactor", tmp_path / "tools" / "kreactor")
    write_command(tmp_path / "tools" / "environment", f'echo "$@" >&2\necho "{tmp_path}/bin"')
    write_command(tmp_path / "bin" / "kreactor", 'echo "$@"; exit 5')
    (tmp_path / "path").mkdir()
    for name in ("awk", "dirname"):
        (tmp_path / "path" / name).symlink_to(shutil.which(name))
    return tmp_path


def run(tree: Path, *arguments: str, home: str = "") -> tuple[int, str, str]:
    done = subprocess.run([tree / "tools" / "kreactor", *arguments], capture_output=True, text=True,
                          env={"PATH": str(tree / "path"), **({"JAVA_HOME": home} if home else {})})
    return done.returncode, done.stderr.strip(), done.stdout.strip()


@pytest.mark.parametrize("arguments, extras", [
    ((), "demo"), (("serve", "--port", "0"), "demo"), (("pipeline",), "demo"),
    (("pipeline", "--help"), "demo"),
    (("pipeline", "ingest", "--help"), "demo"), (("pipeline", "latency", "a folder"), "demo spark"),
])
def test_spark_is_for_the_pipeline_alone(tree, arguments, extras):
    write_command(tree / "path" / "java", JAVA.format("17.0.2"))
    assert run(tree, *arguments) == (5, extras, " ".join(arguments))


@pytest.mark.parametrize("on_path, at_home, has_java", [
    (None, None, False), ("17.0.2", None, True), ("25", None, True), ("1.8.0_392", None, False),
    ("11.0.20", "21.0.1", True), ("21", "11.0.20", True), (None, "11.0.20", False),
])
def test_a_jdk_comes_along_where_java_17_is_missing(tree, on_path, at_home, has_java):
    if on_path is not None:
        write_command(tree / "path" / "java", JAVA.format(on_path))
    if at_home is not None:
        write_command(tree / "home" / "bin" / "java", JAVA.format(at_home))
    assert run(tree, "pipeline", "check", "requests", home=str(tree / "home") if at_home else "") == (
        5, "demo spark" if has_java else "demo spark java", "pipeline check requests")


def test_an_environment_that_cannot_be_made_ends_the_command(tree):
    write_command(tree / "tools" / "environment", "exit 3")
    assert run(tree, "serve") == (3, "", "")


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """tools/environment of a tree that has an environment for the extra demo; its pip can be replaced."""
    module = load("environment")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "setup.cfg").write_text("[options.extras_require]\ndemo = a\nspark = b\njava = c\n")
    (tmp_path / "pyproject.toml").write_text("")
    setup, _ = module.wanted([])
    write_command(tmp_path / ".venv" / module.BIN / "python",
                  'echo "$@" > "$0.asked"; echo Collecting a; '
                  'echo "  Downloading a.whl (2.5 MB)"; echo "  Using cached b.whl (1.1 GB)"; '
                  'echo "  Downloading c.whl (9 kB)"; echo "Installing collected packages: a, b, c"')
    (tmp_path / ".venv" / module.STAMP).write_text(f"{setup} demo\n")
    return module


def test_what_is_large_is_announced_once(environment, tmp_path, capfd):
    assert environment.main(["demo", "spark", "java"]) == 0
    out, err = capfd.readouterr()
    assert [re.sub(r"^\[ *\d+ s\] ", "", line) for line in err.splitlines()] == [
        "Installing a JDK, 100 MB and Spark, 700 MB, into .venv; this takes minutes, once ...",
        "Installing kreactor with demo, java, spark into .venv by pip ...", "Downloading a.whl (2.5 MB)",
        "Using cached b.whl (1.1 GB)", "Unpacking 3 packages, 1102 MB as downloaded", ".venv is ready"]
    asked = (tmp_path / ".venv" / environment.BIN / "python.asked").read_text()
    assert asked.endswith(f"--editable {tmp_path}[demo,java,spark]\n")
    assert environment.main(["demo", "spark"]) == 0
    assert capfd.readouterr() == (out, "")


def test_a_silent_pip_is_not_taken_for_a_dead_one(environment, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(environment, "SILENCE_S", 0.0)
    (tmp_path / "end").mkdir()
    write_command(tmp_path / ".venv" / environment.BIN / "python",
                  f'echo "Building wheel for a"; while [ -d "{tmp_path}/end" ]; do sleep 0.05; done')
    tick = environment.Progress.tick

    def last_tick(progress):
        tick(progress)
        (tmp_path / "end").rmdir()

    monkeypatch.setattr(environment.Progress, "tick", last_tick)
    assert environment.main(["spark"]) == 0
    assert "] still: Building wheel for a\n" in capfd.readouterr().err


def test_extras_are_there_as_parts_of_others(environment, tmp_path, capfd):
    """Neither such extras nor the settings of a linter have the environment made anew."""
    extras = "demo = a\nspark = b\nlight =\n    kreactor[demo]\n    c\nall =\n    kreactor[spark,light]\n"
    (tmp_path / "setup.cfg").write_text(f"[options.extras_require]\n{extras}")
    (tmp_path / ".venv" / environment.STAMP).write_text(f"{environment.wanted([])[0]} all\n")
    (tmp_path / "setup.cfg").write_text(f"[options.extras_require]\n{extras}[linter]\nlength = 3\n")
    assert environment.main(["light", "demo", "spark"]) == 0
    assert capfd.readouterr().err == ""
    assert not (tmp_path / ".venv" / environment.BIN / "python.asked").exists()
    (tmp_path / "setup.cfg").write_text(f"[options.extras_require]\n{extras}java = d\n")
    assert environment.wanted([])[0] not in (tmp_path / ".venv" / environment.STAMP).read_text()


def test_extras_that_pip_cannot_install_leave_the_others_in_use(environment, tmp_path, capfd):
    write_command(tmp_path / ".venv" / environment.BIN / "python", "exit 4")
    assert environment.main(["demo", "spark"]) == 4
    assert capfd.readouterr().err.splitlines()[-1] == "pip could not install kreactor: see above."
    assert environment.main(["demo"]) == 0
    assert capfd.readouterr() == (f"{tmp_path / '.venv' / environment.BIN}\n", "")


@pytest.mark.parametrize("arguments, status, said", [
    (["--help"], 0, "tools/environment EXTRA..."),
    (["--quiet"], 2, "Error: there is no extra --quiet; there are demo, java, spark"),
    (["demo", "tsl"], 2, "Error: there is no extra tsl; there are demo, java, spark")])
def test_a_mistake_changes_nothing(environment, tmp_path, capfd, arguments, status, said):
    """Not even where the environment is to be made anew."""
    (tmp_path / "pyproject.toml").write_text("changed")
    assert environment.main(arguments) == status
    assert said in "".join(capfd.readouterr())
    assert (tmp_path / ".venv" / environment.STAMP).exists()


def test_ctrl_c_ends_pip_and_is_one_line(tmp_path):
    """The environment counts as unfinished."""
    (tmp_path / "tools").mkdir()
    shutil.copy(TOOLS / "environment", tmp_path / "tools" / "environment")
    (tmp_path / "setup.cfg").write_text("[options.extras_require]\ndemo = a\n")
    (tmp_path / "pyproject.toml").write_text("")
    module = load("environment")
    # Asks the script itself, which looks for its files in this tree, how it names the present setup.
    code = "import runpy, sys; m = runpy.run_path(sys.argv[1]); print(m['wanted']([])[0])"
    named = subprocess.run(
        [sys.executable, "-c", code,
         tmp_path / "tools" / "environment"], stdout=subprocess.PIPE, text=True, check=True).stdout
    write_command(tmp_path / ".venv" / module.BIN / "python", "echo Building wheel for a\nexec sleep 1000")
    (tmp_path / ".venv" / module.STAMP).write_text(f"{named.strip()}\n")
    with subprocess.Popen([sys.executable, tmp_path / "tools" / "environment", "demo"], text=True,
                          stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert "] Installing kreactor with demo " in process.stderr.readline()
        assert process.stderr.readline().endswith("] Building wheel for a\n")
        started = children(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=120) == ("", "Interrupted: the next call makes the environment.\n")
    assert process.returncode == 130 and len(started) == 1
    wait_until_ended(started)
    assert not (tmp_path / ".venv" / module.STAMP).exists()
