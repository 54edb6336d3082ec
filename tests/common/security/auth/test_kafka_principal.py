# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from kreactor.common.security.auth.kafka_principal import KafkaPrincipal


def test_equals_and_hash_code() -> None:
    principal1 = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "KafkaUser")
    principal2 = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "KafkaUser", True)
    assert hash(principal1) == hash(principal2)
    assert principal1 == principal2
    assert principal1 != KafkaPrincipal("Group", "KafkaUser")
    assert principal1 != KafkaPrincipal(KafkaPrincipal.USER_TYPE, "other")


def test_a_subclass_is_never_equal() -> None:
    class Rich(KafkaPrincipal):
        pass

    assert Rich("User", "a") != KafkaPrincipal("User", "a")
    assert KafkaPrincipal("User", "a") != Rich("User", "a")
    assert Rich("User", "a") == Rich("User", "a")


def test_parts() -> None:
    principal = KafkaPrincipal("User", "alice")
    assert (principal.get_principal_type(), principal.get_name(), str(principal)) == ("User", "alice",
                                                                                      "User:alice")
    assert not principal.token_authenticated()
    principal.token_authenticated_to(True)
    assert principal.token_authenticated()
    assert str(KafkaPrincipal.ANONYMOUS) == "User:ANONYMOUS"
