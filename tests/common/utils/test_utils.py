# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import logging
import os
import threading
from pathlib import Path
from random import Random
from typing import Callable
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)
from kreactor.common.utils.log_context import DEBUG, ERROR, INFO, TRACE, WARN, LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import EOFException, IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel


@pytest.mark.parametrize(("data", "expected"), [
    (b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536),
    (b"a-little-bit-longer-string", -1486304829),
    (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971), (b"abc", 479470107), (b"", 275646681),
])
def test_murmur2(data: bytes, expected: int) -> None:
    assert Utils.murmur2(data) == Utils.murmur2(memoryview(data)) == expected


@pytest.mark.parametrize("protocol", SecurityProtocol.names())
@pytest.mark.parametrize(("address", "host"), [
    ("mydomain.com:8080", "mydomain.com"), ("MyDomain.com:8080", "MyDomain.com"),
    ("My_Domain.com:8080", "My_Domain.com"), ("[::1]:1234", "::1"),
    ("[2001:db8:85a3:8d3:1319:8a2e:370:7348]:5678", "2001:db8:85a3:8d3:1319:8a2e:370:7348"),
    ("[2001:DB8:85A3:8D3:1319:8A2E:370:7348]:5678", "2001:DB8:85A3:8D3:1319:8A2E:370:7348"),
    ("[fe80::b1da:69ca:57f7:63d8%3]:5678", "fe80::b1da:69ca:57f7:63d8%3"), ("127.0.0.1:8000", "127.0.0.1"),
])
def test_get_host_valid(protocol: str, address: str, host: str) -> None:
    assert Utils.get_host(f"{protocol}://{address}") == host
    assert Utils.get_host(address) == host


@pytest.mark.parametrize("protocol", SecurityProtocol.names())
@pytest.mark.parametrize("address", [
    "mydo)main.com:8080", "mydo(main.com:8080", "mydo()main.com:8080", "mydo(main).com:8080",
    "[2001:db)8:85a3:8d3:1319:8a2e:370:7348]:5678", "[2001:db(8:85a3:8d3:1319:8a2e:370:7348]:5678",
    "[2001:db()8:85a3:8d3:1319:8a2e:370:7348]:5678", "[2001:db(8:85a3:)8d3:1319:8a2e:370:7348]:5678",
    "ho)st:9092", "ho(st:9092", "ho()st:9092", "ho(st):9092", "host:9092\n",
])
def test_get_host_invalid(protocol: str, address: str) -> None:
    assert Utils.get_host(f"{protocol}://{address}") is None
    assert Utils.get_host(address) is None


def test_host_pattern() -> None:
    for address in ("127.0.0.1", "mydomain.com", "MyDomain.com", "My_Domain.com", "::1",
                    "2001:db8:85a3:8d3:1319:8a2e:370"):
        assert Utils.valid_host_pattern(address)
    assert not Utils.valid_host_pattern("my domain")
    assert not Utils.valid_host_pattern("mydomain\n")


def test_get_port() -> None:
    assert Utils.get_port("127.0.0.1:8000") == 8000
    assert Utils.get_port("mydomain.com:8080") == 8080
    assert Utils.get_port("MyDomain.com:8080") == 8080
    assert Utils.get_port("[::1]:1234") == 1234
    assert Utils.get_port("[2001:db8:85a3:8d3:1319:8a2e:370:7348]:5678") == 5678
    assert Utils.get_port("[2001:DB8:85A3:8D3:1319:8A2E:370:7348]:5678") == 5678
    assert Utils.get_port("[fe80::b1da:69ca:57f7:63d8%3]:5678") == 5678

    for address in ("host:-92", "host:-9-2", "host:92-", "host:9-2", "host"):
        assert Utils.get_port(address) is None
    with pytest.raises(IllegalArgumentException):
        Utils.get_port("host:2147483648")


def test_format_address() -> None:
    assert Utils.format_address("127.0.0.1", 8000) == "127.0.0.1:8000"
    assert Utils.format_address("mydomain.com", 8080) == "mydomain.com:8080"
    assert Utils.format_address("::1", 1234) == "[::1]:1234"
    assert Utils.format_address("2001:db8::7348", 5678) == "[2001:db8::7348]:5678"


def test_format_bytes() -> None:
    assert Utils.format_bytes(-1) == "-1"
    assert Utils.format_bytes(0) == "0.0"
    assert Utils.format_bytes(1) == "1 B"
    assert Utils.format_bytes(1023) == "1023 B"
    assert Utils.format_bytes(1024) == "1 KB"
    assert Utils.format_bytes(1024 * 1024 - 1) == "1024 KB"
    assert Utils.format_bytes(1024 * 1024) == "1 MB"
    assert Utils.format_bytes(int(1.1 * 1024 * 1024)) == "1.1 MB"
    assert Utils.format_bytes(10 * 1024 * 1024) == "10 MB"
    assert Utils.format_bytes(2**63 - 1) == "8 EB"


def test_abs() -> None:
    assert [Utils.abs(n) for n in (-2**31, -10, 10, 0, -1)] == [0, 10, 10, 0, 1]


def test_utf8_byte_array_serde() -> None:
    text = "A\u00ea\u00f1\u00fcC"
    data = text.encode()
    assert Utils.utf8_string(text) == data
    assert Utils.utf8_length(text) == len(data)
    assert Utils.utf8(data) == text


def test_utf8_byte_buffer_serde() -> None:
    text = "A\u00ea\u00f1\u00fcC"
    data = text.encode()
    buffer = ByteBuffer.allocate(20).set_position(4).put(data).set_position(4)
    assert Utils.utf8_buffer(buffer, length=len(data)) == text
    assert buffer.position() == 4
    buffer.set_position(0)
    assert Utils.utf8_buffer(buffer, 4, len(data)) == text
    assert buffer.position() == 0
    assert Utils.utf8_buffer(buffer.set_position(4).set_limit(4 + len(data))) == text


@given(st.text())
def test_utf8_length(text: str) -> None:
    assert Utils.utf8_length(text) == len(Utils.utf8_string(text))
    assert Utils.utf8(Utils.utf8_string(text)) == text


def test_what_is_not_utf8() -> None:
    assert Utils.utf8(b"a\xffb") == "a\ufffdb"
    assert Utils.utf8_string("a\ud800") == b"a?"


def test_read_bytes() -> None:
    buffer = ByteBuffer.wrap(b"?Any String you want").set_position(1)
    part = Utils.read_bytes(buffer, 3)
    assert part is not None
    assert part.to_bytes() == b"Any"
    assert part.position() == 0
    assert buffer.position() == 4
    assert Utils.read_bytes(buffer, -1) is None
    assert buffer.position() == 4


def test_file_as_string_simple_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("Test Content")
    assert Utils.read_file_as_string(str(path)) == "Test Content"
    with pytest.raises(OSError, match="^Unable to read file "):
        Utils.read_file_as_string(str(tmp_path / "missing"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the host has no named pipes")
def test_file_as_string_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    producer = threading.Thread(target=path.write_text, args=("This is test",))
    producer.start()
    assert Utils.read_file_as_string(str(path)) == "This is test"
    producer.join(120)
    assert not producer.is_alive()


class Closeable:
    def __init__(self, exception: Exception | None) -> None:
        self.exception = exception
        self.closed = False

    def close(self) -> None:
        self.closed = True
        if self.exception is not None:
            raise self.exception


def closeables(*fail: bool) -> list[Closeable]:
    return [Closeable(OSError(f"Test close exception {i}") if failing else None)
            for i, failing in enumerate(fail)]


@pytest.mark.parametrize("fail", [
    (False, False, False), (True, True, True), (False, True, False), (False, True, False, True, True)])
def test_close_all(fail: tuple[bool, ...]) -> None:
    all_ = closeables(*fail)
    failing = [closeable.exception for closeable in all_ if closeable.exception is not None]
    if not failing:
        Utils.close_all(*all_, None)
    else:
        with pytest.raises(OSError) as caught:
            Utils.close_all(*all_, None)
        assert caught.value is failing[0]
        assert getattr(caught.value, "__notes__", []) == [f"Suppressed: OSError: {e}" for e in failing[1:]]
    assert all(closeable.closed for closeable in all_)


def test_close_all_stops_at_what_is_no_io_exception() -> None:
    first, second = Closeable(ValueError("a bug")), Closeable(None)
    with pytest.raises(ValueError, match="a bug"):
        Utils.close_all(first, second)
    assert not second.closed


def test_read_fully_or_fail_with_partial_file_channel_reads() -> None:
    """Each read gives less than is asked for, one or another nothing at all."""
    buffer_size, step = 100, 20
    random = Random(11)
    parts: list[bytes] = []
    remaining_bytes = buffer_size
    while remaining_bytes > 0:
        bytes_read = remaining_bytes if remaining_bytes < step else random.randrange(step)
        parts.append(bytes(random.choices(b"abc", k=bytes_read)))
        remaining_bytes -= bytes_read
    following = iter(parts)

    def read(buffer: ByteBuffer, _position: int) -> int:
        part = next(following)
        buffer.put(part)
        return len(part)

    channel_mock = Mock(spec=FileChannel)
    channel_mock.read.side_effect = read
    buffer = ByteBuffer.allocate(buffer_size)
    Utils.read_fully_or_fail(channel_mock, buffer, 0, "test")
    assert not buffer.has_remaining()
    assert buffer.flip().to_bytes() == b"".join(parts)
    assert channel_mock.read.call_count == len(parts) > 1


def test_read_fully_or_fail_with_real_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"hello, world")
    channel = FileChannel.open(path)
    try:
        perfect, small, large = ByteBuffer.allocate(12), ByteBuffer.allocate(5), ByteBuffer.allocate(13)
        Utils.read_fully_or_fail(channel, perfect, 0, "perfect")
        assert perfect.flip().to_bytes() == b"hello, world"
        Utils.read_fully_or_fail(channel, small, 0, "small")
        assert small.flip().to_bytes() == b"hello"
        small.clear()
        Utils.read_fully_or_fail(channel, small, 7, "small")
        assert small.flip().to_bytes() == b"world"
        with pytest.raises(EOFException) as caught:
            Utils.read_fully_or_fail(channel, large, 0, "large")
        assert str(caught.value) == (
            f"Failed to read `large` from file channel `{channel}`. Expected to read 13 bytes, but reached "
            "end of file after reading 12 bytes. Started read from position 0.")
        with pytest.raises(IllegalArgumentException):
            Utils.read_fully_or_fail(channel, large, -1, "large")
        with pytest.raises(IllegalArgumentException):
            Utils.read_fully(channel, large, -1)
    finally:
        channel.close()


class PartialChannel:
    """A file that gives a little more at each read."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts = parts
        self.positions: list[int] = []

    def read(self, dst: ByteBuffer, position: int) -> int:
        self.positions.append(position)
        if not self.parts:
            return -1
        part = self.parts.pop(0)
        dst.put(part)
        return len(part)


@pytest.mark.parametrize("read", [
    lambda channel, buffer: Utils.read_fully_or_fail(channel, buffer, 3, "test"),
    lambda channel, buffer: Utils.read_fully(channel, buffer, 3)])
def test_read_fully_with_partial_file_channel_reads(read: Callable[[PartialChannel, ByteBuffer],
                                                                   None]) -> None:
    channel = PartialChannel([b"abc", b"", b"defg", b"hi"])
    buffer = ByteBuffer.allocate(9)
    read(channel, buffer)
    assert buffer.flip().to_bytes() == b"abcdefghi"
    assert channel.positions == [3, 6, 6, 10]


def test_read_fully_if_eof_is_reached() -> None:
    buffer = ByteBuffer.allocate(100)
    Utils.read_fully(PartialChannel([b"abcdefghkl"]), buffer, 0)  # type: ignore[arg-type]  # a fake
    assert buffer.flip().to_bytes() == b"abcdefghkl"


def test_load_props(tmp_path: Path) -> None:
    path = tmp_path / "file.properties"
    path.write_text("a=1\nb=2\n#a comment\n\nc=3\nd=")
    assert Utils.load_props(str(path)) == {"a": "1", "b": "2", "c": "3", "d": ""}
    assert Utils.load_props(str(path), ["b", "d", "e"]) == {"b": "2", "d": ""}
    assert Utils.load_props(str(path), []) == {"a": "1", "b": "2", "c": "3", "d": ""}
    assert Utils.load_props(None) == {}


def test_recursive_delete(tmp_path: Path) -> None:
    Utils.delete(None)
    file = tmp_path / "file"
    file.touch()
    Utils.delete(file)
    assert not file.exists()

    root = tmp_path / "root"
    (root / "a" / "c").mkdir(parents=True)
    (root / "b").mkdir()
    (root / "a" / "c" / "file").touch()
    kept = tmp_path / "kept"
    kept.mkdir()
    (root / "link").symlink_to(kept)
    Utils.delete(root)
    assert not root.exists()
    assert kept.exists()
    Utils.delete(root)

    link = tmp_path / "link"
    link.symlink_to(kept)
    Utils.delete(link)
    assert not os.path.lexists(link)
    assert kept.exists()


def test_convert_to32_bit_field() -> None:
    bits = {0, 1, 5, 10, 31}
    field = Utils.to32_bit_field(bits)
    assert field == 0x80000423 - 2**32
    assert Utils.from32_bit_field(field) == bits
    assert Utils.from32_bit_field(Utils.to32_bit_field(set())) == set()
    with pytest.raises(IllegalArgumentException, match="^out of range: i>31, i = 32$"):
        Utils.to32_bit_field({0, 11, 32})
    with pytest.raises(IllegalArgumentException, match="^out of range: i<0, i = -1$"):
        Utils.to32_bit_field({-1})


def test_props_to_map() -> None:
    with pytest.raises(ConfigException, match="^Invalid value 2 for configuration 1: Key must be a string.$"):
        Utils.cast_to_string_object_map({1: 2})
    for value in (False, 1, "string", 1.1, set(), [], {}):
        assert Utils.cast_to_string_object_map({"key": value}) == {"key": value}


def test_close_all_quietly(caplog: pytest.LogCaptureFixture) -> None:
    first: list[BaseException] = []
    count: list[int] = []
    Utils.close_all_quietly(first, "test", Closeable(RuntimeError("you should fail")), None,
                            Closeable(RuntimeError("too late")), lambda: count.append(1))
    assert [str(e) for e in first] == ["you should fail"]
    assert count == [1]
    assert len(caplog.records) == 2


def test_close_quietly(caplog: pytest.LogCaptureFixture) -> None:
    Utils.close_quietly(None, "nothing")
    Utils.close_quietly(Closeable(None), "a thing")
    assert caplog.records == []
    Utils.close_quietly(Closeable(ValueError("broken")), "the thing")
    Utils.maybe_close_quietly(Closeable(ValueError("broken")), "the other")
    Utils.maybe_close_quietly(object(), "what cannot be closed")
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert "the thing" in caplog.text and "the other" in caplog.text and "ValueError: broken" in caplog.text


def test_close_quietly_logs_where_it_is_told(caplog: pytest.LogCaptureFixture) -> None:
    Utils.close_quietly(Closeable(ValueError()), "the thing", LogContext().logger("kreactor.test.utils"))
    assert [record.name for record in caplog.records] == ["kreactor.test.utils"]


@pytest.mark.parametrize("level", [TRACE, DEBUG, INFO, WARN, ERROR])
def test_swallow(caplog: pytest.LogCaptureFixture, level: int) -> None:
    def fail() -> None:
        raise ValueError("broken")

    caplog.set_level(TRACE, "kreactor.test.utils")
    logger = LogContext().logger("kreactor.test.utils")
    first: list[BaseException] = []
    Utils.swallow(logger, level, "quiet", lambda: None, first)
    Utils.swallow(logger, level, "nothing", None, first)
    assert (first, caplog.records) == ([], [])
    Utils.swallow(logger, level, "what", fail)
    Utils.swallow(logger, level, "what", fail, first)
    Utils.swallow(logger, level, "what", fail, first)
    assert [record.levelno for record in caplog.records] == [level] * 3
    assert caplog.messages == ["what"] * 3
    assert [str(e) for e in first] == ["broken"]


def test_is_blank() -> None:
    for blank in (None, "", " ", "\t\n\0"):
        assert Utils.is_blank(blank)
    for text in ("bob", " bob ", "\u00a0"):
        assert not Utils.is_blank(text)


def test_replace_suffix() -> None:
    assert Utils.replace_suffix("blah.foo.txt", ".txt", ".text") == "blah.foo.text"
    assert Utils.replace_suffix("blah.foo.txt", ".txt", "") == "blah.foo"
    assert Utils.replace_suffix("txt.txt.txt", ".txt", "") == "txt.txt"
    assert Utils.replace_suffix("foo", "", ".txt") == "foo.txt"
    with pytest.raises(IllegalArgumentException,
                       match="^Expected string to end with .txt but string is foo$"):
        Utils.replace_suffix("foo", ".txt", "")


def test_entries_with_prefix() -> None:
    props = {"foo.bar": "abc", "setting": "def", "foo.": "no name"}
    assert Utils.entries_with_prefix(props, "foo.") == {"bar": "abc"}
    assert Utils.entries_with_prefix(props, "foo.", False) == {"foo.bar": "abc"}


def test_try_all() -> None:
    called: list[int] = []

    def call(n: int, fail: bool) -> Callable[[], None]:
        def run() -> None:
            called.append(n)
            if fail:
                raise ValueError(f"exception-{n}")
        return run

    Utils.try_all([call(0, False), call(1, False)])
    assert called == [0, 1]
    called.clear()
    with pytest.raises(ValueError) as caught:
        Utils.try_all([call(0, False), call(1, True), call(2, False), call(3, True)])
    assert str(caught.value) == "exception-1"
    assert called == [0, 1, 2, 3]
    assert caught.value.__notes__ == ["Suppressed: ValueError: exception-3"]


def test_new_instance() -> None:
    class NeedsMore:
        def __init__(self, more: int) -> None:
            pass

    class Fails:
        def __init__(self) -> None:
            raise ValueError("broken")

    assert isinstance(Utils.new_instance(Plain), Plain)
    assert Utils.new_instance(dict) == {}
    name = f"{__name__}.test_new_instance.<locals>"
    with pytest.raises(KafkaException) as caught:
        Utils.new_instance(NeedsMore)
    assert str(caught.value) == f"Could not find a public no-argument constructor for {name}.NeedsMore"
    with pytest.raises(KafkaException) as caught:
        Utils.new_instance(Fails)
    assert str(caught.value) == f"Could not instantiate class {name}.Fails"
    assert str(caught.value.__cause__) == "broken"
    with pytest.raises(KafkaException, match="^class cannot be null$"):
        Utils.new_instance(None)  # type: ignore[type-var]  # what the test is about


class Plain:
    class Nested:
        pass


def test_load_class() -> None:
    assert Utils.load_class(f"{__name__}.Plain", object) is Plain
    assert Utils.load_class(f"{__name__}.Plain.Nested", object) is Plain.Nested
    assert Utils.load_class("builtins.str", object) is str
    assert isinstance(Utils.new_instance_klass(f"{__name__}.Plain", Plain), Plain)
    with pytest.raises(TypeError, match="^class str is not a "):
        Utils.load_class("builtins.str", Plain)


@pytest.mark.parametrize("name", [
    "", ".", "nothing", "os", "no.such.module.Class", "kreactor.common.utils.utils.NoSuch",
    "kreactor.common.utils.utils.log", "org.apache.kafka.common.NoSuch", "kafka.NoSuch", "a..b"])
def test_load_class_that_is_not_there(name: str) -> None:
    with pytest.raises(ImportError):
        Utils.load_class(name, object)


@pytest.mark.parametrize("name", [
    "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder",
    "kreactor.common.security.authenticator.default_kafka_principal_builder.DefaultKafkaPrincipalBuilder"])
def test_load_class_by_both_names(name: str) -> None:
    assert Utils.load_class(name, object) is DefaultKafkaPrincipalBuilder


def test_load_class_nested_by_kafkas_name() -> None:
    from kreactor.common.config.config_resource import ConfigResource

    assert Utils.load_class("org.apache.kafka.common.config.ConfigResource$Type",
                            object) is ConfigResource.Type


def test_load_class_from_a_module_that_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_plugin.py").write_text("import no_such_dependency\nclass Plugin: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency"):
        Utils.load_class("broken_plugin.Plugin", object)


def test_atomic_move_with_fallback(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("new")
    target.write_text("old")
    Utils.atomic_move_with_fallback(str(source), str(target))
    assert not source.exists()
    assert target.read_text() == "new"
    with pytest.raises(FileNotFoundError):
        Utils.atomic_move_with_fallback(str(source), str(target))
    assert target.read_text() == "new"


def test_atomic_move_falls_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(source: str, target: str) -> None:
        raise OSError("another file system")

    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("new")
    target.write_text("old")
    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(os, "rename", replace)
    flushed: list[str | None] = []
    monkeypatch.setattr(Utils, "flush_dir", staticmethod(flushed.append))
    Utils.atomic_move_with_fallback(str(source), str(target), False)
    assert not source.exists()
    assert target.read_text() == "new"
    assert flushed == []
    source.write_text("newer")
    Utils.atomic_move_with_fallback(str(source), str(target))
    assert flushed == [str(tmp_path)]


def test_flush(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    Utils.flush_dir(str(tmp_path))
    Utils.flush_dir(None)
    Utils.flush_dir_if_exists(str(tmp_path / "missing"))
    Utils.flush_file_if_exists(str(file))
    Utils.flush_file_if_exists(str(tmp_path / "missing"))
    with pytest.raises(FileNotFoundError):
        Utils.flush_dir(str(tmp_path / "missing"))


def test_ensure_capacity() -> None:
    buffer = ByteBuffer.allocate(4).put(b"abc")
    assert Utils.ensure_capacity(buffer, 4) is buffer
    longer = Utils.ensure_capacity(buffer, 6)
    assert (longer.capacity(), longer.position()) == (6, 3)
    assert longer.flip().to_bytes() == b"abc"


def test_size_delimited() -> None:
    buffer = ByteBuffer.wrap(b"??\0\0\0\3abcdef\xff\xff\xff\xff")
    part = Utils.size_delimited(buffer, 2)
    assert part is not None
    assert part.to_bytes() == b"abc"
    assert Utils.size_delimited(buffer, 12) is None
    assert buffer.position() == 0


def test_try_write_to() -> None:
    class Channel:
        def write(self, src: ByteBuffer) -> int:
            written.append(src.to_bytes())
            return 2

    written: list[bytes] = []
    buffer = ByteBuffer.wrap(b"abcdef").set_position(4)
    assert Utils.try_write_to(Channel(), 1, 3, buffer) == 2
    assert written == [b"bcd"]
    assert (buffer.position(), buffer.limit()) == (4, 6)


def test_maps_as_text() -> None:
    text = Utils.mk_string({"key": "hello", "keyTwo": "hi"}, "|START|", "|END|", "=", ",")
    assert text == "|START|key=hello,keyTwo=hi|END|"
    assert Utils.parse_map("key=hey,keyTwo=hi=ho,", "=", ",") == {"key": "hey", "keyTwo": "hi=ho"}
    assert Utils.parse_map("", "=", ",") == {}
    with pytest.raises(IndexError):
        Utils.parse_map("key", "=", ",")


def test_small_ones() -> None:
    assert Utils.to_positive(-1) == 0x7FFFFFFF
    assert Utils.to_positive(5) == 5
    assert Utils.enum_options(IsolationLevel) == ["read_uncommitted", "read_committed"]
    assert Utils.enum_options(SecurityProtocol) == ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
