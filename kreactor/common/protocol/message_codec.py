# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Compiles functions that read and write a message in one version, from the message's ``SCHEMA``.

Kafka generates a Java class for each message. Its reader tests the version at every field. Here the version
is known at code generation. The result is straight-line Python code without version tests. It has nested
structs inline, and one ``struct`` call for each run of fixed-size fields. This makes it fast.
``compile_reader`` runs on the first use of a class and version. Two threads may both compile the same reader,
with the same result.

The source is registered with ``linecache`` under a name such as ``<FetchRequestData v12 reader>``. Therefore
tracebacks show it and debuggers can step through it.

**Reading.** ``reader(memory, position, limit)`` returns the message and the position after it. ``memory``
ends at ``limit``. A reader checks lengths before any allocation, as Kafka's generated readers do and with
their texts. So no allocation is larger than the remaining bytes justify. A field past the limit raises
BufferUnderflowException, which is a RuntimeError like most other faults. A varint of six bytes, or a view
past the limit, raises IllegalArgumentException.

**Writing.** ``writer(message, out, segments)`` appends to ``out`` and returns the array for further output.
At a zero-copy field (records, zero-copy bytes), the writer appends ``out`` and then the field to
``segments``, and continues with a new array.

Names in the generated code: ``d`` is the memory, ``p`` the position, ``e`` the limit, ``b`` the number of
array elements still allowed, ``n`` a length, ``t`` a number of tagged fields, ``a`` is ``out.append``;
``o0``, ``o1`` ... are the message and its structs by depth.
"""

# DEVIATION D41: readers and writers are compiled at run time from data, where Kafka generates Java source.

from __future__ import annotations

import codecs
import linecache
import struct
import sys
from typing import TYPE_CHECKING, Any, Callable, Iterable, Union

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.protocol.message_schema import (
    FRESH,
    FieldSpec,
    StructSpec,
    fixed_size,
    is_struct,
    versions_of,
)
from kreactor.common.protocol.types.raw_tagged_field import RawTaggedField
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import BufferUnderflowException, IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer, BytesLike

if TYPE_CHECKING:
    from kreactor.common.protocol.message import CountingReader, Message, Reader, Writer
    from kreactor.common.record.base_records import BaseRecords

# A segment of a written message: encoded bytes, zero-copy bytes, or records with their own send.
Segment = Union[BytesLike, "BaseRecords"]

_MAX_STRING = 0x7FFF
_FORMATS = {"bool": "?", "int8": "b", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
            "int64": "q", "float64": "d", "uuid": "qq"}


# -- functions of compiled readers ----------------------------------------------------------------------


def _replace_as_java(error: UnicodeError) -> tuple[str, int]:
    """Replace invalid UTF-8 as Java does. Unlike Python, Java replaces an encoded surrogate as one unit."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, start = error.object, error.start
    if data[start] == 0xED and start + 1 < len(data) and 0xA0 <= data[start + 1] <= 0xBF:
        whole = start + 2 < len(data) and 0x80 <= data[start + 2] <= 0xBF
        return "\ufffd", start + (3 if whole else 2)
    return "\ufffd", error.end


# The replacement for bytes that are not UTF-8.
REPLACE = "kreactor.java"
codecs.register_error(REPLACE, _replace_as_java)


def _varint(memory: memoryview, position: int) -> tuple[int, int]:
    """Return the unsigned varint at ``position`` as a Java int, and the position after it."""
    value = 0
    for shift in (0, 7, 14, 21):
        byte = memory[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    byte = memory[position]
    value |= byte << 28
    value = (value & 0xFFFFFFFF ^ 0x80000000) - 0x80000000
    if byte > 0x7F:
        raise IllegalArgumentException(
            "Varint is too long, the most significant bit in the 5th byte is set, "
            f"converted value: {value & 0xFFFFFFFF:x}")
    return value, position + 1


def _length(memory: memoryview, position: int) -> tuple[int, int]:
    """Return a length plus one whose varint began before ``position``, and the position after it.

    A negative Java int stays negative after the subtraction of one, and therefore means null.
    """
    value, position = _varint(memory, position - 1)
    # In Java the lowest int minus one is the highest int.
    return (0x80000000 if value == -0x80000000 else value), position


def _null(name: str) -> RuntimeError:
    return RuntimeError(f"non-nullable field {name} was serialized as null")


def _bad_string(name: str, length: int) -> RuntimeError:
    return RuntimeError(f"string field {name} had invalid length {length}")


def _short(length: int, remaining: int) -> RuntimeError:
    return RuntimeError(f"Error reading byte array of {length} byte(s): only {remaining} byte(s) available")


def _short_view(length: int, remaining: int) -> IllegalArgumentException:
    return IllegalArgumentException(f"newLimit > capacity: ({length} > {remaining})")


def _big_array(length: int, remaining: int) -> RuntimeError:
    return RuntimeError(f"Tried to allocate a collection of size {length}, but there are only "
                        f"{remaining} bytes remaining.")


def _too_many_elements() -> RuntimeError:
    return RuntimeError("The arrays of the message have more elements than are allowed")


_ReadNumbers = Callable[[memoryview, int, int, int], list[int] | list[float] | list[Uuid]]


def _numbers(code: str, size: int) -> _ReadNumbers:
    """Return a function that reads ``count`` numbers of one format, after a check against the limit."""
    unpackers = [struct.Struct(f">{count}{code}").unpack_from for count in range(33)]

    def read(memory: memoryview, position: int, limit: int, count: int) -> list[int] | list[float]:
        if count < 33:
            return list(unpackers[count](memory, position))
        if count * size > limit - position:
            raise BufferUnderflowException()
        return list(struct.unpack_from(f">{count}{code}", memory, position))

    return read


def _read_uuids(memory: memoryview, position: int, limit: int, count: int) -> list[Uuid]:
    end = position + 16 * count
    if end > limit:
        raise BufferUnderflowException()
    return [Uuid(most, least) for most, least in struct.iter_unpack(">qq", memory[position:end])]


_NUMBERS: dict[str, _ReadNumbers] = {}


def _numbers_reader(type_name: str) -> _ReadNumbers:
    if type_name == "uuid":
        return _read_uuids
    if type_name not in _NUMBERS:
        size = fixed_size(type_name)
        assert size is not None
        _NUMBERS[type_name] = _numbers(_FORMATS[type_name], size)
    return _NUMBERS[type_name]


def _read_unknown(known: list[RawTaggedField] | None, tag: int, size: int, memory: memoryview, position: int,
                  limit: int) -> list[RawTaggedField]:
    """Keep the bytes of an unknown tag."""
    if size > limit - position:
        raise _short(size, limit - position)
    if size < 0:
        raise RuntimeError(str(size))
    if known is None:
        known = []
    known.append(RawTaggedField(tag, bytes(memory[position:position + size])))
    return known


# -- functions of compiled writers ----------------------------------------------------------------------


def varint_bytes(value: int) -> bytes:
    """Return ``value`` as an unsigned varint."""
    value &= 0xFFFFFFFF
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _long_string(name: str) -> RuntimeError:
    return RuntimeError(f"'{name}' field is too long to be serialized")


def _segment(value: object) -> tuple[Segment | None, int]:
    """Return the segment of a zero-copy field, None for an empty one, and its size in bytes."""
    if isinstance(value, ByteBuffer):
        view = value.view()
        return (view if view else None), len(view)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return (value if value else None), len(value)
    # Records in memory have a buffer. Records without a buffer need their own send, even if empty.
    if hasattr(value, "buffer"):
        return _segment(value.buffer())
    records: BaseRecords = value  # type: ignore[assignment]  # the contract of a records field
    return records, records.size_in_bytes()


def segment_size(segment: Segment) -> int:
    """Return the size of ``segment`` on the wire in bytes."""
    if isinstance(segment, (bytes, bytearray, memoryview)):
        return len(segment)
    return segment.size_in_bytes()


def _write_raw_tags(out: bytearray, fields: list[RawTaggedField], position: int, next_defined: int) -> int:
    """Append the unknown tags below ``next_defined``, from index ``position``; return the next index."""
    previous = fields[position - 1].tag() if position else -1
    while position < len(fields):
        field = fields[position]
        tag = field.tag()
        if tag >= next_defined:
            if tag == next_defined:
                raise RuntimeError(f"Attempted to use tag {tag} as an undefined tag.")
            break
        if tag <= previous:
            raise RuntimeError(f"Invalid raw tag field list: tag {tag} comes after tag {previous}, but is "
                               "not higher than it.")
        out += varint_bytes(tag)
        out += varint_bytes(field.size())
        out += field.data()
        previous = tag
        position += 1
    return position


def _tags_unsupported(version: int) -> UnsupportedVersionException:
    return UnsupportedVersionException(
        f"Tagged fields were set, but version {version} of this message does not support them.")


def _not_default(name: str, version: int) -> UnsupportedVersionException:
    return UnsupportedVersionException(f"Attempted to write a non-default {name} at version {version}")


# -- the compilers -----------------------------------------------------------------------------------


class _Source:
    """Builds Python source, and collects the objects that the source refers to."""

    def __init__(self, message: type[Message], version: int) -> None:
        self.message = message
        self.version = version
        self.flexible = versions_of(_outer_class(message).SCHEMA.flexible).contains(version)
        self.lines: list[str] = []
        self.indent = 1
        self.names: dict[str, object] = {
            "new": object.__new__, "B": ByteBuffer, "Uuid": Uuid, "ZERO": Uuid.ZERO_UUID, "pack": struct.pack,
        }
        self._constants: dict[tuple[str, object], str] = {}

    def emit(self, *lines: str) -> None:
        for line in lines:
            self.lines.append("    " * self.indent + line)

    def name_of(self, prefix: str, value: object, key: object = None) -> str:
        """Return the name of ``value`` in the code."""
        key = (prefix, id(value) if key is None else key)
        name = self._constants.get(key)
        if name is None:
            name = f"{prefix}{sum(known[0] == prefix for known in self._constants)}"
            self._constants[key] = name
            self.names[name] = value
        return name

    def function(self, function: Callable[..., object]) -> str:
        name = function.__name__
        self.names[name] = function
        return name

    def is_flexible(self, field: FieldSpec) -> bool:
        if field.flexible is None:
            return self.flexible
        return versions_of(field.flexible).contains(self.version)

    def make(self, kind: str, header: str, message: type[Message]) -> Any:
        """Compile the source and return the function whose definition starts with ``header``."""
        source = "\n".join([header, *self.lines]) + "\n"
        file_name = f"<{message.__qualname__} v{self.version} {kind}>"
        linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)
        exec(compile(source, file_name, "exec"), self.names)
        return self.names[kind]


def _outer_class(message: type[Message]) -> type[Message]:
    """Return the message that encloses ``message``, or ``message`` itself."""
    outer: type[Message] = getattr(sys.modules[message.__module__], message.__qualname__.split(".")[0])
    return outer


def struct_class(message: type[Message], name: str) -> type[Message]:
    """Return the class of a struct of ``message``. All structs are nested in the outermost message class."""
    nested: type[Message] = getattr(_outer_class(message), name)
    return nested


def _check_version(message: type[Message], version: int, verb: str) -> None:
    if not message.LOWEST_SUPPORTED_VERSION <= version <= message.HIGHEST_SUPPORTED_VERSION:
        raise UnsupportedVersionException(f"Can't {verb} version {version} of {message.SCHEMA.name}")


def _split(spec: StructSpec, version: int) -> tuple[list[FieldSpec], list[FieldSpec], list[FieldSpec]]:
    """Return the untagged fields, the tagged fields by tag, and the fields not in ``version``."""
    plain, tagged, absent = [], [], []
    for field in spec.fields:
        if not field.is_in(version):
            absent.append(field)
        elif field.is_tagged_in(version):
            tagged.append(field)
        else:
            plain.append(field)
    tagged.sort(key=lambda field: field.tag or 0)
    return plain, tagged, absent


class _ReaderSource(_Source):
    """Generates a reader. ``run`` has the pending fixed-size values with their formats and targets."""

    def __init__(self, message: type[Message], version: int, counts: bool) -> None:
        super().__init__(message, version)
        self.run: list[tuple[str, str]] = []
        self.after_run: list[str] = []
        self.counts = counts

    def fetch(self, code: str, target: str) -> None:
        self.run.append((code, target))

    def flush(self) -> None:
        """Emit one ``struct`` call for the whole run, then the statements that use the values."""
        if self.run:
            code = "".join(code for code, _ in self.run)
            size = struct.calcsize(">" + code)
            targets = ", ".join(target for _, target in self.run)
            if code == "B":
                self.emit(f"{targets} = d[p]")
            else:
                unpack = self.name_of("U", struct.Struct(">" + code).unpack_from, code)
                self.emit(f"{targets}{'' if ',' in targets else ','} = {unpack}(d, p)")
            self.emit(f"p += {size}")
        self.emit(*self.after_run)
        self.run, self.after_run = [], []

    def struct(self, message: type[Message], variable: str, depth: int) -> None:
        """Emit the reading of a struct into ``variable``."""
        plain, tagged, absent = _split(message.SCHEMA, self.version)
        self.create(message, variable, absent + tagged)
        for field in plain:
            self.field(field, f"{variable}.{field.attribute}", depth)
        if self.flexible:
            self.tags(tagged, message, variable, depth)
        else:
            self.flush()

    def create(self, message: type[Message], variable: str, defaulted: Iterable[FieldSpec]) -> None:
        self.emit(f"{variable} = new({self.name_of('C', message)})",
                  f"{variable}._unknown_tagged_fields = None")
        for field in defaulted:
            self.default(field, f"{variable}.{field.attribute}", variable)

    def default(self, field: FieldSpec, target: str, variable: str) -> None:
        if isinstance(field.default, Uuid):
            self.emit(f"{target} = {self.name_of('D', field.default)}")
        elif field.default != FRESH:
            self.emit(f"{target} = {field.default!r}")
        elif field.is_array():
            self.emit(f"{target} = []")
        elif field.type == "uuid":
            self.emit(f"{target} = ZERO")
        elif field.zero_copy:
            self.emit(f"{target} = B.wrap(b'')")
        else:
            nested = struct_class(self.message, field.type)
            self.create(nested, variable + "d", nested.SCHEMA.fields)
            self.emit(f"{target} = {variable}d")

    def field(self, field: FieldSpec, target: str, depth: int) -> None:
        """Emit the reading of one field of this version. Afterwards the run may be pending."""
        type_name = field.type
        nullable = field.is_nullable_in(self.version)
        if type_name == "uuid":
            most, least = f"m{len(self.run)}", f"l{len(self.run)}"
            self.fetch("q", most)
            self.fetch("q", least)
            self.after_run.append(f"{target} = Uuid({most}, {least})")
        elif fixed_size(type_name) is not None:
            self.fetch(_FORMATS[type_name], target)
        elif field.is_array():
            self.array(field, target, nullable, depth)
        elif is_struct(type_name):
            self.nested(type_name, target, nullable, depth)
        else:
            self.bytes_of(type_name, field, field.name, target, nullable)

    def nested(self, type_name: str, target: str, nullable: bool, depth: int) -> None:
        nested, variable = struct_class(self.message, type_name), f"o{depth + 1}"
        if nullable:
            self.fetch("b", "n")
            self.flush()
            self.emit("if n < 0:", f"    {target} = None", "else:")
            self.indent += 1
        self.struct(nested, variable, depth + 1)
        self.emit(f"{target} = {variable}")
        if nullable:
            self.indent -= 1

    def length(self, field: FieldSpec, narrow: bool) -> None:
        """Emit the reading of a length into ``n``. -1 means null in every encoding."""
        if self.is_flexible(field):
            self.fetch("B", "n")
            self.flush()
            # Inline for varints of up to two bytes, so for lengths below 16383.
            self.emit("if n > 127:", "    m = d[p]", "    if m < 128:", "        n += (m - 1) << 7",
                      "        p += 1", "    else:", f"        n, p = {self.function(_length)}(d, p)",
                      "n -= 1")
        else:
            self.fetch("h" if narrow else "i", "n")
            self.flush()

    def bytes_of(self, type_name: str, field: FieldSpec, name: str, target: str, nullable: bool) -> None:
        """Emit the reading of a string, of bytes or of records."""
        string = type_name == "string"
        self.length(field, string)
        if nullable:
            self.emit("if n < 0:", f"    {target} = None", "else:")
            self.indent += 1
        else:
            self.emit("if n < 0:", f"    raise {self.function(_null)}({name!r})")
        if string and self.is_flexible(field):
            self.emit(f"if n > {_MAX_STRING}:", f"    raise {self.function(_bad_string)}({name!r}, n)")
        view = type_name == "records" or field.zero_copy
        short = self.function(_short_view if view else _short)
        self.emit("q = p + n", "if q > e:", f"    raise {short}(n, e - p)")
        if string:
            self.emit(f"{target} = str(d[p:q], 'utf-8', {REPLACE!r})")
        elif view:
            self.emit(f"{target} = B(d[p:q], 0, n)")
        else:
            self.emit(f"{target} = bytes(d[p:q])")
        self.emit("p = q")
        if nullable:
            self.indent -= 1

    def array(self, field: FieldSpec, target: str, nullable: bool, depth: int) -> None:
        self.length(field, False)
        if nullable:
            self.emit("if n < 0:", f"    {target} = None", "else:")
            self.indent += 1
        else:
            self.emit("if n < 0:", f"    raise {self.function(_null)}({field.name!r})")
        element = field.element_type()
        # DEVIATION D262: the origin assumes one byte per element, and fails only when it reaches the end.
        least = 1 if fixed_size(element) is not None else self.least_size(element, field)
        self.emit(f"if n{f' * {least}' if least > 1 else ''} > e - p:",
                  f"    raise {self.function(_big_array)}(n, e - p)")
        if self.counts:
            self.count("n")
        size = fixed_size(element)
        if size is not None:
            reader = self.name_of("N", _numbers_reader(element), element)
            self.emit(f"{target} = {reader}(d, p, e, n)", f"p += {size} * n")
        else:
            values = f"v{depth}"
            self.emit(f"{target} = {values} = []", "for _ in range(n):")
            self.indent += 1
            if is_struct(element):
                self.struct(struct_class(self.message, element), f"o{depth + 1}", depth + 1)
                self.emit(f"{values}.append(o{depth + 1})")
            else:
                self.bytes_of(element, field, f"{field.name} element", f"x{depth}", False)
                self.emit(f"{values}.append(x{depth})")
            self.indent -= 1
        if nullable:
            self.indent -= 1

    def count(self, elements: str) -> None:
        """Emit the test that the elements of all arrays so far do not exceed the limit."""
        self.emit(f"b -= {elements}", "if b < 0:", f"    raise {self.function(_too_many_elements)}()")

    def least_size(self, type_name: str, field: FieldSpec) -> int:
        """Return the minimum size of a value of the type in bytes. The type may be an array."""
        size = fixed_size(type_name)
        if size is not None:
            return size
        if type_name.startswith("[]") or not is_struct(type_name):
            # An empty value has only its length.
            return 1 if self.is_flexible(field) else 2 if type_name == "string" else 4
        plain, _, _ = _split(struct_class(self.message, type_name).SCHEMA, self.version)
        # The minimum is the number of tagged fields and the other fields. A nullable struct has one byte for
        # null.
        return int(self.flexible) + sum(
            1 if not inner.is_array() and is_struct(inner.type) and inner.is_nullable_in(self.version)
            else self.least_size(inner.type, inner) for inner in plain)

    def tags(self, tagged: list[FieldSpec], message: type[Message], variable: str, depth: int) -> None:
        """Emit the reading of the tagged fields. The usual case without tags costs one test."""
        varint = self.function(_varint)
        self.fetch("B", "t")
        self.flush()
        self.emit("if t:")
        self.indent += 1
        self.emit("if t > 127:", f"    t, p = {varint}(d, p - 1)")
        if self.counts:
            self.count("t")
        self.emit("for _ in range(t):")
        self.indent += 1
        self.emit(f"t{depth}, p = {varint}(d, p)", f"s{depth}, p = {varint}(d, p)")
        branch = "if"
        known = {field.tag: field for field in message.SCHEMA.fields if field.tag is not None}
        for tag, field in sorted(known.items()):
            self.emit(f"{branch} t{depth} == {tag}:")
            self.indent += 1
            if field in tagged:
                self.field(field, f"{variable}.{field.attribute}", depth)
                self.flush()
            else:
                self.emit(f"raise RuntimeError('Tag {tag} is not valid for version {self.version}')")
            self.indent -= 1
            branch = "elif"
        if branch == "elif":
            self.emit("else:")
            self.indent += 1
        unknown = f"{variable}._unknown_tagged_fields"
        self.emit(f"{unknown} = {self.function(_read_unknown)}({unknown}, t{depth}, s{depth}, d, p, e)",
                  f"p += s{depth}")
        if branch == "elif":
            self.indent -= 1
        self.indent -= 2


def compile_reader(message: type[Message], version: int) -> Reader:
    """Return the reader of ``message`` in ``version``, cached in the class.

    Raises UnsupportedVersionException.
    """
    reader: Reader = _reader_source(message, version, False).make("reader", "def reader(d, p, e):", message)
    message._readers[version] = reader
    return reader


def compile_counting_reader(message: type[Message], version: int) -> CountingReader:
    """As ``compile_reader``, for a reader with a limit on the elements of all arrays together."""
    source = _reader_source(message, version, True)
    reader: CountingReader = source.make("counting_reader", "def counting_reader(d, p, e, b):", message)
    message._counting_readers[version] = reader
    return reader


def _reader_source(message: type[Message], version: int, counts: bool) -> _ReaderSource:
    _check_version(message, version, "read")
    source = _ReaderSource(message, version, counts)
    source.names.update(Underflow=BufferUnderflowException, Faults=(IndexError, struct.error))
    source.emit("try:")
    source.indent += 1
    source.struct(message, "o0", 0)
    source.indent -= 1
    source.emit("except Faults as fault:", "    raise Underflow() from fault", "return o0, p")
    return source


class _WriterSource(_Source):
    """Generates a writer. ``run`` has the pending fixed-size values with their formats and expressions."""

    def __init__(self, message: type[Message], version: int) -> None:
        super().__init__(message, version)
        self.run: list[tuple[str, str]] = []

    def put(self, code: str, expression: str) -> None:
        self.run.append((code, expression))

    def pack(self, *more: tuple[str, str]) -> str:
        """Return the statement that appends the run and ``more``."""
        items = [*self.run, *more]
        code = "".join(code for code, _ in items)
        if not code:
            return "pass"
        if code == "B":
            return f"a({items[0][1]})"
        pack = self.name_of("P", struct.Struct(">" + code).pack, code)
        return f"out += {pack}({', '.join(expression for _, expression in items)})"

    def flush(self) -> None:
        if self.run:
            self.emit(self.pack())
            self.run = []

    def varint(self, expression: str) -> None:
        """Emit the run and the non-negative ``expression`` as a varint, in one call if it has one byte."""
        self.emit(f"if {expression} < 128:", f"    {self.pack(('B', expression))}", "else:")
        if self.run:
            self.emit(f"    {self.pack()}")
        self.emit(f"    out += {self.function(varint_bytes)}({expression})")
        self.run = []

    def struct(self, message: type[Message], variable: str, depth: int) -> None:
        _, tagged, _ = _split(message.SCHEMA, self.version)
        for field in message.SCHEMA.fields:
            value = f"{variable}.{field.attribute}"
            if not field.is_in(self.version):
                if not field.ignorable:
                    self.emit(f"if {self.differs(field, value)}:",
                              f"    raise {self.function(_not_default)}({field.name!r}, {self.version})")
            elif field not in tagged:
                self.field(field, value, depth)
        if self.flexible:
            self.tags(tagged, variable, depth)
        else:
            self.flush()
            self.emit(f"if {variable}._unknown_tagged_fields:",
                      f"    raise {self.function(_tags_unsupported)}({self.version})")

    def differs(self, field: FieldSpec, value: str) -> str:
        """Return the condition that ``value`` differs from the default of ``field``."""
        if field.default is None or field.type == "records":
            return f"{value} is not None"
        if field.zero_copy:
            return f"({value} is None or {value}.has_remaining())"
        if field.is_array() or field.type == "bytes":
            nullable = field.nullable != "none"
            return f"({value} is None or {value})" if nullable else f"{value}"
        if isinstance(field.default, Uuid):
            return f"{value} != {self.name_of('D', field.default)}"
        if field.type == "uuid":
            return f"({value}._most_significant_bits or {value}._least_significant_bits)"
        if field.type == "bool":
            return f"not {value}" if field.default else f"{value}"
        if field.default == FRESH:
            nested = struct_class(self.message, field.type)
            parts = [self.differs(inner, f"{value}.{inner.attribute}") for inner in nested.SCHEMA.fields]
            if field.nullable != "none":
                parts.insert(0, f"{value} is None")
            return f"({' or '.join(parts)} or {value}._unknown_tagged_fields)"
        return f"{value} != {field.default!r}"

    def field(self, field: FieldSpec, value: str, depth: int) -> None:
        type_name = field.type
        nullable = field.is_nullable_in(self.version)
        if type_name == "uuid":
            self.put("q", f"{value}._most_significant_bits")
            self.put("q", f"{value}._least_significant_bits")
        elif fixed_size(type_name) is not None:
            self.put(_FORMATS[type_name], value)
        elif field.is_array():
            self.array(field, value, nullable, depth)
        elif is_struct(type_name):
            self.nested(type_name, value, nullable, depth)
        else:
            self.bytes_of(type_name, field, field.name, value, nullable)

    def nested(self, type_name: str, value: str, nullable: bool, depth: int) -> None:
        variable = f"o{depth + 1}"
        if nullable:
            self.flush()
            self.emit(f"{variable} = {value}", f"if {variable} is None:", "    a(255)", "else:")
            self.indent += 1
            self.put("B", "1")
        else:
            self.emit(f"{variable} = {value}")
        self.struct(struct_class(self.message, type_name), variable, depth + 1)
        if nullable:
            self.indent -= 1

    def length(self, field: FieldSpec, expression: str, narrow: bool) -> None:
        """Emit a length, packed together with the pending run."""
        if self.is_flexible(field):
            self.emit(f"n = {expression} + 1")
            self.varint("n")
        else:
            self.put("h" if narrow else "i", expression)
            self.flush()

    def null(self, field: FieldSpec, value: str, narrow: bool) -> None:
        """Emit the test for None and its encoding. The caller emits the other case, indented."""
        self.flush()
        self.emit(f"if {value} is None:")
        if self.is_flexible(field):
            self.emit("    a(0)")
        else:
            self.emit(f"    out += {repr(bytes([255] * (2 if narrow else 4)))}")
        self.emit("else:")
        self.indent += 1

    def bytes_of(self, type_name: str, field: FieldSpec, name: str, value: str, nullable: bool) -> None:
        self.emit(f"x = {value}")
        string = type_name == "string"
        if nullable:
            self.null(field, "x", string)
        if string:
            self.emit("x = x.encode('utf-8', 'replace')", "n = len(x)", f"if n > {_MAX_STRING}:",
                      f"    raise {self.function(_long_string)}({name!r})")
            self.length(field, "n", True)
            self.emit("out += x")
        elif type_name == "records" or field.zero_copy:
            self.emit(f"x, n = {self.function(_segment)}(x)")
            self.length(field, "n", False)
            self.emit("if x is not None:", "    segments.append(out)", "    segments.append(x)",
                      "    out = bytearray()", "    a = out.append")
        else:
            self.length(field, "len(x)", False)
            self.emit("out += x")
        if nullable:
            self.indent -= 1

    def array(self, field: FieldSpec, value: str, nullable: bool, depth: int) -> None:
        values = f"v{depth}"
        self.emit(f"{values} = {value}")
        if nullable:
            self.null(field, values, False)
        self.length(field, f"len({values})", False)
        element = field.element_type()
        variable = f"o{depth + 1}"
        if element == "uuid":
            self.emit(f"for {variable} in {values}:", f"    out += {variable}.to_bytes()")
        elif fixed_size(element) is not None:
            code = _FORMATS[element]
            self.emit(f"if {values}:", f"    out += pack(f'>{{len({values})}}{code}', *{values})")
        else:
            self.emit(f"for {variable} in {values}:")
            self.indent += 1
            if is_struct(element):
                self.struct(struct_class(self.message, element), variable, depth + 1)
            else:
                self.bytes_of(element, field, f"{field.name}Element", variable, False)
            self.indent -= 1
        if nullable:
            self.indent -= 1

    def tags(self, tagged: list[FieldSpec], variable: str, depth: int) -> None:
        """Emit the tagged fields. In the usual case without tags their number is packed with the run."""
        unknown = f"{variable}._unknown_tagged_fields"
        conditions = [self.differs(field, f"{variable}.{field.attribute}") for field in tagged]
        self.emit(f"if {' or '.join([*conditions, unknown])}:")
        self.indent += 1
        run = list(self.run)
        self.flush()
        self.emit(f"u{depth} = {unknown} or []")
        terms = [f"len(u{depth})", *(f"(1 if {condition} else 0)" for condition in conditions)]
        encoded, raw_tags = self.function(varint_bytes), self.function(_write_raw_tags)
        self.emit(f"out += {encoded}({' + '.join(terms)})", f"r{depth} = 0")
        previous = -1
        for field, condition in zip(tagged, conditions):
            assert field.tag is not None
            if field.tag != previous + 1:
                self.emit(f"r{depth} = {raw_tags}(out, u{depth}, r{depth}, {field.tag})")
            previous = field.tag
            self.emit(f"if {condition}:")
            self.indent += 1
            self.emit(f"w{depth} = out", "out = bytearray()", "a = out.append")
            self.field(field, f"{variable}.{field.attribute}", depth)
            self.flush()
            self.emit(f"w{depth} += {encoded}({field.tag}) + {encoded}(len(out)) + out",
                      f"out = w{depth}", "a = out.append")
            self.indent -= 1
        self.emit(f"{raw_tags}(out, u{depth}, r{depth}, 0x7fffffff)")
        self.indent -= 1
        self.emit("else:")
        self.run = run
        self.emit(f"    {self.pack(('B', '0'))}")
        self.run = []


def compile_writer(message: type[Message], version: int) -> Writer:
    """Return the writer of ``message`` in ``version``, cached in the class.

    Raises UnsupportedVersionException.
    """
    _check_version(message, version, "write")
    source = _WriterSource(message, version)
    source.names.update(Fault=struct.error)
    source.emit("try:")
    source.indent += 1
    source.emit("a = out.append")
    source.struct(message, "o0", 0)
    source.indent -= 1
    source.emit("except Fault as fault:",
                "    raise RuntimeError('a value does not fit its field') from fault", "return out")
    writer: Writer = source.make("writer", "def writer(o0, out, segments):", message)
    message._writers[version] = writer
    return writer
