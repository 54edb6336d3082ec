# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.raft.QuorumConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of the controllers of a KRaft cluster, and the parsing of the voters' list.

kreactor has no controller quorum. The list is checked as in Kafka, and no connection is made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.node import Node
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.net import InetSocketAddress

_QUORUM_PREFIX = "controller.quorum."
_MAX_INT = 2**31 - 1
_INT = re.compile(r"[+-]?[0-9]+")


class QuorumConfig:
    """Names, defaults, and functions on lists of voters.

    :origin: raft.QuorumConfig
    """

    NON_ROUTABLE_HOST = "0.0.0.0"

    QUORUM_VOTERS_CONFIG = _QUORUM_PREFIX + "voters"
    QUORUM_VOTERS_DOC = (
        "The controllers that vote are listed here, each as id@host:port with commas between them.")
    DEFAULT_QUORUM_VOTERS: list[str] = []
    QUORUM_BOOTSTRAP_SERVERS_CONFIG = _QUORUM_PREFIX + "bootstrap.servers"
    QUORUM_BOOTSTRAP_SERVERS_DOC = "In Kafka, a node finds the quorum of controllers at these addresses."
    DEFAULT_QUORUM_BOOTSTRAP_SERVERS: list[str] = []
    QUORUM_ELECTION_TIMEOUT_MS_CONFIG = _QUORUM_PREFIX + "election.timeout.ms"
    QUORUM_ELECTION_TIMEOUT_MS_DOC = (
        "In Kafka, a candidate that has not won after this many milliseconds starts another election.")
    DEFAULT_QUORUM_ELECTION_TIMEOUT_MS = 1_000
    QUORUM_FETCH_TIMEOUT_MS_CONFIG = _QUORUM_PREFIX + "fetch.timeout.ms"
    QUORUM_FETCH_TIMEOUT_MS_DOC = (
        "In Kafka, a voter without a successful fetch for this many milliseconds becomes a candidate.")
    DEFAULT_QUORUM_FETCH_TIMEOUT_MS = 2_000
    QUORUM_ELECTION_BACKOFF_MAX_MS_CONFIG = _QUORUM_PREFIX + "election.backoff.max.ms"
    QUORUM_ELECTION_BACKOFF_MAX_MS_DOC = (
        "In Kafka, a candidate waits up to this many milliseconds, at random, before its next election.")
    DEFAULT_QUORUM_ELECTION_BACKOFF_MAX_MS = 1_000
    QUORUM_LINGER_MS_CONFIG = _QUORUM_PREFIX + "append.linger.ms"
    QUORUM_LINGER_MS_DOC = (
        "In Kafka, the leading controller gathers metadata records for this many milliseconds before it "
        "writes them.")
    DEFAULT_QUORUM_LINGER_MS = 25
    QUORUM_REQUEST_TIMEOUT_MS_CONFIG = _QUORUM_PREFIX + "request.timeout.ms"
    QUORUM_REQUEST_TIMEOUT_MS_DOC = (
        "In Kafka, a request between controllers fails after this many milliseconds.")
    DEFAULT_QUORUM_REQUEST_TIMEOUT_MS = 2_000
    QUORUM_RETRY_BACKOFF_MS_CONFIG = _QUORUM_PREFIX + "retry.backoff.ms"
    QUORUM_RETRY_BACKOFF_MS_DOC = (
        "In Kafka, a failed request between controllers is sent again after this many milliseconds.")
    DEFAULT_QUORUM_RETRY_BACKOFF_MS = 20

    @staticmethod
    def _parse_voter_id(id_string: str) -> int:
        """Parse the id of a voter. Raises ConfigException.

        :origin: raft.QuorumConfig#parseVoterId(String)
        """
        if not _INT.fullmatch(id_string) or not -_MAX_INT - 1 <= int(id_string) <= _MAX_INT:
            raise ConfigException(f"Failed to parse voter ID as an integer from {id_string}")
        return int(id_string)

    @staticmethod
    def parse_voter_connections(voter_entries: Sequence[str],
                                require_routable_addresses: bool = True) -> dict[int, InetSocketAddress]:
        """Parse entries ``id@host:port``. Raises ConfigException.

        :origin: raft.QuorumConfig#parseVoterConnections(List<String>)
        :origin: raft.QuorumConfig#parseVoterConnections(List<String>, boolean)
        """
        voter_map: dict[int, InetSocketAddress] = {}
        form = "Each entry should be in the form `{id}@{host}:{port}`."
        for voter_map_entry in voter_entries:
            # Java's split drops empty strings at the end.
            id_and_address = voter_map_entry.rstrip("@").split("@")
            if len(id_and_address) != 2:
                raise ConfigException(
                    f"Invalid configuration value for {QuorumConfig.QUORUM_VOTERS_CONFIG}. {form}")
            voter_id = QuorumConfig._parse_voter_id(id_and_address[0])
            host = Utils.get_host(id_and_address[1])
            if host is None or not Utils.valid_host_pattern(host):
                raise ConfigException(f"Failed to parse host name from entry {voter_map_entry} for the "
                                      f"configuration {QuorumConfig.QUORUM_VOTERS_CONFIG}. {form}")
            port = Utils.get_port(id_and_address[1])
            if port is None:
                raise ConfigException(f"Failed to parse host port from entry {voter_map_entry} for the "
                                      f"configuration {QuorumConfig.QUORUM_VOTERS_CONFIG}. {form}")
            if not 0 <= port <= 65535:
                raise IllegalArgumentException(f"port out of range:{port}")
            # DEVIATION D63: the host name is not resolved, because resolving may take long and no connection
            # is made.
            address = InetSocketAddress.create_unresolved(host, port)
            if address.get_host_string() == QuorumConfig.NON_ROUTABLE_HOST and require_routable_addresses:
                raise ConfigException(f"Host string ({address.get_host_string()}) is not routeable")
            voter_map[voter_id] = address
        return voter_map

    @staticmethod
    def parse_voter_ids(voter_entries: Sequence[str]) -> set[int]:
        """Return the ids of all voters. Raises ConfigException.

        :origin: raft.QuorumConfig#parseVoterIds(List<String>)
        """
        return set(QuorumConfig.parse_voter_connections(voter_entries, False))

    @staticmethod
    def parse_bootstrap_servers(bootstrap_servers: Sequence[str]) -> list[InetSocketAddress]:
        """Parse entries ``host:port``. Raises ConfigException.

        :origin: raft.QuorumConfig#parseBootstrapServers(List<String>)
        """
        return [QuorumConfig._parse_bootstrap_server(server) for server in bootstrap_servers]

    @staticmethod
    def _parse_bootstrap_server(bootstrap_server: str) -> InetSocketAddress:
        """Parse ``host:port``. Raises ConfigException; the ``{}`` in its text are Kafka's.

        :origin: raft.QuorumConfig#parseBootstrapServer(String)
        """
        host = Utils.get_host(bootstrap_server)
        if host is None or not Utils.valid_host_pattern(host):
            raise ConfigException("Failed to parse host name from {} for the configuration {}. Each entry "
                                  "should be in the form \"{host}:{port}\"")
        port = Utils.get_port(bootstrap_server)
        if port is None:
            raise ConfigException("Failed to parse host port from {} for the configuration {}. Each entry "
                                  "should be in the form \"{host}:{port}\"")
        if not 0 <= port <= 65535:
            raise IllegalArgumentException(f"port out of range:{port}")
        return InetSocketAddress.create_unresolved(host, port)

    @staticmethod
    def quorum_voter_strings_to_nodes(voters: Sequence[str]) -> list[Node]:
        """Parse entries ``id@host:port``. Raises ConfigException.

        :origin: raft.QuorumConfig#quorumVoterStringsToNodes(List<String>)
        """
        return QuorumConfig.voter_connections_to_nodes(QuorumConfig.parse_voter_connections(voters))

    @staticmethod
    def voter_connections_to_nodes(voter_connections: dict[int, InetSocketAddress]) -> list[Node]:
        """Return voters as nodes.

        :origin: raft.QuorumConfig#voterConnectionsToNodes(Map<Integer,InetSocketAddress>)
        """
        return [Node(voter_id, address.get_host_string(), address.get_port())
                for voter_id, address in voter_connections.items()]

    class ControllerQuorumVotersValidator(ConfigDef.Validator):
        """Accepts a list of voters, also an empty one.

        :origin: raft.QuorumConfig.ControllerQuorumVotersValidator
        """

        def ensure_valid(self, name: str, value: object) -> None:
            """Raise ConfigException if ``value`` is not a list of voters.

            :origin: raft.QuorumConfig.ControllerQuorumVotersValidator#ensureValid(String, Object)
            """
            if value is None:
                raise ConfigException(name, None)
            assert isinstance(value, (list, tuple))
            QuorumConfig.parse_voter_connections(value, False)

        def __str__(self) -> str:
            """:origin: raft.QuorumConfig.ControllerQuorumVotersValidator#toString()"""
            return "non-empty list"

    class ControllerQuorumBootstrapServersValidator(ConfigDef.Validator):
        """Accepts a list of servers, also an empty one.

        :origin: raft.QuorumConfig.ControllerQuorumBootstrapServersValidator
        """

        def ensure_valid(self, name: str, value: object) -> None:
            """Raise ConfigException if ``value`` is not a list of servers.

            :origin: raft.QuorumConfig.ControllerQuorumBootstrapServersValidator#ensureValid(String, Object)
            """
            if value is None:
                raise ConfigException(name, None)
            assert isinstance(value, (list, tuple))
            QuorumConfig.parse_bootstrap_servers(value)

        def __str__(self) -> str:
            """:origin: raft.QuorumConfig.ControllerQuorumBootstrapServersValidator#toString()"""
            return "non-empty list"
