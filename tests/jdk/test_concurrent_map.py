# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Views of dicts that change."""

from __future__ import annotations

from kreactor.jdk.concurrent_map import ConcurrentMapView


def test_live() -> None:
    changing = {"a": 1}
    view = ConcurrentMapView(changing)
    changing["b"] = 2
    assert len(view) == 2
    assert view["b"] == 2 and view.get("c") is None and "b" in view and "c" not in view
    assert list(view) == list(view.keys()) == ["a", "b"]
    assert list(view.values()) == [1, 2]
    assert dict(view) == dict(view.items()) == view == changing
    assert repr(view) == "{'a': 1, 'b': 2}"


def test_changes_do_not_disturb_who_goes_through_it() -> None:
    changing = {i: i for i in range(5)}
    view = ConcurrentMapView(changing)
    seen = []
    for key in view:
        seen.append(key)
        changing.clear()
    for key, _ in view.items():
        seen.append(key)
    assert seen == [0, 1, 2, 3, 4]
