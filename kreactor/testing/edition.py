# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Brokers of ``kreactor.testing`` with an older release's network layer: checks and construction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.utils.time import Time
from kreactor.editions.registry import CURRENT, EDITIONS
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing.faults import Fault, Faults, Rule
from kreactor.testing.received import ReceivedRequest

if TYPE_CHECKING:
    from kreactor.common.security.scram.scram_credential import ScramCredential
    from kreactor.core.server.kafka_config import KafkaConfig
    from kreactor.embedded.broker_server import BrokerServer
    from kreactor.metadata.node_storage import ScramCredentialKey


def checked(name: str, properties: Mapping[str, str], time: Time | None) -> str | None:
    """Return the edition's name, None for 3.8.0.

    Raises ValueError for an unknown name, and ConfigException for a property of a later release.
    """
    if name not in EDITIONS:
        raise ValueError(f"edition={name!r}: the editions are {', '.join(EDITIONS)}")
    if name == CURRENT:
        return None
    if time is not None:
        raise ValueError(f"edition={name!r}: the network layer of an older release has no mock clock")
    EDITIONS[name].check(properties)
    return name


def no_such_method(edition: str, method: str) -> IllegalStateException:
    """Return the exception of a method that needs the network layer of 3.8.0."""
    return IllegalStateException(f"edition {edition} has no {method}, which needs the network layer of 3.8")


def new_server(edition: str, config: KafkaConfig,
               scram_users: Mapping[ScramCredentialKey, ScramCredential]) -> BrokerServer:
    """Return a broker that is not started. Raises ConfigException."""
    from kreactor.editions.edition_server import EditionServer

    return EditionServer(EDITIONS[edition], config, scram_users=scram_users)


class NoFaults(Faults):
    """The faults of an older edition: ``add`` refuses all of them."""

    def __init__(self, edition: str) -> None:
        super().__init__(0)
        self._edition = edition

    def add(self, fault: Fault, *, api: ApiKeys | str | Iterable[ApiKeys | str] | None = None,
            client_id: str | None = None, first: int | None = None, after: int = 0, every: int = 1,
            when: Callable[[ReceivedRequest], object] | None = None, probability: float = 1.0) -> Rule:
        """Raises IllegalStateException."""
        raise no_such_method(self._edition, "faults")
