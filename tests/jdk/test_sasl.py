# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from kreactor.jdk.sasl import NameCallback


def test_the_name_that_a_mechanism_has_in_mind() -> None:
    assert NameCallback("name", "alice").get_default_name() == "alice"
    callback = NameCallback("name")
    assert callback.get_default_name() is None
    callback.set_name("bob")
    assert callback.get_name() == "bob"
