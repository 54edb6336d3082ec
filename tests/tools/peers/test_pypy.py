# Licensed under the Apache License, Version 2.0; see LICENSE.
"""tools/peers/pypy, and the environments of other interpreters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.scripts import TOOLS, load

# The commands that the script needs.
COMMANDS = ("mkdir", "mv", "rm")
IS_PYPY = "exit 0"
IS_NOT = "exit 1"


def pypy(path: Path, **commands: str) -> tuple[int, str, str]:
    """Run tools/peers/pypy where PATH has these commands only.

    Return status, output and the last line of stderr.
    """
    (path / "bin").mkdir()
    for name in COMMANDS:
        (path / "bin" / name).symlink_to(f"/bin/{name}")
    for name, body in commands.items():
        command = path / "bin" / name
        command.write_text(f"#!/bin/sh\n{body}\n")
        command.chmod(0o755)
    tool = TOOLS / "peers" / "pypy"
    done = subprocess.run(["/bin/sh", tool], capture_output=True, text=True, timeout=60, env={
        "PATH": str(path / "bin"), "XDG_CACHE_HOME": str(path / "cache"), "BIN": str(path)})
    return done.returncode, done.stdout, "".join(done.stderr.splitlines()[-1:])


@pytest.mark.parametrize("name", ["pypy3.11", "pypy3", "pypy"])
def test_one_on_the_path(tmp_path, name):
    assert pypy(tmp_path, **{name: IS_PYPY}) == (0, f"{tmp_path}/bin/{name}\n", "")


def test_one_that_is_too_old_or_another_python_is_passed_over(tmp_path):
    commands = {"pypy3.11": IS_NOT, "pypy3": IS_NOT, "pypy": IS_PYPY}
    assert pypy(tmp_path, **commands) == (0, f"{tmp_path}/bin/pypy\n", "")


def test_this_python_is_asked_what_it_is(tmp_path):
    status, output, _ = pypy(tmp_path, pypy3=f"exec '{sys.executable}' \"$@\"", id="echo 1000")
    is_one = sys.implementation.name == "pypy"
    assert (status, output) == ((0, f"{tmp_path}/bin/pypy3\n") if is_one else (3, ""))


# Makes what debootstrap makes, as far as the script looks at it: the folder is its last argument.
DEBOOTSTRAP = """for new; do :; done
mkdir -p "$new/usr/bin" "$new/usr/lib/some-linux-gnu"
printf '#!/bin/sh\\nexit %s\\n' {status} > "$new/usr/bin/pypy3.11"
/bin/chmod +x "$new/usr/bin/pypy3.11" """
CHROOT = 'shift; echo "$@" >> "$BIN/patched"; case $2 in --print-interpreter) echo /lib/ld.so ;; esac'


def test_debians_is_installed_once(tmp_path):
    root = tmp_path / "cache" / "kreactor" / "pypy"
    found = f"{root}/usr/bin/pypy3.11\n"
    debootstrap = DEBOOTSTRAP.format(status=0)
    assert pypy(tmp_path, id="echo 0", debootstrap=debootstrap, chroot=CHROOT)[:2] == (0, found)
    assert (tmp_path / "patched").read_text().splitlines() == [
        "patchelf --print-interpreter /usr/bin/pypy3.11",
        f"patchelf --set-interpreter {root}/lib/ld.so --force-rpath"
        f" --set-rpath {root}/usr/lib/some-linux-gnu:{root}/usr/lib /usr/bin/pypy3.11"]
    assert [path.name for path in root.parent.iterdir()] == ["pypy"]
    again = tmp_path / "again"
    again.mkdir()
    (again / "cache").symlink_to(tmp_path / "cache")
    # Neither root nor debootstrap is needed then.
    assert pypy(again) == (0, f"{again}/cache/kreactor/pypy/usr/bin/pypy3.11\n", "")


@pytest.mark.parametrize("commands, why", [
    ({"id": "echo 1000"}, "Debian's needs root to be installed"),
    ({"id": "echo 0"}, "debootstrap, which installs Debian's, is not installed"),
    ({"id": "echo 0", "debootstrap": "exit 1"}, "debootstrap could not install Debian's: see above"),
    ({"id": "echo 0", "debootstrap": DEBOOTSTRAP.format(status=0), "chroot": "exit 1"},
     "patchelf could not change Debian's: see above"),
    ({"id": "echo 0", "debootstrap": DEBOOTSTRAP.format(status=1), "chroot": CHROOT},
     "Debian's, in {root}, does not run"),
], ids=["not root", "no debootstrap", "debootstrap fails", "patchelf fails", "does not run"])
def test_it_says_why_not(tmp_path, commands, why):
    root = tmp_path / "cache" / "kreactor" / "pypy"
    assert pypy(tmp_path, **commands) == (
        3, "", f"No PyPy for Python 3.11 or newer: none on PATH, and {why.format(root=root)}")
    # Not by glob: on PyPy a pattern with two stars finds nothing.
    assert not root.parent.exists() or not [path for path in root.parent.iterdir() if "." in path.name]


def test_an_interpreter_has_a_folder_of_its_own(monkeypatch):
    environment = load("environment")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    monkeypatch.setattr(environment.sysconfig, "get_config_var", lambda name: 0)
    assert environment.own_folder() == f".venv-{sys.implementation.name}{version}"
    monkeypatch.setattr(environment.sysconfig, "get_config_var", lambda name: 1)
    assert environment.own_folder() == f".venv-{sys.implementation.name}{version}t"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Have tools/environment make its folders in tmp_path."""
    environment = load("environment")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    (tmp_path / "tools" / "peers").mkdir(parents=True)
    for name in ("setup.cfg", "pyproject.toml"):
        (tmp_path / name).write_text("")
    return tmp_path


def write_tool(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def test_the_other_interpreter_makes_it(tree, capfd):
    write_tool(tree / "python", 'echo "$@"; exit 7')
    environment = load("environment")
    assert environment.main(["--python", str(tree / "python"), "demo", "test"]) == 7
    assert capfd.readouterr().out == f"{environment.__file__} --own-folder demo test\n"


def test_the_word_pypy_is_the_one_of_tools_pypy(tree, capfd):
    write_tool(tree / "some-pypy", "echo made")
    write_tool(tree / "tools" / "peers" / "pypy", f"echo {tree}/some-pypy")
    assert load("environment").main(["--python", "pypy", "test"]) == 0
    assert capfd.readouterr().out == "made\n"


@pytest.mark.parametrize("arguments, status, said", [
    (["--python", "pypy"], 3, "none here"),
    (["--python", "no-such-python"], 3, "--python no-such-python: no such command"),
    (["--python"], 2, "--python: the interpreter is missing"),
])
def test_no_such_interpreter(tree, capfd, arguments, status, said):
    write_tool(tree / "tools" / "peers" / "pypy", "echo none here >&2; exit 3")
    assert load("environment").main(arguments) == status
    assert capfd.readouterr() == ("", f"{said}\n")


@pytest.mark.parametrize("own, folder", [([], ".venv"), (["--own-folder"], None)], ids=["default", "its own"])
def test_the_folder_is_used_if_it_is_there(tree, capfd, own, folder):
    environment = load("environment")
    (tree / "setup.cfg").write_text("[options.extras_require]\ndemo =\ntest =\n")
    folder = folder or environment.own_folder()
    setup, _ = environment.wanted([])
    (tree / folder).mkdir()
    (tree / folder / environment.STAMP).write_text(f"{setup} demo test\n")
    assert environment.main([*own, "demo"]) == 0
    assert capfd.readouterr() == (f"{tree / folder / environment.BIN}\n", "")
