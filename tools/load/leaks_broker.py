# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Runs `kreactor`, which reports its state as a line of JSON at SIGUSR1, and at SIGUSR2 after it has released
unused memory.

At SIGQUIT it prints the stack of each thread, whatever the main thread does.

    python -m tools.load.leaks_broker serve ...

The main thread makes the report, and does nothing else. So a broker whose threads are dead or deadlocked
still reports, unless the report needs a lock that is never released.
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

# The number of logged texts that are kept for the report.
KEPT = 20


class Told(logging.Handler):
    """Counts the logged errors, and keeps the first texts."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(logging.Formatter("%(levelname)s %(message)s (%(name)s)"))
        self.refused = self.errors = 0
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Called under the handler's lock."""
        error = record.exc_info[1] if record.exc_info else None
        # As in Kafka, an invalid request is logged as an error of the processor.
        if isinstance(error, InvalidRequestException) and record.name.endswith(Processor.__qualname__):
            self.refused += 1
            return
        self.errors += 1
        if len(self.texts) < KEPT:
            self.texts.append(self.format(record))


TOLD = Told()
C_LIBRARY = ctypes.CDLL(None)


class MallInfo(ctypes.Structure):
    """The memory figures of the GNU C library, in bytes."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
        "keepcost")]


def held_bytes() -> int | None:
    """Return the allocated memory in bytes, or None if it is unknown.

    It is known if Python gets all its memory from a C library that counts it. Resident memory is larger,
    because it has freed memory between blocks that are in use.
    """
    if os.environ.get("PYTHONMALLOC") != "malloc" or not hasattr(C_LIBRARY, "mallinfo2"):
        return None
    C_LIBRARY.mallinfo2.restype = MallInfo
    info = C_LIBRARY.mallinfo2()
    return int(info.uordblks + info.hblkhd)


class SoakedBroker(broker_server.BrokerServer):
    """A broker that reports its state."""

    def __init__(self, config: KafkaConfig, *,
                 scram_users: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        super().__init__(config, scram_users=scram_users)
        faulthandler.register(signal.SIGQUIT)
        signal.signal(signal.SIGUSR1, lambda *_: self._say())
        signal.signal(signal.SIGUSR2, lambda *_: self._tidy_and_say())

    def _tidy_and_say(self) -> None:
        """Report the broker's allocated memory, without memory that Python and the C library have not
        returned yet, and without samples that the metrics have not counted yet.
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
        # Not by print, because the reader may signal again before print has returned.
        os.write(sys.stdout.fileno(), f"{line}\n".encode())

    def _listeners(self) -> list[str]:
        return [end_point.listener_name().value() for end_point in self.config().data_plane_listeners()]


if __name__ == "__main__":
    # The command uses this class, and does not reconfigure a log with handlers.
    setattr(broker_server, "BrokerServer", SoakedBroker)
    logging.getLogger().addHandler(TOLD)
    main(prog_name="kreactor")
