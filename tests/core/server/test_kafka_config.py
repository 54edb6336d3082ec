# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which properties a broker takes, what it makes of them, and in which words it refuses others."""

from __future__ import annotations

import itertools
import pathlib
from typing import Callable

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.config.types.password import Password
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.node import Node
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.server.kafka_config import SINGLE_NODE_ID, KafkaConfig
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.properties import load_properties
from kreactor.jdk.text import java_text
from kreactor.server.common.metadata_version import MINIMUM_KRAFT_VERSION, VERSIONS, MetadataVersion
from kreactor.server.config.consumer_group_migration_policy import ConsumerGroupMigrationPolicy
from kreactor.server.config.group_type import GroupType
from kreactor.server.config.quorum_config import QuorumConfig
from kreactor.server.config.server_topic_config_synonyms import ServerTopicConfigSynonyms
from kreactor.storage.internals.log.log_config import LogConfig
from tests.core.server.broker_props import MOCK_ZK_CONNECT, create_broker_config

HERE = pathlib.Path(__file__).parent
REFUSED = (ConfigException, IllegalArgumentException)
Props = dict[str, str]


def from_props(*props: Props, **overrides: str) -> KafkaConfig:
    """Read properties; ``a_b`` means ``a.b``."""
    merged: Props = {}
    for part in props:
        merged |= part
    merged |= {name.replace("_", "."): value for name, value in overrides.items()}
    return KafkaConfig.from_props(merged, False)


def is_valid(*props: Props, **overrides: str) -> bool:
    try:
        from_props(*props, **overrides)
    except REFUSED:
        return False
    return True


def assert_bad(expected: str, *props: Props, **overrides: str) -> None:
    with pytest.raises(REFUSED) as e:
        from_props(*props, **overrides)
    assert expected in str(e.value)


BROKER = create_broker_config(0, port=8181)
ZK = {"broker.id": "1", "zookeeper.connect": "localhost:2181"}
KRAFT = {"process.roles": "broker", "controller.listener.names": "CONTROLLER", "node.id": "3",
         "controller.quorum.voters": "1@localhost:9093"}
HOUR_MS = 60 * 60 * 1000


def test_log_retention_time_hours_provided() -> None:
    assert from_props(BROKER, log_retention_hours="1").log_retention_time_millis() == HOUR_MS


def test_log_retention_time_minutes_provided() -> None:
    assert from_props(BROKER, log_retention_minutes="30").log_retention_time_millis() == HOUR_MS // 2


def test_log_retention_time_ms_provided() -> None:
    assert from_props(BROKER, log_retention_ms="1800000").log_retention_time_millis() == HOUR_MS // 2


def test_log_retention_time_no_config_provided() -> None:
    assert from_props(BROKER).log_retention_time_millis() == 7 * 24 * HOUR_MS


def test_log_retention_time_both_minutes_and_hours_provided() -> None:
    config = from_props(BROKER, log_retention_minutes="30", log_retention_hours="1")
    assert config.log_retention_time_millis() == HOUR_MS // 2


def test_log_retention_time_both_minutes_and_ms_provided() -> None:
    config = from_props(BROKER, log_retention_ms="1800000", log_retention_minutes="10")
    assert config.log_retention_time_millis() == HOUR_MS // 2


def test_log_retention_unlimited() -> None:
    for name in ("ms", "minutes", "hours"):
        assert from_props(BROKER, {f"log.retention.{name}": "-1"}).log_retention_time_millis() == -1
    both = {"log.retention.ms": "-1", "log.retention.minutes": "30"}
    assert from_props(BROKER, both).log_retention_time_millis() == -1
    with pytest.raises(IllegalArgumentException):
        from_props(BROKER, log_retention_ms="0")


def test_log_retention_valid() -> None:
    for name in ("ms", "minutes", "hours"):
        with pytest.raises(IllegalArgumentException):
            from_props(BROKER, {f"log.retention.{name}": "0"})


def test_advertise_defaults() -> None:
    endpoints = from_props(ZK, listeners="PLAINTEXT://fake-host:9999").effective_advertised_listeners()
    [endpoint] = endpoints
    assert (endpoint.host(), endpoint.port()) == ("fake-host", 9999)


def test_advertise_configured() -> None:
    config = from_props(BROKER, advertised_listeners="PLAINTEXT://routable-host:1234")
    [endpoint] = config.effective_advertised_listeners()
    assert (endpoint.host(), endpoint.port()) == ("routable-host", 1234)


def test_duplicate_listeners() -> None:
    assert_bad("Each listener must have a different port", ZK,
               listeners="PLAINTEXT://localhost:9091,SSL://localhost:9091")
    assert_bad("Each listener must have a different name", ZK,
               listeners="PLAINTEXT://localhost:9091,PLAINTEXT://localhost:9092")
    # Advertised ones may share a port, but not a name.
    props = ZK | {
        "listener.security.protocol.map": "HOST:SASL_SSL,LB:SASL_SSL",
        "inter.broker.listener.name": "HOST",
        "listeners": "HOST://localhost:9091,LB://localhost:9092",
    }
    from_props(props, advertised_listeners="HOST://localhost:9091,LB://localhost:9091")
    assert_bad("Each listener must have a different name", props,
               advertised_listeners="HOST://localhost:9091,HOST://localhost:9091")


def test_i_pv4_and_i_pv6_same_port_listeners() -> None:
    two_stacks = "If you have two listeners on the same port then one needs to be IPv4 and the other IPv6"
    ports = "Each listener must have a different port"
    for listeners, expected in (
        ("PLAINTEXT://[::1]:9092,SSL://[::1]:9092", two_stacks),
        ("PLAINTEXT://127.0.0.1:9092,SSL://127.0.0.1:9092", two_stacks),
        ("SSL://[::1]:9096,PLAINTEXT://127.0.0.1:9096,SASL_SSL://:9096", two_stacks),
        ("PLAINTEXT://127.0.0.1:9092,PLAINTEXT://127.0.0.1:9092", "Each listener must have a different name"),
        ("PLAINTEXT://127.0.0.1:9092,SSL://127.0.0.1:9092,SASL_SSL://127.0.0.1:9092", ports),
        ("PLAINTEXT://apache.org:9092,SSL://[::1]:9092", ports),
        ("PLAINTEXT://apache.org:9092,SSL://127.0.0.1:9092", ports),
    ):
        assert_bad(expected, ZK, listeners=listeners)
    for listeners in (
        "PLAINTEXT://127.0.0.1:9092,SSL://[::1]:9092",
        "PLAINTEXT://[::1]:9093,SSL://127.0.0.1:9093",
        "PLAINTEXT://127.0.0.1:9094,SSL://[::1]:9094,SASL_SSL://127.0.0.1:9095,SASL_PLAINTEXT://[::1]:9095",
        "PLAINTEXT://[::1]:9096,SSL://127.0.0.1:9096,SASL_SSL://[::1]:9097,SASL_PLAINTEXT://127.0.0.1:9097",
    ):
        assert is_valid(ZK, listeners=listeners)


def test_control_plane_listener_name() -> None:
    config = from_props(
        create_broker_config(0), listeners="PLAINTEXT://localhost:0,CONTROLLER://localhost:5000",
        listener_security_protocol_map="PLAINTEXT:PLAINTEXT,CONTROLLER:SSL",
        control_plane_listener_name="CONTROLLER")
    control_endpoint = config.control_plane_listener()
    assert control_endpoint == EndPoint("localhost", 5000, ListenerName("CONTROLLER"), SecurityProtocol.SSL)
    assert control_endpoint in config.effective_advertised_listeners()
    assert config.inter_broker_listener_name() != ListenerName("CONTROLLER")
    assert config.control_plane_security_protocol() is SecurityProtocol.SSL
    assert [e.listener_name().value() for e in config.data_plane_listeners()] == ["PLAINTEXT"]


def test_controller_listener_names() -> None:
    config = from_props(
        process_roles="broker,controller", listeners="PLAINTEXT://localhost:0,CONTROLLER://localhost:5000",
        controller_listener_names="CONTROLLER", node_id="2", controller_quorum_voters="2@localhost:5000",
        listener_security_protocol_map="PLAINTEXT:PLAINTEXT,CONTROLLER:SASL_SSL")
    assert config.controller_listeners() == [
        EndPoint("localhost", 5000, ListenerName("CONTROLLER"), SecurityProtocol.SASL_SSL)]
    assert [e.listener_name().value() for e in config.data_plane_listeners()] == ["PLAINTEXT"]


def test_control_plane_listener_name_not_allowed_with_k_raft() -> None:
    props = {"process.roles": "broker,controller", "controller.listener.names": "SSL", "node.id": "2",
             "listeners": "PLAINTEXT://localhost:9092,SSL://localhost:9093",
             "controller.quorum.voters": "2@localhost:9093"}
    assert_bad("control.plane.listener.name is not supported in KRaft mode.", props,
               control_plane_listener_name="SSL")
    from_props(props)


def test_controller_listener_defined_for_k_raft_controller() -> None:
    props = {"process.roles": "controller", "node.id": "2", "controller.quorum.voters": "2@localhost:9093"}
    assert_bad("The listeners config must only contain KRaft controller listeners from "
               "controller.listener.names "
               "when process.roles=controller", props, listeners="SSL://localhost:9093")
    from_props(props, listeners="SSL://localhost:9093", controller_listener_names="SSL")
    from_props(props, listeners="CONTROLLER://localhost:9093", controller_listener_names="CONTROLLER",
               listener_security_protocol_map="CONTROLLER:SSL")


def test_controller_listener_defined_for_k_raft_broker() -> None:
    props = {"process.roles": "broker", "node.id": "1", "controller.quorum.voters": "2@localhost:9093"}
    assert_bad("controller.listener.names must contain at least one value when running KRaft with just the "
               "broker role", props)
    from_props(props, controller_listener_names="SSL")
    from_props(props, controller_listener_names="CONTROLLER",
               listener_security_protocol_map="PLAINTEXT:PLAINTEXT,CONTROLLER:SSL")


def test_port_in_quorum_voters_not_required_to_match_first_controller_listener_port_for_this_k_raft_controller(  # noqa: E501
) -> None:
    props = {"process.roles": "controller,broker", "node.id": "2",
             "controller.listener.names": "SSL,SASL_SSL",
             "listeners": "PLAINTEXT://localhost:9092,SSL://localhost:9093,SASL_SSL://localhost:9094",
             "controller.quorum.voters": "2@localhost:9093,3@anotherhost:9094"}
    listeners = props["listeners"]
    assert isinstance(listeners, str)
    assert is_valid(props)
    assert is_valid(props, listeners=listeners.replace("9093", "5555"))
    assert is_valid(props, listeners=listeners.replace("9094", "5555"))
    assert is_valid(props, controller_quorum_voters="2@localhost:5555,3@anotherhost:9094")
    assert is_valid(props, controller_quorum_voters="2@localhost:9093,3@anotherhost:5555")


def test_separate_controller_listener_defined_for_k_raft_broker_controller() -> None:
    props = {"process.roles": "broker,controller", "controller.listener.names": "SSL", "node.id": "2",
             "controller.quorum.voters": "2@localhost:9093"}
    assert_bad("There must be at least one advertised listener. Perhaps all listeners appear in "
               "controller.listener.names?", props, listeners="SSL://localhost:9093")
    from_props(props, listeners="PLAINTEXT://localhost:9092,SSL://localhost:9093")
    from_props(props, listeners="PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
               listener_security_protocol_map="PLAINTEXT:PLAINTEXT,CONTROLLER:SSL",
               controller_listener_names="CONTROLLER")


def test_controller_listener_name_maps_to_plaintext_by_default_for_k_raft() -> None:
    props = KRAFT | {"node.id": "1", "controller.quorum.voters": "2@localhost:9093"}
    name = ListenerName("CONTROLLER")

    def protocol(*more: Props, **overrides: str) -> SecurityProtocol | None:
        return from_props(props, *more, **overrides).effective_listener_security_protocol_map().get(name)

    assert protocol() is SecurityProtocol.PLAINTEXT
    not_found = ("Controller listener with name CONTROLLER defined in controller.listener.names not found in "
                 "listener.security.protocol.map")
    assert_bad(not_found, props, controller_listener_names="CONTROLLER,SSL")
    assert_bad(not_found, props, listeners="SSL://localhost:9092")
    explicit = "PLAINTEXT:PLAINTEXT,CONTROLLER:SSL"
    assert protocol(listener_security_protocol_map=explicit) is SecurityProtocol.SSL
    assert_bad(not_found, props, listener_security_protocol_map="PLAINTEXT:PLAINTEXT")
    config = from_props(props, controller_listener_names="SSL")
    assert config.effective_listener_security_protocol_map()[ListenerName("SSL")] is SecurityProtocol.SSL


def test_multiple_controller_listener_names_map_to_plaintext_by_default_for_k_raft() -> None:
    config = from_props(
        process_roles="controller", listeners="CONTROLLER1://localhost:9092,CONTROLLER2://localhost:9093",
        controller_listener_names="CONTROLLER1,CONTROLLER2", node_id="1",
        controller_quorum_voters="1@localhost:9092")
    protocols = config.effective_listener_security_protocol_map()
    assert protocols[ListenerName("CONTROLLER1")] is SecurityProtocol.PLAINTEXT
    assert protocols[ListenerName("CONTROLLER2")] is SecurityProtocol.PLAINTEXT


def test_controller_listener_name_does_not_map_to_plaintext_by_default_for_non_k_raft() -> None:
    assert_bad("Error creating broker listeners from 'CONTROLLER://localhost:9092': No security protocol "
               "defined for listener CONTROLLER", ZK, listeners="CONTROLLER://localhost:9092")
    config = from_props(ZK, listeners="PLAINTEXT://localhost:9092")
    assert ListenerName("CONTROLLER") not in config.effective_listener_security_protocol_map()


def test_bad_listener_protocol() -> None:
    assert not is_valid(ZK, listeners="BAD://localhost:9091")


def test_listener_names_with_advertised_listener_unset() -> None:
    config = from_props(
        ZK, listeners="CLIENT://localhost:9091,REPLICATION://localhost:9092,INTERNAL://localhost:9093",
        listener_security_protocol_map="CLIENT:SSL,REPLICATION:SSL,INTERNAL:PLAINTEXT",
        inter_broker_listener_name="REPLICATION")
    expected_listeners = [
        EndPoint("localhost", 9091, ListenerName("CLIENT"), SecurityProtocol.SSL),
        EndPoint("localhost", 9092, ListenerName("REPLICATION"), SecurityProtocol.SSL),
        EndPoint("localhost", 9093, ListenerName("INTERNAL"), SecurityProtocol.PLAINTEXT),
    ]
    assert config.listeners() == expected_listeners
    assert config.effective_advertised_listeners() == expected_listeners
    assert config.effective_listener_security_protocol_map() == {
        ListenerName("CLIENT"): SecurityProtocol.SSL,
        ListenerName("REPLICATION"): SecurityProtocol.SSL,
        ListenerName("INTERNAL"): SecurityProtocol.PLAINTEXT,
    }


def test_listener_and_advertised_listener_names() -> None:
    config = from_props(
        ZK, listeners="EXTERNAL://localhost:9091,INTERNAL://localhost:9093",
        advertised_listeners="EXTERNAL://lb1.example.com:9000,INTERNAL://host1:9093",
        listener_security_protocol_map="EXTERNAL:SSL,INTERNAL:PLAINTEXT",
        inter_broker_listener_name="INTERNAL")
    assert config.listeners() == [
        EndPoint("localhost", 9091, ListenerName("EXTERNAL"), SecurityProtocol.SSL),
        EndPoint("localhost", 9093, ListenerName("INTERNAL"), SecurityProtocol.PLAINTEXT)]
    assert config.effective_advertised_listeners() == [
        EndPoint("lb1.example.com", 9000, ListenerName("EXTERNAL"), SecurityProtocol.SSL),
        EndPoint("host1", 9093, ListenerName("INTERNAL"), SecurityProtocol.PLAINTEXT)]


def test_listener_name_missing_from_listener_security_protocol_map() -> None:
    assert not is_valid(ZK, listeners="SSL://localhost:9091,REPLICATION://localhost:9092",
                        inter_broker_listener_name="SSL")


def test_inter_broker_listener_name_missing_from_listener_security_protocol_map() -> None:
    assert not is_valid(ZK, listeners="SSL://localhost:9091", inter_broker_listener_name="REPLICATION")


def test_inter_broker_listener_name_and_security_protocol_set() -> None:
    assert_bad("Only one of inter.broker.listener.name and security.inter.broker.protocol should be set.", ZK,
               listeners="SSL://localhost:9091", inter_broker_listener_name="SSL",
               security_inter_broker_protocol="SSL")


def test_case_insensitive_listener_protocol() -> None:
    config = from_props(ZK, listeners="plaintext://localhost:9091,SsL://localhost:9092")
    by_name = {e.listener_name().value(): e.connection_string() for e in config.listeners()}
    assert by_name == {"SSL": "SSL://localhost:9092", "PLAINTEXT": "PLAINTEXT://localhost:9091"}


def test_listener_defaults() -> None:
    config = from_props(ZK)
    expected = CoreUtils.listener_list_to_end_points(
        "PLAINTEXT://:9092", EndPoint._DEFAULT_SECURITY_PROTOCOL_MAP)
    assert config.listeners() == config.effective_advertised_listeners() == expected
    assert expected[0].host() is None


def test_version_configuration() -> None:
    assert from_props(ZK).inter_broker_protocol_version() is MetadataVersion.latest_production()
    for version in ("0.8.2.0", "0.8.2.1"):
        config = from_props(ZK, inter_broker_protocol_version=version, log_message_format_version=version)
        assert config.inter_broker_protocol_version() is MetadataVersion.IBP_0_8_2
        assert MetadataVersion.latest_testing().is_at_least(config.inter_broker_protocol_version())


def test_unclean_leader_election_default() -> None:
    assert not from_props(BROKER).unclean_leader_election_enable()


def test_unclean_election_disabled() -> None:
    assert not from_props(BROKER, unclean_leader_election_enable="false").unclean_leader_election_enable()


def test_unclean_election_enabled() -> None:
    assert from_props(BROKER, unclean_leader_election_enable="true").unclean_leader_election_enable()


def test_unclean_election_invalid() -> None:
    with pytest.raises(ConfigException):
        from_props(BROKER, unclean_leader_election_enable="invalid")


def test_log_roll_time_ms_provided() -> None:
    assert from_props(BROKER, log_roll_ms="1800000").log_roll_time_millis() == HOUR_MS // 2


def test_log_roll_time_both_ms_and_hours_provided() -> None:
    config = from_props(BROKER, log_roll_ms="1800000", log_roll_hours="1")
    assert config.log_roll_time_millis() == HOUR_MS // 2


def test_log_roll_time_no_config_provided() -> None:
    assert from_props(BROKER).log_roll_time_millis() == 7 * 24 * HOUR_MS


def test_default_compression_type() -> None:
    assert from_props(BROKER).compression_type() == "producer"


def test_valid_compression_type() -> None:
    assert from_props(BROKER, compression_type="gzip").compression_type() == "gzip"


def test_invalid_compression_type() -> None:
    with pytest.raises(ConfigException):
        from_props(BROKER, compression_type="abc")


def test_invalid_gzip_compression_level() -> None:
    with pytest.raises(ConfigException):
        from_props(BROKER, compression_type="gzip", compression_gzip_level="10")


def test_invalid_lz4_compression_level() -> None:
    with pytest.raises(ConfigException):
        from_props(BROKER, compression_type="lz4", compression_lz4_level="18")


def test_invalid_zstd_compression_level() -> None:
    with pytest.raises(ConfigException):
        from_props(BROKER, compression_type="zstd", compression_zstd_level="23")


def test_invalid_inter_broker_security_protocol() -> None:
    with pytest.raises(IllegalArgumentException):
        from_props(BROKER, listeners="SSL://localhost:0", security_inter_broker_protocol="PLAINTEXT")


def test_equal_advertised_listeners_protocol() -> None:
    listeners = "PLAINTEXT://localhost:9092,SSL://localhost:9093"
    assert is_valid(BROKER, listeners=listeners, advertised_listeners=listeners)


def test_invalid_advertised_listeners_protocol() -> None:
    props = BROKER | {"listeners": "TRACE://localhost:9091,SSL://localhost:9093",
                      "advertised.listeners": "PLAINTEXT://localhost:9092"}
    assert_bad("No security protocol defined for listener TRACE", props)
    assert_bad("advertised.listeners listener names must be equal to or a subset of the ones defined in "
               "listeners",
               props, listener_security_protocol_map="PLAINTEXT:PLAINTEXT,TRACE:PLAINTEXT,SSL:SSL")


def test_inter_broker_version_message_format_compatibility() -> None:
    # Of versions that do not differ here two do: the whole square is three thousand configs.
    told_apart = [version for version, following in itertools.zip_longest(VERSIONS, VERSIONS[1:])
                  if following is None or version.short_version() != following.short_version()
                  or version is MetadataVersion.IBP_3_0_IV0 or version is MetadataVersion.IBP_0_10_0_IV0]
    for inter_broker_version in told_apart:
        for message_format_version in told_apart[::3]:
            props = {"inter.broker.protocol.version": inter_broker_version.version(),
                     "log.message.format.version": message_format_version.version()}
            if (inter_broker_version.highest_supported_record_version().value
                    >= message_format_version.highest_supported_record_version().value):
                config = from_props(BROKER, props)
                assert config.inter_broker_protocol_version() is inter_broker_version
                if inter_broker_version.is_at_least(MetadataVersion.IBP_3_0_IV1):
                    assert config.log_message_format_version() is MetadataVersion.IBP_3_0_IV1
                else:
                    assert config.log_message_format_version() is message_format_version
            else:
                with pytest.raises(IllegalArgumentException):
                    from_props(BROKER, props)


# Values that Kafka refuses, by setting; of those that are in neither table "not_a_number" and "-1".
_INVALID = {
    ("not_a_number",): """
        zookeeper.session.timeout.ms zookeeper.connection.timeout.ms broker.id
        num.replica.alter.log.dirs.threads queued.max.request.bytes request.timeout.ms
        socket.connection.setup.timeout.ms socket.connection.setup.timeout.max.ms
        initial.broker.registration.timeout.ms broker.heartbeat.interval.ms broker.session.timeout.ms
        node.id metadata.log.segment.bytes metadata.log.segment.ms metadata.max.retention.bytes
        metadata.max.retention.ms metadata.max.idle.interval.ms socket.send.buffer.bytes
        socket.receive.buffer.bytes socket.listen.backlog.size connections.max.idle.ms
        log.retention.bytes log.cleaner.io.max.bytes.per.second log.cleaner.io.buffer.load.factor
        log.cleaner.delete.retention.ms log.cleaner.min.compaction.lag.ms
        log.cleaner.max.compaction.lag.ms log.cleaner.min.cleanable.ratio
        log.flush.scheduler.interval.ms log.flush.interval.ms log.message.timestamp.difference.max.ms
        log.message.timestamp.before.max.ms log.message.timestamp.after.max.ms
        log.flush.start.offset.checkpoint.interval.ms controller.socket.timeout.ms
        default.replication.factor replica.lag.time.max.ms replica.socket.receive.buffer.bytes
        replica.fetch.max.bytes replica.fetch.wait.max.ms replica.fetch.min.bytes
        replica.fetch.response.max.bytes num.replica.fetchers
        replica.high.watermark.checkpoint.interval.ms fetch.purgatory.purge.interval.requests
        producer.purgatory.purge.interval.requests delete.records.purgatory.purge.interval.requests
        leader.imbalance.per.broker.percentage leader.imbalance.check.interval.seconds
        controlled.shutdown.max.retries controlled.shutdown.retry.backoff.ms
        group.min.session.timeout.ms group.max.session.timeout.ms group.initial.rebalance.delay.ms
        offset.metadata.max.bytes sasl.server.max.receive.size controller.quorum.election.timeout.ms
        controller.quorum.fetch.timeout.ms controller.quorum.election.backoff.max.ms
        controller.quorum.append.linger.ms controller.quorum.request.timeout.ms
        controller.quorum.retry.backoff.ms
    """.split(),
    ("not_a_boolean",): """
        zookeeper.set.acl zookeeper.ssl.client.enable zookeeper.ssl.crl.enable zookeeper.ssl.ocsp.enable
        log.cleaner.enable remote.log.storage.system.enable
    """.split(),
    ("not_a_number", "0"): """
        zookeeper.max.in.flight.requests num.network.threads num.io.threads background.threads
        queued.max.requests num.partitions log.roll.ms log.roll.hours log.retention.ms
        log.retention.minutes log.retention.hours log.retention.check.interval.ms
        log.flush.interval.messages num.recovery.threads.per.data.dir min.insync.replicas
        offsets.load.buffer.size offsets.topic.replication.factor offsets.topic.num.partitions
        offsets.topic.segment.bytes offsets.retention.minutes offsets.retention.check.interval.ms
        offsets.commit.timeout.ms quota.window.size.seconds compression.gzip.level compression.lz4.level
        delegation.token.max.lifetime.ms delegation.token.expiry.time.ms
        delegation.token.expiry.check.interval.ms
    """.split(),
    ("127.0.0.1:not_a_number",): """
        max.connections.per.ip.overrides
    """.split(),
    ("not_a_number", "-1"): """
        connection.failed.authentication.delay.ms offsets.topic.compression.codec
    """.split(),
    ("not_a_number", "11"): """
        log.segment.bytes
    """.split(),
    ("unknown_policy", "0"): """
        log.cleanup.policy
    """.split(),
    ("not_a_number", "1024"): """
        log.cleaner.dedupe.buffer.size
    """.split(),
    ("not_a_number", "3"): """
        log.index.size.max.bytes
    """.split(),
    ("not_a_boolean", "0"): """
        auto.create.topics.enable auto.leader.rebalance.enable unclean.leader.election.enable
        controlled.shutdown.enable delete.topic.enable
    """.split(),
    ("not_a_number", "-2"): """
        replica.socket.timeout.ms offsets.commit.required.acks
    """.split(),
    ("not_a_number", "0", "-1"): """
        group.max.size remote.log.index.file.cache.total.size.bytes remote.log.manager.thread.pool.size
        remote.log.manager.task.interval.ms remote.log.manager.task.retry.backoff.ms
        remote.log.manager.task.retry.backoff.max.ms remote.log.reader.threads
        remote.log.reader.max.pending.tasks group.coordinator.threads group.consumer.session.timeout.ms
        group.consumer.min.session.timeout.ms group.consumer.max.session.timeout.ms
        group.consumer.heartbeat.interval.ms group.consumer.min.heartbeat.interval.ms
        group.consumer.max.heartbeat.interval.ms group.consumer.max.size
    """.split(),
    ("not_a_number", "0", "-2"): """
        transactional.id.expiration.ms transaction.max.timeout.ms transaction.state.log.min.isr
        transaction.state.log.load.buffer.size transaction.state.log.num.partitions
        transaction.state.log.segment.bytes transaction.state.log.replication.factor
    """.split(),
    ("not_a_number", "-1", "0"): """
        metrics.num.samples metrics.sample.window.ms password.encoder.key.length
        password.encoder.iterations
    """.split(),
    ("not_a_number", "23"): """
        compression.zstd.level
    """.split(),
    ("not_a_number", "-1", "0.51"): """
        remote.log.manager.task.retry.jitter
    """.split(),
    ("not_a_number", "-3"): """
        log.local.retention.ms log.local.retention.bytes
    """.split(),
}

# Settings for which any text will do, or that have tests of their own.
_ANY_TEXT = frozenset("""
        zookeeper.connect zookeeper.clientCnxnSocket zookeeper.ssl.keystore.location
        zookeeper.ssl.keystore.password zookeeper.ssl.keystore.type zookeeper.ssl.truststore.location
        zookeeper.ssl.truststore.password zookeeper.ssl.truststore.type zookeeper.ssl.protocol
        zookeeper.ssl.enabled.protocols zookeeper.ssl.cipher.suites
        zookeeper.ssl.endpoint.identification.algorithm process.roles metadata.log.dir
        controller.listener.names authorizer.class.name create.topic.policy.class.name log.dirs log.dir
        replica.selector.class metric.reporters metrics.recording.level broker.rack
        principal.builder.class connections.max.reauth.ms ssl.protocol ssl.provider
        ssl.enabled.protocols ssl.keystore.type ssl.keystore.location ssl.keystore.password
        ssl.key.password ssl.keystore.certificate.chain ssl.keystore.key ssl.truststore.type
        ssl.truststore.password ssl.truststore.location ssl.truststore.certificates
        ssl.keymanager.algorithm ssl.trustmanager.algorithm ssl.client.auth
        ssl.endpoint.identification.algorithm ssl.secure.random.implementation ssl.cipher.suites
        ssl.principal.mapping.rules sasl.mechanism.controller.protocol
        sasl.mechanism.inter.broker.protocol sasl.enabled.mechanisms sasl.client.callback.handler.class
        sasl.server.callback.handler.class sasl.login.class sasl.login.callback.handler.class
        sasl.kerberos.service.name sasl.kerberos.kinit.cmd sasl.kerberos.ticket.renew.window.factor
        sasl.kerberos.ticket.renew.jitter sasl.kerberos.min.time.before.relogin
        sasl.kerberos.principal.to.local.rules sasl.jaas.config sasl.login.refresh.window.factor
        sasl.login.refresh.window.jitter sasl.login.refresh.min.period.seconds
        sasl.login.refresh.buffer.seconds sasl.login.connect.timeout.ms sasl.login.read.timeout.ms
        sasl.login.retry.backoff.max.ms sasl.login.retry.backoff.ms sasl.oauthbearer.scope.claim.name
        sasl.oauthbearer.sub.claim.name sasl.oauthbearer.token.endpoint.url
        sasl.oauthbearer.jwks.endpoint.url sasl.oauthbearer.jwks.endpoint.refresh.ms
        sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms
        sasl.oauthbearer.jwks.endpoint.retry.backoff.ms sasl.oauthbearer.clock.skew.seconds
        sasl.oauthbearer.expected.audience sasl.oauthbearer.expected.issuer security.providers
        password.encoder.secret password.encoder.old.secret password.encoder.keyfactory.algorithm
        password.encoder.cipher.algorithm delegation.token.master.key delegation.token.secret.key
        kafka.metrics.reporters kafka.metrics.polling.interval.secs controller.quorum.voters
        controller.quorum.bootstrap.servers remote.log.storage.manager.class.name
        remote.log.storage.manager.class.path remote.log.storage.manager.impl.prefix
        remote.log.metadata.manager.class.name remote.log.metadata.manager.class.path
        remote.log.metadata.manager.impl.prefix remote.log.metadata.manager.listener.name
        group.coordinator.new.enable group.consumer.assignors
""".split())


def test_from_props_invalid() -> None:
    base = {"zookeeper.connect": "127.0.0.1:2181"}
    from_props(base)
    by_name = {name: values for values, names in _INVALID.items() for name in names}
    assert not (by_name.keys() | _ANY_TEXT) - set(KafkaConfig.config_names())
    for name in KafkaConfig.config_names():
        if name in _ANY_TEXT:
            continue
        for value in by_name.get(name, ("not_a_number", "-1")):
            with pytest.raises(Exception):
                from_props(base, {name: value})


# A value for each setting of topics, and the broker's accessor of it.
_DYNAMIC: dict[str, tuple[str, Callable[[KafkaConfig], object]]] = {
    "cleanup.policy": ("compact", KafkaConfig.log_cleanup_policy),
    "compression.type": ("lz4", KafkaConfig.compression_type),
    "compression.gzip.level": ("5", KafkaConfig.gzip_compression_level),
    "compression.lz4.level": ("5", KafkaConfig.lz4_compression_level),
    "compression.zstd.level": ("5", KafkaConfig.zstd_compression_level),
    "segment.bytes": ("10000", KafkaConfig.log_segment_bytes),
    "segment.ms": ("10001", KafkaConfig.log_roll_time_millis),
    "delete.retention.ms": ("10002", KafkaConfig.log_cleaner_delete_retention_ms),
    "file.delete.delay.ms": ("10003", KafkaConfig.log_delete_delay_ms),
    "flush.messages": ("10004", KafkaConfig.log_flush_interval_messages),
    "flush.ms": ("10005", KafkaConfig.log_flush_interval_ms),
    "max.compaction.lag.ms": ("10006", KafkaConfig.log_cleaner_max_compaction_lag_ms),
    "index.interval.bytes": ("10007", KafkaConfig.log_index_interval_bytes),
    "max.message.bytes": ("10008", KafkaConfig.message_max_bytes),
    "message.downconversion.enable": ("false", KafkaConfig.log_message_down_conversion_enable),
    "message.timestamp.difference.max.ms": ("10009", KafkaConfig.log_message_timestamp_difference_max_ms),
    "message.timestamp.before.max.ms": ("10015", KafkaConfig.log_message_timestamp_before_max_ms),
    "message.timestamp.after.max.ms": ("10016", KafkaConfig.log_message_timestamp_after_max_ms),
    "message.timestamp.type": ("LogAppendTime", lambda config: str(config.log_message_timestamp_type())),
    "min.cleanable.dirty.ratio": ("0.01", KafkaConfig.log_cleaner_min_clean_ratio),
    "min.compaction.lag.ms": ("10010", KafkaConfig.log_cleaner_min_compaction_lag_ms),
    "min.insync.replicas": ("4", KafkaConfig.min_in_sync_replicas),
    "preallocate": ("true", KafkaConfig.log_pre_allocate_enable),
    "retention.bytes": ("10011", KafkaConfig.log_retention_bytes),
    "retention.ms": ("10012", KafkaConfig.log_retention_time_millis),
    "segment.index.bytes": ("10013", KafkaConfig.log_index_size_max_bytes),
    "segment.jitter.ms": ("10014", KafkaConfig.log_roll_time_jitter_millis),
    "unclean.leader.election.enable": ("true", KafkaConfig.unclean_leader_election_enable),
    "local.retention.ms": ("10015", KafkaConfig.log_local_retention_ms),
    "local.retention.bytes": ("10016", KafkaConfig.log_local_retention_bytes),
}


def test_dynamic_log_configs() -> None:
    props = {"zookeeper.connect": "127.0.0.1:2181", "remote.log.storage.system.enable": "true"}
    config = from_props(props)
    # The format of messages is the one that cannot change.
    synonyms = ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS
    assert _DYNAMIC.keys() == synonyms.keys() - {"message.format.version"}
    for topic_config, (value, accessor) in _DYNAMIC.items():
        initial = accessor(config)
        in_map = config.extract_log_config_map()[topic_config]
        props[ServerTopicConfigSynonyms.server_synonym(topic_config)] = value
        config.update_current_config(from_props(props))
        assert accessor(config) != initial
        assert config.extract_log_config_map()[topic_config] != in_map


def test_specific_properties() -> None:
    defaults = {
        "zookeeper.connect": "127.0.0.1:2181",
        "zookeeper.session.timeout.ms": "1234",
        "broker.id.generation.enable": "false",
        "reserved.broker.max.id": "1",
        "broker.id": "1",
        "listeners": "PLAINTEXT://127.0.0.1:1122",
        "max.connections.per.ip.overrides": "127.0.0.1:2, 127.0.0.2:3",
        "log.dir": "/tmp1,/tmp2",
        "log.roll.hours": "12",
        "log.roll.jitter.hours": "11",
        "log.retention.hours": "10",
        "log.flush.scheduler.interval.ms": "123",
        "offsets.topic.compression.codec": "2",
        "metrics.recording.level": "DEBUG",
    }
    config = from_props(defaults)
    assert config.zk_connect() == "127.0.0.1:2181"
    assert not config.broker_id_generation_enable()
    assert config.max_reserved_broker_id() == 1
    assert config.broker_id() == 1
    assert [e.connection_string() for e in config.effective_advertised_listeners()] == [
        "PLAINTEXT://127.0.0.1:1122"]
    assert config.max_connections_per_ip_overrides() == {"127.0.0.1": 2, "127.0.0.2": 3}
    assert config.log_dirs() == ["/tmp1", "/tmp2"]
    assert config.log_roll_time_millis() == 12 * HOUR_MS
    assert config.log_roll_time_jitter_millis() == 11 * HOUR_MS
    assert config.log_retention_time_millis() == 10 * HOUR_MS
    assert config.log_flush_interval_ms() == 123
    assert config.offsets_topic_compression_type() is CompressionType.SNAPPY
    assert config.metric_recording_level() == "DEBUG"
    assert not config.token_auth_enabled()
    assert config.delegation_token_max_life_ms() == 7 * 24 * HOUR_MS
    assert config.delegation_token_expiry_time_ms() == 24 * HOUR_MS
    assert config.delegation_token_expiry_check_interval_ms() == HOUR_MS
    assert from_props(defaults, delegation_token_secret_key="1234567890").token_auth_enabled()
    assert from_props(defaults, delegation_token_master_key="1234567890").token_auth_enabled()


def test_nonroutable_advertised_listeners() -> None:
    assert_bad("advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP "
               "address.",
               zookeeper_connect="127.0.0.1:2181", listeners="PLAINTEXT://0.0.0.0:9092")


def test_max_connections_per_ip_prop() -> None:
    props = BROKER | {"max.connections.per.ip": "0"}
    assert not is_valid(props)
    from_props(props, max_connections_per_ip_overrides="127.0.0.1:100")
    assert_bad("max.connections.per.ip.overrides contains invalid addresses : 127.0.0.0#", props,
               max_connections_per_ip_overrides="127.0.0.0#:100")


def test_distinct_controller_and_advertised_listeners_allowed_for_k_raft_broker() -> None:
    props = {"process.roles": "broker", "advertised.listeners": "PLAINTEXT://A:9092,SSL://B:9093",
             "controller.listener.names": "SASL_SSL", "node.id": "2",
             "controller.quorum.voters": "3@localhost:9094"}
    assert_bad("controller.listener.names must not contain a value appearing in the 'listeners' "
               "configuration when running KRaft with just the broker role", props,
               listeners="PLAINTEXT://A:9092,SSL://B:9093,SASL_SSL://C:9094")
    props["listeners"] = "PLAINTEXT://A:9092,SSL://B:9093"
    from_props(props)
    del props["advertised.listeners"]
    from_props(props)


def test_controller_listeners_cannot_be_advertised_for_k_raft_broker() -> None:
    listeners = "PLAINTEXT://A:9092,SSL://B:9093,SASL_SSL://C:9094"
    props = {"process.roles": "broker,controller", "listeners": listeners,
             "inter.broker.listener.name": "SASL_SSL",
             "controller.listener.names": "PLAINTEXT,SSL", "node.id": "2",
             "controller.quorum.voters": "2@localhost:9092"}
    assert_bad("The advertised.listeners config must not contain KRaft controller listeners from "
               "controller.listener.names when process.roles contains the broker role", props,
               advertised_listeners=listeners)
    from_props(props, advertised_listeners="SASL_SSL://C:9094")
    from_props(props)


def test_advertised_listeners_disallowed_for_k_raft_controller_only_role() -> None:
    correct = "PLAINTEXT://A:9092,SSL://B:9093"
    incorrect = "PLAINTEXT://A:9092,SSL://B:9093,SASL_SSL://C:9094"
    props = {"process.roles": "controller", "listeners": correct,
             "controller.listener.names": "PLAINTEXT,SSL",
             "node.id": "2", "controller.quorum.voters": "2@localhost:9092"}
    for advertised in (incorrect, correct):
        assert_bad("The advertised.listeners config must be empty when process.roles=controller", props,
                   advertised_listeners=advertised)
    assert_bad("The listeners config must only contain KRaft controller listeners from "
               "controller.listener.names when process.roles=controller", props, listeners=incorrect)
    assert_bad("controller.listener.names must only contain values appearing in the 'listeners' "
               "configuration when "
               "running the KRaft controller role", props, controller_listener_names="PLAINTEXT,SSL,SASL_SSL")
    from_props(props)


def test_controller_quorum_voter_strings_to_nodes() -> None:
    with pytest.raises(ConfigException):
        QuorumConfig.quorum_voter_strings_to_nodes([""])
    nodes = QuorumConfig.quorum_voter_strings_to_nodes(["3000@example.com:9093", "3001@example.com:9094"])
    assert nodes == [Node(3000, "example.com", 9093), Node(3001, "example.com", 9094)]


@pytest.mark.parametrize("voters", [
    "1", "1@", "1:", "blah@", "1@kafka1", "1@kafka1:9092,", "1@kafka1:9092,2", "1@kafka1:9092,2@",
    "1@kafka1:9092,2@blah", "1@kafka1:9092,2@blah,", "1@kafka1:9092:1@kafka2:9092",
])
def test_invalid_quorum_voter_config(voters: str) -> None:
    with pytest.raises(ConfigException):
        from_props(create_broker_config(0), controller_quorum_voters=voters)


def voter_connections(voters: str) -> dict[int, InetSocketAddress]:
    config = from_props(create_broker_config(0), controller_quorum_voters=voters)
    return QuorumConfig.parse_voter_connections(config.quorum_voters())


def test_valid_empty_quorum_voters_parsing() -> None:
    assert voter_connections("") == {}


def test_valid_quorum_voters_parsing_with_ip_address() -> None:
    assert voter_connections("1@127.0.0.1:9092") == {
        1: InetSocketAddress.create_unresolved("127.0.0.1", 9092)}


def test_valid_quorum_voters_parsing_with_multiple_host() -> None:
    assert voter_connections("1@kafka1:9092,2@kafka2:9092,3@kafka3:9092") == {
        number: InetSocketAddress.create_unresolved(f"kafka{number}", 9092) for number in (1, 2, 3)}


def test_quorum_voters_must_be_routable_when_connected_to() -> None:
    assert QuorumConfig.parse_voter_ids(["1@0.0.0.0:9092"]) == {1}
    with pytest.raises(ConfigException, match="not routeable"):
        QuorumConfig.parse_voter_connections(["1@0.0.0.0:9092"])


def test_parse_quorum_bootstrap_servers() -> None:
    config = from_props(create_broker_config(0, None),
                        controller_quorum_bootstrap_servers="kafka1:9092,kafka2:9092")
    assert QuorumConfig.parse_bootstrap_servers(config.quorum_bootstrap_servers()) == [
        InetSocketAddress.create_unresolved("kafka1", 9092), InetSocketAddress.create_unresolved("kafka2",
                                                                                                 9092)]


def test_accepts_large_node_id_for_raft_based_case() -> None:
    config = from_props(process_roles="broker", listeners="PLAINTEXT://localhost:9092",
                        controller_listener_names="SSL",
                        controller_quorum_voters="2@localhost:9093", node_id="2000")
    assert config.node_id() == 2000


def test_rejects_negative_node_id_for_raft_based_broker_case_with_auto_gen_enabled() -> None:
    assert not is_valid(process_roles="broker")


def test_rejects_negative_node_id_for_raft_based_controller_case_with_auto_gen_enabled() -> None:
    assert not is_valid(process_roles="controller")


def test_rejects_negative_node_id_for_raft_based_case_with_auto_gen_disabled() -> None:
    assert not is_valid(process_roles="broker", broker_id_generation_enable="false",
                        controller_quorum_voters="2@localhost:9093")


LISTENERS = {name: "PLAINTEXT://A:9092,SSL://B:9093,SASL_SSL://C:9094"
             for name in ("listeners", "advertised.listeners")}


def test_rejects_large_node_id_for_zk_based_case_with_auto_gen_enabled() -> None:
    assert_bad("broker.id must be greater than or equal to -1 and not greater than reserved.broker.max.id",
               create_broker_config(2000), LISTENERS)


def test_accepts_negative_one_node_id_for_zk_based_case_with_auto_gen_enabled() -> None:
    config = from_props(create_broker_config(-1), LISTENERS)
    assert config.broker_id() == -1
    assert config.generated_broker_id() == 1001
    config.set_broker_id(config.generated_broker_id())
    assert config.broker_id() == 1001


def test_rejects_negative_two_node_id_for_zk_based_case_with_auto_gen_enabled() -> None:
    assert not is_valid(create_broker_config(-2), LISTENERS, node_id="-2", broker_id="-2")


def test_accepts_large_node_id_for_zk_based_case_with_auto_gen_disabled() -> None:
    config = from_props(create_broker_config(2000), LISTENERS, broker_id_generation_enable="false")
    assert config.broker_id() == 2000


def test_rejects_negative_node_id_for_zk_based_case_with_auto_gen_disabled() -> None:
    assert not is_valid(create_broker_config(-1), listeners=LISTENERS["listeners"],
                        broker_id_generation_enable="false")


def test_zookeeper_connect_required_if_empty_process_roles() -> None:
    """Not here: that is what a single node looks like, DEVIATION D65."""
    config = from_props(process_roles="", listeners="PLAINTEXT://127.0.0.1:9092")
    assert config.zk_connect() is None
    assert config.node_id() == config.broker_id() == SINGLE_NODE_ID


def test_zookeeper_connect_not_required_if_non_empty_process_roles() -> None:
    config = from_props(process_roles="broker", listeners="PLAINTEXT://127.0.0.1:9092",
                        controller_listener_names="SSL",
                        node_id="1", controller_quorum_voters="2@localhost:9093")
    assert config.zk_connect() is None


def test_custom_metadata_log_dir() -> None:
    config = from_props(KRAFT, metadata_log_dir="/path/to/metadata/dir", log_dir="/path/to/data/dir")
    assert config.metadata_log_dir() == "/path/to/metadata/dir"
    assert config.log_dirs() == ["/path/to/data/dir"]


def test_default_metadata_log_dir() -> None:
    config = from_props(KRAFT, log_dir="/path/to/data/dir/1,/path/to/data/dir/2")
    assert config.metadata_log_dir() == "/path/to/data/dir/1"
    assert config.log_dirs() == ["/path/to/data/dir/1", "/path/to/data/dir/2"]


def test_populate_synonyms_on_empty_map() -> None:
    assert KafkaConfig.populate_synonyms({}) == {}


def test_populate_synonyms_on_map_without_node_id() -> None:
    assert KafkaConfig.populate_synonyms({"broker.id": "4"}) == {"broker.id": "4", "node.id": "4"}


def test_populate_synonyms_on_map_without_broker_id() -> None:
    assert KafkaConfig.populate_synonyms({"node.id": "4"}) == {"broker.id": "4", "node.id": "4"}


def test_node_id_must_not_be_different_than_broker_id() -> None:
    with pytest.raises(ConfigException) as e:
        from_props(broker_id="1", node_id="2")
    assert str(e.value) == "You must set `node.id` to the same value as `broker.id`."


def test_node_id_or_broker_id_must_be_set_with_kraft() -> None:
    with pytest.raises(ConfigException) as e:
        from_props(process_roles="broker", controller_quorum_voters="2@localhost:9093")
    assert str(e.value) == ("Missing configuration `node.id` which is required when `process.roles` is "
                            "defined (i.e. when running in KRaft mode).")


def verify_inferred(name: str) -> None:
    props = {key: value for key, value in KRAFT.items() if key != "node.id"}
    config = from_props(props, {name: "3"})
    assert config.broker_id() == config.node_id() == 3
    assert config.originals()["broker.id"] == config.originals()["node.id"] == "3"


def test_node_id_is_inferred_by_broker_id_with_kraft() -> None:
    verify_inferred("broker.id")


def test_broker_id_is_inferred_by_node_id_with_kraft() -> None:
    verify_inferred("node.id")


def test_sasl_jwks_endpoint_retry_defaults() -> None:
    config = from_props(zookeeper_connect="localhost:2181")
    assert config.get_long("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms") == 100
    assert config.get_long("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms") == 10_000


def test_invalid_authorizer_class_name() -> None:
    with pytest.raises(ConfigException, match="authorizer.class.name"):
        KafkaConfig.apply({**BROKER, "authorizer.class.name": None}, False)


def test_invalid_security_inter_broker_protocol() -> None:
    with pytest.raises(ConfigException, match="security.inter.broker.protocol"):
        from_props(BROKER, security_inter_broker_protocol="abc")


def test_early_start_listeners_default() -> None:
    config = from_props(
        process_roles="controller", controller_listener_names="CONTROLLER", listeners="CONTROLLER://:8092",
        node_id="1", controller_quorum_voters="1@localhost:9093")
    assert config.early_start_listeners() == {ListenerName("CONTROLLER")}


def test_early_start_listeners() -> None:
    config = from_props(
        KRAFT, early_start_listeners="INTERNAL,INTERNAL2", inter_broker_listener_name="INTERNAL",
        listener_security_protocol_map="INTERNAL:PLAINTEXT,INTERNAL2:PLAINTEXT,CONTROLLER:PLAINTEXT",
        listeners="INTERNAL://127.0.0.1:9092,INTERNAL2://127.0.0.1:9093")
    assert config.early_start_listeners() == {ListenerName("INTERNAL"), ListenerName("INTERNAL2")}


def test_early_start_listeners_must_be_listeners() -> None:
    with pytest.raises(ConfigException) as e:
        from_props(KRAFT, early_start_listeners="INTERNAL")
    assert str(e.value) == ("early.start.listeners contains listener INTERNAL, but this is not contained in "
                            "listeners or controller.listener.names")


def test_ignore_user_inter_broker_protocol_version_k_raft() -> None:
    for version in ("3.0", "3.1", "3.2"):
        config = from_props(KRAFT, inter_broker_protocol_version=version)
        assert config.inter_broker_protocol_version() is MINIMUM_KRAFT_VERSION


def test_invalid_inter_broker_protocol_version_k_raft() -> None:
    with pytest.raises(ConfigException) as e:
        from_props(KRAFT, inter_broker_protocol_version="2.8")
    assert str(e.value) == ("A non-KRaft version 2.8 given for inter.broker.protocol.version. "
                            "The minimum version is 3.0-IV1")


def test_default_inter_broker_protocol_version_k_raft() -> None:
    assert from_props(KRAFT).inter_broker_protocol_version() is MINIMUM_KRAFT_VERSION


def test_metadata_max_snapshot_interval() -> None:
    config = from_props(KRAFT, metadata_log_max_snapshot_interval_ms="100")
    assert config.get_long("metadata.log.max.snapshot.interval.ms") == 100
    with pytest.raises(ConfigException) as e:
        from_props(KRAFT, metadata_log_max_snapshot_interval_ms="-1")
    assert str(e.value) == ("Invalid value -1 for configuration metadata.log.max.snapshot.interval.ms: "
                            "Value must be at least 0")


def message(*props: Props) -> str:
    with pytest.raises(REFUSED) as e:
        from_props(*props)
    return str(e.value)


def test_migration_enabled_zk_mode() -> None:
    props = create_broker_config(1) | {"zookeeper.metadata.migration.enable": "true"}
    assert message(props) == ("If using zookeeper.metadata.migration.enable, controller.quorum.voters must "
                              "contain a parseable set of voters.")
    props["controller.quorum.voters"] = "3000@localhost:9093"
    assert message(props) == ("requirement failed: controller.listener.names must not be empty when running "
                              "in ZooKeeper migration mode: []")
    props["controller.listener.names"] = "CONTROLLER"
    from_props(props)
    props["authorizer.class.name"] = "kafka.security.authorizer.AclAuthorizer"
    from_props(props)
    props["inter.broker.protocol.version"] = "3.3-IV0"
    assert message(props) == ("requirement failed: Cannot enable ZooKeeper migration without setting "
                              "'inter.broker.protocol.version' to 3.4 or higher")
    del props["zookeeper.metadata.migration.enable"]
    assert message(props) == ("requirement failed: controller.listener.names must be empty when not running "
                              "in KRaft mode: [CONTROLLER]")
    del props["controller.listener.names"]
    from_props(props)


def test_migration_cannot_be_enabled_with_jbod() -> None:
    assert message(create_broker_config(1, log_dir_count=2), {
        "zookeeper.metadata.migration.enable": "true", "controller.quorum.voters": "3000@localhost:9093",
        "controller.listener.names": "CONTROLLER", "inter.broker.protocol.version": "3.7-IV1",
    }) == ("requirement failed: Cannot enable ZooKeeper migration with multiple log directories (aka JBOD) "
           "without setting 'inter.broker.protocol.version' to 3.7-IV2 or higher")


def test_migration_enabled_k_raft_mode() -> None:
    props = KRAFT | {"zookeeper.metadata.migration.enable": "true"}
    assert message(props) == ("If using `zookeeper.metadata.migration.enable` in KRaft mode, "
                              "`zookeeper.connect` must also be set.")
    from_props(props, zookeeper_connect="localhost:2181")


def verify_consumer_group_range(subject: str) -> None:
    def props(minimum: str, value: str, maximum: str) -> Props:
        return {f"group.consumer.min.{subject}.ms": minimum, f"group.consumer.{subject}.ms": value,
                f"group.consumer.max.{subject}.ms": maximum}

    from_props(KRAFT, props("10", "15", "20"))
    for bad in (props("20", "15", "10"), props("10", "5", "20"), props("10", "25", "20")):
        with pytest.raises(IllegalArgumentException):
            from_props(KRAFT, bad)


def test_consumer_group_session_timeout_validation() -> None:
    verify_consumer_group_range("session.timeout")


def test_consumer_group_heartbeat_interval_validation() -> None:
    verify_consumer_group_range("heartbeat.interval")


def test_group_coordinator_rebalance_protocols() -> None:
    both = {"group.coordinator.rebalance.protocols": "classic,consumer"}
    with pytest.raises(ConfigException, match="only supported in KRaft cluster"):
        from_props(ZK | both)
    # D309
    assert from_props(both).is_new_group_coordinator_enabled()
    for protocols in ("foo", "consumer"):
        with pytest.raises(ConfigException):
            from_props(KRAFT, group_coordinator_rebalance_protocols=protocols)
    config = from_props(KRAFT, both)
    assert config.group_coordinator_rebalance_protocols() == {GroupType.CLASSIC, GroupType.CONSUMER}
    assert config.is_new_group_coordinator_enabled()
    assert not from_props(KRAFT).is_new_group_coordinator_enabled()


def test_consumer_group_migration_policy() -> None:
    with pytest.raises(ConfigException):
        from_props(KRAFT, group_consumer_migration_policy="foo")
    for policy in ConsumerGroupMigrationPolicy:
        for text in (str(policy), str(policy).upper()):
            config = from_props(KRAFT, group_consumer_migration_policy=text)
            assert config.consumer_group_migration_policy() is policy


def test_single_log_directory_with_remote_log_storage() -> None:
    for log_dirs in ("/tmp/a", "/tmp/a,/tmp/b"):
        config = from_props(BROKER, remote_log_storage_system_enable="true", log_dirs=log_dirs)
        assert config.log_dirs() == log_dirs.split(",")


# Beyond KafkaConfigTest.

def table(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("# ")]


def default_text(value: object) -> str:
    if isinstance(value, type):
        return value.__name__
    return java_text(value)


def test_the_definitions_are_those_of_kafka() -> None:
    rows = table("config_def_3_8_0.tsv")
    assert len(rows) == 313
    keys = KafkaConfig.config_keys()
    assert list(keys) == [row[0] for row in rows]
    for name, type_, default, validator, importance, internal in rows:
        key = keys[name]
        java_type, _, text = default.partition("|")
        expected: object = None
        if java_type in ("Integer", "Long", "Short"):
            expected = int(text)
        elif java_type == "Double":
            expected = float(text)
        elif java_type == "Boolean":
            expected = text == "true"
        elif java_type == "Class":
            expected = text.rpartition(".")[2]
        elif java_type != "null":
            expected = text
        actual = key._default_value
        if isinstance(actual, (list, type)):
            actual = default_text(actual)
        assert (actual, type(actual)) == (expected, type(expected)), name
        assert key._type.name == type_, name
        assert java_text(key._validator) == validator, name
        assert key._importance.name == importance, name
        assert java_text(key._internal_config) == internal, name


def test_the_definitions_of_topics_are_those_of_kafka() -> None:
    rows = table("topic_config_def_3_8_0.tsv")
    keys = LogConfig.config_keys()
    assert list(keys) == [row[0] for row in rows]
    for name, *expected in rows:
        key = keys[name]
        actual = [key._type.name, java_text(key._default_value), java_text(key._validator),
                  key._importance.name,
                  java_text(LogConfig.server_config_name(name))]
        assert actual == expected, name


@pytest.mark.parametrize("text, node_id", [
    ("listeners=PLAINTEXT://:9092\n", SINGLE_NODE_ID),
    ("", SINGLE_NODE_ID),
    ("listeners=PLAINTEXT://:9092\nnode.id=7\n", 7),
    ("broker.id=0\nzookeeper.connect=localhost:2181\nlog.dirs=/tmp/kafka-logs\n", 0),
    ("zookeeper.connect=localhost:2181\n", -1),
    ("process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@localhost:9093\n"
     "listeners=PLAINTEXT://:9092,CONTROLLER://:9093\ninter.broker.listener.name=PLAINTEXT\n"
     "advertised.listeners=PLAINTEXT://localhost:9092\ncontroller.listener.names=CONTROLLER\n", 1),
])
def test_files_of_all_flavours_load(text: str, node_id: int) -> None:
    config = KafkaConfig.from_props(load_properties(text), False)
    assert config.node_id() == config.broker_id() == node_id
    assert [e.listener_name().value() for e in config.data_plane_listeners()] == ["PLAINTEXT"]


def test_a_single_node_is_not_given_an_id_that_its_file_names() -> None:
    assert from_props(listeners="PLAINTEXT://:9092", broker_id="5").node_id() == 5
    assert_bad("broker.id must be greater than or equal to -1", listeners="PLAINTEXT://:9092", node_id="-5")


def test_values_of_a_listener_come_before_those_of_all() -> None:
    config = from_props(ZK, {"ssl.keystore.type": "PKCS12", "listener.name.external.ssl.keystore.type": "PEM",
                             "listener.name.external.plain.sasl.jaas.config": "x required;"})
    values = config.values_with_prefix_override("listener.name.external.")
    assert values["ssl.keystore.type"] == "PEM"
    assert values["plain.sasl.jaas.config"] == Password("x required;")
    assert config.values_with_prefix_override("listener.name.other.")["ssl.keystore.type"] == "PKCS12"


@pytest.mark.parametrize("type_, name, hidden", [
    (ConfigResource.Type.BROKER, "num.io.threads", False),
    (ConfigResource.Type.BROKER, "ssl.key.password", True),
    (ConfigResource.Type.BROKER, "listener.name.external.ssl.key.password", True),
    (ConfigResource.Type.BROKER, "listener.name.external.ssl.keystore.type", False),
    (ConfigResource.Type.BROKER, "leader.replication.throttled.rate", False),
    (ConfigResource.Type.BROKER, "nobody.knows", True),
    (ConfigResource.Type.TOPIC, "retention.ms", False),
    (ConfigResource.Type.TOPIC, "nobody.knows", True),
    (ConfigResource.Type.BROKER_LOGGER, "nobody.knows", False),
    (ConfigResource.Type.CLIENT_METRICS, "nobody.knows", False),
    (ConfigResource.Type.UNKNOWN, "num.io.threads", True),
])
def test_loggable_value(type_: ConfigResource.Type, name: str, hidden: bool) -> None:
    assert KafkaConfig.loggable_value(type_, name, "value") == (Password.HIDDEN if hidden else "value")


def test_the_values_of_a_new_config_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    KafkaConfig.from_props(ZK, True)
    logged = [record for record in caplog.records if "KafkaConfig values" in record.getMessage()]
    assert len(logged) == 1


def test_mock_zk_connect_is_never_connected_to() -> None:
    assert from_props(create_broker_config(0)).zk_connect() == MOCK_ZK_CONNECT
