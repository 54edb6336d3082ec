# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: the classic group protocol, in which one member joins, commits and leaves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from kreactor.conformance.cases import Case, Level, Trial, expect, granted, only
from kreactor.conformance.connection import Connection, NotTestable
from kreactor.conformance.errors import name_of
from kreactor.conformance.schemas import Api, apis
from kreactor.conformance.topics import new_topic

_GUIDE = "protocol guide: the group membership API"
_NOT_YET = ("COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR")
_POLL_S = 0.05
# From this version on, a client without a member id gets one and must join again with it (KIP-394).
_ID_REQUIRED = 4
_FIRST_WITH_MEMBERS = 3
_ATTEMPTS = 5
# A subscription of the consumer protocol, version 0: no topics, no user data. Kafka reads it.
_SUBSCRIPTION = b"\0\0" b"\0\0\0\0" b"\xff\xff\xff\xff"


def _until_coordinated(trial: Trial, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Ask until there is a coordinator. Raises NotTestable after the target's time-out."""
    deadline = time.monotonic() + trial.target.timeout_s
    while True:
        answer = ask()
        if name_of(answer["errorCode"]) not in _NOT_YET:
            return answer
        if time.monotonic() > deadline:
            raise NotTestable(f"no coordinator: {name_of(answer['errorCode'])}")
        trial.pause(_POLL_S)


class _Member:
    """The only member of a new group."""

    def __init__(self, trial: Trial, connection: Connection) -> None:
        self._trial = trial
        self._connection = connection
        self._group = trial.prefix + "group"
        self._member = ""
        self._generation = 0

    def ask(self, name: str, version: int | None = None, **body: Any) -> dict[str, Any]:
        return self._trial.ask(self._connection, apis()[name], {"groupId": self._group, **body},
                               version=version)

    def join(self, version: int | None = None) -> None:
        """Find the coordinator and join.

        The target's broker is used as the coordinator if it is the only one. A group without members may be
        removed before its first member joins with its id: Kafka removes groups without offsets when a topic
        is deleted. Then the member starts again. A member that joins during the removal gets
        COORDINATOR_NOT_AVAILABLE.
        """
        for _ in range(_ATTEMPTS):
            error = self._join(version)
            if name_of(error) not in ("UNKNOWN_MEMBER_ID", "COORDINATOR_NOT_AVAILABLE"):
                break
            self._member = ""
        granted("JoinGroup", error)

    def _join(self, version: int | None) -> int:
        """Return the error of the attempt."""
        find = apis()["FindCoordinator"]
        found_version = min(self._trial.newest(find), 3)
        _until_coordinated(self._trial, lambda: self._trial.ask(
            self._connection, find, {"key": self._group, "keyType": 0}, version=found_version))
        body = {"sessionTimeoutMs": 30_000, "rebalanceTimeoutMs": 30_000, "protocolType": "consumer",
                "protocols": [{"name": "range", "metadata": _SUBSCRIPTION}]}
        answer = _until_coordinated(
            self._trial, lambda: self.ask("JoinGroup", version, **body, memberId=self._member))
        asked = self._trial.newest(apis()["JoinGroup"]) if version is None else version
        if asked >= _ID_REQUIRED:
            expect("MEMBER_ID_REQUIRED", name_of(answer["errorCode"]))
            self._member = answer["memberId"]
            answer = self.ask("JoinGroup", version, **body, memberId=self._member)
        if answer["errorCode"] == 0:
            self._member, self._generation = answer["memberId"], answer["generationId"]
            expect((self._member, 1), (answer["leader"], len(answer["members"])))
        error: int = answer["errorCode"]
        return error

    def become(self) -> None:
        """Join and get the assignment, as a preparation of a case."""
        self.join()
        self.sync()

    def sync(self, version: int | None = None) -> None:
        answer = self.ask("SyncGroup", version, **self.who(), protocolType="consumer", protocolName="range",
                          assignments=[{"memberId": self._member, "assignment": b"assignment"}])
        expect(("NONE", b"assignment"), (name_of(answer["errorCode"]), answer["assignment"]))

    def who(self) -> dict[str, Any]:
        return {"memberId": self._member, "generationId": self._generation}

    def leave(self, version: int | None = None) -> None:
        answer = self.ask("LeaveGroup", version, memberId=self._member, members=[{"memberId": self._member}])
        expect("NONE", name_of(answer["errorCode"]))
        asked = self._trial.newest(apis()["LeaveGroup"]) if version is None else version
        if asked >= _FIRST_WITH_MEMBERS:
            expect(["NONE"], [name_of(member["errorCode"]) for member in answer["members"]])

    def clean_up(self) -> None:
        """Leave, so that the group can be deleted, and delete it."""
        self._trial.clean_up(self.leave)
        self._trial.clean_up(self._delete)

    def _delete(self) -> None:
        self._trial.ask(self._connection, apis()["DeleteGroups"], {"groupsNames": [self._group]})


def _with_member(run: Callable[[Trial, _Member], None]) -> Callable[[Trial], None]:
    def case(trial: Trial) -> None:
        with trial.connect() as connection:
            member = _Member(trial, connection)
            try:
                run(trial, member)
            finally:
                member.clean_up()
    return case


def _joined(version: int) -> Callable[[Trial, _Member], None]:
    return lambda trial, member: member.join(version)


def _synced(version: int) -> Callable[[Trial, _Member], None]:
    def run(trial: Trial, member: _Member) -> None:
        member.join()
        member.sync(version)
    return run


def _beaten(version: int) -> Callable[[Trial, _Member], None]:
    def run(trial: Trial, member: _Member) -> None:
        member.become()
        expect("NONE", name_of(member.ask("Heartbeat", version, **member.who())["errorCode"]))
        stranger = {**member.who(), "memberId": "@nobody"}
        expect("UNKNOWN_MEMBER_ID", name_of(member.ask("Heartbeat", version, **stranger)["errorCode"]))
        former = {**member.who(), "generationId": 77}
        expect("ILLEGAL_GENERATION", name_of(member.ask("Heartbeat", version, **former)["errorCode"]))
    return run


def _left(version: int) -> Callable[[Trial, _Member], None]:
    def run(trial: Trial, member: _Member) -> None:
        member.become()
        member.leave(version)
        expect("UNKNOWN_MEMBER_ID", name_of(member.ask("Heartbeat", **member.who())["errorCode"]))
    return run


def _committed(version: int) -> Callable[[Trial], None]:
    def run(trial: Trial) -> None:
        with trial.connect() as connection, new_topic(trial, connection) as topic:
            member = _Member(trial, connection)
            member.become()
            who = member.who()
            committed = {"partitionIndex": 0, "committedOffset": 5, "committedMetadata": "m"}
            answer = member.ask("OffsetCommit", version, memberId=who["memberId"],
                                generationIdOrMemberEpoch=who["generationId"],
                                topics=[{"name": topic.name, "partitions": [committed]}])
            committed_topic = only(answer["topics"], "topics of OffsetCommit")
            expect(["NONE"], [name_of(each["errorCode"]) for each in committed_topic["partitions"]])
            fetched = member.ask("OffsetFetch", min(5, trial.newest(apis()["OffsetFetch"])),
                                 topics=[{"name": topic.name, "partitionIndexes": [0]}])
            partition = only(only(fetched["topics"], "topics of OffsetFetch")["partitions"], "partitions")
            expect((5, "m"), (partition["committedOffset"], partition["metadata"]))
            member.clean_up()
    return run


def _versions(api: Api, lowest: int = 0) -> range:
    return range(max(api.versions.lowest, lowest), api.versions.highest + 1)


def cases() -> Iterator[Case]:
    for name, function, sentence in (
            ("JoinGroup", _joined, "The only member of a group joins and leads it"),
            ("SyncGroup", _synced, "The leader's assignment comes back to the member"),
            ("Heartbeat", _beaten, "A member's heartbeat is accepted, an unknown member's is refused"),
            ("LeaveGroup", _left, "A member that has left is unknown")):
        for version in _versions(apis()[name]):
            yield Case(f"groups.{name}.v{version}", f"{sentence}, by {name} version {version}.", Level.MUST,
                       _GUIDE, _with_member(function(version)), (name, version))
    # Version 0 keeps no members; version 9 is of the protocol of KIP-848.
    for version in _versions(apis()["OffsetCommit"], 1):
        yield Case(f"groups.OffsetCommit.v{version}",
                   f"A member's committed offset comes back, by OffsetCommit version {version}.", Level.MUST,
                   _GUIDE, _committed(version), ("OffsetCommit", version))
