# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's ControlRecordTypeTest."""

from __future__ import annotations

import pytest

from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.control_record_type import CURRENT_CONTROL_RECORD_KEY_VERSION, ControlRecordType
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer


def test_parse_unknown_type() -> None:
    buffer = ByteBuffer.allocate(32).put_short(CURRENT_CONTROL_RECORD_KEY_VERSION).put_short(337).flip()
    assert ControlRecordType.parse(buffer) is ControlRecordType.UNKNOWN


def test_parse_unknown_version() -> None:
    buffer = ByteBuffer.allocate(32).put_short(5).put_short(ControlRecordType.ABORT.type())
    buffer.put_int(23432).flip()
    assert ControlRecordType.parse(buffer) is ControlRecordType.ABORT


@pytest.mark.parametrize("expected", ControlRecordType)
def test_round_trip(expected) -> None:
    buffer = ByteBuffer.allocate(32).put_short(CURRENT_CONTROL_RECORD_KEY_VERSION)
    buffer.put_short(expected.type()).flip()
    assert ControlRecordType.parse(buffer) is expected


# -- ours ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type_", ControlRecordType)
def test_record_key(type_) -> None:
    if type_ is ControlRecordType.UNKNOWN:
        with pytest.raises(IllegalArgumentException, match="Cannot serialize UNKNOWN control record type"):
            type_.record_key()
    else:
        assert ControlRecordType.parse(ByteBuffer.wrap(type_.record_key())) is type_


def test_keys_that_are_none() -> None:
    with pytest.raises(InvalidRecordException, match="Must have at least 4 bytes, but found only 3"):
        ControlRecordType.parse(ByteBuffer.wrap(bytes(3)))
    with pytest.raises(InvalidRecordException, match="Invalid version found for control record: -1"):
        ControlRecordType.parse(ByteBuffer.wrap(b"\xff\xff\0\0"))
