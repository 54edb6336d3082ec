# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: a connection above a limit is closed without a response, and the others are served.

The case temporarily lowers max.connections.per.ip of the whole target, so it runs alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from kreactor.conformance.cases import (
    Case,
    Level,
    Trial,
    expect,
    good,
    granted,
    is_response_to,
)
from kreactor.conformance.connection import Ending, NotTestable, Target
from kreactor.conformance.settings import DYNAMIC_DEFAULT_BROKER, broker_config, set_broker_config

_SETTING = "max.connections.per.ip"


def _per_ip(trial: Trial) -> None:
    """While the limit is one, a second connection besides the one that set it is closed."""
    if not trial.changes_settings:
        raise NotTestable(f"needs --change-settings, which allows a moment with {_SETTING}=1")
    with trial.connect() as admin:
        if broker_config(trial, admin, _SETTING).source == DYNAMIC_DEFAULT_BROKER:
            raise NotTestable(f"{_SETTING} of the target is set already")
        try:
            # An answer that cannot be read may have changed the setting.
            granted("IncrementalAlterConfigs", set_broker_config(trial, admin, _SETTING, "1"))
            # A setting takes effect a moment after the response.
            expect("closed without an answer", _until(trial, "closed without an answer"))
            admin.send(good(7))
            expect("an answer to the first connection", "an answer to the first connection"
                   if is_response_to(admin.receive(), 7) else "none")
        finally:
            trial.clean_up(lambda: set_broker_config(trial, admin, _SETTING, None))
        expect("served", _until(trial, "served"))


def _until(trial: Trial, wanted: str) -> str:
    """Open connections until one ends as ``wanted`` or the time is over; return the last one's ending."""
    deadline = time.monotonic() + trial.target.timeout_s
    while (came := _another(trial)) != wanted and time.monotonic() < deadline:
        trial.pause(trial.target.patience_s)
    return came


def _another(trial: Trial) -> str:
    target = trial.target
    # A TLS handshake or SASL would fail with other errors.
    try:
        bare = Target(target.host, target.port, target.timeout_s, target.patience_s)
        with trial.connect_to(bare) as connection:
            if target.tls is None:
                connection.send(good(7))
            came = connection.receive(None if target.tls is None else target.patience_s)
    except ConnectionError:
        return "closed without an answer"
    if came in (Ending.FIN, Ending.RESET):
        trial.check_time(connection, came.value)
        return "closed without an answer"
    return "served"


def cases() -> Iterator[Case]:
    run: Callable[[Trial], None] = _per_ip
    yield Case("limits.per-ip", "A connection above max.connections.per.ip is closed without an answer.",
               Level.SHOULD, "ConnectionQuotas#inc", run, ("IncrementalAlterConfigs", 0))
