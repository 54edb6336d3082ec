# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Tests of writing to a broker and reading from it without a client, of resets and of snapshots."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.common.errors import InvalidTopicException, UnknownTopicOrPartitionException
from kreactor.common.message.list_transactions_response_data import ListTransactionsResponseData
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker, Drop, MockTime
from tests.clients.client import Client
from tests.clients.clients import CLIENTS
from tests.clients.kafka_python_client import KafkaConsumer

TOPIC = "topic"

# A client leaves the socket of a connection that was refused to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket.socket:ResourceWarning")


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={TOPIC: 2}) as broker:
        yield broker


# -- produce and records ---------------------------------------------------------------------------


@pytest.mark.parametrize("each", CLIENTS)
def test_clients_read_what_is_produced(each: type[Client], broker: Broker) -> None:
    made = broker.produce(TOPIC, "text", b"bytes", None, key="key", partition=1, headers={"name": "value"},
                          timestamp_ms=1_700_000_000_000)
    assert [(record.offset, record.value) for record in made] == [(0, b"text"), (1, b"bytes"), (2, None)]
    assert made == broker.records(TOPIC) and made[0].headers == (("name", b"value"),)
    read = each(broker.bootstrap_servers).read(TOPIC, [0, 1])
    assert [(record.key, record.value) for record in read] == [
        (b"key", b"text"), (b"key", b"bytes"), (b"key", None)]


def test_a_partition_is_chosen_as_a_producer_does(broker: Broker) -> None:
    by_key = {record.key: record.partition
              for number in range(20) for record in broker.produce(TOPIC, "v", key=f"k{number}")}
    producer: KafkaProducer[bytes, bytes] = KafkaProducer(
        {"bootstrap.servers": broker.bootstrap_servers}, ByteArraySerializer(), ByteArraySerializer())
    for key, partition in by_key.items():
        assert producer.send(ProducerRecord(TOPIC, b"v", key=key)).get(60_000).partition() == partition
    producer.close()
    assert {record.partition for record in broker.produce(TOPIC, "a", "b")} == {0, 1}


def test_a_consumer_that_waits_is_told(broker: Broker) -> None:
    consumer = KafkaConsumer(TOPIC, bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest",
                             fetch_max_wait_ms=20_000, consumer_timeout_ms=60_000)
    read: list[bytes] = []
    thread = threading.Thread(target=lambda: read.append(next(iter(consumer)).value))
    thread.start()
    broker.wait_for(lambda: broker.requests(api="Fetch"))
    broker.produce(TOPIC, "late", partition=0)
    thread.join()
    consumer.close()
    assert read == [b"late"]


def test_a_topic_that_does_not_exist_is_created(broker: Broker) -> None:
    broker.produce("other", "v")
    assert broker.topics()["other"] == {0: 1}
    with pytest.raises(InvalidTopicException):
        broker.produce("no/topic", "v")
    assert broker.produce("nothing") == [] and "nothing" not in broker.topics()


def test_nonsense_gets_a_sentence(broker: Broker) -> None:
    with pytest.raises(TypeError, match="^value: must be bytes, text or None, not int$"):
        broker.produce(TOPIC, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^header h: must be bytes, text or None, not list$"):
        broker.produce(TOPIC, "v", headers={"h": []})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^partition=2: topic topic has 2 partitions$"):
        broker.produce(TOPIC, "v", partition=2)
    with pytest.raises(ValueError, match="isolation='dirty'"):
        broker.records(TOPIC, isolation="dirty")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="count=-1"):
        broker.consume(TOPIC, -1)
    with pytest.raises(UnknownTopicOrPartitionException, match="other"):
        broker.records("other")
    with pytest.raises(ValueError, match="client='ruby': must be one of confluent, aiokafka, "):
        broker.client_config("ruby")
    with pytest.raises(ValueError, match="user='bob': the broker has no users"):
        broker.client_config("java", user="bob")
    with pytest.raises(IllegalStateException, match="does not run"):
        Broker().produce(TOPIC, "v")


def test_records_of_transactions(broker: Broker) -> None:
    producer: KafkaProducer[bytes, bytes] = KafkaProducer(
        {"bootstrap.servers": broker.bootstrap_servers, "transactional.id": "t"},
        ByteArraySerializer(), ByteArraySerializer())
    producer.init_transactions()
    for value, end in ((b"aborted", producer.abort_transaction), (b"committed", producer.commit_transaction),
                       (b"aborted too", producer.abort_transaction), (b"open", None)):
        producer.begin_transaction()
        producer.send(ProducerRecord(TOPIC, value, partition=0)).get(60_000)
        if end is not None:
            end()
    assert [record.value for record in broker.records(TOPIC)] == [
        b"aborted", b"committed", b"aborted too", b"open"]
    assert [record.value for record in broker.records(TOPIC, isolation="read_committed")] == [b"committed"]
    assert [record.value for record in broker.consume(TOPIC)] == [b"committed"]
    assert broker.consume(TOPIC) == []
    producer.commit_transaction()
    assert [record.value for record in broker.consume(TOPIC, 1)] == [b"open"]
    producer.close()


@pytest.mark.parametrize("commit", [True, False], ids=["commit", "abort"])
def test_markers_are_waited_for_when_a_transaction_has_ended(broker: Broker, commit: bool) -> None:
    coordinator = broker.server().transaction_coordinator()
    markers = coordinator._txn_marker_channel_manager
    list_transactions, generate_requests = coordinator.handle_list_transactions, markers.generate_requests
    states = []

    def go_on_when_asked(ids: Collection[int], among: Collection[str]) -> ListTransactionsResponseData:
        answer = list_transactions(ids, among)
        states.extend(each.transaction_state for each in answer.transaction_states)
        markers.generate_requests = generate_requests  # type: ignore[method-assign]
        markers.wakeup()
        return answer

    markers.generate_requests = lambda: []  # type: ignore[method-assign]
    coordinator.handle_list_transactions = go_on_when_asked  # type: ignore[assignment]
    with KafkaProducer({"bootstrap.servers": broker.bootstrap_servers, "transactional.id": "t"},
                       ByteArraySerializer(), ByteArraySerializer()) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(ProducerRecord(TOPIC, b"value", partition=0)).get(60_000)
        (producer.commit_transaction if commit else producer.abort_transaction)()
        assert broker.records(TOPIC) and not states
        expected = [b"value"] if commit else []
        assert [record.value for record in broker.records(TOPIC, isolation="read_committed")] == expected
    assert states[0] == ("PrepareCommit" if commit else "PrepareAbort")
    # The marker is there, and so is what comes behind it.
    broker.produce(TOPIC, "behind", partition=0)
    broker.assert_records(TOPIC, [*expected, "behind"])


# -- consume ---------------------------------------------------------------------------------------


def test_consume_goes_on_where_it_was(broker: Broker) -> None:
    broker.produce(TOPIC, "a", "b", "c", partition=0)
    assert [record.text() for record in broker.consume(TOPIC, 2)] == ["a", "b"]
    broker.produce(TOPIC, "d", partition=1)
    assert [record.text() for record in broker.consume(TOPIC)] == ["c", "d"]
    assert broker.consume(TOPIC) == []
    broker.delete_topic(TOPIC)
    broker.produce(TOPIC, json.dumps({"new": True}))
    assert [record.json() for record in broker.consume(TOPIC)] == [{"new": True}]


def test_consume_waits(broker: Broker) -> None:
    thread = threading.Thread(target=broker.produce, args=(TOPIC, "a", "b"))
    thread.start()
    assert len(broker.consume(TOPIC, 2)) == 2
    thread.join()
    with pytest.raises(TimeoutError, match="^topic topic has 0 new records after 0.0 s, not 1$"):
        broker.consume(TOPIC, 1, timeout_s=0.0)


def test_an_event_loop_waits(broker: Broker) -> None:
    async def wait() -> int:
        waiting = asyncio.ensure_future(broker.wait_for_async(lambda: len(broker.records(TOPIC))))
        await asyncio.sleep(0)
        broker.produce(TOPIC, "v")
        with pytest.raises(TimeoutError, match="not within 0.01 s"):
            await broker.wait_for_async(lambda: False, 0.01)
        return await waiting

    assert asyncio.run(wait()) == 1


# -- assertions ------------------------------------------------------------------------------------


def test_differences(broker: Broker) -> None:
    made = broker.produce(TOPIC, "a", "b", key="k", partition=0)
    broker.assert_records(TOPIC, ["a", b"b"])
    broker.assert_records(TOPIC, [("k", "a"), "b"])
    broker.assert_records(TOPIC, made)
    broker.assert_records(TOPIC, ["b", ("k", "a")], ordered=False)
    broker.assert_records(TOPIC, [], partition=1)
    with pytest.raises(AssertionError) as e:
        broker.assert_records(TOPIC, ["b", ("x", "a")])
    assert str(e.value).splitlines() == [
        "topic topic:", "--- expected", "+++ found", "@@ -1,2 +1,2 @@",
        "-b'b'", "-b'x': b'a'", "+b'a'", "+b'k': b'b'"]
    with pytest.raises(AssertionError, match="-b'c'"):
        broker.assert_records(TOPIC, ["a", "b", "c"], ordered=False)
    with pytest.raises(TypeError, match="a pair of key and value"):
        broker.assert_records(TOPIC, [("a", "b", "c")])
    thread = threading.Thread(target=broker.produce, args=(TOPIC, "c"), kwargs={"partition": 0})
    thread.start()
    broker.assert_records(TOPIC, ["a", "b", "c"], timeout_s=10)
    thread.join()


# -- reset, snapshot, restore ----------------------------------------------------------------------


def test_reset(broker: Broker) -> None:
    consumer = KafkaConsumer(TOPIC, group_id="group", bootstrap_servers=broker.bootstrap_servers,
                             auto_offset_reset="earliest")
    broker.produce(TOPIC, "v")
    while not consumer.poll(1000):
        pass
    consumer.commit()
    assert broker.wait_group_stable("group", 1).offsets[TOPIC]
    consumer.close()
    broker.create_topic("other")
    broker.faults.add(Drop())
    broker.pause()
    broker.reset()
    assert broker.topics() == {TOPIC: {0: 0, 1: 0}} and broker.groups() == {} and not broker.requests()
    for round in range(3):
        broker.produce(TOPIC, f"{round}")
        assert [record.text() for record in broker.consume(TOPIC)] == [f"{round}"]
        broker.reset()
    broker.restart()
    assert broker.topics() == {TOPIC: {0: 0, 1: 0}} and broker.groups() == {}


def test_wait_group_stable_says_how_the_group_is(broker: Broker) -> None:
    with pytest.raises(TimeoutError, match="^group nobody does not exist after 0.0 s$"):
        broker.wait_group_stable("nobody", timeout_s=0.0)


@pytest.mark.parametrize("is_running", [True, False])
def test_snapshot_and_restore(is_running: bool) -> None:
    with Broker(topics=[TOPIC]) as broker:
        port = broker.port
        broker.produce(TOPIC, "kept")
        if not is_running:
            broker.stop()
        snapshot = broker.snapshot()
        assert broker.is_running() is is_running
        for _ in range(2):
            if not is_running:
                broker.start()
            broker.produce(TOPIC, "lost")
            broker.produce("lost", "lost")
            if not is_running:
                broker.stop()
            broker.restore(snapshot)
            assert broker.is_running() is is_running
        if not is_running:
            broker.start()
        assert broker.topics() == {TOPIC: {0: 1}} and broker.port == port
        assert [record.text() for record in broker.consume(TOPIC)] == ["kept"]
        with Broker() as other, pytest.raises(ValueError, match="not of this broker"):
            other.restore(snapshot)
        folder = snapshot._folder.path
    assert not Path(folder).exists()
    with pytest.raises(IllegalStateException):
        broker.snapshot()


# -- seeds -----------------------------------------------------------------------------------------

SEEDS = """
topics:
  orders:
    partitions: 3
    configs: {retention.ms: 7, preallocate: false}
    records:
      - {key: a, value: text, partition: 2, headers: {h: x}, timestamp_ms: 5}
      - {key: 7, json: {total: 1.5}}
  plain:
    records: [one, 2, null]
  empty:
"""


def test_seeds(broker: Broker, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    file = tmp_path / "seeds.yaml"
    file.write_text(SEEDS)
    broker.load(file)
    first, second = sorted(broker.records("orders"), key=lambda record: record.key or b"", reverse=True)
    configs = broker.server().storage().topics().topics()["orders"].configs
    assert configs == {"retention.ms": "7", "preallocate": "false"}
    assert first == (2, 0, 5, b"a", b"text", (("h", b"x"),))
    assert second.key == b"7" and second.json() == {"total": 1.5}
    assert [record.value for record in broker.records("plain")] == [b"one", b"2", None]
    assert broker.topics()["empty"] == {0: 0}


@pytest.mark.parametrize("content, message", [
    ("[]", "not a mapping with topics"),
    ('{"topics": []}', "topics: not a mapping of names"),
    ('{"topics": {}, "more": 1}', "'more' is not one of topics"),
    ('{"topics": {"t": {"partitions": 0}}}', "topics.t.partitions: 0 is not a number above 0"),
    ('{"topics": {"t": {"partitions": true}}}', "partitions: True is not"),
    ('{"topics": {"t": {"configs": []}}}', None),
    ('{"topics": {"t": {"configs": [1]}}}', "topics.t.configs: not a mapping"),
    ('{"topics": {"t": {"records": {"a": 1}}}}', "topics.t.records: not a list"),
    ('{"topics": {"t": {"records": [{"value": [1]}]}}}', r"records\[0\].value: list is neither"),
    ('{"topics": {"t": {"records": [{"value": 1, "json": 1}]}}}', "exclude each other"),
    ('{"topics": {"t": {"records": [{"partition": "x"}]}}}', "partition: 'x' is not a number"),
    ('{"topics": {"t": {"records": [{"headers": 1}]}}}', "headers: neither a mapping"),
    ('{"topics": {"t": {"partitions": 2147483648}}}', "2147483648 is not a number above 0 and up to"),
    ('{"topics": {"t": {"partitions": NaN}}}', "partitions: NaN is not"),
    ('{"topics": {"t": {"configs": {"retention.ms": 1e999}}}}', "configs.retention.ms: 1e999 is neither"),
    ('{"topics": {"t": {"configs": {"retention.ms": null}}}}', "configs.retention.ms: None is neither"),
    ('{"topics": {"t": {}, "t": {}}}', "'t' is there twice in one object"),
    ('{"topics": {"\\ud800": {}}}', "the name: half of a surrogate pair"),
    ('{"topics": {"t": {"records": [{"timestamp_ms": 9223372036854775808}]}}}',
     r"records\[0\].timestamp_ms: 9223372036854775808 is not a number from -1 to"),
    ('{"topics": {"t": {"records": [{"timestamp_ms": %s}]}}}' % ("9" * 5000),
     r"timestamp_ms: a number of 5000 characters is not a number"),
    ('{"topics": {"t": {"records": [{"partition": -1}]}}}', "partition: -1 is not a number from 0 to"),
    ('{"topics": {"t": {"records": [{"value": Infinity}]}}}', "value: Infinity is not a number that JSON"),
    ('{"topics": {"t": {"records": [{"json": [NaN]}]}}}', "json: not JSON"),
    ('{"topics": {"t": {"records": [{"key": "\\udfff"}]}}}', "key: half of a surrogate pair"),
    ('{"topics": {"t": {"records": [{"headers": [{"value": "x"}]}]}}}', r"headers\[0\].name: None is not"),
    ('{"topics": {"t": {"records": [{"headers": {"\\ud800": "x"}}]}}}', "headers: a name: half of a"),
    ("[" * 100_000, "nested too deeply"),
    # In the interpreter's own words: CPython expects a delimiter, PyPy finds no ':'.
    ('{"topics"', "line 1 column 10"),
])
def test_seeds_with_mistakes(broker: Broker, tmp_path: Path, content: str, message: str | None) -> None:
    file = tmp_path / "seeds.json"
    file.write_text(content)
    if message is None:
        broker.load(file)
        return
    with pytest.raises(ValueError, match=message) as e:
        broker.load(file)
    assert str(e.value).startswith(str(file))


def test_seeds_that_cannot_be_read(broker: Broker, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No such file"):
        broker.load(tmp_path / "none.yaml")
    pytest.importorskip("yaml")
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(ValueError, match="bad.yaml: while parsing"):
        broker.load(tmp_path / "bad.yaml")


@pytest.mark.parametrize("content, message", [
    ("{partitions: .nan}", "partitions: nan is not a number"),
    ("{configs: {retention.ms: .inf}}", "configs.retention.ms: not JSON"),
    ("{configs: {retention.ms: 2020-01-01}}", "configs.retention.ms: .* is neither"),
    ("{records: [{timestamp_ms: 2020-01-01}]}", r"records\[0\].timestamp_ms: .* is not a number"),
    ("{records: [{timestamp_ms: 0x%s}]}" % ("f" * 5000), "a number of thousands of digits is not"),
    ("{records: [{json: {at: 2020-01-01}}]}", r"records\[0\].json: not JSON"),
    ("{records: [{json: 0x%s}]}" % ("f" * 5000), r"records\[0\].json: not JSON"),
    ("{records: [{json: &a [*a]}]}", r"records\[0\].json: not JSON"),
    ("{records: [{value: .nan}]}", r"records\[0\].value: not JSON"),
])
def test_seeds_in_yaml_with_mistakes(broker: Broker, tmp_path: Path, content: str, message: str) -> None:
    pytest.importorskip("yaml")
    file = tmp_path / "seeds.yaml"
    file.write_text(f"topics: {{t: {content}}}")
    with pytest.raises(ValueError, match=message) as e:
        broker.load(file)
    assert str(e.value).startswith(str(file)) and "t" not in broker.topics()


@pytest.mark.parametrize("timestamp_ms", [2**63, 2**63 - 1, -2, 1.5, float("nan"), True, "5", 10**5000],
                         ids=lambda value: type(value).__name__)
def test_timestamps_that_no_record_has(broker: Broker, timestamp_ms: Any) -> None:
    with pytest.raises(ValueError, match="timestamp_ms=.*: not milliseconds from -1, for none, to"):
        broker.produce(TOPIC, "v", timestamp_ms=timestamp_ms)


def test_text_that_is_not_unicode(broker: Broker) -> None:
    arguments: list[dict[str, Any]] = [
        {"key": "\ud800"}, {"headers": {"\ud800": "x"}}, {"headers": {"h": "\ud800"}}]
    for each in arguments:
        with pytest.raises(ValueError, match="half of a surrogate pair"):
            broker.produce(TOPIC, "v", **each)


def test_a_clock_of_the_tests_is_that_of_records() -> None:
    with Broker(time=MockTime(current_time_ms=1000)) as broker:
        record, = broker.produce(TOPIC, "v")
        assert record.timestamp_ms == 1000
        broker.reset()
        assert broker.topics() == {}
