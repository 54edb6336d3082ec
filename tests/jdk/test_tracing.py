# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which trace functions a thread of a test's broker keeps. Coverage's own: tests/testing/test_company.py."""

from __future__ import annotations

import os
import subprocess
import sys

# A debugger in another process, so that it does not replace the trace function of this one.
BREAKPOINTS = """
import bdb, struct, socket, threading
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.processor import Processor
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.testing import Broker

class Debugger(bdb.Bdb):
    seen = []

    def user_line(self, frame):
        if self.break_here(frame):
            self.seen.append((threading.current_thread().name, frame.f_code.co_name))
        self.set_continue()

debugger = Debugger()
for function in (Acceptor._assign_new_connection, Processor._process_completed_receives, KafkaApis.handle,
                 Processor._process_new_responses):
    code = function.__code__
    first = min(line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno)
    assert debugger.set_break(code.co_filename, first) is None
# As a debugger that is attached before the start.
debugger.reset()
threading.settrace(debugger.trace_dispatch)
with Broker() as broker, socket.create_connection((broker.host, broker.port), 60) as connection:
    connection.sendall(struct.pack(">ihhih", 10, 18, 0, 7, -1))
    connection.recv(1)
    seen = list(debugger.seen)
names = [name for _, name in seen]
firsts = sorted(set(names), key=names.index)
print(*[name for name in firsts if name != "_process_new_responses"])
print(len({thread for thread, _ in seen}), "_process_new_responses" in names)
"""


def test_a_debugger_stops_in_the_threads_of_a_broker() -> None:
    variables = {name: value for name, value in os.environ.items()
                 if not name.startswith(("COV", "KREACTOR_"))}
    done = subprocess.run([sys.executable, "-c", BREAKPOINTS], capture_output=True, text=True, timeout=120,
                          env=variables)
    assert done.stdout.splitlines() == [
        "_assign_new_connection _process_completed_receives handle", "3 True"], done.stderr
