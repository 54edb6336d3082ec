# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest

from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.jdk.exceptions import IllegalArgumentException


def test_should_throw_if_resource_type_is_any() -> None:
    with pytest.raises(IllegalArgumentException):
        ResourcePattern(ResourceType.ANY, "name", PatternType.LITERAL)


def test_should_throw_if_pattern_type_is_match() -> None:
    with pytest.raises(IllegalArgumentException):
        ResourcePattern(ResourceType.TOPIC, "name", PatternType.MATCH)


def test_should_throw_if_pattern_type_is_any() -> None:
    with pytest.raises(IllegalArgumentException):
        ResourcePattern(ResourceType.TOPIC, "name", PatternType.ANY)


def test_should_throw_if_resource_name_is_null() -> None:
    with pytest.raises(TypeError):
        ResourcePattern(ResourceType.TOPIC, None, PatternType.LITERAL)  # type: ignore[arg-type]
