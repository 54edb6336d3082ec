# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.CompressionRatioEstimator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Estimates the compression ratio of each topic and codec. A producer needs it to fill its batches."""

from __future__ import annotations

from kreactor.common.record.compression_type import CompressionType
from kreactor.jdk.forks import run_in_child
from kreactor.jdk.locks import Lock


class CompressionRatioEstimator:
    """One estimate per topic and codec. Used by any thread.

    The estimate follows a worse ratio at once and a better one in small steps, because a batch that becomes
    too large must be split.

    :origin: common.record.CompressionRatioEstimator
    """

    # DEVIATION D52: ratios are 64-bit floats, Java's are 32-bit; also in MemoryRecordsBuilder.

    # A batch that compresses better than estimated lowers the estimate by at most this step.
    COMPRESSION_RATIO_IMPROVING_STEP = 0.005

    # A batch that compresses worse than estimated raises the estimate by at least this step.
    COMPRESSION_RATIO_DETERIORATE_STEP = 0.05

    # By topic, then by the codec's id. A list is changed under ``_LOCK`` and read without it.
    _COMPRESSION_RATIO: dict[str, list[float]] = {}
    _LOCK = Lock()

    @staticmethod
    def _forget_in_child() -> None:
        """Create a new lock in a forked child, because a thread of the parent may hold the old one."""
        CompressionRatioEstimator._LOCK = Lock()

    @staticmethod
    def update_estimation(topic: str, type_: CompressionType, observed_ratio: float) -> float:
        """Update the estimate with a batch's ratio, and return it.

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
        """Return the estimated ratio of compressed to uncompressed size.

        :origin: common.record.CompressionRatioEstimator#estimation(String, CompressionType)
        """
        return CompressionRatioEstimator._get_and_create_estimation_if_absent(topic)[type_._id]

    @staticmethod
    def reset_estimation(topic: str) -> None:
        """Set a topic's estimates back to their initial values.

        :origin: common.record.CompressionRatioEstimator#resetEstimation(String)
        """
        compression_ratio_for_topic = CompressionRatioEstimator._get_and_create_estimation_if_absent(topic)
        with CompressionRatioEstimator._LOCK:
            for type_ in CompressionType:
                compression_ratio_for_topic[type_._id] = type_._rate

    @staticmethod
    def remove_estimation(topic: str) -> None:
        """Remove a topic's estimates.

        :origin: common.record.CompressionRatioEstimator#removeEstimation(String)
        """
        CompressionRatioEstimator._COMPRESSION_RATIO.pop(topic, None)

    @staticmethod
    def set_estimation(topic: str, type_: CompressionType, ratio: float) -> None:
        """Set an estimate. Only tests call this.

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
            # If two threads call this at once, both get the first thread's list.
            compression_ratio_for_topic = CompressionRatioEstimator._COMPRESSION_RATIO.setdefault(
                topic, CompressionRatioEstimator._initial_compression_ratio())
        return compression_ratio_for_topic

    @staticmethod
    def _initial_compression_ratio() -> list[float]:
        """Return the initial estimates of a topic.

        :origin: common.record.CompressionRatioEstimator#initialCompressionRatio()
        """
        return [type_._rate for type_ in sorted(CompressionType, key=lambda type_: type_._id)]


run_in_child(CompressionRatioEstimator._forget_in_child)
