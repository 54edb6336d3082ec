# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramMechanism of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The two mechanisms, with their hashes and iteration limits."""

from __future__ import annotations

from enum import Enum


class ScramMechanism(Enum):
    """A mechanism. The value is its number in requests and stored credentials.

    :origin: common.security.scram.internals.ScramMechanism
    """

    SCRAM_SHA_256 = (1, "SHA-256", "HmacSHA256", 4096, 16384)
    SCRAM_SHA_512 = (2, "SHA-512", "HmacSHA512", 4096, 16384)

    def __init__(self, type: int, hash_algorithm: str, mac_algorithm: str, min_iterations: int,
                 max_iterations: int) -> None:
        """:origin: common.security.scram.internals.ScramMechanism#ScramMechanism(
            byte, String, String, int, int)
        """
        self._type = type
        self._mechanism_name = f"SCRAM-{hash_algorithm}"
        self._hash_algorithm = hash_algorithm
        self._mac_algorithm = mac_algorithm
        self._min_iterations = min_iterations
        self._max_iterations = max_iterations

    def mechanism_name(self) -> str:
        """:origin: common.security.scram.internals.ScramMechanism#mechanismName()"""
        return self._mechanism_name

    def hash_algorithm(self) -> str:
        """:origin: common.security.scram.internals.ScramMechanism#hashAlgorithm()"""
        return self._hash_algorithm

    def mac_algorithm(self) -> str:
        """:origin: common.security.scram.internals.ScramMechanism#macAlgorithm()"""
        return self._mac_algorithm

    def min_iterations(self) -> int:
        """:origin: common.security.scram.internals.ScramMechanism#minIterations()"""
        return self._min_iterations

    def max_iterations(self) -> int:
        """:origin: common.security.scram.internals.ScramMechanism#maxIterations()"""
        return self._max_iterations

    @staticmethod
    def for_mechanism_name(mechanism_name: str) -> ScramMechanism | None:
        """Return the mechanism named ``mechanism_name``, or None.

        :origin: common.security.scram.internals.ScramMechanism#forMechanismName(String)
        """
        return _MECHANISMS_MAP.get(mechanism_name)

    @staticmethod
    def mechanism_names() -> list[str]:
        """:origin: common.security.scram.internals.ScramMechanism#mechanismNames()"""
        return list(_MECHANISMS_MAP)

    @staticmethod
    def is_scram(mechanism_name: str) -> bool:
        """:origin: common.security.scram.internals.ScramMechanism#isScram(String)"""
        return mechanism_name in _MECHANISMS_MAP

    def type(self) -> int:
        """Return the number of the mechanism.

        :origin: common.security.scram.internals.ScramMechanism#type()
        """
        return self._type

    def __str__(self) -> str:
        return self.name


_MECHANISMS_MAP = {mechanism.mechanism_name(): mechanism for mechanism in ScramMechanism}
