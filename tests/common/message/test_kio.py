# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A second opinion on the bytes of every version of every message: kio, which was made independently."""

from __future__ import annotations

import importlib
import io
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader, entity_writer

from kreactor.common.message.default_principal_data import DefaultPrincipalData
from kreactor.common.protocol.message import Message
from kreactor.common.protocol.message_schema import FieldSpec
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from tests.common.message.strategies import ALL_MESSAGES, Values, messages, versions


class KioValues(Values):
    """Values that kio has Python types for: error codes that exist, and times that are any."""

    _CODES = st.sampled_from([code.value for code in ErrorCode])

    def number(self, field: FieldSpec, type_name: str) -> st.SearchStrategy[object]:
        name = field.name.lower()
        if type_name == "int16" and name.endswith("errorcode"):
            return self._CODES
        if type_name in ("int32", "int64") and (name.endswith("ms") or "time" in name):
            return st.integers(0, 0x7FFFFFFF if type_name == "int32" else 1 << 41)
        if type_name == "float64":
            return st.floats(allow_nan=False, allow_infinity=False)
        return super().number(field, type_name)


# Versions of Kafka 4.0, which kio 0.6.2 does not know (D312).
AFTER_3_8 = {(ConsumerGroupHeartbeatRequestData, 1), (ConsumerGroupHeartbeatResponseData, 1)}


def kio_class(message_class: type[Message], version: int) -> Any:
    name = message_class.SCHEMA.name
    if message_class is not DefaultPrincipalData:
        name = name.removesuffix("Data")
    base, kind = name, "data"
    for suffix in ("Request", "Response"):
        if name.endswith(suffix):
            base, kind = name.removesuffix(suffix), suffix.lower()
    if name.endswith("Header"):
        kind = "header"
    folder = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", base).lower()
    return getattr(importlib.import_module(f"kio.schema.{folder}.v{version}.{kind}"), name)


@pytest.mark.parametrize("message_class", ALL_MESSAGES, ids=lambda message_class: message_class.__name__)
@settings(max_examples=3, database=None,
          suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_kio_reads_and_writes_the_same_bytes(message_class: type[Message], data: st.DataObject) -> None:
    for version in versions(message_class):
        if (message_class, version) in AFTER_3_8:
            continue
        entity_class = kio_class(message_class, version)
        message = data.draw(messages(message_class, version, KioValues()))
        encoded = MessageUtil.to_byte_buffer(message, version).to_bytes()
        entity, size = entity_reader(entity_class)(encoded, 0)
        assert size == len(encoded)
        out = io.BytesIO()
        entity_writer(entity_class)(out, entity)
        assert out.getvalue() == encoded
        assert message_class.read(ByteBuffer.wrap(out.getvalue()), version) == message
