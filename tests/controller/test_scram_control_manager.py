# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The limit of iterations in a stored credential."""

from __future__ import annotations

from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.controller.scram_control_manager import ScramControlManager


def test_clients_accept_every_number_of_iterations_that_the_broker_stores() -> None:
    assert ScramControlManager.MAX_ITERATIONS == 16384
    for mechanism in ScramMechanism:
        assert mechanism.max_iterations() == ScramControlManager.MAX_ITERATIONS
