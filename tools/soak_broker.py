# Licensed under the Apache License, Version 2.0; see LICENSE.
"""`kreactor`, which at SIGUSR1 says in a line of JSON how it is, and at SIGUSR2 after it has tidied up.

At SIGQUIT it tells where each of its threads is, whatever the main thread does.

    python -m tools.soak_broker serve ...

It is said by the main thread, which does nothing else: a broker whose threads are dead, or wait for each
other's locks, still answers. Only a lock that is never given back would be waited for here too.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Mapping

from kreactor.cli import main
from kreactor.common.errors import InvalidRequestException
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.core.network.processor import Processor
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded import broker_server
from kreactor.metadata.node_storage import ScramCredentialKey
from kreactor.server.metrics.yammer import Histogram, Meter

# Of what is logged, so much is kept to be told.
KEPT = 20


class Told(logging.Handler):
    """Counts what is logged as an error, and keeps the first texts."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(logging.Formatter("%(levelname)s %(message)s (%(name)s)"))
        self.refused = self.errors = 0
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Called under the handler's lock."""
        error = record.exc_info[1] if record.exc_info else None
        # As in Kafka, a request that makes no sense is an error of the processor's.
        if isinstance(error, InvalidRequestException) and record.name.endswith(Processor.__qualname__):
            self.refused += 1
            return
        self.errors += 1
        if len(self.texts) < KEPT:
            self.texts.append(self.format(record))


TOLD = Told()
C_LIBRARY = ctypes.CDLL(None)


class MallInfo(ctypes.Structure):
    """The memory figures of the C library of GNU, in bytes."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
        "keepcost")]


def held_bytes() -> int | None:
    """Return how much memory is in use, None if nobody knows.

    It is known if Python gets all of its memory from a C library that counts it. Resident memory is more:
    memory that was in use at some time, and lies between blocks that are in use now.
    """
    if os.environ.get("PYTHONMALLOC") != "malloc" or not hasattr(C_LIBRARY, "mallinfo2"):
        return None
    C_LIBRARY.mallinfo2.restype = MallInfo
    info = C_LIBRARY.mallinfo2()
    return int(info.uordblks + info.hblkhd)


class SoakedBroker(broker_server.BrokerServer):
    """A broker that says how it is."""

    def __init__(self, config: KafkaConfig, *,
                 scram_users: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        super().__init__(config, scram_users=scram_users)
        faulthandler.register(signal.SIGQUIT)
        signal.signal(signal.SIGUSR1, lambda *_: self._say())
        signal.signal(signal.SIGUSR2, lambda *_: self._tidy_and_say())

    def _tidy_and_say(self) -> None:
        """Say what the broker holds, and not what Python and the C library have not given back yet.

        Nor what metrics have noted and nobody has counted.
        """
        for metric in list(self._metrics_registry.all_metrics().values()):
            if isinstance(metric, (Meter, Histogram)):
                metric.count()
        gc.collect()
        if hasattr(C_LIBRARY, "malloc_trim"):
            C_LIBRARY.malloc_trim(0)
        self._say()

    def _say(self) -> None:
        server = self.socket_server()
        quotas = server.connection_quotas
        pool = server._memory_pool
        with quotas._counts_lock:
            counts = {"broker": quotas._total_count,
                      **{f"listener {name.value()}": n for name, n in quotas._listener_counts.items()},
                      **{f"address {ip.get_host_address()}": n for ip, n in quotas._counts.items()}}
        line = json.dumps({
            "threads": [thread.name for thread in threading.enumerate()],
            "ports": {name: self.bound_port(ListenerName(name)) for name in self._listeners()},
            "counts": counts,
            "held_bytes": held_bytes(),
            "pool_used": pool.size() - pool.available_memory(),
            "refused": TOLD.refused,
            "errors": TOLD.errors,
            "texts": TOLD.texts})
        # Not by print: who has read this may ask again before it has returned.
        os.write(sys.stdout.fileno(), f"{line}\n".encode())

    def _listeners(self) -> list[str]:
        return [end_point.listener_name().value() for end_point in self.config().data_plane_listeners()]


if __name__ == "__main__":
    # The command finds it here; and it leaves a log alone that somebody listens to.
    setattr(broker_server, "BrokerServer", SoakedBroker)
    logging.getLogger().addHandler(TOLD)
    main(prog_name="kreactor")
