# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.ProducerConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings of a producer: names, types, defaults, limits and conflicts."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar

from kreactor.clients.client_dns_lookup import ClientDnsLookup
from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.metadata_recovery_strategy import MetadataRecoveryStrategy
from kreactor.common.compress.gzip_compression import GzipCompression
from kreactor.common.compress.lz4_compression import Lz4Compression
from kreactor.common.compress.zstd_compression import ZstdCompression
from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.security_config import SecurityConfig
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.serialization.serializer import Serializer
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.numbers import NumberFormatException, parse_integer

log = LogContext().logger(f"{__name__}.ProducerConfig")

_INT_MAX_VALUE = 2**31 - 1

Type = ConfigDef.Type
Importance = ConfigDef.Importance
at_least = ConfigDef.Range.at_least
between = ConfigDef.Range.between
in_ = ConfigDef.ValidString.in_


class ProducerConfig(AbstractConfig):
    """The settings of one producer. Read by any thread.

    :origin: clients.producer.ProducerConfig
    """

    # Made below the names, and never changed afterwards.
    # :origin: clients.producer.ProducerConfig#CONFIG
    _CONFIG: ClassVar[ConfigDef]
    BOOTSTRAP_SERVERS_CONFIG = CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG
    CLIENT_DNS_LOOKUP_CONFIG = CommonClientConfigs.CLIENT_DNS_LOOKUP_CONFIG
    METADATA_MAX_AGE_CONFIG = CommonClientConfigs.METADATA_MAX_AGE_CONFIG
    METADATA_MAX_IDLE_CONFIG = "metadata.max.idle.ms"
    BATCH_SIZE_CONFIG = "batch.size"
    # The name has Kafka's misspelling.
    PARTITIONER_ADPATIVE_PARTITIONING_ENABLE_CONFIG = "partitioner.adaptive.partitioning.enable"
    PARTITIONER_AVAILABILITY_TIMEOUT_MS_CONFIG = "partitioner.availability.timeout.ms"
    PARTITIONER_IGNORE_KEYS_CONFIG = "partitioner.ignore.keys"
    ACKS_CONFIG = "acks"
    LINGER_MS_CONFIG = "linger.ms"
    REQUEST_TIMEOUT_MS_CONFIG = CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG
    DELIVERY_TIMEOUT_MS_CONFIG = "delivery.timeout.ms"
    CLIENT_ID_CONFIG = CommonClientConfigs.CLIENT_ID_CONFIG
    SEND_BUFFER_CONFIG = CommonClientConfigs.SEND_BUFFER_CONFIG
    RECEIVE_BUFFER_CONFIG = CommonClientConfigs.RECEIVE_BUFFER_CONFIG
    MAX_REQUEST_SIZE_CONFIG = "max.request.size"
    RECONNECT_BACKOFF_MS_CONFIG = CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG
    RECONNECT_BACKOFF_MAX_MS_CONFIG = CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG
    MAX_BLOCK_MS_CONFIG = "max.block.ms"
    BUFFER_MEMORY_CONFIG = "buffer.memory"
    RETRY_BACKOFF_MS_CONFIG = CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG
    RETRY_BACKOFF_MAX_MS_CONFIG = CommonClientConfigs.RETRY_BACKOFF_MAX_MS_CONFIG
    ENABLE_METRICS_PUSH_CONFIG = CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG
    COMPRESSION_TYPE_CONFIG = "compression.type"
    COMPRESSION_GZIP_LEVEL_CONFIG = "compression.gzip.level"
    COMPRESSION_LZ4_LEVEL_CONFIG = "compression.lz4.level"
    COMPRESSION_ZSTD_LEVEL_CONFIG = "compression.zstd.level"
    METRICS_SAMPLE_WINDOW_MS_CONFIG = CommonClientConfigs.METRICS_SAMPLE_WINDOW_MS_CONFIG
    METRICS_NUM_SAMPLES_CONFIG = CommonClientConfigs.METRICS_NUM_SAMPLES_CONFIG
    METRICS_RECORDING_LEVEL_CONFIG = CommonClientConfigs.METRICS_RECORDING_LEVEL_CONFIG
    METRIC_REPORTER_CLASSES_CONFIG = CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG
    AUTO_INCLUDE_JMX_REPORTER_CONFIG = CommonClientConfigs.AUTO_INCLUDE_JMX_REPORTER_CONFIG
    # A broker remembers a producer's last five batches in a partition. With more in flight it could not
    # distinguish a retried batch from a new one.
    _MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION_FOR_IDEMPOTENCE = 5
    MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION = "max.in.flight.requests.per.connection"
    RETRIES_CONFIG = CommonClientConfigs.RETRIES_CONFIG
    KEY_SERIALIZER_CLASS_CONFIG = "key.serializer"
    VALUE_SERIALIZER_CLASS_CONFIG = "value.serializer"
    SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG = CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG
    SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG = (
        CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG)
    CONNECTIONS_MAX_IDLE_MS_CONFIG = CommonClientConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG
    PARTITIONER_CLASS_CONFIG = "partitioner.class"
    INTERCEPTOR_CLASSES_CONFIG = "interceptor.classes"
    ENABLE_IDEMPOTENCE_CONFIG = "enable.idempotence"
    TRANSACTION_TIMEOUT_CONFIG = "transaction.timeout.ms"
    TRANSACTIONAL_ID_CONFIG = "transactional.id"
    SECURITY_PROVIDERS_CONFIG = SecurityConfig.SECURITY_PROVIDERS_CONFIG

    _PRODUCER_CLIENT_ID_SEQUENCE = AtomicInteger(1)

    _CONFIG = (
        ConfigDef()
        .define(BOOTSTRAP_SERVERS_CONFIG, Type.LIST, [], ConfigDef.NonNullValidator(), Importance.HIGH,
                "The producer asks these addresses, host:port, for the cluster at first, and one of them "
                "must answer.")
        .define(CLIENT_DNS_LOOKUP_CONFIG, Type.STRING, str(ClientDnsLookup.USE_ALL_DNS_IPS),
                in_(str(ClientDnsLookup.USE_ALL_DNS_IPS),
                    str(ClientDnsLookup.RESOLVE_CANONICAL_BOOTSTRAP_SERVERS_ONLY)),
                Importance.MEDIUM,
                "The producer tries each address of a host (use_all_dns_ips), or expands the bootstrap "
                "hosts to canonical names (resolve_canonical_bootstrap_servers_only).")
        .define(BUFFER_MEMORY_CONFIG, Type.LONG, 32 * 1024 * 1024, at_least(0), Importance.HIGH,
                "Records that wait to be sent share this many bytes, and send blocks for up to max.block.ms "
                "while none are free.")
        .define(RETRIES_CONFIG, Type.INT, _INT_MAX_VALUE, between(0, _INT_MAX_VALUE), Importance.HIGH,
                "A batch is sent again up to this many times after an error that may pass, unless "
                "delivery.timeout.ms ends before.")
        .define(ACKS_CONFIG, Type.STRING, "all", in_("all", "-1", "0", "1"), Importance.LOW,
                "A write counts as sent once no broker (0), the leader (1), or all replicas in sync (all or "
                "-1) have it.")
        .define(COMPRESSION_TYPE_CONFIG, Type.STRING, str(CompressionType.NONE),
                in_(*Utils.enum_options(CompressionType)), Importance.HIGH,
                "The producer compresses its batches with this codec.")
        .define(COMPRESSION_GZIP_LEVEL_CONFIG, Type.INT, GzipCompression.DEFAULT_LEVEL,
                GzipCompression.LevelValidator(), Importance.MEDIUM,
                "The producer's gzip compresses at this level from 1 to 9, where -1 takes zlib's own "
                "default.")
        .define(COMPRESSION_LZ4_LEVEL_CONFIG, Type.INT, Lz4Compression.DEFAULT_LEVEL,
                between(Lz4Compression.MIN_LEVEL, Lz4Compression.MAX_LEVEL), Importance.MEDIUM,
                "The producer's lz4 compresses at this level from 1 to 17.")
        .define(COMPRESSION_ZSTD_LEVEL_CONFIG, Type.INT, ZstdCompression.DEFAULT_LEVEL,
                between(ZstdCompression.MIN_LEVEL, ZstdCompression.MAX_LEVEL), Importance.MEDIUM,
                "The producer's zstd compresses at this level, where below 0 is faster and larger.")
        .define(BATCH_SIZE_CONFIG, Type.INT, 16384, at_least(0), Importance.MEDIUM,
                "A batch of one partition has this many bytes of memory; a larger record, and any record "
                "with 0, gets a batch of its own.")
        .define(PARTITIONER_ADPATIVE_PARTITIONING_ENABLE_CONFIG, Type.BOOLEAN, True, Importance.LOW,
                "True sends more records without keys to leaders that keep up, unless partitioner.class is "
                "set.")
        .define(PARTITIONER_AVAILABILITY_TIMEOUT_MS_CONFIG, Type.LONG, 0, at_least(0), Importance.LOW,
                "A node that could not be sent anything for this many milliseconds gets no records without "
                "keys; 0 turns that off.")
        .define(PARTITIONER_IGNORE_KEYS_CONFIG, Type.BOOLEAN, False, Importance.MEDIUM,
                "True chooses partitions as if no record had a key, unless partitioner.class is set.")
        .define(LINGER_MS_CONFIG, Type.LONG, 0, at_least(0), Importance.MEDIUM,
                "A batch that is not full waits this many milliseconds for more records.")
        .define(DELIVERY_TIMEOUT_MS_CONFIG, Type.INT, 120 * 1000, at_least(0), Importance.MEDIUM,
                "A record fails this many milliseconds after send at the latest, which covers linger.ms, "
                "request.timeout.ms and retries.")
        .define(CLIENT_ID_CONFIG, Type.STRING, "", Importance.MEDIUM,
                "The client has this name in requests, logs, metrics and quotas.")
        .define(SEND_BUFFER_CONFIG, Type.INT, 128 * 1024,
                at_least(CommonClientConfigs.SEND_BUFFER_LOWER_BOUND), Importance.MEDIUM,
                "Connections of the client have an SO_SNDBUF of this many bytes; -1 leaves it to the "
                "system.")
        .define(RECEIVE_BUFFER_CONFIG, Type.INT, 32 * 1024,
                at_least(CommonClientConfigs.RECEIVE_BUFFER_LOWER_BOUND), Importance.MEDIUM,
                "Connections of the client have an SO_RCVBUF of this many bytes; -1 leaves it to the "
                "system.")
        .define(MAX_REQUEST_SIZE_CONFIG, Type.INT, 1024 * 1024, at_least(0), Importance.MEDIUM,
                "A request has at most this many bytes, and so has a record before its compression.")
        .define(RECONNECT_BACKOFF_MS_CONFIG, Type.LONG, 50, at_least(0), Importance.LOW,
                "The client waits this many milliseconds before it connects to a node for the second time.")
        .define(RECONNECT_BACKOFF_MAX_MS_CONFIG, Type.LONG, 1000, at_least(0), Importance.LOW,
                "The waits between connection attempts to a node grow up to this many milliseconds.")
        .define(RETRY_BACKOFF_MS_CONFIG, Type.LONG, CommonClientConfigs.DEFAULT_RETRY_BACKOFF_MS,
                at_least(0), Importance.LOW,
                "A failed request is sent again after this many milliseconds at first.")
        .define(RETRY_BACKOFF_MAX_MS_CONFIG, Type.LONG, CommonClientConfigs.DEFAULT_RETRY_BACKOFF_MAX_MS,
                at_least(0), Importance.LOW,
                "The waits between attempts at a request grow up to this many milliseconds.")
        .define(ENABLE_METRICS_PUSH_CONFIG, Type.BOOLEAN, True, Importance.LOW,
                "In Kafka, true pushes the metrics of the client to the brokers.")
        .define(MAX_BLOCK_MS_CONFIG, Type.LONG, 60 * 1000, at_least(0), Importance.MEDIUM,
                "The calls send, partitions_for and those of transactions block for this many milliseconds "
                "at most.")
        .define(REQUEST_TIMEOUT_MS_CONFIG, Type.INT, 30 * 1000, at_least(0), Importance.MEDIUM,
                "The client gives up a connection that owes it a response for this many milliseconds.")
        .define(METADATA_MAX_AGE_CONFIG, Type.LONG, 5 * 60 * 1000, at_least(0), Importance.LOW,
                "Metadata are asked for again once they are this many milliseconds old.")
        .define(METADATA_MAX_IDLE_CONFIG, Type.LONG, 5 * 60 * 1000, at_least(5000), Importance.LOW,
                "The metadata of a topic without records are forgotten after this many milliseconds.")
        .define(METRICS_SAMPLE_WINDOW_MS_CONFIG, Type.LONG, 30000, at_least(0), Importance.LOW,
                "A sample of the client's metrics spans this many milliseconds.")
        .define(METRICS_NUM_SAMPLES_CONFIG, Type.INT, 2, at_least(1), Importance.LOW,
                "The client's metrics are computed over this many samples.")
        .define(METRICS_RECORDING_LEVEL_CONFIG, Type.STRING, Sensor.RecordingLevel.INFO.name,
                in_(Sensor.RecordingLevel.INFO.name, Sensor.RecordingLevel.DEBUG.name,
                    Sensor.RecordingLevel.TRACE.name),
                Importance.LOW, "The client's sensors up to this level record: INFO, DEBUG or TRACE.")
        .define(METRIC_REPORTER_CLASSES_CONFIG, Type.LIST, [], ConfigDef.NonNullValidator(), Importance.LOW,
                "Objects of these classes learn of every metric of the client that appears, changes or "
                "goes.")
        .define(AUTO_INCLUDE_JMX_REPORTER_CONFIG, Type.BOOLEAN, True, Importance.LOW,
                "In Kafka, true adds the reporter for JMX to the client's metric.reporters.")
        .define(MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, Type.INT, 5, at_least(1), Importance.LOW,
                "A connection carries this many requests without responses; idempotence needs at most 5.")
        .define(KEY_SERIALIZER_CLASS_CONFIG, Type.CLASS, Importance.HIGH,
                "An object of this class turns keys into bytes.")
        .define(VALUE_SERIALIZER_CLASS_CONFIG, Type.CLASS, Importance.HIGH,
                "An object of this class turns values into bytes.")
        .define(SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, Type.LONG,
                CommonClientConfigs.DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MS, Importance.MEDIUM,
                "The first attempt of a client to connect to a node may take this many milliseconds.")
        .define(SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, Type.LONG,
                CommonClientConfigs.DEFAULT_SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS, Importance.MEDIUM,
                "The time for an attempt of a client to connect grows with each failure, up to this many "
                "milliseconds.")
        # Below the broker's ten minutes, so that both ends do not close a connection at the same time.
        .define(CONNECTIONS_MAX_IDLE_MS_CONFIG, Type.LONG, 9 * 60 * 1000, Importance.MEDIUM,
                "The client closes a connection that is idle for this many milliseconds.")
        .define(PARTITIONER_CLASS_CONFIG, Type.CLASS, None, Importance.MEDIUM,
                "An object of this class chooses partitions; a null value hashes keys, and fills one "
                "partition at a time without them.")
        .define(INTERCEPTOR_CLASSES_CONFIG, Type.LIST, [], ConfigDef.NonNullValidator(), Importance.LOW,
                "Objects of these classes see, and may change, each record before it is sent, in this "
                "order.")
        .define(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, Type.STRING,
                CommonClientConfigs.DEFAULT_SECURITY_PROTOCOL,
                ConfigDef.CaseInsensitiveValidString.in_(*Utils.enum_options(SecurityProtocol)),
                Importance.MEDIUM,
                "The client speaks this protocol with brokers: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.")
        .define(SECURITY_PROVIDERS_CONFIG, Type.STRING, None, Importance.LOW,
                "In Kafka, these classes create Java security providers for the client.")
        .with_client_ssl_support()
        .with_client_sasl_support()
        .define(ENABLE_IDEMPOTENCE_CONFIG, Type.BOOLEAN, True, Importance.LOW,
                "True writes each record once and in order, for which it needs acks=all, retries, and at "
                "most 5 requests in flight.")
        .define(TRANSACTION_TIMEOUT_CONFIG, Type.INT, 60000, Importance.LOW,
                "The coordinator aborts a transaction that is open for this many milliseconds.")
        .define(TRANSACTIONAL_ID_CONFIG, Type.STRING, None, ConfigDef.NonEmptyString(), Importance.LOW,
                "Transactions of this name continue after a restart, and a producer without one has no "
                "transactions.")
        .define(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, Type.STRING,
                CommonClientConfigs.DEFAULT_METADATA_RECOVERY_STRATEGY,
                ConfigDef.CaseInsensitiveValidString.in_(*Utils.enum_options(MetadataRecoveryStrategy)),
                Importance.LOW,
                "A client that reaches no known node keeps trying (none), or asks the bootstrap servers "
                "again (rebootstrap)."))

    def _post_process_parsed_config(self, parsed_values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the settings that follow from others. Raises ConfigException if settings conflict.

        :origin: clients.producer.ProducerConfig#postProcessParsedConfig(Map<String,Object>)
        """
        CommonClientConfigs.post_validate_sasl_mechanism_config(self)
        CommonClientConfigs.warn_disabling_exponential_backoff(self)
        refined_configs = CommonClientConfigs.post_process_reconnect_backoff_configs(self, parsed_values)
        self._post_process_and_validate_idempotence_configs(refined_configs)
        self._maybe_override_client_id(refined_configs)
        return refined_configs

    def _maybe_override_client_id(self, configs: dict[str, object]) -> None:
        """:origin: clients.producer.ProducerConfig#maybeOverrideClientId(Map<String,Object>)"""
        user_configured_client_id = self.CLIENT_ID_CONFIG in self.originals()
        if user_configured_client_id:
            refined_client_id = self.get_string(self.CLIENT_ID_CONFIG)
        else:
            transactional_id = self.get_string(self.TRANSACTIONAL_ID_CONFIG)
            suffix = (transactional_id if transactional_id is not None
                      else self._PRODUCER_CLIENT_ID_SEQUENCE.get_and_increment())
            refined_client_id = f"producer-{suffix}"
        configs[self.CLIENT_ID_CONFIG] = refined_client_id

    def _post_process_and_validate_idempotence_configs(self, configs: dict[str, object]) -> None:
        """Turn idempotence off if another setting conflicts with it, or raise if the user has enabled it.

        :origin: clients.producer.ProducerConfig#postProcessAndValidateIdempotenceConfigs(Map<String,Object>)
        """
        original_configs = self.originals()
        acks_str = self._parse_acks(self.get_string(self.ACKS_CONFIG) or "")
        configs[self.ACKS_CONFIG] = acks_str
        user_configured_idempotence = self.ENABLE_IDEMPOTENCE_CONFIG in self.originals()
        idempotence_enabled = self.get_boolean(self.ENABLE_IDEMPOTENCE_CONFIG)
        should_disable_idempotence = False

        if idempotence_enabled:
            retries = self.get_int(self.RETRIES_CONFIG)
            if retries == 0:
                if user_configured_idempotence:
                    raise ConfigException(
                        f"Must set {self.RETRIES_CONFIG} to non-zero when using the idempotent producer.")
                log.info("Idempotence will be disabled because %s is set to 0.", self.RETRIES_CONFIG)
                should_disable_idempotence = True

            acks = int(acks_str)
            if acks != -1:
                if user_configured_idempotence:
                    raise ConfigException(
                        f"Must set {self.ACKS_CONFIG} to all in order to use the idempotent producer. "
                        "Otherwise we cannot guarantee idempotence.")
                log.info("Idempotence will be disabled because %s is set to %s, not set to 'all'.",
                         self.ACKS_CONFIG, acks)
                should_disable_idempotence = True

            in_flight_connection = self.get_int(self.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION)
            if self._MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION_FOR_IDEMPOTENCE < in_flight_connection:
                if user_configured_idempotence:
                    raise ConfigException(
                        f"Must set {self.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION} to at most 5 to use the "
                        "idempotent producer.")
                log.warn(
                    "Idempotence will be disabled because %s is set to %s, which is greater than 5. "
                    "Please note that in v4.0.0 and onward, this will become an error.",
                    self.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, in_flight_connection)
                should_disable_idempotence = True

        if should_disable_idempotence:
            configs[self.ENABLE_IDEMPOTENCE_CONFIG] = False
            idempotence_enabled = False

        # Checked last, because the settings above may have turned idempotence off.
        user_configured_transactions = self.TRANSACTIONAL_ID_CONFIG in original_configs
        if not idempotence_enabled and user_configured_transactions:
            raise ConfigException(
                f"Cannot set a {self.TRANSACTIONAL_ID_CONFIG} without also enabling idempotence.")

    @staticmethod
    def _parse_acks(acks_string: str) -> str:
        """Return -1 for "all", or the number itself. Raises ConfigException.

        :origin: clients.producer.ProducerConfig#parseAcks(String)
        """
        try:
            acks = acks_string.strip()
            return "-1" if acks.lower() == "all" else str(parse_integer(acks, 16))
        except NumberFormatException:
            raise ConfigException(f"Invalid configuration value for 'acks': {acks_string}") from None

    @classmethod
    def append_serializer_to_config(cls, configs: Mapping[str, Any], key_serializer: Serializer[Any] | None,
                                    value_serializer: Serializer[Any] | None) -> dict[str, Any]:
        """Return the settings with the classes of the given serializers.

        Raises ConfigException if a serializer is neither given nor configured.

        :origin: clients.producer.ProducerConfig#appendSerializerToConfig(Map<String,Object>, Serializer<?>,
            Serializer<?>)
        """
        new_configs = dict(configs)
        if key_serializer is not None:
            new_configs[cls.KEY_SERIALIZER_CLASS_CONFIG] = type(key_serializer)
        elif new_configs.get(cls.KEY_SERIALIZER_CLASS_CONFIG) is None:
            raise ConfigException(cls.KEY_SERIALIZER_CLASS_CONFIG, None, "must be non-null.")
        if value_serializer is not None:
            new_configs[cls.VALUE_SERIALIZER_CLASS_CONFIG] = type(value_serializer)
        elif new_configs.get(cls.VALUE_SERIALIZER_CLASS_CONFIG) is None:
            raise ConfigException(cls.VALUE_SERIALIZER_CLASS_CONFIG, None, "must be non-null.")
        return new_configs

    def __init__(self, props: Mapping[Any, Any], do_log: bool = True) -> None:
        """Parse ``props``; log all values if ``do_log``. Raises ConfigException.

        :origin: clients.producer.ProducerConfig#ProducerConfig(Properties)
        :origin: clients.producer.ProducerConfig#ProducerConfig(Map<String,Object>)
        :origin: clients.producer.ProducerConfig#ProducerConfig(Map<?,?>, boolean)
        """
        super().__init__(self._CONFIG, props, do_log)

    @classmethod
    def config_names(cls) -> AbstractSet[str]:
        """Return the names of all settings.

        :origin: clients.producer.ProducerConfig#configNames()
        """
        return cls._CONFIG.names()

    @classmethod
    def config_def(cls) -> ConfigDef:
        """Return a copy of the definitions.

        :origin: clients.producer.ProducerConfig#configDef()
        """
        return ConfigDef(cls._CONFIG)
