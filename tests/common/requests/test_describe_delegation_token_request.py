# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Whose delegation tokens a request asks for."""

from __future__ import annotations

from kreactor.common.requests.describe_delegation_token_request import DescribeDelegationTokenRequest
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal


def test_owners() -> None:
    request = DescribeDelegationTokenRequest.Builder([KafkaPrincipal("User", "alice")]).build()
    assert [(owner.principal_type, owner.principal_name) for owner in request.data().owners or ()] == [
        ("User", "alice")]


def test_all_owners_and_none() -> None:
    every = DescribeDelegationTokenRequest.Builder(None).build()
    assert every.data().owners is None
    assert DescribeDelegationTokenRequest.Builder([]).build().data().owners == []
