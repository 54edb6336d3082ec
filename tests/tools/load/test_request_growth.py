# Licensed under the Apache License, Version 2.0; see LICENSE.
"""tools/load/request_growth finds each array of each request. It fails where the work grows too fast."""

from __future__ import annotations

import time
from typing import Any

import pytest

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.request_header import RequestHeader
from kreactor.core.server.controller_apis import ControllerApis
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.tools.scripts import load

growth = load("load/request_growth")
SIZES = (100, 400)


@pytest.mark.parametrize("times, expected", [
    ([0.1, 0.4, 1.6], 1.0), ([0.1, 1.6, 6.4], 4.0), ([0.1, 0.4, 6.4], 4.0), ([0.2, 0.4, 0.8], 0.5),
    # Times below the floor tell nothing, and count as the floor.
    ([0.0001, 0.0016, 0.009], 0.0), ([0.0001, 0.02, 0.08], 1.0)])
def test_growth_is_that_of_the_worst_step(times: list[float], expected: float) -> None:
    assert growth.growth_of(times, (1_000, 4_000, 16_000)) == pytest.approx(expected)


@pytest.mark.parametrize("value, failed", [(1.3, False), (1.31, True)])
def test_a_row_fails_above_what_is_allowed(value: float, failed: bool) -> None:
    assert growth.Row("open", "Fetch", 1, "topics", growth.EQUAL, [], value).failed() is failed


def test_arrays_are_found_at_any_depth() -> None:
    fetch = ApiKeys.FETCH.message_type.request_class()
    assert list(growth.arrays(fetch, 12)) == [
        (("topics",), False), (("topics", "partitions"), False), (("forgotten_topics_data",), False),
        (("forgotten_topics_data", "partitions"), False)]
    assert (("topics",), True) in growth.arrays(fetch, 13), "since 13 topics have ids"


def elements(value: Any, path: tuple[str, ...]) -> list[Any]:
    """Return the elements of the array at ``path``."""
    for place in path[:-1]:
        value = getattr(value, place)
        value = value[0] if isinstance(value, list) else value
    found = getattr(value, path[-1])
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("api", sorted(KafkaApis.ENABLED_APIS, key=lambda api: api.id), ids=str)
def test_a_request_has_as_many_elements_as_asked_for(api: ApiKeys) -> None:
    message = api.message_type.request_class()
    for version in (api.oldest_version(), api.latest_version(False)):
        for path, has_uuids in growth.arrays(message, version):
            for kind in (growth.DISTINCT, growth.EQUAL, *([growth.COLLIDING] if has_uuids else [])):
                data = growth.encode(api, version, growth.Filler(message, version, path, 3, kind).body())
                buffer = ByteBuffer.wrap(data)
                assert buffer.get_int() == len(data) - 4
                assert RequestHeader.parse(buffer).api_key() is api
                request = AbstractRequest.parse_request(api, version, buffer).request
                assert request is not None and len(elements(request.data(), path)) == 3, (path, kind)


def test_ids_that_collide_in_java_differ_in_the_same_bits() -> None:
    fetch = ApiKeys.FETCH.message_type.request_class()
    filler = growth.Filler(fetch, 13, ("topics",), 1000, growth.COLLIDING)
    ids = [topic.topic_id for topic in filler.body().topics]
    assert len(set(ids)) == 1000
    assert len({id_.get_most_significant_bits() ^ id_.get_least_significant_bits() for id_ in ids}) == 1


def rows_of_create_partitions(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], bool]:
    """Return whether each array failed, by its path and its elements."""
    monkeypatch.setattr(growth, "RUNS", 1)
    return {(row.array, row.elements): row.failed()
            for row in growth.rows([growth.ARRAYS], {"CreatePartitions"}, ["open"], SIZES)}


def test_work_in_the_square_of_the_length_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    create_partitions = ControllerApis.create_partitions

    def slow(self: ControllerApis, context: Any, request: Any, names: Any) -> Any:
        end = time.process_time() + 0.2 * (len(request.topics) / SIZES[-1]) ** 2
        while time.process_time() < end:
            pass
        return create_partitions(self, context, request, names)

    monkeypatch.setattr(ControllerApis, "create_partitions", slow)
    failed = rows_of_create_partitions(monkeypatch)
    assert failed["topics", growth.DISTINCT] and failed["topics", growth.EQUAL]
    assert {path for path, _ in failed} == {
        "topics", "topics.assignments", "topics.assignments.broker_ids"}


@pytest.mark.parametrize("values, status", [([], 1), ([1.0, 1.2], 0), ([1.0, 1.4, 1.0], 1)])
def test_the_status_tells_whether_one_failed(
        values: list[float], status: int, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    made = [growth.Row("open", "Fetch", 1, "topics", growth.EQUAL, [1.0], value) for value in values]
    monkeypatch.setattr(growth, "rows", lambda *_: iter(made))
    monkeypatch.setattr(growth.sys, "argv", ["request_growth"])
    monkeypatch.setattr(growth.logging, "basicConfig", lambda **options: options["stream"].close())
    with pytest.raises(SystemExit) as ended:
        growth.main()
    assert ended.value.code == status
    out, err = capsys.readouterr()
    assert out.count("FAILED") == sum(value > 1.3 for value in values)
    assert err == f"{len(values)} rows, {out.count('FAILED')} failed\n"


def test_numbers_are_found_at_any_depth_and_in_arrays() -> None:
    message = ApiKeys.CREATE_TOPICS.message_type.request_class()
    assert list(growth.numbers(message, 7)) == [
        (("topics", "num_partitions"), "int32"), (("topics", "replication_factor"), "int16"),
        (("topics", "assignments", "partition_index"), "int32"),
        (("topics", "assignments", "broker_ids"), "int32"), (("timeout_ms",), "int32")]
    assert growth.values_of("int8") == [0, -1, -128, 127]
    assert growth.values_of("int32")[-3:] == [10**6, 10**8, 2**31 - 1]


@pytest.mark.parametrize("api", sorted(KafkaApis.ENABLED_APIS, key=lambda api: api.id), ids=str)
def test_a_request_has_the_number_asked_for(api: ApiKeys) -> None:
    message = api.message_type.request_class()
    for version in (api.oldest_version(), api.latest_version(False)):
        for path, kind in growth.numbers(message, version):
            value = growth.values_of(kind)[-1]
            for others in (growth.FILLED, growth.EMPTY, growth.NULL):
                body = growth.Filler(message, version, values={path: value}, others=others).body()
                buffer = ByteBuffer.wrap(growth.encode(api, version, body))
                buffer.get_int()
                RequestHeader.parse(buffer)
                request = AbstractRequest.parse_request(api, version, buffer).request
                assert request is not None
                found: Any = request.data()
                for place in path:
                    found = getattr(found, place)
                    found = found[0] if isinstance(found, list) else found
                assert found == value, (path, others)


@pytest.mark.parametrize("fault, said", [
    (lambda number: bytes(10 * number), "KB, usually"),
    (lambda number: sum(range(number)), "ms, usually")])
def test_work_in_proportion_to_a_number_fails(monkeypatch: pytest.MonkeyPatch, fault: Any, said: str) -> None:
    create_partitions = ControllerApis.create_partitions
    seen: list[int] = []

    def slow(self: ControllerApis, context: Any, request: Any, names: Any) -> Any:
        for topic in request.topics:
            seen.append(topic.count)
            fault(max(topic.count, 0))
        return create_partitions(self, context, request, names)

    monkeypatch.setattr(ControllerApis, "create_partitions", slow)
    monkeypatch.setattr(growth, "CREATING", set())
    monkeypatch.setattr(growth, "NUMBER_FLOOR_S", 0.010)
    monkeypatch.setattr(growth, "RUNS", 1)
    rows = list(growth.rows([growth.INTEGERS], {"CreatePartitions"}, ["open"], ()))
    assert {row.field.split(",")[0]: row.failed() for row in rows} == {
        "topics.count": True, "topics.assignments.broker_ids": False, "timeout_ms": False}
    assert all(said in row.failure for row in rows if row.failed())
    # Higher numbers, for which a broker may work until it is killed, are not sent.
    assert max(seen) <= 10**6


def test_overwritten_bytes_keep_their_length() -> None:
    made = [(name, make()) for name, make in growth.overwritten(lambda: bytes(6), 4)]
    assert [data for _, data in made] == [
        bytes(4) + b"\x7f\xff", bytes(4) + b"\xff\xff", bytes(4) + b"\xfe\xff",
        bytes(5) + b"\x7f", bytes(5) + b"\xff", bytes(5) + b"\xfe"]
    assert made[0][0] == "7fffffff at 4"
