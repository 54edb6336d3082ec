# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.ClientMetricsInstance of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client that sends metrics: its subscribed metrics, and the times of its requests.

Any thread may use it. ``_lock`` guards the times of its requests and its expiry task.
"""

from __future__ import annotations

from collections.abc import Sequence

from kreactor.common.protocol.errors import Errors
from kreactor.common.uuid import Uuid
from kreactor.jdk.locks import ReentrantLock
from kreactor.server.metrics.client_metrics_instance_metadata import ClientMetricsInstanceMetadata
from kreactor.server.util.timer.timer_task import TimerTask


class ClientMetricsInstance:
    """One client, with one version of the subscriptions.

    :origin: server.metrics.ClientMetricsInstance
    """

    __slots__ = ("_client_instance_id", "_instance_metadata", "_subscription_id", "_subscription_version",
                 "_metrics", "_push_interval_ms", "_last_get_request_timestamp",
                 "_last_push_request_timestamp", "_terminating", "_last_known_error",
                 "_expiration_timer_task", "_lock")

    def __init__(self, client_instance_id: Uuid, instance_metadata: ClientMetricsInstanceMetadata,
                 subscription_id: int, subscription_version: int, metrics: Sequence[str],
                 push_interval_ms: int) -> None:
        """
        :origin: server.metrics.ClientMetricsInstance#ClientMetricsInstance(Uuid, ClientMetricsInstanceMetadata, int, int, Set<String>, int)
        """  # noqa: E501
        self._client_instance_id = client_instance_id
        self._instance_metadata = instance_metadata
        self._subscription_id = subscription_id
        self._subscription_version = subscription_version
        self._metrics = metrics
        self._terminating = False
        self._push_interval_ms = push_interval_ms
        self._last_known_error = Errors.NONE

        self._last_get_request_timestamp = 0
        self._last_push_request_timestamp = 0
        self._expiration_timer_task: TimerTask | None = None
        self._lock = ReentrantLock()

    def client_instance_id(self) -> Uuid:
        """Return the client's id.

        :origin: server.metrics.ClientMetricsInstance#clientInstanceId()
        """
        return self._client_instance_id

    def instance_metadata(self) -> ClientMetricsInstanceMetadata:
        """Return the attributes of the client that subscriptions match.

        :origin: server.metrics.ClientMetricsInstance#instanceMetadata()
        """
        return self._instance_metadata

    def push_interval_ms(self) -> int:
        """Return the push interval, in ms.

        :origin: server.metrics.ClientMetricsInstance#pushIntervalMs()
        """
        return self._push_interval_ms

    def subscription_id(self) -> int:
        """Return the id of the subscription.

        :origin: server.metrics.ClientMetricsInstance#subscriptionId()
        """
        return self._subscription_id

    def subscription_version(self) -> int:
        """Return the version of the subscriptions that this instance has.

        :origin: server.metrics.ClientMetricsInstance#subscriptionVersion()
        """
        return self._subscription_version

    def metrics(self) -> Sequence[str]:
        """Return the name prefixes of the subscribed metrics.

        :origin: server.metrics.ClientMetricsInstance#metrics()
        """
        return self._metrics

    def terminating(self) -> bool:
        """Return whether the client has announced its last push.

        :origin: server.metrics.ClientMetricsInstance#terminating()
        """
        return self._terminating

    def set_terminating(self, terminating: bool) -> None:
        """:origin: server.metrics.ClientMetricsInstance#terminating(boolean)"""
        with self._lock:
            self._terminating = terminating

    def last_known_error(self) -> Errors:
        """Return the last error that was sent to the client.

        :origin: server.metrics.ClientMetricsInstance#lastKnownError()
        """
        return self._last_known_error

    def set_last_known_error(self, last_known_error: Errors) -> None:
        """:origin: server.metrics.ClientMetricsInstance#lastKnownError(Errors)"""
        with self._lock:
            self._last_known_error = last_known_error

    def expiration_timer_task(self) -> TimerTask | None:
        """Return the task that removes a silent client.

        :origin: server.metrics.ClientMetricsInstance#expirationTimerTask()
        """
        with self._lock:
            return self._expiration_timer_task

    def maybe_update_get_request_timestamp(self, current_time: int) -> bool:
        """Return whether the client may send a request at ``current_time`` (ms); if so, store that time.

        :origin: server.metrics.ClientMetricsInstance#maybeUpdateGetRequestTimestamp(long)
        """
        with self._lock:
            last_request_timestamp = max(self._last_get_request_timestamp, self._last_push_request_timestamp)
            time_elapsed_since_last_msg = current_time - last_request_timestamp
            if time_elapsed_since_last_msg >= self._push_interval_ms:
                self._last_get_request_timestamp = current_time
                return True
            return False

    def maybe_update_push_request_timestamp(self, current_time: int) -> bool:
        """Return whether the client may push at ``current_time`` (ms); if so, store that time.

        :origin: server.metrics.ClientMetricsInstance#maybeUpdatePushRequestTimestamp(long)
        """
        with self._lock:
            # A push directly after a request for the subscription is allowed, because clients spread their
            # first pushes over the interval.
            can_accept = self._last_get_request_timestamp > self._last_push_request_timestamp
            if not can_accept:
                time_elapsed_since_last_msg = current_time - self._last_push_request_timestamp
                can_accept = time_elapsed_since_last_msg >= self._push_interval_ms
            if can_accept:
                self._last_push_request_timestamp = current_time
            return can_accept

    def cancel_expiration_timer_task(self) -> None:
        """Cancel the expiry of the client.

        :origin: server.metrics.ClientMetricsInstance#cancelExpirationTimerTask()
        """
        with self._lock:
            if self._expiration_timer_task is not None:
                self._expiration_timer_task.cancel()
                self._expiration_timer_task = None

    def update_expiration_timer_task(self, timer_task: TimerTask) -> None:
        """Replace the expiry task by ``timer_task``.

        :origin: server.metrics.ClientMetricsInstance#updateExpirationTimerTask(TimerTask)
        """
        with self._lock:
            self.cancel_expiration_timer_task()
            self._expiration_timer_task = timer_task
