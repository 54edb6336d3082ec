# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``Cluster`` for a cluster in another process, over its control port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.image.cluster_image import PartitionState
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing.broker import Broker, Snapshot
from kreactor.testing.control_json import OF_ALL
from kreactor.testing.received import ReceivedRequest
from kreactor.testing.record import Data, Headers, Isolation, NewRecord, Record
from kreactor.testing.remote import Connection, RemoteBroker, RemoteFaults

if TYPE_CHECKING:
    from kreactor.testing.groups import Group
    from kreactor.testing.seeds import SeedTopic


class RemoteClusterBroker(RemoteBroker):
    """One broker of a cluster in another process."""

    def __init__(self, connection: Connection, broker_id: int) -> None:
        Broker.__init__(self)
        self.id = broker_id
        self._connection = connection
        self.faults = RemoteFaults(self._ask)
        self._set_facts(self._ask("GET", "/broker"))

    def _ask(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        # The cluster has topics, records, groups and time.
        of_all = path.startswith(OF_ALL)
        return super()._ask(method, path if of_all else f"/brokers/{self.id}{path}", body, **parameters)

    def close(self) -> None:
        """Leave the broker, and the cluster's connection, as they are."""

    def reset(self) -> None:
        raise IllegalStateException("the data of a broker of a cluster belongs to the cluster")

    def snapshot(self) -> Snapshot:
        raise IllegalStateException("the data of a broker of a cluster belongs to the cluster")


class RemoteCluster:
    """A cluster whose control port is at ``url``, with the calls of ``Cluster``.

    Each method does and raises the same as that of ``Cluster``. ``close`` leaves the cluster running.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        """Raises ValueError for a bad address, OSError if nothing listens there or ``url`` is a single
        broker's."""
        self._connection = Connection(url, token)
        try:
            self._brokers = {int(broker_id): RemoteClusterBroker(self._connection, int(broker_id))
                             for broker_id in self._ask("GET", "/cluster")["brokers"]}
            # For calls about the data of all brokers.
            self._data = next(iter(self._brokers.values()))
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the connection. A second call does nothing."""
        self._connection.close()

    def __enter__(self) -> RemoteCluster:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.close()

    def _ask(self, method: str, path: str, body: object = None, **parameters: object) -> Any:
        return self._connection.ask(method, path, body, **parameters)

    # -- brokers -----------------------------------------------------------------------------------

    def __getitem__(self, broker_id: int) -> RemoteClusterBroker:
        """Return a broker by id, running or not. Raises KeyError."""
        return self._brokers[broker_id]

    @property
    def brokers(self) -> Mapping[int, RemoteClusterBroker]:
        """All brokers by id, running or not."""
        return dict(self._brokers)

    @property
    def bootstrap_servers(self) -> str:
        """The host and port of each broker's first listener, in the form of the clients' setting."""
        return ",".join(broker.bootstrap_servers for broker in self._brokers.values())

    def folder(self) -> str:
        """Return the data folder."""
        folder: str = self._ask("GET", "/cluster")["folder"]
        return folder

    def alive(self) -> list[int]:
        """Return the ids of the brokers that run and are not isolated."""
        alive: list[int] = self._ask("GET", "/cluster")["alive"]
        return alive

    def kill(self, broker_id: int) -> None:
        """Stop a broker as after ``kill -9``."""
        self._broker(broker_id).kill()

    def stop(self, broker_id: int) -> None:
        """Stop a broker in order."""
        self._broker(broker_id).stop()

    def restart(self, broker_id: int) -> None:
        """Start a broker again, after a stop if it runs."""
        self._broker(broker_id).restart()

    def isolate(self, broker_id: int) -> None:
        """Cut a broker off from the cluster, and not from clients."""
        self._broker(broker_id)._ask("POST", "/isolate")

    def rejoin(self, broker_id: int) -> None:
        """End an isolation."""
        self._broker(broker_id)._ask("POST", "/rejoin")

    def freeze_metadata(self, broker_id: int) -> None:
        """Have a broker's Metadata responses keep the current state of the cluster."""
        self._broker(broker_id)._ask("POST", "/freeze_metadata")

    def thaw_metadata(self, broker_id: int) -> None:
        """End ``freeze_metadata``."""
        self._broker(broker_id)._ask("POST", "/thaw_metadata")

    # -- leaders and replicas ----------------------------------------------------------------------

    def partition(self, topic: str, partition: int) -> PartitionState:
        """Return leader, epochs, replicas and in-sync set."""
        told = self._ask("GET", _partition(topic, partition))
        state = PartitionState(**told)
        return state._replace(replicas=tuple(state.replicas), isr=tuple(state.isr),
                              adding=tuple(state.adding), removing=tuple(state.removing))

    def leader(self, topic: str, partition: int) -> int:
        """Return the leader's id, -1 if there is none."""
        return self.partition(topic, partition).leader

    def move_leader(self, topic: str, partition: int, to: int, unclean: bool = False) -> None:
        """Make a broker the leader of a partition, in a new epoch."""
        self._ask("POST", _partition(topic, partition, "leader"), {"to": to, "unclean": unclean})

    def elect_leader(self, topic: str, partition: int, unclean: bool = False) -> None:
        """Elect the preferred replica; with ``unclean``, elect any live replica of a partition without a
        leader."""
        self._ask("POST", _partition(topic, partition, "election"), {"unclean": unclean})

    def shrink_isr(self, topic: str, partition: int, broker_id: int) -> None:
        """Remove a follower from the in-sync set."""
        self._ask("POST", _partition(topic, partition, "replicas", broker_id, "shrink"))

    def hold_replica(self, topic: str, partition: int, broker_id: int) -> None:
        """Stop the fetches of a follower in sync."""
        self._ask("POST", _partition(topic, partition, "replicas", broker_id, "hold"))

    def expand_isr(self, topic: str, partition: int, broker_id: int) -> None:
        """Let a replica follow again; it is in sync at once."""
        self._ask("POST", _partition(topic, partition, "replicas", broker_id, "expand"))

    def pause_catch_up(self, paused: bool = True) -> None:
        """Keep restarted brokers and new replicas out of sync until ``expand_isr`` or
        ``pause_catch_up(False)``."""
        self._ask("POST", "/pause_catch_up", {"paused": paused})

    def reassign(self, topic: str, partition: int, replicas: Sequence[int] | None) -> None:
        """Move a partition to other brokers; None cancels a reassignment that is not complete."""
        self._ask("POST", _partition(topic, partition, "reassignment"),
                  {"replicas": None if replicas is None else list(replicas)})

    # -- coordinators ------------------------------------------------------------------------------

    def coordinator(self, group: str) -> int:
        """Return the id of a group's coordinator, -1 if there is none."""
        found: int = self._ask("GET", _path("groups", group, "coordinator"))["coordinator"]
        return found

    def move_coordinator(self, group: str, to: int) -> None:
        """Make a broker the coordinator of a group."""
        self._ask("POST", _path("groups", group, "coordinator"), {"to": to})

    def transaction_coordinator(self, transactional_id: str) -> int:
        """Return the id of the broker that coordinates a transactional id, -1 if there is none."""
        found: int = self._ask("GET", _path("transactions", transactional_id, "coordinator"))["coordinator"]
        return found

    def move_transaction_coordinator(self, transactional_id: str, to: int) -> None:
        """Make a broker the coordinator of a transactional id."""
        self._ask("POST", _path("transactions", transactional_id, "coordinator"), {"to": to})

    # -- topics, groups and requests -----------------------------------------------------------

    def create_topic(self, name: str, partitions: int | None = None,
                     configs: Mapping[str, object] | None = None, replication_factor: int = -1,
                     assignments: Sequence[Sequence[int]] | None = None) -> None:
        """Create a topic; ``assignments`` lists each partition's replicas, the preferred leader first."""
        body: dict[str, object] = {
            "name": name, "replication_factor": replication_factor,
            "configs": {key: str(value) for key, value in (configs or {}).items()}}
        if partitions is not None:
            body["partitions"] = partitions
        if assignments is not None:
            body["assignments"] = [list(each) for each in assignments]
        self._ask("POST", "/topics", body)

    def delete_topic(self, name: str) -> None:
        """Delete a topic."""
        self._data.delete_topic(name)

    def topics(self) -> dict[str, dict[int, int]]:
        """Return the end offsets of all partitions, by topic."""
        return self._data.topics()

    def end_offsets(self, topic: str) -> dict[int, int]:
        """Return the end offset of each partition."""
        return self._data.end_offsets(topic)

    def produce(self, topic: str, *values: Data, key: Data = None, partition: int | None = None,
                headers: Headers = (), timestamp_ms: int | None = None) -> list[Record]:
        """Append a record for each value, as ``Broker.produce``."""
        return self._data.produce(topic, *values, key=key, partition=partition, headers=headers,
                                  timestamp_ms=timestamp_ms)

    def produce_records(self, topic: str, records: Sequence[tuple[int | None, NewRecord]]) -> list[Record]:
        """Append records, each with a partition or None."""
        return self._data.produce_records(topic, records)

    def consume(self, topic: str, count: int | None = None, *, partition: int | None = None,
                timeout_s: float = 10.0, isolation: Isolation = "read_committed") -> list[Record]:
        """Return the records behind those that the last call returned, as ``Broker.consume``."""
        return self._data.consume(topic, count, partition=partition, timeout_s=timeout_s,
                                  isolation=isolation)

    def records(self, topic: str, partition: int | None = None, *,
                isolation: Isolation = "read_uncommitted") -> list[Record]:
        """Return the records of a topic or of one partition, as ``Broker.records``."""
        return self._data.records(topic, partition, isolation=isolation)

    def load_topics(self, topics: Iterable[SeedTopic]) -> None:
        """Create missing topics, and append the topics' records."""
        self._data.load_topics(topics)

    def compact(self, topic: str) -> None:
        """Compact a topic now."""
        self._data.compact(topic)

    def groups(self) -> dict[str, Group]:
        """Return the groups of all coordinators, by id."""
        return self._data.groups()

    def lag(self, group: str) -> dict[str, dict[int, int]]:
        """Return how many records a group's commits are behind the end offsets."""
        return self._data.lag(group)

    def requests(self, client_id: str | None = None, api: ApiKeys | str | None = None
                 ) -> list[ReceivedRequest]:
        """Return the requests to all brokers, sorted by time."""
        found = [request for broker in self._brokers.values() for request in broker.requests(client_id, api)]
        return sorted(found, key=lambda request: request.time_ms)

    def _broker(self, broker_id: int) -> RemoteClusterBroker:
        if broker_id not in self._brokers:
            raise ValueError(f"there is no broker {broker_id}: the ids are {sorted(self._brokers)}")
        return self._brokers[broker_id]


def _path(*parts: object) -> str:
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def _partition(topic: str, partition: int, *rest: object) -> str:
    return _path("topics", topic, "partitions", partition, *rest)
