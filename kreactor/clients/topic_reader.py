# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads topics without a consumer group: partitions, offsets, records.

Not a port: Kafka's consumer is out of scope. Requests go over a NetworkClient, one at a time. Each broker has
a fetch session. After a leader change or a broken connection, a call requests the metadata and tries again,
until its timeout.

Owner: one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.client_utils import ClientUtils
from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.default_host_resolver import DefaultHostResolver
from kreactor.clients.fetch_session_handler import FetchSessionHandler
from kreactor.clients.manual_metadata_updater import ManualMetadataUpdater
from kreactor.clients.network_client_utils import NetworkClientUtils
from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.errors import DisconnectException, RetriableException, UnknownTopicOrPartitionException
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.list_offsets_response import ListOffsetsResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.jdk.nio_buffer import ByteBuffer

R = TypeVar("R")
# Returns the records of a batch from an offset on, or the batch itself.
_Decode = Callable[[RecordBatch, int], Iterable[Any]]
T = TypeVar("T", bound=AbstractResponse)

DEFAULT_TIMEOUT_MS = 30_000
# The pause before a retry.
_RETRY_MS = 100
# The maximum bytes of a fetch, unless its first batch is larger; the broker's maximum wait for a first byte.
_FETCH_BYTES = 4 << 20
_FETCH_WAIT_MS = 500
# The last version of Fetch with topic names.
_LAST_WITH_NAMES = 12
# One request is in flight at a time.
_IN_FLIGHT = 1


class TopicReaderConfig(AbstractConfig):
    """The settings of a TopicReader, with the names and defaults of Kafka's consumer.

    ``request.timeout.ms`` also limits the retries of a call.
    """

    ISOLATION_LEVEL_CONFIG = "isolation.level"

    CONFIG = (
        ConfigDef()
        .define(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, ConfigDef.Type.LIST, ConfigDef.NO_DEFAULT_VALUE,
                ConfigDef.NonNullValidator(), ConfigDef.Importance.HIGH,
                "The reader asks these addresses, host:port, for the cluster at first, and whenever it has "
                "lost all brokers.")
        .define(CommonClientConfigs.CLIENT_ID_CONFIG, ConfigDef.Type.STRING, "kreactor",
                ConfigDef.Importance.LOW, "The client has this name in requests, logs, metrics and quotas.")
        .define(CommonClientConfigs.CLIENT_DNS_LOOKUP_CONFIG, ConfigDef.Type.STRING, "use_all_dns_ips",
                ConfigDef.ValidString.in_("use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"),
                ConfigDef.Importance.MEDIUM,
                "The reader tries each address of a host (use_all_dns_ips), or expands the bootstrap hosts "
                "to canonical names (resolve_canonical_bootstrap_servers_only).")
        .define(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, ConfigDef.Type.INT, DEFAULT_TIMEOUT_MS,
                ConfigDef.Range.at_least(0), ConfigDef.Importance.MEDIUM,
                "The reader gives up a response, and the retries of a call, after this many milliseconds.")
        .define(ISOLATION_LEVEL_CONFIG, ConfigDef.Type.STRING, "read_uncommitted",
                ConfigDef.ValidString.in_("read_uncommitted", "read_committed"), ConfigDef.Importance.MEDIUM,
                "The reader returns records of open and aborted transactions (read_uncommitted), or leaves "
                "them out (read_committed).")
        .define(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG, ConfigDef.Type.LONG, 50,
                ConfigDef.Range.at_least(0), ConfigDef.Importance.LOW,
                "The client waits this many milliseconds before it connects to a node for the second time.")
        .define(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, ConfigDef.Type.LONG, 1000,
                ConfigDef.Range.at_least(0), ConfigDef.Importance.LOW,
                "The waits between connection attempts to a node grow up to this many milliseconds.")
        .define(CommonClientConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG, ConfigDef.Type.LONG, 9 * 60 * 1000,
                ConfigDef.Importance.MEDIUM,
                "The client closes a connection that is idle for this many milliseconds.")
        .define(CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, ConfigDef.Type.LONG,
                CommonClientConfigs.DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MS, ConfigDef.Importance.MEDIUM,
                "The first attempt of a client to connect to a node may take this many milliseconds.")
        .define(CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, ConfigDef.Type.LONG,
                CommonClientConfigs.DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS,
                ConfigDef.Importance.MEDIUM,
                "The time for an attempt of a client to connect grows with each failure, up to this many "
                "milliseconds.")
        .define(CommonClientConfigs.SEND_BUFFER_CONFIG, ConfigDef.Type.INT, 128 << 10,
                ConfigDef.Range.at_least(CommonClientConfigs.SEND_BUFFER_LOWER_BOUND),
                ConfigDef.Importance.MEDIUM,
                "Connections of the client have an SO_SNDBUF of this many bytes; -1 leaves it to the "
                "system.")
        .define(CommonClientConfigs.RECEIVE_BUFFER_CONFIG, ConfigDef.Type.INT, 64 << 10,
                ConfigDef.Range.at_least(CommonClientConfigs.RECEIVE_BUFFER_LOWER_BOUND),
                ConfigDef.Importance.MEDIUM,
                "Connections of the client have an SO_RCVBUF of this many bytes; -1 leaves it to the "
                "system.")
        .define(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, ConfigDef.Type.STRING,
                CommonClientConfigs.DEFAULT_METADATA_RECOVERY_STRATEGY, ConfigDef.Importance.LOW,
                "In Kafka, this says whether a client without reachable brokers bootstraps again, which the "
                "reader always does.")
        .define(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, ConfigDef.Type.STRING,
                CommonClientConfigs.DEFAULT_SECURITY_PROTOCOL,
                ConfigDef.CaseInsensitiveValidString.in_(*SecurityProtocol.names()),
                ConfigDef.Importance.MEDIUM,
                "The client speaks this protocol with brokers: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.")
        .with_client_ssl_support().with_client_sasl_support())

    def __init__(self, settings: Mapping[str, Any]) -> None:
        """Check ``settings``. Raises ConfigException."""
        super().__init__(self.CONFIG, settings, do_log=False)
        CommonClientConfigs.post_validate_sasl_mechanism_config(self)


class _Topic(NamedTuple):
    """A topic's id, and the leaders of its partitions, None for a partition without one."""

    id: Uuid
    leaders: Mapping[int, Node | None]


class Fetched(NamedTuple):
    """A record of a topic, decompressed; its timestamp is in milliseconds."""

    offset: int
    timestamp: int
    timestamp_type: TimestampType
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


class Polled(NamedTuple):
    """The records of one partition from one fetch."""

    records: list[Fetched]
    # The offset after these records; it skips markers.
    next_offset: int
    high_watermark: int
    # The first offset of an open transaction, or the high watermark.
    last_stable_offset: int


class TopicReader:
    """A reader of the topics of one cluster. The owner must close it."""

    def __init__(self, settings: Mapping[str, Any], time: Time = Time.SYSTEM) -> None:
        """Store the settings of TopicReaderConfig; nothing is connected yet.

        Raises ConfigException for invalid settings, KafkaException for conflicting ones.
        """
        config = TopicReaderConfig(settings)
        self._isolation = IsolationLevel[
            (config.get_string(TopicReaderConfig.ISOLATION_LEVEL_CONFIG) or "").upper()]
        self._timeout_ms = config.get_int(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG)
        self._time = time
        self._log_context = LogContext("[TopicReader] ")
        self._bootstrap = [
            Node(-1 - i, address.get_host_string(), address.get_port())
            for i, address in enumerate(ClientUtils.parse_and_validate_addresses(config))]
        self._metadata_updater = ManualMetadataUpdater(self._bootstrap)
        self._metrics = Metrics(time=time)
        try:
            self._client = ClientUtils.create_network_client_host_resolver(
                config, config.get_string(CommonClientConfigs.CLIENT_ID_CONFIG), self._metrics, "reader",
                self._log_context, ApiVersions(), time, _IN_FLIGHT, self._timeout_ms, self._metadata_updater,
                DefaultHostResolver())
        except BaseException:
            self._metrics.close()
            raise
        self._topics: dict[str, _Topic] = {}
        # By the id of a broker.
        self._sessions: dict[int, FetchSessionHandler] = {}
        # The last high watermark and last stable offset that the brokers returned.
        self._ends: dict[TopicPartition, tuple[int, int]] = {}

    def isolation(self) -> IsolationLevel:
        """Return the isolation level: whether records of open and aborted transactions are read."""
        return self._isolation

    def topics(self, with_internal: bool = True) -> list[str]:
        """Return the names of all topics, or of those that are not internal. Raises as ``partitions``."""
        return sorted(each.topic() for each in self._retry(
            lambda: self._metadata(MetadataRequest.Builder.all_topics())).topic_metadata()
            if with_internal or not each.is_internal())

    def partitions(self, topic: str, create: bool = False) -> list[int]:
        """Return the current partitions of a topic; with ``create`` a broker may create the topic.

        Raises UnknownTopicOrPartitionException. Like every method, raises a KafkaException for a broker's
        error, an AuthenticationException if authentication fails, and the last failure after the timeout.
        """
        self._topics.pop(topic, None)
        return sorted(self._retry(lambda: self._topic(topic, create)).leaders)

    def offsets(self, topic: str, timestamps: Mapping[int, int]) -> dict[int, int]:
        """Return, by partition, the offset of the first record that is not before a time, or -1.

        Times are in milliseconds since 1970, or ``ListOffsetsRequest.EARLIEST_TIMESTAMP`` for the start, or
        ``LATEST_TIMESTAMP`` for the end.
        """
        return self._retry(lambda: self._list_offsets(topic, timestamps))

    def records(self, topic: str, partition: int, begin: int, end: int) -> Iterator[list[Fetched]]:
        """Yield the records from offset ``begin`` to before ``end``, as they are fetched.

        Raises OffsetOutOfRangeException if the first records are deleted, or do not exist yet. Offsets of
        markers and of compacted records have no record.
        """
        for polled in self._polls(topic, partition, begin, end, decoded):
            found = [each for each in polled.records if each.offset < end]
            if found:
                yield found

    def batches(self, topic: str, partition: int, begin: int, end: int) -> Iterator[list[RecordBatch]]:
        """Yield the batches of the same records, still compressed, without control batches.

        The first and the last one may also have records that are not asked for. Raises as ``records``.
        """
        for polled in self._polls(topic, partition, begin, end, lambda batch, _: (batch,)):
            batches: list[Any] = [*polled.records]
            if batches:
                yield batches

    def _polls(self, topic: str, partition: int, begin: int, end: int, decode: _Decode) -> Iterator[Polled]:
        at = TopicPartition(topic, partition)
        while begin < end:
            asked = {at: begin}
            polled = self._retry(lambda: self._poll(asked, decode))[at]
            begin = polled.next_offset
            yield polled
            if not polled.records and polled.high_watermark <= begin < end:
                raise _exception(Errors.OFFSET_OUT_OF_RANGE, f"{at} ends at {begin}")

    def poll(self, offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, Polled]:
        """Fetch once from each of these offsets; wait for new records for at most half a second.

        Raises OffsetOutOfRangeException if there is no such offset.
        """
        return self._retry(lambda: self._poll(offsets, decoded))

    def close(self) -> None:
        """Close the connections; brokers drop their fetch sessions themselves."""
        self._client.close()
        self._metrics.close()

    # -- single attempts ------------------------------------------------------------------------------

    def _retry(self, call: Callable[[], R]) -> R:
        """Repeat ``call`` until it returns a result.

        Raises a permanent failure, or the last failure after the timeout.
        """
        deadline = self._time.milliseconds() + self._timeout_ms
        while True:
            try:
                return call()
            except UnknownTopicOrPartitionException:
                self._topics.clear()
                raise
            except RetriableException:
                # The nodes may have changed as well as the leaders.
                self._topics.clear()
                self._metadata_updater.set_nodes(self._bootstrap)
                if self._time.milliseconds() >= deadline:
                    raise
            self._time.sleep(_RETRY_MS)

    def _send(self, node: Node, builder: AbstractRequest.Builder[AbstractRequest],
              response_class: type[T], wait_ms: int = 0) -> tuple[T, int]:
        """Send a request to ``node``; return the response, and its version.

        Raises DisconnectException without a connection, AuthenticationException, UnsupportedVersionException.
        """
        try:
            # A wait for a node does not end with the node's throttle time.
            while delay_ms := self._client.throttle_delay_ms(node, now := self._time.milliseconds()):
                self._client.poll(delay_ms, now)
            if not NetworkClientUtils.await_ready(self._client, node, self._time, self._timeout_ms):
                raise DisconnectException(f"{node} is not ready after {self._timeout_ms} ms")
            request = self._client.new_client_request(
                node.id_string(), builder, self._time.milliseconds(), True, self._timeout_ms + wait_ms, None)
            response = NetworkClientUtils.send_and_receive(self._client, request, self._time)
        except OSError as e:
            raise DisconnectException(f"{node.host()}:{node.port()}: {e}") from e
        except BaseException:
            # Otherwise the response would be taken for a later request's.
            self._client.disconnect(node.id_string())
            raise
        body = response.response_body()
        assert isinstance(body, response_class)
        return body, response.request_header().api_version()

    def _metadata(self, builder: MetadataRequest.Builder) -> MetadataResponse:
        """Request metadata from any available broker, and store all brokers."""
        node = self._client.least_loaded_node(self._time.milliseconds()).node()
        if node is None:
            addresses = ", ".join(f"{each.host()}:{each.port()}" for each in self._bootstrap)
            raise DisconnectException(f"no broker can be reached: {addresses}")
        response, _ = self._send(node, builder, MetadataResponse)
        if response.brokers():
            self._metadata_updater.set_nodes(list(response.brokers()))
        return response

    def _topic(self, topic: str, create: bool = False) -> _Topic:
        known = self._topics.get(topic)
        if known is None:
            response = self._metadata(MetadataRequest.Builder.for_topics([topic], create))
            for error in response.errors().values():
                # A broker that creates a topic returns this error until the topic exists.
                making = create and error is Errors.UNKNOWN_TOPIC_OR_PARTITION
                raise _exception(Errors.LEADER_NOT_AVAILABLE if making else error, topic)
            [found] = response.topic_metadata()
            brokers = response.brokers_by_id()
            known = self._topics[topic] = _Topic(found.topic_id(), {
                each.partition(): None if each.leader_id is None else brokers.get(each.leader_id)
                for each in found.partition_metadata()})
        return known

    def leader(self, at: TopicPartition) -> Node:
        """Return the known leader of a partition, for a single attempt of a call.

        Raises UnknownTopicOrPartitionException, or LeaderNotAvailableException if it has no leader.
        """
        leaders = self._topic(at.topic()).leaders
        if at.partition() not in leaders:
            raise _exception(Errors.UNKNOWN_TOPIC_OR_PARTITION, str(at))
        node = leaders[at.partition()]
        if node is None:
            raise _exception(Errors.LEADER_NOT_AVAILABLE, str(at))
        return node

    def _list_offsets(self, topic: str, timestamps: Mapping[int, int]) -> dict[int, int]:
        by_leader: dict[Node, list[int]] = {}
        for partition in timestamps:
            by_leader.setdefault(self.leader(TopicPartition(topic, partition)), []).append(partition)
        found = {}
        for leader, partitions in by_leader.items():
            builder = ListOffsetsRequest.Builder.for_consumer(True, self._isolation, False)
            builder.set_target_times([ListOffsetsRequestData.ListOffsetsTopic(name=topic, partitions=[
                ListOffsetsRequestData.ListOffsetsPartition(partition_index=each, timestamp=timestamps[each])
                for each in partitions])])
            response, _ = self._send(leader, builder, ListOffsetsResponse)
            for each in response.data().topics[0].partitions:
                _check(each.error_code, f"{topic}-{each.partition_index}")
                found[each.partition_index] = each.offset
        return found

    # -- fetches -----------------------------------------------------------------------------------

    def _poll(self, offsets: Mapping[TopicPartition, int],
              decode: _Decode) -> dict[TopicPartition, Polled]:
        by_leader: dict[Node, list[TopicPartition]] = {}
        for at in offsets:
            by_leader.setdefault(self.leader(at), []).append(at)
        polled = {}
        for leader, partitions in by_leader.items():
            fetched = self._fetch(leader, {at: offsets[at] for at in partitions},
                                  _FETCH_WAIT_MS // len(by_leader))
            for at in partitions:
                if at in fetched:
                    data = fetched[at]
                    self._ends[at] = data.high_watermark, data.last_stable_offset
                    polled[at] = self._polled(data, offsets[at], decode)
                else:
                    # A session omits a partition without news, and so does a broker that throttles.
                    polled[at] = Polled([], offsets[at], *self._ends.get(at, (offsets[at], offsets[at])))
        return polled

    def _polled(self, data: FetchResponseData.PartitionData, begin: int, decode: _Decode) -> Polled:
        """Return a response's records from offset ``begin`` on, or what else ``decode`` makes of batches."""
        found: list[Any] = []
        aborted = _Aborted(data.aborted_transactions or ())
        reached = begin
        for batch in FetchResponse.records_or_fail(data).batches():
            aborted.start_up_to(batch.last_offset())
            if batch.is_control_batch():
                aborted.end(batch.producer_id(), next(iter(batch)))
            elif not (self._isolation is IsolationLevel.READ_COMMITTED and batch.is_transactional()
                      and aborted.has(batch.producer_id())):
                found += decode(batch, begin)
            reached = max(reached, batch.next_offset())
        return Polled(found, reached, data.high_watermark, data.last_stable_offset)

    def _fetch(self, leader: Node, offsets: Mapping[TopicPartition, int],
               wait_ms: int) -> dict[TopicPartition, FetchResponseData.PartitionData]:
        """Return a leader's response by partition, without the partitions that have no news."""
        session = self._sessions.get(leader.id())
        if session is None:
            session = self._sessions[leader.id()] = FetchSessionHandler(self._log_context, leader.id())
        wanted = session.new_builder()
        for at, offset in offsets.items():
            wanted.add(at, FetchRequest.PartitionData(
                self._topic(at.topic()).id, offset, FetchRequest.INVALID_LOG_START_OFFSET, _FETCH_BYTES,
                None))
        data = wanted.build()
        builder = FetchRequest.Builder.for_consumer(
            ApiKeys.FETCH.latest_version() if data.can_use_topic_ids() else _LAST_WITH_NAMES, wait_ms, 1,
            data.to_send())
        builder.isolation_level(self._isolation)
        builder.metadata_set(data.metadata()).removed_set(data.to_forget()).replaced_set(data.to_replace())
        try:
            response, version = self._send(leader, builder, FetchResponse, wait_ms)
        except BaseException as e:
            session.handle_error(e)
            raise
        if not session.handle_response(response, version):
            _check(response.data().error_code, str(leader))
            # A broker that throttles has made no session, or its response has other partitions.
            return {}
        found = dict(response.response_data(session.session_topic_names(), version))
        for at, each in found.items():
            _check(each.error_code, f"{at} at {offsets[at]}")
        return found


def decoded(batch: RecordBatch, begin: int) -> Iterator[Fetched]:
    """Yield the records of a batch from offset ``begin`` on."""
    type_ = batch.timestamp_type()
    for record in batch:
        if record.offset() >= begin:
            yield Fetched(record.offset(), record.timestamp(), type_, _bytes(record.key()),
                          _bytes(record.value()),
                          tuple((header.key(), header.value()) for header in record.headers()))


def _bytes(buffer: ByteBuffer | None) -> bytes | None:
    return None if buffer is None else bytes(buffer.view())


class _Aborted:
    """Tells which batches belong to aborted transactions; batches are checked in the order of the log."""

    def __init__(self, aborted: Collection[FetchResponseData.AbortedTransaction]) -> None:
        self._waiting = sorted(aborted, key=lambda one: one.first_offset, reverse=True)
        self._producers: set[int] = set()

    def start_up_to(self, offset: int) -> None:
        """Activate the aborted transactions that start up to an offset."""
        while self._waiting and self._waiting[-1].first_offset <= offset:
            self._producers.add(self._waiting.pop().producer_id)

    def has(self, producer_id: int) -> bool:
        """Return whether the producer's transaction at this point was aborted."""
        return producer_id in self._producers

    def end(self, producer_id: int, marker: Record) -> None:
        """End a producer's transaction."""
        key = marker.key()
        if key is not None and ControlRecordType.parse(key) is ControlRecordType.ABORT:
            self._producers.discard(producer_id)


def _check(code: int, what: str) -> None:
    if code:
        raise _exception(Errors.for_code(code), what)


def _exception(error: Errors, what: str) -> Exception:
    return error.exception(f"{what}: {error.message()}") or KafkaException(what)
