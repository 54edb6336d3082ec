# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Messages with values made by hypothesis, from their SCHEMA."""

from __future__ import annotations

from hypothesis import strategies as st

from kreactor.common.message.api_message_type import ApiMessageType
from kreactor.common.message.consumer_protocol_assignment import ConsumerProtocolAssignment
from kreactor.common.message.consumer_protocol_subscription import ConsumerProtocolSubscription
from kreactor.common.message.default_principal_data import DefaultPrincipalData
from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.protocol.message import Message
from kreactor.common.protocol.message_schema import FieldSpec
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer

ALL_MESSAGES: list[type[Message]] = [
    *(message for api in ApiMessageType.values() for message in (api.request_class(), api.response_class())),
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    DefaultPrincipalData,
    RequestHeaderData,
    ResponseHeaderData,
]

_INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
_UUIDS = st.one_of(st.just(Uuid.ZERO_UUID), st.builds(Uuid, _INT64, _INT64))
_TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["", "topic", "x" * 126, "x" * 127, "x" * 128, "\U0001F600\x00\x7f", "é" * 200]))
_NUMBERS = {
    "bool": st.booleans(),
    "int8": st.integers(-0x80, 0x7F),
    "int16": st.integers(-0x8000, 0x7FFF),
    "uint16": st.integers(0, 0xFFFF),
    "int32": st.integers(-0x80000000, 0x7FFFFFFF),
    "uint32": st.integers(0, 0xFFFFFFFF),
    "int64": _INT64,
    "float64": st.floats(allow_nan=False),
}


def versions(message: type[Message]) -> range:
    """Return the versions of ``message``."""
    return range(message.LOWEST_SUPPORTED_VERSION, message.HIGHEST_SUPPORTED_VERSION + 1)


class Values:
    """Which values fields get: anything that their types hold."""

    def of(self, draw: st.DrawFn, message: type[Message], field: FieldSpec, type_name: str,
           version: int) -> object:
        """Draw a value of ``type_name`` for ``field``."""
        if type_name == field.type and field.is_nullable_in(version) and draw(st.integers(0, 3)) == 0:
            return None
        if type_name.startswith("[]"):
            count = draw(st.integers(0, 2))
            return [self.of(draw, message, field, type_name[2:], version) for _ in range(count)]
        if type_name in _NUMBERS:
            return draw(self.number(field, type_name))
        if type_name == "string":
            return draw(_TEXTS)
        if type_name == "uuid":
            return draw(_UUIDS)
        if type_name in ("bytes", "records"):
            data = draw(st.one_of(st.binary(max_size=8), st.just(bytes(range(200)))))
            return ByteBuffer.wrap(data) if type_name == "records" or field.zero_copy else data
        return self.message(draw, message.struct_class(type_name), version)

    def number(self, field: FieldSpec, type_name: str) -> st.SearchStrategy[object]:
        """Return the numbers for ``field``."""
        return _NUMBERS[type_name]

    def message(self, draw: st.DrawFn, message: type[Message], version: int) -> Message:
        """Draw a message that ``version`` can express: fields that it lacks keep their defaults."""
        made = message()
        for field in message.SCHEMA.fields:
            if field.is_in(version) and not (field.is_tagged_in(version) and draw(st.booleans())):
                setattr(made, field.attribute, self.of(draw, message, field, field.type, version))
        return made


@st.composite
def messages(draw: st.DrawFn, message: type[Message], version: int, values: Values = Values()) -> Message:
    """Draw a message of ``version``."""
    return values.message(draw, message, version)


@st.composite
def raw_tags(draw: st.DrawFn, lowest: int) -> list[RawTaggedField]:
    """Draw tagged fields that nobody knows, with tags from ``lowest`` on."""
    tags = draw(st.lists(st.integers(lowest, lowest + 100000), min_size=1, max_size=3, unique=True))
    return [RawTaggedField(tag, draw(st.binary(max_size=200))) for tag in sorted(tags)]
