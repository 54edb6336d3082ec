# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import os
import sys

import pytest

from tests.tools.scripts import load
from tools import servers

startup = load("bench/startup")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only")


def test_a_row_misses_its_goal_by_the_median():
    row = startup.row("it", [10.0, 30.0, 200.0], 30.0)
    assert (row.median, row.lowest, row.highest, row.missed()) == (30.0, 10.0, 200.0, False)
    assert startup.row("it", [10.0, 30.1, 31.0], 30.0).missed()
    assert not startup.row("it", [1e9], None).missed()


def test_compiled_modules_are_kept_where_they_should(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    env = startup.environment(str(tmp_path))
    assert startup.import_ms("kreactor.common.network", env) > 0
    assert list(tmp_path.rglob("*.pyc")) and os.environ["PYTHONDONTWRITEBYTECODE"] == "1"


def test_an_import_that_fails(tmp_path, capfd):
    with pytest.raises(servers.Failed, match="import no_such_module fails"):
        startup.import_ms("no_such_module", startup.environment(str(tmp_path)))
    assert "ModuleNotFoundError" in capfd.readouterr().err


def test_a_broker_answers(tmp_path):
    assert startup.serve_ms(startup.environment(str(tmp_path))) > 0


def test_a_broker_of_a_test_answers(tmp_path):
    assert all(cpu_ms > 0 for cpu_ms in startup.broker_cpu_ms(startup.environment(str(tmp_path))))


def test_times_pytest_until_a_fixture(tmp_path):
    assert startup.pytest_cpu_ms(startup.environment(str(tmp_path)), "") > 0
    with pytest.raises(startup.Failed, match="fixture 'no_such_fixture' not found"):
        startup.pytest_cpu_ms(startup.environment(str(tmp_path)), "no_such_fixture")
