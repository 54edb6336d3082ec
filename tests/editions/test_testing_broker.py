# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor.testing.Broker`` with the network layer of an older release, and the pytest fixture."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

from kreactor.common.config.config_exception import ConfigException
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker
from kreactor.testing.faults import Drop
from kreactor.testing.mock_time import MockTime
from tests.editions.editions import OLDER


def round_trip(broker: Broker, topic: str, *, transactional_id: str | None = None) -> list[bytes]:
    config = broker.client_config("confluent")
    producer = Producer(config | ({"transactional.id": transactional_id} if transactional_id else {}))
    if transactional_id:
        producer.init_transactions(60)
        for end in (producer.abort_transaction, producer.commit_transaction):
            producer.begin_transaction()
            producer.produce(topic, end.__name__.encode())
            assert producer.flush(60) == 0
            end(60)
    else:
        producer.produce(topic, b"value")
        assert producer.flush(60) == 0
    consumer = Consumer(config | {"group.id": "group", "isolation.level": "read_committed"})
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        found = []
        while not found:
            message = consumer.poll(60)
            assert message is not None and message.error() is None
            found.append(message.value())
        return found
    finally:
        consumer.close()


@pytest.mark.parametrize("edition", OLDER)
@pytest.mark.parametrize("more", [{}, {"tls": True}, {"tls": "mutual"},
                                  {"sasl": "SCRAM-SHA-256", "users": {"alice": "secret"}}],
                         ids=["plain", "tls", "mutual", "scram"])
def test_an_edition_serves(edition, more):
    with Broker(edition=edition, topics=["topic"], **more) as broker:
        assert broker.server().edition.name == edition
        assert round_trip(broker, "topic") == [b"value"]
        assert [record.value for record in broker.consume("topic", 1)] == [b"value"]


@pytest.mark.parametrize("edition", OLDER)
def test_transactions(edition):
    with Broker(edition=edition, topics=["topic"]) as broker:
        assert round_trip(broker, "topic", transactional_id="id") == [b"commit_transaction"]
        assert [record.value for record in broker.records("topic")] == [
            b"abort_transaction", b"commit_transaction"]


@pytest.mark.parametrize("edition", OLDER)
def test_a_restart_keeps_port_and_data(edition):
    with Broker(edition=edition) as broker:
        port = broker.port
        broker.produce("topic", "value")
        broker.restart()
        assert broker.port == port
        assert [record.value for record in broker.records("topic")] == [b"value"]
        assert broker.wait_for(lambda: broker.topics().get("topic")) == {0: 1}
        broker.reset()
        assert broker.topics() == {}


def test_an_edition_in_a_process_of_its_own():
    with Broker(edition=OLDER[0], process=True, topics=["topic"]) as broker:
        assert round_trip(broker, "topic") == [b"value"]
        with pytest.raises(IllegalStateException, match=f"edition {OLDER[0]} has no connections"):
            broker.connections()


@pytest.mark.parametrize("method", ["requests", "connections", "disconnect", "pause", "resume", "kill"])
def test_methods_that_need_todays_network_layer(method):
    with Broker(edition=OLDER[-1]) as broker:
        with pytest.raises(IllegalStateException, match=f"{OLDER[-1]} has no {method}, which needs .* 3.8"):
            getattr(broker, method)()
        assert broker.is_running()


def test_arguments_that_an_edition_refuses():
    with pytest.raises(IllegalStateException, match="has no faults"):
        Broker(edition="0.10.2").faults.add(Drop())
    with pytest.raises(ValueError, match="edition='0.9': the editions are 0.10.1, 0.10.2"):
        Broker(edition="0.9")
    with pytest.raises(ValueError, match="no mock clock"):
        Broker(edition="0.10.2", time=MockTime())
    with pytest.raises(ConfigException, match="max.connections: .* came with 2.3"):
        Broker(edition="0.10.2", properties={"max.connections": 5})


def test_the_current_edition_is_no_other_broker():
    with Broker(edition="3.8") as broker:
        assert broker.connections() == {}


@pytest.mark.kafka_broker(edition="0.10.2", topics=["topic"])
def test_the_mark_of_pytest(kafka_broker):
    assert kafka_broker.server().edition.name == "0.10.2"
    assert round_trip(kafka_broker, "topic") == [b"value"]


def alter(broker: Broker, name: str, value: str) -> str | None:
    """Change a setting of the running broker; return the text of its refusal."""
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource("BROKER", "1", incremental_configs=[entry])
    admin = AdminClient(broker.client_config("confluent"))
    future, = admin.incremental_alter_configs([resource]).values()
    try:
        future.result(60)
    except KafkaException as e:
        return str(e.args[0].str())
    return None


@pytest.mark.parametrize("edition", OLDER)
@pytest.mark.parametrize(("name", "value", "last_fixed"), [
    ("num.io.threads", "3", "1.0"), ("num.network.threads", "2", "1.0"),
    ("max.connections.per.ip", "500", "1.0"), ("max.connections", "500", "2.2")])
def test_a_setting_that_an_edition_cannot_change_is_refused(edition, name, value, last_fixed):
    is_fixed = OLDER.index(edition) <= OLDER.index(last_fixed)
    with Broker(edition=edition, topics=["topic"], properties={"num.io.threads": "2"}) as broker:
        refusal = alter(broker, name, value)
        assert (refusal is not None) is is_fixed
        if refusal is not None:
            tag = broker.server().edition.tag
            assert f"{name}: the network layer of Kafka {tag} cannot change it while" in refusal
        # Other settings still change, and the broker serves.
        assert alter(broker, "log.retention.ms", "1000000") is None
        assert round_trip(broker, "topic") == [b"value"]
