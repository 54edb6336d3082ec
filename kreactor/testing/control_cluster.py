# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The requests that the control port of a cluster takes: ``ROUTES``. Any thread calls them.

A path under ``/brokers/{broker}`` reaches the routes of one broker: its faults and requests, kill, pause and
the others. Topics, records and groups belong to the cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from kreactor import __version__
from kreactor.testing.cluster import Cluster
from kreactor.testing.control_broker import DATA_ROUTES, Commands, DataCommands, topic_of
from kreactor.testing.control_broker import ROUTES as BROKER_ROUTES
from kreactor.testing.control_json import OF_ALL
from kreactor.testing.control_routes import Query, Refusal, Route, number_from
from kreactor.testing.json_text import shown

_MAX_ID = (1 << 31) - 1


class ClusterCommands(DataCommands):
    """Routes of a cluster."""

    def __init__(self, cluster: Cluster, is_closing: Callable[[], bool]) -> None:
        """``is_closing`` returns whether the port closes, which ends waiting requests."""
        super().__init__(cluster)
        self.cluster = cluster
        self._brokers = {broker_id: Commands(broker, is_closing)
                         for broker_id, broker in cluster.brokers.items()}

    def close(self) -> None:
        """Wake the requests that wait for a change."""
        for commands in self._brokers.values():
            commands.close()

    def commands_of(self, query: Query) -> Commands:
        """Return the commands of the broker that the path names. Raises Refusal."""
        return self._brokers[self._broker_id(query)]

    def _broker_id(self, query: Query) -> int:
        text = query.names["broker"]
        for broker_id in self._brokers:
            if text == str(broker_id):
                return broker_id
        raise Refusal(HTTPStatus.NOT_FOUND, "NotFound",
                      f"there is no broker {text}: the ids are {sorted(self._brokers)}")

    # -- brokers -----------------------------------------------------------------------------------

    def healthz(self, query: Query) -> object:
        alive = self.cluster.alive()
        if not alive:
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "NotRunning", "no broker of the cluster is alive")
        return {"status": "running", "alive": alive}

    def facts(self, query: Query) -> object:
        cluster = self.cluster
        return {"bootstrap_servers": cluster.bootstrap_servers, "folder": cluster.folder(),
                "alive": cluster.alive(), "version": __version__,
                "brokers": {id: commands.facts(query) for id, commands in self._brokers.items()}}

    def isolate(self, query: Query) -> object:
        self.cluster.isolate(self._broker_id(query))
        return {}

    def rejoin(self, query: Query) -> object:
        self.cluster.rejoin(self._broker_id(query))
        return {}

    def freeze_metadata(self, query: Query) -> object:
        self.cluster.freeze_metadata(self._broker_id(query))
        return {}

    def thaw_metadata(self, query: Query) -> object:
        self.cluster.thaw_metadata(self._broker_id(query))
        return {}

    def pause_catch_up(self, query: Query) -> object:
        self.cluster.pause_catch_up(_flag(query, "paused", True))
        return {}

    # -- partitions --------------------------------------------------------------------------------

    def partitions(self, query: Query) -> object:
        topic = query.names["topic"]
        return {index: self.cluster.partition(topic, index)._asdict()
                for index in self.cluster.end_offsets(topic)}

    def partition(self, query: Query) -> object:
        return self.cluster.partition(*_partition(query))._asdict()

    def move_leader(self, query: Query) -> object:
        to = number_from("to", query.fields().get("to"), 0, _MAX_ID)
        self.cluster.move_leader(*_partition(query), to, _flag(query, "unclean", False))
        return self.partition(query)

    def elect_leader(self, query: Query) -> object:
        self.cluster.elect_leader(*_partition(query), unclean=_flag(query, "unclean", False))
        return self.partition(query)

    def shrink_isr(self, query: Query) -> object:
        self.cluster.shrink_isr(*_partition(query), self._broker_id(query))
        return self.partition(query)

    def expand_isr(self, query: Query) -> object:
        self.cluster.expand_isr(*_partition(query), self._broker_id(query))
        return self.partition(query)

    def hold_replica(self, query: Query) -> object:
        self.cluster.hold_replica(*_partition(query), self._broker_id(query))
        return self.partition(query)

    def reassign(self, query: Query) -> object:
        replicas = query.fields().get("replicas")
        if replicas is not None and not isinstance(replicas, list):
            raise ValueError("replicas: neither a list of brokers nor null")
        for index, replica in enumerate(replicas or ()):
            number_from(f"replicas[{index}]", replica, 0, _MAX_ID)
        self.cluster.reassign(*_partition(query), replicas)
        return self.partition(query)

    # -- coordinators ------------------------------------------------------------------------------

    def coordinator(self, query: Query) -> object:
        return {"coordinator": self.cluster.coordinator(query.names["group"])}

    def move_coordinator(self, query: Query) -> object:
        to = number_from("to", query.fields().get("to"), 0, _MAX_ID)
        self.cluster.move_coordinator(query.names["group"], to)
        return self.coordinator(query)

    def transaction_coordinator(self, query: Query) -> object:
        return {"coordinator": self.cluster.transaction_coordinator(query.names["transactional_id"])}

    def move_transaction_coordinator(self, query: Query) -> object:
        to = number_from("to", query.fields().get("to"), 0, _MAX_ID)
        self.cluster.move_transaction_coordinator(query.names["transactional_id"], to)
        return self.transaction_coordinator(query)

    # -- topics ------------------------------------------------------------------------------------

    def create_topic(self, query: Query) -> object:
        fields = dict(query.fields())
        factor, assignments = fields.pop("replication_factor", -1), fields.pop("assignments", None)
        number_from("replication_factor", factor, -1, (1 << 15) - 1)
        if assignments is not None and not (
                isinstance(assignments, list) and all(isinstance(each, list) for each in assignments)):
            raise ValueError("assignments: not a list with a list of brokers for each partition")
        for index, replicas in enumerate(assignments or ()):
            for replica in replicas:
                number_from(f"assignments[{index}]", replica, 0, _MAX_ID)
        topic = topic_of(fields)
        self.cluster.create_topic(topic.name, topic.partitions, topic.configs, factor, assignments)
        return {}


def _partition(query: Query) -> tuple[str, int]:
    text = query.names["partition"]
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ValueError(f"{shown(text)} is not the number of a partition")
    return query.names["topic"], int(text)


def _flag(query: Query, name: str, default: bool) -> bool:
    value = query.fields().get(name, default)
    if not isinstance(value, bool):
        raise ValueError(f"{name}={shown(value)}: not true or false")
    return value


def _route_of_one_broker(route: Route) -> Route:
    """Return the route of a broker for one broker of a cluster."""
    return Route(
        route.method, f"/brokers/{{broker}}{route.path}", route.summary,
        lambda commands, query: route.handle(commands.commands_of(query), query),
        route.parameters, route.body, f"broker_{route.handle.__name__}")


_TO = {"to": "integer"}
_PARTITION = "/topics/{topic}/partitions/{partition}"
_REPLICA = f"{_PARTITION}/replicas/{{broker}}"

ROUTES = (
    Route("GET", "/healthz", "Whether a broker is alive: 200 or 503", ClusterCommands.healthz),
    Route("GET", "/cluster", "The brokers, and which of them are alive", ClusterCommands.facts),
    Route("POST", "/brokers/{broker}/isolate", "Cut a broker off from the cluster, and not from clients",
          ClusterCommands.isolate),
    Route("POST", "/brokers/{broker}/rejoin", "End an isolation", ClusterCommands.rejoin),
    Route("POST", "/brokers/{broker}/freeze_metadata", "Have a broker tell of the cluster as it is now",
          ClusterCommands.freeze_metadata),
    Route("POST", "/brokers/{broker}/thaw_metadata", "Have a broker tell of the cluster as it is",
          ClusterCommands.thaw_metadata),
    Route("POST", "/pause_catch_up", "Keep brokers that come back, and new replicas, out of sync",
          ClusterCommands.pause_catch_up, body={"paused": "boolean"}),
    Route("POST", "/topics", "Create a topic; assignments has the replicas of each partition",
          ClusterCommands.create_topic, body={
              "name": "string", "partitions": "integer", "configs": "object",
              "replication_factor": "integer", "assignments": "array"}),
    Route("GET", "/topics/{topic}/partitions", "Leaders, epochs, replicas and in-sync sets",
          ClusterCommands.partitions),
    Route("GET", _PARTITION, "Leader, epochs, replicas and in-sync set", ClusterCommands.partition),
    Route("POST", f"{_PARTITION}/leader", "Have a broker lead, in a new epoch", ClusterCommands.move_leader,
          body={**_TO, "unclean": "boolean"}),
    Route("POST", f"{_PARTITION}/election", "Have the preferred replica lead, or any with unclean",
          ClusterCommands.elect_leader, body={"unclean": "boolean"}),
    Route("POST", f"{_PARTITION}/reassignment", "Move to other brokers; null takes a move back",
          ClusterCommands.reassign, body={"replicas": "array"}),
    Route("POST", f"{_REPLICA}/shrink", "Take a follower out of the in-sync set",
          ClusterCommands.shrink_isr),
    Route("POST", f"{_REPLICA}/hold", "Let a follower in sync fetch no more", ClusterCommands.hold_replica),
    Route("POST", f"{_REPLICA}/expand", "Let a replica follow again", ClusterCommands.expand_isr),
    Route("GET", "/groups/{group}/coordinator", "Which broker coordinates a group",
          ClusterCommands.coordinator),
    Route("POST", "/groups/{group}/coordinator", "Have a broker coordinate a group",
          ClusterCommands.move_coordinator, body=_TO),
    Route("GET", "/transactions/{transactional_id}/coordinator",
          "Which broker coordinates a transactional id", ClusterCommands.transaction_coordinator),
    Route("POST", "/transactions/{transactional_id}/coordinator",
          "Have a broker coordinate a transactional id", ClusterCommands.move_transaction_coordinator,
          body=_TO),
    *DATA_ROUTES,
    *(_route_of_one_broker(route) for route in BROKER_ROUTES if not route.path.startswith(OF_ALL)),
)
