# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest

from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.sasl import NameCallback, PlainClient


def test_the_name_that_a_mechanism_has_in_mind() -> None:
    assert NameCallback("name", "alice").get_default_name() == "alice"
    callback = NameCallback("name")
    assert callback.get_default_name() is None
    callback.set_name("bob")
    assert callback.get_name() == "bob"


def test_plain_has_no_properties_and_tells_so_once_it_is_completed() -> None:
    client = PlainClient(None, "alice", "secret")
    with pytest.raises(IllegalStateException, match="^PLAIN authentication not completed$"):
        client.get_negotiated_property("javax.security.sasl.qop")
    assert client.evaluate_challenge(b"") == b"\0alice\0secret"
    assert client.get_negotiated_property("javax.security.sasl.qop") is None
