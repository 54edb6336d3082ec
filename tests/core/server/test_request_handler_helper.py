# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How an answer goes out: the throttle time in it, and what becomes of requests that have no answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.errors import ClusterAuthorizationException, InvalidRequestException
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.controller_mutation_quota import ControllerMutationQuota
from kreactor.core.server.request_handler_helper import RequestHandlerHelper
from tests.core.server.node import Exchange, Node, records

METADATA = MetadataRequestData(topics=[MetadataRequestData.MetadataRequestTopic(name="foo")])


class Quota(ControllerMutationQuota):
    """Lets wait for as long as it is told."""

    def __init__(self, throttle_ms: int) -> None:
        self._throttle_ms = throttle_ms

    def is_exceeded(self) -> bool:
        return self._throttle_ms > 0

    def record(self, permits: float) -> None:
        pass

    def throttle_time(self) -> int:
        return self._throttle_ms


class Helper:
    """A helper whose quota of requests lets wait for ``throttle_ms``."""

    def __init__(self, node: Node, throttle_ms: int = 0) -> None:
        self.node = node
        self.throttle_ms = throttle_ms
        self.recorded: list[int] = []
        self.exempt: list[RequestChannel.Request] = []
        self.throttled: list[tuple[str, int]] = []
        quotas = node.quotas
        helper = self

        class RequestQuota:
            def maybe_record_and_get_throttle_time_ms(self, request: RequestChannel.Request,
                                                      time_ms: int) -> int:
                helper.recorded.append(time_ms)
                return helper.throttle_ms

            def maybe_record_exempt(self, request: RequestChannel.Request) -> None:
                helper.exempt.append(request)

        quotas.request = RequestQuota()  # type: ignore[assignment]
        self.subject = RequestHandlerHelper(node.channel, quotas, node.time)

        class Subject(RequestHandlerHelper):
            def throttle(self, quota_manager: Any, request: RequestChannel.Request,
                         throttle_time_ms: int) -> None:
                name = "request" if quota_manager is quotas.request else "mutation"
                helper.throttled.append((name, throttle_time_ms))

        self.subject = Subject(node.channel, quotas, node.time)

    def exchange(self, api: ApiKeys, version: int, body: Message) -> Exchange:
        request = self.node.request(api, version, body)
        exchange = self.node._exchanges[request] = Exchange(request)
        return exchange


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


@pytest.mark.parametrize("throttle_ms", [0, 70])
def test_the_throttle_time_is_in_the_answer(node: Node, throttle_ms: int) -> None:
    helper = Helper(node, throttle_ms)
    now = node.time.milliseconds()

    exchange = helper.exchange(ApiKeys.METADATA, 9, METADATA)
    helper.subject.send_response_maybe_throttle(
        exchange.request, lambda ms: MetadataResponse(MetadataResponseData(throttle_time_ms=ms), 9))
    assert exchange.answer().throttle_time_ms == throttle_ms == exchange.request.api_throttle_time_ms

    exchange = helper.exchange(ApiKeys.METADATA, 9, METADATA)
    helper.subject.send_maybe_throttle(exchange.request, MetadataResponse(MetadataResponseData(), 9))
    assert exchange.answer().throttle_time_ms == throttle_ms == exchange.request.api_throttle_time_ms

    exchange = helper.exchange(ApiKeys.METADATA, 9, METADATA)
    helper.subject.send_error_response_maybe_throttle(exchange.request, InvalidRequestException("no"))
    answer = exchange.answer()
    assert (answer.throttle_time_ms, answer.topics[0].error_code) == (
        throttle_ms, Errors.INVALID_REQUEST.code)

    assert helper.recorded == 3 * [now]
    assert helper.throttled == 3 * [("request", throttle_ms)]
    assert not helper.exempt


@pytest.mark.parametrize(("mutation_ms", "request_ms", "expected"), [
    (0, 0, None), (80, 70, ("mutation", 80)), (70, 80, ("request", 80)), (70, 70, ("request", 70))])
def test_the_longer_of_two_throttle_times_counts(node: Node, mutation_ms: int, request_ms: int,
                                                 expected: tuple[str, int] | None) -> None:
    helper = Helper(node, request_ms)
    exchange = helper.exchange(ApiKeys.METADATA, 9, METADATA)
    helper.subject.send_response_maybe_throttle_with_controller_quota(
        Quota(mutation_ms), exchange.request, MetadataResponse(MetadataResponseData(), 9))
    assert helper.throttled == ([] if expected is None else [expected])
    assert exchange.answer().throttle_time_ms == max(mutation_ms, request_ms)
    assert exchange.request.api_throttle_time_ms == max(mutation_ms, request_ms)


def test_brokers_never_wait(node: Node) -> None:
    helper = Helper(node, 70)
    exchange = helper.exchange(ApiKeys.METADATA, 9, METADATA)
    sent: list[Any] = []
    helper.subject.send_response_exempt_throttle(
        exchange.request, MetadataResponse(MetadataResponseData(), 9), sent.append)
    assert exchange.answer().throttle_time_ms == 0
    assert len(sent) == 1, "the network thread said that it was written"
    quiet = helper.exchange(ApiKeys.METADATA, 9, METADATA)
    helper.subject.send_no_op_response_exempt_throttle(quiet.request)
    assert quiet.is_nothing()
    assert helper.exempt == [exchange.request, quiet.request]
    assert not helper.throttled and not helper.recorded


def test_what_has_no_answer_is_closed(node: Node) -> None:
    """The errors of the request are counted all the same."""
    helper = Helper(node)
    exchange = helper.exchange(ApiKeys.PRODUCE, 9, ProduceRequestData(acks=0, timeout_ms=1, topic_data=[
        ProduceRequestData.TopicProduceData(name="foo", partition_data=[
            ProduceRequestData.PartitionProduceData(index=0, records=records(b"a").buffer().to_bytes())])]))
    helper.subject.handle_error(exchange.request, InvalidRequestException("no"))
    assert exchange.is_closed()
    assert node.metric_value("kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=Produce,"
                             "error=INVALID_REQUEST") == 1


def test_errors_of_brokers_never_wait_unless_they_may_not_do_that(node: Node,
                                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    helper = Helper(node, 70)
    # No API of ours is for brokers alone.
    for cluster_action, error, throttled in (
            (False, InvalidRequestException("no"), True), (True, InvalidRequestException("no"), False),
            (True, ClusterAuthorizationException("no"), True)):
        monkeypatch.setattr(ApiKeys.API_VERSIONS, "cluster_action", cluster_action)
        exchange = helper.exchange(ApiKeys.API_VERSIONS, 2, ApiVersionsRequestData())
        helper.throttled.clear()
        helper.exempt.clear()
        helper.subject.handle_error(exchange.request, error)
        assert exchange.answer().throttle_time_ms == (70 if throttled else 0)
        assert bool(helper.throttled) is throttled and bool(helper.exempt) is not throttled


def test_the_connection_is_muted_for_the_throttle_time(node: Node) -> None:
    exchange = Helper(node).exchange(ApiKeys.METADATA, 9, METADATA)
    helper = RequestHandlerHelper(node.channel, node.quotas, node.time)
    helper.throttle(node.quotas.fetch, exchange.request, 0)
    assert not exchange.is_throttled
    helper.throttle(node.quotas.fetch, exchange.request, 70)
    node.time.sleep(69)
    node.end_throttling()
    assert exchange.is_throttled and exchange.waits(), "the answer is for others to give"
    node.time.sleep(1)
    node.end_throttling()
    assert not exchange.is_throttled
