# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: over a quota the response comes at once with the throttle time, then the connection is muted
(KIP-219)."""

from __future__ import annotations

import time
from collections.abc import Iterator

from kreactor.conformance.areas.records import produce_body
from kreactor.conformance.batches import batch
from kreactor.conformance.cases import Case, Level, Trial, expect, good, granted, only
from kreactor.conformance.codec import Message, request, response_body
from kreactor.conformance.connection import Ending, NotTestable
from kreactor.conformance.schemas import apis
from kreactor.conformance.topics import new_topic

# From this version of Produce on, the client itself waits for the throttle time.
_KIP_219 = 6
# A batch of this size is far above the quota, so the throttle time is some seconds.
_BATCH_BYTES, _BYTES_PER_S = 30_000, 2_000
_MUTED_MS = 300


def _quota(trial: Trial, client_id: str, value: float | None) -> Message:
    op = {"key": "producer_byte_rate", "value": value or 0.0, "remove": value is None}
    return {"entries": [{"entity": [{"entityType": "client-id", "entityName": client_id}], "ops": [op]}]}


def _muted(trial: Trial) -> None:
    """A producer over its quota gets its response at once with the throttle time, then no other response."""
    if not trial.changes_settings:
        raise NotTestable("needs --change-settings, which allows a quota for the case's own client id")
    client_id = trial.prefix + "client"
    quotas, api = apis()["AlterClientQuotas"], apis()["Produce"]
    version = trial.newest(api)
    with trial.connect() as admin, new_topic(trial, admin) as topic:
        try:
            entries = trial.ask(admin, quotas, _quota(trial, client_id, _BYTES_PER_S))["entries"]
            granted("AlterClientQuotas", only(entries, "entries of AlterClientQuotas")["errorCode"])
            with trial.connect() as connection:
                body = produce_body(topic.name, batch([(None, bytes(_BATCH_BYTES))]))
                throttled_ms = 0
                # A quota takes effect a moment after it is set.
                deadline = time.monotonic() + trial.target.timeout_s
                while throttled_ms < _MUTED_MS and time.monotonic() < deadline:
                    connection.send(request(api, version, 1, body, client_id.encode()))
                    response = connection.receive()
                    expect(True, not isinstance(response, Ending))
                    assert isinstance(response, bytes)
                    throttled_ms = int(response_body(api, version, response)["throttleTimeMs"])
                expect("a throttle time in the answer", "a throttle time in the answer" if throttled_ms
                       else "none")
                trial.check_time(connection, "the answer")
                connection.send(good(2))
                expect(Ending.NOTHING, connection.receive(_MUTED_MS / 2000))
        finally:
            trial.clean_up(lambda: trial.ask(admin, quotas, _quota(trial, client_id, None)))


def cases() -> Iterator[Case]:
    yield Case("throttling.produce.muted",
               "A producer over its quota is answered at once, then muted for the throttle time.",
               Level.MUST, "KIP-219", _muted, ("Produce", _KIP_219))
