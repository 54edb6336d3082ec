# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest

from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.security_utils import SecurityUtils
from kreactor.jdk.exceptions import IllegalArgumentException


def test_principal_name_can_contain_separator() -> None:
    principal = SecurityUtils.parse_kafka_principal("User:name:with:separator:in:it")
    assert principal == KafkaPrincipal("User", "name:with:separator:in:it")


def test_parse_kafka_principal_with_non_user_principal_type() -> None:
    assert SecurityUtils.parse_kafka_principal("Group:foo") == KafkaPrincipal("Group", "foo")


@pytest.mark.parametrize(("text", "shown"), [(None, "null"), ("", ""), ("alice", "alice")])
def test_what_is_no_principal(text: str | None, shown: str) -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        SecurityUtils.parse_kafka_principal(text)
    assert str(caught.value) == f"expected a string in format principalType:principalName but got {shown}"


def test_an_empty_name() -> None:
    assert SecurityUtils.parse_kafka_principal("User:") == KafkaPrincipal("User", "")


def test_the_name_of_a_resource_type() -> None:
    assert SecurityUtils.resource_type_name(ResourceType.TRANSACTIONAL_ID) == "TransactionalId"
