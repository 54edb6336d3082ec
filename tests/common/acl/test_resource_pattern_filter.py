# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType

ANY, GROUP, TOPIC, UNKNOWN = ResourceType.ANY, ResourceType.GROUP, ResourceType.TOPIC, ResourceType.UNKNOWN
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED


def matches(wanted: tuple[ResourceType, str | None, PatternType],
            found: tuple[ResourceType, str, PatternType]) -> bool:
    return ResourcePatternFilter(*wanted).matches(ResourcePattern(*found))


def test_should_be_unknown_if_resource_type_unknown() -> None:
    assert ResourcePatternFilter(UNKNOWN, None, PatternType.LITERAL).is_unknown()


def test_should_be_unknown_if_pattern_type_unknown() -> None:
    assert ResourcePatternFilter(GROUP, None, PatternType.UNKNOWN).is_unknown()


def test_should_not_match_if_different_resource_type() -> None:
    assert not matches((TOPIC, "Name", LITERAL), (GROUP, "Name", LITERAL))


def test_should_not_match_if_different_name() -> None:
    assert not matches((TOPIC, "Different", PREFIXED), (TOPIC, "Name", PREFIXED))


def test_should_not_match_if_different_name_case() -> None:
    assert not matches((TOPIC, "NAME", LITERAL), (TOPIC, "Name", LITERAL))


def test_should_not_match_if_different_pattern_type() -> None:
    assert not matches((TOPIC, "Name", LITERAL), (TOPIC, "Name", PREFIXED))


def test_should_match_where_resource_type_is_any() -> None:
    assert matches((ANY, "Name", PREFIXED), (TOPIC, "Name", PREFIXED))


def test_should_match_where_resource_name_is_any() -> None:
    assert matches((TOPIC, None, PREFIXED), (TOPIC, "Name", PREFIXED))


def test_should_match_where_pattern_type_is_any() -> None:
    assert matches((TOPIC, None, PatternType.ANY), (TOPIC, "Name", PREFIXED))


def test_should_match_where_pattern_type_is_match() -> None:
    assert matches((TOPIC, None, PatternType.MATCH), (TOPIC, "Name", PREFIXED))


def test_should_match_literal_if_exact_match() -> None:
    assert matches((TOPIC, "Name", LITERAL), (TOPIC, "Name", LITERAL))


def test_should_match_literal_if_name_matches_and_filter_is_on_pattern_type_any() -> None:
    assert matches((TOPIC, "Name", PatternType.ANY), (TOPIC, "Name", LITERAL))


def test_should_match_literal_if_name_matches_and_filter_is_on_pattern_type_match() -> None:
    assert matches((TOPIC, "Name", PatternType.MATCH), (TOPIC, "Name", LITERAL))


def test_should_not_match_literal_if_name_prefixed() -> None:
    assert not matches((TOPIC, "Name-something", PatternType.MATCH), (TOPIC, "Name", LITERAL))


def test_should_match_literal_wildcard_if_exact_match() -> None:
    assert matches((TOPIC, "*", LITERAL), (TOPIC, "*", LITERAL))


def test_should_not_match_literal_wildcard_against_other_name() -> None:
    assert not matches((TOPIC, "Name", LITERAL), (TOPIC, "*", LITERAL))


def test_should_not_match_literal_wildcard_the_way_around() -> None:
    assert not matches((TOPIC, "*", LITERAL), (TOPIC, "Name", LITERAL))


def test_should_not_match_literal_wildcard_if_filter_has_pattern_type_of_any() -> None:
    assert not matches((TOPIC, "Name", PatternType.ANY), (TOPIC, "*", LITERAL))


def test_should_match_literal_wildcard_if_filter_has_pattern_type_of_match() -> None:
    assert matches((TOPIC, "Name", PatternType.MATCH), (TOPIC, "*", LITERAL))


def test_should_match_prefixed_if_exact_match() -> None:
    assert matches((TOPIC, "Name", PREFIXED), (TOPIC, "Name", PREFIXED))


def test_should_not_match_if_both_prefixed_and_filter_is_prefix_of_resource() -> None:
    assert not matches((TOPIC, "Name", PREFIXED), (TOPIC, "Name-something", PREFIXED))


def test_should_not_match_if_both_prefixed_and_resource_is_prefix_of_filter() -> None:
    assert not matches((TOPIC, "Name-something", PREFIXED), (TOPIC, "Name", PREFIXED))


def test_should_not_match_prefixed_if_name_prefixed_any_filter_type_is_any() -> None:
    assert not matches((TOPIC, "Name-something", PatternType.ANY), (TOPIC, "Name", PREFIXED))


def test_should_match_prefixed_if_name_prefixed_any_filter_type_is_match() -> None:
    assert matches((TOPIC, "Name-something", PatternType.MATCH), (TOPIC, "Name", PREFIXED))
