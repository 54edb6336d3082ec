# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from typing import Any

import pytest

from kreactor.common.security.auth.sasl_extensions import SaslExtensions


def test_returned_map_is_immutable() -> None:
    returned: Any = SaslExtensions({"what": "42", "who": "me"}).map()
    with pytest.raises(TypeError):
        returned["hello"] = "test"


def test_cannot_add_value_to_map_reference_and_get_from_extensions() -> None:
    given = {"what": "42", "who": "me"}
    extensions = SaslExtensions(given)
    assert extensions.map().get("hello") is None
    given["hello"] = "42"
    assert extensions.map().get("hello") is None


def test_extensions_with_equal_values_are_unique() -> None:
    given = {"what": "42", "who": "me"}
    assert SaslExtensions({"key": "value"}) != SaslExtensions({"key": "value"})
    assert SaslExtensions(given) != SaslExtensions(given)
    assert SaslExtensions.empty() != SaslExtensions.empty()
