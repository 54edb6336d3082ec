# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest

from tools.bench import broker_loads, results

Goal, Range, Result = results.Goal, results.Range, results.Result


def rounds(*rates: float, **figures: float) -> list[dict[str, float]]:
    return [{"requests_per_s": rate, **figures} for rate in rates]


def test_figures_are_medians_of_the_rounds():
    result = Result("", {"kreactor": rounds(100, 400, 200, p50_us=5)})
    assert (result.median("kreactor", "requests_per_s"), result.median("kreactor", "p50_us")) == (200, 5)
    assert result.spread("kreactor", "requests_per_s") == (400 - 100) / 200


def test_figures_that_not_all_servers_have():
    result = Result("", {"kreactor": rounds(1, cpu_us=2, p50_us=3), "another": rounds(1, p50_us=3, more=1)})
    assert result.figures() == ["requests_per_s", "cpu_us", "p50_us", "more"]


def test_ratios_are_taken_round_by_round():
    result = Result("", {"kreactor": rounds(100, 300, 200), "peer": rounds(200, 100, 200)})
    ratio = results.ratio(result, "kreactor", "requests_per_s", "peer")
    assert ratio == Range(1.0, 0.5, 3.0) and str(ratio) == "1.00 (0.50 .. 3.00)"
    assert results.ratio(result, "kreactor", "requests_per_s", None) == Range(200, 100, 300)


def test_rounds_that_do_not_match():
    result = Result("", {"kreactor": rounds(1, 2), "peer": rounds(1)})
    with pytest.raises(ValueError, match="shorter"):
        results.ratio(result, "kreactor", "requests_per_s", "peer")


def test_the_client_is_held_against_the_fastest():
    done = {"kreactor": rounds(10), "peer": rounds(20)}
    assert Result("", done, ceiling={"requests_per_s": 50.0}).headroom() == 2.5
    assert Result("", done).headroom() is None


def test_goals():
    done = {"load": Result("", {"kreactor": rounds(80), "peer": rounds(100)}, {"other": "not there"})}
    least = Goal("", "load", 0.8, "peer")
    assert least.text() == "at least 0.8 x peer"
    assert least.is_met(least.reached(done, {})) and not least.is_met(Range(0.79, 0.0, 9.0))
    most = Goal("", "load", 80, figure="requests_per_s", at_most=True)
    assert most.text() == "at most 80"
    assert most.is_met(most.reached(done, {})) and not most.is_met(Range(81, 0, 99))
    assert Goal("", "load", 1, "other").reached(done, {}) == "other: not there"
    assert Goal("", "load", 1, "peer", server="nobody").reached(done, {}) == "nobody was not measured"
    assert Goal("", "load", 1, "nobody").reached(done, {}) == "nobody was not measured"
    assert Goal("", "another", 1, "other").reached(done, {}) == "another was not run"
    assert Goal("", "another", 1, "other").reached(done, {"another": "it died"}) == "it died"


def test_goals_are_about_loads_and_peers_that_there_are():
    for goal in results.GOALS:
        peers = getattr(broker_loads.LOADS[goal.load], "peers", (results.ASYNCIO,))
        assert goal.than in (None, results.KREACTOR, results.PYPY, results.BESIDE, *peers)
