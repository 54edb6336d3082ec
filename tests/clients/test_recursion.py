# Licensed under the Apache License, Version 2.0; see LICENSE.
"""No function of the clients calls itself, or a circle of others, as deep as something is long.

Python raises RecursionError at about 1,000 calls, where Java's stack has place for ten thousand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import recursion
from tests.recursion import Calls

_OTHER_CLASS = "the call is of an object of another class, which has a method of this name"
_INTERCEPTORS = "the list calls each interceptor once; a list is no interceptor of itself"

# Each function that the source does not clear, and what bounds its depth.
PERMITTED = {
    "clients/fetch_session_handler:FetchSessionHandler.session_id": _OTHER_CLASS,
    "clients/metadata:Metadata.topic_ids": _OTHER_CLASS,
    "clients/metadata:Metadata.topic_names": _OTHER_CLASS,
    "clients/network_client:NetworkClient.close": _OTHER_CLASS,
    "clients/producer/internals/append_all:AllAppender.append": _OTHER_CLASS,
    "clients/producer/internals/producer_interceptors:ProducerInterceptors.close": _INTERCEPTORS,
    "clients/producer/internals/producer_interceptors:ProducerInterceptors.on_acknowledgement": _INTERCEPTORS,
    "clients/producer/internals/producer_interceptors:ProducerInterceptors.on_send": _INTERCEPTORS,
    "clients/producer/internals/record_accumulator:RecordAccumulator.try_append_all": _OTHER_CLASS,
    "clients/producer/internals/transaction_manager:TxnRequestHandler.fail": _OTHER_CLASS,
    "clients/producer/kafka_producer:KafkaProducer.metrics": _OTHER_CLASS,
    "clients/producer/mock_producer:MockProducer.clear": _OTHER_CLASS,
    "clients/producer/round_robin_partitioner:RoundRobinPartitioner.partition": _OTHER_CLASS,
    "clients/topic_reader:TopicReader.close": _OTHER_CLASS,
}


def test_no_function_of_the_clients_calls_itself() -> None:
    calls = Calls("clients")
    assert calls.itself() == PERMITTED.keys()
    assert calls.circles() == set()


SOURCE = """
class Node:
    def __init__(self, other: Other) -> None:
        self._next: Node | None = None
        self._other = other

    def {name}(self) -> int:
        return {call}

    def second(self) -> int:
        return self.{name}()

class Derived(Node):
    pass

class Other:
    def walk(self) -> int:
        return 1
"""


@pytest.mark.parametrize("name, call, itself, circle", [
    ("walk", "self._next.walk()", True, False),
    ("walk", "self.walk()", True, False),
    ("walk", "self._other.walk()", False, False),
    ("walk", "sum(node.walk() for node in unknown())", True, False),
    ("walk", "Derived(self._other).walk()", True, False),
    ("walk", "super().walk()", False, False),
    ("first", "self._next.second()", False, True),
    ("first", "self._other.walk()", False, False),
])
def test_what_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: str, itself: bool,
                       circle: bool) -> None:
    """The check of the source finds both forms, and clears a call of another class."""
    monkeypatch.setattr(recursion, "KREACTOR", tmp_path)
    (tmp_path / "clients").mkdir()
    (tmp_path / "clients" / "made.py").write_text(SOURCE.format(name=name, call=call), encoding="utf-8")
    calls = Calls("clients")
    assert calls.itself() == ({f"clients/made:Node.{name}"} if itself else set())
    assert calls.circles() == ({frozenset((f"clients/made:Node.{name}", "clients/made:Node.second"))}
                               if circle else set())
