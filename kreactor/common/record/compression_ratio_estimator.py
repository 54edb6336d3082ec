# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.CompressionRatioEstimator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How well each topic compresses with each codec, so that a producer knows when a batch will be full."""

from __future__ import annotations

import threading

from kreactor.common.record.compression_type import CompressionType
from kreactor.jdk.forks import run_in_child


class CompressionRatioEstimator:
    """One estimate a topic and codec, for use by any thread.

    A worse ratio is believed at once, a better one slowly: a batch that turns out too large must be split.

    :origin: common.record.CompressionRatioEstimator
    """

    # DEVIATION D52: ratios of 64 bits, where Java's have 32; in MemoryRecordsBuilder too.

    # A batch that compresses better than expected takes this off the estimate.
    COMPRESSION_RATIO_IMPROVING_STEP = 0.005

    # The least that one that compresses worse adds to it.
    COMPRESSION_RATIO_DETERIORATE_STEP = 0.05

    # By topic, then by the codec's number. The list is changed under the lock, read without.
    _COMPRESSION_RATIO: dict[str, list[float]] = {}
    _LOCK = threading.Lock()

    @staticmethod
    def _forget_in_child() -> None:
        """Have a new lock in a forked child: the old one may be held by a thread of the parent."""
        CompressionRatioEstimator._LOCK = threading.Lock()

    @staticmethod
    def update_estimation(topic: str, type_: CompressionType, observed_ratio: float) -> float:
        """Learn from a batch; return the new estimate.

        :origin: common.record.CompressionRatioEstimator#updateEstimation(String, CompressionType, float)
        """
        compression_ratio_for_topic = CompressionRatioEstimator._get_and_create_estimation_if_absent(topic)
        current_estimation = compression_ratio_for_topic[type_._id]
        with CompressionRatioEstimator._LOCK:
            if observed_ratio > current_estimation:
                compression_ratio_for_topic[type_._id] = max(
                    current_estimation + CompressionRatioEstimator.COMPRESSION_RATIO_DETERIORATE_STEP,
                    observed_ratio)
            elif observed_ratio < current_estimation:
                compression_ratio_for_topic[type_._id] = max(
                    current_estimation - CompressionRatioEstimator.COMPRESSION_RATIO_IMPROVING_STEP,
                    observed_ratio)
        return compression_ratio_for_topic[type_._id]

    @staticmethod
    def estimation(topic: str, type_: CompressionType) -> float:
        """Return the estimate, compressed size to size.

        :origin: common.record.CompressionRatioEstimator#estimation(String, CompressionType)
        """
        return CompressionRatioEstimator._get_and_create_estimation_if_absent(topic)[type_._id]

    @staticmethod
    def reset_estimation(topic: str) -> None:
        """Forget what was learned of a topic.

        :origin: common.record.CompressionRatioEstimator#resetEstimation(String)
        """
        compression_ratio_for_topic = CompressionRatioEstimator._get_and_create_estimation_if_absent(topic)
        with CompressionRatioEstimator._LOCK:
            for type_ in CompressionType:
                compression_ratio_for_topic[type_._id] = type_._rate

    @staticmethod
    def remove_estimation(topic: str) -> None:
        """Forget a topic.

        :origin: common.record.CompressionRatioEstimator#removeEstimation(String)
        """
        CompressionRatioEstimator._COMPRESSION_RATIO.pop(topic, None)

    @staticmethod
    def set_estimation(topic: str, type_: CompressionType, ratio: float) -> None:
        """Set an estimate, for tests.

        :origin: common.record.CompressionRatioEstimator#setEstimation(String, CompressionType, float)
        """
        compression_ratio_for_topic = CompressionRatioEstimator._get_and_create_estimation_if_absent(topic)
        with CompressionRatioEstimator._LOCK:
            compression_ratio_for_topic[type_._id] = ratio

    @staticmethod
    def _get_and_create_estimation_if_absent(topic: str) -> list[float]:
        """Return the estimates of a topic.

        :origin: common.record.CompressionRatioEstimator#getAndCreateEstimationIfAbsent(String)
        """
        compression_ratio_for_topic = CompressionRatioEstimator._COMPRESSION_RATIO.get(topic)
        if compression_ratio_for_topic is None:
            # If two threads come at once, both get the list of the first.
            compression_ratio_for_topic = CompressionRatioEstimator._COMPRESSION_RATIO.setdefault(
                topic, CompressionRatioEstimator._initial_compression_ratio())
        return compression_ratio_for_topic

    @staticmethod
    def _initial_compression_ratio() -> list[float]:
        """Return what to expect of a topic of which nothing is known.

        :origin: common.record.CompressionRatioEstimator#initialCompressionRatio()
        """
        return [type_._rate for type_ in sorted(CompressionType, key=lambda type_: type_._id)]


run_in_child(CompressionRatioEstimator._forget_in_child)
