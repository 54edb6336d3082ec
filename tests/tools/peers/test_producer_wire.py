# Licensed under the Apache License, Version 2.0; see LICENSE.
"""tools/peers/producer_wire tells what is equal from what is not; kreactor stands in for Kafka here."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pytest

from kreactor.jdk.checksums import crc32c
from kreactor.testing import Broker
from tests.tools.scripts import load

wire = load("peers/producer_wire")


@pytest.fixture
def proxy() -> Iterator[Any]:
    made = wire.Proxy()
    try:
        yield made
    finally:
        made.close()


def scenario(*steps: tuple[str, ...], name: str = "topic", **settings: str) -> Any:
    return wire.Scenario(name, {key.replace("_", "."): value for key, value in settings.items()}, list(steps))


def recorded(proxy: Any, each: Any) -> list[Any]:
    """The requests of our producer to a new broker that names the proxy as its address."""
    with Broker(topics={each.topic(): each.partitions}, properties={
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{proxy.port}"}) as broker:
        proxy.broker_port = int(broker.bootstrap_servers.rpartition(":")[2])
        wire.run(wire.Ours(), each, proxy)
        found: list[Any] = proxy.take()
        return found


def sends(number: int, value: bytes = b"value", verb: str = "send") -> tuple[str, ...]:
    step: tuple[str, ...] = wire.record(verb, "topic", number, value, b"key", None, [("name", b"header")])
    return step


def apis(requests: list[Any]) -> list[str]:
    return [wire.header_of(each).api_key().name for each in requests]


def test_the_same_steps_are_equal(proxy: Any) -> None:
    each = scenario(sends(0), sends(1), acks="1", enable_idempotence="false")
    one, other = (recorded(proxy, each) for _ in range(2))
    assert apis(one).count("Produce") == 2
    assert apis(one)[0] == "ApiVersions"
    result = wire.compare("topic", one, other)
    assert (result.equal, result.unexplained) == (len(one), [])
    assert result.requests == len(one)


def test_each_field_that_differs_is_named(proxy: Any) -> None:
    one, other = (
        recorded(proxy, scenario(sends(0, value), acks=acks, enable_idempotence="false"))
        for value, acks in ((b"value", "1"), (b"valve", "0")))
    result = wire.compare("topic", one, other)
    assert result.equal == len(one) - 1
    paths = [line.split(": ")[1].split(" is ")[0] for line in result.unexplained]
    assert paths == ["acks", "topic-0.batch0.checksum", "topic-0.batch0.record0"]
    assert "b'value'" in result.unexplained[2] and "b'valve'" in result.unexplained[2]


def test_a_request_too_many_is_named(proxy: Any) -> None:
    one = recorded(proxy, scenario(sends(0), sends(1)))
    result = wire.compare("topic", one, one[:-1])
    assert result.unexplained == [f"request {len(one) - 1}: only Java sends {wire.title(one[-1])}"]
    result = wire.compare("topic", one[:-1], one)
    assert result.unexplained == [f"request {len(one) - 1}: only kreactor sends {wire.title(one[-1])}"]


def test_what_has_a_reason_is_counted(proxy: Any) -> None:
    steps = [sends(number, b"value" * 50, "queue") for number in range(9)] + [("flush",), ("wait",)]
    each = scenario(*steps, compression_type="gzip", linger_ms="10000")
    requests = recorded(proxy, each)
    at = apis(requests).index("Produce")
    # The system that a gzip header names, and the checksum above it.
    frame = bytearray(requests[at].frame)
    header = frame.index(b"\x1f\x8b\x08")
    assert frame[header + 9] == 3
    frame[header + 9] = 0
    batch = header - 61
    struct.pack_into(">I", frame, batch + 17, crc32c(bytes(frame[batch + 21:end_of(frame, batch)])))
    changed = [*requests]
    changed[at] = requests[at]._replace(frame=bytes(frame))
    result = wire.compare("codec gzip", requests, changed)
    assert (result.equal, result.unexplained) == (len(requests) - 1, [])
    assert sum(result.reasons.values()) == 1
    # It is no reason elsewhere.
    assert len(wire.compare("linger", requests, changed).unexplained) == 1


def end_of(frame: bytearray, batch: int) -> int:
    length, = struct.unpack_from(">i", frame, batch + 8)
    return batch + 12 + int(length)


def test_correlation_ids_are_left_out_and_nothing_else(proxy: Any) -> None:
    request = recorded(proxy, scenario(sends(0)))[0]
    frame = request.frame
    assert wire.different(request, request._replace(frame=frame[:4] + b"\0\0\1\1" + frame[8:])) == {}
    assert wire.different(request, request._replace(connection=1)) == {"connection": (0, 1)}
    # A byte that no field has.
    assert set(wire.different(request, request._replace(frame=frame + b"\0"))) == {"bytes"}


def test_a_transaction_and_its_offsets(proxy: Any) -> None:
    requests = recorded(proxy, scenario(
        ("init",), ("begin",), sends(0), ("offsets", "group", "topic", "0", "1"), ("commit",),
        transactional_id="id"))
    names = list(dict.fromkeys(apis(requests)))
    assert names[-6:] == ["InitProducerId", "AddPartitionsToTxn", "Produce", "AddOffsetsToTxn",
                          "TxnOffsetCommit", "EndTxn"]


def test_a_step_that_fails_is_named(proxy: Any) -> None:
    with pytest.raises(wire.Failed, match="kreactor, begin"):
        recorded(proxy, scenario(("begin",)))


def test_other_clients_are_not_recorded(proxy: Any) -> None:
    def frame(name: bytes) -> bytes:
        return struct.pack(">hhih", 18, 0, 7, len(name)) + name

    assert wire.client_id(frame(b"wire")) == "wire"
    assert wire.client_id(struct.pack(">hhih", 18, 0, 7, -1)) == ""
    with Broker() as broker:
        proxy.broker_port = int(broker.bootstrap_servers.rpartition(":")[2])
        for name in (b"setup", b"wire"):
            with wire.socket.create_connection(("127.0.0.1", proxy.port), 10) as connection:
                connection.sendall(struct.pack(">i", len(frame(name))) + frame(name))
                size, = struct.unpack(">i", connection.recv(4, wire.socket.MSG_WAITALL))
                assert len(connection.recv(size, wire.socket.MSG_WAITALL)) == size
        assert [each.frame for each in proxy.take()] == [frame(b"wire")]
        assert proxy.take() == []


def test_a_request_counts_when_it_is_answered(proxy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    request, response = (struct.pack(f">i{len(body)}s", len(body), body) for body in (
        struct.pack(">hhih4s", 3, 12, 0, 4, b"wire"), b"an answer"))
    with wire.socket.create_server(("127.0.0.1", 0)) as silent:
        proxy.broker_port = silent.getsockname()[1]
        with wire.socket.create_connection(("127.0.0.1", proxy.port), 60) as client:
            client.sendall(request)
            with silent.accept()[0] as broker:
                assert broker.recv(len(request), wire.socket.MSG_WAITALL) == request
                monkeypatch.setattr(wire, "STEP_TIMEOUT_S", 0.0)
                with pytest.raises(wire.Failed, match="does not get answers"):
                    proxy.wait_for_answers({3})
                broker.sendall(response)
                assert client.recv(len(response), wire.socket.MSG_WAITALL) == response
                proxy.wait_for_answers({3})
                with pytest.raises(wire.Failed, match="does not get answers"):
                    proxy.wait_for_answers({3, 22})


def test_frames_come_in_any_pieces() -> None:
    data = b"".join(struct.pack(">i", len(each)) + each for each in (b"one", b"", b"three"))
    for size in range(1, len(data) + 1):
        partial = bytearray()
        found = [frame for at in range(0, len(data), size)
                 for frame in wire.whole_frames(partial, data[at:at + size])]
        assert found == [b"one", b"", b"three"]
        assert partial == b""


def test_scenarios_have_topics_and_reasons_of_their_own() -> None:
    scenarios = list(wire.scenarios())
    assert len({each.topic() for each in scenarios}) == len(scenarios)
    for each in scenarios:
        for verb, *words in each.steps:
            if verb in ("send", "queue"):
                assert words[0] == each.topic()
                assert not any("\t" in word or "\n" in word for word in words)
    # None is for a scenario that there is not.
    for reason in wire.EXPLAINED:
        assert any(wire.re.fullmatch(reason.scenario, each.name) for each in scenarios)


def test_a_record_is_what_its_step_says() -> None:
    step = wire.record("send", "topic", 7, None, b"", 3, [("a", None), ("b", b"=")])
    record = wire.produced(step[1:])
    assert (record.topic(), record.partition(), record.timestamp()) == ("topic", 3, wire.TIME_MS + 7)
    assert (record.key(), record.value()) == (b"", None)
    assert [(each.key(), each.value()) for each in record.headers()] == [("a", None), ("b", b"=")]


@pytest.mark.parametrize("line, cleaned", [
    ("Dumping /tmp/x/data/keys-0/000.log", "Dumping keys-0/000.log"),
    ("baseOffset: 0 position: 7 CreateTime: 1700000000001 size: 9 compresscodec: none crc: 5 isvalid: true",
     "baseOffset: 0 position: N CreateTime: 1700000000001 size: 9 compresscodec: none crc: 5 isvalid: true"),
    ("size: 9 compresscodec: zstd crc: 5", "size: N compresscodec: zstd crc: N"),
    ("isControl: true CreateTime: 1790000000001 size: 9 crc: 5",
     "isControl: true CreateTime: TIME size: N crc: N"),
])
def test_what_cannot_be_equal_is_cleaned(line: str, cleaned: str) -> None:
    assert wire.cleaned(line) == cleaned
