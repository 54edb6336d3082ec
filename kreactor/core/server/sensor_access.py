# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.SensorAccess of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Sensors that one thread makes at their first use, and that other threads see only when they are
complete."""

from __future__ import annotations

from typing import Callable

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor
from kreactor.jdk.locks import ReentrantReadWriteLock


class SensorAccess:
    """For use by any thread. ``lock`` is the owner's lock.

    :origin: kafka.server.SensorAccess
    """

    __slots__ = ("_lock", "_metrics")

    def __init__(self, lock: ReentrantReadWriteLock, metrics: Metrics) -> None:
        """:origin: kafka.server.SensorAccess#SensorAccess"""
        self._lock = lock
        self._metrics = metrics

    def get_or_create(self, sensor_name: str, expiration_time: int,
                      register_metrics: Callable[[Sensor], object]) -> Sensor:
        """Return a sensor. If there is none, make it; ``register_metrics`` adds its metrics first.

        The sensor is removed after ``expiration_time`` seconds without a record.

        :origin: kafka.server.SensorAccess#getOrCreate
        """
        # A sensor is registered before all of its metrics are, so the lookup is under the lock, too.
        with self._lock.read_lock():
            sensor = self._metrics.get_sensor(sensor_name)

        if sensor is None:
            with self._lock.write_lock():
                # Another thread may have made it meanwhile.
                sensor = self._metrics.get_sensor(sensor_name)
                if sensor is None:
                    sensor = self._metrics.sensor(
                        sensor_name, inactive_sensor_expiration_time_seconds=expiration_time)
                    register_metrics(sensor)
        return sensor
