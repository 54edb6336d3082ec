# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Bytes that no client should send, over a socket: answered or closed as Kafka 3.8.0 does it.

The cases are those of ``kreactor.conformance``, and for records those of ``bad_records``. Two other clients
of the same broker get their answers meanwhile, and nothing of the bad one is left. If the environment names
a Kafka with KREACTOR_ORACLE=host:port, as for ``test_oracle``, the same records are sent to it, and have to
have the same outcome; ``tests/conformance/test_calibration.py`` holds it to the cases.
"""

from __future__ import annotations

import logging
import os
import random
import socket
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kreactor.common.compress.compression import Compression
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.conformance.areas.contents import find_coordinators
from kreactor.conformance.cases import Case, Difference, Offer
from kreactor.conformance.codec import request as request_of
from kreactor.conformance.errors import name_of
from kreactor.conformance.samples import sample
from kreactor.conformance.schemas import Api, apis
from kreactor.core.server.kafka_apis import KafkaApis
from tests import longer
from tests.core.server import bad_records
from tests.core.server.bad_records import Broken
from tests.core.server.bench import VICTIM, Bench, fetch_request, produce, produce_request
from tests.core.server.conversation import T0, records
from tests.core.server.group_conversation import wait_for_coordinator
from tests.core.server.judging import cases_of, judging, offer_of
from tests.core.server.wire import Closed, Wire, good, good_answer, int32
from tests.stepping import wait_until

ENABLED = {api.name for api in KafkaApis.ENABLED_APIS}


def ids(values: list[Broken]) -> list[str]:
    return [value.name for value in values]


@contextmanager
def quiet() -> Iterator[None]:
    """Log nothing: thousands of traces take longer than what they tell of."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def shared_bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with Bench(tmp_path_factory.mktemp("bad_input")) as bench:
        # Topics of coordinators have files open, which would seem to be left behind by the first test.
        wait_for_coordinator(bench.connect)
        wait_for_transactions(bench)
        yield bench


@pytest.fixture
def bench(shared_bench: Bench) -> Iterator[Bench]:
    with shared_bench.watched():
        yield shared_bench


@pytest.fixture(scope="module")
def offer(shared_bench: Bench) -> Offer:
    return offer_of(shared_bench)


def wait_for_transactions(bench: Bench) -> None:
    """Wait until there is a coordinator of transactions, which asking for it makes."""
    def is_there() -> bool:
        with judging(bench, offer_of(bench)) as judge, judge.connect() as connection:
            find_coordinators(judge)
            asked = {"transactionalIds": ["@nobody"]}
            (state,) = judge.ask(connection, apis()["DescribeTransactions"], asked)["transactionStates"]
            listed = judge.ask(connection, apis()["ListTransactions"], {})
            unknown = name_of(state["errorCode"]) == "TRANSACTIONAL_ID_NOT_FOUND"
            return unknown and name_of(listed["errorCode"]) == "NONE"

    wait_until(is_there)


# Cases of single connections.

OF_BYTES = ("framing", "protocols", "keys", "versions", "headers", "ordering", "endings")
BYTES = [case for case in cases_of(*OF_BYTES) if ".cut." not in case.id]


@pytest.mark.parametrize("case", BYTES, ids=lambda case: case.id)
def test_bad_input(bench: Bench, offer: Offer, case: Case) -> None:
    assert case.is_offered(offer)
    with judging(bench, offer) as judge:
        case.run(judge)
        bench.check()
        # A connection that is closed is gone, though the client is still there.
        wait_until(lambda: bench.connections() == judge.open_connections())


def test_the_largest_request(tmp_path: Path) -> None:
    """A byte less than the maximum, the maximum itself, a byte more; what is behind the body fills it up."""
    most = 10_000
    with Bench(tmp_path, {"socket.request.max.bytes": str(most)}) as bench, bench.watched():
        for size in (most - 1, most, most + 1):
            request = good(1)[4:]
            client = bench.connect()
            client.socket.sendall(int32(size) + request + b"x" * (size - len(request)))
            if size <= most:
                assert client.receive_bytes().hex() == good_answer(1)
            else:
                assert client.is_closed()


def test_every_api_of_a_broker_is_enabled() -> None:
    assert {api.name for api in ApiKeys.values() if api.in_scope(ListenerType.BROKER)} == ENABLED
    # The others close: keys.controller.
    assert {api.name for api in ApiKeys.values()} - ENABLED == {
        case.id.split(".")[2] for case in cases_of("keys.controller")}


# Requests: cut short, lying, followed by more.

SAMPLED = [api for api in apis().values() if "broker" in api.listeners]
SAMPLED_VERSIONS = [(api, version) for api in SAMPLED for version in api.versions
                    if not (api.unstable and version == api.versions.highest)]


# Between these versions of an API the requests have more fields, and the code that reads them is the same.
OUTER = [(api, version) for api, version in SAMPLED_VERSIONS
         if version in (api.versions.lowest, api.versions.highest, api.request.flexible.lowest)]


@pytest.mark.parametrize(("api", "version"), longer.params(
    OUTER, [each for each in SAMPLED_VERSIONS if each not in OUTER], "a version between others"), ids=str)
def test_bad_requests(bench: Bench, offer: Offer, api: Api, version: int) -> None:
    """Answered as Kafka 3.8.0 does it, or closed."""
    different = {}
    with quiet():
        for area in ("headers", "bodies", "contents"):
            for case in cases_of(f"{area}.{api}.v{version}"):
                with judging(bench, offer) as judge:
                    try:
                        case.run(judge)
                    except Difference as e:
                        different[case.id] = str(e)
    assert different == {}
    bench.check()


@pytest.mark.parametrize("area", ["headers", "bodies", "contents"])
def test_all_bad_requests_are_in_a_test(area: str) -> None:
    with_versions = [case.id.split(".") for case in cases_of(area)]
    assert {id_[1] for id_ in with_versions if id_[1] in apis()} == ENABLED
    assert {api.name for api in SAMPLED} == ENABLED


# Records.


@pytest.mark.parametrize("case", bad_records.CASES, ids=ids(bad_records.CASES))
def test_bad_records(bench: Bench, case: Broken) -> None:
    assert bad_records.hold(bench.connect, VICTIM, case) == bad_records.expected_outcome(case)


@pytest.fixture(scope="module")
def topic_of_a_live_broker(oracle: Callable[[], Wire]) -> Iterator[str]:
    name = f"bad_records_{os.getpid()}"
    bad_records.new_topic(oracle, name)
    yield name
    bad_records.delete_topic(oracle, name)


@pytest.mark.parametrize("case", bad_records.CASES, ids=ids(bad_records.CASES))
def test_bad_records_to_a_live_broker(oracle: Callable[[], Wire], topic_of_a_live_broker: str,
                                      case: Broken) -> None:
    assert bad_records.hold(oracle, topic_of_a_live_broker, case) == bad_records.expected_outcome(case)


def null_keys(connect: Callable[[], Wire], topic: str) -> list[tuple[Errors, str | None, list[int]]]:
    """Write records of which some have no key; return what became of them."""
    outcome = []
    for codec in (Compression.NONE, Compression.gzip().build()):
        data = MemoryRecords.with_records(codec, *(
            SimpleRecord(T0, key, b"value") for key in (None, b"key", None, None, None))).buffer().to_bytes()
        with connect() as wire:
            # Only an administrator's client may write to a topic of Kafka's own.
            answer = wire.ask(ApiKeys.PRODUCE, 9, produce_request(topic, data), "__admin_client")
        assert isinstance(answer, ProduceResponseData)
        partition = answer.responses[0].partition_responses[0]
        outcome.append((Errors.for_code(partition.error_code), partition.error_message,
                        [error.batch_index for error in partition.record_errors]))
        for error in partition.record_errors:
            assert error.batch_index_error_message == NO_KEY + f" in topic partition {topic}-0"
    return outcome


NO_KEY = "Compacted topic cannot accept message without key"


def refused_null_keys(topic: str) -> list[tuple[Errors, str | None, list[int]]]:
    """Return what ``null_keys`` should."""
    shown = ", ".join(f"RecordError(batchIndex={index}, message='{NO_KEY} in topic partition {topic}-0')"
                      for index in (0, 2, 3))
    return 2 * [(Errors.INVALID_RECORD, "One or more records have been rejected due to 4 record errors in "
                 f"total, and only showing the first three errors at most: [{shown}]", [0, 2, 3, 4])]


def test_a_null_key_on_a_compacted_topic(bench: Bench) -> None:
    assert null_keys(bench.connect, "__consumer_offsets") == refused_null_keys("__consumer_offsets")


def test_a_null_key_on_a_compacted_topic_of_a_live_broker(oracle: Callable[[], Wire]) -> None:
    assert null_keys(oracle, "__consumer_offsets") == refused_null_keys("__consumer_offsets")


# Requests and records changed at random. The examples are the same in every run.

FUZZ = settings(derandomize=True, database=None, max_examples=300,
                suppress_health_check=list(HealthCheck))

TELLING = [b"\0", b"\1", b"\x7f", b"\x80", b"\xff", b"\xff\xff", b"\x7f\xff", b"\x80\0\0\0",
           b"\x7f\xff\xff\xff", b"\xff" * 4, b"\0" * 8, b"\xff" * 8, b"\xff\xff\xff\xff\x0f",
           b"\xff\xff\xff\xff\xff\x01"]


@st.composite
def changed(draw: st.DrawFn, data: bytes, most: int = 4) -> bytes:
    """Return bytes with a few places overwritten, filled, cut out or doubled."""
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, len(data)))
        to = min(len(data), at + draw(st.integers(0, 12)))
        new = draw(st.sampled_from(TELLING) | st.binary(min_size=1, max_size=8))
        data = draw(st.sampled_from([
            data[:at] + new + data[at + len(new):],
            data[:at] + new + data[at:],
            data[:at] + data[to:],
            data[:to] + data[at:],
        ]))
    return data


@st.composite
def changed_requests(draw: st.DrawFn) -> bytes:
    """Return a request and its size, of which either may be wrong, and perhaps a good request behind it."""
    api, version = draw(st.sampled_from(SAMPLED_VERSIONS))
    good_request = request_of(api, version, 5, sample(api, version))[4:]
    request = draw(changed(good_request))
    size = len(request) + draw(st.sampled_from([0] * 12 + [-1, 1, -5, 5, 1000]))
    return int32(size) + request + draw(st.sampled_from([b"", good(6)]))


def answers_before_the_end(connect: Callable[[], Wire], data: bytes) -> int:
    """Send bytes and say that this is all; return how many answers come before the connection is closed."""
    with connect() as wire:
        wire.socket.sendall(data)
        with suppress(OSError):  # The broker may have closed, and reset what came since.
            wire.socket.shutdown(socket.SHUT_WR)
        count = 0
        try:
            while wire.receive_bytes():
                count += 1
        except Closed:
            return count
        raise AssertionError("an answer without a byte")


def test_changed_requests(tmp_path: Path) -> None:
    with Bench(tmp_path) as bench, bench.watched(), quiet():
        @FUZZ
        @given(changed_requests())
        def answered_or_closed(data: bytes) -> None:
            assert answers_before_the_end(bench.connect, data) <= 2
            bench.check()

        answered_or_closed()


def test_changed_requests_to_a_live_broker(bench: Bench, oracle: Callable[[], Wire]) -> None:
    """As many answers from both. Not asked of what the live one alone can do, and of what creates topics."""
    asked = {api.id for api in KafkaApis.ENABLED_APIS} - {ApiKeys.CREATE_TOPICS.id, ApiKeys.METADATA.id}

    @FUZZ
    @given(changed_requests())
    def as_many_answers(data: bytes) -> None:
        if int.from_bytes(data[4:6], "big") in asked:
            assert answers_before_the_end(bench.connect, data) == answers_before_the_end(oracle, data)

    with quiet():
        as_many_answers()


def test_changed_records(tmp_path: Path) -> None:
    """They are appended or not; what is appended later can be read, by those who run now and the next."""
    batch = records(b"one", b"two", b"three", first=3)
    offsets = []

    with Bench(tmp_path) as bench, bench.watched(), quiet():
        wire = bench.connect()

        @FUZZ
        @given(changed(batch), st.booleans(), st.sampled_from([3, 9]))
        def appended_or_not(data: bytes, sealed: bool, version: int) -> None:
            if sealed and len(data) > 61:
                data = bad_records.sealed(data)
            answer = produce(wire, VICTIM, data, version)
            behind = produce(wire, VICTIM, batch)
            assert behind.error_code == 0
            if answer.error_code == 0:
                assert answer.base_offset < behind.base_offset
            offsets.append(behind.base_offset)

        appended_or_not()
        assert offsets == sorted(set(offsets))
        read_back(bench, batch, offsets)
    with Bench(tmp_path, create_topics=False) as bench, bench.watched():
        read_back(bench, batch, offsets)


def read_back(bench: Bench, batch: bytes, offsets: list[int]) -> None:
    """See that a batch is at each of these offsets."""
    with bench.connect() as wire:
        for offset in offsets:
            answer = wire.ask(ApiKeys.FETCH, 4, fetch_request(VICTIM, offset, max_bytes=len(batch)))
            assert isinstance(answer, FetchResponseData)
            found: Any = answer.responses[0].partitions[0].records
            assert bytes(found.view())[21:] == batch[21:]


@pytest.mark.parametrize("api", SAMPLED, ids=str)
def test_random_bodies(bench: Bench, api: Api) -> None:
    """Behind a good header, in each version."""
    random_ = random.Random(api.key)
    with quiet():
        for version in (version for each, version in SAMPLED_VERSIONS if each is api):
            for _ in range(20):
                body = random_.randbytes(random_.choice((1, 10, 100, 1000)))
                assert answers_before_the_end(bench.connect, request_of(api, version, 5, body)) <= 1
    bench.check()
