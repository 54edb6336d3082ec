# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A cluster that is controlled over HTTP: by plain requests, by curl, and by the calls of ``Cluster``."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from kreactor.common.errors import (
    BrokerNotAvailableException,
    ElectionNotNeededException,
    UnknownTopicOrPartitionException,
)
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker, Cluster, Error, MockTime
from kreactor.testing.control import Control
from kreactor.testing.control_broker import ROUTES as BROKER_ROUTES
from kreactor.testing.control_cluster import ROUTES
from kreactor.testing.remote import RemoteBroker
from kreactor.testing.remote_cluster import RemoteCluster
from tests.clients.kafka_python_client import KafkaConsumer, KafkaProducer
from tests.testing.test_control import ask

TOPIC, OTHER = "topic", "other"

# A client leaves the socket of a connection that was refused to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket.socket:ResourceWarning")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(time=MockTime()) as cluster:
        cluster.create_topic(TOPIC, assignments=[[1, 2, 3]])
        cluster.create_topic(OTHER, assignments=[[2, 3]])
        yield cluster


@pytest.fixture
def control(cluster: Cluster) -> Iterator[Control]:
    control = Control(cluster)
    yield control
    control.close()


@pytest.fixture
def remote(control: Control) -> Iterator[RemoteCluster]:
    with RemoteCluster(control.url) as remote:
        yield remote


@pytest.fixture(params=["here", "remote"])
def either(request: pytest.FixtureRequest, cluster: Cluster) -> Any:
    """The cluster by its own calls, and by those of the other process."""
    return cluster if request.param == "here" else request.getfixturevalue("remote")


def test_all_requests_are_described(control: Control) -> None:
    told = ask(control, "GET", "/openapi.json")[1]
    named = {(method.upper(), path) for path, item in told["paths"].items() for method in item}
    assert named == {(route.method, route.path) for route in control.routes}
    ids = [operation["operationId"] for item in told["paths"].values() for operation in item.values()]
    assert len(ids) == len(set(ids)) == len(control.routes) == len(ROUTES) + 1
    for path, item in told["paths"].items():
        for operation in item.values():
            assert {each["name"] for each in operation.get("parameters", []) if each["in"] == "path"} == set(
                re.findall(r"{(\w+)}", path))
    # All that a broker takes is taken here, for the cluster or for each broker.
    paths = {(route.method, route.path) for route in ROUTES}
    assert {route.path for route in BROKER_ROUTES
            if (route.method, route.path) not in paths
            and (route.method, f"/brokers/{{broker}}{route.path}") not in paths} == {
                "/reset", "/snapshots", "/snapshots/{id}/restore"}


def test_a_remote_cluster_has_the_calls_of_a_cluster() -> None:
    own = {"start", "partitions", "broker_cluster", "forget_in_child", "positions"}
    assert {name for name in vars(Cluster) if not name.startswith("_")} - own == {
        name for name in vars(RemoteCluster) if not name.startswith("_")}


def test_plain_requests(cluster: Cluster, control: Control) -> None:
    assert ask(control, "GET", "/healthz") == (200, {"status": "running", "alive": [1, 2, 3]})
    facts = ask(control, "GET", "/cluster")[1]
    assert (facts["bootstrap_servers"], facts["alive"]) == (cluster.bootstrap_servers, [1, 2, 3])
    assert facts["brokers"]["2"]["port"] == cluster[2].port and facts["brokers"]["2"]["running"] is True
    other, path = f"/topics/{OTHER}/partitions", f"/topics/{TOPIC}/partitions"
    assert ask(control, "GET", f"{other}/0")[1] == {
        "replicas": [2, 3], "isr": [2, 3], "leader": 2, "leader_epoch": 0, "partition_epoch": 0,
        "adding": [], "removing": []}
    assert ask(control, "POST", f"{other}/0/leader", {"to": 3})[1]["leader"] == 3
    assert ask(control, "POST", f"{other}/0/election")[1]["leader_epoch"] == 2
    assert ask(control, "POST", f"{path}/0/replicas/2/shrink")[1]["isr"] == [1, 3]
    assert ask(control, "POST", f"{path}/0/replicas/2/expand")[1]["isr"] == [1, 3, 2]
    assert ask(control, "POST", f"{path}/0/replicas/3/hold")[0] == 200
    assert ask(control, "POST", f"{path}/0/reassignment", {"replicas": [2, 1]})[1]["replicas"] == [2, 1]
    assert ask(control, "POST", "/brokers/2/kill")[1]["running"] is False
    assert ask(control, "GET", "/cluster")[1]["alive"] == [1, 3]
    assert [ask(control, "GET", each)[1]["0"]["leader"] for each in (path, other)] == [1, 3]
    assert ask(control, "POST", "/brokers/2/start")[0] == 200
    assert ask(control, "POST", "/brokers/1/isolate")[0] == 200
    assert ask(control, "GET", "/healthz")[1]["alive"] == [2, 3]
    assert ask(control, "POST", "/brokers/1/rejoin")[0] == 200
    now = ask(control, "GET", "/time")[1]["now_ms"]
    assert ask(control, "POST", "/time", {"advance_ms": 10})[1] == {"now_ms": now + 10, "mock": True}
    for broker_id in (1, 2, 3):
        cluster.kill(broker_id)
    assert ask(control, "GET", "/healthz")[0] == 503


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_is_enough(cluster: Cluster, control: Control) -> None:
    def curl(*args: str) -> Any:
        done = subprocess.run(["curl", "-sS", "-H", "Content-Type: application/json", *args],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    curl("-d", '{"name": "made", "assignments": [[3, 1]]}', f"{control.url}/topics")
    curl("-d", '{"records": ["v"]}', f"{control.url}/topics/made/records")
    assert curl("-d", '{"to": 1}', f"{control.url}/topics/made/partitions/0/leader")["leader"] == 1
    curl("-X", "POST", f"{control.url}/brokers/3/kill")
    assert curl(f"{control.url}/topics/made/partitions/0")["isr"] == [1]
    assert [each["value"] for each in curl(f"{control.url}/topics/made/records")] == ["v"]
    assert curl("-X", "POST", f"{control.url}/brokers/3/kill") == {
        "error": "IllegalStateException", "message": "the broker does not run"}
    assert cluster.alive() == [1, 2]


NONSENSE: list[tuple[str, str, object, int, str]] = [
    ("GET", "/nowhere", None, 404, "/openapi.json lists all"),
    ("GET", "/broker", None, 404, "no such path"),
    ("POST", "/kill", None, 404, "no such path"),
    ("POST", "/brokers/4/kill", None, 404, r"there is no broker 4: the ids are \[1, 2, 3\]"),
    ("POST", "/brokers/x/kill", None, 404, "there is no broker x"),
    ("POST", "/brokers/01/kill", None, 404, "there is no broker 01"),
    ("POST", "/brokers/1/start", None, 409, "the broker runs already: stop it first"),
    ("POST", "/brokers/1/rejoin", None, 409, "not isolated"),
    ("POST", "/topics/topic/partitions/x/leader", {"to": 1}, 400, "'x' is not the number of a partition"),
    ("POST", "/topics/topic/partitions/-1/leader", {"to": 1}, 400, "not the number of a partition"),
    ("POST", "/topics/topic/partitions/9/leader", {"to": 1}, 404, "unknown partition topic-9"),
    ("POST", "/topics/none/partitions/0/leader", {"to": 1}, 404, "unknown partition none-0"),
    ("POST", "/topics/topic/partitions/0/leader", {}, 400, "to=None: not a number from 0 to"),
    ("POST", "/topics/topic/partitions/0/leader", {"to": "1"}, 400, "to='1': not a number"),
    ("POST", "/topics/topic/partitions/0/leader", {"to": 7}, 400, "there is no broker 7"),
    ("POST", "/topics/topic/partitions/0/leader", {"to": 1, "unclean": 1}, 400, "unclean=1: not true"),
    ("POST", "/topics/other/partitions/0/leader", {"to": 1}, 400, "broker 1 has no replica"),
    ("POST", "/topics/topic/partitions/0/election", {}, 400, "election not needed"),
    ("POST", "/topics/topic/partitions/0/replicas/1/shrink", None, 400, "move the leader first"),
    ("POST", "/topics/topic/partitions/0/replicas/x/hold", None, 404, "there is no broker x"),
    ("POST", "/topics/topic/partitions/0/reassignment", {"replicas": "1"}, 400, "neither a list"),
    ("POST", "/topics/topic/partitions/0/reassignment", {"replicas": []}, 400, "empty"),
    ("POST", "/topics/topic/partitions/0/reassignment", {"replicas": [9]}, 400, "there is no broker 9"),
    ("POST", "/topics/topic/partitions/0/reassignment", {"replicas": None}, 400, "No partition reassignment"),
    ("POST", "/topics", {"name": "n", "assignments": 1}, 400, "assignments: not a list"),
    ("POST", "/topics", {"name": "n", "assignments": [["x"]]}, 400, r"assignments\[0\]='x': not a number"),
    ("POST", "/topics", {"name": "n", "replication_factor": 9}, 400, "replication factor of 9"),
    ("POST", "/topics", {"name": "n", "replication_factor": "x"}, 400, "factor='x': not a number"),
    ("POST", "/pause_catch_up", {"paused": 1}, 400, "paused=1: not true or false"),
    ("GET", "/groups/g/coordinator", None, 404, "__consumer_offsets"),
    ("POST", "/transactions/x/coordinator", {"to": 1}, 404, "__transaction_state"),
    ("GET", "/topics/none/partitions", None, 404, "no topic none"),
]


def test_nonsense_gets_a_sentence_and_changes_nothing(cluster: Cluster, control: Control) -> None:
    before = cluster.partition(TOPIC, 0)
    for method, path, body, status, message in NONSENSE:
        got, told = ask(control, method, path, body)
        assert got == status and re.search(message, told["message"], re.IGNORECASE), (method, path, told)
        assert set(told) == {"error", "message"} and "\n" not in told["message"]
    assert cluster.partition(TOPIC, 0) == before and cluster.topics() == {TOPIC: {0: 0}, OTHER: {0: 0}}
    assert ask(control, "GET", "/healthz")[1]["alive"] == [1, 2, 3]


def test_leaders_and_replicas(either: Any) -> None:
    assert (either.leader(TOPIC, 0), either.alive()) == (1, [1, 2, 3])
    either.move_leader(TOPIC, 0, 3)
    state = either.partition(TOPIC, 0)
    assert (state.leader, state.leader_epoch, state.isr) == (3, 1, (1, 2, 3))
    either.elect_leader(TOPIC, 0)
    with pytest.raises(ElectionNotNeededException):
        either.elect_leader(TOPIC, 0)
    either.shrink_isr(TOPIC, 0, 2)
    either.kill(3)
    either.kill(1)
    with pytest.raises(BrokerNotAvailableException):
        either.move_leader(TOPIC, 0, 3)
    either.elect_leader(TOPIC, 0, unclean=True)
    assert (either.leader(TOPIC, 0), either.alive()) == (2, [2])
    either.pause_catch_up()
    either.restart(1)
    assert either.partition(TOPIC, 0).isr == (2,)
    either.pause_catch_up(False)
    assert either.partition(TOPIC, 0).isr == (2, 1)
    either.restart(3)
    either.reassign(TOPIC, 0, [3, 1])
    assert either.partition(TOPIC, 0).replicas == (3, 1)
    either.isolate(3)
    assert either.alive() == [1, 2]
    either.rejoin(3)
    either.freeze_metadata(1)
    either.thaw_metadata(1)
    either.stop(1)
    assert either.alive() == [2, 3] and not either[1].is_running() and either[2].is_running()
    with pytest.raises(IllegalStateException):
        either.kill(1)
    for call in (lambda: either.kill(9), lambda: either.isolate(9), lambda: either.move_leader(TOPIC, 0, 9)):
        with pytest.raises(ValueError, match="there is no broker 9"):
            call()
    with pytest.raises(UnknownTopicOrPartitionException):
        either.leader("none", 0)


def test_topics_and_records_belong_to_all(either: Any, cluster: Cluster) -> None:
    either.create_topic("t", 3, {"cleanup.policy": "compact"}, replication_factor=2)
    made = [record for value in ("old", "new") for partition in range(3)
            for record in either.produce("t", value, key="k", partition=partition)]
    assert {cluster.leader("t", partition) for partition in range(3)} == {1, 2, 3}
    assert either.end_offsets("t") == either.topics()["t"] == {0: 2, 1: 2, 2: 2}
    assert sorted(made) == either.records("t")
    assert len(either.consume("t", 2)) == 2
    # Another broker is asked from now on.
    cluster.kill(1)
    assert len(either.consume("t", 4)) == 4 and either.consume("t") == []
    either.compact("t")
    assert [record.value for record in either.records("t", 0)] == [b"new"]
    either[2].faults.add(Error("NOT_LEADER_OR_FOLLOWER"), api="Fetch", first=1)
    either.delete_topic("t")
    assert "t" not in either.topics()
    cluster.kill(2)
    cluster.kill(3)
    with pytest.raises(IllegalStateException, match="no broker runs"):
        either.produce(TOPIC, "v")


def test_a_partition_without_a_leader_takes_no_records(either: Any, cluster: Cluster) -> None:
    either.create_topic("t", assignments=[[3]])
    cluster.kill(3)
    with pytest.raises(Exception, match="t-0 has no leader now"):
        either.produce("t", "v")
    assert either.end_offsets("t") == {0: 0}


def test_coordinators_move() -> None:
    # Members of groups use the real time.
    with Cluster() as cluster, closing(Control(cluster)) as control, RemoteCluster(control.url) as remote:
        remote.produce(TOPIC, "v")
        consumer = KafkaConsumer(TOPIC, group_id="group", bootstrap_servers=remote.bootstrap_servers,
                                 auto_offset_reset="earliest", enable_auto_commit=False)
        while not consumer.poll(500):
            pass
        consumer.commit()
        to = remote.coordinator("group") % 3 + 1
        remote.move_coordinator("group", to)
        assert remote.coordinator("group") == to == cluster.coordinator("group")
        remote.produce(TOPIC, "w")
        while not consumer.poll(500):
            pass
        consumer.commit()
        assert remote.lag("group") == {TOPIC: {0: 0}}
        assert remote.groups()["group"].state == "Stable"
        consumer.close()
        with pytest.raises(UnknownTopicOrPartitionException):
            remote.transaction_coordinator("x")


def test_a_broker_of_a_remote_cluster(control: Control, remote: RemoteCluster) -> None:
    with remote[1].faults.add(Error("NOT_LEADER_OR_FOLLOWER"), api="Produce", first=1) as rule:
        producer = KafkaProducer(bootstrap_servers=remote.bootstrap_servers, client_id="me",
                                 retry_backoff_ms=1)
        producer.send(TOPIC, b"v", partition=0).get(60)
        producer.close()
        assert rule.hits == 1
    assert [request.answer.error for request in remote.requests("me", "Produce")  # type: ignore[union-attr]
            ] == ["NOT_LEADER_OR_FOLLOWER", None]
    assert remote[2].requests("me", "Produce") == []
    remote[2].pause()
    remote[2].resume()
    for call in (remote[1].reset, remote[1].snapshot, remote[1].server):
        with pytest.raises(IllegalStateException):
            call()
    with pytest.raises(KeyError):
        remote[9]
    with pytest.raises(OSError, match="no such path"):
        RemoteBroker(control.url)


def test_a_port_of_a_single_broker_is_no_cluster() -> None:
    with (Broker() as broker, closing(Control(broker)) as control,
          pytest.raises(OSError, match="no such path")):
        RemoteCluster(control.url)
