# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Compiles, from the ``SCHEMA`` of a message, the functions that read and write it in one version.

Kafka generates a Java class for each message, whose reader asks for the version at every field. Here the
version is known when the code is made: what is left is straight-line Python without a test that can be
decided beforehand, nested structs in line, and runs of fixed-size fields fused into one ``struct`` call.
That is what makes it fast; ``compile_reader`` runs once for each class and version, when first needed,
and may run twice if two threads meet, with the same result.

The source is registered with ``linecache``: tracebacks show it and debuggers step through it, under names
such as ``<FetchRequestData v12 reader>``.

**Reading.** ``reader(memory, position, limit)`` returns the message and the position after it; ``memory``
ends at ``limit``. Lengths are checked as Kafka's generated readers check them, with its texts, before
anything is made: nothing is ever allocated in proportion to a length that the remaining bytes do not
bear out. A field that runs past the limit is a BufferUnderflowException, a RuntimeError as most other
faults are; a varint of six bytes, or a view past the limit, is an IllegalArgumentException.

**Writing.** ``writer(message, out, segments)`` appends to ``out`` and returns the array to go on with. A
field that is not copied (records, zero-copy bytes) ends ``out``: it goes to ``segments``, then the field
itself, and a new array is begun.

In the code that is made: ``d`` is the memory, ``p`` the position, ``e`` the limit, ``b`` how many elements
may still come, ``n`` a length, ``t`` a number of tagged fields, ``a`` ``out.append``; ``o0``, ``o1`` ... are
the message and its structs by depth.
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

# A piece of a written message: bytes that were encoded, bytes that are not copied, or records that have
# to be sent by themselves.
Segment = Union[BytesLike, "BaseRecords"]

_MAX_STRING = 0x7FFF
_FORMATS = {"bool": "?", "int8": "b", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
            "int64": "q", "float64": "d", "uuid": "qq"}


# -- what compiled readers call ----------------------------------------------------------------------


def _replace_as_java(error: UnicodeError) -> tuple[str, int]:
    """Replace what is no UTF-8 as Java does: as Python, but that it takes an encoded surrogate whole."""
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
    """Return the unsigned varint at ``position``, as the int that Java makes of it, and what follows it."""
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
    """Return a length plus one whose varint began before ``position``, and what follows the varint.

    A length that is negative in Java stays negative when one is subtracted, and so means null.
    """
    value, position = _varint(memory, position - 1)
    # Taking one from the lowest int gives the highest in Java.
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
    """Return a function that reads so many numbers of one format, and no more than there are."""
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
    """Keep the bytes of a tag that this version does not know."""
    if size > limit - position:
        raise _short(size, limit - position)
    if size < 0:
        raise RuntimeError(str(size))
    if known is None:
        known = []
    known.append(RawTaggedField(tag, bytes(memory[position:position + size])))
    return known


# -- what compiled writers call ----------------------------------------------------------------------


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
    """Return what a field that is not copied adds to the segments, None for nothing, and its size."""
    if isinstance(value, ByteBuffer):
        view = value.view()
        return (view if view else None), len(view)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return (value if value else None), len(value)
    # Records in memory have a buffer; what has none must go out as a send of its own, be it empty.
    if hasattr(value, "buffer"):
        return _segment(value.buffer())
    records: BaseRecords = value  # type: ignore[assignment]  # the contract of a records field
    return records, records.size_in_bytes()


def segment_size(segment: Segment) -> int:
    """Return how many bytes ``segment`` is on the wire."""
    if isinstance(segment, (bytes, bytearray, memoryview)):
        return len(segment)
    return segment.size_in_bytes()


def _write_raw_tags(out: bytearray, fields: list[RawTaggedField], position: int, next_defined: int) -> int:
    """Append the unknown tags below ``next_defined``, from ``position`` on; return where to go on."""
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
    """Python source as it grows, and the objects that it names."""

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
        """Return the name under which the code finds ``value``."""
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
        """Compile the source into the function that ``header`` begins."""
        source = "\n".join([header, *self.lines]) + "\n"
        file_name = f"<{message.__qualname__} v{self.version} {kind}>"
        linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)
        exec(compile(source, file_name, "exec"), self.names)
        return self.names[kind]


def _outer_class(message: type[Message]) -> type[Message]:
    """Return the message that ``message`` is nested in, or ``message`` itself."""
    outer: type[Message] = getattr(sys.modules[message.__module__], message.__qualname__.split(".")[0])
    return outer


def struct_class(message: type[Message], name: str) -> type[Message]:
    """Return the class of a struct of ``message``, which may be one itself: all stand in the message's."""
    nested: type[Message] = getattr(_outer_class(message), name)
    return nested


def _check_version(message: type[Message], version: int, verb: str) -> None:
    if not message.LOWEST_SUPPORTED_VERSION <= version <= message.HIGHEST_SUPPORTED_VERSION:
        raise UnsupportedVersionException(f"Can't {verb} version {version} of {message.SCHEMA.name}")


def _split(spec: StructSpec, version: int) -> tuple[list[FieldSpec], list[FieldSpec], list[FieldSpec]]:
    """Return the fields that stand in their place, the tagged ones by tag, and those not in ``version``."""
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
    """Makes a reader. ``run`` holds the fixed-size values still to be fetched: format and target of each."""

    def __init__(self, message: type[Message], version: int, counts: bool) -> None:
        super().__init__(message, version)
        self.run: list[tuple[str, str]] = []
        self.after_run: list[str] = []
        self.counts = counts

    def fetch(self, code: str, target: str) -> None:
        self.run.append((code, target))

    def flush(self) -> None:
        """Emit one fetch for the whole run, then what is made of the values."""
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
        """Emit the reading of one field that is in this version; it ends with the run flushed or pending."""
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
        """Emit the fetch of a length into ``n``: -1 means null in every encoding."""
        if self.is_flexible(field):
            self.fetch("B", "n")
            self.flush()
            # Two bytes hold any length below 16384.
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
        # DEVIATION D262: the origin takes an element for one byte, and finds the end when it is there.
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
        """Emit the test that so many elements, and all before them, are not too many."""
        self.emit(f"b -= {elements}", "if b < 0:", f"    raise {self.function(_too_many_elements)}()")

    def least_size(self, type_name: str, field: FieldSpec) -> int:
        """Return how many bytes a value of that type, which may be an array's, has at least."""
        size = fixed_size(type_name)
        if size is not None:
            return size
        if type_name.startswith("[]") or not is_struct(type_name):
            # A length alone.
            return 1 if self.is_flexible(field) else 2 if type_name == "string" else 4
        plain, _, _ = _split(struct_class(self.message, type_name).SCHEMA, self.version)
        # The number of tagged fields, and the others; a struct that may be null is a byte that says so.
        return int(self.flexible) + sum(
            1 if not inner.is_array() and is_struct(inner.type) and inner.is_nullable_in(self.version)
            else self.least_size(inner.type, inner) for inner in plain)

    def tags(self, tagged: list[FieldSpec], message: type[Message], variable: str, depth: int) -> None:
        """Emit the reading of the tagged fields; almost always there are none, and it ends at one test."""
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
    """Return the reader of ``message`` in ``version``, which it keeps with the class.

    Raises UnsupportedVersionException.
    """
    reader: Reader = _reader_source(message, version, False).make("reader", "def reader(d, p, e):", message)
    message._readers[version] = reader
    return reader


def compile_counting_reader(message: type[Message], version: int) -> CountingReader:
    """As ``compile_reader``, of a reader that also takes how many elements all arrays may have together."""
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
    """Makes a writer. ``run`` holds the fixed-size values still to be packed: format and expression."""

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
        """Emit the run, then ``expression``, not negative, as a varint: in one call where it is one byte."""
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
        """Return the condition that ``value`` is not the default of ``field``."""
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
        """Emit a length, which goes with the run before it."""
        if self.is_flexible(field):
            self.emit(f"n = {expression} + 1")
            self.varint("n")
        else:
            self.put("h" if narrow else "i", expression)
            self.flush()

    def null(self, field: FieldSpec, value: str, narrow: bool) -> None:
        """Emit the test for None and its encoding; the indented rest is for the other case."""
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
        """Emit the tagged fields; almost always there are none, and their number goes with the run."""
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
    """Return the writer of ``message`` in ``version``, which it keeps with the class.

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
