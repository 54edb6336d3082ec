# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from kreactor.common.config.config_resource import ConfigResource

Type = ConfigResource.Type


def test_should_get_type_from_id() -> None:
    assert [Type.for_id(id_) for id_ in (2, 4, 16)] == [Type.TOPIC, Type.BROKER, Type.CLIENT_METRICS]


def test_should_return_unknown_for_unknown_code() -> None:
    assert [Type.for_id(id_) for id_ in (-1, 0, 1)] == [Type.UNKNOWN] * 3


def test_should_round_trip_every_type() -> None:
    assert [Type.for_id(type_.id()) for type_ in Type] == list(Type)
