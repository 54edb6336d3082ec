# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The numbers and limits of the SCRAM mechanisms, which stored credentials and clients rely on."""

from __future__ import annotations

import pytest

from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism


@pytest.mark.parametrize("mechanism, number, name, hash_algorithm, mac_algorithm", [
    (ScramMechanism.SCRAM_SHA_256, 1, "SCRAM-SHA-256", "SHA-256", "HmacSHA256"),
    (ScramMechanism.SCRAM_SHA_512, 2, "SCRAM-SHA-512", "SHA-512", "HmacSHA512")])
def test_the_values_of_kafka(mechanism: ScramMechanism, number: int, name: str, hash_algorithm: str,
                             mac_algorithm: str) -> None:
    assert mechanism.type() == number
    assert mechanism.mechanism_name() == name
    assert mechanism.hash_algorithm() == hash_algorithm
    assert mechanism.mac_algorithm() == mac_algorithm
    assert (mechanism.min_iterations(), mechanism.max_iterations()) == (4096, 16384)
