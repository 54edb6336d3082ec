# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from collections.abc import Sequence

import pytest

from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.sasl import (
    Callback,
    CallbackHandler,
    NameCallback,
    PasswordCallback,
    PlainClient,
    Sasl,
)


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


class Credentials(CallbackHandler):
    """Answers with a name and a password."""

    def handle(self, callbacks: Sequence[Callback]) -> None:
        for callback in callbacks:
            if isinstance(callback, NameCallback):
                callback.set_name("alice")
            elif isinstance(callback, PasswordCallback):
                callback.set_password("secret")


def test_the_first_mechanism_that_has_a_client_is_chosen() -> None:
    client = Sasl.create_sasl_client(["UNKNOWN", "PLAIN"], "admin", "kafka", "host", {}, Credentials())
    assert client is not None and client.get_mechanism_name() == "PLAIN"
    assert client.has_initial_response()
    assert client.evaluate_challenge(b"") == b"admin\0alice\0secret"
    assert Sasl.create_sasl_client(["UNKNOWN"], None, "kafka", "host", {}, Credentials()) is None
