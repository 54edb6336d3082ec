# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.Utils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Small helpers that belong to no other module."""

from __future__ import annotations

import inspect
import math
import os
import re
import struct
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Callable, Protocol, TypeVar

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.utils.log_context import DEBUG, ERROR, INFO, TRACE, LogContext, Logger
from kreactor.jdk.class_loader import context_class_loader
from kreactor.jdk.exceptions import EOFException, IllegalArgumentException
from kreactor.jdk.floor import Floor
from kreactor.jdk.nio_buffer import BytesLike, ByteBuffer
from kreactor.jdk.nio_channels import FileChannel
from kreactor.jdk.properties import load_properties
from kreactor.jdk.text import class_name, java_text, throwable_text, trim

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")


class AutoCloseable(Protocol):
    """An object with a ``close``."""

    def close(self) -> object:
        """Release the resources."""


class Writable(Protocol):
    """A channel that writes a buffer, possibly only a part."""

    def write(self, src: ByteBuffer) -> int:
        """Write as much as fits; return the number of bytes written."""


# An object with a ``close``, or a callable where Java passes a method reference.
Closeable = AutoCloseable | Callable[[], object]

log = LogContext().logger(f"{__name__}.Utils")

_WORD = struct.Struct("<I")
_BIG_LETTER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _close(closeable: Closeable) -> None:
    # Not isinstance, because with a protocol it takes longer than most ``close`` calls.
    if hasattr(closeable, "close"):
        closeable.close()
    else:
        closeable()


def _python_name(klass: str) -> str:
    """Return the Python name of a Kafka class, or ``klass`` itself for any other name."""
    for root, our_root in (("org.apache.kafka.", "kreactor."), ("kafka.", "kreactor.core.")):
        if klass.startswith(root):
            package, _, name = klass[len(root):].rpartition(".")
            module = _BIG_LETTER.sub("_", name.partition("$")[0]).lower()
            return f"{our_root}{package}.{module}.{name.replace('$', '.')}"
    return klass


class Utils:
    """Static helpers.

    A helper that keeps the first of several exceptions gets a list and appends to it only if it is empty.
    Java sets an AtomicReference that is null.

    :origin: common.utils.Utils
    """

    # Matches host:port and protocol://host:port. Brackets enclose an IPv6 address.
    _HOST_PORT_PATTERN = re.compile(r"(?:[0-9a-zA-Z\-%._]*://)?\[?([0-9a-zA-Z\-%._:]*)]?:([0-9]+)")

    _VALID_HOST_CHARACTERS = re.compile(r"([0-9a-zA-Z\-%._:]*)")

    _BYTE_SCALE_SUFFIXES = ("B", "KB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB")

    NL = os.linesep

    @staticmethod
    def utf8(data: BytesLike) -> str:
        """Decode UTF-8. Invalid bytes become the replacement character.

        :origin: common.utils.Utils#utf8(byte[])
        """
        return bytes(data).decode("utf-8", "replace")

    @staticmethod
    def utf8_buffer(buffer: ByteBuffer, offset: int = 0, length: int | None = None) -> str:
        """Decode UTF-8 from ``offset`` bytes after the position, which does not change.

        Without ``length`` the text ends at the limit.

        :origin: common.utils.Utils#utf8(ByteBuffer, int)
        :origin: common.utils.Utils#utf8(ByteBuffer)
        :origin: common.utils.Utils#utf8(ByteBuffer, int, int)
        """
        return Utils.utf8(buffer.view()[offset:] if length is None else buffer.view()[offset:offset + length])

    @staticmethod
    def utf8_string(string: str) -> bytes:
        """Encode ``string`` in UTF-8. Half a surrogate pair becomes a question mark.

        :origin: common.utils.Utils#utf8(String)
        """
        return string.encode("utf-8", "replace")

    @staticmethod
    def abs(n: int) -> int:
        """Return the absolute value of a Java int, and 0 for the smallest int.

        :origin: common.utils.Utils#abs(int)
        """
        return 0 if n == -0x80000000 else abs(n)

    @staticmethod
    def utf8_length(s: str) -> int:
        """Return the length of ``s`` in UTF-8 bytes.

        :origin: common.utils.Utils#utf8Length(CharSequence)
        """
        return len(s) if s.isascii() else len(s.encode("utf-8", "surrogatepass"))

    @staticmethod
    def new_instance(c: type[T]) -> T:
        """Return a new instance of class ``c``, constructed without arguments.

        Raises KafkaException if the constructor needs arguments or raises.

        :origin: common.utils.Utils#newInstance(Class<T>)
        """
        if c is None:
            raise KafkaException("class cannot be null")
        try:
            inspect.signature(c).bind()
        except TypeError as e:
            raise KafkaException(
                f"Could not find a public no-argument constructor for {class_name(c)}", e) from e
        except ValueError:
            pass  # some builtins have no signature
        try:
            return c()
        except Exception as e:
            raise KafkaException(f"Could not instantiate class {class_name(c)}", e) from e

    @staticmethod
    def new_instance_klass(klass: str, base: type[T]) -> T:
        """Return a new instance of the class named ``klass``. Raises as ``load_class`` and ``new_instance``.

        :origin: common.utils.Utils#newInstance(String, Class<T>)
        """
        return Utils.new_instance(Utils.load_class(klass, base))

    # DEVIATION D24: a class is named by its Python path; the name of a Kafka class refers to its port.
    @staticmethod
    def load_class(klass: str, base: type[T]) -> type[T]:
        """Return the class named ``klass``, ``package.module.Class``, which must be a ``base``.

        The name of a Kafka class, as in Kafka's configuration files, gives the class ported from it. Raises
        ImportError if the thread's class loader finds no such class, TypeError for a class that is not a
        ``base``.

        :origin: common.utils.Utils#loadClass(String, Class<T>)
        """
        loaded = context_class_loader().load_class(_python_name(klass))
        if not issubclass(loaded, base):
            raise TypeError(f"class {class_name(loaded)} is not a {class_name(base)}")
        return loaded

    @staticmethod
    def murmur2(data: BytesLike) -> int:
        """Return the signed 32-bit hash with which producers choose partitions.

        :origin: common.utils.Utils#murmur2(byte[])
        """
        length = len(data)
        m = 0x5BD1E995
        h = 0x9747B28C ^ length
        whole = length & ~3
        for k, in _WORD.iter_unpack(data[:whole]):
            k = k * m & 0xFFFFFFFF
            k ^= k >> 24
            h = (h * m ^ k * m) & 0xFFFFFFFF

        if whole != length:
            h ^= int.from_bytes(data[whole:], "little")
            h = h * m & 0xFFFFFFFF

        h ^= h >> 13
        h = h * m & 0xFFFFFFFF
        h ^= h >> 15

        return (h ^ 0x80000000) - 0x80000000

    @staticmethod
    def get_host(address: str) -> str | None:
        """Return the host of ``host:port``, or None for another format.

        :origin: common.utils.Utils#getHost(String)
        """
        matcher = Utils._HOST_PORT_PATTERN.fullmatch(address)
        return matcher.group(1) if matcher is not None else None

    @staticmethod
    def get_port(address: str) -> int | None:
        """Return the port of ``host:port``, or None for another format.

        Raises IllegalArgumentException for a port that does not fit a Java int.

        :origin: common.utils.Utils#getPort(String)
        """
        matcher = Utils._HOST_PORT_PATTERN.fullmatch(address)
        if matcher is None:
            return None
        port = int(matcher.group(2))
        if port > 0x7FFFFFFF:
            raise IllegalArgumentException(f'For input string: "{matcher.group(2)}"')
        return port

    @staticmethod
    def valid_host_pattern(address: str) -> bool:
        """Return whether ``address`` has only characters of host names and IP addresses.

        :origin: common.utils.Utils#validHostPattern(String)
        """
        return Utils._VALID_HOST_CHARACTERS.fullmatch(address) is not None

    @staticmethod
    def format_address(host: str, port: int) -> str:
        """Return ``host:port``, with brackets around an IPv6 address.

        :origin: common.utils.Utils#formatAddress(String, Integer)
        """
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @staticmethod
    def format_bytes(bytes_: int) -> str:
        """Return a readable size such as ``3.2 MB``, without unit below 1.

        :origin: common.utils.Utils#formatBytes(long)
        """
        if bytes_ < 0:
            return str(bytes_)
        as_double = float(bytes_)
        if bytes_ == 0:
            # The logarithm of infinity is infinite, so no unit fits.
            return str(as_double)
        ordinal = math.floor(math.log(as_double) / math.log(1024.0))
        scaled = as_double / math.pow(1024.0, ordinal)
        formatted = f"{scaled:.2f}".rstrip("0").rstrip(".")
        try:
            return f"{formatted} {Utils._BYTE_SCALE_SUFFIXES[ordinal]}"
        except IndexError:
            return str(as_double)

    @staticmethod
    def mk_string(map_: Mapping[K, V], begin: str, end: str, key_value_separator: str,
                  element_separator: str) -> str:
        """Return the entries of ``map_`` as text.

        :origin: common.utils.Utils#mkString(Map<K,V>, String, String, String, String)
        """
        entries = (f"{java_text(key)}{key_value_separator}{java_text(value)}" for key, value in map_.items())
        return begin + element_separator.join(entries) + end

    @staticmethod
    def parse_map(map_str: str, key_value_separator: str, element_separator: str) -> dict[str, str]:
        """Parse a text of ``mk_string`` without begin and end. Raises IndexError for an entry without value.

        :origin: common.utils.Utils#parseMap(String, String, String)
        """
        map_: dict[str, str] = {}
        if map_str:
            attrvals = map_str.split(element_separator)
            # As in Java's split, empty strings at the end are omitted.
            while attrvals and not attrvals[-1]:
                attrvals.pop()
            for attrval in attrvals:
                array = attrval.split(key_value_separator, 1)
                map_[array[0]] = array[1]
        return map_

    @staticmethod
    def load_props(filename: str | None, only_include_keys: Iterable[str] | None = None) -> dict[str, str]:
        """Return the properties in a file, optionally only the named ones; an empty dict without a file.

        Raises OSError, or IllegalArgumentException for a malformed file.

        :origin: common.utils.Utils#loadProps(String)
        :origin: common.utils.Utils#loadProps(String, List<String>)
        """
        props: dict[str, str] = {}
        if filename is not None:
            with Floor.io.open(filename, "rb") as prop_stream:
                props = load_properties(prop_stream.read())
        else:
            log.info("no properties are loaded, because no file is given")
        keys = list(only_include_keys or ())
        return {key: props[key] for key in keys if key in props} if keys else props

    @staticmethod
    def read_bytes(src_buf: ByteBuffer, bytes_to_read: int) -> ByteBuffer | None:
        """Return the next ``bytes_to_read`` bytes as a buffer on the same memory; None for a negative number.

        :origin: common.utils.Utils#readBytes(ByteBuffer, int)
        """
        if bytes_to_read < 0:
            return None

        dst_buf = src_buf.slice()
        dst_buf.set_limit(bytes_to_read)
        src_buf.set_position(src_buf.position() + bytes_to_read)

        return dst_buf

    @staticmethod
    def read_file_as_string(path: str) -> str:
        """Return the text of a file or a pipe. Raises OSError.

        :origin: common.utils.Utils#readFileAsString(String)
        """
        try:
            with Floor.io.open(path, "rb") as file:
                return Utils.utf8(file.read())
        except OSError as ex:
            raise OSError(f"Unable to read file {path}") from ex

    @staticmethod
    def ensure_capacity(existing_buffer: ByteBuffer, new_length: int) -> ByteBuffer:
        """Return the buffer, or a longer one with the written bytes.

        :origin: common.utils.Utils#ensureCapacity(ByteBuffer, int)
        """
        if new_length > existing_buffer.capacity():
            new_buffer = ByteBuffer.allocate(new_length)
            existing_buffer.flip()
            new_buffer.put(existing_buffer)
            return new_buffer
        return existing_buffer

    @staticmethod
    def delete(root_file: str | os.PathLike[str] | None) -> None:
        """Delete a file, or a folder with its content. Ignores a missing one. Raises OSError.

        :origin: common.utils.Utils#delete(File)
        """
        if root_file is None:
            return
        try:
            if Floor.os.path.isdir(root_file) and not Floor.os.path.islink(root_file):
                Floor.shutil.rmtree(root_file)
            else:
                Floor.os.unlink(root_file)
        except FileNotFoundError:
            if Floor.os.path.lexists(root_file):
                raise

    @staticmethod
    def atomic_move_with_fallback(source: str, target: str, need_flush_parent_dir: bool = True) -> None:
        """Rename a file, or copy and delete it if the rename fails. Then write the new name to disk.

        Raises OSError if both fail.

        :origin: common.utils.Utils#atomicMoveWithFallback(Path, Path)
        :origin: common.utils.Utils#atomicMoveWithFallback(Path, Path, boolean)
        """
        try:
            Floor.os.replace(source, target)
        except OSError as outer:
            try:
                log.warn("cannot rename %s to %s; trying to copy it", source, target, exc=outer)
                if not Floor.os.path.lexists(source):
                    raise
                Floor.shutil.move(source, target)
                log.debug("copied %s to %s", source, target)
            except OSError as inner:
                if inner is not outer:
                    Utils._add_suppressed(inner, outer)
                raise
        finally:
            if need_flush_parent_dir:
                Utils.flush_dir(os.path.dirname(os.path.abspath(target)))

    @staticmethod
    def flush_dir(path: str | None) -> None:
        """Write the names in a folder to disk, if the operating system supports it. Raises OSError.

        :origin: common.utils.Utils#flushDir(Path)
        """
        if path is not None and os.name != "nt":
            dir_ = FileChannel.open(path)
            try:
                dir_.force(True)
            finally:
                dir_.close()

    @staticmethod
    def flush_dir_if_exists(path: str | None) -> None:
        """Call ``flush_dir`` unless the folder is missing.

        :origin: common.utils.Utils#flushDirIfExists(Path)
        """
        try:
            Utils.flush_dir(path)
        except FileNotFoundError:
            log.warn("no folder %s to flush", path)

    @staticmethod
    def flush_file_if_exists(path: str) -> None:
        """Write a file to disk unless it is missing. Raises OSError.

        :origin: common.utils.Utils#flushFileIfExists(Path)
        """
        try:
            file_channel = FileChannel.open(path)
            try:
                file_channel.force(True)
            finally:
                file_channel.close()
        except FileNotFoundError as e:
            log.warn("no file %s to flush", path, exc=e)

    @staticmethod
    def close_all(*closeables: Closeable | None) -> None:
        """Close all.

        Raises the first OSError at the end, with the later ones as notes, and any other exception at once.

        :origin: common.utils.Utils#closeAll(Closeable...)
        """
        exception: OSError | None = None
        for closeable in closeables:
            try:
                if closeable is not None:
                    _close(closeable)
            except OSError as e:
                if exception is not None:
                    Utils._add_suppressed(exception, e)
                else:
                    exception = e
        if exception is not None:
            raise exception

    # DEVIATION D25: a suppressed exception becomes a note of the raised one.
    @staticmethod
    def _add_suppressed(exception: BaseException, suppressed: BaseException) -> None:
        """Add ``suppressed`` as a note of ``exception``, so that the traceback prints it, as ``Throwable``
        does."""
        exception.add_note(f"Suppressed: {throwable_text(suppressed)}")

    @staticmethod
    def swallow(logger: Logger, level: int, what: str, code: Callable[[], object] | None,
                first_exception: list[BaseException] | None = None) -> None:
        """Run ``code``. Log its exception at ``level`` with the text ``what``, and keep the first exception.

        :origin: common.utils.Utils#swallow(Logger, Level, String, SwallowAction)
        :origin: common.utils.Utils#swallow(Logger, Level, String, SwallowAction, AtomicReference<Throwable>)
        """
        if code is not None:
            try:
                code()
            except Exception as t:
                if level == INFO:
                    logger.info(what, exc=t)
                elif level == DEBUG:
                    logger.debug(what, exc=t)
                elif level == ERROR:
                    logger.error(what, exc=t)
                elif level == TRACE:
                    logger.trace(what, exc=t)
                else:
                    logger.warn(what, exc=t)
                if first_exception is not None and not first_exception:
                    first_exception.append(t)

    @staticmethod
    def maybe_close_quietly(maybe_closeable: object, name: str) -> None:
        """Close ``maybe_closeable`` if it has a ``close``. Log its exception.

        :origin: common.utils.Utils#maybeCloseQuietly(Object, String)
        """
        close = getattr(maybe_closeable, "close", None)
        if close is not None:
            Utils.close_quietly(close, name)

    @staticmethod
    def close_quietly(closeable: Closeable | None, name: str, logger: Logger = log) -> None:
        """Close ``closeable``. Log its exception to ``logger``, if given.

        :origin: common.utils.Utils#closeQuietly(AutoCloseable, String)
        :origin: common.utils.Utils#closeQuietly(AutoCloseable, String, Logger)
        """
        if closeable is not None:
            try:
                _close(closeable)
            except Exception as t:
                logger.warn("could not close %s, a %s", name, class_name(type(closeable)), exc=t)

    @staticmethod
    def close_quietly_first(closeable: Closeable | None, name: str,
                            first_exception: list[BaseException]) -> None:
        """Close ``closeable``. Log its exception, and keep the first one.

        :origin: common.utils.Utils#closeQuietly(AutoCloseable, String, AtomicReference<Throwable>)
        """
        if closeable is not None:
            try:
                _close(closeable)
            except Exception as t:
                if not first_exception:
                    first_exception.append(t)
                log.error("could not close %s, a %s", name, class_name(type(closeable)), exc=t)

    @staticmethod
    def close_all_quietly(first_exception: list[BaseException], name: str,
                          *closeables: Closeable | None) -> None:
        """Close all. Log the exceptions, and keep the first one.

        :origin: common.utils.Utils#closeAllQuietly(AtomicReference<Throwable>, String, AutoCloseable...)
        """
        for closeable in closeables:
            Utils.close_quietly_first(closeable, name, first_exception)

    @staticmethod
    def try_all(all_: Iterable[Callable[[], object]]) -> None:
        """Call all. Raises the first exception at the end, with the later ones as notes.

        :origin: common.utils.Utils#tryAll(List<Callable<Void>>)
        """
        exception: Exception | None = None
        for call in all_:
            try:
                call()
            except Exception as t:
                if exception is not None:
                    Utils._add_suppressed(exception, t)
                else:
                    exception = t
        if exception is not None:
            raise exception

    @staticmethod
    def to_positive(number: int) -> int:
        """Return a Java int without its sign bit. This is not its absolute value.

        :origin: common.utils.Utils#toPositive(int)
        """
        return number & 0x7FFFFFFF

    @staticmethod
    def size_delimited(buffer: ByteBuffer, start: int) -> ByteBuffer | None:
        """Return the bytes after the size at ``start``, on the same memory; None for a negative size.

        :origin: common.utils.Utils#sizeDelimited(ByteBuffer, int)
        """
        size = buffer.get_int_at(start)
        if size < 0:
            return None
        b = buffer.duplicate()
        b.set_position(start + 4)
        b = b.slice()
        b.set_limit(size)
        b.rewind()
        return b

    @staticmethod
    def read_fully_or_fail(channel: FileChannel, destination_buffer: ByteBuffer, position: int,
                           description: str) -> None:
        """Fill the buffer from ``position`` of a file. Error messages name the data with ``description``.

        Raises IllegalArgumentException for a negative position, EOFException at the end of the file, or
        OSError.

        :origin: common.utils.Utils#readFullyOrFail(FileChannel, ByteBuffer, long, String)
        """
        if position < 0:
            raise IllegalArgumentException(
                f"The file channel position cannot be negative, but it is {position}")
        expected_read_bytes = destination_buffer.remaining()
        Utils.read_fully(channel, destination_buffer, position)
        if destination_buffer.has_remaining():
            raise EOFException(
                f"Failed to read `{description}` from file channel `{channel}`. Expected to read "
                f"{expected_read_bytes} bytes, but reached end of file after reading "
                f"{expected_read_bytes - destination_buffer.remaining()} bytes. Started read from position "
                f"{position}.")

    @staticmethod
    def read_fully(channel: FileChannel, destination_buffer: ByteBuffer, position: int) -> None:
        """Fill the buffer from ``position`` of a file, up to the end of the file.

        Raises IllegalArgumentException for a negative position, or OSError.

        :origin: common.utils.Utils#readFully(FileChannel, ByteBuffer, long)
        """
        if position < 0:
            raise IllegalArgumentException(
                f"The file channel position cannot be negative, but it is {position}")
        current_position = position
        while True:
            bytes_read = channel.read(destination_buffer, current_position)
            current_position += bytes_read
            if bytes_read == -1 or not destination_buffer.has_remaining():
                break

    @staticmethod
    def try_write_to(dest_channel: Writable, position: int, length: int, source_buffer: ByteBuffer) -> int:
        """Write a part of the buffer and return the number of bytes written. The position does not change.

        :origin: common.utils.Utils#tryWriteTo(TransferableChannel, int, int, ByteBuffer)
        """
        dup = source_buffer.duplicate()
        dup.set_limit(position + length)
        dup.set_position(position)
        return dest_channel.write(dup)

    @staticmethod
    def to32_bit_field(bytes_: Iterable[int]) -> int:
        """Return a Java int with the given bits set. Raises IllegalArgumentException outside 0..31.

        :origin: common.utils.Utils#to32BitField(Set<Byte>)
        """
        value = 0
        for b in bytes_:
            value |= 1 << Utils._check_range(b)
        return (value ^ 0x80000000) - 0x80000000

    @staticmethod
    def _check_range(i: int) -> int:
        """Return ``i``. Raises IllegalArgumentException outside 0..31.

        :origin: common.utils.Utils#checkRange(byte)
        """
        if i > 31:
            raise IllegalArgumentException(f"out of range: i>31, i = {i}")
        if i < 0:
            raise IllegalArgumentException(f"out of range: i<0, i = {i}")
        return i

    @staticmethod
    def from32_bit_field(int_value: int) -> set[int]:
        """Return the numbers of the bits set in a Java int.

        :origin: common.utils.Utils#from32BitField(int)
        """
        return {bit for bit in range(32) if int_value >> bit & 1}

    @staticmethod
    def cast_to_string_object_map(input_map: Mapping[K, V]) -> dict[str, V]:
        """Return a copy. Raises ConfigException for a key that is not a str.

        :origin: common.utils.Utils#castToStringObjectMap(Map<?,?>)
        """
        map_: dict[str, V] = {}
        for key, value in input_map.items():
            if isinstance(key, str):
                map_[key] = value
            else:
                raise ConfigException(java_text(key), value, "Key must be a string.")
        return map_

    @staticmethod
    def is_blank(str_: str | None) -> bool:
        """Return whether ``str_`` has only blanks and control characters.

        :origin: common.utils.Utils#isBlank(String)
        """
        return str_ is None or not trim(str_)

    @staticmethod
    def enum_options(enum_class: type[Enum]) -> list[str]:
        """Return the members of an enum as text.

        :origin: common.utils.Utils#enumOptions(Class<?extendsEnum<?>>)
        """
        return [java_text(member) for member in enum_class]

    @staticmethod
    def replace_suffix(str_: str, old_suffix: str, new_suffix: str) -> str:
        """Return ``str_`` with ``new_suffix`` at its end.

        Raises IllegalArgumentException for another old suffix.

        :origin: common.utils.Utils#replaceSuffix(String, String, String)
        """
        if not str_.endswith(old_suffix):
            raise IllegalArgumentException(f"Expected string to end with {old_suffix} but string is {str_}")
        return str_[:len(str_) - len(old_suffix)] + new_suffix

    @staticmethod
    def entries_with_prefix(map_: Mapping[str, V], prefix: str, strip: bool = True) -> dict[str, V]:
        """Return the entries whose keys continue after ``prefix``.

        ``strip`` removes the prefix from the keys.

        :origin: common.utils.Utils#entriesWithPrefix(Map<String,V>, String)
        :origin: common.utils.Utils#entriesWithPrefix(Map<String,V>, String, boolean)
        """
        start = len(prefix) if strip else 0
        return {key[start:]: value for key, value in map_.items()
                if key.startswith(prefix) and len(key) > len(prefix)}
